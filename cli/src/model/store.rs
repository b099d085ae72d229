use super::fields::FIELDS;
use super::item::{Creator, Item};
use super::key::citekey;
use super::shelves::Shelves;
use crate::contract::Plan;
use crate::db::row;
use crate::error::CliError;
use serde_json::{Value, json};

/// Plans a new item with its creators, tags and collections, inside an operation; gives its key.
///
/// An empty key is made from author and year.
///
/// # Errors
/// When the key is taken, a collection does not exist, or the item can't be stored.
pub fn add_item(plan: &mut Plan, item: &Item) -> Result<String, CliError> {
    let mut item = item.clone();
    item.normalize()?;
    if item.key.is_empty() {
        item.key = citekey(plan, &item)?;
    } else if plan.find("items", &[("key", item.key.clone().into())])?.is_some() {
        return Err(CliError::precondition(format!("there is an item {:?} already", item.key))
            .hint("`mycli items edit` changes it")
            .flag_hint("--idempotent takes that as done"));
    }
    plan.retarget(format!("item {}", item.key));
    let now = plan.now();
    let mut columns = row([
        ("key", json!(item.key)),
        ("type", json!(item.kind)),
        ("title", json!(item.title)),
        ("issued", json!(item.issued)),
        ("added_at", json!(now)),
        ("updated_at", json!(now)),
    ]);
    columns.extend(item.fields.iter().map(|(name, value)| (name.clone(), json!(value))));
    if !item.extra.is_empty() {
        columns.insert("extra".to_owned(), json!(Value::Object(item.extra.clone()).to_string()));
    }
    let id = plan.insert("items", columns)?;
    set_creators(plan, id, &item.creators)?;
    for tag in &item.tags {
        tag_item(plan, id, tag)?;
    }
    if !item.tags.is_empty() {
        plan.change("tags", Value::Null, json!(item.tags));
    }
    for name in &item.collections {
        let collection = Shelves::planned(plan)?.resolve(name)?;
        let link = row([("collection_id", json!(collection)), ("item_id", json!(id)), ("added_at", json!(now))]);
        plan.link("collection_items", link)?;
    }
    if !item.collections.is_empty() {
        plan.change("collections", Value::Null, json!(item.collections));
    }
    Ok(item.key)
}

/// Plans an item's own fields and creators to be those of `item`, inside an operation.
///
/// Tags and collections are links and stay as they are.
///
/// # Errors
/// When the item is not stored or can't be, or its key is another item's.
pub fn update_item(plan: &mut Plan, item: &Item) -> Result<(), CliError> {
    let mut item = item.clone();
    item.normalize()?;
    let other = plan.find("items", &[("key", item.key.clone().into())])?;
    if other.is_some_and(|other| other["id"].as_i64() != Some(item.id)) {
        return Err(CliError::precondition(format!("there is another item {:?}", item.key)));
    }
    let mut columns = row([
        ("key", json!(item.key)),
        ("type", json!(item.kind)),
        ("title", json!(item.title)),
        ("issued", json!(item.issued)),
        ("updated_at", json!(plan.now())),
    ]);
    columns.extend(FIELDS.iter().map(|field| (field.name.to_owned(), json!(item.field(field.name)))));
    let extra = if item.extra.is_empty() { Value::Null } else { json!(Value::Object(item.extra.clone()).to_string()) };
    columns.insert("extra".to_owned(), extra);
    plan.update("items", item.id, columns)?;
    set_creators(plan, item.id, &item.creators)
}

/// Plans an item's creators to be these, and shows the change; creators nobody has any more go.
///
/// # Errors
/// When SQLite fails.
pub fn set_creators(plan: &mut Plan, item: i64, creators: &[Creator]) -> Result<(), CliError> {
    let mut links = plan.find_all("item_creators", &[("item_id", item.into())])?;
    links.sort_by_key(|link| (link["position"].as_i64(), link["id"].as_i64()));
    let mut before = Vec::new();
    for link in &links {
        let creator = plan.row("creators", link["creator_id"].as_i64().unwrap_or_default())?.unwrap_or_default();
        let part = |name: &str| creator.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let role = link["role"].as_str().unwrap_or_default().to_owned();
        before.push(Creator { role, family: part("family"), given: part("given"), literal: part("literal") });
    }
    if before == creators {
        return Ok(());
    }
    let shown = |list: &[Creator]| if list.is_empty() { Value::Null } else { json!(list) };
    plan.change("creators", shown(&before), shown(creators));
    for link in &links {
        plan.unlink("item_creators", link["id"].as_i64().unwrap_or_default())?;
    }
    for (position, creator) in creators.iter().enumerate() {
        let id = ensure_creator(plan, creator)?;
        let link = row([
            ("item_id", json!(item)),
            ("creator_id", json!(id)),
            ("role", json!(creator.role)),
            ("position", json!(position)),
        ]);
        plan.link("item_creators", link)?;
    }
    for creator in links.iter().filter_map(|link| link["creator_id"].as_i64()) {
        let known = plan.row("creators", creator)?.is_some();
        if known && plan.find("item_creators", &[("creator_id", creator.into())])?.is_none() {
            plan.unlink("creators", creator)?;
        }
    }
    Ok(())
}

/// The id of a creator, planned to be made when there is none.
///
/// # Errors
/// When SQLite fails.
pub fn ensure_creator(plan: &mut Plan, creator: &Creator) -> Result<i64, CliError> {
    let columns =
        [("family", json!(creator.family)), ("given", json!(creator.given)), ("literal", json!(creator.literal))];
    match plan.find("creators", &columns)?.and_then(|row| row["id"].as_i64()) {
        Some(id) => Ok(id),
        None => plan.link("creators", row(columns)),
    }
}

/// The id of a tag, planned to be made when there is none.
///
/// # Errors
/// When the name is empty or SQLite fails.
pub fn ensure_tag(plan: &mut Plan, name: &str) -> Result<i64, CliError> {
    let name = name.trim();
    if name.is_empty() {
        return Err(CliError::usage("a tag's name is empty"));
    }
    match plan.find("tags", &[("name", name.into())])?.and_then(|row| row["id"].as_i64()) {
        Some(id) => Ok(id),
        None => plan.link("tags", row([("name", json!(name))])),
    }
}

/// Plans a tag on an item; says whether that changes anything.
///
/// # Errors
/// When the tag's name is empty or SQLite fails.
pub fn tag_item(plan: &mut Plan, item: i64, tag: &str) -> Result<bool, CliError> {
    let tag = ensure_tag(plan, tag)?;
    let link = [("item_id", json!(item)), ("tag_id", json!(tag))];
    if plan.find("item_tags", &link)?.is_some() {
        return Ok(false);
    }
    let mut columns = row(link);
    columns.insert("added_at".to_owned(), json!(plan.now()));
    plan.link("item_tags", columns)?;
    Ok(true)
}

/// Plans to take a tag off an item; says whether that changes anything.
///
/// # Errors
/// When SQLite fails.
pub fn untag_item(plan: &mut Plan, item: i64, tag: &str) -> Result<bool, CliError> {
    let Some(tag) = plan.find("tags", &[("name", tag.trim().into())])? else { return Ok(false) };
    let Some(link) = plan.find("item_tags", &[("item_id", item.into()), ("tag_id", tag["id"].clone())])? else {
        return Ok(false);
    };
    plan.unlink("item_tags", link["id"].as_i64().unwrap_or_default())?;
    Ok(true)
}
