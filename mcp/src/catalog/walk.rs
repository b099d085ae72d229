//! Commands → operations: classification, and a reason for each command that is not exposed.

use super::inherited::{HandedDown, Level};
use super::params::{self, Enumerated, Site};
use super::parts::{self, Part};
use super::search::GroupAbout;
use super::secret::Filled;
use super::{
    CatalogError, Effect, Excuse, Excused, ExitMeaning, Fence, Hidden, Injected, Lint, Operation, Param, Settings,
    name, quiet, secret, text,
};
use crate::annotate::{ArgNote, CommandNote, Exposure, GivenBy};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// Everything that is read from a tree.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Walked {
    pub(super) operations: Vec<Arc<Operation>>,
    /// The other ways to say each operation's path, by visible aliases of any of its words.
    pub(super) spoken: Vec<Vec<String>>,
    pub(super) excused: Vec<Excused>,
    pub(super) inject: Vec<Injected>,
    /// Commands with subcommands.
    pub(super) groups: Vec<GroupAbout>,
    pub(super) lints: Vec<Lint>,
    /// The values of secrets, as far as they are known here.
    pub(super) hidden: Vec<Hidden>,
}

/// Reads a tree as its author made it, in at most so many parts; afterwards it is the same. clap panics on a wrong tree.
pub(super) fn walk(author: &mut Command, settings: &Settings, parts: usize) -> Result<Walked, CatalogError> {
    // What settings name may be in any part, or appear once clap builds the tree as a whole.
    let parts = if parts > 1 && check(settings, author).is_err() { 1 } else { parts };
    let parts = parts::cut(author, parts);
    let (author, is_large) = (&*author, parts.len() > 1);
    let read = |part| {
        let (walked, copy) = quiet::catch(|| walk_part(author, part, settings)).map_err(CatalogError::Tree)?;
        match is_large {
            true => parts::free(copy),
            false => drop(copy),
        }
        walked
    };
    let mut walked = parts::side_by_side(parts, read).into_iter();
    let mut out = walked.next().unwrap_or_else(|| Ok(Walked::default()))?;
    for part in walked {
        out.append(part?);
    }
    check_former(&out.operations)?;
    let paths: Vec<&[String]> = out.operations.iter().map(|operation| operation.path.as_slice()).collect();
    let root = [author.get_name().to_owned()];
    let named: Vec<&[String]> = paths.iter().map(|path| if path.is_empty() { root.as_slice() } else { path }).collect();
    let tools = name::tools(&named, settings.tool_prefix.as_deref().unwrap_or_default(), &settings.reserved);
    for (operation, tool) in out.operations.iter_mut().zip(tools) {
        // Nobody else has it yet.
        Arc::make_mut(operation).tool = tool;
    }
    Ok(out)
}

impl Walked {
    /// Adds what was read from the next part.
    fn append(&mut self, part: Self) {
        self.operations.extend(part.operations);
        self.spoken.extend(part.spoken);
        self.excused.extend(part.excused);
        self.groups.extend(part.groups);
        self.lints.extend(part.lints);
        self.hidden.extend(part.hidden);
    }
}

/// Reads a part from a copy of it, and gives the copy back; a part that is the whole tree has what settings name.
fn walk_part(author: &Command, part: Part, settings: &Settings) -> (Result<Walked, CatalogError>, Command) {
    let built = build(|| part.tree(author));
    let named = if part.is_whole() { check(settings, &built) } else { Ok(()) };
    (named.and_then(|()| walk_built(author, &built, part, settings)), built)
}

fn walk_built(author: &Command, built: &Command, part: Part, settings: &Settings) -> Result<Walked, CatalogError> {
    let inject = inject(&part.root, built, settings)?;
    let gates = RefCell::default();
    let mut walker = Walker {
        settings,
        inject: &inject,
        children: part.children,
        ancestors: Vec::new(),
        gates: &gates,
        out: Walked::default(),
    };
    walker.visit(built, &Here { author: Some(author), ..Here::default() })?;
    let Walker { mut out, .. } = walker;
    out.inject = inject;
    Ok(out)
}

/// Builds a copy of a tree for reading.
///
/// clap's `build` copies every global arg into every command, adds `--help` everywhere, and mirrors
/// the whole tree under `help` at every level: most of its cost, and nothing that is read here. But its
/// debug assertions refuse a command that names an arg which was left out; then the copies stay.
fn build(copy: impl Fn() -> Command) -> Command {
    let whole = || copy().disable_help_subcommand(true);
    let lean = || {
        let mut lean = whole().disable_help_flag(true).disable_version_flag(true);
        keep_globals_apart(&mut lean);
        lean.build();
        lean
    };
    quiet::catch(lean).unwrap_or_else(|_| {
        let mut built = whole();
        built.build();
        built
    })
}

fn keep_globals_apart(command: &mut Command) {
    if command.get_arguments().any(Arg::is_global_set) {
        *command = std::mem::take(command).mut_args(|arg| arg.global(false));
    }
    command.get_subcommands_mut().for_each(keep_globals_apart);
}

/// Where the walk stands.
#[derive(Default)]
struct Here<'a> {
    path: Vec<String>,
    /// The path joined by spaces, empty for the root.
    name: String,
    /// The other ways to say it.
    spoken: Vec<String>,
    /// Paths that led here before.
    former: Vec<String>,
    /// The same command before it was built, unless it was deferred.
    author: Option<&'a Command>,
    /// What excuses the whole subtree.
    excuse: Option<Excuse>,
    handed_down: Rc<HandedDown<'a>>,
}

struct Walker<'a> {
    settings: &'a Settings,
    inject: &'a [Injected],
    /// The root's children to read; what there is to say of the root itself comes with the first.
    children: Range<usize>,
    ancestors: Vec<Level<'a>>,
    gates: &'a RefCell<Vec<(*const Arg, Arc<Param>)>>,
    out: Walked,
}

impl<'a> Walker<'a> {
    fn visit(&mut self, command: &'a Command, here: &Here<'a>) -> Result<(), CatalogError> {
        let is_root = here.path.is_empty();
        let name = if is_root { command.get_name() } else { &here.name };
        let inherited = here.excuse.or_else(|| self.subtree_excuse(command, name));
        let level = Level::new(command, here.author, &here.handed_down);
        if inherited.is_none() && command.has_subcommands() && !is_root {
            let (about, _) = text::short_and_long(command.get_about(), command.get_long_about());
            self.out.groups.push(GroupAbout { name: name.to_owned(), about });
        }
        if !is_root || self.children.start == 0 {
            self.out.hidden.extend(level.own.iter().copied().filter_map(hidden));
            let reason = match inherited.or_else(|| self.own_excuse(command, name)) {
                Some(reason) => Some(reason),
                None => self.expose(&level, name, here)?,
            };
            self.out.excused.extend(reason.map(|reason| Excused { path: name.to_owned(), reason }));
        }
        let handed_down = match command.has_subcommands() {
            true => Rc::new(here.handed_down.below(&level)),
            false => Rc::default(),
        };
        self.ancestors.push(level);
        let mut authors = here.author.map(Command::get_subcommands).into_iter().flatten();
        let mut siblings = HashSet::new();
        for (n, child) in command.get_subcommands().enumerate() {
            let word = child.get_name();
            if !siblings.insert(word) {
                return Err(CatalogError::Tree(format!("two commands are called `{word}` under `{name}`")));
            }
            let author = authors.next().filter(|author| author.get_name() == word);
            if is_root && !self.children.contains(&n) {
                continue;
            }
            let is_help =
                word == "help" && (is_root || here.author.is_some_and(Command::is_disable_help_subcommand_set));
            let there = Here {
                path: here.path.iter().cloned().chain([word.to_owned()]).collect(),
                name: below(&here.name, word),
                spoken: spoken(here, child),
                former: former(here, child),
                author,
                excuse: inherited.or(is_help.then_some(Excuse::Framework)),
                handed_down: Rc::clone(&handed_down),
            };
            self.visit(child, &there)?;
        }
        self.ancestors.pop();
        Ok(())
    }

    /// What excuses a command with everything below it.
    fn subtree_excuse(&self, command: &Command, name: &str) -> Option<Excuse> {
        let exposure = exposure(command);
        let hidden =
            command.is_hide_set() || exposure == Exposure::Hidden || self.settings.hide.iter().any(|path| path == name);
        let framework = (exposure == Exposure::Framework).then_some(Excuse::Framework);
        hidden.then_some(Excuse::Hidden).or(framework)
    }

    /// What excuses a command alone.
    fn own_excuse(&self, command: &Command, name: &str) -> Option<Excuse> {
        let exposed = exposure(command) == Exposure::Exposed || self.settings.expose.iter().any(|path| path == name);
        let external = command.is_allow_external_subcommands_set();
        if external && !exposed {
            return Some(Excuse::TakesCommands);
        }
        let dispatches =
            command.has_subcommands() && !external && !runs_by_itself(command, self.ancestors.is_empty(), exposed);
        let withheld = exposure(command) == Exposure::Withheld;
        dispatches.then_some(Excuse::Group).or(withheld.then_some(Excuse::Denied))
    }

    /// What was said of the whole CLI.
    fn whole(&self) -> Option<&CommandNote> {
        self.ancestors.first().and_then(|root| root.command.get::<CommandNote>())
    }

    /// That of the command, over that of the whole CLI.
    fn fence(&self, note: &CommandNote) -> Fence {
        self.whole().map_or_else(|| note.fence.clone(), |root| note.fence.over(&root.fence))
    }

    /// Those of the command, then those of the whole CLI.
    fn exit_codes(&self, note: &CommandNote) -> Vec<ExitMeaning> {
        let mut codes = note.exit_codes.clone();
        let whole = self.whole().into_iter().flat_map(|root| &root.exit_codes);
        for meaning in whole {
            if codes.iter().all(|known| known.code != meaning.code) {
                codes.push(meaning.clone());
            }
        }
        codes
    }

    /// Adds the operation, or tells why no call of it could succeed.
    fn expose(&mut self, level: &Level<'a>, name: &str, here: &Here<'a>) -> Result<Option<Excuse>, CatalogError> {
        let command = level.command;
        let silent = CommandNote::default();
        let note = command.get::<CommandNote>().unwrap_or(&silent);
        let read_only = note.effect == Some(Effect::ReadOnly) && note.mutating_when.is_empty();
        let site = Site {
            level,
            ancestors: &self.ancestors,
            handed_down: &here.handed_down,
            path: name,
            settings: self.settings,
            injected: self.inject,
            gates: self.gates,
        };
        let Enumerated { params, filled, secrets, constraints, uncallable, lints } =
            params::enumerate(&site, read_only);
        if uncallable {
            return Ok(Some(Excuse::NotCallable));
        }
        let mut mutating_when = Vec::new();
        let mut declared = note.effect;
        for wanted in &note.mutating_when {
            let Some(arg) = command.get_arguments().find(|arg| params::is_called(arg, wanted)) else {
                return Err(no_such_name("mutating_when", wanted, &format!("`{name}`"), arg_names(command)));
            };
            // Where the host's environment sets it, every call does.
            if arg.get_env().is_some_and(|variable| std::env::var_os(variable).is_some())
                || arg.get::<GivenBy>().is_some_and(GivenBy::is_set)
            {
                declared = declared.map(|effect| effect.max(Effect::Mutating));
            }
            // A param that no caller can set can't widen a call either.
            let param = params.iter().find(|param| param.id == arg.get_id().as_str());
            mutating_when.extend(param.map(|param| param.name.clone()));
        }
        let (about, long_about) = text::short_and_long(command.get_about(), command.get_long_about());
        self.out.lints.extend(lints);
        self.out.spoken.push(here.spoken.clone());
        self.out.operations.push(Arc::new(Operation {
            path: here.path.clone(),
            name: name.to_owned(),
            tool: String::new(),
            aliases: last_word_aliases(command, &here.path),
            former: here.former.clone(),
            about,
            long_about,
            declared,
            mutating_when,
            params,
            filled,
            secrets,
            constraints,
            examples: note.examples.clone(),
            escape: params::escape(command),
            untrusted_output: note.untrusted_output,
            timeout: note.timeout,
            silence: note.silence,
            output_bytes: note.output_bytes,
            approval: note.approval,
            applying: note.applying.unwrap_or(self.settings.applying),
            exit_codes: self.exit_codes(note),
            fence: self.fence(note),
        }));
        Ok(None)
    }
}

fn below(above: &str, word: &str) -> String {
    if above.is_empty() { word.to_owned() } else { format!("{above} {word}") }
}

/// Returns the ways to say a child's path beside its name.
fn spoken(here: &Here<'_>, child: &Command) -> Vec<String> {
    let mut aliases = child.get_visible_aliases().peekable();
    if here.spoken.is_empty() && aliases.peek().is_none() {
        return Vec::new();
    }
    let words: Vec<&str> = std::iter::once(child.get_name()).chain(aliases).collect();
    let starts = std::iter::once(&here.name).chain(&here.spoken);
    let ways = starts.flat_map(|start| words.iter().map(move |word| below(start, word)));
    ways.skip(1).take(SPOKEN_MAX).collect()
}

/// Returns the value of a secret, where the host knows it.
fn hidden(arg: &Arg) -> Option<Hidden> {
    let named = arg.get_env().map(|variable| vec![variable.to_owned()]);
    let told = || arg.get::<GivenBy>().map(|given| given.0.iter().map(Into::into).collect());
    let of_environment = || {
        let variables = named.or_else(told).unwrap_or_default();
        variables.into_iter().find_map(|variable| std::env::var(variable).ok()).map(Hidden::new)
    };
    secret::is_secret(arg).then(|| arg.get::<Filled>().map(|filled| filled.0.clone()).or_else(of_environment))?
}

/// How many ways to say one path are kept.
const SPOKEN_MAX: usize = 64;

fn exposure(command: &Command) -> Exposure {
    command.get::<CommandNote>().map(|note| note.exposure).unwrap_or_default()
}

/// Tells whether a command with subcommands is also one that runs, by what clap enforces.
///
/// clap does not tell what a program does with a bare group. A root without args of its own is taken
/// to print help; below the root, a group that clap lets through is taken to run.
fn runs_by_itself(command: &Command, is_root: bool, exposed: bool) -> bool {
    let own = |arg: &&Arg| !arg.is_global_set() && !params::is_action_only(arg);
    let has_own = command.get_arguments().any(|arg| own(&arg));
    let may_be_bare = !is_root && !command.is_arg_required_else_help_set();
    !command.is_subcommand_required_set() && (has_own || may_be_bare || exposed)
}

/// Returns the paths that led to a child before: its own former ones, and those of what stands above.
fn former(here: &Here<'_>, child: &Command) -> Vec<String> {
    let own = child.get::<CommandNote>().map(|note| note.former.clone()).unwrap_or_default();
    here.former.iter().map(|above| format!("{above} {}", child.get_name())).chain(own).collect()
}

fn last_word_aliases(command: &Command, path: &[String]) -> Vec<String> {
    let Some((_, above)) = path.split_last() else { return Vec::new() };
    let alias = |alias: &str| above.iter().map(String::as_str).chain([alias]).collect::<Vec<_>>().join(" ");
    command.get_visible_aliases().map(alias).collect()
}

/// Resolves the flags that the host puts first.
fn inject(author: &Command, built: &Command, settings: &Settings) -> Result<Vec<Injected>, CatalogError> {
    let mut inject = Vec::new();
    for token in &settings.inject {
        let arg = built.get_arguments().find(|arg| is_written(arg, token));
        let is_default = Settings::default().inject.contains(token);
        let values = arg.and_then(|arg| parsed_values(author, arg, token));
        match (arg, values) {
            (Some(arg), Some(values)) => {
                let secret = arg.get::<ArgNote>() == Some(&ArgNote::Secret);
                inject.push(Injected { id: arg.get_id().to_string(), token: token.clone(), values, secret });
            }
            (None, _) if is_default => {}
            _ => return Err(no_such_name("inject", token, "the root", arg_names(built))),
        }
    }
    Ok(inject)
}

fn is_written(arg: &Arg, token: &str) -> bool {
    match token.strip_prefix("--") {
        Some(long) => {
            let long = long.split_once('=').map_or(long, |(long, _)| long);
            arg.get_long_and_visible_aliases().is_some_and(|names| names.contains(&long))
        }
        None => {
            token.strip_prefix('-').and_then(|rest| rest.chars().next()).is_some_and(|c| arg.get_short() == Some(c))
        }
    }
}

/// The raw values that clap reports for a token; `None` where it does not set the arg.
fn parsed_values(author: &Command, arg: &Arg, token: &str) -> Option<Vec<String>> {
    let lenient = author.clone().ignore_errors(true).multicall(false).no_binary_name(true);
    let mut lenient = lenient.subcommand_required(false).arg_required_else_help(false);
    let matches = lenient.try_get_matches_from_mut([token]).ok()?;
    let id = arg.get_id().as_str();
    if matches.value_source(id) != Some(ValueSource::CommandLine) {
        return None;
    }
    Some(matches.get_raw(id)?.map(|value| value.to_string_lossy().into_owned()).collect())
}

/// Finds a former path that is another command's name now: a call by it would have two readings.
fn check_former(operations: &[Arc<Operation>]) -> Result<(), CatalogError> {
    for operation in operations {
        for former in &operation.former {
            let taken = |other: &&Arc<Operation>| {
                other.name == *former || other.name != operation.name && other.former.contains(former)
            };
            if let Some(other) = operations.iter().find(taken) {
                let (name, now, other) = (former.clone(), operation.name.clone(), other.name.clone());
                return Err(CatalogError::FormerName { name, now, other });
            }
        }
    }
    Ok(())
}

fn arg_names(command: &Command) -> Vec<String> {
    let names = command.get_arguments().filter(|arg| !params::is_action_only(arg));
    names.map(|arg| arg.get_long().map_or_else(|| name::dashed(arg.get_id().as_str()), str::to_owned)).collect()
}

fn no_such_name(what: &'static str, name: &str, place: &str, valid: Vec<String>) -> CatalogError {
    let wanted = name.trim_start_matches('-');
    let nearest = name::closest(wanted, valid.iter().map(String::as_str), 1).first().map(ToString::to_string);
    CatalogError::NoSuchName { what, name: name.to_owned(), place: place.to_owned(), nearest }
}

/// Finds the settings that name nothing; the default names need not exist.
fn check(settings: &Settings, built: &Command) -> Result<(), CatalogError> {
    if !names_something(settings) {
        return Ok(());
    }
    let mut seen = Seen::default();
    seen.add(built, built.get_name().to_owned(), true);
    for (what, paths) in [("hide", &settings.hide), ("expose", &settings.expose)] {
        if let Some(path) = paths.iter().find(|path| !seen.paths.contains(*path)) {
            return Err(no_such_name(what, path, "the tree", seen.paths.into_iter().collect()));
        }
    }
    for (what, names) in named_args(settings) {
        for name in names {
            let (path, arg) = name.rsplit_once(' ').map_or((None, name.as_str()), |(path, arg)| (Some(path), arg));
            let arg = arg.trim_start_matches('-');
            let exists = seen.args.iter().any(|seen| name::is_same(seen, arg));
            if !exists || path.is_some_and(|path| !seen.paths.contains(path)) {
                return Err(no_such_name(what, &name, "the tree", seen.args.into_iter().collect()));
            }
        }
    }
    Ok(())
}

/// The args that settings name, without those that every CLI may have.
fn named_args(settings: &Settings) -> [(&'static str, Vec<String>); 2] {
    let default = Settings::default();
    let own = |names: &[String], known: &[String]| -> Vec<String> {
        names.iter().filter(|name| !known.contains(name)).cloned().collect()
    };
    [("gates", own(&settings.gates, &default.gates)), ("host_owned", own(&settings.host_owned, &default.host_owned))]
}

/// Tells whether settings name anything that has to be in the tree.
fn names_something(settings: &Settings) -> bool {
    let args = named_args(settings);
    !settings.hide.is_empty() || !settings.expose.is_empty() || args.iter().any(|(_, names)| !names.is_empty())
}

/// What settings may name.
#[derive(Default)]
struct Seen {
    paths: BTreeSet<String>,
    args: BTreeSet<String>,
}

impl Seen {
    fn add(&mut self, command: &Command, path: String, is_root: bool) {
        for child in command.get_subcommands() {
            let name = child.get_name();
            let path = if is_root { name.to_owned() } else { format!("{path} {name}") };
            self.add(child, path, false);
        }
        let names = command.get_arguments().flat_map(|arg| [arg.get_long(), Some(arg.get_id().as_str())]);
        self.args.extend(names.flatten().map(str::to_owned));
        self.paths.insert(path);
    }
}
