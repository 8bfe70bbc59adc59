//! Ctrl-C, SIGTERM and SIGUSR1 ask the run to save and stop. A second signal ends it at once.

use crate::{Error, Result};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

pub struct Interrupt {
    leave: Arc<AtomicBool>,
    code: Arc<AtomicUsize>,
}

impl Interrupt {
    pub fn listen() -> Result<Self> {
        let (leave, code) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        for (signal, exit) in [(SIGINT, 130), (SIGTERM, 143), (SIGUSR1, 143)] {
            // The order matters: the first signal finds the flag unset and sets it, the second one finds it set.
            flag::register_conditional_shutdown(signal, exit, leave.clone())
                .and_then(|_| flag::register_usize(signal, code.clone(), exit as usize))
                .and_then(|_| flag::register(signal, leave.clone()))
                .map_err(|e| Error::failed(format!("cannot listen to signals: {e}")))?;
        }
        Ok(Self { leave, code })
    }

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
