//! The settings file that a host may name with `--config`.
//!
//! `data_dir` in it names the data folder, before `MYCLI_DATA_DIR`.

use crate::error::CliError;
use crate::globals::Globals;
use serde_json::Value;

/// Reads a setting of the file that `--config` names: of the profile, else of the top.
///
/// The file is a JSON object of names and values; `profiles` holds one such object a profile.
///
/// # Errors
/// When the file can't be read, is no JSON object, or has no such profile.
pub fn from_file(globals: &Globals, name: &str) -> Result<Option<String>, CliError> {
    let Some(path) = &globals.host.config else {
        return match &globals.host.profile {
            Some(profile) => Err(CliError::config(format!("profile {profile:?} needs a settings file"))
                .flag_hint("--config names the file")),
            None => Ok(None),
        };
    };
    let shown = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| CliError::config(format!("can't be read: {error}")).at(shown.as_str(), 0, ""))?;
    let parsed: Value = serde_json::from_str(&text)
        .map_err(|error| CliError::config(error.to_string()).at(shown.as_str(), error.line(), ""))?;
    let Value::Object(top) = &parsed else {
        return Err(CliError::config("expected a JSON object").at(shown, 1, ""));
    };
    if let Some(profile) = &globals.host.profile {
        let Some(settings) = top.get("profiles").and_then(|profiles| profiles.get(profile)) else {
            return Err(CliError::config(format!("has no profile {profile:?}")).at(shown, 0, "profiles"));
        };
        if let Some(value) = settings.get(name) {
            return Ok(Some(crate::output::inline(value)));
        }
    }
    Ok(top.get(name).map(crate::output::inline))
}
