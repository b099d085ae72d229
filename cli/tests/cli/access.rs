//! Libraries that can't be reached, can't be written, or are no library yet.

use crate::support::Lab;
use std::path::Path;

const READS: &[&[&str]] = &[
    &["items", "list"],
    &["library", "stats"],
    &["library", "snapshot", "verify"],
    &["journal", "list"],
    &["search", "darwin"],
    &["items", "add", "Frankenstein"],
];

#[test]
fn what_is_in_the_way_of_a_library_is_an_error_that_names_it() {
    type Case = (&'static str, fn(&Path));
    let cases: [Case; 3] = [
        ("data", |path| std::fs::write(path, "a file where a folder should be").unwrap()),
        ("data/library.sqlite", |path| std::fs::create_dir_all(path).unwrap()),
        #[cfg(unix)]
        ("data/library.sqlite", |path| {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
    ];
    for (number, (name, block)) in cases.iter().enumerate() {
        let lab = Lab::new();
        block(&lab.folder().join(name));
        let changes: [&[&str]; 2] = [&["items", "add", "Frankenstein", "--yes"], &["init", "--yes"]];
        for line in READS.iter().copied().chain(changes) {
            if number > 0 && line.contains(&"verify") {
                continue;
            }
            let answer = lab.run(line);
            assert_eq!(answer.code, 4, "{number}: {line:?} {answer:?}");
            assert!(answer.stderr.contains(lab.folder().join("data").to_str().unwrap()), "{line:?} {answer:?}");
        }
        let doctor = lab.run(&["doctor"]);
        assert_eq!(doctor.code, 4, "{number}: {doctor:?}");
    }
}

#[test]
fn an_empty_file_reads_as_an_empty_library_and_stays_empty() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.library().parent().unwrap()).unwrap();
    std::fs::write(lab.library(), "").unwrap();
    for line in READS.iter().filter(|line| !line.contains(&"verify")) {
        lab.ok(line);
        assert_eq!(lab.bytes().unwrap(), b"", "{line:?}");
    }
    lab.ok(&["items", "add", "Frankenstein", "--yes"]);
    assert_eq!(lab.json(&["items", "list"])["total"], 1);
}

#[test]
fn a_database_without_tables_is_not_made_a_library_by_a_read() {
    let lab = Lab::new();
    std::fs::create_dir_all(lab.library().parent().unwrap()).unwrap();
    rusqlite::Connection::open(lab.library()).unwrap().execute_batch("PRAGMA application_id = 7").unwrap();
    let before = lab.bytes();
    assert_eq!(lab.json(&["items", "list"])["total"], 0);
    assert_eq!(lab.bytes(), before);
}

#[cfg(unix)]
mod permissions {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Output};

    /// Nobody's user id: permissions don't bind the superuser.
    const NOBODY: u32 = 65_534;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Runs the program as somebody whom permissions bind.
    fn run_bound(lab: &Lab, line: &[&str]) -> Output {
        let program = lab.folder().join("mycli");
        if !program.exists() {
            // Another test's child would keep a file that this process writes open, and so from being run.
            let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_mycli")).arg(&program).status().unwrap();
            assert!(copied.success());
            set_mode(lab.folder(), 0o755);
        }
        let mut command = Command::new(program);
        command.args(line).env("MYCLI_DATA_DIR", lab.folder().join("data"));
        let probe = lab.file("probe", "");
        set_mode(Path::new(&probe), 0);
        if std::fs::File::open(probe).is_ok() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output().unwrap()
    }

    fn names(folder: &Path) -> Vec<std::ffi::OsString> {
        let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_library_that_can_be_read_but_not_written_is_read() {
        for (folder_mode, file_mode) in [(0o555, 0o444), (0o777, 0o444), (0o555, 0o666)] {
            let lab = Lab::seeded();
            let data = lab.folder().join("data");
            set_mode(&lab.library(), file_mode);
            set_mode(&data, folder_mode);
            let before = (lab.bytes(), names(&data));
            for line in READS.iter().filter(|line| !line.contains(&"verify")) {
                let answer = run_bound(&lab, line);
                assert!(answer.status.success(), "{folder_mode:o} {file_mode:o} {line:?} {answer:?}");
            }
            let listed = run_bound(&lab, &["items", "list", "--quiet"]);
            assert!(String::from_utf8(listed.stdout).unwrap().starts_with("darwin1859\n"));
            let answer = run_bound(&lab, &["items", "add", "Frankenstein", "--yes"]);
            let stderr = String::from_utf8_lossy(&answer.stderr);
            assert_eq!(answer.status.code(), Some(4), "{folder_mode:o} {file_mode:o} {answer:?}");
            assert!(stderr.contains(lab.library().to_str().unwrap()), "{stderr}");
            assert_eq!((lab.bytes(), names(&data)), before, "{folder_mode:o} {file_mode:o}");
            set_mode(&data, 0o755);
        }
    }

    #[test]
    fn a_library_that_cannot_be_reached_is_no_empty_one() {
        for (folder_mode, file_mode) in [(0o000, 0o644), (0o755, 0o000)] {
            let lab = Lab::seeded();
            let data = lab.folder().join("data");
            set_mode(&lab.library(), file_mode);
            set_mode(&data, folder_mode);
            for line in READS.iter().filter(|line| !line.contains(&"verify")) {
                let answer = run_bound(&lab, line);
                let stderr = String::from_utf8_lossy(&answer.stderr);
                assert_eq!(answer.status.code(), Some(4), "{folder_mode:o} {line:?} {answer:?}");
                assert!(stderr.contains(lab.library().to_str().unwrap()), "{stderr}");
            }
            set_mode(&data, 0o755);
        }
    }
}
