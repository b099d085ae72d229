//! Files that commands read.

use crate::context::Context;
use crate::error::CliError;
use crate::formats::{Format, FormatError, Parsed};
use std::path::Path;

/// The largest file that is read, in bytes: a bibliography of a hundred thousand works fits.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a text file; `-` is the standard input.
///
/// # Errors
/// When there is no such file, it can't be read, or it is not UTF-8: then with the line.
pub(crate) fn read_text(ctx: &mut Context<'_, '_>, path: &Path) -> Result<String, CliError> {
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    if shown == "-" {
        ctx.io.stdin.read_to_end(&mut bytes)?;
    } else if path.is_dir() {
        return Err(CliError::usage("this is a folder; name a file").at(shown, 0, ""));
    } else {
        let unreadable = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => CliError::not_found("no such file").at(shown.as_str(), 0, ""),
            _ => CliError::failure(format!("can't be read: {error}")).at(shown.as_str(), 0, ""),
        };
        // A device or a pipe may have no end, and opening it may wait for ever.
        let metadata = path.metadata().map_err(unreadable)?;
        if !metadata.is_file() {
            return Err(CliError::usage("this is no regular file").at(shown, 0, ""));
        }
        if metadata.len() > LARGEST_FILE {
            let size = format!("the file has {} bytes; at most {LARGEST_FILE} are read", metadata.len());
            return Err(CliError::failure(size).at(shown, 0, ""));
        }
        bytes = std::fs::read(path).map_err(unreadable)?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        CliError::failure("this is not UTF-8 text")
            .at(shown.as_str(), line, "")
            .hint(format!("`iconv -f latin1 -t utf-8 {shown}` turns old files into UTF-8"))
    })
}

/// Reads a bibliography, its format told by its content.
///
/// # Errors
/// With file, line and field of the first thing that can't be read.
pub(crate) fn read_bibliography(ctx: &mut Context<'_, '_>, path: &Path) -> Result<(Format, Parsed), CliError> {
    let text = read_text(ctx, path)?;
    let shown = path.display().to_string();
    let format = Format::detect(&text).ok_or_else(|| unreadable(&shown, &FormatError::unknown()))?;
    let parsed = format.parse(&text).map_err(|error| unreadable(&shown, &error))?;
    Ok((format, parsed))
}

/// The error of a file that can't be read.
pub(crate) fn unreadable(file: &str, error: &FormatError) -> CliError {
    CliError::failure(error.message.as_str()).at(file, error.line, error.field.as_deref().unwrap_or_default())
}
