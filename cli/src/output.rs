//! The one renderer: rows of JSON values as text, JSON, CSV or tab-separated lines.

use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use serde_json::{Map, Value, json};

/// Longer cells are cut on a terminal.
const CELL_WIDTH: usize = 60;

/// Prints a JSON document.
///
/// # Errors
/// When the stream fails.
pub fn print_json(ctx: &mut Context<'_, '_>, value: &Value) -> Result<(), CliError> {
    let output = &ctx.globals.output;
    let value = if output.compact { without_empty(value) } else { value.clone() };
    let text = match output.compact && !output.human_friendly {
        true => serde_json::to_string(&value),
        false => serde_json::to_string_pretty(&value),
    };
    let text = text.map_err(|error| CliError::failure(error.to_string()))?;
    writeln!(ctx.io.stdout, "{text}")?;
    Ok(())
}

pub(crate) fn print_rows(
    ctx: &mut Context<'_, '_>,
    columns: &[&str],
    rows: &[Row],
    total: usize,
) -> Result<(), CliError> {
    let selected = selection(ctx, columns, rows)?;
    let output = ctx.globals.output.clone();
    if output.json {
        let rows: Vec<Value> = rows.iter().map(|row| Value::Object(pick(row, selected.as_deref()))).collect();
        return print_json(ctx, &json!({"count": rows.len(), "total": total, "rows": rows}));
    }
    let columns: Vec<String> = selected.unwrap_or_else(|| columns.iter().map(|&name| name.to_owned()).collect());
    let columns = if output.quiet { &columns[..columns.len().min(1)] } else { &columns[..] };
    if output.csv || output.plain || output.quiet {
        let (separator, quote): (&str, fn(&str) -> String) =
            if output.csv { (",", csv_cell) } else { ("\t", inline_text) };
        if output.csv {
            let header: Vec<String> = columns.iter().map(|name| csv_cell(name)).collect();
            writeln!(ctx.io.stdout, "{}", header.join(separator))?;
        }
        for row in rows {
            let cells: Vec<String> = columns.iter().map(|name| quote(&cell(row, name))).collect();
            writeln!(ctx.io.stdout, "{}", cells.join(separator))?;
        }
        return Ok(());
    }
    print_table(ctx, columns, rows)?;
    if rows.is_empty() {
        ctx.note("nothing found")?;
    } else if rows.len() < total {
        ctx.note(&format!("{} of {total} shown; --limit shows more", rows.len()))?;
    }
    Ok(())
}

pub(crate) fn print_object(ctx: &mut Context<'_, '_>, object: &Row) -> Result<(), CliError> {
    let selected = selection(ctx, &[], std::slice::from_ref(object))?;
    let picked = pick(object, selected.as_deref());
    let output = ctx.globals.output.clone();
    if output.json {
        return print_json(ctx, &Value::Object(picked));
    }
    if output.csv || output.plain || output.quiet {
        let names: Vec<&str> = picked.keys().map(String::as_str).collect();
        return print_rows(ctx, &names, std::slice::from_ref(&picked), 1);
    }
    let width = picked.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, value) in picked.iter().filter(|(_, value)| !is_empty(value)) {
        let value = show(ctx, name, value)?;
        writeln!(ctx.io.stdout, "{name:width$}  {value}")?;
    }
    Ok(())
}

pub(crate) fn print_document(ctx: &mut Context<'_, '_>, format: &str, text: &str, more: Row) -> Result<(), CliError> {
    if ctx.globals.output.json {
        let mut object = row([("format", json!(format))]);
        object.extend(more);
        object.insert("text".to_owned(), json!(text));
        return print_json(ctx, &Value::Object(object));
    }
    ctx.io.stdout.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        writeln!(ctx.io.stdout)?;
    }
    Ok(())
}

/// A value on one line, without control characters.
pub fn inline(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => inline_text(text),
        Value::Array(values) => values.iter().map(inline).collect::<Vec<_>>().join("; "),
        Value::Object(object) => match creator_name(object) {
            Some(name) => name,
            None => {
                object.iter().map(|(name, value)| format!("{name}={}", inline(value))).collect::<Vec<_>>().join(", ")
            }
        },
        other => other.to_string(),
    }
}

/// Drops empty fields, at any depth; elements of arrays stay.
fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(
            object
                .iter()
                .map(|(name, value)| (name.clone(), without_empty(value)))
                .filter(|(_, value)| !is_empty(value))
                .collect(),
        ),
        Value::Array(values) => Value::Array(values.iter().map(without_empty).collect()),
        other => other.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn selection(ctx: &Context<'_, '_>, columns: &[&str], rows: &[Row]) -> Result<Option<Vec<String>>, CliError> {
    let wanted = &ctx.globals.output.select;
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut known: Vec<&str> = columns.to_vec();
    for name in rows.iter().flat_map(|row| row.keys()) {
        if !known.contains(&name.as_str()) {
            known.push(name);
        }
    }
    let mut selected = Vec::new();
    for name in wanted.iter().map(|name| name.trim().replace('-', "_")).filter(|name| !name.is_empty()) {
        if !known.is_empty() && !known.contains(&name.as_str()) {
            if rows.is_empty() {
                continue;
            }
            return Err(CliError::usage(format!("--select names {name:?}, which this command does not print"))
                .hint(format!("it prints {}", known.join(", "))));
        }
        selected.push(name);
    }
    Ok(Some(selected))
}

fn pick(row: &Row, selected: Option<&[String]>) -> Row {
    match selected {
        None => row.clone(),
        Some(names) => names.iter().map(|name| (name.clone(), row.get(name).cloned().unwrap_or(Value::Null))).collect(),
    }
}

fn print_table(ctx: &mut Context<'_, '_>, columns: &[String], rows: &[Row]) -> Result<(), CliError> {
    if rows.is_empty() {
        return Ok(());
    }
    let cut = ctx.io.terminal && !ctx.globals.output.human_friendly;
    let mut cells: Vec<Vec<String>> = vec![columns.iter().map(|name| name.to_uppercase()).collect()];
    for row in rows {
        let mut line = Vec::new();
        for name in columns {
            let text = show(ctx, name, row.get(name).unwrap_or(&Value::Null))?;
            line.push(if cut { shortened(&text) } else { text });
        }
        cells.push(line);
    }
    let widths: Vec<usize> =
        (0..columns.len()).map(|i| cells.iter().map(|line| line[i].chars().count()).max().unwrap_or(0)).collect();
    let coloured = ctx.io.terminal && !ctx.globals.output.no_color && std::env::var_os("NO_COLOR").is_none();
    for (number, line) in cells.iter().enumerate() {
        let mut text = String::new();
        for (cell, width) in line.iter().zip(&widths) {
            text.push_str(cell);
            // A width in `format!` may not be above 65,535.
            text.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        let text = text.trim_end();
        match number == 0 && coloured {
            true => writeln!(ctx.io.stdout, "\u{1b}[1m{text}\u{1b}[0m")?,
            false => writeln!(ctx.io.stdout, "{text}")?,
        }
    }
    Ok(())
}

fn show(ctx: &mut Context<'_, '_>, name: &str, value: &Value) -> Result<String, CliError> {
    if ctx.globals.output.human_friendly && name.ends_with("_at") && value.is_string() {
        let days =
            ctx.db()?.count("SELECT CAST(julianday('now') - julianday(?1) AS INTEGER)", std::slice::from_ref(value));
        return Ok(match days {
            Ok(0) => "today".to_owned(),
            Ok(1) => "yesterday".to_owned(),
            Ok(days) if days > 1 => format!("{days} days ago"),
            _ => inline(value),
        });
    }
    Ok(inline(value))
}

fn cell(row: &Row, name: &str) -> String {
    match row.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(value) => inline(value),
        None => String::new(),
    }
}

fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

fn inline_text(text: &str) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    spaced.trim_end().to_owned()
}

fn shortened(text: &str) -> String {
    match text.chars().count() > CELL_WIDTH {
        true => text.chars().take(CELL_WIDTH - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

fn creator_name(object: &Map<String, Value>) -> Option<String> {
    object.get("role")?;
    let part = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    Some(match (part("literal"), part("family"), part("given")) {
        ("", family, "") => inline_text(family),
        ("", family, given) => inline_text(&format!("{family}, {given}")),
        (literal, ..) => inline_text(literal),
    })
}
