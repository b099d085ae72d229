//! Edits of a host's file that leave every byte alone which isn't theirs, and prove it.
//!
//! An edit is a few splices, placed by the ranges of a parsed tree. Before it is returned, the result is parsed again:
//! it must say what the text said before plus the entry, or nothing is edited.

mod data;
mod json;
mod revert;
mod splice;
mod toml;
mod yaml;

use super::entry::Entry;
use super::host::{Format, Host};
use serde_json::{Map, Value};

pub(super) use data::Data;
pub(super) use revert::revert;

/// The keys by which hosts name the address of a server that they don't start.
const ADDRESSES: &[&str] = &["url", "serverUrl", "httpUrl", "uri"];

/// What to do when the host has an entry of that name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Existing {
    /// Refuse, unless it says the same already.
    #[default]
    Refuse,
    /// Replace the program, its arguments and the variables given; keep what else the entry holds.
    Replace,
}

/// Why a file was not edited. It is left as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text isn't what its format asks for.
    #[error("line {line}, column {column}: {reason}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What the parser says.
        reason: String,
    },
    /// Something else stands where servers or the entry belong.
    #[error("`{path}` is {found}, where a map of keys is expected")]
    WrongType {
        /// The path of keys, joined by dots; `.` is the file as a whole.
        path: String,
        /// What stands there.
        found: &'static str,
    },
    /// A key on the way is written twice: it isn't clear which one counts.
    #[error("`{path}` is written twice: remove one of them")]
    Twice {
        /// The path of keys, joined by dots.
        path: String,
    },
    /// The host has an entry of that name that says something else.
    #[error("there is an entry `{name}` already, that says something else")]
    Exists {
        /// The entry's name.
        name: String,
    },
    /// The entry of that name is a server that is reached by an address: it can't become a program bit by bit.
    #[error("the entry `{name}` is a server at an address (`{key}`): remove it first, or choose another name")]
    Remote {
        /// The entry's name.
        name: String,
        /// The key that holds the address.
        key: &'static str,
    },
    /// The host has no entry of that name.
    #[error("there is no entry `{name}`")]
    Absent {
        /// The entry's name.
        name: String,
    },
    /// A name that some host would not take.
    #[error("`{name}` can't name a server: give 1 to 64 letters, digits, `_` or `-`")]
    Name {
        /// The name as given.
        name: String,
    },
    /// The file is valid, but written in a way in which this edit can't be proved.
    #[error("this file can't be edited without risk ({reason}): add or remove the entry by hand")]
    Unsafe {
        /// What stood in the way.
        reason: String,
    },
}

impl EditError {
    fn malformed(text: &str, at: usize, reason: impl Into<String>) -> Self {
        let (line, column) = splice::position(text, at);
        Self::Malformed { line, column, reason: reason.into() }
    }

    fn unsafe_edit(reason: impl Into<String>) -> Self {
        Self::Unsafe { reason: reason.into() }
    }
}

/// Adds an entry to the text of a host's file, or changes it.
///
/// # Errors
/// When the text is malformed, holds something else where the entry belongs or holds an entry of that name already.
pub fn insert(text: &str, host: Host, name: &str, entry: &Entry, existing: Existing) -> Result<String, EditError> {
    check_name(name)?;
    let (mark, body) = split_mark(text);
    let before = parse(body, host.format())?;
    let old = locate(&before, host, name)?;
    let patch = if old.is_some() { entry.owned(host) } else { entry.fresh(host, name) };
    let says = Data::from(&Value::Object(patch.clone()));
    if let Some(key) = patch.keys().find(|key| old.is_some_and(|old| old.count(key) > 1)) {
        return Err(EditError::Twice { path: format!("{}.{name}.{key}", host.key()) });
    }
    match old {
        Some(old) if old.has(&says) => return Ok(text.to_owned()),
        Some(_) if existing == Existing::Refuse => return Err(EditError::Exists { name: name.to_owned() }),
        _ => {}
    }
    let is_remote = |key: &&&str| old.is_some_and(|old| old.get(key).is_some());
    if let Some(key) = ADDRESSES.iter().find(is_remote) {
        return Err(EditError::Remote { name: name.to_owned(), key });
    }
    let after = set(body, host.format(), &[host.key(), name], &patch)?;
    let mut expected = before.clone();
    if expected.is_null() {
        expected = Data::Map(Vec::new());
    }
    expected.merge(&Data::map(vec![(host.key().to_owned(), Data::map(vec![(name.to_owned(), says)]))]));
    prove(&after, host.format(), &expected)?;
    Ok(format!("{mark}{after}"))
}

/// Removes an entry from the text of a host's file, whatever it holds.
///
/// # Errors
/// When the text is malformed or has no such entry.
pub fn remove(text: &str, host: Host, name: &str) -> Result<String, EditError> {
    let (mark, body) = split_mark(text);
    let before = parse(body, host.format())?;
    if locate(&before, host, name)?.is_none() {
        return Err(EditError::Absent { name: name.to_owned() });
    }
    let after = take(body, host.format(), &[host.key(), name])?;
    let mut expected = before;
    expected.put(&[host.key(), name], None);
    let after_data = parse(&after, host.format())?;
    // TOML has no way to keep a table that nothing names any more.
    if after_data.get(host.key()).is_none() && expected.get(host.key()).is_some_and(Data::is_empty_map) {
        expected.put(&[host.key()], None);
    }
    prove(&after, host.format(), &expected)?;
    Ok(format!("{mark}{after}"))
}

/// Reads the entry of that name, when the text has one that starts a program.
///
/// # Errors
/// When the text is malformed or holds something else where the entry belongs.
pub(super) fn read(text: &str, host: Host, name: &str) -> Result<Option<Entry>, EditError> {
    let before = parse(split_mark(text).1, host.format())?;
    Ok(locate(&before, host, name)?.and_then(|data| Entry::read(host, data)))
}

fn check_name(name: &str) -> Result<(), EditError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if (1..=64).contains(&name.len()) && name.chars().all(fits) {
        return Ok(());
    }
    Err(EditError::Name { name: name.to_owned() })
}

/// Splits off the byte order mark, which no parser is to see.
fn split_mark(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - body.len())
}

fn parse(text: &str, format: Format) -> Result<Data, EditError> {
    match format {
        Format::Json | Format::Jsonc => json::parse(text, format),
        Format::Toml => toml::parse(text),
        Format::Yaml => yaml::parse(text),
    }
}

fn set(text: &str, format: Format, path: &[&str], patch: &Map<String, Value>) -> Result<String, EditError> {
    match format {
        Format::Json | Format::Jsonc => json::set(text, format, path, patch),
        Format::Toml => toml::set(text, path, patch),
        Format::Yaml => yaml::set(text, path, patch),
    }
}

fn take(text: &str, format: Format, path: &[&str]) -> Result<String, EditError> {
    match format {
        Format::Json | Format::Jsonc => json::remove(text, format, path),
        Format::Toml => toml::remove(text, path),
        Format::Yaml => yaml::remove(text, path),
    }
}

/// Finds the entry, and refuses whatever stands in its way.
fn locate<'a>(data: &'a Data, host: Host, name: &str) -> Result<Option<&'a Data>, EditError> {
    let mut at = data;
    let mut path = String::new();
    for key in [host.key(), name] {
        // A YAML file may leave a key without a value, and an empty file is one value that is null.
        if at.is_null() && host.format() == Format::Yaml {
            return Ok(None);
        }
        if !matches!(at, Data::Map(_)) {
            return Err(wrong_type(&path, at));
        }
        path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
        if at.count(key) > 1 {
            return Err(EditError::Twice { path });
        }
        match at.get(key) {
            Some(inner) => at = inner,
            None => return Ok(None),
        }
    }
    match at {
        Data::Map(_) => Ok(Some(at)),
        other => Err(wrong_type(&path, other)),
    }
}

fn wrong_type(path: &str, found: &Data) -> EditError {
    let path = if path.is_empty() { "." } else { path };
    EditError::WrongType { path: path.to_owned(), found: found.kind() }
}

fn prove(after: &str, format: Format, expected: &Data) -> Result<(), EditError> {
    match parse(after, format) {
        Ok(data) if data == *expected => Ok(()),
        Ok(_) => Err(EditError::unsafe_edit("the result would not say the same as before plus the entry")),
        Err(error) => Err(EditError::unsafe_edit(format!("the result would be malformed: {error}"))),
    }
}
