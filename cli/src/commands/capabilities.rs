use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::not_found;
use clap_facade::annotate::read_only;
use clap_facade::catalog::{Catalog, Operation, Param, ParamKind, Settings};
use serde_json::{Value, json};

/// List every command with its effect and flags, for programs to read.
#[derive(Debug, clap::Args)]
#[command(add = read_only())]
pub(crate) struct CapabilitiesArgs {
    /// Only the commands below this one, as words: `items tags`
    #[arg(value_name = "WORD")]
    below: Vec<String>,
}

pub(crate) fn cmd_capabilities(ctx: &mut Context<'_, '_>, args: &CapabilitiesArgs) -> Result<(), CliError> {
    let catalog = Catalog::new(crate::app::command(), &Settings::default())
        .map_err(|error| CliError::failure(error.to_string()))?;
    let wanted = args.below.join(" ");
    let below = |name: &str| name == wanted || wanted.is_empty() || name.starts_with(&format!("{wanted} "));
    let rows: Vec<Row> = catalog
        .operations()
        .iter()
        .filter(|operation| below(&operation.name))
        .map(|operation| capability(operation))
        .collect();
    if rows.is_empty() {
        let names: Vec<&str> = catalog.operations().iter().map(|operation| operation.name.as_str()).collect();
        let groups = catalog.groups().iter().map(|group| group.name.as_str());
        let known: Vec<&str> = names.into_iter().chain(groups).collect();
        return Err(not_found("command", &wanted, &known));
    }
    ctx.print_rows(&["command", "effect", "about"], &rows, rows.len())
}

fn capability(operation: &Operation) -> Row {
    row([
        ("command", json!(operation.name)),
        ("effect", json!(operation.effect([]).to_string())),
        ("mutating_when", json!(operation.mutating_when)),
        ("about", json!(operation.about)),
        ("params", operation.params.iter().filter(|param| !param.gate).map(|of| param(of)).collect()),
        ("gates", operation.params.iter().filter(|param| param.gate).map(|param| json!(param.name)).collect()),
    ])
}

fn param(param: &Param) -> Value {
    let kind = match &param.kind {
        ParamKind::Switch => "switch",
        ParamKind::Count => "count",
        ParamKind::One(_) => "value",
        ParamKind::Optional { .. } => "optional value",
        ParamKind::Many { .. } => "values",
    };
    json!({
        "name": param.name,
        "flag": param.spelling.to_string(),
        "takes": kind,
        "required": param.required,
        "default": param.default,
        "help": param.help,
    })
}
