//! Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 ask the run to save and stop. A second signal ends it at once. Commands that only
//! write one file end at once, without leaving a part of it behind.

use crate::{Error, Result, atomic};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub struct Interrupt {
    leave: Arc<AtomicBool>,
    code: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn listen() -> Result<Self> {
        let (leave, code) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let signals = [(SIGINT, 130), (SIGTERM, 143), (SIGUSR1, 143), (SIGHUP, 129)];
        for (signal, exit) in signals.into_iter().filter(|(signal, _)| *signal != SIGHUP || !hangup_is_ignored()) {
            // The order matters: the first signal finds the flag unset and sets it, the second one finds it set.
            flag::register_conditional_shutdown(signal, exit, leave.clone())
                .and_then(|_| flag::register_usize(signal, code.clone(), exit as usize))
                .and_then(|_| flag::register(signal, leave.clone()))
                .map_err(cannot_listen)?;
        }
        Ok(Self { leave, code })
    }

    /// For commands that have nothing to save: a signal removes unfinished files and ends the process.
    pub fn clean_up() -> Result<()> {
        let mut signals = vec![SIGINT, SIGTERM];
        if !hangup_is_ignored() {
            signals.push(SIGHUP);
        }
        let mut signals = Signals::new(signals).map_err(cannot_listen)?;
        let wait = move || {
            if let Some(signal) = signals.forever().next() {
                atomic::abandon();
                // At once: what libraries do at an ordinary exit may wait for a thread that is inside of them.
                low_level::exit(128 + signal);
            }
        };
        std::thread::Builder::new().spawn(wait).map(drop).map_err(cannot_listen)
    }

    /// The flag that the first signal sets.
    pub fn leave(&self) -> Arc<AtomicBool> {
        self.leave.clone()
    }

    /// Returns the exit code for the signal that arrived, if any.
    pub fn code(&self) -> Option<u8> {
        match self.code.load(Ordering::Relaxed) {
            0 => None,
            code => Some(code as u8),
        }
    }
}

fn cannot_listen(error: std::io::Error) -> Error {
    Error::failed(format!("cannot listen for signals: {error}"))
}

/// Whether the process was started by nohup, or with SIGHUP ignored in another way, and so must outlive its terminal.
fn hangup_is_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (SIGHUP - 1) & 1 == 1
}
