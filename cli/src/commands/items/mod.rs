//! Commands on items.

mod add;
mod attachments;
mod audit;
mod bibcheck;
mod bibliography;
mod cite;
mod delete;
mod duplicates;
mod edit;
mod enrich;
mod find;
mod get;
mod list;
mod missing_pdf;
mod r#move;
mod recent;
mod restore;
mod similar;
mod stale;
mod tags;
mod targets;
mod trash;

use crate::context::Context;
use crate::error::CliError;
pub(crate) use targets::{LookedUp, look_up_items, read_items, read_keys};

/// List, add, edit, tag, cite and clean up the works of the library
#[derive(Debug, clap::Subcommand)]
pub(crate) enum ItemsCommand {
    List(list::ListArgs),
    Get(get::GetArgs),
    Add(add::AddArgs),
    Edit(edit::EditArgs),
    Find(find::FindArgs),
    Recent(recent::RecentArgs),
    Stale(stale::StaleArgs),
    Similar(similar::SimilarArgs),
    MissingPdf(missing_pdf::MissingPdfArgs),
    Audit(audit::AuditArgs),
    Trash(trash::TrashArgs),
    Restore(restore::RestoreArgs),
    Delete(delete::DeleteArgs),
    Move(r#move::MoveArgs),
    Duplicates(duplicates::DuplicatesArgs),
    #[command(subcommand)]
    Tags(tags::TagsCommand),
    #[command(subcommand)]
    Attachments(attachments::AttachmentsCommand),
    Cite(cite::CiteArgs),
    Bibliography(bibliography::BibliographyArgs),
    Bibcheck(bibcheck::BibcheckArgs),
    Enrich(enrich::EnrichArgs),
}

pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &ItemsCommand) -> Result<(), CliError> {
    match command {
        ItemsCommand::List(args) => list::cmd_list(ctx, args),
        ItemsCommand::Get(args) => get::cmd_get(ctx, args),
        ItemsCommand::Add(args) => add::cmd_add(ctx, args),
        ItemsCommand::Edit(args) => edit::cmd_edit(ctx, args),
        ItemsCommand::Find(args) => find::cmd_find(ctx, args),
        ItemsCommand::Recent(args) => recent::cmd_recent(ctx, args),
        ItemsCommand::Stale(args) => stale::cmd_stale(ctx, args),
        ItemsCommand::Similar(args) => similar::cmd_similar(ctx, args),
        ItemsCommand::MissingPdf(args) => missing_pdf::cmd_missing_pdf(ctx, args),
        ItemsCommand::Audit(args) => audit::cmd_audit(ctx, args),
        ItemsCommand::Trash(args) => trash::cmd_trash(ctx, args),
        ItemsCommand::Restore(args) => restore::cmd_restore(ctx, args),
        ItemsCommand::Delete(args) => delete::cmd_delete(ctx, args),
        ItemsCommand::Move(args) => r#move::cmd_move(ctx, args),
        ItemsCommand::Duplicates(args) => duplicates::cmd_duplicates(ctx, args),
        ItemsCommand::Tags(command) => tags::dispatch(ctx, command),
        ItemsCommand::Attachments(command) => attachments::dispatch(ctx, command),
        ItemsCommand::Cite(args) => cite::cmd_cite(ctx, args),
        ItemsCommand::Bibliography(args) => bibliography::cmd_bibliography(ctx, args),
        ItemsCommand::Bibcheck(args) => bibcheck::cmd_bibcheck(ctx, args),
        ItemsCommand::Enrich(args) => enrich::cmd_enrich(ctx, args),
    }
}

/// The columns of a list of items in text.
pub(crate) const ITEM_COLUMNS: &[&str] = &["key", "year", "creators", "title"];
