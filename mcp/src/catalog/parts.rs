//! A large tree, cut into parts that are built and read side by side.

use clap::Command;
use std::mem;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::thread::{Builder, available_parallelism, scope};

/// From how many commands and args on a thread more is worth its start.
const LARGE: usize = 1_000;

/// The most parts: with more, clap's own allocations get into each other's way.
const MOST: usize = 4;

/// The stack of a thread that reads a part: a `main` usually has as much.
const STACK_BYTES: usize = 8 << 20;

/// The root of a tree with bare names for children, and which of them are to be read with it.
pub(super) struct Part {
    pub(super) root: Command,
    pub(super) children: Range<usize>,
}

/// Returns how many threads run at once; asked once, since the system reads files for it.
pub(crate) fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| available_parallelism().map_or(1, usize::from))
}

/// Returns how many parts a tree is worth.
pub(super) fn worth(tree: &Command) -> usize {
    let mut counted = 0;
    count(tree, &mut counted);
    match counted < LARGE {
        true => 1,
        false => processors().min(MOST),
    }
}

/// Cuts a tree as its author made it into about as many parts; the tree is the same afterwards.
pub(super) fn cut(author: &mut Command, parts: usize) -> Vec<Part> {
    let ranges = ranges(author, parts);
    // Taken out, so that they are not copied for every part.
    let bare = |child: &mut Command| {
        let name = child.get_name().to_owned();
        mem::replace(child, Command::new(name))
    };
    let children: Vec<Command> = author.get_subcommands_mut().map(bare).collect();
    let parts = ranges.into_iter().map(|children| Part { root: author.clone(), children }).collect();
    author.get_subcommands_mut().zip(children).for_each(|(place, child)| *place = child);
    parts
}

impl Part {
    /// Tells whether it is all of the tree.
    pub(super) fn is_whole(&self) -> bool {
        self.children == (0..usize::MAX)
    }

    /// Copies the tree: whole, but for the children of other parts.
    pub(super) fn tree(&self, author: &Command) -> Command {
        let mut tree = self.root.clone();
        let all = tree.get_subcommands_mut().zip(author.get_subcommands());
        let own = all.skip(self.children.start).take(self.children.len());
        own.for_each(|(place, child)| *place = child.clone());
        tree
    }
}

/// Reads every part on a thread of its own, the first one on this.
pub(crate) fn side_by_side<P: Send, T: Send>(parts: Vec<P>, read: impl Fn(P) -> T + Sync) -> Vec<T> {
    let read = &read;
    scope(|scope| {
        let mut parts = parts.into_iter();
        let first = parts.next();
        let start = |part| {
            let thread = Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, move || read(part));
            thread.unwrap_or_else(|error| panic!("no thread could be started to read it: {error}"))
        };
        let others: Vec<_> = parts.map(start).collect();
        let first = first.map(read);
        let others = others.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        first.into_iter().chain(others).collect()
    })
}

/// Frees a large copy of a tree, for which nobody has to wait.
pub(super) fn free(tree: Command) {
    // What a thread that can't be started was given is freed here.
    let _ = Builder::new().name("free".to_owned()).spawn(move || drop(tree));
}

/// Cuts the root's children into runs of about as many commands each; the last one has no end, since building a tree
/// may add children.
fn ranges(author: &Command, parts: usize) -> Vec<Range<usize>> {
    let weights = author.get_subcommands().map(|child| {
        let mut counted = 0;
        count(child, &mut counted);
        counted
    });
    let weights: Vec<usize> = weights.collect();
    let share = weights.iter().sum::<usize>().div_ceil(parts.max(1)).max(1);
    let (mut ranges, mut start, mut weight) = (Vec::new(), 0, 0);
    for (n, own) in weights.iter().enumerate() {
        weight += own;
        if weight >= share && n + 1 < weights.len() {
            ranges.push(start..n + 1);
            (start, weight) = (n + 1, 0);
        }
    }
    ranges.push(start..usize::MAX);
    ranges
}

fn count(command: &Command, counted: &mut usize) {
    *counted += 1 + command.get_arguments().count();
    command.get_subcommands().for_each(|child| count(child, counted));
}

#[cfg(test)]
#[path = "../../tests/trees/mod.rs"]
#[expect(dead_code, reason = "not every tree is asked for by name here")]
mod trees;

#[cfg(test)]
mod tests {
    use super::super::{Settings, walk};
    use super::*;
    use clap::Arg;

    fn tree() -> impl Iterator<Item = (&'static str, Command)> {
        let deferred = Command::new("deferred")
            .subcommands([Command::new("a"), Command::new("b").alias("c").visible_alias("d")])
            .defer(|command| command.subcommand(Command::new("late").arg(Arg::new("x"))));
        let own = Command::new("own").arg(Arg::new("x").long("x")).subcommands(["a", "b", "c"].map(Command::new));
        trees::all().into_iter().chain([("deferred", deferred), ("own", own)])
    }

    #[test]
    fn a_tree_reads_the_same_in_any_number_of_parts() {
        for (name, mut tree) in tree() {
            let before = format!("{tree:?}");
            for hide in [vec![], vec!["a"], vec!["deferred"], vec!["a", "b"], vec!["late"]] {
                let hide = hide.into_iter().map(str::to_owned).collect();
                let settings = Settings { hide, ..Settings::default() };
                let whole = walk::walk(&mut tree, &settings, 1).map_err(|error| error.to_string());
                for parts in 2..6 {
                    let cut = walk::walk(&mut tree, &settings, parts).map_err(|error| error.to_string());
                    assert_eq!(cut, whole, "{name} in {parts} parts, {:?}", settings.hide);
                }
            }
            assert_eq!(format!("{tree:?}"), before, "{name} is left as it was");
        }
    }

    #[test]
    fn every_child_is_in_one_part() {
        for (name, tree) in tree() {
            for parts in 1..6 {
                let ranges = ranges(&tree, parts);
                assert!(ranges.len() <= parts, "{name}: {ranges:?}");
                assert_eq!((ranges[0].start, ranges.last().unwrap().end), (0, usize::MAX), "{name}");
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{name}: {ranges:?}");
            }
        }
    }
}
