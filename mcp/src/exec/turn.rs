//! The turn to write: one change at a time, and who has it.

use super::CancellationToken;
use crate::refusal::{Kind, Refusal};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::time::sleep;

/// Gives the turn to write to one change after the other.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    lock: Arc<Mutex<()>>,
    holder: Arc<watch::Sender<Option<Holder>>>,
}

/// Who has the turn.
#[derive(Clone, Debug)]
struct Holder {
    what: String,
    left: CancellationToken,
}

/// The turn to write; over when dropped.
#[derive(Debug)]
pub(super) struct Turn {
    left: CancellationToken,
    holder: Arc<watch::Sender<Option<Holder>>>,
    _lock: OwnedMutexGuard<()>,
}

impl Default for Turns {
    fn default() -> Self {
        Self { lock: Arc::default(), holder: Arc::new(watch::Sender::new(None)) }
    }
}

impl Turns {
    /// Waits for one's turn.
    ///
    /// Who has it may have been left behind by its caller, and nothing can end it: after a grace, that is
    /// not waited for.
    pub(super) async fn wait(
        &self,
        what: &str,
        within: Duration,
        grace: Duration,
        cancel: &CancellationToken,
    ) -> Result<Turn, Refusal> {
        let mut holders = self.holder.subscribe();
        let (lock, out_of_time) = (self.lock.clone().lock_owned(), sleep(within));
        tokio::pin!(lock, out_of_time);
        loop {
            let holder = holders.borrow_and_update().clone();
            let left = async {
                match &holder {
                    Some(holder) => holder.left.cancelled().await,
                    None => std::future::pending().await,
                }
                sleep(grace).await;
            };
            let named = || holder.as_ref().map_or("another change", |holder| &holder.what);
            tokio::select! {
                biased;
                () = cancel.cancelled() => return Err(Refusal::new(Kind::Cancelled)),
                lock = &mut lock => {
                    let left = CancellationToken::new();
                    self.holder.send_replace(Some(Holder { what: what.to_owned(), left: left.clone() }));
                    return Ok(Turn { left, holder: self.holder.clone(), _lock: lock });
                }
                () = left => {
                    let message = format!("{} was stopped and has not ended yet; nothing was run", named());
                    return Err(busy(message, "reads go on; until it has ended, nothing can be changed"));
                }
                () = &mut out_of_time => {
                    let message = format!("{} did not end within {within:?}; nothing was run", named());
                    return Err(busy(message, "try again later"));
                }
                // The sender lives as long as `self`.
                _ = holders.changed() => {}
            }
        }
    }
}

fn busy(message: String, hint: &str) -> Refusal {
    Refusal::new(Kind::Busy).because(message).hint(hint)
}

impl Turn {
    /// Returns what tells others that nobody waits for this one's end any more.
    pub(super) fn left(&self) -> &CancellationToken {
        &self.left
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.holder.send_replace(None);
    }
}
