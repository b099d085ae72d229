//! A page's sections, by its headings.

/// One section: the heading without its colon, and the lines below it.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) kind: Kind,
    pub(super) heading: &'a str,
    pub(super) lines: Vec<&'a str>,
}

/// What a section holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Usage lines.
    Usage,
    /// Options and positionals: the heading says so.
    Entries,
    /// Commands, and options where the author put some among them.
    Commands,
    /// A heading of the author's own: whatever its lines are.
    Custom,
    /// A command's own page inside its parent's.
    Flattened,
    /// Text.
    Prose,
}

/// Splits a plain page. What stands before the first heading is prose without a heading.
pub(super) fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections = vec![Section { kind: Kind::Prose, heading: "", lines: Vec::new() }];
    let mut program = "";
    for line in text.lines() {
        let started = if line.starts_with(' ') || line.is_empty() { None } else { start(line, program) };
        match started {
            Some((kind, heading, first)) => {
                if kind == Kind::Usage && program.is_empty() {
                    program = first.split_whitespace().next().unwrap_or_default();
                }
                let lines = if first.is_empty() { Vec::new() } else { vec![first] };
                sections.push(Section { kind, heading, lines });
            }
            None => {
                let current = sections.len() - 1;
                let usage = sections[current].kind == Kind::Usage;
                if usage && program.is_empty() {
                    program = line.split_whitespace().next().unwrap_or_default();
                }
                // Text at the margin ends a section of entries; it is the author's own prose.
                let at_margin = !line.is_empty() && !line.starts_with(' ');
                let stays = matches!(sections[current].kind, Kind::Prose | Kind::Flattened)
                    || usage && sections[current].lines.is_empty();
                if at_margin && !stays {
                    sections.push(Section { kind: Kind::Prose, heading: "", lines: Vec::new() });
                }
                if let Some(section) = sections.last_mut() {
                    section.lines.push(line);
                }
            }
        }
    }
    sections
}

fn start<'a>(line: &'a str, program: &str) -> Option<(Kind, &'a str, &'a str)> {
    if let Some((head, rest)) = line.split_once(':')
        && head.eq_ignore_ascii_case("usage")
    {
        return Some((Kind::Usage, head, rest.trim()));
    }
    let heading = line.strip_suffix(':')?;
    if heading.len() > 80 || heading.contains(": ") {
        return None;
    }
    Some((kind(heading, program), heading, ""))
}

fn kind(heading: &str, program: &str) -> Kind {
    let words: Vec<String> = heading.split_whitespace().map(str::to_lowercase).collect();
    let has = |word: &str| words.iter().any(|w| w == word);
    let ends = |word: &str| words.last().is_some_and(|w| w == word);
    if has("example")
        || has("examples")
        || ["discussion", "notes", "note", "environment variables", "see also"].contains(&words.join(" ").as_str())
    {
        Kind::Prose
    } else if ["commands", "subcommands", "subcommand", "command"].into_iter().any(ends) {
        Kind::Commands
    } else if ["options", "flags", "args", "arguments", "option", "switches"].into_iter().any(ends) {
        Kind::Entries
    } else if !program.is_empty() && heading.strip_prefix(program).is_some_and(|rest| rest.starts_with(' ')) {
        Kind::Flattened
    } else {
        Kind::Custom
    }
}
