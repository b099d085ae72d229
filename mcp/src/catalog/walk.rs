//! Commands → operations: classification, and a reason for each command that is not exposed.

use super::inherited::{HandedDown, Level};
use super::params::{self, Enumerated, Site};
use super::search::GroupAbout;
use super::{
    CatalogError, Effect, Excuse, Excused, ExitMeaning, Fence, Injected, Lint, Operation, Param, Settings, name, quiet,
    text,
};
use crate::annotate::{CommandNote, Exposure};
use clap::parser::ValueSource;
use clap::{Arg, Command};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Everything that is read from a tree.
#[derive(Default)]
pub(super) struct Walked {
    pub(super) operations: Vec<Operation>,
    /// Every way to say each operation's path, by visible aliases of any of its words.
    pub(super) spoken: Vec<Vec<String>>,
    pub(super) excused: Vec<Excused>,
    pub(super) inject: Vec<Injected>,
    /// Commands with subcommands.
    pub(super) groups: Vec<GroupAbout>,
    pub(super) lints: Vec<Lint>,
}

/// Reads a tree as its author made it. clap panics on a wrong tree.
pub(super) fn walk(author: &Command, settings: &Settings) -> Result<Walked, CatalogError> {
    let built = build(author);
    check(settings, &built)?;
    let inject = inject(author, &built, settings)?;
    let gates = RefCell::default();
    let mut walker = Walker { settings, inject: &inject, ancestors: Vec::new(), gates: &gates, out: Walked::default() };
    let here = Here {
        path: Vec::new(),
        spoken: vec![String::new()],
        former: Vec::new(),
        author: Some(author),
        excuse: None,
        handed_down: Rc::default(),
    };
    walker.visit(&built, &here)?;
    let Walker { mut out, .. } = walker;
    check_former(&out.operations)?;
    let paths: Vec<&[String]> = out.operations.iter().map(|operation| operation.path.as_slice()).collect();
    let root = [author.get_name().to_owned()];
    let named: Vec<&[String]> = paths.iter().map(|path| if path.is_empty() { root.as_slice() } else { path }).collect();
    let tools = name::tools(&named, settings.tool_prefix.as_deref().unwrap_or_default(), &settings.reserved);
    for (operation, tool) in out.operations.iter_mut().zip(tools) {
        operation.tool = tool;
    }
    out.inject = inject;
    Ok(out)
}

/// Builds a copy of a tree for reading.
///
/// clap's `build` copies every global arg into every command, adds `--help` everywhere, and mirrors
/// the whole tree under `help` at every level: most of its cost, and nothing that is read here. But its
/// debug assertions refuse a command that names an arg which was left out; then the copies stay.
fn build(author: &Command) -> Command {
    let whole = || author.clone().disable_help_subcommand(true);
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
struct Here<'a> {
    path: Vec<String>,
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
    ancestors: Vec<Level<'a>>,
    gates: &'a RefCell<Vec<(*const Arg, Arc<Param>)>>,
    out: Walked,
}

impl<'a> Walker<'a> {
    fn visit(&mut self, command: &'a Command, here: &Here<'a>) -> Result<(), CatalogError> {
        let name = if here.path.is_empty() { command.get_name().to_owned() } else { here.path.join(" ") };
        let inherited = here.excuse.or_else(|| self.subtree_excuse(command, &name));
        let level = Level::new(command, here.author, &here.handed_down);
        if inherited.is_none() && command.has_subcommands() && !here.path.is_empty() {
            let (about, _) = text::short_and_long(command.get_about(), command.get_long_about());
            self.out.groups.push(GroupAbout { name: name.clone(), about });
        }
        let excuse = inherited.or_else(|| self.own_excuse(command, &name));
        let reason = match excuse {
            Some(reason) => Some(reason),
            None => self.expose(&level, &name, here)?,
        };
        if let Some(reason) = reason {
            self.out.excused.push(Excused { path: name.clone(), reason });
        }
        let handed_down = match command.has_subcommands() {
            true => Rc::new(here.handed_down.below(&level)),
            false => Rc::default(),
        };
        self.ancestors.push(level);
        let mut authors = here.author.map(Command::get_subcommands).into_iter().flatten();
        let mut siblings = HashSet::new();
        for child in command.get_subcommands() {
            let word = child.get_name();
            if !siblings.insert(word) {
                return Err(CatalogError::Tree(format!("two commands are called `{word}` under `{name}`")));
            }
            let author = authors.next().filter(|author| author.get_name() == word);
            let is_help = word == "help"
                && (here.path.is_empty() || here.author.is_some_and(Command::is_disable_help_subcommand_set));
            let words = || std::iter::once(word).chain(child.get_visible_aliases());
            let join = |start: &String| {
                let start = start.clone();
                words()
                    .map(move |word| if start.is_empty() { word.to_owned() } else { format!("{start} {word}") })
                    .collect::<Vec<_>>()
            };
            let below = Here {
                path: here.path.iter().cloned().chain([word.to_owned()]).collect(),
                spoken: here.spoken.iter().flat_map(join).take(SPOKEN_MAX).collect(),
                former: former(here, child),
                author,
                excuse: inherited.or(is_help.then_some(Excuse::Framework)),
                handed_down: Rc::clone(&handed_down),
            };
            self.visit(child, &below)?;
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
        let Enumerated { params, constraints, uncallable, lints } = params::enumerate(&site, read_only);
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
            if arg.get_env().is_some_and(|variable| std::env::var_os(variable).is_some()) {
                declared = declared.map(|effect| effect.max(Effect::Mutating));
            }
            // A param that no caller can set can't widen a call either.
            let param = params.iter().find(|param| param.id == arg.get_id().as_str());
            mutating_when.extend(param.map(|param| param.name.clone()));
        }
        let (about, long_about) = text::short_and_long(command.get_about(), command.get_long_about());
        self.out.lints.extend(lints);
        self.out.spoken.push(here.spoken.clone());
        self.out.operations.push(Operation {
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
            constraints,
            examples: note.examples.clone(),
            escape: params::escape(command),
            untrusted_output: note.untrusted_output,
            timeout: note.timeout,
            output_bytes: note.output_bytes,
            exit_codes: self.exit_codes(note),
            fence: self.fence(note),
        });
        Ok(None)
    }
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
                inject.push(Injected { id: arg.get_id().to_string(), token: token.clone(), values });
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
fn check_former(operations: &[Operation]) -> Result<(), CatalogError> {
    for operation in operations {
        for former in &operation.former {
            let taken = |other: &&Operation| {
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
    let default = Settings::default();
    let own = |names: &[String], known: &[String]| -> Vec<String> {
        names.iter().filter(|name| !known.contains(name)).cloned().collect()
    };
    let named_paths = [("hide", &settings.hide), ("expose", &settings.expose)];
    let named_args = [
        ("gates", own(&settings.gates, &default.gates)),
        ("host_owned", own(&settings.host_owned, &default.host_owned)),
    ];
    if named_paths.iter().all(|(_, paths)| paths.is_empty()) && named_args.iter().all(|(_, names)| names.is_empty()) {
        return Ok(());
    }
    let mut seen = Seen::default();
    seen.add(built, built.get_name().to_owned(), true);
    for (what, paths) in named_paths {
        if let Some(path) = paths.iter().find(|path| !seen.paths.contains(*path)) {
            return Err(no_such_name(what, path, "the tree", seen.paths.into_iter().collect()));
        }
    }
    for (what, names) in named_args {
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
