//! From the file to the tree: annotations and settings.

use super::{CommandRule, Declared, ExitCode, Pattern, Policy, PolicyError, Standing};
use crate::annotate::{CommandNote, Exposure, host_owned, plain, secret};
use crate::catalog::{self, ExitMeaning, Settings, is_called};
use crate::exec::Surroundings;
use crate::folders::from_home;
use clap::builder::Resettable;
use clap::{Arg, Command, Id};
use std::collections::BTreeMap;

impl Policy {
    /// Declares on a tree what the policy says of it; `tools` are those that are no commands.
    ///
    /// # Errors
    /// [`PolicyError::NamesNothing`] for a pattern or a name that nothing in the tree bears.
    pub(crate) fn apply(
        &self,
        command: Command,
        tools: &[String],
        settings: &mut Settings,
    ) -> Result<Command, PolicyError> {
        if let Some(gates) = &self.gates {
            settings.gates.clone_from(gates);
        }
        if let Some(inject) = &self.inject {
            settings.inject.clone_from(inject);
        }
        if let Some(apply) = self.apply {
            settings.applying = apply.into();
        }
        settings.tool_prefix.clone_from(&self.tool_prefix);
        let mut seen = Vec::new();
        see(&command, &self.base, &mut seen);
        // Behind fixed words only a part of the tree is at hand, in which most names are rightly missing.
        if self.names_must_exist && self.base.is_empty() {
            self.check(&command, &seen, tools)?;
        }
        let mut rules = self.commands.clone();
        for rule in &mut rules {
            let has = |name: &String| {
                let matched = seen.iter().filter(|(path, _)| rule.matches(path));
                matched.flat_map(|(_, command)| command.get_arguments()).any(|arg| is_called(arg, name))
            };
            // Whether a call only reads can't be told where a param that decides it is gone or renamed.
            if !rule.mutating_when.iter().all(has) {
                rule.effect = rule.effect.filter(|effect| *effect != Declared::ReadOnly);
            }
        }
        Ok(self.declare(&rules, command, &self.base))
    }

    /// Tells whether `expose` and `deny` leave a path, or a tool that is no command.
    pub(crate) fn offers(&self, path: &str) -> bool {
        let named = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.covers(path));
        !named(&self.deny) && (self.default == Standing::Allow || named(&self.expose))
    }

    /// Tells whether it says what only a command that is a process of its own can be held to.
    pub(crate) fn fences(&self) -> bool {
        let rules = self.commands.iter().map(|rule| &rule.read_only);
        std::iter::once(&self.read_only).chain(rules).any(|said| *said != super::ReadOnly::default())
    }

    /// Fails where commands are to start in a folder that is not there.
    pub(crate) fn check_cwd(&self) -> Result<(), PolicyError> {
        match self.cwd.as_deref().map(from_home) {
            Some(folder) if !folder.is_dir() => Err(PolicyError::NoFolder { path: self.file.clone(), folder }),
            _ => Ok(()),
        }
    }

    /// Returns where commands run.
    pub(crate) fn surroundings(&self) -> Surroundings {
        let set = self.environment.set.iter().map(|(name, value)| (name.clone(), value.clone()));
        Surroundings {
            pass: self.environment.pass.clone(),
            set: set.collect(),
            secrets: Vec::new(),
            cwd: self.cwd.as_deref().map(from_home),
        }
    }

    /// Declares on a command and everything below it.
    fn declare(&self, rules: &[CommandRule], mut command: Command, path: &str) -> Command {
        for child in command.get_subcommands_mut() {
            let below = join(path, child.get_name());
            let taken = std::mem::take(child);
            *child = self.declare(rules, taken, &below);
        }
        let found = command.get::<CommandNote>().cloned();
        let mut note = found.clone().unwrap_or_default();
        note.exposure = self.exposure(&command, path, note.exposure);
        if path == self.base {
            note.exit_codes = over(meanings(&self.exit_codes), note.exit_codes);
            note.fence = self.read_only.fence().over(&note.fence);
        }
        for rule in rules.iter().filter(|rule| rule.matches(path)) {
            command = declare_rule(rule, command, &mut note);
        }
        if note != found.unwrap_or_default() {
            command = command.add(note);
        }
        // Of an arg that is named twice a secret keeps more.
        for (names, note) in [(&self.not_secret, plain()), (&self.host_owned, host_owned()), (&self.secret, secret())] {
            let named: Vec<Id> = named_args(&command, path, names).map(|arg| arg.get_id().clone()).collect();
            // One by one they would change their places.
            command = command.mut_args(|arg| if named.contains(arg.get_id()) { arg.add(note) } else { arg });
        }
        command
    }

    fn exposure(&self, command: &Command, path: &str, found: Exposure) -> Exposure {
        let meant =
            |names: &dyn Fn(&Pattern) -> bool| self.expose.iter().any(|pattern| pattern.is_literal() && names(pattern));
        match found {
            Exposure::Hidden | Exposure::Framework => found,
            _ if !self.offers(path) => Exposure::Withheld,
            _ if command.is_allow_external_subcommands_set() && meant(&|pattern| pattern.matches(path)) => {
                Exposure::Exposed
            }
            // A policy below this one had said no.
            Exposure::Withheld if meant(&|pattern| pattern.covers(path)) => Exposure::Classified,
            _ => found,
        }
    }

    /// Finds the patterns and names that mean nothing.
    fn check(&self, root: &Command, seen: &[(String, &Command)], tools: &[String]) -> Result<(), PolicyError> {
        let patterns = self.commands.iter().flat_map(|rule| rule.patterns.iter().map(|pattern| ("match", pattern)));
        let of_principals = self.principals.values().flat_map(|rule| {
            let allow = rule.allow.iter().flatten().map(|pattern| ("principal allow", pattern));
            allow.chain(rule.deny.iter().flatten().map(|pattern| ("principal deny", pattern)))
        });
        let patterns = patterns.chain(of_principals).chain(self.deny.iter().map(|pattern| ("deny", pattern)));
        for (what, pattern) in patterns.chain(self.expose.iter().map(|pattern| ("expose", pattern))) {
            let is_tool = what != "match" && tools.iter().any(|tool| pattern.matches(tool));
            if !is_tool && !seen.iter().any(|(path, _)| pattern.matches(path)) {
                let text = pattern.to_string();
                // By an alias the reader means just one command.
                let paths: Vec<&str> = match named(root, &text) {
                    Some(path) => seen.iter().map(|(seen, _)| seen.as_str()).filter(|seen| *seen == path).collect(),
                    None => seen.iter().map(|(path, _)| path.as_str()).collect(),
                };
                let nearest = match paths.as_slice() {
                    [only] => Some(*only),
                    _ => catalog::closest(&text, paths.into_iter(), 1).first().copied(),
                };
                return Err(self.names_nothing(what, &text, root, nearest));
            }
        }
        let filled: Vec<String> = self.secrets.keys().cloned().collect();
        let named = [
            ("host-owned", &self.host_owned),
            ("secret", &self.secret),
            ("not-secret", &self.not_secret),
            ("secrets", &filled),
        ];
        for (what, names) in named {
            for name in names {
                let names = std::slice::from_ref(name);
                if !seen.iter().any(|(path, command)| named_args(command, path, names).next().is_some()) {
                    let known: Vec<String> = seen.iter().flat_map(|(_, command)| args(command)).collect();
                    return Err(self.names_nothing(what, name, root, nearest(name, &known)));
                }
            }
        }
        for rule in &self.commands {
            let matched = || seen.iter().filter(|(path, _)| rule.matches(path));
            for name in &rule.mutating_when {
                if !matched().any(|(_, command)| command.get_arguments().any(|arg| is_called(arg, name))) {
                    let known: Vec<String> = matched().flat_map(|(_, command)| args(command)).collect();
                    return Err(self.names_nothing("mutating-when", name, root, nearest(name, &known)));
                }
            }
        }
        Ok(())
    }

    fn names_nothing(&self, what: &'static str, name: &str, root: &Command, nearest: Option<&str>) -> PolicyError {
        let (path, name, nearest) = (self.file.clone(), name.to_owned(), nearest.map(str::to_owned));
        PolicyError::NamesNothing { path, what, name, root: root.get_name().to_owned(), nearest }
    }
}

fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    // The root has no name here: nothing is near to that.
    let known = known.iter().map(String::as_str).filter(|known| !known.is_empty());
    catalog::closest(name, known, 1).first().copied()
}

/// Returns the path of the command that words lead to, aliases among them.
fn named(root: &Command, words: &str) -> Option<String> {
    let (mut command, mut path) = (root, Vec::new());
    for word in words.split_whitespace() {
        command = command.find_subcommand(word)?;
        path.push(command.get_name());
    }
    Some(path.join(" "))
}

impl CommandRule {
    fn matches(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path))
    }
}

fn declare_rule(rule: &CommandRule, mut command: Command, note: &mut CommandNote) -> Command {
    if let Some(effect) = rule.effect {
        note.effect = Some(effect.into());
    }
    if !rule.mutating_when.is_empty() {
        let has = |name: &&String| command.get_arguments().any(|arg| is_called(arg, name));
        note.mutating_when = rule.mutating_when.iter().filter(has).cloned().collect();
    }
    if !rule.examples.is_empty() {
        let example =
            |example: &super::Example| catalog::Example { title: example.title.clone(), line: example.line.clone() };
        note.examples = rule.examples.iter().map(example).collect();
    }
    note.approval = rule.approval.map(Into::into).or(note.approval);
    note.applying = rule.apply.map(Into::into).or(note.applying);
    note.timeout = rule.timeout.or(note.timeout);
    note.silence = rule.silence.or(note.silence);
    note.output_bytes = rule.output_bytes.or(note.output_bytes);
    note.untrusted_output = rule.untrusted_output.unwrap_or(note.untrusted_output);
    note.exit_codes = over(meanings(&rule.exit_codes), std::mem::take(&mut note.exit_codes));
    note.fence = rule.read_only.fence().over(&note.fence);
    if let Some(description) = &rule.description {
        command = command.about(description.clone()).long_about(Resettable::Reset);
    }
    command
}

fn meanings(codes: &BTreeMap<String, ExitCode>) -> Vec<ExitMeaning> {
    let meaning = |(code, said): (&String, &ExitCode)| {
        let ExitCode { kind, retryable, hint } = said.clone();
        // A policy with another key was refused when it was read.
        Some(ExitMeaning { code: code.parse().ok()?, kind, retryable, hint })
    };
    codes.iter().filter_map(meaning).collect()
}

/// Puts meanings before others: of a code that both know it is what these say.
fn over(mut these: Vec<ExitMeaning>, others: Vec<ExitMeaning>) -> Vec<ExitMeaning> {
    let unknown = |other: &ExitMeaning| these.iter().all(|known| known.code != other.code);
    let rest: Vec<ExitMeaning> = others.into_iter().filter(unknown).collect();
    these.extend(rest);
    these
}

/// The args of a command that are named: `NAME` on any command, `PATTERN NAME` on those that the pattern matches.
pub(super) fn named_args<'a>(command: &'a Command, path: &str, names: &[String]) -> impl Iterator<Item = &'a Arg> {
    let is_named = |arg: &&Arg| {
        names.iter().any(|name| match name.rsplit_once(' ') {
            Some((pattern, name)) => is_called(arg, name) && Pattern::new(pattern).matches(path),
            None => is_called(arg, name),
        })
    };
    command.get_arguments().filter(is_named)
}

fn args(command: &Command) -> impl Iterator<Item = String> {
    let name = |arg: &Arg| arg.get_long().map_or_else(|| arg.get_id().as_str().replace('_', "-"), str::to_owned);
    command.get_arguments().map(name)
}

fn see<'a>(command: &'a Command, path: &str, seen: &mut Vec<(String, &'a Command)>) {
    seen.push((path.to_owned(), command));
    for child in command.get_subcommands() {
        see(child, &join(path, child.get_name()), seen);
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path} {name}") }
}
