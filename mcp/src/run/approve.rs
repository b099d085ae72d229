//! Step 4: what the operator has to allow first.

use super::{Call, Caller};
use crate::catalog::Effect;
use crate::refusal::{Kind, Refusal};

/// What may run without the operator's word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approve {
    /// Everything that the guard let pass.
    #[default]
    Auto,
    /// Reads alone; whatever changes something is refused.
    Deny,
}

impl Approve {
    /// Lets the call pass where the mode allows it.
    ///
    /// # Errors
    /// [`Kind::ApprovalDenied`].
    pub fn check(self, call: &Call, _caller: &Caller) -> Result<(), Refusal> {
        match self {
            Self::Deny if call.target.effect() > Effect::ReadOnly => Err(Refusal::new(Kind::ApprovalDenied)),
            Self::Auto | Self::Deny => Ok(()),
        }
    }
}
