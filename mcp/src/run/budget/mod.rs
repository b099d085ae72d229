//! Step 2: how much a principal may use up, and how much may run at once.
//!
//! An [`Allowance`] has limits over all sessions of a principal, each in a sliding window, and limits of each session
//! alone, in a window or in all. What the sessions of a principal used up stands in a file beside the audit, so that
//! another server process, or the same one started anew, goes on where the last one was. Time is that since the
//! machine was started: a clock that is set anew gives nothing back and takes nothing away.
//!
//! | counted | when |
//! | --- | --- |
//! | `calls`, `request-bytes` | the call arrives, valid or not; not where the switch or a budget refused it |
//! | `writes`, `destructive` | it begins to run; by the effect of the very call |
//! | `wall-time`, `output-bytes` | it has ended; the next call is refused where nothing is left |
//!
//! A workflow needs room for all its steps at once and is charged for those that ran. What only looks something up
//! (`command_search`) is counted nowhere and has places of its own, so that it never waits for what runs.

mod allowance;
mod file;
mod ledger;
mod step;
mod usage;

pub(crate) use allowance::Cost;
pub use allowance::{Allowance, Measure, Quota, Quotas};
pub use step::Budget;
pub(crate) use step::{Load, Permit};
