//! Step 3: what this caller may do through this tool.

use super::{Call, Caller};
use crate::catalog::Effect;
use crate::refusal::{Kind, Refusal};

/// Compares the target's effect for this very call with the tool's ceiling and the caller's scope.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guard;

impl Guard {
    /// Lets the call pass where neither the tool nor the caller is narrower than its effect.
    ///
    /// # Errors
    /// [`Kind::EffectDenied`], saying what would be allowed.
    pub fn check(&self, call: &Call, caller: &Caller) -> Result<(), Refusal> {
        let effect = call.target.effect();
        let name = call.target.name();
        if effect > call.ceiling {
            let refusal = Refusal::new(Kind::EffectDenied).because(format!(
                "`{name}` is {effect} in this call, and {} runs {} commands only",
                call.tool, call.ceiling
            ));
            return Err(match call.wider {
                Some(wider) if effect <= caller.principal.scope => refusal.hint(format!("call it through {wider}")),
                _ => refusal,
            });
        }
        if effect > caller.principal.scope {
            return Err(Refusal::new(Kind::EffectDenied).because(format!(
                "`{name}` is {effect} in this call, and this session may run {} commands only",
                match caller.principal.scope {
                    Effect::Mutating => "read-only and mutating".to_owned(),
                    narrow => narrow.to_string(),
                }
            )));
        }
        Ok(())
    }
}
