use super::VerbError;
use super::desk::Desk;
use clap::Args;
use std::process::ExitCode;

/// Count what an agent pays: tools, bytes and, where they are counted, tokens of each surface
#[derive(Args, Clone, Debug)]
pub(super) struct Stats {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Stats {
    pub(super) fn run(self, mut desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        let stats = crate::stats::Stats::measure(&desk.facade)?;
        match self.json {
            true => desk.json(&stats.to_json())?,
            false => desk.say(stats.to_string().trim_end())?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
