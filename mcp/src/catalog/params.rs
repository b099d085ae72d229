//! THE enumerator: what a caller may set on one command. Nothing else decides it.
//!
//! In order: every arg of the command itself, then the write gates among the inherited args, unless
//! the command is read-only. Never hidden args, help and version, args of the host, secrets.

use super::constraint::Constraints;
use super::inherited::{HandedDown, Level};
use super::lint::{Means, taken_for_secret};
use super::name::{Properties, is_same, property};
use super::secret::Filled;
use super::{
    BaseType, Escape, FilledParam, Injected, Lint, LintCode, Param, ParamKind, Repeat, Settings, Spelling, ValueType,
    secret, text, value,
};
use crate::annotate::{ArgNote, GivenBy};
use clap::{Arg, ArgAction, Command};
use std::cell::RefCell;
use std::sync::Arc;

/// One command and what stands above it, all built.
pub(super) struct Site<'a> {
    pub(super) level: &'a Level<'a>,
    /// From the root down, the command itself left out.
    pub(super) ancestors: &'a [Level<'a>],
    pub(super) handed_down: &'a HandedDown<'a>,
    /// The path joined by spaces.
    pub(super) path: &'a str,
    pub(super) settings: &'a Settings,
    pub(super) injected: &'a [Injected],
    /// The gates read so far: the same few on every command, so each is read once.
    pub(super) gates: &'a RefCell<Vec<(*const Arg, Arc<Param>)>>,
}

/// What a caller may set, and what follows from it.
pub(super) struct Enumerated {
    pub(super) params: Vec<Arc<Param>>,
    pub(super) filled: Vec<FilledParam>,
    /// Names of args that hold secrets and are not offered.
    pub(super) secrets: Vec<String>,
    pub(super) constraints: Vec<String>,
    /// Something that clap requires can be given neither by a caller nor by the host.
    pub(super) uncallable: bool,
    pub(super) lints: Vec<Lint>,
}

/// An arg that a caller may set, with how many commands down it is written.
struct Offered<'a> {
    arg: &'a Arg,
    depth: usize,
    inherited: bool,
}

/// What a param is called, and whether a call needs it.
struct Named {
    name: String,
    aliases: Vec<String>,
    required: bool,
}

/// Enumerates the params of a command.
pub(super) fn enumerate(site: &Site<'_>, read_only: bool) -> Enumerated {
    let offered = site.offered(read_only);
    let (names, mut lints) = site.name(&offered);
    lints.extend(site.recognised());
    let own: Vec<(&Arg, &str)> = offered
        .iter()
        .zip(&names)
        .filter(|(offered, _)| offered.depth == site.ancestors.len())
        .map(|(offered, name)| (offered.arg, name.as_str()))
        .collect();
    let constraints = Constraints::new(site.level.command, site.handed_down, &own);
    let waived =
        |arg: &Arg| own.iter().position(|(a, _)| a.get_id() == arg.get_id()).is_some_and(|n| constraints.waives(n));
    let aliases = aliases(&names, &offered);
    let required: Vec<bool> = offered.iter().map(|offered| is_needed(offered.arg) && !waived(offered.arg)).collect();
    let mut sentences = constraints.sentences();
    let uncallable = constraints.has_dead_group() || site.lacks_own(&offered) || site.lacks_above();
    let read = |(((offered, name), aliases), required)| site.read(offered, Named { name, aliases, required });
    let mut params: Vec<Arc<Param>> = offered.iter().zip(names).zip(aliases).zip(required).map(read).collect();
    if site.level.command.is_allow_external_subcommands_set() {
        params.push(Arc::new(site.external(&params)));
        sentences.extend(site.level.command.is_subcommand_required_set().then(|| "`external` is required.".to_owned()));
    }
    let secrets = site.reached().filter(|(arg, _)| secret::is_secret(arg)).map(|(arg, _)| wanted_name(arg)).collect();
    Enumerated { params, filled: site.filled(), secrets, constraints: sentences, uncallable, lints }
}

/// Tells whether an arg only prints help or the version.
pub(super) fn is_action_only(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version)
}

/// Tells whether an arg goes by a name: its long name or its id, `-` and `_` the same; its short one without a long.
pub(crate) fn is_called(arg: &Arg, name: &str) -> bool {
    let name = name.trim_start_matches('-');
    match arg.get_long() {
        Some(long) if is_same(long, name) => true,
        None if arg.get_short().is_some_and(|short| name.chars().eq([short])) => true,
        _ => is_same(arg.get_id().as_str(), name),
    }
}

/// Tells how a command reads positionals behind `--`.
pub(super) fn escape(command: &Command) -> Escape {
    if command.is_allow_missing_positional_set() {
        Escape::LastFirst
    } else if command.is_dont_delimit_trailing_values_set() {
        Escape::Undelimited
    } else {
        Escape::Plain
    }
}

/// clap refuses a call without it, and the host's environment can't give it.
fn is_needed(arg: &Arg) -> bool {
    arg.is_required_set() && arg.get_env().is_none() && arg.get::<Filled>().is_none()
}

impl<'a> Site<'a> {
    fn offered(&self, read_only: bool) -> Vec<Offered<'a>> {
        let depth = self.ancestors.len();
        let own = self.level.own.iter().copied().filter(|arg| self.may_be_set(arg, depth));
        let mut offered: Vec<_> = own.map(|arg| Offered { arg, depth, inherited: false }).collect();
        if read_only {
            return offered;
        }
        let globals = self.handed_down.args.iter().copied();
        let globals = globals.filter(|arg| self.is_gate(arg) && self.may_be_set(arg, depth));
        offered.extend(globals.map(|arg| Offered { arg, depth: self.depth_of(arg), inherited: true }));
        for (depth, ancestor) in self.ancestors.iter().enumerate() {
            if ancestor.command.is_args_conflicts_with_subcommands_set() {
                continue;
            }
            let own = ancestor.own.iter().copied().filter(|arg| !ancestor.is_global(arg) && !arg.is_positional());
            let gates = own.filter(|arg| self.is_gate(arg) && self.may_be_set(arg, depth));
            offered.extend(gates.map(|arg| Offered { arg, depth, inherited: true }));
        }
        offered
    }

    /// Where an arg from above is written: behind the command's own word, but for `-n=value` where clap would read
    /// that as the command's first positional.
    fn depth_of(&self, arg: &Arg) -> usize {
        let own = self.ancestors.len();
        let is_dashed = |arg: &Arg| arg.get_index() == Some(1) && arg.is_allow_hyphen_values_set();
        let is_read_as_value = arg.get_long().is_none() && arg.is_require_equals_set();
        if !is_read_as_value || !self.level.own.iter().copied().any(is_dashed) {
            return own;
        }
        let defines = |level: &Level<'_>| level.own.iter().any(|other| std::ptr::eq(*other, arg));
        let may_precede = |level: &Level<'_>| !level.command.is_args_conflicts_with_subcommands_set();
        self.ancestors.iter().position(|level| defines(level) && may_precede(level)).unwrap_or(own)
    }

    /// Every arg that a call of the command could write, with how many commands down that would be.
    fn reached(&self) -> impl Iterator<Item = (&'a Arg, usize)> {
        let depth = self.ancestors.len();
        let own = self.level.own.iter().chain(&self.handed_down.args).map(move |arg| (*arg, depth));
        let above = self.ancestors.iter().enumerate().flat_map(|(depth, ancestor)| {
            let is_own = |arg: &&&'a Arg| !ancestor.is_global(arg) && !arg.is_positional();
            ancestor.own.iter().filter(is_own).map(move |arg| (*arg, depth))
        });
        own.chain(above)
    }

    /// What the host fills in.
    fn filled(&self) -> Vec<FilledParam> {
        let fill = |(arg, depth): (&'a Arg, usize)| {
            let Filled(value) = arg.get::<Filled>()?;
            let named = Named { name: wanted_name(arg), aliases: Vec::new(), required: false };
            let param = self.param(&Offered { arg, depth, inherited: false }, named);
            Some(FilledParam { param: Arc::new(param), value: value.clone() })
        };
        self.reached().filter_map(fill).collect()
    }

    /// Says of each arg of the command's own that its name keeps from callers.
    fn recognised(&self) -> impl Iterator<Item = Lint> {
        let by_name = |arg: &&&Arg| arg.get::<ArgNote>().is_none() && !arg.is_hide_set() && secret::is_recognised(arg);
        self.level.own.iter().filter(by_name).map(|arg| Lint {
            code: LintCode::Secret,
            path: self.path.to_owned(),
            param: Some(wanted_name(arg)),
            message: taken_for_secret(Means::Annotations),
        })
    }

    /// Tells whether an arg that is written at a level is a global one.
    fn is_global(&self, arg: &Arg, level: usize) -> bool {
        let from_above = || self.handed_down.args.iter().any(|handed| std::ptr::eq(*handed, arg));
        match self.ancestors.get(level) {
            Some(ancestor) => ancestor.is_global(arg),
            None => self.level.is_global(arg) || from_above(),
        }
    }

    fn is_gate(&self, arg: &Arg) -> bool {
        let called_so = || !arg.is_positional() && self.settings.gates.iter().any(|gate| is_called(arg, gate));
        arg.get::<ArgNote>() == Some(&ArgNote::Gate) || called_so()
    }

    fn may_be_set(&self, arg: &Arg, level: usize) -> bool {
        let noted = arg.get::<ArgNote>() == Some(&ArgNote::HostOwned) || secret::is_secret(arg);
        !is_action_only(arg)
            && !arg.is_hide_set()
            && !noted
            && !self.is_hosts(arg, level)
            && !self.is_injected(arg, level)
    }

    fn is_hosts(&self, arg: &Arg, level: usize) -> bool {
        let from_above = || self.is_global(arg, level) || level < self.ancestors.len();
        self.settings.host_owned.iter().any(|name| match name.rsplit_once(' ') {
            Some((path, name)) => level == self.ancestors.len() && path == self.path && is_called(arg, name),
            None => is_called(arg, name) && from_above(),
        })
    }

    fn is_injected(&self, arg: &Arg, level: usize) -> bool {
        let is_called_so = self.injected.iter().any(|injected| injected.id == arg.get_id().as_str());
        is_called_so && (level == 0 || self.is_global(arg, level))
    }

    /// Names every offered arg; the command's own come first, options before positionals.
    fn name(&self, offered: &[Offered<'a>]) -> (Vec<String>, Vec<Lint>) {
        let mut order: Vec<usize> = (0..offered.len()).collect();
        order.sort_by_key(|n| {
            let Offered { arg, inherited, .. } = &offered[*n];
            (*inherited, arg.get_long().is_none(), arg.get_short().is_none())
        });
        let mut taken = Properties::default();
        let mut names = vec![String::new(); offered.len()];
        let mut lints = Vec::new();
        for n in order {
            let wanted = wanted_name(offered[n].arg);
            let name = taken.take(&property(&wanted));
            if name != wanted {
                let message = format!("`{wanted}` is published as `{name}`: the name is taken or not a valid key");
                lints.push(Lint {
                    code: LintCode::PropertyName,
                    path: self.path.to_owned(),
                    param: Some(name.clone()),
                    message,
                });
            }
            names[n] = name;
        }
        (names, lints)
    }

    /// A gate is the same on most commands: it is read once, and shared.
    fn read(&self, offered: &Offered<'a>, named: Named) -> Arc<Param> {
        if !offered.inherited {
            return Arc::new(self.param(offered, named));
        }
        let is_same = |(arg, param): &&(*const Arg, Arc<Param>)| {
            std::ptr::eq(*arg, offered.arg)
                && param.depth == offered.depth
                && param.name == named.name
                && param.aliases == named.aliases
                && param.required == named.required
        };
        let read = self.gates.borrow().iter().find(is_same).map(|(_, param)| Arc::clone(param));
        read.unwrap_or_else(|| {
            let param = Arc::new(self.param(offered, named));
            self.gates.borrow_mut().push((offered.arg, Arc::clone(&param)));
            param
        })
    }

    fn param(&self, offered: &Offered<'_>, named: Named) -> Param {
        let arg = offered.arg;
        let kind = value::kind(arg);
        let (help, long_help) = text::short_and_long(arg.get_help(), arg.get_long_help());
        let takes_a_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append) && kind != ParamKind::Switch;
        let default = if takes_a_value && arg.get_env().is_none() && !arg.is_hide_default_value_set() {
            arg.get_default_values().iter().filter_map(|value| value.to_str().map(str::to_owned)).collect()
        } else {
            Vec::new()
        };
        Param {
            name: named.name,
            aliases: named.aliases,
            id: arg.get_id().to_string(),
            depth: offered.depth,
            spelling: spelling(arg),
            kind,
            gate: self.is_gate(arg),
            required: named.required,
            env_backed: arg.get_env().is_some() || arg.get::<GivenBy>().is_some(),
            help,
            long_help,
            default,
        }
    }

    fn external(&self, params: &[Arc<Param>]) -> Param {
        let mut taken = Properties::default();
        for param in params {
            taken.take(&param.name);
        }
        let item = ValueType {
            base: BaseType::String,
            choices: Vec::new(),
            ignore_case: false,
            allow_hyphen: true,
            allow_negative: true,
            path: false,
        };
        let repeat = Repeat {
            append: false,
            min: 1,
            max: usize::MAX,
            delimiter: None,
            terminator: None,
            require_equals: false,
            one_or_more: false,
        };
        Param {
            name: taken.take("external"),
            aliases: Vec::new(),
            id: String::new(),
            depth: self.ancestors.len(),
            spelling: Spelling::External,
            kind: ParamKind::Many { item, repeat },
            gate: false,
            required: self.level.command.is_subcommand_required_set(),
            env_backed: false,
            help: "A command and its arguments, passed on as they are".to_owned(),
            long_help: None,
            default: Vec::new(),
        }
    }

    /// The command itself requires an arg that is not offered.
    fn lacks_own(&self, offered: &[Offered<'_>]) -> bool {
        let given =
            |arg: &Arg| offered.iter().any(|o| std::ptr::eq(o.arg, arg)) || self.is_injected(arg, self.ancestors.len());
        let mut reached = self.level.own.iter().chain(&self.handed_down.args);
        reached.any(|arg| is_needed(arg) && !is_action_only(arg) && !given(arg))
    }

    /// A command above requires an arg, which is written before this command's name.
    fn lacks_above(&self) -> bool {
        self.ancestors.iter().enumerate().any(|(level, ancestor)| {
            let given = |arg: &Arg| !is_needed(arg) || self.is_injected(arg, level);
            let mut args = ancestor.own.iter().filter(|arg| !ancestor.is_global(arg));
            let mut groups = ancestor.command.get_groups().filter(|group| group.is_required_set());
            let met = |id: &clap::Id| {
                ancestor
                    .own
                    .iter()
                    .any(|arg| arg.get_id() == id && (arg.get_env().is_some() || self.is_injected(arg, level)))
            };
            !ancestor.command.is_subcommand_negates_reqs_set()
                && (!args.all(|arg| given(arg)) || groups.any(|group| !group.get_args().any(met)))
        })
    }
}

fn wanted_name(arg: &Arg) -> String {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => long.to_owned(),
        (None, Some(short)) => short.to_string(),
        (None, None) => arg.get_id().to_string(),
    }
}

fn spelling(arg: &Arg) -> Spelling {
    match (arg.get_long(), arg.get_short()) {
        (Some(long), _) => Spelling::Long(long.to_owned()),
        (None, Some(short)) => Spelling::Short(short),
        (None, None) => Spelling::Positional {
            index: arg.get_index().unwrap_or(1),
            last: arg.is_last_set(),
            trailing: arg.is_trailing_var_arg_set(),
        },
    }
}

/// Returns the visible aliases and the short name of each arg where no other param goes by them.
fn aliases(names: &[String], offered: &[Offered<'_>]) -> Vec<Vec<String>> {
    let has_one = |Offered { arg, .. }: &Offered<'_>| {
        arg.get_long().is_some() && arg.get_short().is_some()
            || arg.get_visible_aliases().is_some()
            || arg.get_visible_short_aliases().is_some()
    };
    if !offered.iter().any(has_one) {
        return vec![Vec::new(); offered.len()];
    }
    let mut taken = Properties::default();
    for name in names {
        taken.take(name);
    }
    let mut free = |Offered { arg, .. }: &Offered<'_>| {
        let longs = arg.get_visible_aliases().unwrap_or_default().into_iter().map(str::to_owned);
        let shorts = arg.get_short_and_visible_aliases().unwrap_or_default().into_iter().map(String::from);
        let is_free = |alias: &String| *alias == property(alias) && !taken.holds(alias);
        let free: Vec<String> = longs.chain(shorts).filter(is_free).collect();
        free.iter().for_each(|alias| drop(taken.take(alias)));
        free
    };
    offered.iter().map(&mut free).collect()
}
