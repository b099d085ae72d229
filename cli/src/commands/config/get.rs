use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::not_found;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Show a setting, or all of them.
#[derive(Debug, clap::Args)]
#[command(add = read_only().hidden())]
pub(crate) struct GetArgs {
    /// Name of the setting
    name: Option<String>,
}

pub(crate) fn cmd_get(ctx: &mut Context<'_, '_>, args: &GetArgs) -> Result<(), CliError> {
    let stored = ctx.db()?.query("SELECT name, value FROM settings ORDER BY name", &[])?;
    if let Some(name) = &args.name {
        let value = ctx.setting(name)?.ok_or_else(|| {
            let known: Vec<&str> = stored.iter().filter_map(|row| row["name"].as_str()).collect();
            not_found("setting", name, &known)
        })?;
        return ctx.print_object(&row([("name", json!(name)), ("value", json!(value))]));
    }
    let mut rows: Vec<Row> = Vec::new();
    for mut setting in stored {
        let name = setting["name"].as_str().unwrap_or_default().to_owned();
        setting.insert("value".into(), json!(ctx.setting(&name)?));
        rows.push(setting);
    }
    ctx.print_rows(&["name", "value"], &rows, rows.len())
}
