//! Pages of real programs, or in their shape: what is read of each.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

use clap_facade::catalog::help::Node;
use clap_facade::catalog::help::{Argument, Flag, Page, Role, Takes};
use clap_facade::catalog::{Catalog, ParamKind, Settings};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[test]
fn each_page_is_read_as_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/help/pages");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 15);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&file).unwrap();
        let page = Page::read(&text);
        settings.bind(|| insta::assert_snapshot!(name.clone(), shown(&page)));
        // clap's own checks of the tree run in this build.
        let tree = Node::new("program", page.clone()).command();
        Catalog::new(tree, &Settings::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        for flag in &page.flags {
            let written =
                [flag.long.as_ref().map(|long| format!("--{long}")), flag.short.map(|short| format!("-{short}"))];
            let plain: String = text
                .split('\u{1b}')
                .map(|part| {
                    part.split_once('m').map_or(part, |(code, rest)| if code.starts_with('[') { rest } else { part })
                })
                .collect();
            assert!(written.iter().flatten().all(|written| plain.contains(written)), "{name}: {written:?} is invented");
        }
    }
}

#[test]
fn text_that_is_no_help_is_no_page() {
    for text in [
        "",
        "\n\n",
        "hello",
        "error: no such thing\n",
        "file-a  file-b\n-rw-r--r-- 1 me me 3 file\n",
        "  --x\n\u{0}\u{1b}[",
        "[",
        "<",
        "Commands:",
    ] {
        assert!(!Page::read(text).is_help(), "{text:?}: {:?}", Page::read(text));
    }
}

#[test]
fn positionals_of_any_order_make_a_tree_that_passes_claps_own_checks() {
    let shapes = |name: &str| {
        [
            String::new(),
            format!("<{name}>"),
            format!("[{name}]"),
            format!("<{name}>..."),
            format!("[{name}]..."),
            format!("<{name}> <{name}2>"),
        ]
    };
    let behind = ["", "-- <Z>", "[-- <Z>]", "-- <Z>...", "[-- <Z>...]", "[-- [Z]...]"];
    for (((a, b), c), z) in
        iproduct(iproduct(iproduct(shapes("A").to_vec(), &shapes("B")), &shapes("C")), &behind.map(str::to_owned))
    {
        for commands in ["", "\nCommands:\n  list  l\n"] {
            let page = format!("Usage: app [OPTIONS] {a} {b} {c} {z}\n{commands}");
            let mut root = Node::new("app", Page::read(&page));
            root.children = root.page.commands.iter().map(|listed| Node::listed(listed, Page::default())).collect();
            if let Err(error) = Catalog::new(root.command(), &Settings::default()) {
                panic!("{error}: {page}");
            }
        }
    }
}

#[test]
fn options_of_any_spelling_make_a_tree_that_passes_claps_own_checks() {
    let values = ["<A>", "<A> <B>", "<A> <B> <C>", "A", "[<A>]", "[<A> <B>]", "[=<A>]", "[=<A> <B>]"];
    let helps = [
        "a",
        "a [default: x y]",
        "a [possible values: x, y]",
        "a [env: X=]",
        "a [aliases: --o, -b]",
        "a [default: z] [possible values: x, y]",
    ];
    for value in values {
        for (before, dots) in [(" ", ""), ("=", ""), ("", ""), (" ", "..."), ("=", "..."), ("", "...")] {
            for help in helps {
                let page = format!(
                    "Usage: app [OPTIONS] --opt{before}{value}{dots}\n\nOptions:\n  -o, --opt{before}{value}{dots}  {help}\n      --other{before}{value}{dots}  {help}\n"
                );
                if let Err(error) = Catalog::new(Node::new("app", Page::read(&page)).command(), &Settings::default()) {
                    panic!("{error}: {page}");
                }
            }
        }
    }
}

/// Every one of these with every one of those.
fn iproduct<T: Clone>(these: Vec<T>, those: &[String]) -> Vec<(T, String)> {
    these.iter().flat_map(|this| those.iter().map(|that| (this.clone(), that.clone()))).collect()
}

#[test]
fn what_is_a_path_is_told_by_a_word_of_its_names() {
    let page = "Usage: app [OPTIONS] [PATH] [FILES]...\n\nArguments:\n  [PATH]      a\n  [FILES]...  b\n\nOptions:\n  \
                --output-file <OUT>  a\n  --to <CACHE_DIR>  b\n  --target <TRIPLE>  c\n  --profile <NAME>  d\n  --direct  e\n";
    let catalog = Catalog::new(Node::new("app", Page::read(page)).command(), &Settings::default()).unwrap();
    let is_path = |kind: &ParamKind| match kind {
        ParamKind::One(value) | ParamKind::Optional { value, .. } => value.path,
        ParamKind::Many { item, .. } => item.path,
        ParamKind::Switch | ParamKind::Count => false,
    };
    let mut paths: Vec<&str> =
        catalog.operations()[0].params.iter().filter(|param| is_path(&param.kind)).map(|param| &*param.name).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["files", "output-file", "path", "to"]);
}

#[test]
fn whatever_a_page_says_its_tree_passes_claps_own_checks() {
    for page in [
        "Usage: app [OPTIONS]\n\nOptions:\n  --a  a [alias: --b]\n  --c  c [aliases: --b, --c, --d, --d]\n",
        "Usage: app [OPTIONS]\n\nOptions:\n  -a, --aa  a [aliases: -b]\n  -c, --cc  c [aliases: -b, -c, -d, -d]\n",
        "Usage: app <A>... <B>...\n\nArguments:\n  <A>...  a\n  <B>...  b\n",
        "Usage: app [OPTIONS] -- <A>\n\nArguments:\n  <A>  a\n\nCommands:\n  list  l\n",
        "Usage: app <A>... <B> [-- <C>...]\n\nArguments:\n  <A>...  a\n  <B>     b\n  [C]...  c\n",
        "Usage: app [OPTIONS] <COMMAND> -- <A>\n\nArguments:\n  <A>  a\n\nCommands:\n  list  l\n",
        "Usage: app [OPTIONS] -- <A>\n\nArguments:\n  <A>  a\n\nCommands:\n  list  l\n  ...   Any other\n",
    ] {
        let mut root = Node::new("app", Page::read(page));
        root.children = root.page.commands.iter().map(|listed| Node::listed(listed, Page::default())).collect();
        let tree = root.command();
        if let Err(error) = Catalog::new(tree, &Settings::default()) {
            panic!("{error}: {page}");
        }
    }
}

fn shown(page: &Page) -> String {
    let mut out = String::new();
    let Page { version, usages, takes_command, args_or_command, command_waives, not_understood, .. } = page;
    writeln!(out, "about: {:?} {version:?}", page.about.lines().next().unwrap_or_default()).unwrap();
    usages.iter().for_each(|usage| writeln!(out, "usage: {usage}").unwrap());
    if takes_command.is_some() {
        writeln!(out, "command: required {takes_command:?}, excludes args {args_or_command}, waives {command_waives}")
            .unwrap();
    }
    page.arguments.iter().for_each(|argument| writeln!(out, "{}", argument_line(argument)).unwrap());
    page.flags.iter().for_each(|flag| writeln!(out, "{}", flag_line(flag)).unwrap());
    for listed in &page.commands {
        writeln!(out, "command {} {:?}: {}", listed.name, listed.aliases, listed.about).unwrap();
    }
    not_understood.iter().for_each(|line| writeln!(out, "not understood: {line}").unwrap());
    out
}

fn argument_line(argument: &Argument) -> String {
    let Argument { name, names, more, required, last, help, default, choices, env, .. } = argument;
    let marks = [(*more, "..."), (*names > 1, "several"), (*required, "required"), (*last, "last")];
    format!("<{name}>{} | {}", marked(&marks), text(help, default, choices, env))
}

fn flag_line(flag: &Flag) -> String {
    let Flag { short, long, aliases, short_aliases, takes, role, required, help, default, choices, env, .. } = flag;
    let mut names: Vec<String> = short.iter().map(|short| format!("-{short}")).collect();
    names.extend(long.iter().map(|long| format!("--{long}")));
    names.extend(aliases.iter().map(|alias| format!("(--{alias})")));
    names.extend(short_aliases.iter().map(|alias| format!("(-{alias})")));
    let takes = match takes {
        Takes::Nothing => String::new(),
        Takes::Times => " times".into(),
        Takes::Values { names, optional, equals, more } => {
            format!(" {names:?}{}", marked(&[(*optional, "optional"), (*equals, "equals"), (*more, "...")]))
        }
    };
    let role = if *role == Role::Plain { String::new() } else { format!(" {role:?}") };
    format!(
        "{}{takes}{role}{} | {}",
        names.join(" "),
        marked(&[(*required, "required")]),
        text(help, default, choices, env)
    )
}

fn marked(marks: &[(bool, &str)]) -> String {
    marks.iter().filter(|(set, _)| *set).map(|(_, mark)| format!(" {mark}")).collect()
}

fn text(help: &str, default: &[String], choices: &[(String, String)], env: &Option<String>) -> String {
    let mut out: String = help.lines().next().unwrap_or_default().chars().take(70).collect();
    if !default.is_empty() {
        write!(out, " default {default:?}").unwrap();
    }
    if !choices.is_empty() {
        let names: Vec<&str> = choices.iter().map(|(name, _)| name.as_str()).collect();
        write!(out, " choices {names:?}").unwrap();
    }
    if let Some(env) = env {
        write!(out, " env {env}").unwrap();
    }
    out
}
