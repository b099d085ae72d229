//! What a match would fill in.

use super::{Match, Source, SourceError, best_match};
use crate::formats::Record;

/// What became of asking a source about one work.
#[derive(Clone, Debug, PartialEq)]
pub enum Proposal {
    /// The same work was found.
    Found {
        /// How sure that is.
        matched: Match,
        /// The work as the source has it.
        work: Box<Record>,
    },
    /// What was found isn't sure enough.
    Unsure {
        /// The best of it.
        best: Match,
        /// The title it has there.
        title: String,
    },
    /// The source knows nothing like it.
    Unknown,
}

/// Asks a source about a work; below the threshold nothing is proposed.
///
/// # Errors
/// When the source can't be asked.
pub fn propose(source: &mut dyn Source, wanted: &Record, threshold: f64) -> Result<Proposal, SourceError> {
    let candidates = source.candidates(wanted)?;
    Ok(match best_match(wanted, &candidates) {
        Some((matched, index)) if matched.score >= threshold => {
            Proposal::Found { matched, work: Box::new(candidates[index].clone()) }
        }
        Some((best, index)) => {
            Proposal::Unsure { best, title: candidates[index].title.clone().unwrap_or_else(|| "[untitled]".to_owned()) }
        }
        None => Proposal::Unknown,
    })
}
