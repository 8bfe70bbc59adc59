//! Settings come from six layers, each overriding the ones before: the program's defaults, the task's, a protocol's, those
//! of the policy that the search starts from, a settings file and the caller.

use super::{Bound, Init, Inputs, Normalize, PartialSettings, Protocol, Resets, SurvivalShift, Symmetry};
use crate::optim::{self, OptimizerKind, Variant};
use crate::{Error, Result};

impl PartialSettings {
    /// Reads a task's `[defaults]`, where `[defaults.OPTIMIZER]` takes precedence.
    fn of_task(defaults: &toml::Table, optimizer: OptimizerKind, file: &str) -> Result<Self> {
        let mut common = defaults.clone();
        let mut own = toml::Table::new();
        for name in optim::names() {
            match common.remove(name) {
                Some(toml::Value::Table(table)) if name == optimizer.name() => own = table,
                Some(toml::Value::Table(_)) | None => {}
                Some(_) => return Err(Error::input(file, format!("`defaults.{name}` must be a table"))),
            }
        }
        // A general batch size is meant for optimizers that rank a generation.
        if optimizer.has_own_batch() {
            common.remove("batch");
        }
        let layer = |table: toml::Table| {
            let wrong =
                |e: toml::de::Error| Error::input(file, format!("in `[defaults]`: {}", e.to_string().trim_end()));
            table.try_into::<PartialSettings>().map_err(wrong)
        };
        Ok(layer(own)?.over(layer(common)?))
    }

    /// The program's defaults. A setting that is missing here is left to the optimizer.
    fn of_program() -> Self {
        PartialSettings {
            optimizer: Some(OptimizerKind::default()),
            variant: Some(Variant::default()),
            budget: Some(10_000),
            episodes_per_candidate: Some(1),
            seed: Some(0),
            init: Some(Init::Zero),
            normalize: Some(Normalize::Running),
            bound: Some(Bound(None)),
            survival_shift: Some(SurvivalShift::Auto),
            resets: Some(Resets::Common),
            protocol: Some(Protocol::Gymnasium),
            ..PartialSettings::default()
        }
    }

    /// The SynCMA paper's choices, but with raw observations instead of statistics from a policy trained earlier.
    fn of_protocol(protocol: Protocol) -> Self {
        match protocol {
            Protocol::Gymnasium => PartialSettings::default(),
            Protocol::Paper => PartialSettings {
                variant: Some(Variant::Published),
                batch: Some(100),
                sigma: Some(0.1),
                init: Some(Init::Uniform),
                bound: Some(Bound(Some(1.0))),
                normalize: Some(Normalize::None),
                symmetry: Some(Symmetry::None),
                inputs: Some(Inputs::All),
                survival_shift: Some(SurvivalShift::Off),
                resets: Some(Resets::Own),
                episodes_per_candidate: Some(10),
                segments: Some(1),
                ..PartialSettings::default()
            },
        }
    }

    /// Weights mean something only with the normalizer that they were learned with.
    fn of_start(init: Option<Init>) -> Self {
        let normalize = match init {
            Some(Init::Policy(policy)) => Some(Normalize::Policy(policy)),
            _ => None,
        };
        PartialSettings { normalize, ..PartialSettings::default() }
    }
}

/// All settings of a run, and where each one came from.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub settings: PartialSettings,
    layers: Vec<(&'static str, PartialSettings)>,
}

impl Resolved {
    /// `task_defaults` returns the `[defaults]` of a task's TOML. Settings that the optimizer does not use are left
    /// out, wherever they come from. [`Resolved::unused`] names those that the user has set.
    ///
    /// # Errors
    /// If no task is given, or if its defaults cannot be read.
    pub fn new(
        flags: PartialSettings,
        config: Option<PartialSettings>,
        task_defaults: impl FnOnce(&str) -> Result<Option<toml::Table>>,
    ) -> Result<Self> {
        let (flags, config) = (flags.with_absolute_paths(), config.map(PartialSettings::with_absolute_paths));
        let given = flags.clone().over(config.clone().unwrap_or_default());
        let Some(env) = given.env.clone() else {
            return Err(Error::usage("no task given").hint("name one, for example `env ant`").naming(&["env"]));
        };
        let optimizer = given.optimizer.unwrap_or_default();
        let mut task = match task_defaults(&env)? {
            Some(table) => PartialSettings::of_task(&table, optimizer, &env)?,
            None => PartialSettings::default(),
        };
        let protocol = PartialSettings::of_protocol(given.protocol.or(task.protocol).unwrap_or_default());
        // A task chooses these for its own batch. Where another batch has too few directions, the optimizer chooses.
        if let Some(batch) = given.batch.or(protocol.batch) {
            task.top_directions = task.top_directions.filter(|top| *top <= batch / 2);
        }
        // Candidates have episodes of their own or share them.
        if given.episodes_per_candidate.is_some_and(|episodes| episodes > 1) {
            task.segments = None;
        }
        let layers = vec![
            ("flag", flags),
            ("config", config.unwrap_or_default()),
            ("init", PartialSettings::of_start(given.init)),
            ("protocol", protocol),
            ("task", task),
            ("default", PartialSettings::of_program()),
        ];
        let settings =
            layers.iter().rev().fold(PartialSettings::default(), |below, (_, layer)| layer.clone().over(below));
        Ok(Self { settings: settings.only_used(), layers })
    }

    /// Returns what the caller asked for, directly or through a settings file.
    pub fn given(&self) -> PartialSettings {
        let [(_, flags), (_, config), ..] = &self.layers[..] else { return PartialSettings::default() };
        flags.clone().over(config.clone())
    }

    /// Returns the settings that the caller or a settings file gives although the optimizer does not use them.
    pub fn unused(&self) -> Vec<&'static str> {
        self.given().unused_by(&self.settings)
    }

    /// Returns an error for the first [`unused`](Self::unused) setting.
    ///
    /// # Errors
    /// If there is one. It names those that the optimizer uses.
    pub fn check_used(&self) -> Result<()> {
        self.given().check_used_by(&self.settings)
    }

    /// Lists every setting with its value and origin.
    pub fn explain(&self) -> Vec<(&'static str, Option<String>, &'static str)> {
        let origin = |index: usize, name: &str| {
            if !self.settings.uses(name) {
                return "not used by the optimizer";
            }
            let says = |(_, layer): &&(&'static str, PartialSettings)| layer.entries()[index].1.is_some();
            self.layers.iter().find(says).map_or("the optimizer's default", |(name, _)| name)
        };
        let entries = self.settings.entries().into_iter().enumerate();
        entries.map(|(index, (name, value))| (name, value, origin(index, name))).collect()
    }
}
