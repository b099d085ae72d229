//! Queries against a small tree.

use super::{GroupAbout, Index};
use crate::catalog::{Applying, BaseType, Choice, Effect, Escape, Operation, Param, ParamKind, Spelling, ValueType};
use std::sync::Arc;

fn operation(name: &str, about: &str, params: &[(&str, &[&str])]) -> Arc<Operation> {
    let path: Vec<String> = name.split(' ').map(str::to_owned).collect();
    let reads = ["list", "get", "stats", "missing-pdf", "verify"].contains(&path[path.len() - 1].as_str());
    Arc::new(Operation {
        name: name.to_owned(),
        tool: name.replace([' ', '-'], "_"),
        aliases: Vec::new(),
        former: Vec::new(),
        about: about.to_owned(),
        long_about: None,
        declared: reads.then_some(Effect::ReadOnly),
        mutating_when: Vec::new(),
        params: params.iter().map(|(name, choices)| Arc::new(param(name, choices, path.len()))).collect(),
        constraints: Vec::new(),
        examples: Vec::new(),
        escape: Escape::Plain,
        untrusted_output: false,
        filled: Vec::new(),
        secrets: Vec::new(),
        timeout: None,
        silence: None,
        output_bytes: None,
        approval: None,
        applying: Applying::Directly,
        exit_codes: Vec::new(),
        fence: Default::default(),
        path,
    })
}

fn param(name: &str, choices: &[&str], depth: usize) -> Param {
    let choice = |name: &&str| Choice { name: (*name).to_owned(), aliases: Vec::new(), help: String::new() };
    Param {
        name: name.to_owned(),
        aliases: Vec::new(),
        id: name.to_owned(),
        depth,
        spelling: Spelling::Long(name.to_owned()),
        kind: ParamKind::One(ValueType {
            base: BaseType::String,
            choices: choices.iter().map(choice).collect(),
            ignore_case: false,
            allow_hyphen: false,
            allow_negative: false,
            path: false,
        }),
        gate: false,
        required: false,
        env_backed: false,
        help: String::new(),
        long_help: None,
        default: Vec::new(),
    }
}

fn tree() -> Vec<Arc<Operation>> {
    vec![
        operation("items list", "Lists items", &[("limit", &[]), ("sort", &["year", "title"])]),
        operation("items get", "Shows one item", &[("key", &[])]),
        operation("items add", "Adds an item by hand", &[("type", &["book", "thesis"]), ("title", &[])]),
        operation("items delete", "Deletes items for good", &[("key", &[])]),
        operation("items trash", "Puts items into the trash, from where they can be restored", &[("key", &[])]),
        operation("items mark", "Marks an item as read", &[("key", &[])]),
        operation("items missing-pdf", "Lists items without a PDF", &[]),
        operation("tags list", "Lists tags", &[]),
        operation("tags merge", "Makes one tag of several", &[("into", &[])]),
        operation("tags rename", "Renames a tag", &[("to", &[])]),
        operation("library stats", "Counts what the library holds", &[]),
        operation("library snapshot create", "Copies the whole library to a file", &[("output", &[])]),
        operation("library snapshot verify", "Checks that a snapshot is whole", &[]),
        operation("login", "Logs in to the provider", &[("token-file", &[])]),
        operation("telemetry disable", "Stops sending usage data", &[]),
    ]
}

fn index(operations: &[Arc<Operation>]) -> Index {
    let group = |name: &str, about: &str| GroupAbout { name: name.to_owned(), about: about.to_owned() };
    Index::new(
        operations,
        &[group("items", "References and what is known of them"), group("library", "The whole library")],
    )
}

#[test]
fn queries_find_the_command_meant() {
    let index = index(&tree());
    for (query, meant) in [
        // Names, in any spelling.
        ("tags merge", "tags merge"),
        ("tags_merge", "tags merge"),
        ("ITEMS  missing-pdf", "items missing-pdf"),
        ("login", "login"),
        // Words in any order and form.
        ("merge tags", "tags merge"),
        ("merging two tags", "tags merge"),
        ("verification of the snapshots", "library snapshot verify"),
        ("missingpdf", "items missing-pdf"),
        ("log me in", "login"),
        // Synonyms and phrases.
        ("display one entry", "items get"),
        ("erase an entry", "items delete"),
        ("turn telemetry off", "telemetry disable"),
        ("back up the library", "library snapshot create"),
        ("how many are there", "library stats"),
        // A command's own word goes before its rarer synonym, "mark".
        ("tag", "tags list"),
        // Typing errors.
        ("shwo one itme", "items get"),
        ("mrege tasg", "tags merge"),
        ("dleete", "items delete"),
        // Flags, keys and choices.
        ("--into", "tags merge"),
        ("-token_file x", "login"),
        ("type=thesis", "items add"),
        ("a new book", "items add"),
        // What is not wanted.
        ("throw the item away, don't delete it", "items trash"),
        // Values are not commands.
        ("rename tag 'list' to 'merge'", "tags rename"),
    ] {
        let hits = index.search(query, 5);
        let found: Vec<_> = hits.iter().map(|hit| (hit.operation.name.as_str(), hit.score)).collect();
        assert_eq!(found.first().map(|(name, _)| *name), Some(meant), "{query}: {found:?}");
    }
}

#[test]
fn what_means_nothing_finds_nothing_but_the_nearest_names() {
    let index = index(&tree());
    assert_eq!(index.search("xylophone", 5), []);
    assert_eq!(index.nearest("xtats", 1), ["library stats"]);
    assert_eq!(index.nearest("", 5), Vec::<&str>::new());
}

#[test]
fn any_text_is_a_query() {
    let index = index(&tree());
    for query in [
        "",
        " \t\n",
        "\0",
        "---- ... ''' ??? == --=",
        "タグを結合する 标签 🏷️",
        "é",
        &"x".repeat(100_000),
        &"list tags ".repeat(10_000),
        &"ß-_É".repeat(30_000),
    ] {
        assert!(index.search(query, 3).len() <= 3);
        assert!(index.nearest(query, 3).len() <= 3);
    }
    assert_eq!(index.search("list tags", 0), []);
    assert_eq!(Index::new(&[], &[]).search("list", 5), []);
}

#[test]
fn order_of_the_tree_decides_ties_alone() {
    let forward = tree();
    let backward: Vec<_> = forward.iter().rev().cloned().collect();
    let (ahead, back) = (index(&forward), index(&backward));
    for query in ["list everything", "merge tags", "--key", "items", "snapshto", "what is in the libary"] {
        let sorted = |index: &Index| {
            let hits = index.search(query, 99).into_iter();
            let mut hits: Vec<_> = hits.map(|hit| (hit.operation.name.clone(), hit.score.to_bits())).collect();
            hits.sort();
            hits
        };
        assert!(!sorted(&ahead).is_empty(), "{query}");
        assert_eq!(sorted(&ahead), sorted(&back), "{query}");
        assert_eq!(ahead.search(query, 99), index(&forward).search(query, 99), "{query}");
    }
}

#[test]
fn every_operation_is_found_by_its_name_and_tool() {
    let tree = tree();
    let index = index(&tree);
    for operation in &tree {
        for query in [&operation.name, &operation.tool] {
            assert_eq!(index.search(query, 1)[0].operation.name, operation.name, "{query}");
        }
    }
}

#[test]
fn the_top_level_is_summed_up() {
    let groups = index(&tree()).groups();
    let groups: Vec<_> = groups.iter().map(|g| (g.name.as_str(), g.about.as_str(), g.operations)).collect();
    assert_eq!(
        groups,
        [
            ("items", "References and what is known of them", 7),
            ("tags", "", 3),
            ("library", "The whole library", 3),
            ("login", "Logs in to the provider", 1),
            ("telemetry", "", 1),
        ]
    );
}
