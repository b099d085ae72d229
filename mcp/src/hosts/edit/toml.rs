//! TOML, by the ranges of a parsed document.

use super::EditError;
use super::data::Data;
use super::splice::{self, Splice};
use serde_json::{Map, Value};
use toml_edit::{Document, InlineTable, Item, Key, Table};

pub(super) fn parse(text: &str) -> Result<Data, EditError> {
    Ok(table_data(tree(text)?.as_table()))
}

/// Sets the keys of `patch` in the table at `path`, which is made where it is missing.
pub(super) fn set(text: &str, path: &[&str], patch: &Map<String, Value>) -> Result<String, EditError> {
    let tree = tree(text)?;
    let newline = splice::newline(text);
    let mut at = tree.as_item();
    for (depth, key) in path.iter().enumerate() {
        match (at, at.get(key)) {
            (_, Some(inner)) => at = inner,
            (Item::Value(toml_edit::Value::InlineTable(table)), None) => {
                let inner = path[depth + 1..].iter().rev().fold(Value::Object(patch.clone()), |inner, key| {
                    Value::Object(Map::from_iter([((*key).to_owned(), inner)]))
                });
                let splice = in_line(text, table, &Map::from_iter([((*key).to_owned(), inner)]))?;
                return Ok(splice::apply(text, vec![splice]));
            }
            (_, None) => return Ok(append(text, path, patch, newline)),
        }
    }
    let mut splices = Vec::new();
    merge(text, at, patch, newline, &mut splices)?;
    Ok(splice::apply(text, splices))
}

/// Removes the table at `path`: its headers, its lines and the blank line above it.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let gone = || EditError::unsafe_edit("the entry isn't where it was");
    let tree = tree(text)?;
    let [way @ .., name] = path else { return Err(gone()) };
    let mut parent = tree.as_item();
    for key in way {
        parent = parent.get(key).ok_or_else(gone)?;
    }
    let mut splices = Vec::new();
    match parent {
        Item::Value(toml_edit::Value::InlineTable(table)) => splices.extend(out_of_line(text, table, name)?),
        parent => {
            let table = parent.as_table().ok_or_else(gone)?;
            let (key, item) = table.get_key_value(name).ok_or_else(gone)?;
            let mut lines = Vec::new();
            segments(text, key, item, &mut lines);
            lines.sort_unstable();
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for (start, stop) in lines {
                let start = with_blank_line_above(text, start);
                match runs.last_mut().filter(|(_, end)| start <= *end) {
                    Some((_, end)) => *end = stop.max(*end),
                    None => runs.push((start, stop)),
                }
            }
            splices.extend(runs.into_iter().map(|(start, stop)| Splice::delete(splice::lines(text, start, stop))));
        }
    }
    Ok(splice::apply(text, splices))
}

/// Returns where a table starts with the blank line that sets it off from what stands above.
fn with_blank_line_above(text: &str, start: usize) -> usize {
    let Some(above) = text[..start].strip_suffix('\n') else { return start };
    let above = above.trim_end_matches('\r').len();
    let blank = above == 0 || text[..above].ends_with('\n');
    if blank && text[start..].trim_start_matches([' ', '\t']).starts_with('[') { above } else { start }
}

fn tree(text: &str) -> Result<Document<&str>, EditError> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        EditError::malformed(text, at, error.message().replace('\n', ", "))
    })
}

fn table_data(table: &Table) -> Data {
    Data::map(table.iter().map(|(key, item)| (key.to_owned(), item_data(item))).collect())
}

fn item_data(item: &Item) -> Data {
    match item {
        Item::None => Data::Literal(Data::NULL.to_owned()),
        Item::Value(value) => value_data(value),
        Item::Table(table) => table_data(table),
        Item::ArrayOfTables(tables) => Data::List(tables.iter().map(table_data).collect()),
    }
}

fn value_data(value: &toml_edit::Value) -> Data {
    match value {
        toml_edit::Value::String(text) => Data::Text(text.value().clone()),
        toml_edit::Value::Integer(number) => Data::Literal(number.value().to_string()),
        toml_edit::Value::Float(number) => Data::Literal(format!("{:?}", number.value())),
        toml_edit::Value::Boolean(boolean) => Data::Literal(boolean.value().to_string()),
        toml_edit::Value::Datetime(date) => Data::Literal(date.value().to_string()),
        toml_edit::Value::Array(items) => Data::List(items.iter().map(value_data).collect()),
        toml_edit::Value::InlineTable(table) => {
            Data::map(table.iter().map(|(key, value)| (key.to_owned(), value_data(value))).collect())
        }
    }
}

/// Adds a table at the end of the file, its inner maps as tables of their own.
fn append(text: &str, path: &[&str], patch: &Map<String, Value>, newline: &str) -> String {
    let path: Vec<_> = path.iter().map(|key| key_text(key)).collect();
    let header = path.join(".");
    let (tables, lines): (Vec<_>, Vec<_>) = patch.iter().partition(|(_, value)| value.is_object());
    let mut blocks = vec![format!("[{header}]{newline}{}", lines_of(lines, newline))];
    for (key, value) in tables {
        let lines = value.as_object().map(|map| lines_of(map, newline)).unwrap_or_default();
        blocks.push(format!("[{header}.{}]{newline}{lines}", key_text(key)));
    }
    let mut block = blocks.join(newline);
    let ended = text.is_empty() || text.ends_with('\n');
    if !ended {
        block.truncate(block.len() - newline.len());
    }
    let first = if ended { "" } else { newline };
    let blank = if text.is_empty() { "" } else { newline };
    format!("{text}{first}{blank}{block}")
}

fn lines_of<'a>(members: impl IntoIterator<Item = (&'a String, &'a Value)>, newline: &str) -> String {
    members.into_iter().map(|(key, value)| format!("{} = {}{newline}", key_text(key), render(value))).collect()
}

/// Changes a table into what `patch` says, where it says something else.
fn merge(
    text: &str,
    item: &Item,
    patch: &Map<String, Value>,
    newline: &str,
    splices: &mut Vec<Splice>,
) -> Result<(), EditError> {
    let mut missing = Map::new();
    for (key, value) in patch {
        match (item.get(key), value) {
            (None, value) => {
                missing.insert(key.clone(), value.clone());
            }
            (Some(inner), Value::Object(patch)) if inner.is_table_like() => {
                merge(text, inner, patch, newline, splices)?;
            }
            (Some(Item::Value(old)), value) if value_data(old) != Data::from(value) => {
                let span = old.span().ok_or_else(no_place)?;
                splices.push(Splice::replace(span, render(value)));
            }
            (Some(Item::Value(_)), _) => {}
            (Some(_), _) => return Err(no_place()),
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    splices.push(match item {
        Item::Value(toml_edit::Value::InlineTable(table)) => in_line(text, table, &missing)?,
        Item::Table(table) if !table.is_dotted() && !table.is_implicit() => {
            let header = table.span().ok_or_else(no_place)?;
            let at = splice::line_end(text, header.end);
            let first = if text[..at].ends_with('\n') { "" } else { newline };
            Splice::insert(at, format!("{first}{}", lines_of(&missing, newline)))
        }
        _ => return Err(no_place()),
    });
    Ok(())
}

fn no_place() -> EditError {
    EditError::unsafe_edit("the entry is spread over dotted keys")
}

/// Adds keys at the start of an inline table.
fn in_line(text: &str, table: &InlineTable, members: &Map<String, Value>) -> Result<Splice, EditError> {
    let open = table.span().ok_or_else(no_place)?.start + 1;
    let members: Vec<_> =
        members.iter().map(|(key, value)| format!(" {} = {}", key_text(key), render(value))).collect();
    let mut members = members.join(",");
    match table.is_empty() {
        false => members.push(','),
        true if text[open..].starts_with('}') => members.push(' '),
        true => {}
    }
    Ok(Splice::insert(open, members))
}

/// Removes a key of an inline table and the comma behind it, or else the one before it.
fn out_of_line(text: &str, table: &InlineTable, name: &str) -> Result<Vec<Splice>, EditError> {
    let (key, value) = table.get_key_value(name).ok_or_else(no_place)?;
    let (Some(key), Some(value)) = (key.span(), value.span()) else { return Err(no_place()) };
    let start = text[..key.start].trim_end_matches([' ', '\t']).len();
    let rest = text[value.end..].trim_start();
    if rest.starts_with(',') {
        return Ok(vec![Splice::delete(start..text.len() - rest.len() + 1)]);
    }
    let start = if text[..start].ends_with(',') { start - 1 } else { start };
    Ok(vec![Splice::delete(start..value.end)])
}

/// Collects the lines that a key takes: whole tables, or single lines where keys are dotted.
fn segments(text: &str, key: &Key, item: &Item, lines: &mut Vec<(usize, usize)>) {
    match item {
        Item::Value(value) => {
            if let (Some(key), Some(value)) = (key.span(), value.span()) {
                lines.push((splice::line_start(text, key.start), splice::line_end(text, value.end)));
            }
        }
        Item::Table(table) => {
            let mut own = Vec::new();
            let mut inner = Vec::new();
            for (name, item) in table {
                let Some(key) = table.key(name) else { continue };
                let is_header = item.as_table().is_some_and(|table| !table.is_dotted());
                segments(text, key, item, if is_header { &mut inner } else { &mut own });
            }
            match table.span().filter(|_| !table.is_dotted() && !table.is_implicit()) {
                Some(header) => {
                    let last = own.iter().map(|(_, stop)| *stop).max();
                    let stop = last.unwrap_or_else(|| splice::line_end(text, header.end));
                    lines.push((splice::line_start(text, header.start), stop));
                }
                None => lines.append(&mut own),
            }
            lines.append(&mut inner);
        }
        Item::ArrayOfTables(tables) => tables.iter().for_each(|table| {
            segments(text, key, &Item::Table(table.clone()), lines);
        }),
        Item::None => {}
    }
}

fn key_text(key: &str) -> String {
    Key::new(key).display_repr().into_owned()
}

fn render(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, value)| format!("{} = {}", key_text(key), render(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(render).collect::<Vec<_>>().join(", ")),
        Value::String(text) => text_repr(text),
        literal => literal.to_string(),
    }
}

/// Writes a string on one line: JSON's escapes are TOML's, but for one character.
fn text_repr(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}
