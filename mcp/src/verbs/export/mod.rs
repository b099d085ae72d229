//! `export`: the commands for whoever does not speak MCP, and the server for whoever installs by a click.

mod bundle;
mod pages;
mod zip;

use super::VerbError;
use super::desk::Desk;
use crate::surface::{Choice, Tool};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write the commands as tools, a skill or llms.txt, or the server as a bundle
#[derive(Args, Clone, Debug)]
pub(super) struct Export {
    format: Format,
    /// The folder; else this one
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    out: PathBuf,
    /// Replace files that say something else
    #[arg(long)]
    replace: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// NAME-tools.json: one tool a command, as `tools/list` carries them
    Tools,
    /// NAME/SKILL.md: an Agent Skill, for agents that run NAME at a shell
    Skill,
    /// llms.txt and a page a command
    Llms,
    /// NAME.mcpb: an MCP bundle, for hosts that install by a click
    Mcpb,
}

/// A file to write, by its path below the folder.
struct File {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl File {
    fn text(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self { path: path.into(), bytes: text.into().into_bytes() }
    }
}

impl Export {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let pipeline = desk.pipeline(Some(Choice::Mirror))?;
        let catalog = pipeline.catalog();
        let files = match self.format {
            Format::Tools => {
                let tools: Vec<Value> = pipeline.surface().tools(catalog).iter().map(Tool::to_json).collect();
                let text = format!("{:#}\n", json!({ "tools": tools }));
                vec![File::text(format!("{}-tools.json", pages::slug(catalog.root())), text)]
            }
            Format::Skill => pages::skill(catalog),
            Format::Llms => pages::llms(catalog),
            Format::Mcpb => vec![bundle::bundle(&desk)?],
        };
        let files: Vec<File> =
            files.into_iter().map(|File { path, bytes }| File { path: self.out.join(path), bytes }).collect();
        if !self.replace {
            refuse_to_replace(&files)?;
        }
        for File { path, bytes } in files {
            write(&path, &bytes)?;
            desk.say(format!("wrote {}: {} bytes", path.display(), bytes.len()))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Fails where a file is there that says something else: it may be a person's own.
fn refuse_to_replace(files: &[File]) -> Result<(), VerbError> {
    let differs = |file: &&File| fs::read(&file.path).is_ok_and(|bytes| bytes != file.bytes);
    let others: Vec<String> = files.iter().filter(differs).map(|file| file.path.display().to_string()).collect();
    if others.is_empty() {
        return Ok(());
    }
    let problem = "there already, and saying something else: pass `--replace`, or another folder as `--out`";
    Err(VerbError::argument(others.join(", "), problem))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), VerbError> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, bytes)).map_err(|error| VerbError::File { path: path.to_owned(), error })
}
