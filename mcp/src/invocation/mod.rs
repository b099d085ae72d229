//! One operation and what to set, validated: the allow-list.
//!
//! `collect` finds which param each piece of a call means, `reading` what its JSON says as text, and
//! [`Invocation`] keeps the result. Leniency has one rule: what has one reading is accepted, what has
//! two is refused by name.

mod call;
mod collect;
mod names;
mod reading;

pub use call::{Given, Invocation};
pub(crate) use reading::{cut, describe, describe_missing, value_type};
#[cfg(feature = "stdio")]
pub(crate) use {collect::UNKNOWN, names::nearest};
