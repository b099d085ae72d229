use crate::facade::StartError;
use crate::refusal::Refusal;
use std::path::PathBuf;

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerbError {
    /// The server that the verb is about can't be made, or could not go on.
    #[error(transparent)]
    Start(#[from] StartError),
    /// What was asked for would be refused.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// What the verb prints does not reach its reader.
    #[error("the output can't be written: {0}")]
    Output(std::io::Error),
    /// A file can't be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: std::io::Error,
    },
    /// An argument of the verb is wrong.
    #[error("{argument}: {problem}")]
    Argument {
        /// The argument, as typed.
        argument: String,
        /// What is wrong with it, and what would be right.
        problem: String,
    },
    /// A verb of the adopter failed.
    #[error("{}", chain(&**.0))]
    Own(Box<dyn std::error::Error + Send + Sync>),
}

impl VerbError {
    /// Returns the exit code of a process that ends in it.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(refusal) => refusal.kind.exit_code(),
            Self::Argument { .. } => 2,
            Self::Start(_) | Self::Output(_) | Self::File { .. } | Self::Own(_) => 1,
        }
    }

    /// Tells whether only the reader of the output has left, as `head` does.
    pub(crate) fn is_reader_gone(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn argument(argument: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::Argument { argument: argument.into(), problem: problem.into() }
    }
}

/// Writes an error with its causes, those that it does not tell of itself.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}
