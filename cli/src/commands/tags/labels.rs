use crate::contract::Plan;
use crate::db::{Db, Row, row};
use crate::error::CliError;
use crate::hygiene::CountedName;
use crate::model::not_found;
use serde_json::{Value, json};

/// A tag of the library.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub(crate) id: i64,
    pub(crate) name: String,
    /// Items that bear it and are not in the trash.
    pub(crate) items: u64,
    /// Items that bear it, those in the trash included.
    pub(crate) uses: u64,
}

impl Tag {
    pub(crate) fn counted(&self) -> CountedName {
        CountedName { name: self.name.clone(), count: self.items }
    }
}

/// Reads all tags with the number of their items, by name.
pub(crate) fn count_tags(db: &Db) -> Result<Vec<Tag>, CliError> {
    select(db, "true", &[])
}

/// Finds the tag of this name; another case will do if only one has it.
pub(crate) fn find_tag(plan: &Plan, name: &str) -> Result<Tag, CliError> {
    if let Some(tag) = tag_named(&plan.db(), name)? {
        return Ok(tag);
    }
    let tags = count_tags(&plan.db())?;
    let alike: Vec<&Tag> = tags.iter().filter(|tag| tag.name.to_lowercase() == name.trim().to_lowercase()).collect();
    match alike[..] {
        [tag] => Ok(tag.clone()),
        [] => {
            let known: Vec<&str> = tags.iter().map(|tag| tag.name.as_str()).collect();
            Err(not_found("tag", name, &known))
        }
        _ => {
            let names: Vec<_> = alike.iter().map(|tag| format!("{:?}", tag.name)).collect();
            Err(CliError::usage(format!("{name:?} could mean several tags"))
                .hint(format!("one of {}", names.join(", "))))
        }
    }
}

/// Checks the name of a tag.
pub(crate) fn tag_name(text: &str) -> Result<String, CliError> {
    let name = crate::model::squash(text);
    if name.is_empty() {
        return Err(CliError::usage("a tag needs a name"));
    }
    if name.chars().any(char::is_control) {
        return Err(CliError::usage(format!("{name:?} can't name a tag: it holds a control character")));
    }
    Ok(name)
}

/// Finds the tag of exactly this name, or plans its creation; none if that fails.
pub(crate) fn ensure_tag(plan: &mut Plan, name: &str) -> Result<Option<Tag>, CliError> {
    let existing = tag_named(&plan.db(), name)?;
    if existing.is_some() {
        return Ok(existing);
    }
    let id = plan.attempt("create", name, |plan| plan.insert("tags", row([("name", json!(name))])));
    Ok(id.map(|id| Tag { id, name: name.to_owned(), items: 0, uses: 0 }))
}

/// Plans that every item with a tag bears another instead, and the tag goes.
pub(crate) fn merge_tag(plan: &mut Plan, tag: &Tag, into: &Tag) {
    if tag.id == into.id {
        plan.skip("merge", tag.name.clone(), "is the same tag");
        return;
    }
    plan.attempt("merge", tag.name.clone(), |plan| {
        if plan.row("tags", tag.id)?.is_none() {
            return Ok(());
        }
        plan.change("name", json!(tag.name), json!(into.name));
        for link in plan.find_all("item_tags", &[("tag_id", json!(tag.id))])? {
            let id = link["id"].as_i64().unwrap_or_default();
            let twin = plan.find("item_tags", &[("tag_id", json!(into.id)), ("item_id", link["item_id"].clone())])?;
            match twin {
                Some(_) => plan.unlink("item_tags", id)?,
                None => plan.update("item_tags", id, row([("tag_id", json!(into.id))]))?,
            }
        }
        plan.change("items", json!(tag.uses), json!(0));
        plan.unlink("tags", tag.id)
    });
}

fn tag_named(db: &Db, name: &str) -> Result<Option<Tag>, CliError> {
    Ok(select(db, "t.name = ?1", &[json!(name)])?.into_iter().next())
}

fn select(db: &Db, condition: &str, params: &[Value]) -> Result<Vec<Tag>, CliError> {
    let sql = format!(
        "SELECT t.id, t.name, count(i.id) FILTER (WHERE i.trashed_at IS NULL) AS items, count(i.id) AS uses
         FROM tags t LEFT JOIN item_tags it ON it.tag_id = t.id LEFT JOIN items i ON i.id = it.item_id
         WHERE {condition} GROUP BY t.id ORDER BY t.name COLLATE NOCASE, t.name"
    );
    let tag = |row: &Row| Tag {
        id: row["id"].as_i64().unwrap_or_default(),
        name: row["name"].as_str().unwrap_or_default().to_owned(),
        items: row["items"].as_u64().unwrap_or_default(),
        uses: row["uses"].as_u64().unwrap_or_default(),
    };
    Ok(db.query(&sql, params)?.iter().map(tag).collect())
}
