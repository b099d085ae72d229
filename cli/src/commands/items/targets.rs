use crate::commands::input::read_text;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::model::{Item, item_by_key};
use std::path::Path;

/// The keys a command names, each once; `-` stands for the words on stdin.
pub(crate) fn read_keys(ctx: &mut Context<'_, '_>, named: &[String]) -> Result<Vec<String>, CliError> {
    let mut keys: Vec<String> = Vec::new();
    for name in named {
        let mut text = name.clone();
        if name == "-" {
            text = read_text(ctx, Path::new("-"))?;
        }
        let words: Vec<&str> = if name == "-" { text.split_whitespace().collect() } else { vec![text.trim()] };
        for word in words {
            if !keys.iter().any(|key| key.eq_ignore_ascii_case(word)) {
                keys.push(word.to_owned());
            }
        }
    }
    if keys.is_empty() {
        let asked_stdin = named.iter().any(|name| name == "-");
        let message = if asked_stdin { "no item is named: there is no key on stdin" } else { "no item is named" };
        let error = CliError::usage(message).hint("name items by their keys");
        return Err(if asked_stdin { error } else { error.flag_hint("`-` takes the keys from stdin") });
    }
    Ok(keys)
}

/// Reads the items that keys name; with `--ignore-missing` those that exist.
pub(crate) fn read_items(ctx: &mut Context<'_, '_>, named: &[String]) -> Result<Vec<Item>, CliError> {
    look_up_items(ctx, named)?.into_iter().map(|(_, item)| item).collect()
}

/// A key with the item it names, or why there is none to be had.
pub(crate) type LookedUp = (String, Result<Item, CliError>);

/// Reads each item that keys name, or says why it can't be; with `--ignore-missing` those that exist.
pub(crate) fn look_up_items(ctx: &mut Context<'_, '_>, named: &[String]) -> Result<Vec<LookedUp>, CliError> {
    let db = ctx.db()?;
    let mut found = Vec::new();
    for key in read_keys(ctx, named)? {
        ctx.ensure_wanted()?;
        match item_by_key(&db, &key) {
            Err(error) if ctx.globals.operation.ignore_missing && error.kind() == ErrorKind::NotFound => {
                ctx.note(&format!("passed over: {error}"))?;
            }
            item => found.push((key, item)),
        }
    }
    Ok(found)
}
