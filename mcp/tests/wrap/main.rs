//! Walks of programs that behave badly, each a script of a few lines.
#![cfg(feature = "stdio")]
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[cfg(target_os = "linux")]
mod kernel;

use clap_facade::catalog::{Catalog, Settings};
use clap_facade::wrap::{CachePolicy, WalkOptions, WrapError, Wrapped, walk};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A program made of a script; what it is asked is written down beside it.
struct Program {
    folder: TempDir,
    path: PathBuf,
}

impl Program {
    /// `cases` are the arms of a shell `case` over the arguments.
    fn new(cases: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let program = Self { folder, path };
        program.write(cases);
        program
    }

    fn write(&self, cases: &str) {
        let asked = self.folder.path().join("asked");
        let script = format!("#!/bin/sh\necho \"$*\" >> {}\ncase \"$*\" in\n{cases}\nesac\n", asked.display());
        fs::write(&self.path, script).unwrap();
        fs::set_permissions(&self.path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn options(&self) -> WalkOptions {
        WalkOptions { cache_folder: Some(self.folder.path().join("cache")), ..WalkOptions::default() }
    }

    fn walk(&self) -> Wrapped {
        walk(&self.path, &[], &self.options()).unwrap()
    }

    /// What it was asked, sorted.
    fn asked(&self) -> Vec<String> {
        let mut asked: Vec<String> = fs::read_to_string(self.folder.path().join("asked"))
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect();
        asked.sort();
        asked
    }

    fn cache(&self) -> PathBuf {
        let mut files = fs::read_dir(self.folder.path().join("cache")).unwrap().map(|file| file.unwrap().path());
        let file = files.next().unwrap();
        assert_eq!(files.next(), None, "one file, and no draft left");
        file
    }
}

fn operations(wrapped: &Wrapped) -> Vec<String> {
    let catalog = Catalog::new(wrapped.command.clone(), &Settings::default()).unwrap();
    catalog.operations().iter().map(|operation| operation.name.clone()).collect()
}

const ROOT: &str = r"printf 'Usage: tool [OPTIONS] <COMMAND>\n\nCommands:\n  one, o  First\n  two   Second\n  help  Print this message\n\nOptions:\n      --deep  Go deep\n'";
const ONE: &str =
    r"printf 'Usage: tool one [OPTIONS] <X>\n\nArguments:\n  <X>  What\n\nOptions:\n      --force  Do it\n'";
const TWO: &str = r"printf 'Usage: tool two <COMMAND>\n\nCommands:\n  three  Third\n'";
const THREE: &str = r"printf 'Usage: tool two three\n\nOptions:\n  -n, --number <N>  How many\n'";

fn good() -> String {
    format!("--help) {ROOT};;\n'one --help') {ONE};;\n'two --help') {TWO};;\n'two three --help') {THREE};;")
}

#[test]
fn a_walk_asks_for_listed_help_and_nothing_else() {
    let program = Program::new(&good());
    let wrapped = program.walk();
    assert_eq!(program.asked(), ["--help", "one --help", "two --help", "two three --help"]);
    assert_eq!(operations(&wrapped), ["one", "two three"]);
    assert_eq!((wrapped.report.pages, wrapped.report.summary()), (4, None));
    assert_eq!(wrapped.command.get_name(), "tool");
}

#[test]
fn the_version_is_the_programs_own() {
    // Only a page that lists the flag says that it prints a version and does nothing else.
    let listing = r"printf 'Usage: tool\n\nOptions:\n  -V, --version  Print version\n'";
    let told = [
        ("echo 'tool 4.5.6-rc.1 (abc 2025-01-02)'", Some("4.5.6-rc.1")),
        ("echo tool v0.9; echo 7.7", Some("0.9")),
        ("echo 'tool (GNU coreutils) 9.1'", Some("9.1")),
        ("echo 'tool 1.2: no such option' >&2; exit 2", None),
        ("echo tool", None),
        (":", None),
        ("sleep 600", None),
    ];
    for (case, version) in told {
        let program = Program::new(&format!("--help) {listing};;\n--version) {case};;"));
        let options = WalkOptions { timeout: Duration::from_secs(1), ..program.options() };
        let asked = walk(&program.path, &[], &options).unwrap();
        let kept = walk(&program.path, &[], &options).unwrap();
        assert!(kept.report.from_cache);
        assert_eq!(program.asked(), ["--help", "--version"], "{case}");
        for wrapped in [asked, kept] {
            assert_eq!(wrapped.command.get_version(), version, "{case}");
        }
    }
}

#[test]
fn fixed_args_stand_before_every_command() {
    let program = Program::new(
        "'nested --help') printf 'Usage: tool nested <COMMAND>\\n\\nCommands:\\n  one  First\\n';;\n'nested one --help') printf 'Usage: tool nested one\\n';;",
    );
    let wrapped = walk(&program.path, &["nested".into()], &program.options()).unwrap();
    assert_eq!(program.asked(), ["nested --help", "nested one --help"]);
    assert_eq!((wrapped.command.get_name(), operations(&wrapped)), ("tool-nested", vec!["one".to_owned()]));
}

#[test]
fn help_on_stderr_or_with_another_exit_code_is_help() {
    let cases = format!(
        "--help) ({ROOT}) >&2; exit 1;;\n'one --help') echo 'WARNING: old' >&2; {ONE}; exit 3;;\n'two --help') echo 'error: no such command' >&2; exit 2;;"
    );
    let wrapped = Program::new(&cases).walk();
    assert_eq!(operations(&wrapped), ["one"]);
    let [skipped] = wrapped.report.skipped.as_slice() else { panic!("{}", wrapped.report) };
    assert_eq!((skipped.path.as_str(), skipped.reason.contains("no such command")), ("two", true), "{skipped:?}");
    assert!(wrapped.report.summary().unwrap().contains("`two`"));
}

#[test]
fn a_program_that_repeats_itself_or_never_ends_is_left() {
    // Every page is the same; one waits for input that never comes; one prints for ever.
    let same = Program::new(&format!("*--help) {ROOT};;"));
    assert_eq!(same.walk().report.skipped.len(), 2);
    assert_eq!(same.asked().len(), 3);

    let stuck = Program::new(&format!(
        "--help) {ROOT};;\n'one --help') sleep 600 & wait;;\n'two --help') while :; do echo 'Usage: two, for ever and ever'; done;;"
    ));
    let options = WalkOptions { timeout: Duration::from_secs(2), page_bytes: 10_000, ..stuck.options() };
    let report = walk(&stuck.path, &[], &options).unwrap().report;
    let reasons: Vec<&str> = report.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
    assert!(
        matches!(reasons.as_slice(), [one, two] if one.contains("did not end") && two.contains("10000 bytes")),
        "{reasons:?}"
    );
}

#[test]
fn a_tree_without_end_ends() {
    let program = Program::new("*) printf 'Usage: tool <COMMAND>\\n\\nCommands:\\n  deeper  Below: %s\\n' \"$*\";;");
    let options = WalkOptions { depth: 3, ..program.options() };
    let wrapped = walk(&program.path, &[], &options).unwrap();
    assert_eq!(program.asked().len(), 4);
    assert_eq!(wrapped.report.skipped.len(), 1);
}

#[test]
fn nothing_of_the_environment_shows_up() {
    // Cargo sets this one for every test.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let program = Program::new(
        "--help) printf 'Usage: tool\\n\\nOptions:\\n'; env | sed 's/^/  --/; s/=.*//; s/$/  Set/';  [ -t 0 ] || printf '  --no-terminal  Stdin\\n'; read -r line || printf '  --no-input  Stdin\\n';;",
    );
    let wrapped = program.walk();
    let names: Vec<&str> = wrapped.command.get_arguments().filter_map(clap::Arg::get_long).collect();
    for name in ["PATH", "NO_COLOR", "COLUMNS", "no-terminal", "no-input"] {
        assert!(names.contains(&name), "{name} of {names:?}");
    }
    assert!(!names.contains(&"CARGO_MANIFEST_DIR") && names.len() < 22, "{names:?}");
}

#[test]
fn pages_are_kept_as_long_as_the_program_is_the_same() {
    let program = Program::new(&good());
    let first = program.walk();
    let again = program.walk();
    assert_eq!((first.report.from_cache, again.report.from_cache), (false, true));
    assert_eq!((program.asked().len(), operations(&again)), (4, operations(&first)));
    assert_eq!(fs::metadata(program.cache()).unwrap().permissions().mode() & 0o777, 0o600);

    let refreshed =
        walk(&program.path, &[], &WalkOptions { cache: CachePolicy::Refresh, ..program.options() }).unwrap();
    assert_eq!((refreshed.report.from_cache, program.asked().len()), (false, 8));

    let kept = fs::read(program.cache()).unwrap();
    for damaged in [&b""[..], b"{}", b"[1, 2]", &kept[..kept.len() / 2], &[0xff; 64]] {
        fs::write(program.cache(), damaged).unwrap();
        let rebuilt = program.walk();
        assert_eq!((rebuilt.report.from_cache, operations(&rebuilt)), (false, operations(&first)));
        assert_eq!(fs::read(program.cache()).unwrap(), kept);
    }

    program.write(&good().replace("three  Third", "three  Third\\n  four  Fourth").replace("esac", ""));
    assert!(!program.walk().report.from_cache);
}

#[test]
fn what_is_no_program_and_what_has_no_help_is_said() {
    let missing = walk(Path::new("/nowhere/tool"), &[], &WalkOptions::default()).unwrap_err();
    assert!(matches!(missing, WrapError::NotFound(_)), "{missing}");
    let bare = walk(Path::new("no-such-tool-here"), &[], &WalkOptions::default()).unwrap_err();
    assert!(bare.to_string().contains("PATH"), "{bare}");
    let program = Program::new("*) echo 'tool: unknown option' >&2; exit 2;;");
    let silent = walk(&program.path, &[], &program.options()).unwrap_err();
    assert!(silent.to_string().contains("unknown option"), "{silent}");
}
