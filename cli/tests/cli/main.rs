//! What `mycli` promises, command by command.

#![expect(unreachable_pub, clippy::unwrap_used, reason = "a test says what failed by panicking")]

mod collections;
mod contract;
mod creators;
mod foundation;
mod items;
mod journal;
mod library;
mod notes;
mod reading_list;
mod schema;
mod search;
mod support;
mod tags;
mod workflow;
