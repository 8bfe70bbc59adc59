//! In: values from files and callers. Out: the settings of a run, each with its origin.
//! Must not know: the terminal, flags, where a run is stored.
//!
//! `for_all_settings!` declares every setting once. `choices` has the values that are words, `layers` says where a value
//! comes from (caller, file, protocol, task, program), `space` says which weights a search is free to choose, and `heldout`
//! is the timetable of held-out evaluations.

mod choices;
mod heldout;
mod layers;
mod space;

pub use choices::{Bound, Init, Inputs, Normalize, Protocol, Resets, SurvivalShift, Symmetry, Target, Time};
pub use heldout::{Due, HeldOut};
pub use layers::Resolved;
pub use space::{Outside, Space};

use crate::optim::{self, Bounds, OptimizerKind, SettingsError, Variant};
use crate::sim;
use crate::{Error, Result, input};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Declares the settings as a struct; see [`for_all_settings`].
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// The settings from one source. A setting that it does not give is `None`.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct PartialSettings {
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<$type>,)*
        }

        impl PartialSettings {
            /// Returns the values of this layer, and those of the layer below where this one has none.
            pub fn over(self, below: PartialSettings) -> PartialSettings {
                PartialSettings { $($name: self.$name.or(below.$name),)* }
            }

            /// Returns every setting with its value as a file would write it.
            pub fn entries(&self) -> Vec<(&'static str, Option<String>)> {
                vec![$((stringify!($name), self.$name.as_ref().map(written)),)*]
            }

            /// Returns every setting that has a value, formatted for people: 2.0 as 2, "exact" without quotes.
            pub fn told(&self) -> Vec<(&'static str, String)> {
                let all = [$((stringify!($name), self.$name.as_ref().map(said)),)*];
                all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
            }

            /// Returns this layer with only the settings that `keep` accepts.
            fn filter(self, keep: impl Fn(&str) -> bool) -> PartialSettings {
                PartialSettings { $($name: self.$name.filter(|_| keep(stringify!($name))),)* }
            }
        }
    };
}

/// Passes every setting to a macro: its documentation, name and type. This is the only declaration. Settings files use
/// it here, and the command line turns it into flags.
macro_rules! for_all_settings {
    ($table:ident) => {
        $table! {
            /// The task: a built-in name or the path of your own TOML file
            env: String,
            /// syncma, cma-es, dd-cma, tr-cma, ars, differential-evolution, annealing, random-search or turbo
            /// [default: syncma]
            optimizer: OptimizerKind,
            /// SynCMA's equations: steady, adaptive, matrix, exact or published [default: the task's, or adaptive]
            variant: Variant,
            /// SynCMA: weight of the history relative to the current generation, at least 0 [default: 2]
            lambda0: f64,
            /// SynCMA: KL penalty on changes of the mean [default: the optimizer's; --print-config shows it]
            eta_m: f64,
            /// SynCMA: KL penalty on changes of the covariance [default: the optimizer's; --print-config shows it]
            eta_c: f64,
            /// SynCMA steady: how far the mean moves at the start, in units of sigma per weight [default: the task's or the
            /// optimizer's; --print-config shows it]
            kappa: f64,
            /// SynCMA steady: after how many candidates the width has halved [default: the task's or the optimizer's;
            /// --print-config shows it]
            patience: f64,
            /// SynCMA steady: how many searches take turns at first; the one that gets furthest continues [default:
            /// the task's, or 1]
            starts: usize,
            /// Candidates per generation [default: the task's or the optimizer's; --print-config shows it]
            batch: usize,
            /// Initial standard deviation of a candidate's weights [default: the task's, or 0.1]
            sigma: f64,
            /// ARS: step size [default: the task's, or 0.02]
            step_size: f64,
            /// ARS: standard deviation of the exploration noise [default: the task's, or 0.03]
            noise: f64,
            /// ARS and SynCMA steady: how many of the best directions contribute to a step [default: the task's, or half of
            /// them in ARS and 3 of 10 in steady]
            top_directions: usize,
            /// Total number of training episodes [default: the task's, or 10000]
            budget: u64,
            /// Training episodes per candidate [default: 1]
            episodes_per_candidate: usize,
            /// SynCMA steady and ARS: in how many segments mirrored pairs share an episode: one is tried in each, both ends from
            /// the same moment. Only once the center no longer falls early [default: the task's, or 1]
            segments: usize,
            /// Seed for everything random [default: 0]
            seed: u64,
            /// Where W starts: zero, uniform in the box, or at a POLICY (a file, a run folder, or the name of one that
            /// ships), whose normalizer is then used as well unless --normalize is given [default: zero]
            init: Init,
            /// Observations: none (raw), running (mean and deviation so far, as in ARS V2), bounded (the same, with no
            /// input above 4), or as a POLICY does it [default: the task's, or running]
            normalize: Normalize,
            /// mirror searches only policies that treat left and right alike, so that half of the weights are free; none
            /// searches them all [default: the task's, or none]
            symmetry: Symmetry,
            /// Which observations a policy may use: all, or state (qpos and qvel; all other weights stay 0) [default: the
            /// task's, or all]
            inputs: Inputs,
            /// Evaluated weights are clipped to ± this number, or not at all with none [default: none]
            bound: Bound,
            /// Whether training subtracts the task's survival bonus at every step: auto or off [default: auto]
            survival_shift: SurvivalShift,
            /// Steps per episode for which training still pays the survival bonus, so that falling at once does not pay
            /// [default: the task's, or 0]
            survival_steps: u32,
            /// Share of the survival bonus that training pays after those steps, from 0 to 1, so that falling still costs
            /// something [default: the task's, or 0]
            survival_share: f64,
            /// Training episodes are cut off after this many steps; held-out episodes run to the task's own horizon
            /// [default: the task's, or its horizon]
            training_steps: u32,
            /// Reset seeds in training: common (one draw for all candidates of a generation), pairs (one for each two
            /// candidates) or own (one for each) [default: common]
            resets: Resets,
            /// Episodes per held-out evaluation; unless this or the next is given, the center is evaluated 30 times, more
            /// often early, on so few episodes that it costs about a tenth of the training
            heldout_episodes: usize,
            /// Generations between held-out evaluations
            heldout_every: u64,
            /// Stop when the held-out return of the center reaches this; none clears the target of a run [default: none]
            target: Target,
            /// Stop after this much time, such as 4h or 90s [default: none]
            time: Time,
            /// gymnasium, or paper: all choices of the SynCMA paper's locomotion experiment at once [default: gymnasium]
            protocol: Protocol,
        }
    };
}
#[cfg(feature = "cli")]
pub(crate) use for_all_settings;

for_all_settings!(settings);

/// Whether a task is named by the path of its file.
fn is_file(env: &str) -> bool {
    env.ends_with(".toml")
}

fn written<T: Serialize>(value: &T) -> String {
    toml::Value::try_from(value).map_or_else(|_| "?".into(), |value| value.to_string())
}

fn said<T: Serialize>(value: &T) -> String {
    match toml::Value::try_from(value) {
        Ok(toml::Value::String(word)) => word,
        Ok(toml::Value::Float(number)) => number.to_string(),
        Ok(other) => other.to_string(),
        Err(_) => "?".into(),
    }
}

impl PartialSettings {
    /// Reads a settings file.
    ///
    /// # Errors
    /// If the file cannot be read or has an unknown or wrong setting.
    pub fn read(file: &Path) -> Result<Self> {
        let text = input::text(file)?;
        toml::from_str(&text).map_err(|e| Error::input(file, e.to_string().trim_end()))
    }

    /// Returns the optimizer's part of the settings, for a search of a matrix with this many rows and columns: for a policy,
    /// the [`Space::shape`].
    pub fn for_optimizer(&self, shape: (usize, usize)) -> optim::Settings {
        let optimizer = self.optimizer.unwrap_or_default();
        let normalizes = self.normalize.as_ref().and_then(Normalize::observed).is_some();
        optim::Settings {
            optimizer,
            variant: self.variant.unwrap_or_default(),
            lambda0: self.lambda0,
            eta_m: self.eta_m,
            eta_c: self.eta_c,
            kappa: self.kappa,
            patience: self.patience,
            starts: self.starts,
            batch: self.batch,
            sigma: self.sigma,
            // If the optimizer requires a box, use the reference implementation's unless `bound` says otherwise.
            bounds: match (optimizer, self.bounds()) {
                (kind, Bounds::None) if kind.needs_box() => Bounds::Clip { low: -1.0, high: 1.0 },
                (_, bounds) => bounds,
            },
            step_size: self.step_size,
            noise: self.noise,
            top_directions: self.top_directions,
            ars_version: if normalizes { optim::ars::Version::V2 } else { optim::ars::Version::V1 },
            seed: self.seed.unwrap_or(0),
            shape: Some(shape),
            ..optim::Settings::default()
        }
        .only_used()
    }

    /// Whether this one has an effect next to the others: the optimizer uses it, or there is a bonus to take away.
    fn uses(&self, name: &str) -> bool {
        let needs_shift = ["survival_steps", "survival_share"].contains(&name);
        !(needs_shift && self.survival_shift == Some(SurvivalShift::Off)) && self.optimizer_uses(name)
    }

    fn optimizer_uses(&self, name: &str) -> bool {
        let (optimizer, variant) = (self.optimizer.unwrap_or_default(), self.variant.unwrap_or_default());
        // A search with a shape for the rows and one for the columns of W needs a W that is free.
        let needs_matrix = optimizer == OptimizerKind::SynCma && variant == Variant::Matrix;
        // Candidates share episodes in mirrored pairs.
        let has_pairs =
            optimizer == OptimizerKind::Ars || (optimizer == OptimizerKind::SynCma && variant == Variant::Steady);
        !(needs_matrix && name == "symmetry") && (has_pairs || name != "segments") && optimizer.uses(variant, name)
    }

    /// Returns these settings without those that have no effect.
    pub fn only_used(self) -> PartialSettings {
        let whole = self.clone();
        self.filter(|name| whole.uses(name))
    }

    /// Returns the settings given here that have no effect in `run`.
    fn unused_by(&self, run: &PartialSettings) -> Vec<&'static str> {
        let set = self.entries().into_iter().filter(|(_, value)| value.is_some()).map(|(name, _)| name);
        set.filter(|name| !run.uses(name)).collect()
    }

    /// Refuses a setting that has no effect in `run`.
    ///
    /// # Errors
    /// If there is one. It names those that the optimizer uses.
    pub fn check_used_by(&self, run: &PartialSettings) -> Result<()> {
        let Some(name) = self.unused_by(run).first().copied() else { return Ok(()) };
        if run.optimizer_uses(name) {
            let what = format!("`{name}` has no effect, because `survival_shift` is off: the whole bonus is paid");
            let remedy = format!("leave out `{name}`, or set `survival_shift` to auto");
            return Err(Error::usage(what).hint(remedy).naming(&[name, "survival_shift"]));
        }
        let known: Vec<&str> = self.entries().into_iter().map(|(name, _)| name).collect();
        let (optimizer, variant) = (run.optimizer.unwrap_or_default(), run.variant.unwrap_or_default());
        Err(SettingsError::unused(optimizer, variant, name, &known).into())
    }

    pub fn bounds(&self) -> Bounds {
        match self.bound {
            Some(Bound(Some(limit))) => Bounds::Clip { low: -limit, high: limit },
            _ => Bounds::None,
        }
    }

    /// Returns the same settings with absolute paths, so that files are found from any folder, and with the program's own
    /// name of the task.
    pub fn with_absolute_paths(self) -> PartialSettings {
        let absolute = |path: String| match std::path::absolute(&path) {
            Ok(absolute) => absolute.display().to_string(),
            Err(_) => path,
        };
        let env = self.env.map(|env| if is_file(&env) { env } else { sim::canonical(&env).to_string() });
        // What does not exist may be the name of a policy that ships with the program.
        PartialSettings { env, ..self }.with_paths(absolute, |name| Path::new(name).exists())
    }

    /// Returns the same settings with the names of files in place of their paths, which differ between machines.
    pub fn with_file_names(self) -> PartialSettings {
        let last = |path: String| match Path::new(&path).file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => path,
        };
        self.with_paths(last, |_| true)
    }

    /// Changes the path of the task, and those of policies that `is_path` accepts.
    fn with_paths(self, change: impl Fn(String) -> String, is_path: impl Fn(&str) -> bool) -> PartialSettings {
        let policy = |name: String| if is_path(&name) { change(name) } else { name };
        PartialSettings {
            env: self.env.map(|env| if is_file(&env) { change(env) } else { env }),
            normalize: self.normalize.map(|normalize| match normalize {
                Normalize::Policy(name) => Normalize::Policy(policy(name)),
                other => other,
            }),
            init: self.init.map(|init| match init {
                Init::Policy(name) => Init::Policy(policy(name)),
                other => other,
            }),
            ..self
        }
    }

    /// Returns the name of the run's folder below `runs/<env>/`.
    pub fn label(&self) -> String {
        let optimizer = self.optimizer.unwrap_or_default();
        let mut label = optimizer.name().to_string();
        if optimizer == OptimizerKind::SynCma {
            label += &format!("-{}", self.variant.unwrap_or_default().name());
            if let Some(lambda0) = self.lambda0 {
                label += &format!("-l{lambda0}");
            }
        }
        if self.protocol == Some(Protocol::Paper) {
            label += "-paper";
        }
        label
    }

    /// Returns the same settings for another optimizer, which gets its own defaults.
    pub fn for_other(self, optimizer: OptimizerKind) -> PartialSettings {
        let common = self.filter(|name| !optim::used_settings::FIELDS.contains(&name));
        PartialSettings { optimizer: Some(optimizer), ..common }
    }
}
