//! The commands: one folder a group, one file a command.

mod capabilities;
mod collections;
mod completions;
mod config;
mod creators;
mod demo;
mod doctor;
mod export;
mod fulltext;
mod import;
mod init;
mod input;
mod items;
mod journal;
mod library;
mod notes;
mod provider;
mod reading_list;
mod schema;
mod search;
mod searches;
mod selection;
mod tags;
mod targets;
mod workflow;

use crate::context::Context;
use crate::error::CliError;

/// The top of the command tree.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    #[command(subcommand)]
    Items(items::ItemsCommand),
    #[command(subcommand)]
    Journal(journal::JournalCommand),
    #[command(subcommand)]
    Collections(collections::CollectionsCommand),
    #[command(subcommand)]
    Tags(tags::TagsCommand),
    #[command(subcommand)]
    Creators(creators::CreatorsCommand),
    #[command(subcommand)]
    Notes(notes::NotesCommand),
    #[command(subcommand)]
    ReadingList(reading_list::ReadingListCommand),
    #[command(subcommand)]
    Searches(searches::SearchesCommand),
    #[command(subcommand)]
    Library(library::LibraryCommand),
    #[command(subcommand)]
    Workflow(workflow::WorkflowCommand),
    Search(search::SearchArgs),
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    Capabilities(capabilities::CapabilitiesArgs),
    Doctor(doctor::DoctorArgs),
    Init(init::InitArgs),
    #[command(subcommand)]
    Config(config::ConfigCommand),
    Completions(completions::CompletionsArgs),
    #[command(subcommand)]
    Import(import::ImportCommand),
    #[command(subcommand)]
    Export(export::ExportCommand),
    Demo(demo::DemoArgs),
}

/// Runs a command.
pub(crate) fn dispatch(ctx: &mut Context<'_, '_>, command: &Command) -> Result<(), CliError> {
    match command {
        Command::Items(command) => items::dispatch(ctx, command),
        Command::Journal(command) => journal::dispatch(ctx, command),
        Command::Collections(command) => collections::dispatch(ctx, command),
        Command::Tags(command) => tags::dispatch(ctx, command),
        Command::Creators(command) => creators::dispatch(ctx, command),
        Command::Notes(command) => notes::dispatch(ctx, command),
        Command::ReadingList(command) => reading_list::dispatch(ctx, command),
        Command::Searches(command) => searches::dispatch(ctx, command),
        Command::Library(command) => library::dispatch(ctx, command),
        Command::Workflow(command) => workflow::dispatch(ctx, command),
        Command::Search(args) => search::cmd_search(ctx, args),
        Command::Schema(command) => schema::dispatch(ctx, command),
        Command::Capabilities(args) => capabilities::cmd_capabilities(ctx, args),
        Command::Doctor(args) => doctor::cmd_doctor(ctx, args),
        Command::Init(args) => init::cmd_init(ctx, args),
        Command::Config(command) => config::dispatch(ctx, command),
        Command::Completions(args) => completions::cmd_completions(ctx, args),
        Command::Import(command) => import::dispatch(ctx, command),
        Command::Export(command) => export::dispatch(ctx, command),
        Command::Demo(args) => demo::cmd_demo(ctx, args),
    }
}
