//! The entries of a section: where each starts, what it spells, and the text below it.

use super::arity::{capitals, dots, group};
use super::notes::Notes;
use super::page::{Argument, Flag, Role, Takes};
use super::sections::{Kind, Section};

/// What was read of a section.
#[derive(Debug, Default)]
pub(super) struct Entries {
    pub(super) lines: Vec<Entry>,
    /// How many lines at the section's margin are no entries.
    pub(super) strays: usize,
    pub(super) not_understood: Vec<String>,
}

/// One entry with its text.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) line: Line,
    /// The text behind and below the entry, its common indent taken off.
    pub(super) body: String,
}

/// What an entry spells.
#[derive(Debug)]
pub(super) enum Line {
    Flag(FlagSpec),
    Argument(ArgumentSpec),
    /// A command's name and the aliases beside it.
    Command(Vec<String>),
}

/// `-s, --long <VALUE>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FlagSpec {
    shorts: Vec<char>,
    longs: Vec<String>,
    takes: Option<Takes>,
}

/// `<NAME>...`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArgumentSpec {
    pub(super) name: String,
    names: usize,
    more: bool,
    required: bool,
}

/// Reads the entries of a section. `in_usage` tells whether the usage has a positional of a name.
pub(super) fn entries(section: &Section<'_>, commands_here: bool, in_usage: impl Fn(&str) -> bool) -> Entries {
    let mut entries = Entries::default();
    let filled = || section.lines.iter().filter(|line| !line.trim().is_empty());
    let Some(base) = filled().map(|line| indent(line)).min() else { return entries };
    let at_base = |line: &&&str| indent(line) == base;
    // clap sets a long name without a short one four columns in, but only beside entries that start at the margin.
    // Where entries start at the very margin, nothing else of clap's is four columns in.
    let hangs = base <= 2
        || filled().filter(at_base).any(|line| {
            let text = line.trim_start();
            text.starts_with(['<', '[']) || text.starts_with('-') && !text.starts_with("--")
        });
    let mut open: Option<(Line, String, Vec<&str>)> = None;
    for line in &section.lines {
        let text = line.trim_start();
        let column = indent(line);
        let may_start = !text.is_empty() && (column == base || hangs && column == base + 4 && text.starts_with("--"));
        let started = may_start.then(|| read_line(text, section.kind, commands_here, &in_usage)).flatten();
        match started {
            Some((start, behind)) => {
                close(&mut open, &mut entries);
                open = Some((start, behind.to_owned(), Vec::new()));
            }
            None if may_start => {
                close(&mut open, &mut entries);
                entries.strays += 1;
                if looks_like_entry(text, section.kind) {
                    entries.not_understood.push(text.to_owned());
                }
            }
            None => {
                if let Some((_, _, body)) = &mut open {
                    body.push(line);
                }
            }
        }
    }
    close(&mut open, &mut entries);
    entries
}

/// Tells whether a word can be a command's name: nothing else is ever asked for its help.
pub(super) fn is_command_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '+')
        && word.chars().all(|c| c.is_alphanumeric() || "_-+.:@".contains(c))
        && !word.ends_with([':', '.'])
}

fn close(open: &mut Option<(Line, String, Vec<&str>)>, entries: &mut Entries) {
    let Some((line, behind, below)) = open.take() else { return };
    let left = below.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or_default();
    let mut body = behind.trim().to_owned();
    for line in below {
        body.push('\n');
        body.push_str(line.get(left..).unwrap_or_default());
    }
    entries.lines.push(Entry { line, body: body.trim_matches('\n').to_owned() });
}

fn read_line<'a>(
    text: &'a str,
    kind: Kind,
    commands_here: bool,
    in_usage: &impl Fn(&str) -> bool,
) -> Option<(Line, &'a str)> {
    if text.starts_with('-') {
        return flag_spec(text, kind).map(|(spec, behind)| (Line::Flag(spec), behind));
    }
    if text.starts_with(['<', '[']) {
        let (spec, behind) = argument_spec(text)?;
        let fits = kind == Kind::Entries || in_usage(&spec.name);
        // A list of commands has no positionals, whatever brackets it holds.
        return (fits && kind != Kind::Commands).then_some((Line::Argument(spec), behind));
    }
    if !commands_here {
        let (name, behind) = capitals(text)?;
        let more = dots(behind);
        let behind = more.unwrap_or(behind);
        let spec = ArgumentSpec { name: name.to_owned(), names: 1, more: more.is_some(), required: true };
        return (in_usage(name) && is_gap(behind)).then_some((Line::Argument(spec), behind));
    }
    let (names, behind) = text.split_once("  ").unwrap_or((text, ""));
    let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
    let flags_behind = |name: &String| name.starts_with('-') && name.len() > 1;
    if !is_command_name(&names[0]) || !names.iter().all(|name| is_command_name(name) || flags_behind(name)) {
        return None;
    }
    Some((Line::Command(names.into_iter().filter(|name| !name.starts_with('-')).collect()), behind))
}

/// Reads an option's spelling, and what stands behind it.
fn flag_spec(text: &str, kind: Kind) -> Option<(FlagSpec, &str)> {
    let mut spec = FlagSpec::default();
    let mut rest = text;
    loop {
        if let Some(long) = rest.strip_prefix("--") {
            let end = long.find(|c: char| !(c.is_alphanumeric() || "_-.+:@".contains(c))).unwrap_or(long.len());
            // `--verbose...` counts.
            let name = long[..end].trim_end_matches('.');
            if !name.starts_with(|c: char| c.is_alphanumeric()) {
                return None;
            }
            spec.longs.push(name.to_owned());
            rest = &long[name.len()..];
        } else {
            let short = rest.strip_prefix('-')?;
            let c = short.chars().next().filter(|c| !c.is_whitespace() && *c != '-')?;
            spec.shorts.push(c);
            rest = &short[c.len_utf8()..];
        }
        match rest.strip_prefix(", ").filter(|more| more.starts_with('-')) {
            Some(more) => rest = more,
            None => break,
        }
    }
    let (takes, rest) = takes(rest)?;
    spec.takes = Some(takes);
    // Before `--long <V>` an older page may repeat the value: `-s <V>, --long <V>`.
    if let Some(more) = rest.strip_prefix(", ").filter(|more| more.starts_with('-')) {
        let (second, behind) = flag_spec(more, kind)?;
        spec.shorts.extend(second.shorts);
        spec.longs.extend(second.longs);
        spec.takes = second.takes.filter(|takes| *takes != Takes::Nothing).or(spec.takes);
        return Some((spec, behind));
    }
    let one_space = matches!(kind, Kind::Entries | Kind::Commands) && starts_a_sentence(rest);
    (is_gap(rest) || one_space).then_some((spec, rest))
}

fn is_gap(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with("  ") || rest == " "
}

/// A lookalike may set one space before the help.
fn starts_a_sentence(rest: &str) -> bool {
    let mut chars = rest.strip_prefix(' ').unwrap_or_default().chars();
    chars.next().is_some_and(char::is_uppercase) && chars.next().is_some_and(|c| c.is_lowercase() || c == ' ')
}

/// Reads what stands between an option's names and its help.
fn takes(rest: &str) -> Option<(Takes, &str)> {
    if let Some(behind) = dots(rest) {
        return Some((Takes::Times, behind));
    }
    if rest.starts_with("[=") {
        let (inside, behind) = group(rest)?;
        let (names, more, _) = values(&inside[1..])?;
        let behind = dots(behind).unwrap_or(behind);
        return Some((Takes::Values { names, optional: true, equals: true, more }, behind));
    }
    let equals = rest.starts_with('=');
    let Some(value) = rest.strip_prefix(['=', ' ']) else { return Some((Takes::Nothing, rest)) };
    if value.starts_with('[') {
        let (inside, behind) = group(value)?;
        if let Some((names, more, "")) = values(inside) {
            let dotted = dots(behind);
            let more = more || dotted.is_some();
            return Some((Takes::Values { names, optional: true, equals, more }, dotted.unwrap_or(behind)));
        }
    }
    match values(value) {
        Some((names, more, behind)) => Some((Takes::Values { names, optional: false, equals, more }, behind)),
        None if equals => None,
        None => Some((Takes::Nothing, rest)),
    }
}

/// Reads one or more value names, whether more may follow, and the rest.
fn values(text: &str) -> Option<(Vec<String>, bool, &str)> {
    let mut names = Vec::new();
    let mut rest = text;
    let mut more = false;
    loop {
        let bracketed = (rest.starts_with('<')).then(|| group(rest)).flatten();
        let Some((name, behind)) = bracketed.or_else(|| capitals(rest)) else { break };
        names.push(name.to_owned());
        rest = behind;
        if let Some(behind) = dots(rest) {
            more = true;
            rest = behind;
        }
        match rest.strip_prefix(' ').filter(|next| next.starts_with('<')) {
            Some(next) => rest = next,
            None => break,
        }
    }
    (!names.is_empty()).then_some((names, more, rest))
}

/// Reads a positional's spelling, and what stands behind it.
pub(super) fn argument_spec(text: &str) -> Option<(ArgumentSpec, &str)> {
    let (name, mut rest) = group(text)?;
    let mut spec = ArgumentSpec {
        name: name.trim_end_matches('.').to_owned(),
        names: 1,
        more: name.ends_with("..."),
        required: text.starts_with('<'),
    };
    // `[<A>]` is `[A]`.
    if let Some((inside, "")) = group(name).filter(|_| name.starts_with('<')) {
        spec.name = inside.to_owned();
    }
    while let Some((_, behind)) = rest.strip_prefix(' ').filter(|next| next.starts_with(['<', '['])).and_then(group) {
        spec.names += 1;
        rest = behind;
    }
    if let Some(behind) = dots(rest) {
        spec.more = true;
        rest = behind;
    }
    is_gap(rest).then_some((spec, rest))
}

fn looks_like_entry(text: &str, kind: Kind) -> bool {
    let mut chars = text.chars();
    let dashed = chars.next() == Some('-') && chars.next().is_some_and(|c| c == '-' || c.is_alphanumeric());
    match kind {
        _ if dashed => true,
        // Prose among commands is the author's own.
        Kind::Commands => text.contains("  "),
        Kind::Entries => text.starts_with(['<', '[']),
        _ => false,
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

impl FlagSpec {
    pub(super) fn flag(self, notes: Notes) -> Flag {
        let Self { shorts, longs, takes } = self;
        let (mut shorts, mut longs) = (shorts.into_iter(), longs.into_iter());
        let (short, long) = (shorts.next(), longs.next());
        let mut flag = Flag {
            short,
            long,
            aliases: longs.collect(),
            short_aliases: shorts.collect(),
            takes: takes.unwrap_or(Takes::Nothing),
            role: Role::Plain,
            required: false,
            help: notes.help,
            default: notes.default,
            choices: notes.choices,
            env: notes.env,
        };
        for alias in notes.aliases {
            let plain = alias.trim_start_matches('-');
            let one = plain.chars().count() == 1 && (notes_are_short(&alias) || alias.len() == 1);
            match plain.chars().next() {
                Some(c) if one => flag.short_aliases.push(c),
                Some(_) => flag.aliases.push(plain.to_owned()),
                None => {}
            }
        }
        flag.short_aliases.extend(notes.short_aliases);
        flag.role = role(&flag);
        flag
    }
}

fn notes_are_short(alias: &str) -> bool {
    alias.starts_with('-') && !alias.starts_with("--")
}

/// `--help` prints help and a bare `--version` the version in any CLI; the short name alone needs the words.
fn role(flag: &Flag) -> Role {
    let says = |words: &[&str]| words.iter().any(|word| flag.help.to_lowercase().starts_with(word));
    match flag.long.as_deref() {
        Some("help") => Role::Help,
        Some("version") if flag.takes == Takes::Nothing => Role::Version,
        None if flag.short == Some('h') && says(&["print help", "prints help", "show help", "display help"]) => {
            Role::Help
        }
        None if flag.short == Some('V') && says(&["print version", "prints version", "show version"]) => Role::Version,
        _ => Role::Plain,
    }
}

impl ArgumentSpec {
    pub(super) fn argument(self, notes: Notes) -> Argument {
        Argument {
            name: self.name,
            names: self.names,
            more: self.more,
            required: self.required,
            last: false,
            help: notes.help,
            default: notes.default,
            choices: notes.choices,
            env: notes.env,
        }
    }
}
