//! Step 1: nothing runs while the operator has the server stopped.

use super::Caller;
use crate::refusal::{Kind, Refusal};
use tokio_util::sync::CancellationToken;

/// The operator's switch: once thrown, new calls are refused and running ones are cancelled.
#[derive(Clone, Debug, Default)]
pub struct Kill {
    thrown: CancellationToken,
}

impl Kill {
    /// Throws the switch.
    pub fn throw(&self) {
        self.thrown.cancel();
    }

    /// Returns the token that is set once the switch is thrown.
    pub fn token(&self) -> &CancellationToken {
        &self.thrown
    }

    /// Lets the call pass while the switch is not thrown.
    ///
    /// # Errors
    /// [`Kind::Killed`].
    pub fn check(&self, _caller: &Caller) -> Result<(), Refusal> {
        if self.thrown.is_cancelled() { Err(Refusal::new(Kind::Killed)) } else { Ok(()) }
    }
}
