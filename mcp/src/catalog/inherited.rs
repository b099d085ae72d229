//! Which args of a command are its own, and which come from above.

use clap::{Arg, Command};
use std::cell::OnceCell;
use std::collections::HashSet;

/// One command on the way from the root, built.
pub(super) struct Level<'a> {
    pub(super) command: &'a Command,
    /// Its args, without clap's copies of the globals above.
    pub(super) own: Vec<&'a Arg>,
    /// Ids of those that it hands down.
    globals: HashSet<&'a str>,
}

impl<'a> Level<'a> {
    /// `author` is the command before it was built, unless it was deferred.
    pub(super) fn new(command: &'a Command, author: Option<&'a Command>, above: &HandedDown<'a>) -> Self {
        let written = author.into_iter().flat_map(Command::get_arguments).filter(|arg| arg.is_global_set());
        let mut globals: HashSet<&str> = written.map(|arg| arg.get_id().as_str()).collect();
        let is_copy = |arg: &Arg| arg.is_global_set() && above.holds(arg) && !globals.contains(arg.get_id().as_str());
        let own: Vec<&Arg> = command.get_arguments().filter(|arg| !is_copy(arg)).collect();
        globals.extend(own.iter().filter(|arg| arg.is_global_set()).map(|arg| arg.get_id().as_str()));
        Self { command, own, globals }
    }

    /// Tells whether an arg of this command is one that it hands down.
    pub(super) fn is_global(&self, arg: &Arg) -> bool {
        !self.globals.is_empty() && self.globals.contains(arg.get_id().as_str())
    }
}

/// The global args that reach a command from above.
#[derive(Default)]
pub(super) struct HandedDown<'a> {
    pub(super) args: Vec<&'a Arg>,
    together: OnceCell<Command>,
}

impl<'a> HandedDown<'a> {
    /// What reaches the commands below this one: an arg of its own stands before one from above.
    pub(super) fn below(&self, level: &Level<'a>) -> Self {
        let shadowed = |arg: &Arg| level.own.iter().any(|own| own.get_id() == arg.get_id());
        let kept = self.args.iter().copied().filter(|arg| !shadowed(arg));
        let own = level.own.iter().copied().filter(|arg| level.is_global(arg));
        Self { args: own.chain(kept).collect(), together: OnceCell::new() }
    }

    /// Returns a command that has just these args.
    pub(super) fn together(&self) -> &Command {
        self.together.get_or_init(|| Command::new("above").args(self.args.iter().copied().cloned()))
    }

    fn holds(&self, arg: &Arg) -> bool {
        self.args.iter().any(|held| held.get_id() == arg.get_id())
    }
}
