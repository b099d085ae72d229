//! What a command works with: its flags, its streams, its library.

use crate::contract::{self, BatchLink, BatchState, Plan};
use crate::db::{Db, Library, Row};
use crate::error::CliError;
use crate::globals::Globals;
use crate::io::Io;
use crate::output;
use serde_json::Value;
use std::rc::Rc;

/// What a command works with.
pub struct Context<'a, 'io> {
    /// The global flags.
    pub globals: Globals,
    /// The streams.
    pub io: &'a mut Io<'io>,
    /// The command's words, like `items add`.
    pub operation: String,
    pub(crate) batch: Option<&'a mut BatchState>,
    library: Library,
    db: Option<Rc<Db>>,
}

impl<'a, 'io> Context<'a, 'io> {
    pub(crate) fn new(globals: Globals, io: &'a mut Io<'io>, operation: String) -> Result<Self, CliError> {
        let library = Library::locate(&globals)?;
        Ok(Self { globals, io, operation, batch: None, library, db: None })
    }

    pub(crate) fn in_batch(
        globals: Globals,
        io: &'a mut Io<'io>,
        operation: String,
        link: BatchLink<'a>,
    ) -> Result<Self, CliError> {
        let library = Library::locate(&globals)?;
        if library != *link.library {
            return Err(CliError::usage(format!("the batch works on the library {:?}", link.library.name())));
        }
        Ok(Self { globals, io, operation, batch: Some(link.state), library, db: Some(link.db) })
    }

    /// Where the library lies.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The library, open for reading; one that does not exist yet reads as an empty one.
    ///
    /// # Errors
    /// When the file is no library, is damaged, or was made by a newer version.
    pub fn db(&mut self) -> Result<Rc<Db>, CliError> {
        if let Some(db) = &self.db {
            return Ok(Rc::clone(db));
        }
        let db = Rc::new(self.library.open()?);
        self.db = Some(Rc::clone(&db));
        Ok(db)
    }

    /// Runs a mutating command under the write contract: `build` plans, the contract does the rest.
    ///
    /// # Errors
    /// What `build` or the first failing operation reported, or the gate that refused.
    pub fn write(
        &mut self,
        build: impl FnOnce(&mut Context<'_, '_>, &mut Plan) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        contract::write(self, build)
    }

    /// Prints rows: `columns` in text, every field in JSON; `total` counts what a limit left out.
    ///
    /// # Errors
    /// When `--select` names a field that no row has, or the stream fails.
    pub fn print_rows(&mut self, columns: &[&str], rows: &[Row], total: usize) -> Result<(), CliError> {
        output::print_rows(self, columns, rows, total)
    }

    /// Prints one object: a field a line in text.
    ///
    /// # Errors
    /// When `--select` names a field it does not have, or the stream fails.
    pub fn print_object(&mut self, object: &Row) -> Result<(), CliError> {
        output::print_object(self, object)
    }

    /// Prints a document as it is, or in JSON as `{format, text}` and more fields.
    ///
    /// # Errors
    /// When the stream fails.
    pub fn print_document(&mut self, format: &str, text: &str, more: Row) -> Result<(), CliError> {
        output::print_document(self, format, text, more)
    }

    /// Prints a message for a person: nothing with `--quiet`.
    ///
    /// # Errors
    /// When the stream fails.
    pub fn note(&mut self, message: &str) -> Result<(), CliError> {
        if !self.globals.output.quiet {
            writeln!(self.io.stderr, "{message}")?;
        }
        Ok(())
    }

    /// Goes on only while the caller waits for an answer; to be asked between the steps of long work.
    ///
    /// # Errors
    /// When the caller has cancelled.
    pub fn ensure_wanted(&self) -> Result<(), CliError> {
        ensure_wanted(self.io.cancelled)
    }

    /// A setting: of the settings file's profile, else of the library.
    ///
    /// # Errors
    /// When the settings file can't be read or the library can't be opened.
    pub fn setting(&mut self, name: &str) -> Result<Option<String>, CliError> {
        if let Some(value) = crate::settings::from_file(&self.globals, name)? {
            return Ok(Some(value));
        }
        let row = self.db()?.first("SELECT value FROM settings WHERE name = ?1", &[name.into()])?;
        Ok(row.and_then(|row| row["value"].as_str().map(str::to_owned)))
    }

    pub(crate) fn create_library(&mut self) -> Result<Rc<Db>, CliError> {
        let db = Rc::new(self.library.create()?);
        self.db = Some(Rc::clone(&db));
        Ok(db)
    }
}

impl std::fmt::Debug for Context<'_, '_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Context").field("operation", &self.operation).finish_non_exhaustive()
    }
}

/// [`Context::ensure_wanted`], by the caller's own flag.
///
/// # Errors
/// When the caller has cancelled.
pub(crate) fn ensure_wanted(cancelled: &dyn Fn() -> bool) -> Result<(), CliError> {
    if cancelled() { Err(CliError::failure("cancelled; nothing was changed")) } else { Ok(()) }
}

/// Text of a JSON value's string, or nothing.
pub fn text<'v>(row: &'v Row, column: &str) -> &'v str {
    row.get(column).and_then(Value::as_str).unwrap_or_default()
}
