use serde_json::Value;
use std::collections::BTreeMap;

/// What a file of settings says, whatever its format: the ground on which an edit is proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::hosts) enum Data {
    /// A string.
    Text(String),
    /// A number, boolean, null or date, by its literal.
    Literal(String),
    /// A sequence.
    List(Vec<Self>),
    /// Keys and values sorted by key; a key that is written twice stands here twice.
    Map(Vec<(String, Self)>),
}

impl Data {
    /// The literal of every format's null.
    pub(super) const NULL: &str = "null";

    /// Makes a map; the order of keys is no part of the data.
    pub(super) fn map(mut members: Vec<(String, Self)>) -> Self {
        members.sort_by(|a, b| a.0.cmp(&b.0));
        Self::Map(members)
    }

    /// Returns the value of a key, when this is a map that has it.
    pub(in crate::hosts) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(members) = self else { return None };
        members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(in crate::hosts) fn text(&self) -> Option<&str> {
        let Self::Text(text) = self else { return None };
        Some(text)
    }

    pub(in crate::hosts) fn texts(&self) -> Option<Vec<String>> {
        let Self::List(items) = self else { return None };
        items.iter().map(|item| item.text().map(str::to_owned)).collect()
    }

    pub(in crate::hosts) fn text_map(&self) -> Option<BTreeMap<String, String>> {
        let Self::Map(members) = self else { return None };
        members.iter().map(|(key, value)| Some((key.clone(), value.text()?.to_owned()))).collect()
    }

    pub(super) fn is_null(&self) -> bool {
        *self == Self::Literal(Self::NULL.to_owned())
    }

    pub(super) fn is_empty_map(&self) -> bool {
        matches!(self, Self::Map(members) if members.is_empty())
    }

    /// Says what this is, for an error.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Literal(literal) if literal == Self::NULL => "null",
            Self::Literal(_) => "a number, a boolean or a date",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }

    /// Counts how often a key is written in this map.
    pub(super) fn count(&self, key: &str) -> usize {
        let Self::Map(members) = self else { return 0 };
        members.iter().filter(|(name, _)| name == key).count()
    }

    /// Sets what `patch` says, maps member by member, everything else as a whole.
    pub(super) fn merge(&mut self, patch: &Self) {
        match (&mut *self, patch) {
            (Self::Map(members), Self::Map(patches)) => {
                for (key, value) in patches {
                    match members.iter_mut().find(|(name, _)| name == key) {
                        Some((_, old)) => old.merge(value),
                        None => members.push((key.clone(), value.clone())),
                    }
                }
                members.sort_by(|a, b| a.0.cmp(&b.0));
            }
            (old, patch) => *old = patch.clone(),
        }
    }

    /// Tells whether merging `patch` would change nothing.
    pub(super) fn has(&self, patch: &Self) -> bool {
        let mut merged = self.clone();
        merged.merge(patch);
        merged == *self
    }

    /// Sets or removes what stands at `path`. Does nothing where a map on the way is missing.
    pub(super) fn put(&mut self, path: &[&str], value: Option<Self>) {
        let Self::Map(members) = self else { return };
        let [key, rest @ ..] = path else { return };
        if !rest.is_empty() {
            if let Some((_, inner)) = members.iter_mut().find(|(name, _)| name == key) {
                inner.put(rest, value);
            }
            return;
        }
        members.retain(|(name, _)| name != key);
        members.extend(value.map(|value| ((*key).to_owned(), value)));
        members.sort_by(|a, b| a.0.cmp(&b.0));
    }
}

impl From<&Value> for Data {
    fn from(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            Value::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::map(members.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
            literal => Self::Literal(literal.to_string()),
        }
    }
}
