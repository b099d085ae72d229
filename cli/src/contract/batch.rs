use super::files::{self, FileChange};
use super::gates::Cap;
use super::journal;
use super::plan::hex;
use crate::db::{Db, Library};
use crate::error::CliError;
use crate::globals::Globals;
use crate::io::Io;
use clap::ArgMatches;
use sha2::{Digest, Sha256};
use std::rc::Rc;

/// Many commands as one SQLite transaction and one journal run.
///
/// Dropping a batch rolls it back. A command that ends with another exit code than 0 leaves nothing
/// behind; what the earlier ones did stays until the batch is committed or rolled back. Files that
/// commands write appear at the commit.
pub struct Batch {
    library: Library,
    db: Option<Db>,
    state: Option<BatchState>,
    rehearses: bool,
}

/// What the commands of a batch share.
#[derive(Default)]
pub(crate) struct BatchState {
    pub(crate) run: Option<i64>,
    changes: usize,
    limit: usize,
    digests: Vec<String>,
    files: Vec<FileChange>,
}

/// What a command of a batch works with.
pub(crate) struct BatchLink<'a> {
    pub(crate) library: &'a Library,
    pub(crate) db: Rc<Db>,
    pub(crate) state: &'a mut BatchState,
}

impl BatchState {
    pub(crate) fn cap(&self) -> Cap {
        Cap { limit: self.limit, used: self.changes }
    }

    pub(crate) fn add(&mut self, changes: usize, digest: &str, files: Vec<FileChange>) {
        self.changes += changes;
        self.digests.push(digest.to_owned());
        self.files.extend(files);
    }
}

impl Batch {
    /// Begins a batch on the default library that may make at most `max_changes` changes in all.
    ///
    /// # Errors
    /// When the library can't be opened, or another writer holds it.
    pub fn begin(max_changes: usize) -> Result<Self, CliError> {
        Self::begin_on(Library::locate_group(None)?, max_changes)
    }

    /// Begins a batch on the default library that is only ever rolled back: a library that does not exist is not made.
    ///
    /// # Errors
    /// When the library can't be opened, or another writer holds it.
    pub fn rehearse(max_changes: usize) -> Result<Self, CliError> {
        Self::rehearse_on(Library::locate_group(None)?, max_changes)
    }

    /// Begins a batch on the library that the global flags of `matches` name.
    ///
    /// # Errors
    /// When the library can't be opened, or another writer holds it.
    pub fn begin_for(matches: &ArgMatches, max_changes: usize) -> Result<Self, CliError> {
        Self::begin_on(Library::locate(&Globals::of(matches)?)?, max_changes)
    }

    pub(crate) fn begin_on(library: Library, max_changes: usize) -> Result<Self, CliError> {
        let db = library.create()?;
        db.begin_writing()?;
        let state = BatchState { limit: max_changes, ..BatchState::default() };
        Ok(Self { library, db: Some(db), state: Some(state), rehearses: false })
    }

    pub(crate) fn rehearse_on(library: Library, max_changes: usize) -> Result<Self, CliError> {
        let db = library.open()?;
        db.begin_writing()?;
        let state = BatchState { limit: max_changes, ..BatchState::default() };
        Ok(Self { library, db: Some(db), state: Some(state), rehearses: true })
    }

    /// Runs one command inside the batch and gives its exit code.
    pub fn run(&mut self, matches: &ArgMatches, io: &mut Io<'_>) -> u8 {
        let (Some(db), Some(mut state)) = (self.db.take(), self.state.take()) else { return 1 };
        let kept = (state.run, state.changes, state.digests.len(), state.files.len());
        let db = Rc::new(db);
        let savepoint = |sql: &str| -> Result<(), CliError> {
            db.set_writable(true)?;
            db.connection().execute_batch(sql)?;
            db.set_writable(false)
        };
        let code = match savepoint("SAVEPOINT command") {
            Ok(()) => {
                let link = BatchLink { library: &self.library, db: Rc::clone(&db), state: &mut state };
                crate::app::run_in_batch(matches, io, link)
            }
            Err(_) => 1,
        };
        let sql = if code == 0 { "RELEASE command" } else { "ROLLBACK TO command; RELEASE command" };
        let ended = savepoint(sql);
        if code != 0 {
            (state.run, state.changes) = (kept.0, kept.1);
            state.digests.truncate(kept.2);
            state.files.truncate(kept.3);
        }
        self.state = Some(state);
        self.db = Rc::try_unwrap(db).ok();
        if ended.is_err() { code.max(1) } else { code }
    }

    /// How many changes the commands have made so far.
    pub fn changes(&self) -> usize {
        self.state.as_ref().map_or(0, |state| state.changes)
    }

    /// Commits what the commands did and gives the id of its journal run; none when nothing changed.
    ///
    /// # Errors
    /// When a file can't be written or SQLite fails; then nothing is changed.
    pub fn commit(mut self) -> Result<Option<i64>, CliError> {
        let (Some(db), Some(state)) = (self.db.take(), self.state.take()) else {
            return Err(CliError::failure("a command of the batch broke it; nothing was changed"));
        };
        let Some(run) = state.run else { return Ok(None) };
        if self.rehearses {
            return Err(CliError::failure("a rehearsal can't be committed; nothing was changed"));
        }
        db.set_writable(true)?;
        let digest = hex(&Sha256::digest(state.digests.join("\n")));
        let summary = format!("{} commands", state.digests.len());
        journal::finish(&db, run, &summary, &digest, state.changes)?;
        files::apply_all(&state.files)?;
        if let Err(error) = db.connection().execute_batch("COMMIT") {
            files::revert_all(&state.files);
            return Err(error.into());
        }
        Ok(Some(run))
    }

    /// Takes back what the commands did.
    pub fn rollback(self) {}
}

impl std::fmt::Debug for Batch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Batch").field("library", &self.library).field("changes", &self.changes()).finish()
    }
}
