use crate::context::Context;
use crate::error::CliError;
use super::naming::{Name, change_creator};
use clap_facade::annotate::mutating;

/// Correct the name of a person (author, editor) on every item.
///
/// A bare name is a family name and stands for everybody who bears it; `Family, Given` is one person.
#[derive(Debug, clap::Args)]
#[command(add = mutating()
    .example("One person", "creators rename \"Knuth, D.\" \"Knuth, Donald E.\"")
    .example("A family name everywhere", "creators rename Mueller Müller"))]
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
    let (from, to) = (Name::parse(&args.name)?, Name::parse(&args.new_name)?);
    ctx.write(|_, plan| {
        let found = from.matching(&plan.db())?;
        for creator in found {
            let renamed = to.applied_to(&from, &creator)?;
            plan.attempt("rename", creator.display(), |plan| {
                change_creator(plan, &creator, &renamed, args.role.as_deref())
            });
        }
        Ok(())
    })
}
