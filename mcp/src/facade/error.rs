//! Why a server could not start.

use crate::catalog::CatalogError;
use crate::policy::PolicyError;
use crate::refusal::Refusal;
use crate::surface::UnknownSurface;

/// Why a server could not start.
///
/// Its `Debug` is its text, since that is what a `main` that returns it prints.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The clap tree, an annotation or a setting is wrong.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The policy is wrong, or wrong for this CLI.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The notes leave no room for how to work here: all that is told at connect has 400 bytes.
    #[error("the notes are {0} bytes too long")]
    NotesTooLong(usize),
    /// The environment asks for a surface that does not exist.
    #[error("{variable}: {error}")]
    Surface {
        /// The environment variable.
        variable: String,
        /// What is wrong with it.
        error: UnknownSurface,
    },
    /// The principal that was asked for does not exist.
    #[error("{}no principal is called `{name}`; there are: {known}", variable.as_ref().map(|variable| format!("{variable}: ")).unwrap_or_default())]
    Principal {
        /// The environment variable that asked for it; `None` where something else did.
        variable: Option<String>,
        /// The name that was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Two tools have one name.
    #[error("two tools are called `{0}`")]
    DuplicateTool(String),
    /// A tool's schema is outside what every host accepts.
    #[error("the schema of `{tool}` is not accepted by every host: {}", problems.join("; "))]
    Schema {
        /// The tool.
        tool: String,
        /// Every problem.
        problems: Vec<String>,
    },
    /// What runs the calls can't run any.
    #[error("no call could run: {0}")]
    Executor(Refusal),
    /// The standard streams failed.
    #[error("the server's streams failed: {0}")]
    Streams(#[from] std::io::Error),
}

impl std::fmt::Debug for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
