//! An MCP bundle (MCPB): a zip of the server's own executable and a manifest that says how to start it.

use super::File;
use super::pages::{cut, slug};
use super::zip::Zip;
use crate::facade::own_program;
use crate::surface::Tool;
use crate::verbs::VerbError;
use crate::verbs::desk::Desk;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The version of the manifest's format.
const MANIFEST: &str = "0.3";

/// The largest program that nothing is said of, in bytes.
const LARGE: usize = 50_000_000;

/// The longest description in a host's list, in characters.
const DESCRIPTION_MAX: usize = 200;

/// Makes the bundle of the server, for this platform alone: it holds an executable.
pub(super) fn bundle(desk: &Desk<'_>) -> Result<File, VerbError> {
    let cli = desk.facade.command.get_name().to_owned();
    let program = &desk.launch.program;
    let server = file_name(program)?;
    let mut zip = Zip::default();
    let manifest = manifest(desk, &server)?;
    let full = |error| VerbError::File { path: program.clone(), error };
    zip.add("manifest.json", format!("{manifest:#}\n").as_bytes(), false).map_err(full)?;
    let mut add = |program: &Path| {
        let content = read(program)?;
        if let Some(bulk) = bulk(program, content.len(), cfg!(debug_assertions)) {
            desk.warn(bulk);
        }
        zip.add(&format!("server/{}", file_name(program)?), &content, true).map_err(full)
    };
    add(program)?;
    // The CLI's own executable runs the calls, where the server is not it and nothing else was chosen.
    let runs = own_program(&cli, program);
    if desk.facade.executor.is_none() && desk.launch.before.is_empty() && runs.is_file() && runs != *program {
        add(&runs)?;
    }
    Ok(File { path: format!("{}.mcpb", slug(&cli)).into(), bytes: zip.end().map_err(full)? })
}

/// Says that a program is larger than what people should have to download, and what makes it smaller.
fn bulk(program: &Path, bytes: usize, is_debug: bool) -> Option<String> {
    let (what, remedy) = match is_debug {
        true => ("a debug build of", "`cargo build --release` makes a smaller one"),
        false if bytes > LARGE => ("large:", "`strip = true` in Cargo.toml's `[profile.release]` makes it smaller"),
        false => return None,
    };
    let megabytes = bytes.div_ceil(1_000_000);
    Some(format!("{} is {what} {megabytes} MB, all of it in the bundle: {remedy}", program.display()))
}

fn manifest(desk: &Desk<'_>, server: &str) -> Result<Value, VerbError> {
    let pipeline = desk.pipeline(None)?;
    let catalog = pipeline.catalog();
    let command = &desk.facade.command;
    let about =
        if catalog.about().is_empty() { format!("Runs {}", catalog.root()) } else { catalog.about().to_owned() };
    // A wrapped program is found on the user's PATH: its path here means nothing there.
    let words = desk.launch.start(Vec::new()).into_iter().map(|word| {
        let path = Path::new(&word);
        let name = if path.is_absolute() { path.file_name().unwrap_or(&word) } else { &word };
        name.to_string_lossy().into_owned()
    });
    let tools = pipeline.surface().tools(catalog);
    let tool = |tool: &Tool| json!({ "name": tool.name, "description": tool.description });
    let author = command.get_author().map_or_else(|| catalog.root().to_owned(), str::to_owned);
    let platform = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    Ok(json!({
        "manifest_version": MANIFEST,
        "name": slug(catalog.root()),
        "display_name": catalog.root(),
        "version": version(catalog.version()),
        "description": cut(&about, DESCRIPTION_MAX),
        "author": { "name": author },
        "server": {
            "type": "binary",
            "entry_point": format!("server/{server}"),
            "mcp_config": {
                "command": format!("${{__dirname}}/server/{server}"),
                "args": words.collect::<Vec<_>>(),
                "env": {},
            },
        },
        "tools": tools.iter().map(tool).collect::<Vec<_>>(),
        "tools_generated": false,
        "compatibility": { "platforms": [platform] },
    }))
}

/// Returns a semantic version: the CLI's own where it is one, else the least.
fn version(own: Option<&str>) -> String {
    let own = own.unwrap_or_default();
    let core = own.split(['-', '+']).next().unwrap_or_default();
    let numbers = core.split('.').filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    if core.split('.').count() == 3 && numbers.count() == 3 { own.to_owned() } else { "0.0.0".to_owned() }
}

fn file_name(path: &Path) -> Result<String, VerbError> {
    let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    name.ok_or_else(|| VerbError::argument(path.to_string_lossy(), "its name is not UTF-8, which a bundle must hold"))
}

fn read(path: &Path) -> Result<Vec<u8>, VerbError> {
    fs::read(path).map_err(|error| VerbError::File { path: path.to_owned(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_larger_than_it_has_to_be_is_told_with_its_remedy() {
        for (bytes, is_debug, said) in [
            (1, true, Some("a debug build of 1 MB")),
            (245_000_000, true, Some("`cargo build --release`")),
            (50_000_000, false, None),
            (50_000_001, false, Some("large: 51 MB")),
            (50_000_001, false, Some("strip")),
        ] {
            let bulk = bulk(Path::new("/bin/notes"), bytes, is_debug);
            let is_told = |said| bulk.as_ref().is_some_and(|bulk| bulk.contains(said));
            assert!(said.is_none_or(is_told), "{bulk:?}");
            assert_eq!(said.is_none(), bulk.is_none(), "{bulk:?}");
        }
    }
}
