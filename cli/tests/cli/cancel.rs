//! Input that never ends, and callers who don't wait for it.

use crate::support::{Answer, Lab};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls that read much or loop long; `{file}` stands for a bibliography, `{steps}` for a workflow.
const LONG: &[&[&str]] = &[
    &["import", "file", "{file}"],
    &["import", "file", "-"],
    &["import", "scan", "{file}"],
    &["import", "doi", "10.1000/1", "--from={file}"],
    &["items", "enrich", "--from={file}"],
    &["items", "bibcheck", "{file}"],
    &["items", "attachments", "add", "darwin1859", "{file}"],
    &["items", "tags", "add", "darwin1859", "--tag=x"],
    &["items", "trash", "-"],
    &["notes", "add", "darwin1859", "-"],
    &["library", "health"],
    &["library", "health", "--fix", "--for=all"],
    &["workflow", "run", "{steps}"],
    &["workflow", "run", "-"],
];

fn run(lab: &Lab, line: &[&str], input: &mut (dyn std::io::Read + Send), polls: usize) -> Answer {
    let count = AtomicUsize::new(0);
    lab.run_io(line, input, &|| count.fetch_add(1, Ordering::Relaxed) >= polls)
}

fn filled(lab: &Lab) -> Vec<Vec<String>> {
    let file = lab.file("a.bib", "@book{a, title = {Opticks}, doi = {10.1000/1}}");
    let steps = lab.file("steps", r#"{"command": "tags rename", "args": ["evolution", "descent"]}"#);
    let fill = |word: &&str| word.replace("{file}", &file).replace("{steps}", &steps);
    LONG.iter().map(|line| line.iter().map(fill).collect()).collect()
}

#[test]
fn long_work_ends_when_nobody_waits_for_it() {
    let lab = Lab::seeded();
    let before = lab.bytes();
    for line in filled(&lab) {
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        let answer = run(&lab, &words, &mut std::io::empty(), 0);
        assert_eq!(answer.code, 1, "{line:?} {answer:?}");
        assert!(answer.stderr.contains("cancelled"), "{line:?} {answer:?}");
        assert!(lab.bytes() == before, "{line:?} changed the library");
    }
}

#[test]
fn input_without_end_is_given_up_when_nobody_waits_for_it() {
    let lab = Lab::seeded();
    for line in LONG.iter().filter(|line| line.contains(&"-")) {
        let answer = run(&lab, line, &mut std::io::repeat(b' '), 5);
        assert!(answer.code == 1 && answer.stderr.contains("cancelled"), "{line:?} {answer:?}");
    }
}

#[test]
#[cfg(unix)]
fn what_is_no_regular_file_is_refused_before_it_is_opened() {
    let lab = Lab::seeded();
    for line in [
        &["import", "file", "/dev/null"][..],
        &["import", "scan", "/dev/null"],
        &["items", "enrich", "--from=/dev/null"],
        &["items", "bibcheck", "/dev/null"],
        &["items", "attachments", "add", "darwin1859", "/dev/null", "--yes"],
        &["workflow", "run", "/dev/null"],
        &["library", "snapshot", "verify", "/dev/null"],
    ] {
        let answer = lab.run(line);
        assert_eq!(answer.code, 2, "{line:?} {answer:?}");
        assert!(format!("{}{}", answer.stdout, answer.stderr).contains("no regular file"), "{line:?} {answer:?}");
    }
}
