//! Items and their creators, as commands see them.

mod doi;
mod fields;
mod fold;
mod item;
mod key;
mod lookup;
mod shelves;
mod store;
mod text;

pub use doi::normalize_doi;
pub use fields::{FIELDS, Field, ITEM_TYPES, ItemType, ROLES, field};
pub use fold::{fold, fold_into_key, squash};
pub use item::{Creator, Item};
pub use key::citekey;
pub(crate) use lookup::not_found;
pub use lookup::{item_by_key, item_id};
pub(crate) use shelves::{Depth, Shelves, collection_name, item_counts, members};
pub use store::{add_item, ensure_creator, ensure_tag, set_creators, tag_item, untag_item, update_item};
pub use text::{normal_title, title_words};
