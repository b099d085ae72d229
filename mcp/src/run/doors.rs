//! What doors and verbs ask of a pipeline beside calls.

use super::approve::Approve;
use super::confine::takes_paths;
use super::kill::Kill;
use super::{Caller, Pipeline};
use crate::catalog::Catalog;
use crate::exec::Mask;
use crate::refusal::Refusal;
use crate::surface::Surface;
use std::sync::Arc;
use std::time::Duration;

/// The most bytes of what an agent is told at connect.
pub(crate) const INSTRUCTIONS_BYTES: usize = 400;

impl Pipeline {
    /// Returns the values that never leave.
    pub(crate) fn mask(&self) -> &Arc<Mask> {
        &self.mask
    }

    /// Returns what is asked of the operator, and of the client's user.
    pub(crate) fn approve(&self) -> &Approve {
        &self.approve
    }

    /// Tells whether any call of a caller could have to be allowed by somebody first.
    pub(crate) fn may_ask(&self, caller: &Caller) -> bool {
        self.approve.may_ask(&self.catalog, &caller.principal)
    }

    /// Returns the operator's switch.
    pub fn kill(&self) -> &Kill {
        &self.kill
    }

    /// Tells whether it matters which folders a client has open.
    pub(crate) fn confines(&self) -> bool {
        self.confine.roots.is_none() && self.catalog.operations().iter().any(|operation| takes_paths(operation))
    }

    /// Returns what the surface lists.
    pub fn surface(&self) -> &dyn Surface {
        &*self.surface
    }

    /// Returns the catalog that the surface lists.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Returns what an agent is told at connect: how to work here, in at most 400 bytes.
    pub fn instructions(&self) -> String {
        let (root, about) = (self.catalog.root(), self.catalog.about().trim_end_matches('.'));
        let how = self.surface.instructions(&self.catalog);
        let notes = self.notes.as_deref().unwrap_or_default();
        let room = INSTRUCTIONS_BYTES.saturating_sub(root.len() + how.len() + notes.len() + 6);
        let about = &about[..about.floor_char_boundary(room)];
        format!("{root}: {about}. {how} {notes}").trim_end().to_owned()
    }

    /// Cancels what runs and waits for it to end, at most so long.
    pub async fn stop(&self, grace: Duration) {
        self.kill.throw();
        let _ = tokio::time::timeout(grace, self.budget.idle()).await;
        self.kept.close();
    }

    /// Writes a call down that a door refuses by itself, and gives the refusal back.
    pub(crate) fn refuse(&self, tool: &str, caller: &Caller, refusal: Refusal) -> Refusal {
        let entry = self.audit.begin(tool, self.surface.name(), caller);
        let _ = self.audit.end(entry, Err(refusal.clone()));
        refusal
    }
}
