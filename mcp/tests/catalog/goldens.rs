//! The whole catalog of each tree, as text.

use crate::{catalog, compact, trees};
use clap_facade::catalog::{BaseType, Catalog, Operation, Param, ParamKind, Spelling, ValueType};
use std::fmt::Write;

#[test]
fn every_tree_reads_as_recorded() {
    for (name, tree) in trees::all() {
        let text = render(&catalog(tree));
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.replace([' ', '\''], "-"), text);
        });
    }
}

fn render(catalog: &Catalog) -> String {
    let mut text = String::new();
    for operation in catalog.operations() {
        write_operation(&mut text, operation);
    }
    for excused in catalog.excused() {
        writeln!(text, "excused: {}: {:?}", excused.path, excused.reason).unwrap();
    }
    for lint in catalog.lints() {
        writeln!(text, "lint: {}: {}", lint.path, lint.message).unwrap();
    }
    text
}

fn write_operation(text: &mut String, operation: &Operation) {
    let declared = operation.declared.map_or("undeclared".into(), |effect| effect.to_string());
    writeln!(text, "{} ({}), {declared}", operation.name, operation.tool).unwrap();
    for alias in &operation.aliases {
        writeln!(text, "  alias {alias}").unwrap();
    }
    if !operation.mutating_when.is_empty() {
        writeln!(text, "  mutating when {}", operation.mutating_when.join(", ")).unwrap();
    }
    for param in &operation.params {
        writeln!(text, "  {}", param_line(param)).unwrap();
    }
    for sentence in &operation.constraints {
        writeln!(text, "  {sentence}").unwrap();
    }
    writeln!(text, "  {}", compact(operation)).unwrap();
}

fn param_line(param: &Param) -> String {
    let spelling = match &param.spelling {
        Spelling::Positional { index, last, trailing } => {
            format!("<{index}>{}{}", if *last { " last" } else { "" }, if *trailing { " trailing" } else { "" })
        }
        Spelling::External => "external".into(),
        flag => flag.to_string(),
    };
    let mut line = format!("{}: {spelling} at {}, id {}, {}", param.name, param.depth, param.id, kind(&param.kind));
    let marks = [(param.gate, "gate"), (param.required, "required")];
    line.extend(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| format!(", {mark}")));
    if !param.aliases.is_empty() {
        write!(line, ", aliases {}", param.aliases.join(" ")).unwrap();
    }
    if !param.default.is_empty() {
        write!(line, ", default {:?}", param.default).unwrap();
    }
    line
}

fn kind(kind: &ParamKind) -> String {
    match kind {
        ParamKind::Switch => "switch".into(),
        ParamKind::Count => "count".into(),
        ParamKind::One(value) => value_type(value),
        ParamKind::Optional { value, require_equals } => {
            format!("optional {}{}", value_type(value), if *require_equals { " after =" } else { "" })
        }
        ParamKind::Many { item, repeat } => {
            let max = if repeat.max == usize::MAX { String::new() } else { repeat.max.to_string() };
            let mut text = format!("many {} {}..{max}", value_type(item), repeat.min);
            text.push_str(if repeat.append { " appended" } else { "" });
            text.extend(repeat.delimiter.map(|c| format!(" split at {c:?}")));
            text.extend(repeat.terminator.as_ref().map(|end| format!(" until {end}")));
            text
        }
    }
}

fn value_type(value: &ValueType) -> String {
    let mut text = match value.base {
        BaseType::String => "string".to_owned(),
        BaseType::Integer { min, max } => format!("{min}..={max}"),
        BaseType::Number => "number".to_owned(),
        BaseType::Boolean => "boolean".to_owned(),
    };
    for choice in &value.choices {
        write!(text, " |{}", choice.name).unwrap();
        text.extend(choice.aliases.iter().map(|alias| format!("={alias}")));
    }
    let marks = [
        (value.ignore_case, " any case"),
        (value.allow_hyphen, " hyphens"),
        (value.allow_negative, " negatives"),
        (value.path, " path"),
    ];
    text.extend(marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark));
    text
}
