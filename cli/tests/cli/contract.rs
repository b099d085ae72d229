//! The write contract, tested on every command of the tree that may change something.

use crate::support::Lab;
use clap_facade::catalog::{Catalog, Effect, Settings};

/// A call of a mutating command that changes something on a seeded library.
pub struct Sample {
    /// The command's path.
    pub path: &'static str,
    /// Calls before it, with `--yes`.
    setup: &'static [&'static [&'static str]],
    /// The call after the path, without gates. `{dir}` stands for the test's folder.
    line: &'static [&'static str],
    /// Files to write into the test's folder first.
    files: &'static [(&'static str, &'static str)],
    /// What undo can do about it.
    undo: Undo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Undo {
    /// `journal undo` restores the library.
    Restores,
    /// Nothing in the library changes, or it can't be undone: the command says so.
    Nothing,
}

impl Sample {
    pub const fn new(path: &'static str, line: &'static [&'static str]) -> Self {
        Self { path, setup: &[], line, files: &[], undo: Undo::Restores }
    }

    pub const fn after(mut self, setup: &'static [&'static [&'static str]]) -> Self {
        self.setup = setup;
        self
    }

    pub const fn with(mut self, files: &'static [(&'static str, &'static str)]) -> Self {
        self.files = files;
        self
    }

    const fn undone(mut self, undo: Undo) -> Self {
        self.undo = undo;
        self
    }

    /// A seeded library, ready for the call.
    pub fn lab(&self) -> Lab {
        let lab = Lab::seeded();
        for (name, content) in self.files {
            lab.file(name, content);
        }
        for line in self.setup {
            let line = self.filled(&lab, line);
            let mut line: Vec<&str> = line.iter().map(String::as_str).collect();
            line.extend(["--yes", "--allow-destructive"]);
            lab.ok(&line);
        }
        lab
    }

    /// The call with these gates, as words.
    pub fn words(&self, lab: &Lab, gates: &[&str]) -> Vec<String> {
        let mut words: Vec<String> = self.path.split(' ').map(str::to_owned).collect();
        words.extend(gates.iter().map(|gate| (*gate).to_owned()));
        words.extend(self.filled(lab, self.line));
        words
    }

    fn filled(&self, lab: &Lab, line: &[&str]) -> Vec<String> {
        line.iter().map(|word| word.replace("{dir}", lab.folder().to_str().unwrap())).collect()
    }
}

#[rustfmt::skip]
const SAMPLES: &[Sample] = &[
    Sample::new("items add", &["Frankenstein", "--type=book", "--author=Shelley, Mary", "--issued=1818", "--tag=novel"]),
    Sample::new("items edit", &["darwin1859", "--issued=1860", "--set=edition=2", "--author=Darwin, C.", "--set=publisher="]),
    Sample::new("items trash", &["darwin1859", "einstein1905"]),
    Sample::new("items restore", &["darwin1859"]).after(&[&["items", "trash", "darwin1859"]]),
    Sample::new("items delete", &["darwin1871", "einstein1905"]),
    Sample::new("items move", &["einstein1905", "--from=Science/Physics", "--to=Misc"]).after(SHELVES),
    Sample::new("items tags add", &["darwin1859", "--tag=history", "--tag=biology"]),
    Sample::new("items tags remove", &["darwin1859", "--tag=classic"]),
    Sample::new("items attachments add", &["darwin1859", "{dir}/a.pdf"]).with(&[("a.pdf", "%PDF-1.4 a")]),
    Sample::new("items enrich", &["darwin1859", "darwin1871", "--from={dir}/works.json"]).with(&[("works.json", WORKS)]),
    Sample::new("import file", &["{dir}/refs.bib", "--tag=imported"]).with(&[("refs.bib", REFERENCES)]),
    Sample::new("import doi", &["10.1000/183", "--from={dir}/works.json"]).with(&[("works.json", WORKS)]),
    Sample::new("export bibtex", &["--output={dir}/out.bib"]).with(&[("out.bib", "mine")]),
    Sample::new("export ris", &["darwin1859", "--output={dir}/out.ris"]),
    Sample::new("export csl-json", &["--tag=evolution", "--output={dir}/out.json"]),
    Sample::new("export markdown", &["--type=book", "--output={dir}/out.md"]),
    Sample::new("demo", &[]),
    Sample::new("items duplicates resolve", &[])
        .after(&[&["items", "attachments", "add", "einstein1905copy", "{dir}/a.pdf"]]).with(&[("a.pdf", "%PDF-1.4 a")]),
    Sample::new("journal undo", &["4"]),
    Sample::new("collections create", &["Biology", "--parent=Science"]).after(SHELVES),
    Sample::new("collections rename", &["Science", "Sciences"]).after(SHELVES),
    Sample::new("collections move", &["Physics", "--top"]).after(SHELVES),
    Sample::new("collections delete", &["Science", "Misc"]).after(SHELVES),
    Sample::new("collections add", &["Physics", "darwin1859", "darwin1871"]).after(SHELVES),
    Sample::new("collections remove", &["Physics", "einstein1905"]).after(SHELVES),
    Sample::new("tags audit fix", &["--all"]).after(&[&["tags", "merge", "evolution", "--into=biology"]]),
    Sample::new("tags rename", &["evolution", "descent"]),
    Sample::new("tags merge", &["classic", "evolution", "--into=Classic"]),
    Sample::new("tags delete", &["classic", "evolution"]),
    Sample::new("creators rename", &["Einstein, A.", "Einstein, Albert"]),
    Sample::new("notes add", &["darwin1859", "Tangled bank", "--page=490", "--quote=There is grandeur"]),
    Sample::new("notes edit", &["1", "--append=More.", "--title=Bank"]).after(&[&["notes", "add", "darwin1859", "Tangled bank"]]),
    Sample::new("notes delete", &["1"]).after(&[&["notes", "add", "darwin1859", "Tangled bank"]]),
    Sample::new("reading-list add", &["darwin1859", "einstein1905", "--priority=high"]),
    Sample::new("reading-list start", &["darwin1859"]).after(&[&["reading-list", "add", "darwin1859"]]),
    Sample::new("reading-list done", &["darwin1859", "darwin1871"]).after(&[&["reading-list", "start", "darwin1859"]]),
    Sample::new("reading-list remove", &["darwin1859"]).after(&[&["reading-list", "add", "darwin1859"]]),
    Sample::new("searches save", &["origins", "species", "--tag=evolution"]),
    Sample::new("searches delete", &["origins"]).after(&[&["searches", "save", "origins", "species"]]),
    Sample::new("library health", &["--fix", "--for=all"]).after(&[&["items", "add", "On  Pages", "--set=pages=1--20"]]),
    Sample::new("library snapshot create", &["--output={dir}/copy"]),
    Sample::new("library compact", &[]).undone(Undo::Nothing),
    Sample::new("workflow run", &["{dir}/steps"]).with(&[("steps", STEPS)]),
    Sample::new("workflow archive", &[]).with(&[("steps", STEPS)]).after(&[&["workflow", "run", "{dir}/steps", "--checkpoint"]]),
    Sample::new("init", &["--group=fresh"]).undone(Undo::Nothing),
    Sample::new("config set", &["mailto", "ada@example.org"]),
];

pub const SHELVES: &[&[&str]] = &[
    &["collections", "create", "Science"],
    &["collections", "create", "Misc"],
    &["collections", "create", "Physics", "--parent=Science"],
    &["collections", "add", "Physics", "einstein1905"],
];

pub const WORKS: &str = r#"{"type": "book", "title": "On the Origin of Species", "author": [{"family": "Darwin"}], "issued": {"date-parts": [[1859]]}, "abstract": "Descent.", "DOI": "10.1000/182"}
{"type": "book", "title": "The Descent of Man", "author": [{"family": "Darwin"}], "issued": {"date-parts": [[1871]]}, "publisher": "John Murray"}
{"type": "book", "title": "The Voyage of the Beagle", "author": [{"family": "Darwin"}], "issued": {"date-parts": [[1839]]}, "DOI": "10.1000/183"}
{"type": "book", "title": "Insectivorous Plants", "author": [{"family": "Darwin"}], "issued": {"date-parts": [[1875]]}, "DOI": "10.1000/184"}
"#;

const REFERENCES: &str = "@book{hobbes1651, title = {Leviathan}, author = {Hobbes, Thomas}, year = 1651}
@article{shannon1948, title = {A Mathematical Theory of Communication}, author = {Shannon, Claude}, year = 1948}
";

const STEPS: &str = r#"{"command": "collections create", "args": ["Club"]}
{"command": "collections add", "flags": {"collection": "Club", "items": ["darwin1859", "darwin1871"]}}
{"command": "tags rename", "args": ["evolution", "descent"]}
"#;

pub fn catalog() -> Catalog {
    Catalog::new(mycli::command(), &Settings::default()).unwrap()
}

#[test]
fn every_command_that_may_write_has_a_sample() {
    let missing: Vec<String> = catalog()
        .operations()
        .iter()
        .filter(|operation| operation.widest_effect() != Effect::ReadOnly)
        .map(|operation| operation.path.join(" "))
        .filter(|path| !SAMPLES.iter().any(|sample| sample.path == path))
        .collect();
    assert!(missing.is_empty(), "no sample for {missing:?}: add one to SAMPLES");
}

#[test]
fn every_command_declares_its_effect() {
    let undeclared: Vec<String> = catalog()
        .operations()
        .iter()
        .filter(|operation| operation.declared.is_none())
        .map(|operation| operation.path.join(" "))
        .collect();
    assert!(undeclared.is_empty(), "{undeclared:?}");
}

#[test]
fn without_yes_nothing_changes() {
    each(|sample, lab| {
        let (bytes, dump) = (lab.bytes(), lab.dump());
        let files = snapshot(lab);
        let answer = call(sample, lab, &["--json"]);
        assert_eq!(answer["mode"], "preview", "{answer}");
        assert_eq!(answer["ok"], true, "{answer}");
        assert!(!answer["plan"]["operations"].as_array().unwrap().is_empty(), "{answer}");
        assert_eq!(answer["journal"], serde_json::Value::Null);
        let again = call(sample, lab, &["--json"]);
        assert_eq!(answer["plan"]["digest"], again["plan"]["digest"], "the digest is not deterministic");
        assert!(lab.bytes() == bytes, "the library file changed");
        assert_eq!(lab.dump(), dump);
        assert_eq!(snapshot(lab), files, "files changed");
    });
}

#[test]
fn dry_run_wins_over_yes() {
    each(|sample, lab| {
        let (bytes, files) = (lab.bytes(), snapshot(lab));
        let answer = call(sample, lab, &["--yes", "--dry-run", "--allow-destructive", "--json"]);
        assert_eq!(answer["mode"], "preview", "{answer}");
        assert!(lab.bytes() == bytes, "the library file changed");
        assert_eq!(snapshot(lab), files, "files changed");
    });
}

#[test]
fn agent_does_not_imply_yes() {
    each(|sample, lab| {
        let bytes = lab.bytes();
        let answer = call(sample, lab, &["--agent"]);
        assert_eq!(answer["mode"], "preview", "{answer}");
        assert!(lab.bytes() == bytes, "the library file changed");
    });
}

#[test]
fn max_changes_refuses_before_any_write() {
    each(|sample, lab| {
        let (bytes, files) = (lab.bytes(), snapshot(lab));
        let line = sample.words(lab, &["--yes", "--allow-destructive", "--max-changes=0", "--json"]);
        let answer = lab.run(&words(&line));
        assert_eq!(answer.code, 9, "{answer:?}");
        assert!(answer.stdout.contains("max-changes"), "{answer:?}");
        let document: serde_json::Value = serde_json::from_str(&answer.stdout).unwrap();
        if sample.path != "workflow run" {
            assert_eq!(document["plan"]["operations"], serde_json::json!([]), "the plan is sent again");
        }
        assert!(lab.bytes() == bytes, "the library file changed");
        assert_eq!(snapshot(lab), files, "files changed");
    });
}

#[test]
fn destructive_commands_refuse_without_allow_destructive() {
    let destructive: Vec<String> = catalog()
        .operations()
        .iter()
        .filter(|operation| operation.widest_effect() == Effect::Destructive)
        .map(|operation| operation.path.join(" "))
        .collect();
    each(|sample, lab| {
        let is_destructive = destructive.iter().any(|path| path == sample.path);
        let before = lab.dump();
        let line = sample.words(lab, &["--yes", "--json"]);
        let answer = lab.run(&words(&line));
        if is_destructive {
            assert_eq!(answer.code, 9, "{answer:?}");
            assert!(answer.stdout.contains("--allow-destructive"), "{answer:?}");
            assert_eq!(lab.dump(), before);
        } else {
            assert_eq!(answer.code, 0, "{answer:?}");
        }
    });
}

#[test]
fn yes_applies_and_undo_restores() {
    each(|sample, lab| {
        let (before, files) = (lab.dump(), snapshot(lab));
        let preview = call(sample, lab, &["--json"]);
        let applied = call(sample, lab, &["--yes", "--allow-destructive", "--json"]);
        assert_eq!(applied["ok"], true, "{applied}");
        assert_eq!(applied["mode"], "apply", "{applied}");
        assert_eq!(applied["plan"]["digest"], preview["plan"]["digest"], "what was previewed is not what ran");
        if sample.undo != Undo::Restores {
            return;
        }
        let changed = (lab.dump(), snapshot(lab));
        assert!(changed != (before.clone(), files.clone()), "the sample changes nothing");
        let run = applied["journal"]["run_id"].as_i64().unwrap_or_else(|| panic!("no run in {applied}")).to_string();
        lab.ok(&["journal", "undo", &run, "--yes"]);
        assert_eq!(lab.dump(), before, "undo did not restore the library");
        assert_eq!(snapshot(lab), files, "undo did not restore the files");
        let undo = lab.column(&["journal", "list", "--limit=1"], "run").remove(0);
        lab.ok(&["journal", "undo", &undo, "--yes"]);
        assert_eq!((lab.dump(), snapshot(lab)), changed, "undoing the undo did not do the change again");
    });
}

#[test]
fn the_gates_for_failures_change_nothing_where_none_fails() {
    each(|sample, lab| {
        let plain = call(sample, lab, &["--json"]);
        let gates = ["--continue-on-error", "--max-failures=1", "--json"];
        let preview = call(sample, lab, &gates);
        assert_eq!(preview, plain, "the gates change the preview");
        let applied = call(sample, lab, &[&gates[..], &["--yes", "--allow-destructive"]].concat());
        assert_eq!(applied["ok"], true, "{applied}");
        assert_eq!(applied["plan"]["digest"], plain["plan"]["digest"], "the gates change what is done");
    });
}

fn each(check: impl Fn(&Sample, &Lab)) {
    check_all(SAMPLES, |sample| sample, check);
}

/// Calls `check` with each sample on a library of its own, and reports all failures at once.
pub fn check_all<T>(samples: &[T], sample: impl Fn(&T) -> &Sample, check: impl Fn(&T, &Lab)) {
    let mut failures = Vec::new();
    for each in samples {
        let run = std::panic::AssertUnwindSafe(|| check(each, &sample(each).lab()));
        if let Err(panic) = std::panic::catch_unwind(run) {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.unwrap_or_else(|| format!("{:?}", panic.downcast_ref::<&str>()));
            failures.push(format!("{}: {text}", sample(each).path));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn call(sample: &Sample, lab: &Lab, gates: &[&str]) -> serde_json::Value {
    let line = sample.words(lab, gates);
    let answer = lab.run(&words(&line));
    assert_eq!(answer.code, 0, "{line:?}: {answer:?}");
    let mut document: serde_json::Value =
        serde_json::from_str(&answer.stdout).unwrap_or_else(|e| panic!("{e}: {answer:?}"));
    let fields = ["ok", "operation", "mode", "error", "warnings", "plan", "result", "journal"];
    if gates.contains(&"--json") {
        let names: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(names, fields, "the envelope's fields");
    }
    assert_eq!(document["operation"], sample.path);
    document.as_object_mut().unwrap().entry("journal").or_insert(serde_json::Value::Null);
    document
}

pub fn words(line: &[String]) -> Vec<&str> {
    line.iter().map(String::as_str).collect()
}

/// The test's own files and what they hold, the library aside.
fn snapshot(lab: &Lab) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![lab.folder().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if !name.contains(".sqlite") {
                found.push((entry.path().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    found.sort();
    found
}
