//! The settings of a run as flags.

use super::again::flag;
use super::number::flag as value;
use crate::optim::{OptimizerKind, Variant};
use crate::settings::{
    Bound, Init, Inputs, Normalize, PartialSettings, Protocol, Resets, SurvivalShift, Symmetry, Target, Time,
    for_all_settings,
};
use clap::Args;

/// Declares a flag for every setting.
macro_rules! flags {
    ($(#[$env_doc:meta])* env: String, $($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        #[derive(Clone, Args)]
        pub struct SettingsArgs {
            $(#[$env_doc])*
            #[arg(long, value_name = "TASK|FILE.toml", value_parser = value::<String>(), hide_possible_values = true)]
            pub env: Option<String>,
            $(
                $(#[$doc])*
                #[arg(long, allow_negative_numbers = true, value_parser = value::<$type>(), hide_possible_values = true)]
                pub $name: Option<$type>,
            )*
        }

        impl From<SettingsArgs> for PartialSettings {
            fn from(flags: SettingsArgs) -> Self {
                Self { env: flags.env, $($name: flags.$name,)* }
            }
        }
    };
}

for_all_settings!(flags);

/// Returns the command line that gives all these settings.
pub fn command(settings: &PartialSettings) -> String {
    format!("locomotion train{}", settings.told().into_iter().map(flag).collect::<String>())
}
