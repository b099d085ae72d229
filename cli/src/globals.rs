//! The flags every command has.

use crate::error::CliError;
use std::path::PathBuf;
use std::time::Duration;

/// The global flags, as typed.
#[derive(Clone, Debug, clap::Args)]
pub struct Globals {
    /// Output and gates in one place, flattened for their help headings.
    #[command(flatten)]
    pub output: OutputFlags,
    /// How the command works.
    #[command(flatten)]
    pub operation: OperationFlags,
    /// What a mutating command may do.
    #[command(flatten)]
    pub gates: GateFlags,
    /// What belongs to whoever hosts the CLI.
    #[command(flatten)]
    pub host: HostFlags,
}

/// How results are printed.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputFlags {
    /// Print for a program: the same as --json --compact --no-input --no-color; never implies --yes
    #[arg(long, global = true)]
    pub agent: bool,
    /// Print JSON
    #[arg(long, global = true, conflicts_with_all = ["csv", "plain"])]
    pub json: bool,
    /// Print comma-separated values with a header line
    #[arg(long, global = true, conflicts_with = "plain")]
    pub csv: bool,
    /// Print tab-separated values without header or alignment
    #[arg(long, global = true)]
    pub plain: bool,
    /// Leave out empty fields and white space from JSON, never data
    #[arg(long, global = true)]
    pub compact: bool,
    /// Print keys only, or nothing but errors when something is changed
    #[arg(long, global = true)]
    pub quiet: bool,
    /// Print only these fields, in this order
    #[arg(long, global = true, value_name = "FIELDS", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Print without colours
    #[arg(long, global = true)]
    pub no_color: bool,
    /// Print for a person: relative dates, long texts in full, indented JSON
    #[arg(long, global = true)]
    pub human_friendly: bool,
    /// Never ask a question
    #[arg(long, global = true)]
    pub no_input: bool,
}

/// How a command works.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Operation")]
pub struct OperationFlags {
    /// Don't use answers kept from earlier requests to a provider
    #[arg(long, global = true)]
    pub no_cache: bool,
    /// Where data about works may come from
    #[arg(long, global = true, value_enum, default_value_t = DataSource::Auto, value_name = "SOURCE")]
    pub data_source: DataSource,
    /// Give up on a provider's answer after this long (500ms, 30s, 2m)
    #[arg(long, global = true, value_name = "DUR", default_value = "30s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Send a provider at most this many requests a second
    #[arg(long, global = true, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rate_limit: u32,
    /// Take what exists already as done instead of failing
    #[arg(long, global = true)]
    pub idempotent: bool,
    /// Pass over what is named but does not exist instead of failing
    #[arg(long, global = true)]
    pub ignore_missing: bool,
}

/// Where data about works may come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DataSource {
    /// Files and kept answers first, then a provider.
    #[default]
    Auto,
    /// Only files and kept answers.
    Local,
    /// A provider, whatever is kept.
    Live,
}

/// The write gates.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Write gates")]
pub struct GateFlags {
    /// Apply the change instead of previewing it
    #[arg(long, short = 'y', global = true)]
    pub yes: bool,
    /// Preview only, whatever else is given
    #[arg(long, global = true)]
    pub dry_run: bool,
    /// Let operations run that destroy something
    #[arg(long, global = true)]
    pub allow_destructive: bool,
    /// Refuse a run that plans more changes than this [default: 500, with --agent 50]
    #[arg(long, global = true, value_name = "N")]
    pub max_changes: Option<u32>,
    /// Go on with the other operations when one fails
    #[arg(long, global = true)]
    pub continue_on_error: bool,
    /// With --continue-on-error, stop after this many failures
    #[arg(long, global = true, value_name = "N", default_value_t = 20)]
    pub max_failures: u32,
}

/// Flags that belong to the host.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Host")]
pub struct HostFlags {
    /// Read settings from this JSON file
    #[arg(long, global = true, hide = true, value_name = "PATH", value_hint = clap::ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Use this profile of the settings file
    #[arg(long, global = true, hide = true, value_name = "NAME")]
    pub profile: Option<String>,
    /// Work on another library file of the data folder
    #[arg(long, global = true, hide = true, value_name = "NAME")]
    pub group: Option<String>,
    /// Send the result to stdout or to file:PATH
    #[arg(long, global = true, hide = true, value_name = "WHERE", default_value = "stdout", value_parser = parse_delivery)]
    pub deliver: Delivery,
}

/// Where the result goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// To stdout.
    #[default]
    Stdout,
    /// To a file, replaced when the command has succeeded.
    File(PathBuf),
}

impl Globals {
    /// Spells out what the shorthand flags mean.
    #[must_use]
    pub fn resolved(mut self) -> Self {
        if self.output.agent {
            self.output.json = !self.output.csv && !self.output.plain;
            self.output.compact = true;
            self.output.no_input = true;
            self.output.no_color = true;
        }
        self
    }

    /// Whether this run applies changes.
    pub fn applies(&self) -> bool {
        self.gates.yes && !self.gates.dry_run
    }

    /// How many changes one run may plan.
    pub fn max_changes(&self) -> usize {
        match self.gates.max_changes {
            Some(limit) => limit as usize,
            None if self.output.agent => 50,
            None => 500,
        }
    }
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: u64 = digits.parse().map_err(|_| "expected a number and a unit, like 500ms, 30s or 2m".to_owned())?;
    let milliseconds = match unit {
        "ms" => Some(number),
        "" | "s" => number.checked_mul(1_000),
        "m" => number.checked_mul(60_000),
        _ => return Err(format!("unknown unit {unit:?}; use ms, s or m")),
    };
    match milliseconds {
        Some(1..=3_600_000) => Ok(Duration::from_millis(milliseconds.unwrap_or_default())),
        _ => Err("expected between 1ms and 60m".to_owned()),
    }
}

fn parse_delivery(text: &str) -> Result<Delivery, CliError> {
    match text.split_once(':') {
        None if text == "stdout" => Ok(Delivery::Stdout),
        Some(("file", path)) if !path.is_empty() => Ok(Delivery::File(path.into())),
        _ => Err(CliError::usage("expected `stdout` or `file:PATH`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, milliseconds) in [("500ms", 500), ("30s", 30_000), ("2m", 120_000), ("7", 7_000)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "1h", "1.5s", "0", "61m", "99999999999999999999s", "18446744073709551615m"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
