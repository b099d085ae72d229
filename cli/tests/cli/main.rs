//! What `mycli` promises, command by command.

#![allow(missing_docs, unreachable_pub)]

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
