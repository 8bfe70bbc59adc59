//! Runs long tasks on threads of their own, when each task uses only one thread or a few.

use crate::{Error, Result};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Returns the requested number of threads, where 0 means one per core.
pub fn threads(asked: usize) -> usize {
    if asked == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { asked }
}

/// Hands out the items in order, each to the next free worker, and stops after the first error. A worker whose work
/// returns `Break` takes no further items.
///
/// # Errors
/// The last error that a piece of work returned.
pub fn share<T: Sync>(items: &[T], workers: usize, work: impl Fn(&T) -> Result<ControlFlow<()>> + Sync) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None::<Error>));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match work(item) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => break,
                        Err(error) => {
                            next.store(items.len(), Ordering::Relaxed);
                            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        }
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}
