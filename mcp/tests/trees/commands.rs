//! Trees that differ in how their commands stand to each other.

use super::{flag, group, leaf, option};
use clap::{Arg, ArgAction, Command};
use clap_facade::annotate::{destructive, framework, gate, hidden, host_owned, mutating, read_only, secret};

pub(super) fn all() -> Vec<(&'static str, Command)> {
    let cli = || group("cli");
    let items = || group("items");
    vec![
        ("single command", Command::new("cli").about("Greets").version("1.2").arg(option("name")).arg(Arg::new("who"))),
        ("groups", cli().subcommand(items().subcommand(leaf("list")).subcommand(leaf("get")))),
        ("inner command that runs", cli().subcommand(inner_command_that_runs())),
        ("optional subcommand", Command::new("cli").subcommand(Command::new("items").subcommand(leaf("list")))),
        ("root that runs", Command::new("cli").arg(option("file")).subcommand(leaf("list"))),
        ("hidden", hidden_commands()),
        ("own help", own_help()),
        ("generated help", cli().subcommand(items().subcommand(leaf("list")))),
        (
            "framework",
            cli().subcommand(group("completions").add(framework()).subcommand(leaf("bash"))).subcommand(leaf("run")),
        ),
        ("external", cli().subcommand(external("plain")).subcommand(external("exposed").add(mutating().exposed()))),
        (
            "flag subcommands",
            cli().subcommand(leaf("sync").short_flag('S').long_flag("sync").arg(flag("refresh").short('y'))),
        ),
        ("infer", cli().infer_subcommands(true).subcommand(leaf("test")).subcommand(leaf("temp"))),
        (
            "multicall",
            Command::new("box")
                .multicall(true)
                .subcommand(leaf("true"))
                .subcommand(leaf("cat").arg(Arg::new("file")))
                .subcommand(leaf("7z")),
        ),
        ("args or subcommands", args_or_subcommands()),
        ("required above", required_above()),
        (
            "aliases",
            cli().subcommand(
                items().visible_alias("it").alias("old").subcommand(leaf("list").visible_aliases(["ls", "l"])),
            ),
        ),
        ("one rendered name", one_rendered_name()),
        ("long names", long_names()),
        ("globals at two levels", globals_at_two_levels()),
        ("gates", gates()),
        ("effects", effects()),
        ("host owned", host_owned_args()),
        ("not callable", not_callable()),
        (
            "deferred",
            cli().subcommand(
                Command::new("late")
                    .defer(|late| late.subcommand_required(true).subcommand(leaf("run").arg(option("at")))),
            ),
        ),
        (
            "space in the root's name",
            group("cargo generate").bin_name("cargo").subcommand(leaf("generate").arg(Arg::new("template"))),
        ),
    ]
}

fn inner_command_that_runs() -> Command {
    let duplicates = Command::new("duplicates").arg(option("by")).subcommand(leaf("resolve"));
    let needs_an_arg = Command::new("tags").arg_required_else_help(true).arg(option("of")).subcommand(leaf("list"));
    let only_help = Command::new("notes").arg_required_else_help(true).subcommand(leaf("list"));
    group("items").subcommands([duplicates, needs_an_arg, only_help])
}

fn hidden_commands() -> Command {
    group("cli")
        .subcommand(
            group("internal").hide(true).subcommand(leaf("dump")).subcommand(group("deep").subcommand(leaf("probe"))),
        )
        .subcommand(group("noted").add(hidden()).subcommand(leaf("dump")))
        .subcommand(group("shown").subcommand(leaf("dump")).subcommand(leaf("secretly").hide(true)))
}

/// `help` as the author's own command at the root; below it stands one that is about helping.
fn own_help() -> Command {
    group("cli")
        .disable_help_subcommand(true)
        .subcommand(leaf("help").arg(Arg::new("topic")))
        .subcommand(group("tickets").subcommand(leaf("help")).subcommand(leaf("completions")))
}

fn external(name: &'static str) -> Command {
    leaf(name).allow_external_subcommands(true).arg(flag("list"))
}

fn args_or_subcommands() -> Command {
    let dispatch = Command::new("dispatch")
        .args_conflicts_with_subcommands(true)
        .arg(Arg::new("target").required(true))
        .arg(flag("dry-run"))
        .subcommand(leaf("list"));
    group("cli").subcommand(dispatch)
}

fn required_above() -> Command {
    let remote = |name| Command::new(name).arg(option("server").required(true)).subcommand(leaf("list"));
    group("cli")
        .subcommand(remote("strict").subcommand_required(true))
        .subcommand(remote("waived").subcommand_negates_reqs(true))
        .subcommand(
            group("by-environment")
                .arg(option("server").required(true).env("FACADE_TEST_NO_SUCH_SERVER"))
                .subcommand(leaf("list")),
        )
}

fn one_rendered_name() -> Command {
    group("cli")
        .subcommand(group("by-cell").subcommand(leaf("list")))
        .subcommand(group("by_cell").subcommand(leaf("list").arg(option("other"))))
        .subcommand(group("by").subcommand(leaf("cell-list")))
        .subcommand(leaf("command-search"))
        .subcommand(leaf("UPPER"))
}

fn long_names() -> Command {
    let long = |tail: &'static str| leaf(tail);
    group("cli").subcommand(group("organisation-wide-configuration-management").subcommands([
        long("rotate-all-the-service-account-credentials"),
        long("rotate-all-the-service-account-keys"),
        long("übersicht"),
    ]))
}

fn globals_at_two_levels() -> Command {
    let verbose = Arg::new("verbose").short('v').long("verbose").global(true).action(ArgAction::Count);
    let database = option("database-url").global(true).env("DATABASE_URL").default_value("postgres://user:pw@host/db");
    let migrate =
        Command::new("migrate").arg(database).subcommand(leaf("up").arg(option("steps"))).subcommand(leaf("down"));
    group("cli").arg(verbose).subcommand(migrate)
}

fn gates() -> Command {
    let group_with_gates = group("items")
        .arg(flag("allow-destructive"))
        .arg(flag("really").add(gate()))
        .arg(flag("loud"))
        .arg(flag("max-changes").hide(true));
    group("cli")
        .arg(flag("yes").short('y').global(true))
        .arg(Arg::new("dry_run").long("dry-run").global(true).action(ArgAction::SetTrue))
        .arg(flag("json").global(true))
        .subcommand(
            group_with_gates
                .subcommand(leaf("list").add(read_only()).arg(option("limit")))
                .subcommand(leaf("export").add(read_only().mutating_when("output")).arg(option("output")))
                .subcommand(leaf("delete").add(destructive()))
                .subcommand(leaf("rename").arg(flag("allow-destructive"))),
        )
}

fn effects() -> Command {
    group("cli")
        .subcommand(leaf("undeclared"))
        .subcommand(leaf("read").add(read_only()))
        .subcommand(leaf("write").add(mutating()))
        .subcommand(leaf("wipe").add(destructive()))
        .subcommand(
            leaf("health")
                .add(read_only().mutating_when("fix"))
                .arg(Arg::new("repair").long("fix").action(ArgAction::SetTrue)),
        )
        .subcommand(
            leaf("fetch").add(read_only().untrusted_output().example("Fetches one", "fetch --id 7")).arg(option("id")),
        )
}

fn host_owned_args() -> Command {
    group("cli")
        .arg(option("config").global(true))
        .arg(option("group").global(true))
        .subcommand(
            leaf("move")
                .arg(option("profile"))
                .arg(option("cache").add(host_owned()))
                .arg(option("token").add(secret())),
        )
        .subcommand(
            Command::new("serve").arg(option("deliver").global(true)).arg(option("port")).subcommand(leaf("stop")),
        )
}

fn not_callable() -> Command {
    group("cli")
        .subcommand(leaf("hidden").arg(option("key").required(true).hide(true)))
        .subcommand(leaf("secret").arg(option("key").required(true).add(secret())))
        .subcommand(leaf("hosts").arg(option("key").required(true).add(host_owned())))
        .subcommand(
            leaf("by-environment").arg(option("key").required(true).add(secret()).env("FACADE_TEST_NO_SUCH_KEY")),
        )
        .subcommand(
            leaf("group")
                .arg(option("a").hide(true))
                .arg(option("b").add(secret()))
                .group(clap::ArgGroup::new("one").args(["a", "b"]).required(true)),
        )
        .subcommand(leaf("fine").arg(option("key").required(true)))
}
