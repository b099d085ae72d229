//! Who calls: what the operator takes the caller for, and the widest that it may do.

use crate::catalog::Effect;

/// Somebody who calls, as the operator knows them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Principal {
    /// The name, for the policy, the audit and refusals.
    pub name: String,
    /// The widest effect that its calls may have.
    pub scope: Effect,
}

impl Principal {
    /// The name of whoever starts a server and says nothing else.
    pub const LOCAL: &str = "local";

    /// Makes a principal that may do everything up to an effect.
    pub fn new(name: impl Into<String>, scope: Effect) -> Self {
        Self { name: name.into(), scope }
    }

    /// Returns the same with no wider scope than this one.
    #[must_use]
    pub fn at_most(mut self, scope: Effect) -> Self {
        self.scope = self.scope.min(scope);
        self
    }
}

impl Default for Principal {
    /// [`Principal::LOCAL`], which may do everything.
    fn default() -> Self {
        Self::new(Self::LOCAL, Effect::Destructive)
    }
}
