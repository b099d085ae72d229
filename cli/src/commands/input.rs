//! Files that commands read.

use crate::context::{Context, ensure_wanted};
use crate::error::CliError;
use crate::formats::{Format, FormatError, Parsed};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file that is read, in bytes: a bibliography of a hundred thousand works fits.
const LARGEST_FILE: u64 = 256 << 20;

/// Reads a text file; `-` is the standard input.
///
/// # Errors
/// When there is no such file, it can't be read, or it is not UTF-8: then with the line.
pub(crate) fn read_text(ctx: &mut Context<'_, '_>, path: &Path) -> Result<String, CliError> {
    let is_stdin = path.as_os_str() == "-";
    let shown = if is_stdin { "standard input".to_owned() } else { path.display().to_string() };
    let mut bytes = Vec::new();
    let cancelled = ctx.io.cancelled;
    let mut file = if is_stdin { None } else { Some(open_file(path)?) };
    let stream: &mut dyn Read = match &mut file {
        Some(file) => file,
        None => ctx.io.stdin,
    };
    read_blocks(stream, &shown, &cancelled, |block| {
        bytes.extend_from_slice(block);
        match bytes.len() as u64 > LARGEST_FILE {
            true => Err(CliError::failure(format!("more than {LARGEST_FILE} bytes")).at(shown.as_str(), 0, "")),
            false => Ok(()),
        }
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        CliError::failure("this is not UTF-8 text")
            .at(shown.as_str(), line, "")
            .hint(format!("`iconv -f latin1 -t utf-8 {shown}` turns old files into UTF-8"))
    })
}

/// Opens a regular file: a device or a pipe may have no end, and opening it may wait for ever.
///
/// # Errors
/// When there is no such file, it is something else, or it can't be read.
pub(crate) fn open_file(path: &Path) -> Result<File, CliError> {
    let shown = path.display().to_string();
    let opened = match path.metadata() {
        Ok(found) if found.is_dir() => {
            return Err(CliError::usage("this is a folder; name a file").at(shown, 0, ""));
        }
        Ok(found) if !found.is_file() => return Err(CliError::usage("this is no regular file").at(shown, 0, "")),
        Ok(_) => File::open(path),
        Err(error) => Err(error),
    };
    opened.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => CliError::not_found("no such file").at(shown, 0, ""),
        _ => CliError::failure(format!("can't be read: {error}")).at(shown, 0, ""),
    })
}

/// Reads a stream to its end, block by block, while the caller waits for it.
///
/// # Errors
/// When the stream fails, the caller has cancelled, or `take` refuses a block.
pub(crate) fn read_blocks(
    stream: &mut dyn Read,
    shown: &str,
    cancelled: &dyn Fn() -> bool,
    mut take: impl FnMut(&[u8]) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let mut block = vec![0; 64 * 1024];
    loop {
        ensure_wanted(cancelled)?;
        match stream.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(count) => take(&block[..count])?,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(CliError::failure(format!("can't be read: {error}")).at(shown, 0, "")),
        }
    }
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

/// Reads a number from 0 to 1.
///
/// # Errors
/// When it is none: by the error of Rust's own parser, by which the catalog sees that plain numbers are read.
pub(crate) fn parse_share(text: &str) -> Result<f64, Box<dyn std::error::Error + Send + Sync>> {
    let share: f64 = text.parse()?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("expected a number from 0 to 1, like 0.9".into()) }
}
