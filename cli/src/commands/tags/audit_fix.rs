use super::labels::{Tag, count_tags, merge_tag};
use crate::context::Context;
use crate::error::CliError;
use crate::hygiene::group_tags;
use clap_facade::annotate::mutating;

/// Apply the suggested tag (keyword) repairs: merge variants into the most used, drop unused tags.
///
/// Without `--all`, merges only names that differ by case, spaces, punctuation or accents. Tags used once are left
/// alone: only a reader can judge them.
#[derive(Debug, clap::Args)]
#[command(add = mutating().example("Repair plurals and spelling variants too", "tags audit fix --all"))]
pub(crate) struct AuditFixArgs {
    /// Also merge plurals, British and American spellings and likely slips
    #[arg(long)]
    all: bool,

    /// Keep tags that no item bears
    #[arg(long)]
    keep_unused: bool,
}

pub(crate) fn cmd_audit_fix(ctx: &mut Context<'_, '_>, args: &AuditFixArgs) -> Result<(), CliError> {
    ctx.write(|_, plan| {
        let tags = count_tags(&plan.db())?;
        let named = |name: &str| tags.iter().find(|tag| tag.name == name);
        for group in group_tags(&tags.iter().map(Tag::counted).collect::<Vec<_>>()) {
            let Some(keep) = named(&group.keep) else { continue };
            for variant in group.variants.iter().filter(|variant| args.all || variant.kind.is_sure()) {
                if let Some(tag) = named(&variant.name) {
                    merge_tag(plan, tag, keep);
                }
            }
        }
        for tag in tags.iter().filter(|tag| tag.uses == 0 && !args.keep_unused) {
            if plan.row("tags", tag.id)?.is_some() && plan.find("item_tags", &[("tag_id", tag.id.into())])?.is_none() {
                plan.attempt("delete", tag.name.clone(), |plan| plan.delete("tags", tag.id));
            }
        }
        Ok(())
    })
}
