//! What `mycli` promises, command by command.

#![allow(missing_docs, unreachable_pub)]

mod contract;
mod foundation;
mod items;
mod journal;
mod support;
