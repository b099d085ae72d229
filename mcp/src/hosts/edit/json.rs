//! JSON with and without comments, by the ranges of a parsed tree.

use super::data::Data;
use super::splice::{self, Splice};
use super::{EditError, Format};
use jsonc_parser::ast::{self, Object, ObjectProp};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

pub(super) fn parse(text: &str, format: Format) -> Result<Data, EditError> {
    Ok(tree(text, format)?.as_ref().map_or(Data::Map(Vec::new()), data))
}

/// Sets the members of `patch` in the object at `path`, which is made where it is missing.
pub(super) fn set(text: &str, format: Format, path: &[&str], patch: &Map<String, Value>) -> Result<String, EditError> {
    let layout = Layout::of(text);
    let whole = |path: &[&str]| {
        let wrap = |inner: Value, key: &&str| Value::Object(Map::from_iter([((*key).to_owned(), inner)]));
        path.iter().rev().fold(Value::Object(patch.clone()), wrap)
    };
    let Some(ast::Value::Object(root)) = tree(text, format)? else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { layout.newline };
        return Ok(format!("{text}{gap}{}{}", layout.render(&whole(path), ""), layout.newline));
    };
    let layout = layout.with_root(text, &root);
    let mut object = &root;
    for (depth, key) in path.iter().enumerate() {
        match find(object, key).map(|prop| &prop.value) {
            Some(ast::Value::Object(inner)) => object = inner,
            Some(_) => return Err(EditError::unsafe_edit("a value on the way is no object")),
            None => {
                let member = Map::from_iter([((*key).to_owned(), whole(&path[depth + 1..]))]);
                return Ok(splice::apply(text, layout.members(text, object, &member)));
            }
        }
    }
    let mut splices = Vec::new();
    layout.merge(text, object, patch, &mut splices);
    Ok(splice::apply(text, splices))
}

/// Removes the member at `path`, and the comma that goes with it.
pub(super) fn remove(text: &str, format: Format, path: &[&str]) -> Result<String, EditError> {
    let gone = || EditError::unsafe_edit("the entry isn't where it was");
    let Some(ast::Value::Object(root)) = tree(text, format)? else { return Err(gone()) };
    let [way @ .., name] = path else { return Err(gone()) };
    let mut object = &root;
    for key in way {
        object = find(object, key).and_then(|prop| prop.value.as_object()).ok_or_else(gone)?;
    }
    let at = object.properties.iter().position(|prop| prop.name.as_str() == *name).ok_or_else(gone)?;
    let prop = &object.properties[at];
    let end = prop.range.end;
    let comma = Some(skip_trivia(text, end)).filter(|comma| text[*comma..].starts_with(','));
    let lead = text[..prop.range.start].trim_end_matches([' ', '\t', '\r', '\n']).len();
    let own_line = text[lead..prop.range.start].contains('\n');
    // A line comment before the entry keeps its own line ending, since what follows may stand on the entry's line.
    let mut splices = Vec::new();
    match (comma, at.checked_sub(1).map(|before| &object.properties[before])) {
        (Some(comma), _) if at + 1 < object.properties.len() && !own_line => {
            let next = text.len() - text[comma + 1..].trim_start_matches([' ', '\t']).len();
            splices.push(Splice::delete(prop.range.start..end));
            splices.push(Splice::delete(comma..next));
        }
        (Some(comma), _) => {
            splices.push(Splice::delete(lead..end));
            splices.push(Splice::delete(comma..comma + 1));
        }
        (None, Some(before)) => {
            let comma = skip_trivia(text, before.range.end);
            splices.push(Splice::delete(comma..comma + 1));
            splices.push(Splice::delete(lead.max(comma + 1)..end));
        }
        (None, None) => splices.push(Splice::delete(lead..end)),
    }
    Ok(splice::apply(text, splices))
}

fn tree(text: &str, format: Format) -> Result<Option<ast::Value<'_>>, EditError> {
    let comments = format == Format::Jsonc;
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options);
    let value = parsed.map(|result| result.value).map_err(|error| {
        let reason = error.kind().to_string();
        EditError::malformed(text, error.range().start, reason)
    })?;
    // The parser lets through what a host's own doesn't: bare control characters, and blanks that JSON doesn't know.
    if let Some(at) = value.as_ref().and_then(|value| control(text, value)) {
        return Err(EditError::malformed(text, at, "a control character in a string must be escaped"));
    }
    if format == Format::Json
        && value.is_some()
        && let Err(error) = serde_json::from_str::<IgnoredAny>(text)
    {
        let at = splice::line(text, error.line()) + error.column().saturating_sub(1);
        return Err(EditError::malformed(text, at.min(text.len()), error.to_string()));
    }
    Ok(value)
}

/// Finds a bare control character in a string or a key.
fn control(text: &str, value: &ast::Value<'_>) -> Option<usize> {
    let inside = |range: Range| text[range.start..range.end].find(|c: char| c < ' ').map(|at| range.start + at);
    match value {
        ast::Value::StringLit(literal) => inside(literal.range),
        ast::Value::Array(array) => array.elements.iter().find_map(|element| control(text, element)),
        ast::Value::Object(object) => {
            object.properties.iter().find_map(|prop| inside(prop.name.range()).or_else(|| control(text, &prop.value)))
        }
        ast::Value::NumberLit(_) | ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) => None,
    }
}

fn data(value: &ast::Value<'_>) -> Data {
    match value {
        ast::Value::StringLit(text) => Data::Text(text.value.to_string()),
        ast::Value::NumberLit(number) => Data::Literal(number.value.to_owned()),
        ast::Value::BooleanLit(boolean) => Data::Literal(boolean.value.to_string()),
        ast::Value::NullKeyword(_) => Data::Literal(Data::NULL.to_owned()),
        ast::Value::Array(array) => Data::List(array.elements.iter().map(data).collect()),
        ast::Value::Object(object) => {
            Data::map(object.properties.iter().map(|prop| (prop.name.as_str().to_owned(), data(&prop.value))).collect())
        }
    }
}

fn find<'a, 'b>(object: &'b Object<'a>, key: &str) -> Option<&'b ObjectProp<'a>> {
    object.properties.iter().find(|prop| prop.name.as_str() == key)
}

/// How the file at hand is laid out, so that what is added looks like the rest.
struct Layout {
    newline: &'static str,
    unit: String,
    style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// A member a line.
    Lines,
    /// All on one line, with blanks after `:` and `,`.
    Line,
    /// No blanks at all.
    Minified,
}

impl Layout {
    fn of(text: &str) -> Self {
        Self { newline: splice::newline(text), unit: "  ".to_owned(), style: Style::Lines }
    }

    fn with_root(mut self, text: &str, root: &Object<'_>) -> Self {
        let Some(first) = root.properties.first() else { return self };
        let gap = &text[root.range.start + 1..first.range.start];
        if gap.contains('\n') {
            let own = splice::indent_of(text, first.range.start);
            let unit = own.strip_prefix(splice::indent_of(text, root.range.start)).unwrap_or(own);
            if !unit.is_empty() {
                self.unit = unit.to_owned();
            }
        } else if gap.is_empty() && &text[first.name.range().end..first.value.range().start] == ":" {
            self.style = Style::Minified;
        }
        self
    }

    fn in_style(&self, style: Style) -> Self {
        Self { newline: self.newline, unit: self.unit.clone(), style }
    }

    /// Changes an object into what `patch` says, where it says something else.
    fn merge(&self, text: &str, object: &Object<'_>, patch: &Map<String, Value>, splices: &mut Vec<Splice>) {
        let mut missing = Map::new();
        for (key, value) in patch {
            match (find(object, key), value) {
                (None, value) => {
                    missing.insert(key.clone(), value.clone());
                }
                (Some(ObjectProp { value: ast::Value::Object(inner), .. }), Value::Object(patch)) => {
                    self.merge(text, inner, patch, splices);
                }
                (Some(prop), value) if data(&prop.value) != Data::from(value) => {
                    let indent = splice::indent_of(text, prop.range.start);
                    let range = prop.value.range();
                    let layout = self.in_style(self.style_in(text, object));
                    splices.push(Splice::replace(range.start..range.end, layout.render(value, indent)));
                }
                _ => {}
            }
        }
        if !missing.is_empty() {
            splices.extend(self.members(text, object, &missing));
        }
    }

    fn style_in(&self, text: &str, object: &Object<'_>) -> Style {
        match object.properties.last() {
            Some(last) if !text[object.range.start..last.range.start].contains('\n') => match self.style {
                Style::Minified => Style::Minified,
                Style::Lines | Style::Line => Style::Line,
            },
            Some(_) => Style::Lines,
            None => self.style,
        }
    }

    /// Adds members at the end of an object, behind its last comment.
    fn members(&self, text: &str, object: &Object<'_>, members: &Map<String, Value>) -> Vec<Splice> {
        let close = object.range.end - 1;
        let mut splices = Vec::new();
        let (tail, trailing) = match object.properties.last() {
            None => (object.range.start + 1, false),
            Some(last) => {
                let next = skip_trivia(text, last.range.end);
                if text[next..].starts_with(',') {
                    (next + 1, true)
                } else {
                    splices.push(Splice::insert(last.range.end, ","));
                    (last.range.end, false)
                }
            }
        };
        let at = last_comment_end(text, tail, close).unwrap_or(tail);
        let after_line_comment = text[at..].starts_with(['\n', '\r']) && at != tail;
        let style = match self.style_in(text, object) {
            Style::Line | Style::Minified if after_line_comment => Style::Lines,
            style => style,
        };
        let base = splice::indent_of(text, object.range.start);
        let indent = match object.properties.last() {
            Some(last) if style == Style::Lines && text[object.range.start..last.range.start].contains('\n') => {
                let start = splice::line_start(text, last.range.start);
                match text[start..last.range.start].trim().is_empty() {
                    true => text[start..last.range.start].to_owned(),
                    false => splice::indent_of(text, last.range.start).to_owned(),
                }
            }
            _ => format!("{base}{}", self.unit),
        };
        let layout = self.in_style(style);
        let added: Vec<_> = members
            .iter()
            .map(|(key, value)| format!("{}{}", layout.gap(&indent), layout.member(key, value, &indent)))
            .collect();
        let mut added = added.join(",");
        if object.properties.is_empty() && style == Style::Line {
            added = added.trim_start().to_owned();
        }
        if trailing {
            added.push(',');
        }
        if style == Style::Lines && !text[at..close].contains('\n') {
            added.push_str(self.newline);
            added.push_str(base);
        }
        splices.push(Splice::insert(at, added));
        splices
    }

    /// What stands before a member.
    fn gap(&self, indent: &str) -> String {
        match self.style {
            Style::Lines => format!("{}{indent}", self.newline),
            Style::Line => " ".to_owned(),
            Style::Minified => String::new(),
        }
    }

    fn member(&self, key: &str, value: &Value, indent: &str) -> String {
        let colon = if self.style == Style::Minified { ":" } else { ": " };
        format!("{}{colon}{}", Value::from(key), self.render(value, indent))
    }

    fn render(&self, value: &Value, indent: &str) -> String {
        let comma = if self.style == Style::Minified { "," } else { ", " };
        match value {
            Value::Object(members) if members.is_empty() => "{}".to_owned(),
            Value::Object(members) => {
                let inner = format!("{indent}{}", self.unit);
                let members: Vec<_> = members.iter().map(|(key, value)| self.member(key, value, &inner)).collect();
                match self.style {
                    Style::Lines => {
                        let gap = self.gap(&inner);
                        format!("{{{gap}{}{}}}", members.join(&format!(",{gap}")), self.gap(indent))
                    }
                    Style::Line | Style::Minified => format!("{{{}}}", members.join(comma)),
                }
            }
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.render(item, indent)).collect();
                format!("[{}]", items.join(comma))
            }
            literal => literal.to_string(),
        }
    }
}

/// Returns where the blanks and comments that start at `at` end.
fn skip_trivia(text: &str, mut at: usize) -> usize {
    while let Some(next) = trivia(text, at) {
        at = next;
    }
    at
}

/// Returns where the last comment between two places ends, its line ending left out.
fn last_comment_end(text: &str, mut at: usize, end: usize) -> Option<usize> {
    let mut last = None;
    while at < end {
        let next = trivia(text, at)?.min(end);
        if text[at..].starts_with('/') {
            last = Some(next);
        }
        at = next;
    }
    last
}

/// Returns where one blank or one comment at `at` ends.
fn trivia(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let length = if rest.starts_with("//") {
        let line = rest.find('\n').unwrap_or(rest.len());
        if rest[..line].ends_with('\r') { line - 1 } else { line }
    } else if rest.starts_with("/*") {
        rest.find("*/")? + 2
    } else {
        rest.chars().next().filter(|c| c.is_whitespace())?.len_utf8()
    };
    Some(at + length)
}
