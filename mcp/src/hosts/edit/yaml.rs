//! YAML, by the ranges of parser events. No editor that keeps a file's form is kept well enough.
//!
//! New keys go right below the line of the key that holds them, where indentation leaves no doubt; what can't be
//! placed so is refused.

use super::EditError;
use super::data::Data;
use super::splice::{self, Splice};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::{Map, Value};
use std::ops::Range;

pub(super) fn parse(text: &str) -> Result<Data, EditError> {
    Ok(Reader::read(text)?.map_or_else(|| Data::Map(Vec::new()), |node| node.data()))
}

/// Sets the keys of `patch` in the map at `path`, which is made where it is missing.
pub(super) fn set(text: &str, path: &[&str], patch: &Map<String, Value>) -> Result<String, EditError> {
    let writer = Writer { text, newline: splice::newline(text) };
    let Some(root) = Reader::read(text)? else { return Ok(writer.append(path, patch)) };
    let mut node = &root;
    let mut parent = None;
    for (depth, key) in path.iter().enumerate() {
        match node.find(key) {
            Some((name, inner)) => {
                parent = Some(name);
                node = inner;
            }
            None => {
                let member = Map::from_iter([((*key).to_owned(), wrap(&path[depth + 1..], patch))]);
                return match parent {
                    None if node.is_block() => Ok(writer.append(path, patch)),
                    parent => Ok(splice::apply(text, writer.members(parent, node, &member)?)),
                };
            }
        }
    }
    let mut splices = Vec::new();
    writer.merge(parent, node, patch, &mut splices)?;
    Ok(splice::apply(text, splices))
}

/// Removes the key at `path` with all that is indented below it.
pub(super) fn remove(text: &str, path: &[&str]) -> Result<String, EditError> {
    let gone = || EditError::unsafe_edit("the entry isn't where it was");
    let root = Reader::read(text)?.ok_or_else(gone)?;
    let [way @ .., name] = path else { return Err(gone()) };
    let mut map = &root;
    let mut parent = None;
    for key in way {
        let (name, inner) = map.find(key).ok_or_else(gone)?;
        parent = Some(name);
        map = inner;
    }
    let (key, value) = map.find(name).ok_or_else(gone)?;
    let Kind::Map { members, .. } = &map.kind else { return Err(gone()) };
    let mut splices = Vec::new();
    if map.is_block() {
        let start = splice::line_start(text, key.span.start);
        if !text[start..key.span.start].trim().is_empty() {
            return Err(EditError::unsafe_edit("the entry doesn't start its line"));
        }
        let end = splice::line_end(text, value.span.end.max(key.span.end));
        splices.push(Splice::delete(splice::lines(text, start, end)));
        if let (1, Some(parent)) = (members.len(), parent) {
            let colon = text[parent.span.end..].find(':').ok_or_else(gone)? + parent.span.end + 1;
            splices.push(Splice::insert(colon, " {}"));
        }
    } else {
        let start = text[..key.span.start].trim_end_matches([' ', '\t']).len();
        let rest = text[value.span.end..].trim_start();
        splices.push(if rest.starts_with(',') {
            let end = text.len() - rest.len() + 1;
            let blank = text[end..].len() - text[end..].trim_start_matches(' ').len();
            Splice::delete(key.span.start..end + blank)
        } else {
            Splice::delete(start - usize::from(text[..start].ends_with(','))..value.span.end)
        });
    }
    Ok(splice::apply(text, splices))
}

fn wrap(path: &[&str], patch: &Map<String, Value>) -> Value {
    let outer = |inner: Value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), inner)]));
    path.iter().rev().fold(Value::Object(patch.clone()), outer)
}

struct Node {
    span: Range<usize>,
    kind: Kind,
    /// An anchor or a tag, which is no part of the plain data.
    mark: Option<String>,
}

enum Kind {
    Scalar(Data),
    List(Vec<Node>),
    Map { members: Vec<(Node, Node)>, flow: bool },
}

impl Node {
    fn data(&self) -> Data {
        let data = match &self.kind {
            Kind::Scalar(data) => data.clone(),
            Kind::List(items) => Data::List(items.iter().map(Self::data).collect()),
            Kind::Map { members, .. } => {
                Data::map(members.iter().map(|(key, value)| (key.name(), value.data())).collect())
            }
        };
        match &self.mark {
            Some(mark) => Data::List(vec![Data::Literal(mark.clone()), data]),
            None => data,
        }
    }

    fn name(&self) -> String {
        match self.data() {
            Data::Text(text) => text,
            other => format!("{other:?}"),
        }
    }

    fn is_block(&self) -> bool {
        matches!(self.kind, Kind::Map { flow: false, .. })
    }

    fn find(&self, key: &str) -> Option<(&Self, &Self)> {
        let Kind::Map { members, .. } = &self.kind else { return None };
        members.iter().find(|(name, _)| name.name() == key).map(|(name, value)| (name, value))
    }
}

/// Builds the tree of the one document of a text from the parser's events.
struct Reader<'a> {
    text: &'a str,
    /// Where each character starts: the parser counts characters.
    starts: Vec<usize>,
    events: std::vec::IntoIter<(Event<'a>, Span)>,
}

impl<'a> Reader<'a> {
    fn read(text: &'a str) -> Result<Option<Node>, EditError> {
        let mut starts: Vec<_> = text.char_indices().map(|(at, _)| at).collect();
        starts.push(text.len());
        let at = |error: &ScanError| starts.get(error.marker().index()).copied().unwrap_or(text.len());
        let mut events = Vec::new();
        for event in Parser::new_from_str(text) {
            match event {
                Ok((Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing, _)) => {}
                Ok(event) => events.push(event),
                Err(error) => return Err(EditError::malformed(text, at(&error), error.info())),
            }
        }
        match events.iter().filter(|(event, _)| matches!(event, Event::DocumentStart(_))).count() {
            0 => return Ok(None),
            1 => {}
            _ => return Err(EditError::unsafe_edit("it holds several documents")),
        }
        let mut reader = Self { text, starts, events: events.into_iter() };
        reader.events.next();
        reader.node().map(Some)
    }

    fn node(&mut self) -> Result<Node, EditError> {
        let (event, span) = self.events.next().ok_or_else(|| EditError::unsafe_edit("it ends early"))?;
        let start = self.byte(span.start.index());
        let (kind, end, mark) = match event {
            Event::Scalar(value, style, anchor, tag) => {
                let end = start + self.text[start..self.byte(span.end.index())].trim_end().len();
                let mark = mark(anchor, tag.map(|tag| format!("{tag:?}")));
                let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                // The parser ends every block with a line ending, though the last line of a file may have none.
                let value = match is_block && end == self.text.len() {
                    true => value.trim_end_matches('\n'),
                    false => &value,
                };
                (Kind::Scalar(scalar(value, style)), end, mark)
            }
            Event::Alias(anchor) => {
                (Kind::Scalar(Data::Literal(format!("*{anchor}"))), self.byte(span.end.index()), None)
            }
            Event::SequenceStart(anchor, tag) => {
                let mut items = Vec::new();
                while !matches!(self.peek(), Some(Event::SequenceEnd) | None) {
                    items.push(self.node()?);
                }
                let flow = self.text[start..].starts_with('[');
                let end = self.close(flow).unwrap_or_else(|| items.last().map_or(start, |item| item.span.end));
                (Kind::List(items), end, mark(anchor, tag.map(|tag| format!("{tag:?}"))))
            }
            Event::MappingStart(anchor, tag) => {
                let mut members = Vec::new();
                while !matches!(self.peek(), Some(Event::MappingEnd) | None) {
                    members.push((self.node()?, self.node()?));
                }
                let flow = self.text[start..].starts_with('{');
                let last = |(key, value): &(Node, Node)| value.span.end.max(key.span.end);
                let end = self.close(flow).unwrap_or_else(|| members.last().map_or(start, last));
                (Kind::Map { members, flow }, end, mark(anchor, tag.map(|tag| format!("{tag:?}"))))
            }
            other => return Err(EditError::unsafe_edit(format!("{other:?} was not expected"))),
        };
        Ok(Node { span: start..end, kind, mark })
    }

    fn peek(&self) -> Option<&Event<'a>> {
        self.events.as_slice().first().map(|(event, _)| event)
    }

    /// Takes the end event of a collection; a bracket is where a flow one ends.
    fn close(&mut self, flow: bool) -> Option<usize> {
        let (_, span) = self.events.next()?;
        flow.then(|| self.byte(span.start.index()) + 1)
    }

    fn byte(&self, character: usize) -> usize {
        self.starts.get(character).copied().unwrap_or(self.text.len())
    }
}

fn mark(anchor: usize, tag: Option<String>) -> Option<String> {
    match (anchor, tag) {
        (0, None) => None,
        (anchor, tag) => Some(format!("&{anchor} {tag:?}")),
    }
}

fn scalar(value: &str, style: ScalarStyle) -> Data {
    if style != ScalarStyle::Plain {
        return Data::Text(value.to_owned());
    }
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Data::Literal(Data::NULL.to_owned()),
        "true" | "True" | "TRUE" => Data::Literal("true".to_owned()),
        "false" | "False" | "FALSE" => Data::Literal("false".to_owned()),
        number if number.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) && is_number(number) => {
            Data::Literal(number.to_owned())
        }
        text => Data::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let based = |prefix: &str, radix: u32| {
        digits.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_digit(radix)))
    };
    matches!(digits, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN")
        || based("0x", 16)
        || based("0o", 8)
        || (text.parse::<f64>().is_ok() && !digits.starts_with(char::is_alphabetic))
}

struct Writer<'a> {
    text: &'a str,
    newline: &'static str,
}

impl Writer<'_> {
    /// Adds a key at the end of a file whose root is a block map, or that has none.
    fn append(&self, path: &[&str], patch: &Map<String, Value>) -> String {
        let Value::Object(root) = wrap(path, patch) else { unreachable!("a wrapped patch is an object") };
        let ended = self.text.is_empty() || self.text.ends_with('\n');
        let mut block = self.block(&root, "");
        if !ended {
            block.truncate(block.len() - self.newline.len());
        }
        format!("{}{}{block}", self.text, if ended { "" } else { self.newline })
    }

    /// Changes a map into what `patch` says, where it says something else.
    fn merge(
        &self,
        parent: Option<&Node>,
        node: &Node,
        patch: &Map<String, Value>,
        splices: &mut Vec<Splice>,
    ) -> Result<(), EditError> {
        let mut missing = Map::new();
        for (key, value) in patch {
            match (node.find(key), value) {
                (None, value) => {
                    missing.insert(key.clone(), value.clone());
                }
                (Some((name, inner @ Node { kind: Kind::Map { .. }, .. })), Value::Object(patch)) => {
                    self.merge(Some(name), inner, patch, splices)?;
                }
                (Some((name, old)), value) if old.data() != Data::from(value) => {
                    let end = old.span.end.max(name.span.end);
                    let colon = self.text[name.span.end..].find(':').map_or(end, |at| name.span.end + at + 1);
                    splices.push(Splice::replace(colon..end.max(colon), format!(" {}", flow(value))));
                }
                _ => {}
            }
        }
        if !missing.is_empty() {
            splices.extend(self.members(parent, node, &missing)?);
        }
        Ok(())
    }

    /// Adds members to a map that stands under the key `parent`, before the ones it has.
    fn members(
        &self,
        parent: Option<&Node>,
        node: &Node,
        members: &Map<String, Value>,
    ) -> Result<Vec<Splice>, EditError> {
        let text = self.text;
        match (&node.kind, parent) {
            (Kind::Map { members: old, flow: true }, _) => {
                let members: Vec<_> = members.iter().map(|(key, value)| flow_member(key, value)).collect();
                let comma = if old.is_empty() { "" } else { ", " };
                Ok(vec![Splice::insert(node.span.start + 1, format!("{}{comma}", members.join(", ")))])
            }
            (Kind::Map { flow: false, .. }, Some(parent)) => {
                let line = splice::line_start(text, node.span.start);
                let indent = &text[line..node.span.start];
                let at = splice::line_end(text, parent.span.end);
                if !indent.trim().is_empty() || at > line {
                    return Err(EditError::unsafe_edit("the map doesn't start on a line of its own"));
                }
                Ok(vec![Splice::insert(at, self.block(members, indent))])
            }
            (Kind::Scalar(value), Some(parent)) if *value == Data::Literal(Data::NULL.to_owned()) => {
                if !text[node.span.clone()].is_empty() {
                    let members: Vec<_> = members.iter().map(|(key, value)| flow_member(key, value)).collect();
                    return Ok(vec![Splice::replace(node.span.clone(), format!("{{{}}}", members.join(", ")))]);
                }
                let indent = format!("{}  ", splice::indent_of(text, parent.span.start));
                let at = splice::line_end(text, parent.span.end);
                let mut block = self.block(members, &indent);
                if !text[..at].ends_with('\n') {
                    block.truncate(block.len() - self.newline.len());
                    block.insert_str(0, self.newline);
                }
                Ok(vec![Splice::insert(at, block)])
            }
            _ => Err(EditError::unsafe_edit("a value on the way is no map")),
        }
    }

    fn block(&self, members: &Map<String, Value>, indent: &str) -> String {
        let line = |(key, value): (&String, &Value)| match value {
            Value::Object(inner) if !inner.is_empty() => {
                let inner = self.block(inner, &format!("{indent}  "));
                format!("{indent}{}:{}{inner}", key_text(key), self.newline)
            }
            value => format!("{indent}{}: {}{}", key_text(key), flow(value), self.newline),
        };
        members.iter().map(line).collect()
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> = members.iter().map(|(key, value)| flow_member(key, value)).collect();
            format!("{{{}}}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        // JSON's quoted strings are YAML's, but for characters that YAML wants escaped.
        Value::String(text) if is_plain(text) => text.clone(),
        Value::String(text) => Value::from(text.as_str()).to_string().replace('\u{7f}', "\\x7f"),
        literal => literal.to_string(),
    }
}

fn flow_member(key: &str, value: &Value) -> String {
    format!("{}: {}", key_text(key), flow(value))
}

fn key_text(key: &str) -> String {
    if is_plain(key) { key.to_owned() } else { Value::from(key).to_string() }
}

/// Tells whether text may stand without quotes, for any YAML reader of either version.
fn is_plain(text: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let reserved = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(word)
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
}
