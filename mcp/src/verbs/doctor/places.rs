//! Whether a server that a host starts finds the operator's files where the operator's verbs put them.

use super::host::variable;
use super::{End, Step};
use crate::folders::{CONFIG, STATE};
use crate::hosts::Entry;
use crate::policy::Policy;
use crate::run::audit::Audit;
use crate::verbs::desk::Desk;
use std::path::{Path, PathBuf};

/// Names the files, or says which ones a server of this entry would look for elsewhere.
pub(super) fn compare(entry: &Entry, desk: &Desk<'_>) -> Vec<Step> {
    let name = desk.facade.command.get_name();
    let there = |name: &str| variable(entry, name);
    let theirs = |folder: Option<PathBuf>, below: fn(&Path, &str) -> PathBuf| folder.map(|folder| below(&folder, name));
    let audit = match desk.facade.audit_path() {
        // Named by the adopter, wherever a server is started.
        own if own != Audit::default_path(name) => (own.clone(), own),
        own => (own, theirs(STATE.folder_by(there), Audit::below)),
    };
    let mut steps = vec![step("audit", "the switch, the approvals and the audit beside", audit)];
    let named = |option: &std::ffi::OsString| option.to_string_lossy().starts_with("--policy");
    if !desk.launch.options.iter().any(named) && !entry.args.iter().any(|word| word.starts_with("--policy")) {
        let policy = (Policy::path(name), theirs(CONFIG.folder_by(there), Policy::below));
        let is_there = |path: &Option<PathBuf>| path.as_deref().is_some_and(Path::exists);
        if is_there(&policy.0) || is_there(&policy.1) {
            steps.push(step("policy", "the policy", policy));
        }
    }
    steps
}

fn step(what: &'static str, which: &str, (here, there): (Option<PathBuf>, Option<PathBuf>)) -> Step {
    let shown = |path: &Option<PathBuf>| path.as_ref().map_or("no place".to_owned(), |path| path.display().to_string());
    match here == there {
        true => Step { what, end: End::Good, note: shown(&here) },
        false => Step {
            what,
            end: End::Bad,
            note: format!(
                "a server that a host starts looks for {which} {}, and your verbs work on {}: \
                 `install --replace` hands on the variables that say so here",
                shown(&there),
                shown(&here)
            ),
        },
    }
}
