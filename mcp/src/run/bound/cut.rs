//! What was left out of an output, for people and for machines.

use serde_json::{Map, Value, json};
use std::fmt;

/// One place where an output was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The JSON pointer of what was cut; `None` where the output is text.
    pub at: Option<String>,
    /// What is counted.
    pub unit: Unit,
    /// How many are shown, from the first on.
    pub shown: u64,
    /// How many there are.
    pub total: u64,
}

/// What a cut counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Elements of an array.
    Elements,
    /// Members of an object.
    Members,
    /// Lines of text.
    Lines,
    /// Bytes of a string or of the whole output.
    Bytes,
}

/// All that was left out of one output, and how to get at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truncated {
    /// Every place that was cut.
    pub cuts: Vec<Cut>,
    /// How many bytes the whole output has.
    pub bytes: u64,
    /// What the whole is kept under; `None` where it is not kept.
    pub handle: Option<String>,
    /// The call that reads on: a tool and its arguments.
    pub rest: Option<(String, Map<String, Value>)>,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Elements => "elements",
            Self::Members => "members",
            Self::Lines => "lines",
            Self::Bytes => "bytes",
        })
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, unit, shown, total } = self;
        match at.as_deref() {
            Some("") => write!(f, "truncated: the result shows {shown} of {total} {unit}"),
            Some(at) => write!(f, "truncated: {at} shows {shown} of {total} {unit}"),
            None => write!(f, "truncated: {shown} of {total} {unit} are shown"),
        }
    }
}

impl Truncated {
    /// Renders it for a program.
    pub fn to_json(&self) -> Value {
        let cut = |cut: &Cut| {
            let mut json = Map::new();
            json.extend(cut.at.as_deref().map(|at| ("at".to_owned(), at.into())));
            json.insert("unit".into(), cut.unit.to_string().into());
            json.insert("shown".into(), cut.shown.into());
            json.insert("total".into(), cut.total.into());
            Value::Object(json)
        };
        let mut json = Map::new();
        json.insert("bytes".into(), self.bytes.into());
        json.insert("cuts".into(), self.cuts.iter().map(cut).collect());
        json.extend(self.handle.as_deref().map(|handle| ("handle".to_owned(), handle.into())));
        let rest = |(tool, arguments): &(String, Map<String, Value>)| json!({ "tool": tool, "arguments": arguments });
        json.extend(self.rest.as_ref().map(|call| ("rest".to_owned(), rest(call))));
        Value::Object(json)
    }
}
