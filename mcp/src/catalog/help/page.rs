//! One page of help as data.

use super::entry::{self, Line};
use super::sections::{Kind, Section, sections};
use super::usage::Usage;
use super::{notes, plain};

/// One page of `--help`, as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// What the command does: its paragraphs, or empty.
    pub about: String,
    /// The version, where the page starts with it (clap 2 and 3).
    pub version: Option<String>,
    /// The usage lines, each whole.
    pub usages: Vec<String>,
    /// The options and switches, in the page's order, help and version included.
    pub flags: Vec<Flag>,
    /// The positionals, in the order of the command line.
    pub arguments: Vec<Argument>,
    /// The commands that the page lists.
    pub commands: Vec<Listed>,
    /// The usage has a command's place: `Some(true)` where one must be given.
    pub takes_command: Option<bool>,
    /// Options and subcommands exclude each other: they have usage lines of their own.
    pub args_or_command: bool,
    /// What is required without a command is not required with one: a usage line with the command shows so.
    pub command_waives: bool,
    /// Lines that look like an option, a positional or a command, and could not be read as one.
    pub not_understood: Vec<String>,
}

/// An option or switch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Flag {
    /// The short name.
    pub short: Option<char>,
    /// The long name, without dashes.
    pub long: Option<String>,
    /// Further long names.
    pub aliases: Vec<String>,
    /// Further short names.
    pub short_aliases: Vec<char>,
    /// What it takes.
    pub takes: Takes,
    /// What it is to the program itself.
    pub role: Role,
    /// Every usage line requires it.
    pub required: bool,
    /// Its help, paragraphs kept, annotations taken out.
    pub help: String,
    /// The default values; empty where none is told, or where it reads like prose.
    pub default: Vec<String>,
    /// The values allowed and their help; empty where any is.
    pub choices: Vec<(String, String)>,
    /// The environment variable that gives it, never its value.
    pub env: Option<String>,
}

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: a switch.
    Nothing,
    /// Nothing, but how often it is given counts.
    Times,
    /// Values.
    Values {
        /// The names of the values of one occurrence.
        names: Vec<String>,
        /// The bare flag is fine too.
        optional: bool,
        /// The value must be joined by `=`.
        equals: bool,
        /// More values may follow in the same occurrence.
        more: bool,
    },
}

/// What a flag is to the program itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A flag like any other.
    Plain,
    /// Prints help.
    Help,
    /// Prints the version.
    Version,
}

/// A positional.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument {
    /// The value's name as printed, without brackets.
    pub name: String,
    /// How many values it takes at least, if any.
    pub names: usize,
    /// More values may follow.
    pub more: bool,
    /// Every usage line requires it.
    pub required: bool,
    /// It stands behind `--` only.
    pub last: bool,
    /// Its help, annotations taken out.
    pub help: String,
    /// The default values; empty where none is told, or where it reads like prose.
    pub default: Vec<String>,
    /// The values allowed and their help; empty where any is.
    pub choices: Vec<(String, String)>,
    /// The environment variable that gives it, never its value.
    pub env: Option<String>,
}

/// A command that a page lists.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// Its line of help.
    pub about: String,
}

impl Listed {
    /// Makes the entry of a command by its name alone.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), aliases: Vec::new(), about: String::new() }
    }
}

impl Page {
    /// Reads a page. Text that is no help gives an empty one.
    pub fn read(text: &str) -> Self {
        let text = plain::plain(text);
        let sections = sections(&text);
        let mut page = Self::default();
        let old = sections.iter().any(|section| section.kind == Kind::Usage && section.heading.starts_with("USAGE"));
        page.read_start(&sections, old);
        let mut usage = Usage::read(&sections);
        page.usages = usage.lines().map(str::to_owned).collect();
        let by_name = sections.iter().any(|section| section.kind == Kind::Commands);
        for section in &sections {
            page.read_section(section, &usage, by_name);
        }
        if page.commands.is_empty() {
            page.arguments.iter().for_each(|argument| usage.describe_positional(&argument.name));
        }
        page.takes_command = usage.command();
        page.args_or_command = usage.splits_off_commands();
        page.command_waives = usage.waives_with_commands();
        page.arguments = usage.settle(std::mem::take(&mut page.arguments), !page.commands.is_empty());
        for flag in &mut page.flags {
            flag.required = flag.env.is_none() && usage.requires_flag(flag);
            if old && flag.takes == Takes::Nothing && says_repeatable(&flag.help) {
                flag.takes = Takes::Times;
            }
        }
        for argument in &mut page.arguments {
            argument.required &= argument.env.is_none();
        }
        if old {
            // clap 2 and 3 print `...` for an option that is repeated as well as for one that takes a list.
            for flag in &mut page.flags {
                if let Takes::Values { names, more, .. } = &mut flag.takes
                    && names.len() == 1
                {
                    *more = false;
                }
            }
        }
        page
    }

    /// Tells whether the text was help at all: it has a usage, or options that could be read.
    pub fn is_help(&self) -> bool {
        !self.usages.is_empty() || !self.flags.is_empty()
    }

    /// Tells whether the command runs whatever command line it is given: none is listed.
    pub fn takes_any_command(&self) -> bool {
        self.takes_command.is_some() && self.commands.is_empty()
    }

    fn read_start(&mut self, sections: &[Section<'_>], old: bool) {
        let start = sections.iter().take_while(|section| section.kind != Kind::Usage);
        let mut lines: Vec<&str> = start
            .take_while(|section| section.kind == Kind::Prose)
            .flat_map(|section| {
                (!section.heading.is_empty())
                    .then_some(section.heading)
                    .into_iter()
                    .chain(section.lines.iter().copied())
            })
            .collect();
        if let Some((version, more)) = lines.first().and_then(|first| name_and_version(first)) {
            self.version = Some(version);
            lines.remove(0);
            if !more.is_empty() {
                lines.insert(0, more);
            }
            if lines.first().is_some_and(|line| line.contains('@') && line.contains('<')) {
                lines.remove(0);
            }
        } else if old && lines.first().is_some_and(|line| !line.trim().contains(' ')) {
            lines.remove(0);
        }
        self.about = lines.join("\n").trim().to_owned();
    }

    fn read_section(&mut self, section: &Section<'_>, usage: &Usage, commands_are_named: bool) {
        let commands_here = match section.kind {
            Kind::Commands => true,
            Kind::Custom => !commands_are_named && usage.command().is_some(),
            Kind::Entries => false,
            Kind::Usage | Kind::Prose | Kind::Flattened => {
                if section.kind == Kind::Flattened {
                    self.add_flattened(section);
                }
                return;
            }
        };
        let entries = entry::entries(section, commands_here, |name| usage.names(name));
        // A section of an unknown name must be one of entries throughout.
        if section.kind == Kind::Custom && entries.strays > entries.lines.len() {
            return;
        }
        for entry in entries.lines {
            match entry.line {
                Line::Flag(spec) => {
                    let read = notes::read(&entry.body);
                    let flag = spec.flag(read);
                    if !self.has(&flag) {
                        self.flags.push(flag);
                    }
                }
                Line::Argument(spec) => {
                    let read = notes::read(&entry.body);
                    if !self.arguments.iter().any(|known| known.name == spec.name) {
                        self.arguments.push(spec.argument(read));
                    }
                }
                Line::Command(names) => {
                    let read = notes::read(&entry.body);
                    let mut names = names.into_iter();
                    let Some(name) = names.next() else { continue };
                    if self.commands.iter().any(|known| known.name == name) {
                        continue;
                    }
                    let aliases =
                        names.chain(read.aliases.into_iter().filter(|alias| !alias.starts_with('-'))).collect();
                    self.commands.push(Listed { name, aliases, about: read.help });
                }
            }
        }
        self.not_understood.extend(entries.not_understood);
    }

    /// A flattened page has its commands as sections of their own: `app sub:`.
    fn add_flattened(&mut self, section: &Section<'_>) {
        let words: Vec<&str> = section.heading.split(' ').collect();
        let [_, path @ ..] = words.as_slice() else { return };
        let Some(name) = path.last().filter(|_| path.iter().all(|word| entry::is_command_name(word))) else { return };
        let known = self.commands.iter().any(|known| known.name == *name);
        // The program's own path stands before each command's name, so the shortest headings are the children.
        let own = self.usages.first().map_or(1, |usage| super::usage::words(usage));
        if words.len() == own + 1 && !known {
            let about = section.lines.iter().find(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
            let about = about.filter(|line| !line.starts_with('-')).unwrap_or_default();
            self.commands.push(Listed { name: (*name).to_owned(), aliases: Vec::new(), about });
        }
    }

    fn has(&self, flag: &Flag) -> bool {
        self.flags.iter().any(|known| {
            flag.long.is_some() && known.long == flag.long || flag.short.is_some() && known.short == flag.short
        })
    }
}

/// Reads `name 1.2.3`, and what stands behind it.
fn name_and_version(line: &str) -> Option<(String, &str)> {
    let (name, rest) = line.trim().split_once(' ')?;
    let (version, more) = rest.split_once(' ').unwrap_or((rest, ""));
    let digits = version.strip_prefix('v').unwrap_or(version);
    let dotted = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.');
    (dotted && !name.ends_with(':')).then(|| (digits.to_owned(), if more.starts_with('(') { "" } else { more }))
}

/// Before clap 4 a page shows no difference between a switch and a count.
fn says_repeatable(help: &str) -> bool {
    let help = help.to_lowercase();
    ["multiple times", "several times", "more than once", "be repeated", "-vv", "up to three", "up to 3"]
        .iter()
        .any(|words| help.contains(words))
}
