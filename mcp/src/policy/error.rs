//! What can be wrong with a policy file.

use std::path::PathBuf;

/// Why a policy is not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file can't be read.
    #[error("the policy `{}` can't be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The text is not a policy.
    #[error("{}{problem}", place(path.as_ref(), *line, *column))]
    Invalid {
        /// The file, where it came from one.
        path: Option<PathBuf>,
        /// The line, from 1; 0 where it is not known.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A pattern or a name means nothing in this tree.
    #[error("{}the policy's {what} `{name}` names nothing in `{root}`{}", place(path.as_ref(), 0, 0), nearest.as_ref().map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default())]
    NamesNothing {
        /// The file, where it came from one.
        path: Option<PathBuf>,
        /// The key that holds it: `deny`, `command.match`, ….
        what: &'static str,
        /// The pattern or name.
        name: String,
        /// The CLI.
        root: String,
        /// The nearest valid name.
        nearest: Option<String>,
    },
    /// The folder that commands are to start in is not there.
    #[error("{}the policy's `cwd` is `{}`, and there is no such folder", place(path.as_ref(), 0, 0), folder.display())]
    NoFolder {
        /// The file, where it came from one.
        path: Option<PathBuf>,
        /// The folder.
        folder: PathBuf,
    },
    /// The words before the commands hide where in the program's tree they stand.
    #[error(
        "this program has a policy, which can't be held behind the fixed argument `{0}`: only command words may stand there"
    )]
    Obscured(String),
    /// The policy sets what only a program of its own has.
    #[error(
        "the policy's `environment`, `cwd` and `read-only` are for commands that are processes of their own, and this CLI's run in the server"
    )]
    InProcess,
}

fn place(path: Option<&PathBuf>, line: usize, column: usize) -> String {
    match (path, line) {
        (Some(path), 0) => format!("{}: ", path.display()),
        (Some(path), _) => format!("{}:{line}:{column}: ", path.display()),
        (None, 0) => String::new(),
        (None, _) => format!("line {line}, column {column}: "),
    }
}
