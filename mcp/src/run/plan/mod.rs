//! Between guard and approve: that a change is the one that was previewed.
//!
//! A preview yields a *plan*: a token for its output, bound to the operation, the params without the gates that apply and
//! preview, and the principal. A call that applies may name it with `plan`, and has to where the operator says
//! `apply = "plan"`: the preview is then made again, and the call is refused with what changed where it is no longer the
//! same. A plan is good for one call that is let run, for an hour, in the server that made it.
//!
//! What a dry run shows is the CLI's own word; nothing here makes it true.

mod difference;
mod kept;
mod stage;
mod step;

pub(crate) use stage::Stage;
pub use step::Plans;
pub(crate) use step::{Checked, PLAN, take, unread};
