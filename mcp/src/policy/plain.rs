//! What the parser says of a wrong file, in the words of its writer.

use super::Policy;
use crate::catalog::closest;

/// Says plainly what a parser says of `source`, the text that is wrong.
pub(super) fn plain(said: &str, source: &str) -> String {
    let first = said.lines().next().unwrap_or_default();
    if first.starts_with("unknown field") {
        let known = known_keys();
        if known.iter().any(|known| known == source.trim()) {
            return format!("`{}` is a key of another table than this one", source.trim());
        }
        return said.replacen("unknown field", "unknown key", 1) + &nearest(source, known.iter().map(String::as_str));
    }
    if let Some((given, expected)) =
        first.strip_prefix("unknown variant ").and_then(|rest| rest.split_once(", expected "))
    {
        let choices: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let quoted: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
        let near = nearest(given.trim_matches('`'), choices.iter().copied());
        return format!("{given} is not one of {}{near}", quoted.join(", "));
    }
    if let Some(key) = first.strip_prefix("missing field ") {
        return format!("{key} is missing");
    }
    let typed = first.strip_prefix("invalid type: ").or_else(|| first.strip_prefix("invalid value: "));
    match typed.and_then(|rest| rest.rsplit_once(", expected ")).map(|(_, expected)| expected) {
        Some(expected) => wrong_type(source, expected),
        // What is one of a few texts.
        None if first == "wanted string or table" => wrong_type(source, "a string"),
        None => said.to_owned(),
    }
}

/// Says what belongs where something else stands; `expected` is the parser's word for it.
fn wrong_type(source: &str, expected: &str) -> String {
    if expected == "struct SecretSource" {
        // What stands there may be the secret itself.
        return "a secret does not stand here, but where it comes from: `{ env = \"NAME\" }` or `{ file = \"PATH\" }`"
            .to_owned();
    }
    let (right, example) = match expected {
        // A list of tables is written otherwise than a list of texts.
        "a sequence" if source.starts_with('[') && source.ends_with(']') => ("a list of tables", "[[command]]"),
        "a sequence" => ("a list", "[\"pip list\"]"),
        "a string" => ("a text in quotes", "\"…\""),
        "path string" => ("the path of a folder", "\"…\""),
        "a boolean" => ("`true` or `false`", ""),
        "usize" => ("a whole number", ""),
        "struct Environment" => ("a table", "[environment]"),
        "struct Auditing" => ("a table", "[audit]"),
        "struct ExitCode" => ("a table", "{ kind = \"not found\" }"),
        "struct Example" => ("a table", "{ title = \"…\", line = \"…\" }"),
        "a limit" => ("a limit or a list of limits", "\"100/1h\""),
        "struct ApprovalRule" => ("a table", "[approval]"),
        "struct PrincipalRule" => ("a table", "[principal.NAME]"),
        "struct BudgetRule" => ("a table", "[budget]"),
        "struct SessionRule" => ("a table", "[budget.session]"),
        "a map" => ("a table of names and values", "{ NAME = \"…\" }"),
        other => (other, ""),
    };
    const SHOWN: usize = 40;
    let line = source.lines().next().filter(|line| !line.is_empty() && line.chars().count() <= SHOWN);
    let said =
        line.map_or_else(|| format!("{right} is expected"), |line| format!("`{line}` stands where {right} belongs"));
    if example.is_empty() { said } else { format!("{said}: `{example}`") }
}

fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    closest(given, known, 1).first().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default()
}

/// Every key that a policy may hold, at any depth.
fn known_keys() -> Vec<String> {
    let schema = Policy::schema();
    let tables = std::iter::once(&schema).chain(schema["$defs"].as_object().into_iter().flat_map(|defs| defs.values()));
    let properties = tables.filter_map(|table| table["properties"].as_object());
    properties.flat_map(|properties| properties.keys().cloned()).collect()
}
