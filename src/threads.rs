//! Runs long tasks on threads of their own, when each task uses only one thread or a few.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Returns the requested number of threads, where 0 means one per core.
pub fn count(requested: usize) -> usize {
    if requested == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { requested }
}

/// Hands out the items in order, each to the next free thread, and hands out no more after an error. A thread whose work
/// returns `Break` takes no further items.
///
/// # Errors
/// The error of the first item, in the order of the items, whose work failed. Items before it have been handed out by
/// then, so it does not depend on which thread was faster.
pub fn share<T: Sync, E: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> Result<ControlFlow<()>, E> + Sync,
) -> Result<(), E> {
    let (next, first_error) = (AtomicUsize::new(0), Mutex::new(None::<(usize, E)>));
    let keep_first = |at: usize, error: E| {
        let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
            *first = Some((at, error));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    match work(item) {
                        Ok(ControlFlow::Continue(())) => {}
                        Ok(ControlFlow::Break(())) => break,
                        Err(error) => {
                            next.store(items.len(), Ordering::Relaxed);
                            keep_first(at, error);
                        }
                    }
                }
            });
        }
    });
    match first_error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::share;
    use std::ops::ControlFlow;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Three items run side by side and fail in a given order.
    #[test]
    fn the_first_error_is_that_of_the_first_item_whichever_thread_fails_first() {
        for order in [[2, 0, 1], [1, 2, 0], [0, 1, 2]] {
            let (together, turn) = (Barrier::new(3), AtomicUsize::new(0));
            let done = share(&[0, 1, 2, 3], 3, |item| {
                together.wait();
                while order[turn.load(Ordering::Acquire)] != *item {
                    std::thread::yield_now();
                }
                turn.fetch_add(1, Ordering::Release);
                Err(*item)
            });
            assert_eq!(done, Err(0), "{order:?}");
        }
    }

    #[test]
    fn nothing_is_handed_out_after_an_error() {
        let begun = AtomicUsize::new(0);
        let done = share(&[0, 1, 2, 3], 1, |item| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *item == 1 { Err(*item) } else { Ok(ControlFlow::Continue(())) }
        });
        assert_eq!((done, begun.into_inner()), (Err(1), 2));
    }
}
