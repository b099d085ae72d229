//! The gates on failures, tested on every command that does several things and may fail at one.

use crate::contract::{SHELVES, Sample, WORKS, catalog, check_all, words};
use crate::support::Lab;
use clap_facade::catalog::{Effect, Param, ParamKind};

/// What a command does about an entry that can't be done, without `--continue-on-error`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// It ends the run; what was done before it stays.
    Stops,
    /// It refuses the run before the first write, or takes it back.
    Refuses,
    /// It is passed over: one entry says nothing about the next.
    IsPassed,
}

/// Calls with four entries, of which two can be done; where nothing else is said, the first and the last.
#[rustfmt::skip]
const FAILING: &[(Failure, Sample)] = &[
    (Failure::Stops, Sample::new("items edit", &["darwin1859", "no1", "no2", "darwin1871", "--issued=1860"])),
    (Failure::Stops, Sample::new("items trash", &["darwin1859", "no1", "no2", "darwin1871"])),
    (Failure::Stops, Sample::new("items restore", &["darwin1859", "no1", "no2", "darwin1871"]).after(&[&["items", "trash", "darwin1859", "darwin1871"]])),
    (Failure::Stops, Sample::new("items delete", &["darwin1859", "no1", "no2", "darwin1871"])),
    (Failure::Stops, Sample::new("items move", &["darwin1859", "no1", "einstein1905", "darwin1871", "--from=Misc", "--to=Science"]).after(MEMBERS)),
    (Failure::Stops, Sample::new("items tags add", &["darwin1859", "no1", "no2", "darwin1871", "--tag=history"])),
    (Failure::Stops, Sample::new("items tags remove", &["darwin1859", "no1", "einstein1905", "darwin1871", "--tag=evolution"])),
    (Failure::Stops, Sample::new("items attachments add", &["darwin1859", "{dir}/a.pdf", "{dir}/no1", "{dir}/no2", "{dir}/b.pdf"])
        .with(&[("a.pdf", "%PDF-1.4 a"), ("b.pdf", "%PDF-1.4 b")])),
    (Failure::IsPassed, Sample::new("items enrich", &["darwin1859", "no1", "no2", "darwin1871", "--from={dir}/works.json"]).with(&[("works.json", WORKS)])),
    (Failure::Stops, Sample::new("items duplicates resolve", &["darwin1859", "no1", "darwin1871", "einstein1905"])
        .after(&[&["items", "add", "On the Origin of Species", "--type=book", "--author=Darwin, Charles", "--issued=1859"]])),
    (Failure::Refuses, Sample::new("import file", &["{dir}/refs.bib"]).with(&[("refs.bib", FAULTY)])),
    (Failure::Refuses, Sample::new("import doi", &["10.1000/183", "10.1000/998", "10.1000/999", "10.1000/184", "--from={dir}/works.json"]).with(&[("works.json", WORKS)])),
    (Failure::Refuses, Sample::new("journal undo", &["5"]).after(&[
        &["items", "trash", "darwin1859", "darwin1871", "einstein1905", "einstein1905copy"], &["items", "edit", "darwin1871", "einstein1905", "--issued=1900"]])),
    (Failure::Stops, Sample::new("collections delete", &["Science", "no1", "no2", "Misc"]).after(SHELVES)),
    (Failure::Stops, Sample::new("collections add", &["Physics", "darwin1859", "no1", "no2", "darwin1871"]).after(SHELVES)),
    (Failure::Stops, Sample::new("collections remove", &["Misc", "darwin1859", "no1", "einstein1905", "darwin1871"]).after(MEMBERS)),
    (Failure::Stops, Sample::new("tags merge", &["classic", "no1", "no2", "evolution", "--into=Classic"])),
    (Failure::Stops, Sample::new("tags delete", &["classic", "no1", "no2", "evolution"])),
    (Failure::Stops, Sample::new("notes delete", &["1", "2", "3", "4"]).after(&[
        &["notes", "add", "darwin1859", "a"], &["notes", "add", "darwin1859", "b"], &["notes", "add", "darwin1859", "c"],
        &["notes", "add", "darwin1859", "d"], &["notes", "delete", "2", "3"]])),
    (Failure::Stops, Sample::new("reading-list add", &["darwin1859", "no1", "no2", "darwin1871"])),
    (Failure::Stops, Sample::new("reading-list start", &["darwin1859", "no1", "no2", "darwin1871"])),
    (Failure::Stops, Sample::new("reading-list done", &["darwin1859", "no1", "no2", "darwin1871"])),
    (Failure::Stops, Sample::new("reading-list remove", &["darwin1859", "no1", "einstein1905", "darwin1871"])
        .after(&[&["reading-list", "add", "darwin1859", "darwin1871"]])),
    (Failure::Stops, Sample::new("searches delete", &["a", "no1", "no2", "b"]).after(&[&["searches", "save", "a", "x"], &["searches", "save", "b", "x"]])),
    (Failure::Refuses, Sample::new("workflow run", &["{dir}/steps"]).with(&[("steps", FAULTY_STEPS)])),
    (Failure::Stops, Sample::new("workflow archive", &["1", "8", "9", "2"]).with(&[("steps", "{\"command\": \"tags list\"}")])
        .after(&[&["workflow", "run", "{dir}/steps", "--checkpoint"], &["workflow", "run", "{dir}/steps", "--checkpoint"]])),
];

/// Commands that take a list and yet do one thing, so that nothing of it can be left out.
const WHOLE: &[&str] = &["export bibtex", "export ris", "export csl-json", "export markdown", "searches save"];

const MEMBERS: &[&[&str]] = &[
    &["collections", "create", "Science"],
    &["collections", "create", "Misc"],
    &["collections", "add", "Misc", "darwin1859", "darwin1871"],
];

const FAULTY: &str = "@book{hobbes1651, title = {Leviathan}, author = {Hobbes, Thomas}, year = 1651}
@book{nobody1, author = {Nobody}, year = 1900}
@book{nobody2, author = {Nobody}, year = 1901}
@article{shannon1948, title = {A Mathematical Theory of Communication}, author = {Shannon, Claude}, year = 1948}
";

const FAULTY_STEPS: &str = r#"{"command": "collections create", "args": ["Club"]}
{"command": "tags rename", "args": ["no1", "x"]}
{"command": "items tags add", "args": ["darwin1859", "no2"], "flags": {"tag": ["half"]}}
{"command": "tags rename", "args": ["evolution", "descent"]}
"#;

#[test]
fn every_command_that_takes_a_list_and_may_write_has_a_failing_sample() {
    let is_list = |param: &Param| matches!(param.kind, ParamKind::Many { .. });
    let missing: Vec<String> = catalog()
        .operations()
        .iter()
        .filter(|operation| operation.widest_effect() != Effect::ReadOnly && operation.positionals().any(is_list))
        .map(|operation| operation.path.join(" "))
        .filter(|path| !WHOLE.contains(&path.as_str()) && !FAILING.iter().any(|(_, sample)| sample.path == path))
        .collect();
    assert!(missing.is_empty(), "no failing sample for {missing:?}: add one to FAILING");
}

#[test]
fn the_first_failure_stops_or_refuses_the_rest() {
    each_failing(|failure, sample, lab| {
        let before = lab.dump();
        let (code, tally) = apply(sample, lab, &[]);
        match failure {
            Failure::Stops => assert_eq!((code, tally), (13, [1, 1, 2])),
            Failure::IsPassed => assert_eq!((code, tally), (13, [2, 2, 0])),
            Failure::Refuses => {
                assert!(code != 0 && code != 13, "{code}");
                assert_eq!(lab.dump(), before, "something was changed");
            }
        }
    });
}

#[test]
fn continue_on_error_does_all_that_can_be_done() {
    each_failing(|_, sample, lab| {
        let before = lab.dump();
        assert_eq!(apply(sample, lab, &["--continue-on-error"]), (13, [2, 2, 0]));
        assert_ne!(lab.dump(), before);
        let run = lab.column(&["journal", "list", "--limit=1"], "run").remove(0);
        lab.ok(&["journal", "undo", &run, "--yes"]);
        assert_eq!(lab.dump(), before, "undo did not restore the library");
    });
}

#[test]
fn max_failures_ends_a_run_that_goes_on() {
    each_failing(|_, sample, lab| {
        let (code, [applied, failed, left]) = apply(sample, lab, &["--continue-on-error", "--max-failures=1"]);
        assert_eq!((code, failed, applied + left), (13, 1, 3), "{applied} applied, {left} left");
        assert!(left > 0, "it went on to the end");
        assert_eq!(apply(sample, &sample.lab(), &["--continue-on-error", "--max-failures=3"]), (13, [2, 2, 0]));
    });
}

#[test]
fn gates_refuse_a_workflow_whole_even_one_that_goes_on() {
    let lab = Lab::seeded();
    let steps = lab.file("steps", FAULTY_STEPS);
    let before = lab.dump();
    for gates in [&["--max-changes=1"][..], &["--checkpoint"]] {
        let line = [&["workflow", "run", &steps, "--yes", "--continue-on-error"], gates].concat();
        assert!([2, 9].contains(&lab.run(&line).code), "{gates:?}");
        assert_eq!(lab.dump(), before, "{gates:?}");
    }
}

#[test]
fn agents_are_told_of_no_flag_that_they_cant_set() {
    let gates: Vec<String> = catalog()
        .operations()
        .iter()
        .flat_map(|operation| &operation.params)
        .map(|param| param.spelling.to_string())
        .collect();
    let command = mycli::command();
    let flags: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| Some(format!("--{}", argument.get_long()?)))
        .filter(|flag| !gates.contains(flag))
        .collect();
    assert!(flags.contains(&"--idempotent".to_owned()) && !flags.contains(&"--yes".to_owned()), "{flags:?}");
    let check = |lab: &Lab, line: &[&str]| {
        let answer = lab.run(&[line, &["--agent"]].concat());
        let said = |text: &str| flags.iter().find(|flag| text.contains(flag.as_str())).cloned();
        assert_eq!((said(&answer.stdout), said(&answer.stderr)), (None, None), "{line:?}: {answer:?}");
    };
    each_failing(|_, sample, lab| {
        let line = sample.words(lab, &[]);
        check(lab, &words(&line));
    });
    let lab = Lab::seeded();
    let file = lab.file("a.pdf", "%PDF-1.4 a");
    for line in [
        &["items", "add", "Opticks", "--key=darwin1859"][..],
        &["collections", "create", "Science"],
        &["items", "attachments", "add", "darwin1859", &file],
    ] {
        lab.run(&[line, &["--yes"]].concat());
        let people = lab.run(line);
        assert!(format!("{}{}", people.stdout, people.stderr).contains("--idempotent"), "{line:?}: {people:?}");
        check(&lab, line);
    }
}

/// Applies a failing sample: the exit code, and how many entries were applied, failed and not attempted.
fn apply(sample: &Sample, lab: &Lab, gates: &[&str]) -> (u8, [usize; 3]) {
    let line = sample.words(lab, &[gates, &["--yes", "--allow-destructive", "--json"]].concat());
    let answer = lab.run(&words(&line));
    let document: serde_json::Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    assert_eq!(document["ok"], answer.code == 0, "{answer:?}");
    let result = &document["result"];
    let count = |name: &str| result[name].as_array().map_or(0, Vec::len);
    let tally = match result["steps"].as_array() {
        Some(steps) => {
            let done = steps.iter().filter(|step| step["exit_code"] == 0).count();
            [done, steps.len() - done, result["not_attempted"].as_u64().unwrap() as usize]
        }
        None => [count("targets"), count("failed"), count("not_attempted")],
    };
    (answer.code, tally)
}

fn each_failing(check: impl Fn(Failure, &Sample, &Lab)) {
    check_all(FAILING, |(_, sample)| sample, |(failure, sample), lab| check(*failure, sample, lab));
}
