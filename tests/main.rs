//! What the workspace promises, tested from outside.

#![expect(clippy::unwrap_used, reason = "a test that can't go on fails")]

mod trees;
