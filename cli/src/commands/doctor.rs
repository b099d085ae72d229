use crate::context::Context;
use crate::db::{Row, row};
use crate::error::{CliError, ErrorKind};
use clap_facade::annotate::read_only;
use serde_json::json;

/// Diagnose why nothing works on this machine: data folder, database, search index, settings.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct DoctorArgs {}

pub(crate) fn cmd_doctor(ctx: &mut Context<'_, '_>, _args: &DoctorArgs) -> Result<(), CliError> {
    let mut checks = vec![
        check("data folder", folder(ctx)),
        check("settings file", crate::settings::from_file(&ctx.globals, "").map(|_| Verdict::Good(settings_file(ctx)))),
    ];
    checks.push(check("library file", library(ctx)));
    if ctx.library().exists().unwrap_or_default() && checks.iter().all(|check| check["state"] != json!("failed")) {
        checks.push(check("integrity", probe(ctx, "PRAGMA quick_check(1)", "ok")));
        checks.push(check("references", probe(ctx, "SELECT count(*) FROM pragma_foreign_key_check", "0")));
        let unindexed = "SELECT (SELECT count(*) FROM items) - (SELECT count(*) FROM items_fts)";
        checks.push(check("search index", probe(ctx, unindexed, "0")));
        checks.push(check("writing", writable(ctx)));
    }
    let failed = checks.iter().filter(|check| check["state"] == json!("failed")).count();
    ctx.print_rows(&["check", "state", "detail"], &checks, checks.len())?;
    match failed {
        0 => Ok(()),
        _ => Err(CliError::config(format!("{failed} of {} checks failed", checks.len())).printed()),
    }
}

enum Verdict {
    Good(String),
    Doubtful(String),
}

fn check(name: &str, verdict: Result<Verdict, CliError>) -> Row {
    let (state, detail, hint) = match verdict {
        Ok(Verdict::Good(detail)) => ("ok", detail, None),
        Ok(Verdict::Doubtful(detail)) => ("warning", detail, None),
        Err(error) => ("failed", error.to_string(), error.hint_text()),
    };
    row([("check", json!(name)), ("state", json!(state)), ("detail", json!(detail)), ("hint", json!(hint))])
}

fn folder(ctx: &Context<'_, '_>) -> Result<Verdict, CliError> {
    let folder = ctx.library().folder();
    let shown = folder.display().to_string();
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => {
            Err(CliError::config("this is no folder").at(shown, 0, "").hint("set MYCLI_DATA_DIR"))
        }
        Ok(found) if found.permissions().readonly() => {
            Err(CliError::config("this folder can't be written").at(shown, 0, ""))
        }
        Ok(_) => Ok(Verdict::Good(shown)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Ok(Verdict::Doubtful(format!("{shown} does not exist yet; the first change makes it")))
        }
        Err(error) => Err(CliError::config(error.to_string()).at(shown, 0, "")),
    }
}

fn settings_file(ctx: &Context<'_, '_>) -> String {
    ctx.globals.host.config.as_ref().map_or("none is used".to_owned(), |path| path.display().to_string())
}

fn library(ctx: &mut Context<'_, '_>) -> Result<Verdict, CliError> {
    let shown = ctx.library().path().display().to_string();
    if !ctx.library().exists()? {
        return Ok(Verdict::Doubtful(format!("{shown} does not exist yet; `mycli init` or the first change makes it")));
    }
    let db = ctx.db()?;
    let (format, items) = (db.count("PRAGMA user_version", &[])?, db.count("SELECT count(*) FROM items", &[])?);
    Ok(Verdict::Good(format!("{shown}: format {format}, {items} items")))
}

/// Asks SQLite, and compares its answer with the one of a sound library.
fn probe(ctx: &mut Context<'_, '_>, sql: &str, sound: &str) -> Result<Verdict, CliError> {
    let answer =
        ctx.db()?.first(sql, &[])?.and_then(|row| row.values().next().map(crate::output::inline)).unwrap_or_default();
    match answer == sound {
        true => Ok(Verdict::Good("sound".to_owned())),
        false => Err(CliError::config(format!("expected {sound}, found {answer}"))
            .hint("restore the library from a snapshot (`library snapshot verify` checks one)")),
    }
}

fn writable(ctx: &mut Context<'_, '_>) -> Result<Verdict, CliError> {
    let db = ctx.db()?;
    match db.begin_writing() {
        Ok(()) => {
            db.connection().execute_batch("ROLLBACK")?;
            Ok(Verdict::Good("no other process is writing".to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::Busy => {
            Ok(Verdict::Doubtful("another process is writing just now".to_owned()))
        }
        Err(error) => Err(error),
    }
}
