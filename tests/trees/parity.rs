//! A tree against what is read back from the help that clap renders for it.

use clap::Command;
use clap_facade::catalog::help::{Node, Page};
use clap_facade::catalog::{Catalog, Operation, Param, ParamKind, Spelling};
use std::collections::BTreeSet;

/// Reads a tree from its own help, command by command, as the walk of a binary does.
pub(crate) fn read_back(tree: &Command) -> Command {
    node(tree).command()
}

/// Reads the pages of a tree.
pub(crate) fn node(tree: &Command) -> Node {
    let mut built = tree.clone();
    built.build();
    let page = Page::read(&built.clone().render_long_help().to_string());
    let mut root = Node::new(built.get_name(), page);
    fill(&mut root, &built);
    root
}

fn fill(node: &mut Node, command: &Command) {
    for listed in &node.page.commands.clone() {
        // The generated `help` mirrors the tree.
        if listed.name == "help" && !command.is_disable_help_subcommand_set() {
            continue;
        }
        let Some(sub) = command.get_subcommands().find(|sub| sub.get_name() == listed.name) else { continue };
        let page = Page::read(&sub.clone().render_long_help().to_string());
        let mut child = Node::listed(listed, page);
        fill(&mut child, sub);
        node.children.push(child);
    }
}

/// How many params of a tree are found, and how many of those read are real.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    pub(crate) real: usize,
    pub(crate) read: usize,
    pub(crate) matched: usize,
    /// Params that are required only as read: a valid call without them would be refused.
    pub(crate) too_strict: usize,
    /// What differs, one line each.
    pub(crate) differences: Vec<String>,
}

/// Compares what a caller may set.
pub(crate) fn compare(real: &Catalog, read: &Catalog) -> Score {
    let mut score = Score::default();
    let find = |catalog: &'_ Catalog, path: &[String]| catalog.operations().iter().position(|op| op.path == path);
    for operation in real.operations() {
        let params = comparable(operation);
        score.real += params.len();
        let Some(other) = find(read, &operation.path).map(|n| &read.operations()[n]) else {
            score.differences.push(format!("`{}` is missing", operation.name));
            continue;
        };
        let others = comparable(other);
        for param in &params {
            match others.iter().find(|other| is_same(param, other)) {
                Some(other) => match difference(param, other) {
                    None => {
                        score.matched += 1;
                        score.too_strict += usize::from(other.required && !param.required);
                    }
                    Some(what) => score.differences.push(format!("`{}` `{}`: {what}", operation.name, param.name)),
                },
                None => score.differences.push(format!("`{}` `{}` is missing", operation.name, param.name)),
            }
        }
        for other in others.iter().filter(|other| !params.iter().any(|param| is_same(param, other))) {
            score.differences.push(format!("`{}` `{}` is invented", operation.name, other.name));
        }
    }
    for operation in read.operations() {
        score.read += comparable(operation).len();
        if find(real, &operation.path).is_none() {
            score.differences.push(format!("`{}` is invented", operation.name));
        }
    }
    score
}

/// An external command has no param of its own in any help.
fn comparable(operation: &Operation) -> Vec<&Param> {
    operation.params.iter().map(AsRef::as_ref).filter(|param: &&Param| param.spelling != Spelling::External).collect()
}

/// The same place on the command line: the name of a positional is its author's alone.
pub(crate) fn is_same(a: &Param, b: &Param) -> bool {
    match (&a.spelling, &b.spelling) {
        (Spelling::Positional { index: a, last: a_last, .. }, Spelling::Positional { index: b, last: b_last, .. }) => {
            a == b && a_last == b_last
        }
        (a, b) => a == b,
    }
}

/// What help tells of a param and was read otherwise. It does not tell types, delimiters, or what may be repeated.
fn difference(real: &Param, read: &Param) -> Option<String> {
    let is_positional = matches!(real.spelling, Spelling::Positional { .. });
    let kind = match (&real.kind, &read.kind) {
        (ParamKind::Switch, ParamKind::Switch) | (ParamKind::Count, ParamKind::Count) => true,
        (ParamKind::One(_), ParamKind::One(_)) => true,
        (ParamKind::One(_), ParamKind::Many { repeat, .. }) => repeat.one_or_more && repeat.min == 1,
        (ParamKind::Optional { .. }, ParamKind::Many { repeat, .. }) => repeat.one_or_more && repeat.min == 0,
        // A positional's delimiter does not show.
        (ParamKind::Many { repeat, .. }, ParamKind::One(_)) => repeat.delimiter.is_some() && repeat.max == 1,
        // A positional that may be repeated takes many, whatever it takes at a time.
        (ParamKind::Many { repeat, .. }, ParamKind::Many { .. }) if is_positional => repeat.append || repeat.max > 1,
        (ParamKind::Many { repeat: real, .. }, ParamKind::Many { repeat: read, .. }) => {
            (real.min.min(1), real.max > 1) == (read.min.min(1), read.max > 1)
        }
        _ => false,
    };
    if !kind {
        return Some(format!("{:?} was read as {:?}", real.kind, read.kind));
    }
    let choices = |param: &Param| -> BTreeSet<String> {
        match &param.kind {
            ParamKind::One(value) | ParamKind::Optional { value, .. } | ParamKind::Many { item: value, .. } => {
                value.choices.iter().map(|choice| choice.name.clone()).collect()
            }
            ParamKind::Switch | ParamKind::Count => BTreeSet::new(),
        }
    };
    if choices(real) != choices(read) {
        return Some(format!("allows {:?}, read as {:?}", choices(real), choices(read)));
    }
    let aliases = |param: &Param| param.aliases.iter().cloned().collect::<BTreeSet<_>>();
    (aliases(real) != aliases(read)).then(|| format!("aliases {:?}, read as {:?}", aliases(real), aliases(read)))
}
