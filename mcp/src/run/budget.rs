//! Step 2: how much may run at once.

use super::Caller;
use crate::refusal::{Kind, Refusal};
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most calls that run at once.
#[derive(Clone, Debug)]
pub struct Budget {
    most: usize,
    permits: Arc<Semaphore>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::concurrent(256)
    }
}

impl Budget {
    /// Allows so many calls at once.
    pub fn concurrent(most: usize) -> Self {
        Self { most, permits: Arc::new(Semaphore::new(most)) }
    }

    /// Waits until nothing runs.
    pub async fn idle(&self) {
        let all = u32::try_from(self.most).unwrap_or(u32::MAX);
        drop(self.permits.acquire_many(all).await);
    }

    /// Lets the call pass while there is room; the permit is held as long as the call runs.
    ///
    /// # Errors
    /// [`Kind::BudgetExhausted`].
    pub fn check(&self, _caller: &Caller) -> Result<OwnedSemaphorePermit, Refusal> {
        self.permits.clone().try_acquire_owned().map_err(|_| {
            Refusal::new(Kind::BudgetExhausted)
                .because(format!("{} calls are running, which is the most at once", self.most))
                .hint("call again when one has answered")
        })
    }
}
