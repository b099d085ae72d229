//! What can go wrong, said to its reader, and the exit code each kind has.

use serde_json::{Value, json};

/// The kinds of failure; each has one published exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command ran and failed.
    Failure,
    /// The command line was wrong.
    Usage,
    /// Something named does not exist.
    NotFound,
    /// The configuration or the library file is unusable.
    Config,
    /// A provider of bibliographic data failed.
    Provider,
    /// A provider asked for a slower pace.
    RateLimited,
    /// Another writer holds the library.
    Busy,
    /// A write gate or the state of the library forbids it.
    Precondition,
    /// A quality gate did not pass.
    Quality,
    /// Only a part was done.
    Incomplete,
}

impl ErrorKind {
    /// Every kind, in the order of the exit codes.
    pub const ALL: &'static [ErrorKind] = &[
        Self::Failure,
        Self::Usage,
        Self::NotFound,
        Self::Config,
        Self::Provider,
        Self::RateLimited,
        Self::Busy,
        Self::Precondition,
        Self::Quality,
        Self::Incomplete,
    ];

    /// The process exit code.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failure => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Config => 4,
            Self::Provider => 5,
            Self::RateLimited => 7,
            Self::Busy | Self::Precondition => 9,
            Self::Quality => 11,
            Self::Incomplete => 13,
        }
    }

    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Usage => "usage",
            Self::NotFound => "not-found",
            Self::Config => "config",
            Self::Provider => "provider",
            Self::RateLimited => "rate-limited",
            Self::Busy => "busy",
            Self::Precondition => "precondition",
            Self::Quality => "quality",
            Self::Incomplete => "incomplete",
        }
    }

    /// Whether the same call may succeed later without a change by the caller.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Provider | Self::RateLimited | Self::Busy)
    }

    /// One sentence on what the kind means.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Failure => "the command ran and failed",
            Self::Usage => "the command line was wrong",
            Self::NotFound => "an item, collection, tag, note or file that was named does not exist",
            Self::Config => "the configuration or the library file can't be used",
            Self::Provider => "a provider of bibliographic data failed or sent something unreadable",
            Self::RateLimited => "a provider asked for a slower pace",
            Self::Busy => "another writer holds the library",
            Self::Precondition => "a write gate or the state of the library forbids the change",
            Self::Quality => "a quality gate did not pass",
            Self::Incomplete => "only a part was done; the rest is reported",
        }
    }
}

/// A failure: what was wrong, where, and what would be right.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}{message}", place_prefix(.place))]
pub struct CliError {
    kind: ErrorKind,
    message: String,
    hint: Option<String>,
    flag_hint: Option<&'static str>,
    place: Option<Box<Place>>,
    printed: bool,
    reader_is_gone: bool,
}

/// Where in an input the problem is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1; 0 when not known.
    pub line: usize,
    /// The field; empty when it is not about one.
    pub field: String,
}

fn place_prefix(place: &Option<Box<Place>>) -> String {
    let Some(place) = place else { return String::new() };
    let mut text = place.file.clone();
    if place.line > 0 {
        text.push_str(&format!(":{}", place.line));
    }
    if !place.field.is_empty() {
        text.push_str(&format!("{}field {}", if text.is_empty() { "" } else { ", " }, place.field));
    }
    if text.is_empty() { text } else { format!("{text}: ") }
}

impl CliError {
    /// Makes an error; the message is a lowercase fragment.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            flag_hint: None,
            place: None,
            printed: false,
            reader_is_gone: false,
        }
    }

    /// A wrong command line: exit 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    /// Something named that does not exist: exit 3.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// A command that ran and failed: exit 1.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Failure, message)
    }

    /// A gate or a state that forbids the change: exit 9.
    pub fn precondition(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Precondition, message)
    }

    /// An unusable configuration or library file: exit 4.
    pub fn config(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Config, message)
    }

    /// Adds what the reader can do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds what a flag can do about it that agents can't set; it is said behind the hint.
    #[must_use]
    pub(crate) fn flag_hint(mut self, hint: &'static str) -> Self {
        self.flag_hint = Some(hint);
        self
    }

    /// Leaves out what agents can't do.
    pub(crate) fn tell_agent(&mut self) {
        self.flag_hint = None;
    }

    /// Adds where in an input the problem is.
    #[must_use]
    pub fn at(mut self, file: impl Into<String>, line: usize, field: impl Into<String>) -> Self {
        self.place = Some(Box::new(Place { file: file.into(), line, field: field.into() }));
        self
    }

    /// Says in which file, and on which line of it, the problem is: then it isn't the command line's.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>, line: usize) -> Self {
        let place = self.place.get_or_insert_default();
        (place.file, place.line) = (file.into(), line);
        if self.kind == ErrorKind::Usage {
            self.kind = ErrorKind::Failure;
        }
        self
    }

    /// Says that stdout holds the command's complete report, so that no second JSON document follows.
    #[must_use]
    pub fn printed(mut self) -> Self {
        self.printed = true;
        self
    }

    /// Whether stdout holds the command's report.
    pub fn is_printed(&self) -> bool {
        self.printed
    }

    /// Whether nobody reads the output any more, so that nothing is to be said.
    pub fn is_reader_gone(&self) -> bool {
        self.reader_is_gone
    }

    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The hint.
    pub fn hint_text(&self) -> Option<String> {
        let hints: Vec<&str> = self.hint.as_deref().into_iter().chain(self.flag_hint).collect();
        (!hints.is_empty()).then(|| hints.join("; "))
    }

    /// The `error` object of the envelope.
    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "kind": self.kind.name(),
            "exit_code": self.kind.exit_code(),
            "message": self.to_string(),
            "retryable": self.kind.is_retryable(),
        });
        if let Some(hint) = self.hint_text() {
            object["hint"] = json!(hint);
        }
        if let Some(place) = &self.place {
            let mut at = serde_json::Map::new();
            if !place.file.is_empty() {
                at.insert("file".into(), json!(place.file));
            }
            if place.line > 0 {
                at.insert("line".into(), json!(place.line));
            }
            if !place.field.is_empty() {
                at.insert("field".into(), json!(place.field));
            }
            object["at"] = Value::Object(at);
        }
        object
    }
}

impl From<rusqlite::Error> for CliError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::new(ErrorKind::Busy, "another process is writing to the library")
                    .hint("wait until it has finished, then run the command again")
            }
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::config(format!("the library file is damaged or is no library: {error}"))
                    .hint("`mycli doctor` says which file it is; restore it from a snapshot")
            }
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                Self::config(format!("the library file can't be opened or written: {error}"))
            }
            Some(ErrorCode::ConstraintViolation) => {
                Self::precondition(format!("the change breaks a rule of the library: {error}"))
            }
            _ => Self::failure(format!("the library refused: {error}")),
        }
    }
}

impl From<std::io::Error> for CliError {
    fn from(error: std::io::Error) -> Self {
        let reader_is_gone = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { reader_is_gone, ..Self::failure(error.to_string()) }
    }
}
