//! What the workspace promises, tested from outside: one binary, one module a promise.

#![expect(clippy::duplicate_mod, reason = "one suite, imported once for each door")]
#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

#[path = "../mcp/tests/trees/peers.rs"]
mod peers;

mod adversarial;
mod approvals;
mod doors;
mod faults;
mod fidelity;
mod search;
mod server;
mod session;
mod surfaces;
mod trees;
mod verbs;
mod workflow;
mod wrapped;
