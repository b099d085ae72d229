//! Pages of a whole CLI → its clap tree.

use super::super::parts::{processors, side_by_side};
use super::page::{Argument, Flag, Listed, Page, Role, Takes};
use crate::annotate::{GivenBy, MayRepeat};
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};
use std::collections::{HashMap, HashSet};

/// The most threads that build a large program's tree.
const BUILDERS: usize = 4;

/// By which words a value is told to be a path.
const PATH_WORDS: &[&str] =
    &["path", "paths", "file", "files", "filename", "dir", "dirs", "directory", "directories", "folder", "src"];

/// For fewer commands of the root than this a thread more is not worth its start.
const CHILDREN_OF_A_BUILDER: usize = 8;

/// One command of a CLI: its page, and the commands below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name; the program's at the root.
    pub name: String,
    /// Further names.
    pub aliases: Vec<String>,
    /// Its line of help in its parent's list.
    pub about: String,
    /// Its own page; an empty one where none could be read.
    pub page: Page,
    /// The commands below it.
    pub children: Vec<Node>,
}

impl Node {
    /// Makes a node of a page, still without commands below it.
    pub fn new(name: impl Into<String>, page: Page) -> Self {
        Self { name: name.into(), page, ..Self::default() }
    }

    /// Makes a node of a page and its entry in the parent's list.
    pub fn listed(listed: &Listed, page: Page) -> Self {
        let Listed { name, aliases, about } = listed.clone();
        Self { name, aliases, about, page, children: Vec::new() }
    }

    /// Builds the clap tree.
    ///
    /// An option that stands on a page and, the same, on those below it is global, as in the CLI itself.
    pub fn command(&self) -> Command {
        self.build(&[], true)
    }

    fn build(&self, above: &[&Flag], is_root: bool) -> Command {
        let page = &self.page;
        let globals = self.globals(above);
        let about = if page.about.is_empty() { &self.about } else { &page.about };
        let mut command = Command::new(self.name.clone())
            .disable_help_flag(true)
            .disable_version_flag(true)
            .disable_help_subcommand(true);
        if let Some((first, whole)) = short_and_long(about) {
            command = command.about(first);
            if let Some(whole) = whole {
                command = command.long_about(whole);
            }
        }
        if let (Some(version), true) = (&page.version, is_root) {
            command = command.version(version.clone());
        }
        let mut taken = Taken::default();
        above.iter().for_each(|flag| taken.take_flag(flag));
        for flag in page.flags.iter().filter(|flag| flag.role != Role::Version && !above.contains(flag)) {
            if taken.is_free(flag) {
                let own = taken.without_taken_aliases(flag);
                taken.take_flag(flag);
                command = command.arg(flag_arg(&own).global(globals.contains(&flag)));
            }
        }
        let (positionals, may_miss) = arguments(&page.arguments, &mut taken);
        command = command.args(positionals).allow_missing_positional(may_miss);
        let mut inherited = above.to_vec();
        inherited.extend(globals);
        let mut names: HashSet<&str> = HashSet::new();
        let mut children = Vec::new();
        for child in &self.children {
            if names.insert(&child.name) {
                children.push(child);
            }
        }
        for (child, built) in children.iter().zip(built(&children, &inherited, is_root)) {
            let free: Vec<String> = child.aliases.iter().filter(|alias| names.insert(alias)).cloned().collect();
            command = command.subcommand(built.visible_aliases(free));
        }
        // No tree of clap's requires what stands behind `--` of its commands, too.
        let must_waive =
            !children.is_empty() && command.get_positionals().any(|arg| arg.is_last_set() && arg.is_required_set());
        command = command.subcommand_negates_reqs(page.command_waives || must_waive);
        if page.takes_any_command() {
            return command.allow_external_subcommands(true).subcommand_required(page.takes_command == Some(true));
        }
        command
            .subcommand_required(!children.is_empty() && page.takes_command == Some(true))
            .args_conflicts_with_subcommands(!children.is_empty() && page.args_or_command)
    }

    /// The page's own options that the pages below it repeat: nearly all of them, since a command may hide one.
    fn globals(&self, above: &[&Flag]) -> Vec<&Flag> {
        let below = self.below();
        if below.is_empty() {
            return Vec::new();
        }
        let mut named: HashMap<Name<'_>, Vec<(usize, &Flag)>> = HashMap::new();
        for (page, flag) in
            below.iter().enumerate().flat_map(|(at, page)| page.flags.iter().map(move |flag| (at, flag)))
        {
            names(flag).for_each(|name| named.entry(name).or_default().push((page, flag)));
        }
        let is_global = |flag: &&Flag| {
            let alike = || names(flag).filter_map(|name| named.get(&name)).flatten();
            let pages: HashSet<usize> = alike().map(|(page, _)| *page).collect();
            flag.role == Role::Plain
                && !flag.required
                && !above.contains(flag)
                && pages.len() * 5 >= below.len() * 4
                && alike().all(|(_, other)| other == flag)
        };
        self.page.flags.iter().filter(is_global).collect()
    }

    fn below(&self) -> Vec<&Page> {
        let of = |child: &'_ Self| child.page.is_help();
        self.children
            .iter()
            .filter(|child| of(child))
            .flat_map(|child| std::iter::once(&child.page).chain(child.below()))
            .collect()
    }
}

/// Names that clap wants to be unique in one command.
#[derive(Default)]
struct Taken {
    ids: HashSet<String>,
    longs: HashSet<String>,
    shorts: HashSet<char>,
}

impl Taken {
    fn is_free(&self, flag: &Flag) -> bool {
        !flag.long.as_ref().is_some_and(|long| self.longs.contains(long))
            && !flag.short.is_some_and(|short| self.shorts.contains(&short))
            && !self.ids.contains(&flag_id(flag))
    }

    /// Leaves out the aliases that are another flag's, its own names, or said twice.
    fn without_taken_aliases(&self, flag: &Flag) -> Flag {
        let mut own = flag.clone();
        let mut longs: HashSet<&str> = flag.long.iter().map(String::as_str).collect();
        let mut shorts: HashSet<char> = flag.short.into_iter().collect();
        own.aliases = flag.aliases.iter().filter(|alias| longs.insert(alias)).cloned().collect();
        own.short_aliases = flag.short_aliases.iter().copied().filter(|alias| shorts.insert(*alias)).collect();
        own.aliases.retain(|alias| !self.longs.contains(alias));
        own.short_aliases.retain(|alias| !self.shorts.contains(alias));
        own
    }

    fn take_flag(&mut self, flag: &Flag) {
        self.ids.insert(flag_id(flag));
        self.longs.extend(flag.long.iter().chain(&flag.aliases).cloned());
        self.shorts.extend(flag.short.iter().chain(&flag.short_aliases));
    }

    /// A positional's id: its name in small letters, or as printed where an option has that id.
    fn id(&mut self, name: &str) -> String {
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
        let plain = plain.trim_matches('_');
        let small = if plain.is_empty() { "value".to_owned() } else { plain.to_lowercase() };
        let numbered = (2..).map(|n| format!("{small}_{n}"));
        let mut wanted = [small.clone(), plain.to_uppercase()].into_iter().chain(numbered).filter(|id| !id.is_empty());
        let id = wanted.find(|id| !self.ids.contains(id)).unwrap_or(small);
        self.ids.insert(id.clone());
        id
    }
}

fn flag_id(flag: &Flag) -> String {
    match (&flag.long, flag.short) {
        (Some(long), _) => long.replace('-', "_"),
        (None, Some(short)) => short.to_string(),
        (None, None) => String::new(),
    }
}

/// By what a flag is called, of which no two flags of a command share one.
#[derive(PartialEq, Eq, Hash)]
enum Name<'a> {
    Long(&'a str),
    Short(char),
}

fn names(flag: &Flag) -> impl Iterator<Item = Name<'_>> {
    let longs = flag.long.iter().chain(&flag.aliases).map(|long| Name::Long(long));
    longs.chain(flag.short.iter().chain(&flag.short_aliases).map(|short| Name::Short(*short)))
}

fn flag_arg(flag: &Flag) -> Arg {
    let mut arg =
        Arg::new(flag_id(flag)).visible_short_aliases(flag.short_aliases.clone()).visible_aliases(flag.aliases.clone());
    if let Some(long) = &flag.long {
        arg = arg.long(long.clone());
    }
    if let Some(short) = flag.short {
        arg = arg.short(short);
    }
    arg = given_by(helped(arg, &flag.help), flag.env.as_deref());
    let Takes::Values { names, optional, equals, more } = &flag.takes else {
        return arg.action(match (&flag.takes, flag.role) {
            (_, Role::Help) => ArgAction::Help,
            (Takes::Times, _) => ArgAction::Count,
            _ => ArgAction::SetTrue,
        });
    };
    if flag.role == Role::Help {
        return arg.action(ArgAction::Help);
    }
    let least = if *optional { 0 } else { names.len() };
    // What takes two values at least can't be joined to them.
    arg = arg.value_names(names.clone()).require_equals(*equals && least < 2).required(flag.required);
    arg = if *more {
        arg.action(ArgAction::Set).num_args(least..)
    } else {
        // Whether it may be given again is not told.
        arg.action(ArgAction::Append).num_args(least..=names.len()).add(MayRepeat)
    };
    arg = chosen(hinted(arg, names.iter().chain(&flag.long)), &flag.choices);
    if flag.required || flag.env.is_some() || names.len() > 1 || *more {
        arg
    } else {
        arg.default_values(flag.default.clone())
    }
}

/// The positionals, changed where clap itself would refuse their order; and whether one may be missing before the
/// last: `[A] <B>`.
fn arguments(arguments: &[Argument], taken: &mut Taken) -> (Vec<Arg>, bool) {
    let (last, plain): (Vec<&Argument>, Vec<&Argument>) = arguments.iter().partition(|argument| argument.last);
    let may_miss = match plain.as_slice() {
        // Behind two that are required clap's own checks allow none that may be missing.
        [before @ .., missing, last] if before.len() < 2 => {
            last.required && !missing.required && before.iter().all(|argument| argument.required)
        }
        _ => false,
    };
    let mut args = Vec::new();
    let mut all_required = true;
    // Beside a list behind `--` clap takes one only at the end.
    let list_behind = last.first().is_some_and(|last| last.more);
    for (at, argument) in plain.iter().enumerate() {
        let rest = &plain[at + 1..];
        // After an optional one nothing can be required.
        let required = argument.required && (all_required || may_miss && rest.is_empty());
        all_required &= required;
        args.push(argument_arg(argument, required, taken));
        let many = argument.more || argument.names > 1;
        let ends = matches!(rest, [next] if next.required && !next.more && (required || may_miss))
            && !(argument.more && list_behind);
        if many && !ends {
            // Nothing tells where the list would end.
            break;
        }
    }
    if let Some(last) = last.first() {
        args.push(argument_arg(last, last.required && all_required, taken).last(true));
    }
    (args, may_miss)
}

fn argument_arg(argument: &Argument, required: bool, taken: &mut Taken) -> Arg {
    let arg = Arg::new(taken.id(&argument.name)).value_name(argument.name.clone()).required(required);
    let arg = match (argument.names, argument.more) {
        (1, false) => arg,
        (least, true) => arg.num_args(least..),
        (least, false) => arg.num_args(least),
    };
    let arg = given_by(helped(arg, &argument.help), argument.env.as_deref());
    let arg = chosen(hinted(arg, [&argument.name]), &argument.choices);
    if required || argument.more || argument.names > 1 { arg } else { arg.default_values(argument.default.clone()) }
}

/// Marks what is a path by a word of its names, as authors call them: `<OUTPUT_FILE>`, `--cache-dir`.
fn hinted<'a>(arg: Arg, names: impl IntoIterator<Item = &'a String>) -> Arg {
    let is_path = |word: &str| PATH_WORDS.contains(&word.to_ascii_lowercase().as_str());
    let words = |name: &'a String| name.split(|c: char| !c.is_ascii_alphanumeric());
    match names.into_iter().flat_map(words).any(is_path) {
        true => arg.value_hint(ValueHint::AnyPath),
        false => arg,
    }
}

/// Notes the variables of `X` or `X or Y`.
fn given_by(arg: Arg, variables: Option<&str>) -> Arg {
    let is_name = |word: &&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && *word != "or";
    match variables {
        None => arg,
        Some(text) => {
            let words = text.split(|c: char| c.is_whitespace() || c == ',').filter(is_name);
            arg.add(GivenBy(words.filter(|word| !word.is_empty()).map(str::to_owned).collect()))
        }
    }
}

fn helped(arg: Arg, help: &str) -> Arg {
    match short_and_long(help) {
        Some((first, Some(whole))) => arg.help(first).long_help(whole),
        Some((first, None)) => arg.help(first),
        None => arg,
    }
}

fn chosen(arg: Arg, choices: &[(String, String)]) -> Arg {
    match choices {
        [] => return arg,
        [(a, no_help), (b, _)]
            if no_help.is_empty() && (a == "true" && b == "false" || a == "false" && b == "true") =>
        {
            return arg.value_parser(value_parser!(bool));
        }
        _ => {}
    }
    arg.value_parser(
        choices
            .iter()
            .map(|(name, help)| match help.as_str() {
                "" => PossibleValue::new(name.clone()),
                help => PossibleValue::new(name.clone()).help(help.to_owned()),
            })
            .collect::<Vec<_>>(),
    )
}

/// The first paragraph, and the whole where there is more.
fn short_and_long(text: &str) -> Option<(String, Option<String>)> {
    let text = text.trim();
    let first = text.split("\n\n").next().filter(|first| !first.is_empty())?;
    Some((first.to_owned(), (first.len() < text.len()).then(|| text.to_owned())))
}

/// Builds the commands below one; those of a large program's root side by side.
fn built(children: &[&Node], above: &[&Flag], is_root: bool) -> Vec<Command> {
    let threads = if is_root { processors().min(BUILDERS) } else { 1 };
    let parts = children.chunks(children.len().div_ceil(threads).max(CHILDREN_OF_A_BUILDER)).collect();
    let build = |part: &[&Node]| -> Vec<Command> { part.iter().map(|child| child.build(above, false)).collect() };
    side_by_side(parts, build).into_iter().flatten().collect()
}
