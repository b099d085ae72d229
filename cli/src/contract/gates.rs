use super::plan::Plan;
use crate::globals::Globals;

/// What the write gates refuse about a plan; each sentence says which flag lifts it.
pub(crate) fn refusals(plan: &Plan, globals: &Globals, cap: Cap) -> Vec<String> {
    let mut found = Vec::new();
    let changes = plan.changes();
    if cap.used + changes > cap.limit {
        let earlier = if cap.used > 0 { format!(" after {} earlier ones", cap.used) } else { String::new() };
        found.push(format!(
            "{changes} planned changes{earlier} exceed the limit of {}; --max-changes {} lifts it",
            cap.limit,
            cap.used + changes
        ));
    }
    let destructive = plan.operations.iter().filter(|o| o.destructive && o.is_change()).count();
    if destructive > 0 && !globals.gates.allow_destructive {
        let noun = if destructive == 1 { "operation destroys" } else { "operations destroy" };
        found.push(format!("{destructive} {noun} something; --allow-destructive lets it run"));
    }
    let failing = plan.operations.iter().filter(|operation| operation.error.is_some()).count();
    if plan.all_or_nothing && failing > 0 && !globals.gates.continue_on_error {
        found.push(format!("{failing} of the operations can't be done; --continue-on-error does the others"));
    }
    found
}

/// How many changes are allowed, and how many of them earlier commands of a batch used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub(crate) limit: usize,
    pub(crate) used: usize,
}
