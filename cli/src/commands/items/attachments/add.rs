use crate::commands::input::{open_file, read_blocks};
use crate::context::Context;
use crate::contract::hex;
use crate::db::row;
use crate::error::CliError;
use crate::model::item_id;
use clap_facade::annotate;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Attach files to an item: PDFs, pictures, supplements
///
/// The file stays where it is; the library keeps its path, type, size and checksum.
#[derive(Debug, clap::Args)]
#[command(add = annotate::mutating()
    .example("Attach a PDF", "items attachments add darwin1859 origin.pdf --yes"))]
pub(crate) struct AddArgs {
    /// The citation key or DOI of the item
    #[arg(value_name = "KEY")]
    key: String,
    /// The file; may name several
    #[arg(value_name = "FILE", required = true, value_hint = clap::ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// What to call it, of a single file; the file's name when left out
    #[arg(long, value_name = "TITLE")]
    title: Option<String>,
}

pub(crate) fn cmd_add(ctx: &mut Context<'_, '_>, args: &AddArgs) -> Result<(), CliError> {
    if args.title.is_some() && args.files.len() > 1 {
        return Err(CliError::usage("--title names a single file"));
    }
    ctx.write(|ctx, plan| {
        let item = item_id(plan, &args.key)?;
        let (is_idempotent, cancelled) = (ctx.globals.operation.idempotent, ctx.io.cancelled);
        for file in &args.files {
            ctx.ensure_wanted()?;
            plan.attempt("attach", format!("{} to item {}", file.display(), args.key), |plan| {
                let path = std::path::absolute(file)?;
                let shown = path.to_string_lossy().into_owned();
                if plan.find("attachments", &[("item_id", json!(item)), ("path", json!(shown))])?.is_some() {
                    return match is_idempotent {
                        true => Ok(()),
                        false => Err(CliError::precondition("the file is attached already")
                            .at(shown, 0, "")
                            .flag_hint("--idempotent takes that as done")),
                    };
                }
                let content = Content::read(&path, &cancelled)?;
                let name = path.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
                plan.change("attachment", Value::Null, json!(shown));
                let columns = row([
                    ("item_id", json!(item)),
                    ("title", json!(args.title.as_ref().unwrap_or(&name))),
                    ("path", json!(shown)),
                    ("media_type", json!(content.media_type)),
                    ("size", json!(content.size)),
                    ("sha256", json!(content.sha256)),
                    ("added_at", json!(plan.now())),
                ]);
                plan.link("attachments", columns).map(|_| ())
            });
        }
        Ok(())
    })
}

/// What the library keeps of a file's content.
pub(super) struct Content {
    media_type: &'static str,
    size: u64,
    pub(super) sha256: String,
}

impl Content {
    /// Reads a file to its end.
    pub(super) fn read(path: &Path, cancelled: &dyn Fn() -> bool) -> Result<Self, CliError> {
        let mut file = open_file(path)?;
        let mut hash = Sha256::new();
        let (mut size, mut head) = (0, Vec::new());
        read_blocks(&mut file, &path.display().to_string(), cancelled, |block| {
            if head.is_empty() {
                head = block[..block.len().min(1024)].to_vec();
            }
            hash.update(block);
            size += block.len() as u64;
            Ok(())
        })?;
        let sha256 = hex(&hash.finalize());
        Ok(Self { media_type: media_type(&head, path), size, sha256 })
    }
}

/// The type of a file by how it begins; its name only tells apart what begins alike.
fn media_type(head: &[u8], path: &Path) -> &'static str {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let text = String::from_utf8_lossy(head);
    let begins = text.trim_start_matches('\u{feff}').trim_start().to_lowercase();
    if head.windows(5).take(1024).any(|bytes| bytes == b"%PDF-") {
        "application/pdf"
    } else if head.starts_with(b"PK\x03\x04") {
        match extension.as_str() {
            "epub" => "application/epub+zip",
            "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            _ => "application/zip",
        }
    } else if head.starts_with(b"\x89PNG") {
        "image/png"
    } else if head.starts_with(b"\xff\xd8\xff") {
        "image/jpeg"
    } else if begins.starts_with("<!doctype html") || begins.starts_with("<html") {
        "text/html"
    } else if head.contains(&0) || text.contains('\u{fffd}') {
        "application/octet-stream"
    } else if extension == "md" {
        "text/markdown"
    } else {
        "text/plain"
    }
}
