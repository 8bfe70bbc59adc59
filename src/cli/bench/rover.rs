use super::common::Common;
use crate::Result;
use clap::Args;

#[derive(Args)]
pub struct Rover {
    #[command(flatten)]
    common: Common,
}

impl Rover {
    pub fn run(self) -> Result<u8> {
        let _ = &self.common;
        Ok(0)
    }
}
