//! A library of its own for each test, and calls on it.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use tempfile::TempDir;

/// A library in a temporary folder.
pub struct Lab {
    folder: TempDir,
}

/// What a call answered.
#[derive(Debug)]
pub struct Answer {
    pub code: u8,
    pub stdout: String,
    pub stderr: String,
}

impl Lab {
    /// A library that does not exist yet.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings = serde_json::json!({"data_dir": folder.path().join("data")});
        std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
        Self { folder }
    }

    /// A library with a few works, made by `mycli items add` and others.
    pub fn seeded() -> Self {
        static SEEDED: OnceLock<Vec<u8>> = OnceLock::new();
        let bytes = SEEDED.get_or_init(|| {
            let lab = Self::new();
            for line in SEED {
                lab.ok(line);
            }
            lab.bytes().unwrap()
        });
        let lab = Self::new();
        std::fs::create_dir_all(lab.library().parent().unwrap()).unwrap();
        std::fs::write(lab.library(), bytes).unwrap();
        lab
    }

    /// A library of its own with the same data.
    pub fn copy(&self) -> Self {
        let lab = Self::new();
        let (from, to) = (self.folder().join("data"), lab.folder().join("data"));
        std::fs::create_dir_all(&to).unwrap();
        for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        lab
    }

    /// Runs `mycli` in process.
    pub fn run(&self, line: &[&str]) -> Answer {
        self.run_with_input(line, "")
    }

    /// Runs `mycli` in process with this on its standard input.
    pub fn run_with_input(&self, line: &[&str], input: &str) -> Answer {
        self.run_io(line, &mut input.as_bytes(), &|| false)
    }

    /// Runs `mycli` in process on a stream, for a caller who may lose interest.
    pub fn run_io(
        &self,
        line: &[&str],
        stdin: &mut (dyn std::io::Read + Send),
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Answer {
        let settings = self.settings();
        let mut words = vec!["mycli", "--config", settings.to_str().unwrap()];
        words.extend(line);
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut io = mycli::Io { stdin, stdout: &mut stdout, stderr: &mut stderr, terminal: false, cancelled };
        let code = mycli::run_line(words, &mut io);
        Answer { code, stdout: String::from_utf8(stdout).unwrap(), stderr: String::from_utf8(stderr).unwrap() }
    }

    /// Runs `mycli` and expects success.
    #[track_caller]
    pub fn ok(&self, line: &[&str]) -> Answer {
        let answer = self.run(line);
        assert_eq!(answer.code, 0, "{line:?} failed: {answer:?}");
        answer
    }

    /// Runs `mycli --json` and gives the document, whatever the exit code.
    #[track_caller]
    pub fn json(&self, line: &[&str]) -> Value {
        let mut line = line.to_vec();
        line.push("--json");
        let answer = self.run(&line);
        serde_json::from_str(&answer.stdout).unwrap_or_else(|error| panic!("{line:?}: {error}: {answer:?}"))
    }

    /// Runs `mycli --json` and gives one column of its rows.
    #[track_caller]
    pub fn column(&self, line: &[&str], name: &str) -> Vec<String> {
        let document = self.json(line);
        let rows = document["rows"].as_array().unwrap_or_else(|| panic!("{line:?} has no rows: {document}"));
        rows.iter().map(|row| row[name].as_str().map_or_else(|| row[name].to_string(), str::to_owned)).collect()
    }

    /// A folder for the test's own files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into the test's folder and gives its path.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.folder().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The library file.
    pub fn library(&self) -> PathBuf {
        self.folder().join("data/library.sqlite")
    }

    /// The settings file that `--config` names.
    pub fn settings(&self) -> PathBuf {
        self.folder().join("settings.json")
    }

    /// The library file's bytes; none when there is no file.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        std::fs::read(self.library()).ok()
    }

    /// Every row of every table with the user's data, one a line.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        if !self.library().exists() {
            return text;
        }
        let library = rusqlite::Connection::open(self.library()).unwrap();
        for table in mycli::db::JOURNALED {
            let mut rows = library.prepare(&format!("SELECT * FROM {table} ORDER BY id")).unwrap();
            let count = rows.column_count();
            let lines = rows.query_map([], |row| {
                let cells = (0..count).map(|index| row.get::<_, rusqlite::types::Value>(index));
                cells.collect::<Result<Vec<_>, _>>().map(|cells| format!("{table} {cells:?}\n"))
            });
            text.extend(lines.unwrap().map(Result::unwrap));
        }
        text
    }
}

/// Splits a line at spaces, with single quotes around words that have some.
pub fn shell_words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(number, part)| match number % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

const SEED: &[&[&str]] = &[
    &[
        "items",
        "add",
        "On the Origin of Species",
        "--type=book",
        "--author=Darwin, Charles",
        "--issued=1859",
        "--set=publisher=John Murray",
        "--tag=evolution",
        "--tag=classic",
        "--yes",
    ],
    &[
        "items",
        "add",
        "The Descent of Man",
        "--type=book",
        "--author=Darwin, Charles",
        "--issued=1871",
        "--tag=evolution",
        "--yes",
    ],
    &[
        "items",
        "add",
        "Zur Elektrodynamik bewegter Körper",
        "--author=Einstein, Albert",
        "--issued=1905-06-30",
        "--doi=10.1002/andp.19053221004",
        "--set=container-title=Annalen der Physik",
        "--tag=Classic",
        "--yes",
    ],
    &[
        "items",
        "add",
        "Zur Elektrodynamik bewegter Koerper",
        "--key=einstein1905copy",
        "--author=Einstein, A.",
        "--issued=1905",
        "--doi=10.1002/ANDP.19053221004",
        "--set=volume=322",
        "--yes",
    ],
];
