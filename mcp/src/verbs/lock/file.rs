//! The lock file: deterministic JSON, one line an operation or param, so that its diffs read well.

use crate::Facade;
use crate::catalog::{BaseType, Operation, Param, ParamKind, Spelling, ValueType};
use crate::facade::StartError;
use crate::surface::Choice;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The form of the file; one that says another was written by another release.
const FORM: u32 = 1;

/// What agents can call.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(super) struct Locked {
    lock: u32,
    cli: String,
    /// By name.
    pub(super) operations: BTreeMap<String, LockedOperation>,
    /// The tools that are not commands, by name.
    pub(super) tools: BTreeMap<String, LockedTool>,
}

/// An operation, without its params where it is written: they have lines of their own.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedOperation {
    pub(super) tool: String,
    pub(super) effect: Effect,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) mutating_when: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) aliases: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) former: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) rules: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) about: String,
    #[serde(default, skip_serializing)]
    pub(super) params: BTreeMap<String, LockedParam>,
}

/// A declared effect, or that none was declared.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Effect {
    ReadOnly,
    Undeclared,
    Mutating,
    Destructive,
}

/// A param.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedParam {
    pub(super) takes: Takes,
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(super) base: Option<Base>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) min: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<i64>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) choices: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) required: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) gate: bool,
    /// Where it stands among the positionals, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<usize>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) aliases: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) default: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) help: String,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Takes {
    Nothing,
    Count,
    Value,
    OptionalValue,
    List,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Base {
    String,
    Integer,
    Number,
    Boolean,
}

/// A tool that is not a command.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LockedTool {
    pub(super) effect: Effect,
    pub(super) about: String,
    pub(super) schema: serde_json::Value,
}

impl Locked {
    /// Reads a server's surface.
    pub(super) fn new(facade: &Facade) -> Result<Self, StartError> {
        // The mirror lists one tool an operation, and beside them the tools that are none.
        let pipeline = facade.clone().surface(Choice::Mirror).build()?;
        let catalog = pipeline.catalog();
        let operations = catalog.operations();
        let tools = pipeline.surface().tools(catalog).into_iter();
        let own = tools.filter(|tool| !operations.iter().any(|operation| operation.tool == tool.name));
        Ok(Self {
            lock: FORM,
            cli: catalog.root().to_owned(),
            operations: operations.iter().map(|operation| (operation.name.clone(), lock(operation))).collect(),
            tools: own
                .map(|tool| {
                    let locked = LockedTool {
                        effect: effect(tool.effect),
                        about: tool.description,
                        schema: tool.input_schema.into(),
                    };
                    (tool.name, locked)
                })
                .collect(),
        })
    }

    /// Reads a lock file.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let malformed = |error: serde_json::Error| format!("not a lock file: {error}; write it again with `lock`");
        let value: serde_json::Value = serde_json::from_str(text).map_err(malformed)?;
        match value.get("lock").and_then(serde_json::Value::as_u64) {
            Some(form) if form == u64::from(FORM) => serde_json::from_value(value).map_err(malformed),
            Some(form) => {
                Err(format!("a lock file of form {form}, and this release reads {FORM}; write it again with `lock`"))
            }
            None => Err("not a lock file: it has no `lock`".to_owned()),
        }
    }

    /// Writes the lock file.
    pub(super) fn to_text(&self) -> String {
        let operations = self.operations.iter().map(|(name, operation)| {
            let head = json(operation);
            let params = operation.params.iter().map(|(name, param)| format!("    {}: {}", json(name), json(param)));
            let open = head.strip_suffix('}').unwrap_or(&head);
            match operation.params.is_empty() {
                true => format!("  {}: {open},\"params\":{{}}}}", json(name)),
                false => format!("  {}: {open},\"params\":{{\n{}\n  }}}}", json(name), lines(params)),
            }
        });
        let tools = self.tools.iter().map(|(name, tool)| format!("  {}: {}", json(name), json(tool)));
        let block = |lines: String| if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}\n}}") };
        format!(
            "{{\n\"lock\": {},\n\"cli\": {},\n\"operations\": {},\n\"tools\": {}\n}}\n",
            self.lock,
            json(&self.cli),
            block(lines(operations)),
            block(lines(tools)),
        )
    }
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    // What is locked holds no maps with keys other than strings, and nothing else can fail.
    serde_json::to_string(value).unwrap_or_default()
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join(",\n")
}

fn effect(effect: Option<crate::catalog::Effect>) -> Effect {
    match effect {
        None => Effect::Undeclared,
        Some(crate::catalog::Effect::ReadOnly) => Effect::ReadOnly,
        Some(crate::catalog::Effect::Mutating) => Effect::Mutating,
        Some(crate::catalog::Effect::Destructive) => Effect::Destructive,
    }
}

fn lock(operation: &Operation) -> LockedOperation {
    let mut positionals: Vec<&Param> = operation.positionals().collect();
    positionals.sort_by_key(|param| match param.spelling {
        Spelling::Positional { index, .. } => index,
        Spelling::Long(_) | Spelling::Short(_) | Spelling::External => usize::MAX,
    });
    let place = |param: &Param| positionals.iter().position(|other| other.name == param.name).map(|n| n + 1);
    LockedOperation {
        tool: operation.tool.clone(),
        effect: effect(operation.declared),
        mutating_when: operation.mutating_when.iter().cloned().collect(),
        aliases: operation.aliases.iter().cloned().collect(),
        former: operation.former.iter().cloned().collect(),
        rules: operation.constraints.iter().cloned().collect(),
        about: operation.about.clone(),
        params: operation.params.iter().map(|param| (param.name.clone(), lock_param(param, place(param)))).collect(),
    }
}

fn lock_param(param: &Param, position: Option<usize>) -> LockedParam {
    let (takes, value) = match &param.kind {
        ParamKind::Switch => (Takes::Nothing, None),
        ParamKind::Count => (Takes::Count, None),
        ParamKind::One(value) => (Takes::Value, Some(value)),
        ParamKind::Optional { value, .. } => (Takes::OptionalValue, Some(value)),
        ParamKind::Many { item, .. } => (Takes::List, Some(item)),
    };
    let limits = value.map(limits).unwrap_or_default();
    LockedParam {
        takes,
        base: value.map(|value| match value.base {
            BaseType::String => Base::String,
            BaseType::Integer { .. } => Base::Integer,
            BaseType::Number => Base::Number,
            BaseType::Boolean => Base::Boolean,
        }),
        min: limits.0,
        max: limits.1,
        choices: value.iter().flat_map(|value| &value.choices).map(|choice| choice.name.clone()).collect(),
        required: param.required,
        gate: param.gate,
        position,
        aliases: param.aliases.iter().cloned().collect(),
        default: param.default.clone(),
        help: param.help.clone(),
    }
}

/// The limits of an integer; the bounds of `i64` and beyond limit nothing that JSON callers send.
fn limits(value: &ValueType) -> (Option<i64>, Option<i64>) {
    let BaseType::Integer { min, max } = value.base else { return (None, None) };
    let inside = |limit: i128| i64::try_from(limit).ok().filter(|limit| *limit != i64::MIN && *limit != i64::MAX);
    (inside(min), inside(max))
}
