//! The write contract: the only way by which a command changes anything.
//!
//! A mutating command describes its change as a [`Plan`] from reads alone; the connection refuses
//! writes meanwhile. What happens to the plan (preview, refusal, application, journal) is decided
//! in `apply`, the same for every command.

mod apply;
mod batch;
mod files;
mod gates;
mod journal;
mod overlay;
mod plan;
mod report;
mod undo;

pub(crate) use apply::write;
pub use batch::Batch;
pub(crate) use batch::{BatchLink, BatchState};
pub(crate) use files::Staged;
pub use plan::Plan;
pub(crate) use plan::hex;
pub(crate) use undo::{changes_of, plan_undo, undone_by};
