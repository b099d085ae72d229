use super::VerbError;
use super::desk::Desk;
use crate::Facade;
use crate::catalog::Approval;
use crate::surface::Choice;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::ffi::OsString;
use std::process::ExitCode;

/// Serve stdio until the client leaves (the default)
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Start {
    /// What is listed; without it, what the environment says
    #[arg(long, value_name = "NAME", value_parser = surface())]
    surface: Option<Choice>,
    /// Whose calls these are, of those that the policy names; without it, what the environment says, or `local`
    #[arg(long, value_name = "NAME")]
    principal: Option<String>,
    /// Refuse every call that changes something
    #[arg(long)]
    read_only: bool,
    /// What runs without your word at most, whatever the policy says: `auto`, `ask-destructive`, `ask` or `deny`
    #[arg(long, value_name = "MODE", value_parser = approval())]
    approve: Option<Approval>,
}

impl Start {
    pub(super) fn run(self, desk: Desk<'_>) -> Result<ExitCode, VerbError> {
        self.facade(desk.facade).start()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the server with these options.
    pub(super) fn facade(&self, mut facade: Facade) -> Facade {
        if let Some(surface) = self.surface {
            facade = facade.surface(surface);
        }
        if self.read_only {
            facade = facade.read_only();
        }
        if let Some(approval) = self.approve {
            facade = facade.approve_at_least(approval);
        }
        match &self.principal {
            Some(principal) => facade.serves(principal),
            None => facade,
        }
    }

    /// Returns the options as typed, for a host's entry.
    pub(super) fn options(&self) -> Vec<OsString> {
        let surface = self.surface.map(|surface| format!("--surface={surface}").into());
        let principal = self.principal.as_ref().map(|name| format!("--principal={name}").into());
        let approve = self.approve.map(|approval| format!("--approve={}", approval.name()).into());
        surface
            .into_iter()
            .chain(principal)
            .chain(self.read_only.then(|| "--read-only".into()))
            .chain(approve)
            .collect()
    }
}

/// Parses the name of a surface.
pub(super) fn surface() -> impl TypedValueParser<Value = Choice> {
    PossibleValuesParser::new(Choice::ALL.iter().map(|choice| choice.name())).try_map(|name| name.parse::<Choice>())
}

fn approval() -> impl TypedValueParser<Value = Approval> {
    PossibleValuesParser::new(Approval::ALL.iter().map(|approval| approval.name()))
        .map(|name| Approval::ALL.iter().copied().find(|approval| approval.name() == name).unwrap_or(Approval::Deny))
}
