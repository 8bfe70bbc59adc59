//! Values of flags as people type them. A wrong one gets a sentence that says what to type, and a shell can complete words.

use super::note;
use crate::optim::{OptimizerKind, Variant};
use crate::settings::{Bound, Init, Inputs, Normalize, Protocol, Resets, SurvivalShift, Symmetry, Target, Time};
use crate::sim;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::fmt::Display;
use std::marker::PhantomData;
use std::str::FromStr;

/// A value of a flag.
pub trait FlagValue: Clone + Send + Sync + 'static {
    fn parse(text: &str) -> Result<Self, String>;

    /// The words that a shell offers. Others may be right too.
    fn words() -> Vec<&'static str> {
        Vec::new()
    }
}

/// Parses a flag for clap.
pub struct Flag<T>(PhantomData<fn() -> T>);

/// The parser of a flag with this type.
pub fn flag<T: FlagValue>() -> Flag<T> {
    Flag(PhantomData)
}

impl<T> Clone for Flag<T> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<T: FlagValue> TypedValueParser for Flag<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        T::parse.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = T::words();
        (!words.is_empty()).then(|| Box::new(words.into_iter().map(PossibleValue::new)) as Box<_>)
    }
}

/// Parses a whole number within limits.
#[derive(Clone, Copy)]
pub struct Between<T>(T, T);

pub fn between<T>(low: T, high: T) -> Between<T> {
    Between(low, high)
}

impl<T: FromStr + Display + PartialOrd + Copy + Send + Sync + 'static> TypedValueParser for Between<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, clap::Error> {
        let Self(low, high) = *self;
        let parse = move |text: &str| {
            let number = text.parse().ok().filter(|number| (low..=high).contains(number));
            number.ok_or_else(|| format!("use a whole number from {low} to {high}"))
        };
        parse.parse_ref(command, arg, value)
    }
}

macro_rules! whole {
    ($($type:ty),*) => {$(
        impl FlagValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("use a whole number from 0 to {}", <$type>::MAX))
            }
        }
    )*};
}
whole!(u32, u64, usize);

impl FlagValue for f64 {
    fn parse(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "use a number such as 0.1, -2 or 1e-3".to_string())
    }
}

/// A task: the name of a built-in one, or a file.
impl FlagValue for String {
    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.to_string())
    }

    fn words() -> Vec<&'static str> {
        sim::NAMES.to_vec()
    }
}

macro_rules! words {
    ($($type:ty: $words:expr),* $(,)?) => {$(
        impl FlagValue for $type {
            fn parse(text: &str) -> Result<Self, String> {
                Self::from_str(text).map_err(|e| e.to_string())
            }

            fn words() -> Vec<&'static str> {
                $words.to_vec()
            }
        }
    )*};
}
words!(
    Bound: ["none"],
    Init: Init::WORDS,
    Inputs: Inputs::WORDS,
    Normalize: Normalize::WORDS,
    OptimizerKind: crate::optim::names(),
    Protocol: Protocol::WORDS,
    Resets: Resets::WORDS,
    SurvivalShift: SurvivalShift::WORDS,
    Symmetry: Symmetry::WORDS,
    Target: ["none"],
    Time: [],
    Variant: Variant::ALL.map(Variant::name),
);

/// Returns the number of threads to use: the requested one, but at most four per core.
pub fn threads(requested: usize) -> usize {
    let cores = crate::threads::count(0);
    let most = 4 * cores;
    if requested <= most {
        return requested;
    }
    note(&format!(
        "--threads {requested}: this machine has {}; {most} threads are used",
        super::terminal::count(cores, "core")
    ));
    most
}
