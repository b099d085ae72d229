//! Step 7, around all the others: what was called, by whom, and what came of it.
//!
//! One JSON object a line, appended; the file is its owner's alone (0600). Each line has a running number (`seq`) and
//! the SHA-256 of the line before it (`prev`), over restarts, over rotation and over all the processes that write to the
//! file; `NAME.head` beside it names the last one. So [`verify()`] finds every line that was edited, removed or moved.
//! Nothing in it is secret: whoever may write to the files can make all of them anew. To rule that out, keep the number
//! and hash that `audit verify` prints somewhere else.

mod chain;
mod log;
mod read;
mod step;
mod verify;

pub(super) use chain::{beside, hash};
pub use log::{Flush, Keeping};
pub(super) use log::{Lock, is_at, private};
pub(super) use read::is_absent;
pub use read::lines;
pub use step::Audit;
pub(crate) use step::Entry;
pub use verify::{Fault, Verification, verify};
