//! Answers of providers, kept in an SQLite file of their own: a preview never writes to the library.

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::path::Path;
use std::time::Duration;

/// How long an answer is kept.
const KEPT_FOR: &str = "-30 days";

/// How long another process may hold the file.
const BUSY: Duration = Duration::from_secs(2);

/// Answers by address.
#[derive(Debug)]
pub struct Cache {
    connection: Connection,
    /// Whether the file may change.
    keeps: bool,
}

impl Cache {
    /// Opens the file, making it where there is none.
    ///
    /// # Errors
    /// When the file can't be made or isn't such a file.
    pub fn open(path: &Path) -> Result<Self, rusqlite::Error> {
        Self::prepare(Connection::open(path)?)
    }

    /// Opens a file that is there, and leaves it as it is.
    ///
    /// # Errors
    /// When there is no such file.
    pub fn open_to_read(path: &Path) -> Result<Self, rusqlite::Error> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(BUSY)?;
        Ok(Self { connection, keeps: false })
    }

    /// A cache that ends with the process.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn in_memory() -> Result<Self, rusqlite::Error> {
        Self::prepare(Connection::open_in_memory()?)
    }

    /// The answer kept for an address; the inner `None` means that there is nothing at it.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn find(&self, address: &str) -> Result<Option<Option<String>>, rusqlite::Error> {
        let sql = "SELECT body FROM answers WHERE address = ?1 AND fetched_at > datetime('now', ?2)";
        self.connection.query_row(sql, params![address, KEPT_FOR], |row| row.get(0)).optional()
    }

    /// Keeps an answer, and lets old ones go; nothing in a file that was opened to read.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn keep(&self, address: &str, body: Option<&str>) -> Result<(), rusqlite::Error> {
        if !self.keeps {
            return Ok(());
        }
        self.connection.execute("DELETE FROM answers WHERE fetched_at <= datetime('now', ?1)", [KEPT_FOR])?;
        let sql = "INSERT OR REPLACE INTO answers (address, body, fetched_at) VALUES (?1, ?2, datetime('now'))";
        self.connection.execute(sql, params![address, body])?;
        Ok(())
    }

    fn prepare(connection: Connection) -> Result<Self, rusqlite::Error> {
        connection.busy_timeout(BUSY)?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS answers (address TEXT PRIMARY KEY, body TEXT, fetched_at TEXT NOT NULL) WITHOUT ROWID",
        )?;
        Ok(Self { connection, keeps: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_for_a_while() {
        let cache = Cache::in_memory().unwrap();
        assert_eq!(cache.find("a").unwrap(), None);
        cache.keep("a", Some("body")).unwrap();
        cache.keep("b", None).unwrap();
        assert_eq!(cache.find("a").unwrap(), Some(Some("body".to_owned())));
        assert_eq!(cache.find("b").unwrap(), Some(None));
        cache.connection.execute("UPDATE answers SET fetched_at = datetime('now', '-31 days')", []).unwrap();
        assert_eq!(cache.find("a").unwrap(), None);
    }
}
