use super::labels::{Tag, count_tags};
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::hygiene::group_tags;
use clap_facade::annotate::read_only;
use serde_json::json;

/// Check tag hygiene: spelling variants, tags used once, tags not used at all.
///
/// Each finding says what `tags audit fix` would do about it.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(super) command: Option<AuditCommand>,

    /// Report only this kind of finding
    #[arg(long, value_enum, value_name = "KIND")]
    only: Option<TagFinding>,
}

/// What can be done about an audit's findings.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum AuditCommand {
    Fix(super::audit_fix::AuditFixArgs),
}

/// A kind of untidiness among tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum TagFinding {
    /// Names that say the same
    Variants,
    /// Tags on one item only
    Singletons,
    /// Tags on no item
    Unused,
}

pub(crate) fn cmd_audit(ctx: &mut Context<'_, '_>, args: &AuditArgs) -> Result<(), CliError> {
    let tags = count_tags(&*ctx.db()?)?;
    let mut rows: Vec<Row> = Vec::new();
    let wants = |finding: TagFinding| args.only.is_none_or(|only| only == finding);
    let mut report = |finding: &str, tag: &str, items: u64, detail: String| {
        rows.push(row([
            ("finding", json!(finding)),
            ("tag", json!(tag)),
            ("items", json!(items)),
            ("repair", json!(detail)),
        ]));
    };
    let mut grouped: Vec<String> = Vec::new();
    for group in group_tags(&tags.iter().map(Tag::counted).collect::<Vec<_>>()) {
        for variant in &group.variants {
            let all = if variant.kind.is_sure() { "" } else { " (with --all)" };
            let finding = format!("variant: {}", variant.kind.name());
            if wants(TagFinding::Variants) {
                report(&finding, &variant.name, variant.count, format!("merge into {:?}{all}", group.keep));
            }
        }
        grouped.extend(group.names().map(str::to_owned));
    }
    for tag in &tags {
        if tag.uses == 0 && wants(TagFinding::Unused) {
            report("unused", &tag.name, 0, "delete".to_owned());
        }
        if tag.items == 1 && !grouped.contains(&tag.name) && wants(TagFinding::Singletons) {
            report("singleton", &tag.name, 1, "none: judge yourself".to_owned());
        }
    }
    ctx.print_rows(&["finding", "tag", "items", "repair"], &rows, rows.len())
}
