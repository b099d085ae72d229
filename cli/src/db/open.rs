use crate::error::CliError;
use crate::globals::Globals;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql")];
/// The format that the migrations lead to.
const KNOWN: i64 = MIGRATIONS.len() as i64;
/// The size of the smallest SQLite database, in bytes.
const SMALLEST: u64 = 512;
/// How long a writer waits for another one before it gives up with exit code 9.
const BUSY_TIMEOUT: Duration = Duration::from_millis(250);

/// Where a library and what belongs to it lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    folder: PathBuf,
    name: String,
}

impl Library {
    /// Finds the library that the flags and the environment name.
    ///
    /// # Errors
    /// When the group's name can't be a file's name, the settings file can't be read, or the platform
    /// has no data folder.
    pub fn locate(globals: &Globals) -> Result<Self, CliError> {
        let name = group_name(globals.host.group.as_deref())?;
        match crate::settings::from_file(globals, "data_dir")? {
            Some(folder) => Ok(Self { folder: folder.into(), name }),
            None => Ok(Self { folder: data_folder()?, name }),
        }
    }

    /// Finds the default library, or the one of a group.
    ///
    /// # Errors
    /// When the group's name can't be a file's name, or the platform has no data folder.
    pub fn locate_group(group: Option<&str>) -> Result<Self, CliError> {
        Ok(Self { folder: data_folder()?, name: group_name(group)? })
    }

    /// The database file.
    pub fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.sqlite", self.name))
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The name: `library`, or the group's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the library has been made; an empty file is as good as none.
    ///
    /// # Errors
    /// When that can't be found out, or what lies there is no library.
    pub fn exists(&self) -> Result<bool, CliError> {
        let path = self.path();
        let wrong = |message: String| Err(CliError::config(message).at(path.display().to_string(), 0, ""));
        match path.metadata() {
            Ok(found) if !found.is_file() => wrong("this is no regular file".to_owned()),
            // SQLite itself would take a short file as empty, and replace it.
            Ok(found) if (1..SMALLEST).contains(&found.len()) => wrong("the file is no library".to_owned()),
            Ok(found) => Ok(found.len() > 0),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => wrong(format!("can't be reached: {error}")),
        }
    }

    /// Opens the library for reading; one that does not exist reads as an empty one.
    ///
    /// # Errors
    /// When the file can't be reached, is no library, is damaged, or was made by a newer version.
    pub fn open(&self) -> Result<Db, CliError> {
        let db = if self.exists()? { self.reader().and_then(|reader| Db::new(reader, true).ready()) } else { Ok(None) };
        match db.map_err(|error| error.at(self.path().display().to_string(), 0, ""))? {
            Some(db) => Ok(db),
            None => Db::new(Connection::open_in_memory()?, false).migrated(),
        }
    }

    /// Opens the library, creating its file and folder when they do not exist.
    ///
    /// # Errors
    /// When the folder or file can't be created or written, or the file is no library.
    pub fn create(&self) -> Result<Db, CliError> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| CliError::config(format!("can't create {}: {error}", self.folder.display())))?;
        self.exists()?;
        let opened = Connection::open(self.path()).map_err(CliError::from);
        let db = opened.and_then(|connection| Db::new(connection, true).migrated());
        db.map_err(|error| error.at(self.path().display().to_string(), 0, ""))
    }

    /// Opens the file as it is, for reading, and for writing where that is allowed.
    ///
    /// # Errors
    /// When the file can't be opened or is damaged.
    pub fn reader(&self) -> Result<Connection, CliError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(self.path(), flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        if !connection.is_readonly("main")? || self.has_log() {
            match version(&connection) {
                Ok(_) => return Ok(connection),
                Err(error) if self.has_log() || !is_locked_away(&error) => return Err(error.into()),
                Err(_) => {}
            }
        }
        // In write-ahead mode SQLite writes beside the file even to read it, unless it is told that nobody changes it.
        drop(connection);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
        Ok(Connection::open_with_flags(immutable_uri(&self.path()), flags)?)
    }

    /// Whether another process's changes wait in the write-ahead log.
    fn has_log(&self) -> bool {
        let mut log = self.path().into_os_string();
        log.push("-wal");
        std::fs::metadata(log).is_ok_and(|found| found.len() > 0)
    }
}

/// A URI by which SQLite opens a file without a lock, and without a file beside it.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from(if cfg!(windows) { "file:/" } else { "file:" });
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'.' | b'-' | b'_' | b':' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// Opens the default library's file for queries; none when there is no library yet.
///
/// # Errors
/// When the platform has no data folder, or the file can't be reached or is no library.
pub fn open_library() -> Result<Option<Connection>, CliError> {
    let library = Library::locate_group(None)?;
    let opened = library.exists()?.then(|| library.reader()).transpose();
    opened.map_err(|error| error.at(library.path().display().to_string(), 0, ""))
}

/// An open library.
#[derive(Debug)]
pub struct Db {
    connection: Connection,
    in_file: bool,
    pub(super) columns: RefCell<BTreeMap<String, Arc<[String]>>>,
    pub(super) referring: RefCell<BTreeMap<String, super::row::Referring>>,
}

impl Db {
    /// The connection; it refuses writes outside the write contract.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Whether this is a file, not the empty stand-in for a library that does not exist yet.
    pub fn is_in_file(&self) -> bool {
        self.in_file
    }

    /// The present time in UTC, as stored in the library.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn now(&self) -> Result<String, CliError> {
        Ok(self.connection.query_row("SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now')", [], |row| row.get(0))?)
    }

    /// Begins a transaction that may write, once the write contract allows writes.
    ///
    /// # Errors
    /// When the file can't be written, or another writer holds it.
    pub(crate) fn begin_writing(&self) -> Result<(), CliError> {
        if self.connection.is_readonly("main")? {
            let path = self.connection.path().unwrap_or_default();
            return Err(CliError::config("the library can be read, but not written").at(path, 0, ""));
        }
        self.set_writable(true)?;
        let begun = self.connection.execute_batch("BEGIN IMMEDIATE");
        self.set_writable(false)?;
        Ok(begun?)
    }

    /// Allows or refuses writes on this connection.
    pub(crate) fn set_writable(&self, writable: bool) -> Result<(), CliError> {
        Ok(self.connection.pragma_update(None, "query_only", !writable)?)
    }

    fn new(connection: Connection, in_file: bool) -> Self {
        Self { connection, in_file, columns: RefCell::default(), referring: RefCell::default() }
    }

    /// Prepares a library for reading; none when the file holds nothing yet.
    fn ready(self) -> Result<Option<Self>, CliError> {
        match self.version()? {
            0 if self.is_blank()? => Ok(None),
            0 => Err(foreign()),
            version if version == KNOWN => self.prepared().map(Some),
            version => Err(newer(version)),
        }
    }

    fn migrated(mut self) -> Result<Self, CliError> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.migrate()?;
        self.prepared()
    }

    fn prepared(self) -> Result<Self, CliError> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.set_writable(false)?;
        Ok(self)
    }

    fn migrate(&mut self) -> Result<(), CliError> {
        match self.version()? {
            version if version == KNOWN => return Ok(()),
            version if !(0..KNOWN).contains(&version) => return Err(newer(version)),
            _ => {}
        }
        if self.in_file {
            self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = version(&transaction)?;
        if version == 0 && !is_blank(&transaction)? {
            return Err(foreign());
        }
        for sql in MIGRATIONS.iter().skip(version as usize) {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "user_version", KNOWN)?;
        Ok(transaction.commit()?)
    }

    fn version(&self) -> Result<i64, CliError> {
        Ok(version(&self.connection)?)
    }

    fn is_blank(&self) -> Result<bool, CliError> {
        Ok(is_blank(&self.connection)?)
    }
}

/// Whether SQLite lacks the permission to write the file, or beside it.
fn is_locked_away(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

fn is_blank(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

fn foreign() -> CliError {
    CliError::config("the library file is another program's database")
}

fn newer(version: i64) -> CliError {
    CliError::config(format!("the library has format {version}, this mycli knows format {KNOWN}"))
        .hint("use the mycli that made it")
}

fn data_folder() -> Result<PathBuf, CliError> {
    if let Some(folder) = std::env::var_os("MYCLI_DATA_DIR").filter(|value| !value.is_empty()) {
        return Ok(folder.into());
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(windows) {
        variable("APPDATA")
    } else if cfg!(target_os = "macos") {
        variable("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        variable("XDG_DATA_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|folder| folder.join("mycli"))
        .ok_or_else(|| CliError::config("no data folder is known").hint("set MYCLI_DATA_DIR to a folder"))
}

fn group_name(group: Option<&str>) -> Result<String, CliError> {
    let Some(name) = group else { return Ok("library".to_owned()) };
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        return Err(CliError::usage(format!("{name:?} can't name a library"))
            .hint("use letters, digits, - and _, at most 64 of them"));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_refuses_writes_outside_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library { folder: folder.path().to_owned(), name: "library".to_owned() };
        for db in [library.open().unwrap(), library.create().unwrap(), library.open().unwrap()] {
            let written = db.connection().execute("INSERT INTO tags (name) VALUES ('x')", []);
            assert!(written.is_err_and(|error| error.to_string().contains("readonly")), "in file: {}", db.is_in_file());
        }
    }
}
