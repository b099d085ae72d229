//! The commands in Markdown: an Agent Skill, llms.txt, and a page a command.

use super::File;
use crate::catalog::{Catalog, Effect, Operation, Param, ParamKind, Spelling, ValueType};
use std::fmt::Write;

/// The most characters of a skill's name and of its description: the skills' format sets them.
const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;

/// The most commands that a skill's first page lists one by one; beyond it, groups do.
const LISTED: usize = 150;

/// Writes an Agent Skill: the folder is called as the skill is, and details are read on demand.
pub(super) fn skill(catalog: &Catalog) -> Vec<File> {
    let (root, name) = (catalog.root(), slug(catalog.root()));
    let about = catalog.about().trim_end_matches('.');
    let words: Vec<&str> = firsts(catalog);
    let about = if about.is_empty() { format!("Runs {root}") } else { about.to_owned() };
    let description = format!("{about}. Use to run {root} at the shell: {}.", words.join(", "));
    let mut text = String::new();
    // A JSON string is a YAML string, whatever it holds.
    let quoted = serde_json::Value::from(cut(&description, DESCRIPTION_MAX));
    let _ = write!(text, "---\nname: {name}\ndescription: {quoted}\n---\n\n# {root}\n\n{about}.\n\n");
    let _ = write!(
        text,
        "Run a command at the shell as `{root} COMMAND …`. Read its page in `references/` before its first use: params,\n\
         rules and examples stand there. Write a value as `--name=value`, and positionals after `--`.\n\n\
         What is not said to be read-only changes something: prefer its preview (`--dry-run`) where it has one, and ask\n\
         before anything destructive.\n\n## Commands\n\n"
    );
    let operations = catalog.operations();
    if operations.len() <= LISTED {
        for operation in operations {
            let _ = writeln!(text, "{}", line(operation, "references"));
        }
    } else {
        for word in words {
            let of_word =
                operations.iter().filter(|operation| operation.path.first().is_some_and(|first| first == word));
            let names: Vec<String> = of_word
                .map(|operation| format!("[{0}](references/{1})", operation.name, page_name(operation)))
                .collect();
            let _ = writeln!(text, "- **{word}**: {}", names.join(", "));
        }
    }
    let first = File::text(format!("{name}/SKILL.md"), text);
    let pages = operations
        .iter()
        .map(|operation| File::text(format!("{name}/references/{}", page_name(operation)), page(root, operation)));
    std::iter::once(first).chain(pages).collect()
}

/// Writes llms.txt: a title, a summary, and lists of links to pages.
pub(super) fn llms(catalog: &Catalog) -> Vec<File> {
    let root = catalog.root();
    let mut text = format!("# {root}\n");
    if !catalog.about().is_empty() {
        let _ = write!(text, "\n> {}\n", catalog.about());
    }
    let _ = write!(text, "\nEach command is run as `{root} COMMAND …`; its page has its params, rules and examples.\n");
    let mut section = None;
    for operation in catalog.operations() {
        let of_group = (operation.path.len() > 1).then(|| operation.path[0].as_str());
        let title = of_group.unwrap_or("Commands");
        if section != Some(title) {
            let _ = write!(text, "\n## {title}\n\n");
            section = Some(title);
        }
        let _ = writeln!(text, "{}", line(operation, "commands"));
    }
    let first = File::text("llms.txt", text);
    let pages = catalog
        .operations()
        .iter()
        .map(|operation| File::text(format!("commands/{}", page_name(operation)), page(root, operation)));
    std::iter::once(first).chain(pages).collect()
}

/// Makes a name of lower-case letters, digits and single hyphens, neither first nor last.
pub(super) fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    match slug[..slug.len().min(NAME_MAX)].trim_end_matches('-') {
        "" => "cli".to_owned(),
        slug => slug.to_owned(),
    }
}

/// Cuts at a character, with room for the sign that it was cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect::<String>(),
        false => text.to_owned(),
    }
}

/// Returns the first words of all commands, in order.
fn firsts(catalog: &Catalog) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for word in catalog.operations().iter().filter_map(|operation| operation.path.first()) {
        if !words.contains(&word.as_str()) {
            words.push(word);
        }
    }
    words
}

fn line(operation: &Operation, folder: &str) -> String {
    let about = if operation.about.is_empty() { String::new() } else { format!(" {}", operation.about) };
    format!("- [{}]({folder}/{}):{about} ({})", operation.name, page_name(operation), effect(operation))
}

/// Tool names are unique, and file names everywhere.
fn page_name(operation: &Operation) -> String {
    format!("{}.md", operation.tool)
}

fn effect(operation: &Operation) -> String {
    match operation.declared {
        Some(Effect::ReadOnly) if !operation.mutating_when.is_empty() => {
            format!("read-only, but changes something with --{}", operation.mutating_when.join(", --"))
        }
        Some(effect) => effect.to_string(),
        None => "may change something".to_owned(),
    }
}

fn page(root: &str, operation: &Operation) -> String {
    let mut text = format!("# {root} {}\n", operation.path.join(" "));
    // The long help of most commands begins with the short one.
    let begins_with = |long: &String| {
        let first = long.split("\n\n").next().unwrap_or_default().split_whitespace();
        first.eq(operation.about.split_whitespace())
    };
    let short = Some(&operation.about).filter(|_| !operation.long_about.as_ref().is_some_and(begins_with));
    for about in short.into_iter().chain(&operation.long_about).filter(|about| !about.is_empty()) {
        let _ = write!(text, "\n{about}\n");
    }
    let _ = write!(text, "\nEffect: {}.\n", effect(operation));
    if !operation.params.is_empty() {
        let _ = write!(text, "\n## Params\n\n");
    }
    for param in &operation.params {
        let required = if param.required { ", required" } else { "" };
        let default = match param.default.as_slice() {
            [] => String::new(),
            values => format!(", default `{}`", values.join(",")),
        };
        let help = param.long_help.as_ref().unwrap_or(&param.help).split_whitespace().collect::<Vec<_>>().join(" ");
        let help = if help.is_empty() { help } else { format!(": {help}") };
        let _ = writeln!(text, "- `{}`{required}{default}{help}", usage(param));
    }
    let mut list = |title: &str, items: Vec<String>| {
        if !items.is_empty() {
            let _ = write!(text, "\n## {title}\n\n");
            for item in items {
                let _ = writeln!(text, "- {item}");
            }
        }
    };
    list("Rules", operation.constraints.clone());
    let example = |example: &crate::catalog::Example| format!("{}: `{root} {}`", example.title, example.line);
    list("Examples", operation.examples.iter().map(example).collect());
    text
}

/// Writes a param as it is typed.
fn usage(param: &Param) -> String {
    let value = |value: &ValueType| match value.choices.as_slice() {
        [] => "VALUE".to_owned(),
        choices => choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join("|"),
    };
    let (flag, name) = (param.spelling.to_string(), param.name.to_ascii_uppercase());
    match (&param.spelling, &param.kind) {
        (Spelling::Positional { .. } | Spelling::External, ParamKind::Many { .. }) => format!("{name}..."),
        (Spelling::Positional { .. } | Spelling::External, _) => name,
        (_, ParamKind::Switch | ParamKind::Count) => flag,
        (_, ParamKind::One(kind)) => format!("{flag}={}", value(kind)),
        (_, ParamKind::Optional { value: kind, .. }) => format!("{flag}[={}]", value(kind)),
        (_, ParamKind::Many { item, .. }) => format!("{flag}={}...", value(item)),
    }
}
