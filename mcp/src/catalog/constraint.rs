//! What clap enforces between params, as sentences.

use super::inherited::HandedDown;
use super::quiet;
use clap::{Arg, ArgGroup, Command, Id};
use std::collections::BTreeSet;

/// The constraints of one command, over the args that a caller may set there.
///
/// clap tells conflicts, groups and exclusive args. `requires` and `required_unless` have no getter;
/// the proof reports them from clap's own error.
pub(super) struct Constraints<'a> {
    /// The args and their property names, in the enumerator's order.
    args: &'a [(&'a Arg, &'a str)],
    groups: Vec<Group>,
    /// Indices into `args`, the lower first.
    conflicts: BTreeSet<(usize, usize)>,
}

struct Group {
    members: Vec<usize>,
    required: bool,
    multiple: bool,
    /// A member may come from the host's environment.
    by_environment: bool,
    /// A member exists that the caller can't set.
    withheld: bool,
}

impl<'a> Constraints<'a> {
    pub(super) fn new(command: &Command, above: &HandedDown<'_>, args: &'a [(&'a Arg, &'a str)]) -> Self {
        let index = |id: &str| args.iter().position(|(arg, _)| arg.get_id() == id);
        let groups = command.get_groups().map(|group| read_group(command, group, index)).collect();
        let mut conflicts = BTreeSet::new();
        for (n, (arg, _)) in args.iter().enumerate() {
            let others = conflicting(command, above, arg);
            let known = others.iter().filter_map(|other| index(other.as_str()));
            conflicts.extend(known.filter(|other| *other != n).map(|other| (n.min(other), n.max(other))));
        }
        Self { args, groups, conflicts }
    }

    /// Tells whether a required arg may be left out where another is given.
    pub(super) fn waives(&self, n: usize) -> bool {
        !self.instead_of(n).is_empty()
    }

    /// Tells whether a required group has no member that a caller or the host could give.
    pub(super) fn has_dead_group(&self) -> bool {
        let dead =
            |group: &Group| group.required && group.members.is_empty() && group.withheld && !group.by_environment;
        self.groups.iter().any(dead)
    }

    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for (n, (arg, name)) in self.args.iter().enumerate() {
            if arg.is_required_set() {
                sentences.extend(self.requirement(n, arg, name));
            }
            if arg.is_exclusive_set() && self.args.len() > 1 {
                sentences.push(format!("`{name}` must be used alone."));
            }
        }
        sentences.extend(self.groups.iter().filter_map(|group| self.group_sentence(group)));
        for n in 0..self.args.len() {
            let others = self.conflicts.iter().filter(|pair| pair.0 == n && !self.in_one_group(**pair));
            let others: Vec<usize> = others.map(|pair| pair.1).collect();
            if !others.is_empty() {
                sentences.push(format!("`{}` can't be used with {}.", self.args[n].1, self.list(&others, "or")));
            }
        }
        sentences
    }

    fn requirement(&self, n: usize, arg: &Arg, name: &str) -> Option<String> {
        let instead = self.instead_of(n);
        if !instead.is_empty() {
            return Some(format!("`{name}` is required unless {} is given.", self.list(&instead, "or")));
        }
        let variable = arg.get_env()?.to_string_lossy();
        Some(format!("`{name}` is required unless the host's environment has {variable}."))
    }

    /// Args whose presence lifts the requirement of another: those it conflicts with.
    fn instead_of(&self, n: usize) -> Vec<usize> {
        let mut instead = BTreeSet::new();
        for (a, b) in &self.conflicts {
            instead.extend(if *a == n { Some(*b) } else { (*b == n).then_some(*a) });
        }
        for group in self.groups.iter().filter(|group| !group.multiple && group.members.contains(&n)) {
            instead.extend(&group.members);
        }
        instead.extend((0..self.args.len()).filter(|other| self.args[*other].0.is_exclusive_set()));
        instead.remove(&n);
        instead.into_iter().collect()
    }

    fn group_sentence(&self, group: &Group) -> Option<String> {
        let how_many = match (group.required, group.multiple, group.members.len()) {
            (_, _, 0) | (false, true, _) | (false, false, 1) => return None,
            (true, _, 1) => None,
            (true, true, _) => Some("at least one of "),
            (true, false, _) => Some("exactly one of "),
            (false, false, _) => {
                return Some(format!("At most one of {} can be used.", self.list(&group.members, "and")));
            }
        };
        let unless = if group.by_environment { " unless the host's environment gives one" } else { "" };
        let list = self.list(&group.members, "and");
        Some(match how_many {
            None => format!("{list} is required{unless}."),
            Some(how_many) => format!("{}{}{list} is required{unless}.", how_many[..1].to_uppercase(), &how_many[1..]),
        })
    }

    fn in_one_group(&self, (a, b): (usize, usize)) -> bool {
        let both = |group: &Group| !group.multiple && group.members.contains(&a) && group.members.contains(&b);
        self.groups.iter().any(both)
    }

    fn list(&self, of: &[usize], word: &str) -> String {
        let names: Vec<String> = of.iter().map(|n| format!("`{}`", self.args[*n].1)).collect();
        match names.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, rest)) => format!("{} {word} {last}", rest.join(", ")),
            None => String::new(),
        }
    }
}

/// Ids of the args that an arg declares a conflict with.
fn conflicting(command: &Command, above: &HandedDown<'_>, arg: &Arg) -> Vec<Id> {
    // clap panics where an arg conflicts with one that the command does not have.
    let ask = |command: &Command| {
        let ids = || command.get_arg_conflicts_with(arg).iter().map(|other| other.get_id().clone()).collect();
        quiet::catch(ids).ok()
    };
    let is_from_above = above.args.iter().any(|handed| std::ptr::eq(*handed, arg));
    if is_from_above && let Some(ids) = ask(above.together()) {
        return ids;
    }
    ask(command).or_else(|| ask(&command.clone().args(above.args.iter().copied().cloned()))).unwrap_or_default()
}

fn read_group(command: &Command, group: &ArgGroup, index: impl Fn(&str) -> Option<usize>) -> Group {
    let ids: BTreeSet<&str> = group.get_args().map(clap::Id::as_str).collect();
    let mut members: Vec<usize> = ids.iter().filter_map(|id| index(id)).collect();
    members.sort_unstable();
    let by_environment =
        command.get_arguments().any(|arg| ids.contains(arg.get_id().as_str()) && arg.get_env().is_some());
    Group {
        withheld: members.len() < ids.len(),
        members,
        required: group.is_required_set(),
        // The getter wants a mutable group.
        multiple: group.clone().is_multiple(),
        by_environment,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::inherited::Level;

    #[test]
    fn a_conflict_with_an_arg_from_above_is_known_though_the_command_has_no_copy() {
        let flag = |name: &'static str| Arg::new(name).long(name).action(clap::ArgAction::SetTrue);
        let root =
            Command::new("root").arg(flag("quick").global(true).conflicts_with("slow")).arg(flag("slow").global(true));
        let leaf = Command::new("leaf").arg(flag("other").conflicts_with_all(["quick", "own"])).arg(flag("own"));
        let above = HandedDown::default().below(&Level::new(&root, Some(&root), &HandedDown::default()));
        let args: Vec<(&Arg, &str)> =
            leaf.get_arguments().chain(above.args.iter().copied()).map(|arg| (arg, arg.get_id().as_str())).collect();

        let sentences = Constraints::new(&leaf, &above, &args).sentences();

        let expected = ["`other` can't be used with `own` or `quick`.", "`quick` can't be used with `slow`."];
        assert_eq!(sentences, expected);
    }
}
