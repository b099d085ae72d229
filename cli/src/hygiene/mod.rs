//! What is untidy in a library, found without touching it: pure functions over plain data.

mod gaps;
mod health;
mod people;
mod tags;

pub use gaps::{Aspect, Gap, Member, Siblings, gaps};
pub use health::{Finding, Purpose, Subject, Weight, examine};
pub use people::{NameGroup, NameVariant, NameVariantKind, Person, group_people};
pub use tags::{CountedName, TagGroup, TagVariant, TagVariantKind, group_tags};
