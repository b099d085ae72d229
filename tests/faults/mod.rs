//! Faults of everything around a server: its commands, its disk, its clock, its clients, its own end.
//!
//! What one step or one executor does then is tested beside it, in the library's own tests.

mod crowd;
mod killed;
mod memory;
mod storage;
