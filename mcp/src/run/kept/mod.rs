//! Outputs that did not fit: kept for their session, and read by a command of the facade's own.
//!
//! An output is kept in a file without a name: nobody else can open it, and nothing of it is left behind however the
//! server ends. It is read by `output read`, an [`Operation`](crate::catalog::Operation) like any other: a surface
//! resolves it, the proof parses it back, the guard and the audit see it. It is listed nowhere; a cut result tells how to
//! call it.

mod command;
mod page;
mod store;
mod unescape;

pub(crate) use command::{Ask, beside};
pub use store::Retention;
pub(crate) use store::{Keeper, Owner, Store};
