//! The tree, the global flags, the library file, batches and streams.

use crate::support::{Lab, shell_words};
use clap_facade::catalog::{Catalog, Settings};

#[test]
fn the_tree_passes_claps_own_checks() {
    mycli::command().debug_assert();
}

#[test]
fn every_command_and_every_arg_has_help() {
    fn check(command: &clap::Command, path: &str) {
        let path = format!("{path} {}", command.get_name());
        assert!(command.get_about().is_some(), "{path} has no about");
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            assert!(
                arg.get_help().is_some_and(|help| !help.to_string().is_empty()),
                "{path}: {} has no help",
                arg.get_id()
            );
        }
        command.get_subcommands().for_each(|inner| check(inner, &path));
    }
    check(&mycli::command(), "");
}

#[test]
fn there_are_22_global_flags_and_4_hidden_ones() {
    let tree = mycli::command();
    let (hidden, shown): (Vec<_>, Vec<_>) =
        tree.get_arguments().filter(|arg| arg.is_global_set()).partition(|arg| arg.is_hide_set());
    let names = |args: Vec<&clap::Arg>| args.iter().map(|arg| arg.get_id().to_string()).collect::<Vec<_>>();
    assert_eq!(shown.len(), 22, "{:?}", names(shown));
    assert_eq!(names(hidden), ["config", "profile", "group", "deliver"]);
}

#[test]
fn the_tree_has_no_lints_as_a_catalog() {
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    assert_eq!(catalog.lints(), []);
}

#[test]
fn every_example_parses() {
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    for operation in catalog.operations() {
        for example in &operation.examples {
            let words = shell_words(&example.line);
            let line = std::iter::once("mycli".to_owned()).chain(words.clone());
            let matches = mycli::command().try_get_matches_from(line);
            assert!(matches.is_ok(), "{}: {}", example.line, matches.err().unwrap());
            assert!(words.starts_with(&operation.path), "{} is an example of {:?}", example.line, operation.path);
        }
    }
}

#[test]
fn likeness_is_a_number_to_agents() {
    let catalog = Catalog::new(mycli::command(), &Settings::default()).unwrap();
    let mut found = 0;
    for operation in catalog.operations() {
        let schema = serde_json::Value::from(clap_facade::catalog::schema::full(operation));
        for name in ["threshold", "min-score"] {
            let property = &schema["properties"][name];
            if property.is_object() {
                assert_eq!(property["type"], "number", "{:?}: {property}", operation.path);
                found += 1;
            }
        }
    }
    assert_eq!(found, 2);
}

#[test]
fn warnings_come_before_the_plan_and_the_demo_says_what_to_type_next() {
    let lab = Lab::new();
    let preview = lab.ok(&["demo", "--max-changes=0"]).stdout;
    assert!(preview.find("would be refused").unwrap() < preview.find("demo works").unwrap(), "{preview}");
    let applied = lab.ok(&["demo", "--yes"]).stdout;
    assert!(applied.contains(lab.folder().join("data/demo-works.json").to_str().unwrap()), "{applied}");
    assert!(applied.contains("next: mycli items enrich --from demo-works.json\n"), "{applied}");
}

#[test]
fn reading_creates_no_library() {
    let lab = Lab::new();
    lab.ok(&["items", "list"]);
    lab.ok(&["items", "add", "Frankenstein"]);
    assert!(!lab.library().exists());
    lab.ok(&["items", "add", "Frankenstein", "--yes"]);
    assert!(lab.library().exists());
}

#[test]
fn a_second_writer_exits_9() {
    let lab = Lab::seeded();
    let other = rusqlite::Connection::open(lab.library()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answer = lab.run(&["items", "add", "Frankenstein", "--yes", "--json"]);
    assert_eq!(answer.code, 9, "{answer:?}");
    assert!(answer.stdout.contains("\"kind\":\"busy\""), "{answer:?}");
    lab.ok(&["items", "list"]);
    lab.ok(&["items", "add", "Frankenstein"]);
}

#[test]
fn files_that_are_no_library_exit_4() {
    for content in ["this is no database at all, but it is long enough to be one", "x"] {
        let lab = Lab::new();
        std::fs::create_dir_all(lab.library().parent().unwrap()).unwrap();
        std::fs::write(lab.library(), content).unwrap();
        for line in [&["items", "list"][..], &["items", "add", "Frankenstein", "--yes"]] {
            let answer = lab.run(line);
            assert_eq!(answer.code, 4, "{line:?} {answer:?}");
        }
        assert_eq!(lab.bytes().unwrap(), content.as_bytes());
    }
    let lab = Lab::seeded();
    let newer = rusqlite::Connection::open(lab.library()).unwrap();
    newer.execute_batch("PRAGMA user_version = 999").unwrap();
    assert_eq!(lab.run(&["items", "list"]).code, 4);
}

#[test]
fn wrong_lines_exit_2() {
    let lab = Lab::seeded();
    for line in [
        &["nonsense"][..],
        &["items"],
        &["items", "add"],
        &["items", "list", "--limit=many"],
        &["items", "list", "--select=nonsense"],
        &["items", "list", "--timeout=1h"],
        &["items", "list", "--plain", "--csv"],
        &["items", "list", "--group=../x"],
        &["items", "list", "--rate-limit=0"],
    ] {
        let answer = lab.run(line);
        assert_eq!(answer.code, 2, "{line:?} {answer:?}");
        assert!(answer.stdout.is_empty() && !answer.stderr.is_empty(), "{line:?} {answer:?}");
    }
}

#[test]
fn errors_are_json_when_json_is_asked_for() {
    let lab = Lab::new();
    for line in [
        &["nonsense", "--json"][..],
        &["items", "list", "--group=../x", "--agent"],
        &["journal", "show", "1", "--json"],
    ] {
        let answer = lab.run(line);
        let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(document["ok"], false);
        assert_eq!(document["error"]["exit_code"], answer.code, "{answer:?}");
    }
}

#[test]
fn formats() {
    let lab = Lab::new();
    lab.ok(&["items", "add", "Tea, \"coffee\"\u{1b}[31m", "--key=a", "--issued=1999", "--yes"]);
    let select = "--select=key,year,title";
    assert_eq!(
        lab.ok(&["items", "list", "--csv", select]).stdout,
        "key,year,title\na,1999,\"Tea, \"\"coffee\"\"\u{1b}[31m\"\n"
    );
    assert_eq!(lab.ok(&["items", "list", "--plain", select]).stdout, "a\t1999\tTea, \"coffee\" [31m\n");
    assert_eq!(lab.ok(&["items", "list", "--quiet", select]).stdout, "a\n");
    assert_eq!(lab.ok(&["items", "list", select]).stdout, "KEY  YEAR  TITLE\na    1999  Tea, \"coffee\" [31m\n");
    let compact = lab.ok(&["items", "list", "--agent", "--select=key,doi"]).stdout;
    assert_eq!(compact, "{\"count\":1,\"total\":1,\"rows\":[{\"key\":\"a\"}]}\n");
}

#[test]
fn deliver_writes_a_file() {
    let lab = Lab::seeded();
    let path = lab.folder().join("out.txt");
    let answer = lab.ok(&["items", "list", "--quiet", "--deliver", &format!("file:{}", path.display())]);
    assert_eq!(answer.stdout, "");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("darwin1859\n"));
    let failed = lab.run(&["items", "trash", "nobody", "--json", "--deliver", &format!("file:{}", path.display())]);
    assert_eq!(failed.code, 3);
    assert!(failed.stdout.contains("\"ok\": false"), "{failed:?}");
}

#[test]
fn groups_are_libraries_of_their_own() {
    let lab = Lab::seeded();
    lab.ok(&["items", "add", "Frankenstein", "--group=novels", "--yes"]);
    assert_eq!(lab.column(&["items", "list", "--group=novels"], "title"), ["Frankenstein"]);
    assert!(!lab.column(&["items", "list"], "title").contains(&"Frankenstein".to_owned()));
}

#[test]
fn profiles_choose_settings() {
    let lab = Lab::seeded();
    let other = lab.folder().join("other");
    let settings =
        serde_json::json!({"data_dir": lab.folder().join("data"), "profiles": {"spare": {"data_dir": other}}});
    std::fs::write(lab.settings(), settings.to_string()).unwrap();
    assert_eq!(lab.json(&["items", "list", "--profile=spare"])["total"], 0);
    assert_eq!(lab.json(&["items", "list"])["total"], 4);
    assert_eq!(lab.run(&["items", "list", "--profile=nonsense"]).code, 4);
    std::fs::write(lab.settings(), "{\n  \"data_dir\": \n").unwrap();
    let answer = lab.run(&["items", "list"]);
    assert_eq!(answer.code, 4);
    assert!(answer.stderr.contains("settings.json:3"), "{answer:?}");
}

fn batch_run(lab: &Lab, batch: &mut mycli::Batch, line: &[&str]) -> u8 {
    let settings = lab.settings();
    let words = ["mycli", "--config", settings.to_str().unwrap()].into_iter().chain(line.iter().copied());
    let matches = mycli::command().try_get_matches_from(words).unwrap();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = mycli::Io {
        stdin: &mut std::io::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: false,
        cancelled: &|| false,
    };
    batch.run(&matches, &mut io)
}

fn begin(lab: &Lab, max_changes: usize) -> mycli::Batch {
    let words = ["mycli", "--config", lab.settings().to_str().unwrap(), "items", "list"].map(str::to_owned);
    let matches = mycli::command().try_get_matches_from(words).unwrap();
    mycli::Batch::begin_for(&matches, max_changes).unwrap()
}

#[test]
fn a_batch_is_one_run_that_undo_takes_back_whole() {
    let lab = Lab::seeded();
    let before = lab.dump();
    let mut batch = begin(&lab, 10);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "One", "--key=one", "--tag=new", "--yes"]), 0);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "Two", "--key=one", "--yes"]), 9);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "Three", "--key=three", "--tag=new", "--yes"]), 0);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "Four", "--key=four"]), 0);
    assert_eq!(batch.changes(), 2);
    assert_eq!(lab.dump(), before, "visible before the commit");
    let run = batch.commit().unwrap().unwrap();
    assert_eq!(lab.column(&["items", "list", "--tag=new"], "key"), ["one", "three"]);
    lab.ok(&["journal", "undo", &run.to_string(), "--yes"]);
    assert_eq!(lab.dump(), before);
}

#[test]
fn a_batch_that_is_dropped_or_rolled_back_leaves_nothing() {
    let lab = Lab::seeded();
    let before = lab.dump();
    let mut batch = begin(&lab, 10);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "One", "--yes"]), 0);
    batch.rollback();
    assert_eq!(lab.dump(), before);
    assert_eq!(begin(&lab, 10).commit().unwrap(), None);
}

#[test]
fn a_batch_goes_on_after_a_command_that_did_a_part() {
    let lab = Lab::seeded();
    let mut batch = begin(&lab, 10);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "trash", "darwin1859", "nobody", "--yes"]), 13);
    assert_eq!(batch.changes(), 0);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "trash", "darwin1871", "--yes"]), 0);
    batch.commit().unwrap();
    assert_eq!(lab.column(&["items", "list", "--trashed"], "key"), ["darwin1871"]);
}

#[test]
fn the_cap_counts_over_the_whole_batch() {
    let lab = Lab::seeded();
    let mut batch = begin(&lab, 2);
    for (title, code) in [("One", 0), ("Two", 0), ("Three", 9)] {
        assert_eq!(batch_run(&lab, &mut batch, &["items", "add", title, "--yes"]), code, "{title}");
    }
    batch.commit().unwrap();
    assert_eq!(lab.json(&["items", "list"])["total"], 6);
    let mut batch = begin(&lab, 2);
    assert_eq!(batch_run(&lab, &mut batch, &["items", "add", "Four", "--yes", "--max-changes=0"]), 9);
}

#[test]
fn the_real_program_runs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mycli"));
        command.args(line).env("MYCLI_DATA_DIR", folder.path()).output().unwrap()
    };
    assert!(run(&["items", "add", "Frankenstein", "--yes"]).status.success());
    assert_eq!(run(&["items", "list", "--plain", "--select=title"]).stdout, b"Frankenstein\n");
    assert_eq!(run(&["journal", "show", "7"]).status.code(), Some(3));
    assert!(String::from_utf8(run(&["--version"]).stdout).unwrap().starts_with("mycli "));
}
