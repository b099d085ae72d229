//! How calls are carried: a door knows a wire format, and nothing else.

mod answers;
mod ask;
mod lines;
mod progress;
mod roots;
pub mod stdio;
mod streams;
