//! An optimizer as written on the command line: a name, and for SynCMA optionally a variant and λ0.

use crate::optim::{OptimizerKind, Settings, Variant};
use std::fmt;
use std::str::FromStr;

/// An optimizer to compare: `cma-es`, `syncma:exact`, `syncma:exact:4`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contestant {
    pub optimizer: OptimizerKind,
    pub variant: Option<Variant>,
    pub lambda0: Option<f64>,
}

impl Contestant {
    /// Returns the contestant without λ0, which is the same for all that differ in λ0 alone.
    pub fn family(&self) -> Self {
        Self { lambda0: None, ..*self }
    }

    /// Returns the settings of this contestant, with defaults for everything else.
    pub fn settings(&self) -> Settings {
        let Self { optimizer, variant, lambda0 } = *self;
        Settings { optimizer, variant: variant.unwrap_or_default(), lambda0, ..Settings::default() }
    }
}

impl FromStr for Contestant {
    type Err = String;
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let mut parts = text.split(':');
        let optimizer = parts.next().unwrap_or_default().parse::<OptimizerKind>().map_err(|e| e.to_string())?;
        let variant = parts.next().map(|v| v.parse::<Variant>().map_err(|e| e.to_string())).transpose()?;
        let lambda0 = parts.next().map(|l| l.parse::<f64>().map_err(|e| format!("lambda0: {e}"))).transpose()?;
        if parts.next().is_some() || (variant.is_some() && optimizer != OptimizerKind::SynCma) {
            return Err("write NAME, or syncma:VARIANT, or syncma:VARIANT:LAMBDA0".into());
        }
        Ok(Self { optimizer, variant, lambda0 })
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.optimizer.name())?;
        self.variant.map_or(Ok(()), |variant| write!(f, ":{}", variant.name()))?;
        self.lambda0.map_or(Ok(()), |lambda0| write!(f, ":{lambda0}"))
    }
}
