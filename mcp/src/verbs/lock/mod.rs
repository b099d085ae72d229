//! `lock`: the surface as a committed file, and what a change of it means to those who call it.

mod changes;
mod file;

use super::VerbError;
use super::desk::Desk;
use changes::{Change, compare};
use clap::Args;
use file::Locked;
use serde_json::{Value, json};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write down what agents can call, to be committed; or check that nothing changed since
#[derive(Args, Clone, Debug)]
pub(super) struct Lock {
    /// Write nothing; say what changed, and fail where anything did
    #[arg(long)]
    check: bool,
    /// The file; else NAME-mcp.lock.json in this folder
    #[arg(long)]
    file: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Lock {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let now = Locked::new(&desk.facade)?;
        let path = self.file.unwrap_or_else(|| format!("{}-mcp.lock.json", desk.facade.command.get_name()).into());
        let before = read(&path)?;
        if self.check && before.is_none() {
            let error = std::io::Error::new(ErrorKind::NotFound, "there is no lock file yet: run `lock` and commit it");
            return Err(VerbError::File { path, error });
        }
        let changes = before.as_ref().map(|before| compare(before, &now)).unwrap_or_default();
        if !self.check {
            fs::write(&path, now.to_text()).map_err(|error| VerbError::File { path: path.clone(), error })?;
        }
        if self.json {
            desk.json(&answer(&path, &changes))?;
        } else {
            for change in &changes {
                desk.say(change.to_string())?;
            }
            let counted = format!("{} operations, {} own tools", now.operations.len(), now.tools.len());
            desk.say(match (changes.iter().map(|change| change.level).max(), self.check) {
                (Some(level), true) => format!("{level}: {} changes since {}", changes.len(), path.display()),
                (Some(level), false) => format!("wrote {}: {counted}; {level} since the last", path.display()),
                (None, true) => format!("nothing changed since {}: {counted}", path.display()),
                (None, false) => format!("wrote {}: {counted}", path.display()),
            })?;
        }
        Ok(if self.check && !changes.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}

fn read(path: &Path) -> Result<Option<Locked>, VerbError> {
    let failed = |error| VerbError::File { path: path.to_owned(), error };
    match fs::read_to_string(path) {
        Ok(text) => Locked::parse(&text).map(Some).map_err(|error| failed(std::io::Error::other(error))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn answer(path: &Path, changes: &[Change]) -> Value {
    let change =
        |change: &Change| json!({ "level": change.level.to_string(), "where": change.place, "what": change.what });
    json!({
        "file": path,
        "verdict": changes.iter().map(|change| change.level).max().map(|level| level.to_string()),
        "changes": changes.iter().map(change).collect::<Vec<_>>(),
    })
}
