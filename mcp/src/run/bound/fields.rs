//! `fields`: the parts of a JSON result that a caller wants.

use super::scan::{Flow, Key, Kind, Scanner};
use super::source::Source;
use crate::refusal::{Problem, Refusal};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// The argument's name.
pub(crate) const FIELDS: &str = "fields";

/// The most paths of one selection, and the longest of them.
const PATHS: usize = 100;
const PATH_BYTES: usize = 1_000;

/// The most names that are told where a path leads nowhere.
const KNOWN: usize = 20;

/// Parts of a JSON result: the rest is left out, and the shape stays.
///
/// A path is written `items.title` or `/items/*/title`. Names lead through arrays by themselves, into each element; a
/// number picks one element, `*` stands for any name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    paths: Vec<Path>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    said: String,
    tokens: Vec<String>,
}

/// What was selected from a document.
pub(crate) struct Selected {
    /// One sentence for each path that leads nowhere.
    pub(crate) notes: Vec<String>,
}

impl Selection {
    /// Takes the argument out of a call's arguments.
    ///
    /// # Errors
    /// [`InvalidParams`](crate::refusal::Kind::InvalidParams) where it is no list of paths.
    pub(crate) fn take(arguments: &mut Map<String, Value>) -> Result<Option<Self>, Refusal> {
        match arguments.remove(FIELDS) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Self::read(&value).map(Some),
        }
    }

    /// Reads a list of paths, or one text with commas between them.
    fn read(value: &Value) -> Result<Self, Refusal> {
        let wrong = |problem: &str, given: String| {
            Refusal::invalid(vec![Problem {
                param: FIELDS.into(),
                problem: problem.into(),
                given: Some(given.chars().take(80).collect()),
                expected: Some("paths into the JSON result, such as [\"items.title\", \"/items/*/title\"]".into()),
                ..Problem::default()
            }])
        };
        let said: Vec<String> = match value {
            Value::Array(items) => items
                .iter()
                .map(|item| item.as_str().map(str::to_owned).ok_or_else(|| wrong("not a path", item.to_string())))
                .collect::<Result<_, _>>()?,
            Value::String(text) => match serde_json::from_str::<Vec<String>>(text) {
                Ok(list) => list,
                Err(_) => text.split(',').map(|path| path.trim().to_owned()).collect(),
            },
            other => return Err(wrong("not a list of paths", other.to_string())),
        };
        if said.is_empty() || said.len() > PATHS || said.iter().any(|path| path.len() > PATH_BYTES) {
            return Err(wrong("no path, or too many or too long ones", value.to_string()));
        }
        let paths = said.into_iter().map(|said| match Path::new(&said) {
            Some(path) => Ok(path),
            None => Err(wrong("a path with an empty part", said)),
        });
        Ok(Self { paths: paths.collect::<Result<_, _>>()? })
    }

    /// Writes what is selected of a document.
    pub(crate) fn project(&self, source: Source<'_>, out: &mut dyn Write) -> io::Result<Selected> {
        let mut walk = Walk { paths: &self.paths, met: vec![false; self.paths.len()], known: BTreeSet::new() };
        let all: Vec<Wanted> = (0..self.paths.len()).map(|path| Wanted { path, depth: 0 }).collect();
        walk.value(&mut Scanner::at(source, 0), &all, out)?;
        let Walk { met, known, .. } = walk;
        let missed = self.paths.iter().zip(met).filter(|(_, met)| !met).map(|(path, _)| format!("`{}`", path.said));
        let missed: Vec<String> = missed.collect();
        let mut notes = Vec::new();
        if !missed.is_empty() {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let there_are = if known.is_empty() { String::new() } else { format!("; there are {}", known.join(", ")) };
            notes.push(format!("fields: nothing is called {}{there_are}", missed.join(", ")));
        }
        Ok(Selected { notes })
    }
}

impl Path {
    fn new(said: &str) -> Option<Self> {
        let tokens: Vec<String> = match said.strip_prefix('/') {
            Some(pointer) => pointer.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect(),
            None => {
                said.trim_start_matches("$.").split('.').map(|token| token.trim_end_matches("[]").to_owned()).collect()
            }
        };
        let tokens: Vec<String> = tokens.into_iter().map(|token| token.trim().to_owned()).collect();
        tokens.iter().all(|token| !token.is_empty()).then(|| Self { said: said.to_owned(), tokens })
    }
}

/// A path on its way: how many of its tokens are behind it.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    path: usize,
    depth: usize,
}

struct Walk<'a> {
    paths: &'a [Path],
    met: Vec<bool>,
    /// Names where a path led no further.
    known: BTreeSet<String>,
}

impl Walk<'_> {
    fn token(&self, wanted: Wanted) -> Option<&str> {
        self.paths[wanted.path].tokens.get(wanted.depth).map(String::as_str)
    }

    /// Writes what is wanted of the next value, and passes over it.
    fn value(&mut self, scanner: &mut Scanner<'_>, wanted: &[Wanted], out: &mut dyn Write) -> io::Result<()> {
        if let Some(whole) = wanted.iter().find(|wanted| self.token(**wanted).is_none()) {
            self.met[whole.path] = true;
            // A path that ends deeper is met as far as the whole is.
            wanted.iter().for_each(|wanted| self.met[wanted.path] = true);
            return scanner.value(out);
        }
        match scanner.kind()? {
            Kind::Object => {
                out.write_all(b"{")?;
                let mut first = true;
                let mut known = Vec::new();
                scanner.children(|key, inner| {
                    let Key::Name(name) = &key else { return Ok(Flow::Stop) };
                    let below = self.below(wanted, |token| token == "*" || token == name);
                    if below.is_empty() {
                        if known.len() < KNOWN {
                            known.push(name.clone());
                        }
                        inner.value(&mut io::sink())?;
                        return Ok(Flow::On);
                    }
                    if !std::mem::take(&mut first) {
                        out.write_all(b",")?;
                    }
                    serde_json::to_writer(&mut *out, name)?;
                    out.write_all(b":")?;
                    self.value(inner, &below, out)?;
                    Ok(Flow::On)
                })?;
                if first && self.known.len() < KNOWN {
                    self.known.extend(known);
                }
                out.write_all(b"}")
            }
            Kind::Array => {
                out.write_all(b"[")?;
                let mut first = true;
                // A number picks elements; every other name goes on inside each of them.
                let picks =
                    wanted.iter().all(|wanted| self.token(*wanted).is_some_and(|token| token.parse::<u64>().is_ok()));
                scanner.children(|key, inner| {
                    let Key::Index(index) = key else { return Ok(Flow::Stop) };
                    let mut below = self.below(wanted, |token| token == "*" || token.parse() == Ok(index));
                    let inside = |wanted: &&Wanted| {
                        self.token(**wanted).is_some_and(|token| token != "*" && token.parse::<u64>().is_err())
                    };
                    below.extend(wanted.iter().filter(inside));
                    if below.is_empty() && picks {
                        inner.value(&mut io::sink())?;
                        return Ok(Flow::On);
                    }
                    if !std::mem::take(&mut first) {
                        out.write_all(b",")?;
                    }
                    self.value(inner, &below, out)?;
                    Ok(Flow::On)
                })?;
                out.write_all(b"]")
            }
            // The path goes on where there is nothing more.
            Kind::String | Kind::Plain => {
                scanner.value(&mut io::sink())?;
                out.write_all(b"null")
            }
        }
    }

    /// Returns the paths that lead into a child.
    fn below(&self, wanted: &[Wanted], leads: impl Fn(&str) -> bool) -> Vec<Wanted> {
        let into = wanted.iter().filter(|wanted| self.token(**wanted).is_some_and(&leads));
        into.map(|wanted| Wanted { depth: wanted.depth + 1, ..*wanted }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn project(fields: Value, document: &str) -> (Value, Vec<String>) {
        let selection = Selection::read(&fields).unwrap();
        let mut out = Vec::new();
        let selected = selection.project(Source::Memory(document.as_bytes()), &mut out).unwrap();
        (serde_json::from_slice(&out).unwrap(), selected.notes)
    }

    #[test]
    fn what_is_named_stays_in_its_shape() {
        let document = json!({
            "ok": true, "total": 2, "a.b": 9,
            "items": [{"key": "A", "title": "x", "by": [{"name": "n1", "age": 1}]}, {"key": "B", "by": []}],
        });
        for (fields, expected) in [
            (json!(["items.key"]), json!({"items": [{"key": "A"}, {"key": "B"}]})),
            (json!(["/items/*/key", "total"]), json!({"total": 2, "items": [{"key": "A"}, {"key": "B"}]})),
            (json!("items.title, ok"), json!({"ok": true, "items": [{"title": "x"}, {}]})),
            (json!("[\"ok\"]"), json!({"ok": true})),
            (json!(["items[].by[].name"]), json!({"items": [{"by": [{"name": "n1"}]}, {"by": []}]})),
            (json!(["items.1.key"]), json!({"items": [{"key": "B"}]})),
            (json!(["items.1.key", "items.title"]), json!({"items": [{"title": "x"}, {"key": "B"}]})),
            (json!(["items", "items.key"]), json!({"items": document["items"]})),
            (json!(["/a.b"]), json!({"a.b": 9})),
            (json!(["*.key"]), json!({"ok": null, "total": null, "a.b": null, "items": [{"key": "A"}, {"key": "B"}]})),
        ] {
            assert_eq!(project(fields.clone(), &document.to_string()), (expected, vec![]), "{fields}");
        }
        assert_eq!(project(json!(["key"]), r#"[{"key": 12345678901234567890123}, 5]"#).1, [""; 0]);
    }

    #[test]
    fn what_leads_nowhere_is_said_with_what_there_is() {
        let (selected, notes) =
            project(json!(["items.titel", "total"]), r#"{"items":[{"title":1,"key":2}],"total":5}"#);
        assert_eq!(selected, json!({"items": [{}], "total": 5}));
        assert_eq!(notes, ["fields: nothing is called `items.titel`; there are key, title"]);
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for value in
            [json!(5), json!([]), json!([1]), json!({"a": 1}), json!(["a..b"]), json!("/"), json!(vec!["a"; 101])]
        {
            assert!(Selection::read(&value).is_err(), "{value}");
        }
    }
}
