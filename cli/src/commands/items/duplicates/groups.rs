use crate::db::Db;
use crate::error::CliError;
use crate::model::{Item, normal_title};
use std::collections::BTreeMap;

/// What makes items duplicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// The same DOI
    Doi,
    /// The same title, and no different first author, year or DOI
    Title,
    /// One of them
    All,
}

/// Items that are the same work; the first is the one to keep.
pub(crate) struct Group {
    pub(crate) reason: &'static str,
    pub(crate) items: Vec<Item>,
}

impl Group {
    /// The item to keep.
    pub(crate) fn keep(&self) -> &Item {
        &self.items[0]
    }

    /// The items to merge into it.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().skip(1)
    }

    /// Whether an item is one of the group.
    pub(crate) fn has(&self, id: i64) -> bool {
        self.items.iter().any(|item| item.id == id)
    }

    /// Makes another item the one to keep; says whether the group has it.
    pub(crate) fn prefer(&mut self, key: &str) -> bool {
        let found = self.items.iter().position(|item| item.key.eq_ignore_ascii_case(key));
        if let Some(index) = found {
            self.items[..=index].rotate_right(1);
        }
        found.is_some()
    }
}

/// Finds the groups of duplicates among the items that are not in the trash.
pub(crate) fn find_groups(db: &Db, by: By) -> Result<Vec<Group>, CliError> {
    let mut pool = Item::select(db, "i.trashed_at IS NULL ORDER BY i.id", &[])?;
    let mut groups = Vec::new();
    if by != By::Title {
        let mut same: BTreeMap<String, Vec<Item>> = BTreeMap::new();
        let (with, without): (Vec<_>, Vec<_>) = pool.into_iter().partition(|item| item.field("doi").is_some());
        for item in with {
            same.entry(item.field("doi").unwrap_or_default().to_lowercase()).or_default().push(item);
        }
        pool = without;
        for items in same.into_values() {
            if items.len() > 1 {
                groups.push(Group { reason: "same DOI", items });
            } else {
                pool.extend(items);
            }
        }
    }
    if by != By::Doi {
        let mut same: BTreeMap<String, Vec<Vec<Item>>> = BTreeMap::new();
        for item in pool {
            let title = normal_title(&item.title);
            if title.is_empty() {
                continue;
            }
            let alike = same.entry(title).or_default();
            match alike.iter_mut().find(|items| items.iter().all(|other| is_compatible(&item, other))) {
                Some(items) => items.push(item),
                None => alike.push(vec![item]),
            }
        }
        let found = same.into_values().flatten().filter(|items| items.len() > 1);
        groups.extend(found.map(|items| Group { reason: "same title", items }));
    }
    for group in &mut groups {
        group.items.sort_by_key(|item| (std::cmp::Reverse(completeness(item)), item.id));
    }
    groups.sort_by(|left, right| left.keep().key.cmp(&right.keep().key));
    Ok(groups)
}

/// Whether nothing speaks against two items with the same title being the same work.
fn is_compatible(left: &Item, right: &Item) -> bool {
    fn agree<T: PartialEq>(left: Option<T>, right: Option<T>) -> bool {
        left.is_none() || right.is_none() || left == right
    }
    let author = |item: &Item| {
        item.creators.first().map(|creator| normal_title(&format!("{}{}", creator.family, creator.literal)))
    };
    let part = |item: &Item, field: &str| item.field(field).map(str::to_lowercase);
    agree(author(left), author(right))
        && agree(left.year(), right.year())
        && ["doi", "volume", "edition"].iter().all(|field| agree(part(left, field), part(right, field)))
}

fn completeness(item: &Item) -> usize {
    item.fields.len()
        + item.creators.len()
        + usize::from(item.issued.is_some())
        + item.tags.len()
        + item.collections.len()
}
