//! The tools beside the commands: what the library is like, full-text search, and read-only SQL.

use anyhow::bail;
use clap_facade::catalog::Effect;
use clap_facade::surface::fixed::{Answer, FixedTool};
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// The most rows of one query.
const ROWS: usize = 200;
/// The most bytes of one query's rows.
const BYTES: usize = 40 * 1024;
/// The most bytes of one value: also bounds what functions like `zeroblob` can make.
const VALUE_BYTES: i32 = 64 * 1024;
/// What a query may ask of SQLite: each can cost memory or stack without bound.
const LIMITS: [(Limit, i32); 8] = [
    (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 20_000),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];
/// The longest one query runs.
const TIME: Duration = Duration::from_secs(5);
/// How many steps of SQLite's machine pass between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Query {
    query: String,
    limit: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct Sql {
    sql: String,
}

/// Tells what is in the library: for orientation at the start of a session.
pub(crate) fn context() -> FixedTool {
    FixedTool::new(
        "context",
        "What is in the library: counts, recent items, tags, last run.",
        Effect::ReadOnly,
        |_: Nothing| {
            let part = |line: &[&str]| command(line).unwrap_or_else(|error| json!({ "error": format!("{error:#}") }));
            Ok::<_, anyhow::Error>(Answer::Json(json!({
                "library": part(&["library", "stats"]),
                "recent": part(&["items", "recent", "--limit=5"]),
                "collections": part(&["collections", "list"]),
                "last_runs": part(&["journal", "list", "--limit=3"]),
            })))
        },
    )
}

/// Finds items by their words.
pub(crate) fn search() -> FixedTool {
    FixedTool::new(
        "search",
        "Full-text search: titles, creators, abstracts, notes, tags.",
        Effect::ReadOnly,
        |query: Query| {
            let limit = format!("--limit={}", query.limit.unwrap_or(10));
            command(&["search", &limit, "--", &query.query]).map(Answer::Json)
        },
    )
}

/// Asks the database, which no query can change.
pub(crate) fn sql() -> FixedTool {
    FixedTool::new(
        "sql",
        "One SELECT on the library; SELECT sql FROM sqlite_master shows the tables.",
        Effect::ReadOnly,
        |sql: Sql| {
            let Some(library) = mycli::open_library()? else {
                bail!("there is no library yet; the command `demo` makes one to try, `init` an empty one");
            };
            select(library, &sql.sql, TIME).map(Answer::Json)
        },
    )
}

/// Runs one of mycli's own read-only commands and returns its JSON.
fn command(line: &[&str]) -> anyhow::Result<Value> {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = mycli::Io {
        stdin: &mut std::io::empty(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        terminal: false,
        cancelled: &|| false,
    };
    let code = mycli::run_line(["mycli", "--agent"].iter().chain(line), &mut io);
    let answer: Value = serde_json::from_slice(&stdout).unwrap_or_default();
    if code != 0 {
        let message = answer["error"]["message"].as_str().map(str::to_owned);
        bail!("{}", message.unwrap_or_else(|| String::from_utf8_lossy(&stderr).trim().to_owned()));
    }
    Ok(answer)
}

/// Runs one query on a connection that can only read, with caps on rows, bytes and time.
fn select(mut connection: Connection, sql: &str, time: Duration) -> anyhow::Result<Value> {
    bound(&connection)?;
    connection.authorizer(Some(|context: rusqlite::hooks::AuthContext<'_>| allow(&context.action)))?;
    let end = Instant::now() + time;
    connection.progress_handler(STEPS, Some(move || Instant::now() >= end))?;
    let mut statement = connection.prepare(sql).map_err(|error| explain(error, time))?;
    if !statement.readonly() || statement.column_count() == 0 {
        bail!("not a query: one SELECT is read, and nothing else");
    }
    let columns = distinct(&statement.column_names().collect::<Vec<_>>());
    let mut rows = statement.query([])?;
    let (mut shown, mut bytes, mut truncated) = (Vec::new(), 0, false);
    while let Some(row) = rows.next().map_err(|error| explain(error, time))? {
        let mut object = Map::new();
        for (index, column) in columns.iter().enumerate() {
            object.insert(column.clone(), value(row.get_ref(index)?));
        }
        let object = Value::Object(object);
        bytes += object.to_string().len();
        if shown.len() == ROWS || bytes > BYTES {
            truncated = true;
            break;
        }
        shown.push(object);
    }
    let mut answer = json!({ "rows": shown });
    if truncated {
        answer["truncated"] = format!("the first {} rows; add LIMIT and OFFSET", shown.len()).into();
    }
    Ok(answer)
}

/// Keeps a connection from writing, and from taking memory without bound.
fn bound(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "query_only", true)?;
    // The bundled SQLite sorts in memory unless it is told otherwise: 360 MiB where a file takes 40.
    connection.pragma_update(None, "temp_store", "FILE")?;
    LIMITS.iter().try_for_each(|(limit, most)| connection.set_limit(*limit, *most).map(drop))
}

/// Allows what a SELECT needs; everything else, whatever it is called, is denied.
fn allow(action: &AuthAction<'_>) -> Authorization {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        // FTS5 asks for it to see whether its index changed.
        AuthAction::Pragma { pragma_name: "data_version", pragma_value: None } => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}

/// Tells columns of one name apart: a row is an object, and none may get lost.
fn distinct(names: &[&str]) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for name in names {
        let mut free = (*name).to_owned();
        let mut number = 2;
        while distinct.contains(&free) {
            free = format!("{name}:{number}");
            number += 1;
        }
        distinct.push(free);
    }
    distinct
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(integer) => integer.into(),
        ValueRef::Real(real) => real.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(blob) => format!("({} bytes)", blob.len()).into(),
    }
}

fn explain(error: rusqlite::Error, time: Duration) -> anyhow::Error {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::AuthorizationForStatementDenied) => anyhow::anyhow!(
            "one SELECT is read, and nothing else; instead of PRAGMA, SELECT sql FROM sqlite_master shows the tables"
        ),
        Some(rusqlite::ErrorCode::OutOfMemory) => anyhow::anyhow!("the query needs more memory than it may use"),
        Some(rusqlite::ErrorCode::OperationInterrupted) => anyhow::anyhow!("the query ran longer than {time:?}"),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL);
                 CREATE VIRTUAL TABLE f USING fts5 (w); INSERT INTO f VALUES ('hello world');",
            )
            .unwrap();
        (folder, path)
    }

    #[test]
    fn queries_are_answered() {
        let (_folder, path) = database();
        for (sql, rows) in [
            ("SELECT a, b FROM t ORDER BY a", json!([{"a": 1, "b": "x"}, {"a": 2, "b": null}])),
            (
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3) SELECT max(i) AS m FROM n",
                json!([{"m": 3}]),
            ),
            ("SELECT a, a, a + 1 AS a FROM t WHERE a = 1", json!([{"a": 1, "a:2": 1, "a:3": 2}])),
            ("SELECT w FROM f WHERE f MATCH 'hello'", json!([{"w": "hello world"}])),
            ("SELECT count(*) AS n FROM sqlite_master WHERE name = 't'; -- once", json!([{"n": 1}])),
        ] {
            assert_eq!(select(Connection::open(&path).unwrap(), sql, TIME).unwrap()["rows"], rows, "{sql}");
        }
    }

    #[test]
    fn nothing_but_reads_gets_through_and_the_file_stays_as_it_was() {
        let (folder, path) = database();
        let before = std::fs::read(&path).unwrap();
        let other = folder.path().join("other.db");
        for sql in [
            "DELETE FROM t",
            "INSERT INTO t VALUES (3, 4)",
            "/* SELECT */ UPDATE t SET a = 9",
            "DROP TABLE [t]",
            "CREATE TABLE `u` (a)",
            "CREATE TEMP TABLE u AS SELECT 1",
            "PRAGMA journal_mode = DELETE",
            "PRAGMA writable_schema = 1",
            "BEGIN",
            "VACUUM",
            "REINDEX",
            "ANALYZE",
            &format!("VACUUM INTO '{}'", other.display()),
            &format!("ATTACH '{}' AS o", other.display()),
            "SELECT load_extension('x')",
            "SELECT 1; DELETE FROM t",
            "INSERT INTO f(f) VALUES ('optimize')",
            "SELECT * FROM pragma_journal_mode('wal')",
            "EXPLAIN DELETE FROM t",
            "",
            "-- nothing",
            "SELECT 'unclosed",
        ] {
            assert!(select(Connection::open(&path).unwrap(), sql, TIME).is_err(), "{sql}");
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
        assert!(!other.exists());
    }

    #[test]
    fn what_is_sorted_goes_to_a_file() {
        let (_folder, path) = database();
        let connection = Connection::open(path).unwrap();
        bound(&connection).unwrap();
        let store: i64 = connection.query_row("PRAGMA temp_store", [], |row| row.get(0)).unwrap();
        assert_eq!(store, 1, "1 is FILE");
    }

    #[test]
    fn a_denied_statement_is_told_where_the_tables_are() {
        let (_folder, path) = database();
        for sql in ["PRAGMA table_info(t)", "DELETE FROM t", "SELECT * FROM pragma_table_info('t')"] {
            let error = select(Connection::open(&path).unwrap(), sql, TIME).unwrap_err().to_string();
            assert!(error.contains("sqlite_master"), "{sql}: {error}");
        }
    }

    #[test]
    fn rows_bytes_values_and_time_are_capped() {
        let (_folder, path) = database();
        let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000)";
        let answer = select(Connection::open(&path).unwrap(), &format!("{numbers} SELECT i FROM n"), TIME).unwrap();
        assert_eq!((answer["rows"].as_array().unwrap().len(), answer["truncated"].is_string()), (ROWS, true));
        let answer = select(
            Connection::open(&path).unwrap(),
            &format!("{numbers} SELECT hex(zeroblob(5000)) AS z FROM n"),
            TIME,
        )
        .unwrap();
        assert_eq!((answer["rows"].as_array().unwrap().len(), answer["truncated"].is_string()), (4, true));
        let pattern = format!("SELECT 'x' LIKE '{}'", "%0".repeat(5_000));
        assert!(select(Connection::open(&path).unwrap(), &pattern, TIME).is_err());
        let columns: Vec<String> = (0..1_900).map(|n| format!("hex(zeroblob(30000)) AS c{n}")).collect();
        assert!(select(Connection::open(&path).unwrap(), &format!("SELECT {}", columns.join(",")), TIME).is_err());
        assert!(select(Connection::open(&path).unwrap(), "SELECT zeroblob(100000000)", TIME).is_err());
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
        let error =
            select(Connection::open(&path).unwrap(), endless, Duration::from_millis(100)).unwrap_err().to_string();
        assert_eq!(error, "the query ran longer than 100ms");
    }
}
