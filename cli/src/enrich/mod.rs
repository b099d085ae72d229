//! Enrichment: what a work lacks, found in a file or at a provider.
//!
//! A [`Source`] yields candidates for a work; `matching` decides which of them, if any, is the same work; [`Proposal`]
//! holds what it would fill in. Nothing here writes to the library.

mod cache;
mod crossref;
mod file;
mod http;
mod matching;
mod openalex;
mod propose;
mod provider;
#[cfg(test)]
mod server;

pub use cache::Cache;
pub use file::FileSource;
pub use http::{HttpClient, HttpOptions, Pace};
pub use matching::{Basis, Match, best_match};
pub use propose::{Proposal, propose};
pub use provider::{Provider, ProviderSource};

use crate::formats::Record;

/// Where candidates come from.
pub trait Source {
    /// The name to cite it by.
    fn name(&self) -> String;

    /// Works that may be the one wanted; none when nothing is known.
    ///
    /// # Errors
    /// When the source can't be asked or sends what can't be read.
    fn candidates(&mut self, wanted: &Record) -> Result<Vec<Record>, SourceError>;
}

/// Why a source has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The provider can't be reached, failed, or sent something unreadable.
    #[error("{provider}: {message}")]
    Failed {
        /// Which provider.
        provider: String,
        /// What went wrong.
        message: String,
    },
    /// The provider asks for a slower pace.
    #[error("{provider} asks to wait {}", .seconds.map_or("longer".to_owned(), |seconds| format!("{seconds} s")))]
    RateLimited {
        /// Which provider.
        provider: String,
        /// How long it asks to wait.
        seconds: Option<u64>,
    },
    /// The caller has lost interest.
    #[error("cancelled")]
    Cancelled,
}
