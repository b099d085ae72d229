use super::naming::{Name, change_creator};
use crate::context::Context;
use crate::error::CliError;
use crate::model::{ROLES, not_found};
use clap_facade::annotate::mutating;

/// Correct or replace the name of a person (author, editor) everywhere, on every item.
///
/// A bare name is a family name and stands for everybody who bears it; `Family, Given` is one person.
#[derive(Debug, clap::Args)]
#[command(add = mutating()
    .example("One person", "creators rename 'Shannon, C. E.' 'Shannon, Claude E.'")
    .example("A family name everywhere", "creators rename Galilei Galileo"))]
pub(crate) struct RenameArgs {
    /// The name as it is: `Family` or `Family, Given`
    name: String,

    /// The name as it should be, in the same form
    new_name: String,

    /// Only where the person has this role
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
}

pub(crate) fn cmd_rename(ctx: &mut Context<'_, '_>, args: &RenameArgs) -> Result<(), CliError> {
    if let Some(role) = args.role.as_deref().filter(|role| !ROLES.contains(role)) {
        return Err(not_found("role", role, ROLES));
    }
    let (from, to) = (Name::parse(&args.name)?, Name::parse(&args.new_name)?);
    ctx.write(|_, plan| {
        let found = from.matching(&plan.db())?;
        for stored in found {
            let renamed = to.applied_to(&from, &stored.creator)?;
            plan.attempt("rename", stored.creator.name(), |plan| {
                change_creator(plan, &stored, &renamed, args.role.as_deref())
            });
        }
        Ok(())
    })
}
