//! One tree with everything that lets a bridge be fooled.

use clap::{Arg, ArgAction, ArgGroup, Command, ValueHint, value_parser};
use clap_facade::annotate::{destructive, framework, hidden, host_owned, mutating, read_only, secret};

/// A CLI that takes abbreviations of its flags and its commands, as some do.
pub(super) fn tree() -> Command {
    Command::new("app")
        .version("1.0")
        .subcommand_required(true)
        .infer_long_args(true)
        .infer_subcommands(true)
        .args([switch("agent").global(true), switch("json").global(true), switch("quiet").short('q').global(true)])
        .args([switch("yes").short('y').global(true), switch("dry-run").global(true)])
        .args([switch("allow-destructive").global(true), option("max-changes").global(true)])
        .args([option("config").short('c').global(true), option("profile").global(true)])
        .args([option("group").global(true), option("deliver").global(true)])
        .arg(option("password").global(true).env("ADVERSARIAL_PASSWORD").add(secret()))
        .subcommands([add(), edit(), list(), get(), peek(), remove()])
        .subcommands([capabilities(), tags(), point(), set(), each()])
        .subcommands([internal(), plugin(), workflow(), by("by-cell"), by("by_cell")])
        .subcommand(Command::new("noted").add(hidden()).subcommand(Command::new("dump")))
        .subcommand(Command::new("completions").add(framework()).subcommand(Command::new("bash")))
        .subcommand(Command::new("locked").add(read_only()).arg(option("key").required(true).hide(true)))
}

fn add() -> Command {
    Command::new("add")
        .add(mutating())
        .arg(Arg::new("title").required(true))
        .arg(Arg::new("more"))
        .arg(option("note"))
        .arg(option("tag").action(ArgAction::Append))
        .arg(option("fields").value_delimiter(','))
        .arg(option("count").value_parser(value_parser!(i64)))
        .arg(option("small").value_parser(value_parser!(u8)))
        .arg(option("level").value_parser(value_parser!(u8).range(1..=3)))
        .arg(option("ratio").value_parser(value_parser!(f64)))
        .arg(option("plain").value_parser(value_parser!(bool)))
        .arg(option("kind").value_parser(["book", "paper"]))
        .arg(option("color").num_args(0..=1).require_equals(true).default_missing_value("always"))
        .arg(switch("force").short('f'))
        .arg(switch("erase").conflicts_with("note"))
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count))
        .arg(Arg::new("exit_on_error").long("no-errexit").action(ArgAction::SetFalse))
        .arg(Arg::new("destination").long("dest"))
        .arg(Arg::new("x").short('x'))
        .arg(option("token").env("ADVERSARIAL_TOKEN").add(secret()))
        .arg(option("socket").add(host_owned()))
        .arg(option("backdoor").hide(true))
}

/// What takes one of two, and one only with another.
fn edit() -> Command {
    Command::new("edit")
        .add(mutating())
        .args([option("key"), option("query"), option("title"), option("year").requires("title")])
        .group(ArgGroup::new("target").args(["key", "query"]).required(true))
}

fn list() -> Command {
    Command::new("list")
        .add(read_only().mutating_when("output"))
        .arg(option("limit").value_parser(value_parser!(u32)))
        .arg(option("sort").value_parser(["name", "created"]))
        .arg(option("output"))
}

fn get() -> Command {
    Command::new("get").add(read_only()).visible_alias("show").alias("fetch").arg(Arg::new("key").required(true))
}

/// What reads files.
fn peek() -> Command {
    let path = |name: &'static str| Arg::new(name).value_hint(ValueHint::AnyPath);
    Command::new("peek")
        .add(read_only())
        .arg(path("files").num_args(0..))
        .args([path("from").long("from"), path("also").long("also").action(ArgAction::Append)])
}

fn remove() -> Command {
    Command::new("remove")
        .add(destructive())
        .alias("zap")
        .arg(Arg::new("keys").required(true).num_args(1..))
        .arg(switch("all-of-them"))
}

/// A command that runs by itself, with a hidden child and one that changes something.
fn capabilities() -> Command {
    Command::new("capabilities")
        .add(read_only())
        .arg(Arg::new("topic"))
        .subcommand(Command::new("drift").hide(true))
        .subcommand(Command::new("sync").add(mutating()))
}

fn tags() -> Command {
    let audit = Command::new("audit").add(read_only()).subcommand(Command::new("fix").add(mutating()));
    Command::new("tags").subcommand_required(true).subcommand(audit)
}

fn point() -> Command {
    let at = option("at").num_args(2).value_parser(value_parser!(i32)).allow_negative_numbers(true);
    Command::new("point").add(mutating()).arg(at)
}

fn set() -> Command {
    Command::new("set")
        .add(mutating())
        .arg(Arg::new("key").required(true))
        .arg(Arg::new("value").required(true))
        .arg(option("dashes").allow_hyphen_values(true))
}

fn each() -> Command {
    let words = Arg::new("words").num_args(1..).required(true).trailing_var_arg(true).allow_hyphen_values(true);
    Command::new("each").add(mutating()).arg(words)
}

fn internal() -> Command {
    let deep = Command::new("deep").subcommand_required(true).subcommand(Command::new("probe"));
    Command::new("internal").hide(true).subcommand_required(true).subcommand(Command::new("dump")).subcommand(deep)
}

fn plugin() -> Command {
    Command::new("plugin").allow_external_subcommands(true).arg(switch("list"))
}

fn workflow() -> Command {
    let run = Command::new("run").hide(true).arg(Arg::new("file").required(true));
    Command::new("workflow").subcommand_required(true).subcommand(run)
}

/// Two commands with one rendered name.
fn by(name: &'static str) -> Command {
    let list = Command::new("list").add(read_only()).arg(option(name.trim_start_matches("by-")));
    Command::new(name).subcommand_required(true).subcommand(list)
}

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}
