//! What clap writes behind a help text: `[default: x]`, `[possible values: a, b]`, `[env: X=]`, `[aliases: y]`.

/// An entry's text, and what clap itself put into it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Notes {
    pub(super) help: String,
    pub(super) default: Vec<String>,
    pub(super) choices: Vec<(String, String)>,
    pub(super) env: Option<String>,
    pub(super) aliases: Vec<String>,
    pub(super) short_aliases: Vec<char>,
}

/// Reads the text of an entry.
pub(super) fn read(body: &str) -> Notes {
    let mut notes = Notes::default();
    let body = notes.take_bullets(body);
    let mut paragraphs: Vec<String> = paragraphs(&body);
    let mut default = None;
    while let Some(paragraph) = paragraphs.pop() {
        let line = paragraph.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let mut rest = line.trim();
        while let Some((before, label, content)) = last_note(rest) {
            if !notes.take(label, content, &mut default) {
                break;
            }
            rest = before.trim_end();
        }
        if rest.len() == line.trim().len() {
            paragraphs.push(paragraph);
            break;
        }
        if !rest.is_empty() {
            paragraphs.push(rest.to_owned());
            break;
        }
    }
    notes.help = paragraphs.join("\n\n");
    if let Some(raw) = default {
        notes.settle_default(&raw);
    }
    notes
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Env,
    Default,
    Aliases,
    ShortAliases,
    Choices,
}

const LABELS: &[(&str, Label)] = &[
    ("[env: ", Label::Env),
    ("[default: ", Label::Default),
    ("[aliases: ", Label::Aliases),
    ("[alias: ", Label::Aliases),
    ("[short aliases: ", Label::ShortAliases),
    ("[short alias: ", Label::ShortAliases),
    ("[possible values: ", Label::Choices),
];

/// Splits the annotation off that a text ends with.
fn last_note(text: &str) -> Option<(&str, Label, &str)> {
    let inside = text.strip_suffix(']')?;
    let found = LABELS.iter().filter_map(|(opening, label)| {
        let at = inside.rfind(opening)?;
        let content = &inside[at + opening.len()..];
        (!closes_early(content)).then_some((at, *label, content))
    });
    let (at, label, content) = found.max_by_key(|(at, ..)| *at)?;
    Some((&text[..at], label, content))
}

/// Tells whether an annotation ends inside: then it is the author's prose that ends in a bracket.
fn closes_early(content: &str) -> bool {
    let quoted = content.starts_with('"');
    let (mut depth, mut in_quotes, mut escaped) = (0_usize, false, false);
    let mut chars = content.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_quotes => escaped = true,
            '"' if quoted => in_quotes = !in_quotes,
            _ if in_quotes => {}
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            ']' if chars.peek().is_some_and(|next| next.is_whitespace()) => return true,
            _ => {}
        }
    }
    false
}

impl Notes {
    /// Takes an annotation in; `false` where it only looks like one.
    fn take(&mut self, label: Label, content: &str, default: &mut Option<String>) -> bool {
        match label {
            Label::Env => {
                let name = content.split('=').next().unwrap_or_default();
                self.env = Some(name.trim_matches(['`', ' ']).to_owned());
            }
            Label::Default => *default = Some(content.to_owned()),
            Label::Aliases => {
                let mut aliases = names(content);
                aliases.append(&mut self.aliases);
                self.aliases = aliases;
            }
            Label::ShortAliases => {
                let shorts = names(content).into_iter().filter_map(|name| name.trim_start_matches('-').chars().next());
                self.short_aliases.extend(shorts);
            }
            Label::Choices => match choices(content) {
                Some(choices) if self.choices.is_empty() => {
                    self.choices = choices.into_iter().map(|name| (name, String::new())).collect();
                }
                Some(_) => {}
                None => return false,
            },
        }
        true
    }

    /// Takes the list below `Possible values:` out of a text.
    fn take_bullets(&mut self, body: &str) -> String {
        let lines: Vec<&str> = body.lines().collect();
        let is_head = |at: usize| {
            lines[at].trim() == "Possible values:"
                && lines.get(at + 1).is_some_and(|next| next.trim_start().starts_with("- "))
        };
        let Some(head) = (0..lines.len()).find(|at| is_head(*at)) else { return body.to_owned() };
        let margin = lines[head].len() - lines[head].trim_start().len();
        let mut end = head + 1;
        let mut items: Vec<String> = Vec::new();
        while let Some(line) = lines.get(end) {
            let text = line.trim_start();
            let column = line.len() - text.len();
            match (text.strip_prefix("- "), items.last_mut()) {
                (Some(item), _) if column == margin => items.push(item.to_owned()),
                (_, Some(item)) if !text.is_empty() && column > margin => {
                    item.push(' ');
                    item.push_str(text);
                }
                _ => break,
            }
            end += 1;
        }
        self.choices = items.iter().map(|item| bullet(item)).collect();
        lines[..head].iter().chain(&lines[end..]).copied().collect::<Vec<_>>().join("\n")
    }

    /// clap puts a default with a blank in it in quotes, and several defaults side by side.
    fn settle_default(&mut self, raw: &str) {
        let values = match debug_strings(raw) {
            Some(values) => values,
            None if !raw.contains(char::is_whitespace) => vec![raw.to_owned()],
            None => raw.split_whitespace().map(str::to_owned).collect(),
        };
        let known = |value: &String| self.choices.iter().any(|(name, _)| name == value);
        let several_words = !raw.starts_with('"') && values.len() > 1;
        let fits = if self.choices.is_empty() { !several_words } else { values.iter().all(known) };
        if fits {
            self.default = values;
        } else {
            let gap = if self.help.is_empty() { "" } else { " " };
            self.help.push_str(&format!("{gap}[default: {raw}]"));
        }
    }
}

fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in text.lines() {
        match paragraphs.last_mut() {
            Some(last) if !line.trim().is_empty() => {
                if !last.is_empty() {
                    last.push('\n');
                }
                last.push_str(line.trim_end());
            }
            Some(last) if !last.is_empty() => paragraphs.push(String::new()),
            _ => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

fn names(content: &str) -> Vec<String> {
    content.split(", ").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Reads a list of values; `None` where it is prose: a wrong list would refuse valid calls.
fn choices(content: &str) -> Option<Vec<String>> {
    const KINDS: &[&str] = &["integer", "number", "string", "path", "float", "N", "...", "…"];
    let mut choices = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let (name, behind) = match rest.starts_with('"') {
            true => {
                let (name, behind) = debug_string(rest)?;
                // clap quotes only what has a blank in it.
                if !name.contains(char::is_whitespace) {
                    return None;
                }
                (name, behind)
            }
            false => {
                let end = rest.find(", ").unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        let blank = !rest.starts_with('"') && name.contains(char::is_whitespace);
        if name.is_empty() || blank || KINDS.contains(&name.as_str()) || name.starts_with('<') {
            return None;
        }
        choices.push(name);
        rest = match behind {
            "" => "",
            more => more.strip_prefix(", ")?,
        };
    }
    (!choices.is_empty()).then_some(choices)
}

fn bullet(item: &str) -> (String, String) {
    if let Some((name, behind)) = debug_string(item) {
        return (name, behind.trim_start_matches(':').trim().to_owned());
    }
    match item.split_once(": ") {
        Some((name, help)) if !name.contains(' ') => (name.to_owned(), help.trim().to_owned()),
        _ => (item.trim_end_matches(':').trim().to_owned(), String::new()),
    }
}

/// Reads texts of which at least one is in quotes, one blank between them.
fn debug_strings(raw: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut rest = raw;
    let mut quoted = false;
    loop {
        let (value, behind) = match debug_string(rest) {
            Some(read) => {
                quoted = true;
                read
            }
            None => {
                let end = rest.find(' ').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        values.push(value);
        rest = match behind {
            "" => break,
            more => more.strip_prefix(' ')?,
        };
    }
    quoted.then_some(values)
}

/// Reads one text in quotes with Rust's escapes, and what follows it.
fn debug_string(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut value = String::new();
    let mut chars = inside.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &inside[at + 1..])),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                'r' => value.push('\r'),
                '0' => value.push('\0'),
                'u' => {
                    let digits: String =
                        chars.by_ref().map(|(_, c)| c).skip_while(|c| *c == '{').take_while(|c| *c != '}').collect();
                    value.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?);
                }
                other => value.push(other),
            },
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_are_told_from_prose() {
        let choices = |names: &[&str]| names.iter().map(|name| (name.to_string(), String::new())).collect::<Vec<_>>();
        let plain = |help: &str| Notes { help: help.into(), ..Notes::default() };
        let table = [
            ("Help [default: 3]", Notes { default: vec!["3".into()], ..plain("Help") }),
            ("[default: ]", Notes { default: vec![String::new()], ..plain("") }),
            (
                "H [default: \"Available recipes:\\n\"]",
                Notes { default: vec!["Available recipes:\n".into()], ..plain("H") },
            ),
            ("H [default: \"    \"]", Notes { default: vec!["    ".into()], ..plain("H") }),
            ("H [default: %H:%M:%S]", Notes { default: vec!["%H:%M:%S".into()], ..plain("H") }),
            ("H [default: <OUTFILE>.rev]", Notes { default: vec!["<OUTFILE>.rev".into()], ..plain("H") }),
            ("H [default: number of cores]", plain("H [default: number of cores]")),
            (
                "H [default: a b] [possible values: a, b]",
                Notes { default: vec!["a".into(), "b".into()], choices: choices(&["a", "b"]), ..plain("H") },
            ),
            ("H [default: [x]]", Notes { default: vec!["[x]".into()], ..plain("H") }),
            (
                "Uses [default: universal] unless told [see docs]",
                plain("Uses [default: universal] unless told [see docs]"),
            ),
            ("H [possible values: integer or \"num-cpus\"]", plain("H [possible values: integer or \"num-cpus\"]")),
            (
                "H [possible values: integer, \"all\", \"N:wait\"]",
                plain("H [possible values: integer, \"all\", \"N:wait\"]"),
            ),
            (
                "H [possible values: one, \"two words\"]",
                Notes { choices: choices(&["one", "two words"]), ..plain("H") },
            ),
            (
                "H [env: `UV_X`=] [alias: --all]",
                Notes { env: Some("UV_X".into()), aliases: vec!["--all".into()], ..plain("H") },
            ),
            (
                "H [env: TOKEN=secret value] [default: x]",
                Notes { env: Some("TOKEN".into()), default: vec!["x".into()], ..plain("H") },
            ),
            ("H [env: GH_TOKEN or GITHUB_TOKEN]", Notes { env: Some("GH_TOKEN or GITHUB_TOKEN".into()), ..plain("H") }),
            (
                "H [aliases: a, -b] [short aliases: c, d]",
                Notes { aliases: vec!["a".into(), "-b".into()], short_aliases: vec!['c', 'd'], ..plain("H") },
            ),
            ("H [possible\nvalues: a,\nb]", Notes { choices: choices(&["a", "b"]), ..plain("H") }),
            (
                "One\n\nTwo\n\n[default: x]\n[possible values: x]",
                Notes { default: vec!["x".into()], choices: choices(&["x"]), ..plain("One\n\nTwo") },
            ),
            ("Only:\n- Find empty files:\n- more", plain("Only:\n- Find empty files:\n- more")),
            (
                "H\n\nPossible values:\n- a: one\n  more\n- always\n\n[default: a]",
                Notes {
                    default: vec!["a".into()],
                    choices: vec![("a".into(), "one more".into()), ("always".into(), String::new())],
                    ..plain("H")
                },
            ),
        ];
        for (text, notes) in table {
            assert_eq!(read(text), notes, "{text:?}");
        }
    }
}
