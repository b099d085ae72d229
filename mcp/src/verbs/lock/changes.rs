//! What changed between two surfaces, and what that means to callers, in semver's words.

use super::file::{Base, Effect, Locked, LockedOperation, LockedParam, LockedTool, Takes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) level: Level,
    /// The operation or tool, and the param.
    pub(super) place: String,
    pub(super) what: String,
}

/// What a change means: major may break a call, or lets one do more than was agreed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Patch,
    Minor,
    Major,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<6} {}: {}", self.level, self.place, self.what)
    }
}

/// Compares two surfaces; the changes stand in the order of names, the gravest first of each place.
pub(super) fn compare(before: &Locked, now: &Locked) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, old) in &before.operations {
        let heir = now.operations.iter().find(|(_, operation)| operation.former.contains(name));
        match (now.operations.get(name), heir) {
            (Some(new), _) => operation(&mut At::new(&mut changes, name), old, new),
            (None, Some((heir, new))) => {
                let mut at = At::new(&mut changes, name);
                at.note(Level::Minor, format!("renamed to `{heir}`, and callable by this name"));
                operation(&mut at, &LockedOperation { tool: new.tool.clone(), ..old.clone() }, new);
            }
            (None, None) => At::new(&mut changes, name).note(Level::Major, "operation removed"),
        }
    }
    let is_heir = |new: &LockedOperation| new.former.iter().any(|former| before.operations.contains_key(former));
    for (name, _) in now.operations.iter().filter(|(name, new)| !before.operations.contains_key(*name) && !is_heir(new))
    {
        At::new(&mut changes, name).note(Level::Minor, "operation added");
    }
    for (name, old) in &before.tools {
        let mut at = At::new(&mut changes, name);
        match now.tools.get(name) {
            Some(new) => tool(&mut at, old, new),
            None => at.note(Level::Major, "tool removed"),
        }
    }
    for name in now.tools.keys().filter(|name| !before.tools.contains_key(*name)) {
        At::new(&mut changes, name).note(Level::Minor, "tool added");
    }
    changes
}

/// Where changes are noted.
struct At<'a> {
    changes: &'a mut Vec<Change>,
    place: String,
}

impl<'a> At<'a> {
    fn new(changes: &'a mut Vec<Change>, place: &str) -> Self {
        Self { changes, place: place.to_owned() }
    }

    fn note(&mut self, level: Level, what: impl Into<String>) {
        self.changes.push(Change { level, place: self.place.clone(), what: what.into() });
    }

    /// Notes the items that came and went.
    fn items(&mut self, what: &str, old: &BTreeSet<String>, new: &BTreeSet<String>, [gone, come]: [Level; 2]) {
        for item in old.difference(new) {
            self.note(gone, format!("{what} `{item}` removed"));
        }
        for item in new.difference(old) {
            self.note(come, format!("{what} `{item}` added"));
        }
    }

    fn text(&mut self, what: &str, old: &str, new: &str) {
        if old != new {
            self.note(Level::Patch, format!("{what} changed"));
        }
    }
}

fn operation(at: &mut At<'_>, old: &LockedOperation, new: &LockedOperation) {
    effect(at, old.effect, new.effect);
    for name in new.mutating_when.difference(&old.mutating_when) {
        // A call that could not set it before does no more than it did.
        let level = if old.params.contains_key(name) { Level::Major } else { Level::Minor };
        at.note(level, format!("now changes something with `{name}`"));
    }
    for name in old.mutating_when.difference(&new.mutating_when) {
        at.note(Level::Minor, format!("no longer changes something with `{name}`"));
    }
    if old.tool != new.tool {
        at.note(Level::Major, format!("its tool `{}` is now called `{}`", old.tool, new.tool));
    }
    at.items("alias", &old.aliases, &new.aliases, [Level::Major, Level::Minor]);
    at.items("old name", &old.former, &new.former, [Level::Major, Level::Minor]);
    at.items("rule", &old.rules, &new.rules, [Level::Minor, Level::Major]);
    at.text("help", &old.about, &new.about);
    params(at, &old.params, &new.params);
}

/// What may happen without being asked for decides: undeclared counts as mutating.
fn effect(at: &mut At<'_>, old: Effect, new: Effect) {
    let width = |effect: Effect| match effect {
        Effect::ReadOnly => 0,
        Effect::Undeclared | Effect::Mutating => 1,
        Effect::Destructive => 2,
    };
    let name = |effect: Effect| match effect {
        Effect::ReadOnly => "read-only",
        Effect::Undeclared => "undeclared",
        Effect::Mutating => "mutating",
        Effect::Destructive => "destructive",
    };
    if old != new {
        let level = if width(new) > width(old) { Level::Major } else { Level::Minor };
        at.note(level, format!("effect {} is now {}", name(old), name(new)));
    }
}

fn params(at: &mut At<'_>, old: &BTreeMap<String, LockedParam>, new: &BTreeMap<String, LockedParam>) {
    let operation = at.place.clone();
    let heir = |name: &str| new.iter().find(|(_, param)| param.aliases.contains(name));
    for (name, before) in old {
        at.place = format!("{operation}, {name}");
        match (new.get(name), heir(name)) {
            (Some(now), _) => param(at, before, now),
            (None, Some((heir, now))) => {
                at.note(Level::Minor, format!("renamed to `{heir}`, and settable by this name"));
                param(at, before, &LockedParam { aliases: before.aliases.clone(), ..now.clone() });
            }
            (None, None) => at.note(Level::Major, "param removed"),
        }
    }
    let is_heir = |param: &LockedParam| param.aliases.iter().any(|alias| old.contains_key(alias));
    for (name, now) in new.iter().filter(|(name, param)| !old.contains_key(*name) && !is_heir(param)) {
        at.place = format!("{operation}, {name}");
        match now.required {
            true => at.note(Level::Major, "required param added"),
            false => at.note(Level::Minor, "param added"),
        }
    }
    at.place = operation;
}

fn param(at: &mut At<'_>, old: &LockedParam, new: &LockedParam) {
    match (old.required, new.required) {
        (false, true) => at.note(Level::Major, "now required"),
        (true, false) => at.note(Level::Minor, "no longer required"),
        _ => {}
    }
    if old.takes != new.takes {
        let level = if is_wider(old.takes, new.takes) { Level::Minor } else { Level::Major };
        at.note(level, format!("took {}, now takes {}", name(old.takes), name(new.takes)));
    }
    if let (Some(before), Some(now)) = (old.base, new.base)
        && before != now
    {
        let open = new.choices.is_empty() && (now == Base::String || (before, now) == (Base::Integer, Base::Number));
        let level = if open { Level::Minor } else { Level::Major };
        at.note(level, format!("type {before:?} is now {now:?}").to_lowercase());
    }
    match (old.choices.is_empty(), new.choices.is_empty()) {
        (true, false) => at.note(Level::Major, "now takes listed values only"),
        (false, true) => at.note(Level::Minor, "now takes any value"),
        _ => at.items("value", &old.choices, &new.choices, [Level::Major, Level::Minor]),
    }
    limit(at, "least", old.min, new.min, |old, new| new > old);
    limit(at, "greatest", old.max, new.max, |old, new| new < old);
    if old.position != new.position {
        at.note(Level::Major, "its place among the positionals changed");
    }
    if old.gate != new.gate {
        at.note(Level::Minor, if new.gate { "now a gate" } else { "no longer a gate" });
    }
    if old.default != new.default {
        at.note(Level::Minor, format!("default [{}] is now [{}]", old.default.join(", "), new.default.join(", ")));
    }
    at.items("alias", &old.aliases, &new.aliases, [Level::Major, Level::Minor]);
    at.text("help", &old.help, &new.help);
}

fn limit(at: &mut At<'_>, which: &str, old: Option<i64>, new: Option<i64>, narrows: fn(i64, i64) -> bool) {
    let shown = |limit: Option<i64>| limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
    if old != new {
        let narrower = match (old, new) {
            (None, Some(_)) => true,
            (Some(old), Some(new)) => narrows(old, new),
            (_, None) => false,
        };
        let level = if narrower { Level::Major } else { Level::Minor };
        at.note(level, format!("{which} value {} is now {}", shown(old), shown(new)));
    }
}

/// Tells whether whatever was said before is still understood: `true` for a switch is a bare flag.
fn is_wider(old: Takes, new: Takes) -> bool {
    matches!((old, new), (Takes::Nothing | Takes::Value, Takes::OptionalValue) | (Takes::Value, Takes::List))
}

fn name(takes: Takes) -> &'static str {
    match takes {
        Takes::Nothing => "no value",
        Takes::Count => "a count",
        Takes::Value => "a value",
        Takes::OptionalValue => "an optional value",
        Takes::List => "a list",
    }
}

fn tool(at: &mut At<'_>, old: &LockedTool, new: &LockedTool) {
    effect(at, old.effect, new.effect);
    at.text("description", &old.about, &new.about);
    if old.schema != new.schema {
        // What a schema's change means can't be told for every tool: the careful answer is the right one.
        at.note(Level::Major, "input schema changed");
    }
}
