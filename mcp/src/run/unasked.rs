//! What keeps a command from asking, for the caller of one that did.

use crate::catalog::{Catalog, Operation, ParamKind, Spelling};
use crate::invocation::Invocation;
use crate::refusal::{Kind, Refusal};

/// How commands call the switch that answers beforehand, or lets them fail instead of asking; the mildest first.
const SWITCHES: &[&str] = &[
    "no-input",
    "non-interactive",
    "noninteractive",
    "no-interactive",
    "no-interaction",
    "no-prompt",
    "no-prompts",
    "batch",
    "yes",
    "assume-yes",
    "assumeyes",
    "y",
    "no-confirm",
    "noconfirm",
    "skip-confirmation",
    "force",
];

/// Adds to the refusal of a command that asked how the same call asks nothing.
pub(crate) fn explain(refusal: Refusal, call: &Invocation, catalog: &Catalog) -> Refusal {
    if refusal.kind != Kind::NeedsInput || refusal.hint.is_some() {
        return refusal;
    }
    let hint = own(call.operation(), call).map(|name| format!("call it with `{name}: true`, so that it does not ask"));
    let hint = hint.or_else(|| {
        let flag = of_root(catalog)?;
        Some(format!("the operator's policy keeps it from asking with `inject = [\"--{flag}\"]`"))
    });
    refusal.hint(
        hint.unwrap_or_else(|| "no param of it is known to keep it from asking: set all that it asks for".to_owned()),
    )
}

/// A switch of the operation that the call does not set.
fn own<'a>(operation: &'a Operation, call: &Invocation) -> Option<&'a str> {
    SWITCHES.iter().find_map(|switch| {
        let param = operation.params.iter().find(|param| {
            let short = matches!(param.spelling, Spelling::Short('y')) && *switch == "y";
            param.kind == ParamKind::Switch
                && (param.name == *switch || param.aliases.iter().any(|alias| alias == switch) || short)
        })?;
        call.value(&param.name).is_none().then_some(param.name.as_str())
    })
}

/// A switch of the whole program that the host does not set yet.
fn of_root(catalog: &Catalog) -> Option<&'static str> {
    let root = &catalog.prototype;
    SWITCHES.iter().copied().filter(|switch| !matches!(*switch, "yes" | "force" | "y")).find(|switch| {
        let arg = root.get_arguments().find(|arg| arg.get_long() == Some(switch) && !arg.get_action().takes_values());
        arg.is_some_and(|arg| catalog.inject.iter().all(|injected| injected.id != arg.get_id().as_str()))
    })
}
