use super::plan::Plan;
use super::report::counted;
use crate::globals::Globals;

/// What the write gates refuse about a plan; each sentence says which flag lifts it.
///
/// In a batch its cap counts, and the command's own where it is given.
pub(crate) fn refusals(plan: &Plan, globals: &Globals, batch: Option<Cap>) -> Vec<String> {
    let mut found = Vec::new();
    let changes = plan.changes();
    if let Some(cap) = batch
        && cap.used + changes > cap.limit
    {
        found.push(format!(
            "{} after {} earlier ones exceed the limit of {} for the whole; a higher max-changes for the whole lifts it",
            counted(changes, "planned change"),
            cap.used,
            cap.limit
        ));
    }
    let limit = globals.max_changes();
    if (batch.is_none() || globals.gates.max_changes.is_some()) && changes > limit {
        let planned = counted(changes, "planned change");
        found.push(format!("{planned}, but the limit is {limit}; --max-changes {changes} lifts it"));
    }
    let destructive = plan.operations.iter().filter(|o| o.destructive && o.is_change()).count();
    if destructive > 0 && !globals.gates.allow_destructive {
        let noun = if destructive == 1 { "operation destroys" } else { "operations destroy" };
        found.push(format!("{destructive} {noun} something; --allow-destructive lets it run"));
    }
    let mut failing = plan.operations.iter().filter_map(|operation| operation.error.as_ref());
    if plan.all_or_nothing
        && !globals.gates.continue_on_error
        && let Some(first) = failing.next()
    {
        let count = counted(1 + failing.count(), "operation");
        found.push(format!("{count} can't be done ({first}); --continue-on-error does the others"));
    }
    found
}

/// How many changes are allowed, and how many of them earlier commands of a batch used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cap {
    pub(crate) limit: usize,
    pub(crate) used: usize,
}
