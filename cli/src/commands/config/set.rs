use crate::context::Context;
use crate::db::row;
use crate::error::CliError;
use clap_facade::annotate::mutating;
use serde_json::json;

/// Change a setting; an empty value resets it.
#[derive(Debug, clap::Args)]
#[command(add = mutating().hidden())]
pub(crate) struct SetArgs {
    /// Name of the setting
    name: String,

    /// Its new value
    value: String,
}

pub(crate) fn cmd_set(ctx: &mut Context<'_, '_>, args: &SetArgs) -> Result<(), CliError> {
    let name = args.name.trim();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
    if name.is_empty() || !name.chars().all(fits) {
        return Err(CliError::usage(format!("{name:?} can't name a setting"))
            .hint("use small letters, digits, `.`, `-` and `_`"));
    }
    ctx.write(|_, plan| {
        let found = plan.find("settings", &[("name", json!(name))])?;
        let id = found.as_ref().and_then(|row| row["id"].as_i64());
        plan.attempt("set", name, |plan| match (id, args.value.as_str()) {
            (None, "") => Ok(()),
            (None, value) => plan.insert("settings", row([("name", json!(name)), ("value", json!(value))])).map(drop),
            (Some(id), "") => plan.delete("settings", id),
            (Some(id), value) => plan.update("settings", id, row([("value", json!(value))])),
        });
        Ok(())
    })
}
