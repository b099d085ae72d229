//! The threads that commands run on.
//!
//! A runtime waits at its end for what `spawn_blocking` runs, so that a command that does not stop would keep the server
//! from ending: these are threads of their own. One that is done waits for the next command, which costs a call less than
//! to start one.

use std::io;
use std::sync::mpsc::{SendError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// The stack of a command's thread: what a `main` usually has. Only what is used takes memory.
const STACK_BYTES: usize = 8 << 20;

/// The most threads that wait: a crowd of calls starts its own.
const IDLE_MAX: usize = 4;

type Work = Box<dyn FnOnce() + Send>;

/// The threads that wait, the last one to have worked at the end.
static IDLE: Mutex<Vec<Sender<Work>>> = Mutex::new(Vec::new());

/// Does work on a thread that does nothing else until it is done.
///
/// # Errors
/// Where no thread can be started.
pub(super) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let mut work: Work = Box::new(work);
    loop {
        let waiting = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(waiting) = waiting else { break };
        match waiting.send(work) {
            Ok(()) => return Ok(()),
            Err(SendError(back)) => work = back,
        }
    }
    Builder::new().name("command".to_owned()).stack_size(STACK_BYTES).spawn(move || serve(work)).map(drop)
}

/// Works, and waits for more unless enough others do. A thread whose work panics ends.
fn serve(mut work: Work) {
    loop {
        work();
        let (sender, next) = channel();
        {
            let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() >= IDLE_MAX {
                return;
            }
            idle.push(sender);
        }
        match next.recv() {
            Ok(next) => work = next,
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::{Arc, Barrier};

    /// More at once than wait, many times over, some of them panicking: all is done, each apart from the others.
    #[test]
    fn work_is_never_lost_nor_waits_for_other_work() {
        const CROWD: usize = 3 * IDLE_MAX;
        let (done, results) = channel();
        for round in 0..20 {
            let together = Arc::new(Barrier::new(CROWD));
            for number in 0..CROWD {
                let (done, together) = (done.clone(), together.clone());
                spawn(move || {
                    // Only passed by all at once: so none of them stands behind another.
                    together.wait();
                    done.send((round, number)).unwrap();
                    if number == 0 {
                        std::panic::resume_unwind(Box::new(()));
                    }
                })
                .unwrap();
            }
        }
        drop(done);
        assert_eq!(results.iter().collect::<HashSet<_>>().len(), 20 * CROWD);
        assert!(IDLE.lock().unwrap().len() <= IDLE_MAX);
    }
}
