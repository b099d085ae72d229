//! What `mycli` promises, command by command.

#![expect(unreachable_pub, clippy::unwrap_used, reason = "a test says what failed by panicking")]

mod access;
mod cancel;
mod collections;
mod contract;
mod creators;
mod enrich;
mod examples;
mod exchange;
mod failing;
mod foundation;
mod items;
mod journal;
mod library;
mod notes;
mod reading_list;
mod readme;
mod schema;
mod search;
#[expect(dead_code, reason = "the unit tests use the other replies")]
#[path = "../../src/enrich/server.rs"]
mod server;
mod support;
mod tags;
mod workflow;
