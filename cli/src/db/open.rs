use crate::error::CliError;
use crate::globals::Globals;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const MIGRATIONS: &[&str] = &[include_str!("schema_1.sql")];
/// How every SQLite database begins.
const HEADER: &[u8] = b"SQLite format 3\0";
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

    /// Whether the database file exists.
    pub fn exists(&self) -> bool {
        self.path().exists()
    }

    /// Opens the library for reading; one that does not exist reads as an empty one.
    ///
    /// # Errors
    /// When the file is no library, is damaged, or was made by a newer version.
    pub fn open(&self) -> Result<Db, CliError> {
        let db = if self.exists() {
            self.check_header()?;
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Db::new(Connection::open_with_flags(self.path(), flags)?, true)
        } else {
            Db::new(Connection::open_in_memory()?, false)
        };
        db.prepare()
    }

    /// Opens the library, creating its file and folder when they do not exist.
    ///
    /// # Errors
    /// When the folder or file can't be created, or the file is no library.
    pub fn create(&self) -> Result<Db, CliError> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|error| CliError::config(format!("can't create {}: {error}", self.folder.display())))?;
        self.check_header()?;
        Db::new(Connection::open(self.path())?, true).prepare()
    }
}

impl Library {
    /// Refuses a file that is no SQLite database: SQLite itself would take a short one as empty, and replace it.
    fn check_header(&self) -> Result<(), CliError> {
        let path = self.path();
        let mut header = Vec::new();
        if let Ok(file) = std::fs::File::open(&path) {
            file.take(HEADER.len() as u64).read_to_end(&mut header)?;
        }
        if header.is_empty() || header == HEADER {
            return Ok(());
        }
        Err(CliError::config("the file is no library").at(path.display().to_string(), 0, ""))
    }
}

/// The default library's file, which need not exist.
///
/// # Errors
/// When the platform has no data folder.
pub fn library_path() -> Result<PathBuf, CliError> {
    Ok(Library::locate_group(None)?.path())
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

    /// Allows or refuses writes on this connection.
    pub(crate) fn set_writable(&self, writable: bool) -> Result<(), CliError> {
        Ok(self.connection.pragma_update(None, "query_only", !writable)?)
    }

    fn new(connection: Connection, in_file: bool) -> Self {
        Self { connection, in_file, columns: RefCell::default(), referring: RefCell::default() }
    }

    fn prepare(mut self) -> Result<Self, CliError> {
        self.connection.busy_timeout(BUSY_TIMEOUT)?;
        self.connection.pragma_update(None, "foreign_keys", true)?;
        self.connection.pragma_update(None, "synchronous", "NORMAL")?;
        self.migrate()?;
        self.set_writable(false)?;
        Ok(self)
    }

    fn migrate(&mut self) -> Result<(), CliError> {
        let known = MIGRATIONS.len() as i64;
        let version = self.version()?;
        if version > known {
            return Err(CliError::config(format!("the library has format {version}, this mycli knows up to {known}"))
                .hint("use the newer mycli that made it"));
        }
        if version == known {
            return Ok(());
        }
        if self.in_file {
            self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version: i64 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if version == 0 && transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get::<_, i64>(0))? > 0
        {
            return Err(CliError::config("the library file is another program's database"));
        }
        for sql in MIGRATIONS.iter().skip(version.max(0) as usize) {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "user_version", known)?;
        Ok(transaction.commit()?)
    }

    fn version(&self) -> Result<i64, CliError> {
        Ok(self.connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
    }
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
