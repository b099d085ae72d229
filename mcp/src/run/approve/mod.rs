//! Step 4: what the operator has to allow first.
//!
//! What has to be allowed is refused and kept as a pending [`Approval`]: one file of its owner's alone
//! in `NAME.approvals` beside the audit, so that any process of the operator's can decide it, and so can the client's
//! user where the door can ask. The caller then repeats the very call, and it passes once.
//!
//! An approval is of one call, never of a tool: the digest it goes by is over the operation, its params, the preview
//! that was planned with and the principal. That of a workflow is over all its steps. What may grant one is the
//! operator's side alone: the verb `approvals`, which no call of an agent's runs, or the client's own user.

mod ask;
mod question;
mod seal;
mod step;
mod store;

pub(crate) use ask::Said;
pub(in crate::run) use seal::random;
pub use step::Approve;
pub(crate) use step::{Approved, Demand};
pub use store::{Answer, Approval, Approvals, DecideError, Decided};
