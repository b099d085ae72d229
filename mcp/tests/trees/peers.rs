//! A tree of 62 leaves and 22 global flags with every tricky shape: what other servers were measured on.
//!
//! Ids are snake_case and long names kebab-case, as `#[derive(Args)]` makes them.

use clap::builder::PossibleValuesParser;

use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};

use std::path::PathBuf;

fn opt(id: &'static str, long: &'static str, val: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(long).value_name(val).help(help)
}
fn flag(id: &'static str, long: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(long).action(ArgAction::SetTrue).help(help)
}
fn choice(a: Arg, vals: &'static [&'static str]) -> Arg {
    a.value_parser(PossibleValuesParser::new(vals))
}

/// The 22 global flags.
fn globals() -> Vec<Arg> {
    vec![
        opt("config", "config", "FILE", "Path to the configuration file")
            .short('c')
            .value_parser(value_parser!(PathBuf)),
        opt("profile", "profile", "NAME", "Named profile to read credentials from")
            .default_value("default")
            .env("PEER_PROFILE"),
        choice(
            opt("region", "region", "REGION", "Region to send the request to"),
            &["us-east-1", "us-west-2", "eu-west-1", "ap-south-1"],
        ),
        opt("endpoint", "endpoint", "URL", "Override the service endpoint with the given URL"),
        choice(opt("output", "output", "FORMAT", "Format of the output").short('o'), &["table", "json", "yaml", "csv"])
            .default_value("table"),
        opt("query", "query", "JMESPATH", "A JMESPath expression used to filter the response"),
        choice(opt("color", "color", "WHEN", "When to colour the output"), &["auto", "always", "never"])
            .num_args(0..=1)
            .require_equals(true)
            .default_value("auto")
            .default_missing_value("always"),
        Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count).help("More logging; repeat for more"),
        flag("quiet", "quiet", "Suppress everything except errors").short('q').conflicts_with("verbose"),
        flag("no_pager", "no-pager", "Do not pipe the output into a pager"),
        opt("timeout", "timeout", "SECS", "Give up on a request after this many seconds")
            .value_parser(value_parser!(u64))
            .default_value("30"),
        opt("retries", "retries", "N", "How many times to retry a failed request")
            .value_parser(value_parser!(u32))
            .default_value("3"),
        opt("max_items", "max-items", "N", "Total number of items to return").value_parser(value_parser!(u32)),
        flag("dry_run", "dry-run", "Print what would happen without doing it"),
        flag("yes", "yes", "Answer yes to every confirmation prompt").short('y'),
        opt("token", "token", "TOKEN", "Bearer token; prefer the environment variable")
            .env("PEER_TOKEN")
            .hide_env_values(true),
        opt("token_file", "token-file", "FILE", "Read the bearer token from a file")
            .value_parser(value_parser!(PathBuf))
            .conflicts_with("token"),
        opt("ca_bundle", "ca-bundle", "FILE", "CA certificate bundle used to verify TLS")
            .value_parser(value_parser!(PathBuf)),
        flag("no_verify_ssl", "no-verify-ssl", "Do not verify TLS certificates"),
        choice(
            opt("log_level", "log-level", "LEVEL", "Level of the log written to stderr"),
            &["error", "warn", "info", "debug", "trace"],
        ),
        flag("trace", "trace", "Internal tracing (not for users)").hide(true),
        opt("header", "header", "K=V", "Extra HTTP header to send; may be repeated")
            .short('H')
            .action(ArgAction::Append),
    ]
    .into_iter()
    .map(|a| a.global(true))
    .collect()
}

fn list(what: &str) -> Command {
    Command::new("list")
        .about(format!("List every {what} you can see, newest first"))
        .long_about(format!("List every {what} you can see, newest first.\n\nResults are paged; use --limit and --offset to walk through them, and --filter to narrow them on the server before they are returned."))
        .visible_alias("ls")
        .arg(opt("limit", "limit", "N", "Maximum number of rows to return").value_parser(value_parser!(u32)).default_value("50"))
        .arg(opt("offset", "offset", "N", "Skip this many rows first").value_parser(value_parser!(u32)))
        .arg(opt("filter", "filter", "EXPR", "Server-side filter expression, for example name=web*").short('f'))
        .arg(choice(opt("sort", "sort", "KEY", "Sort key"), &["name", "created", "updated"]).default_value("created"))
        .arg(flag("reverse", "reverse", "Reverse the sort order").short('r'))
}
fn get(what: &str) -> Command {
    Command::new("get")
        .about(format!("Show one {what} in full"))
        .arg(Arg::new("id").value_name("ID").required(true).help("Identifier or unique name"))
        .arg(opt("fields", "fields", "FIELD", "Comma separated list of fields to show").value_delimiter(','))
        .arg(flag("include_deleted", "include-deleted", "Also look at soft-deleted records"))
        .arg(
            opt("format_version", "format-version", "V", "Representation version")
                .value_parser(value_parser!(u8).range(1..=3))
                .default_value("2"),
        )
}
fn create(what: &str) -> Command {
    Command::new("create")
        .about(format!("Create a {what}"))
        .long_about(format!("Create a {what}.\n\nThe name has to be unique inside the current profile. Labels are key=value pairs and may be given more than once."))
        .arg(Arg::new("name").value_name("NAME").required(true).help("Name of the new record"))
        .arg(opt("description", "description", "TEXT", "Free text shown to other users").short('d'))
        .arg(opt("label", "label", "K=V", "Label to attach; may be repeated").short('l').action(ArgAction::Append))
        .arg(choice(opt("visibility", "visibility", "WHO", "Who may see the record"), &["private", "internal", "public"]).default_value("private"))
        .arg(opt("template", "template", "NAME", "Template to copy settings from"))
        .arg(opt("owner", "owner", "USER", "Owner; defaults to the caller"))
}
fn update(what: &str) -> Command {
    Command::new("update")
        .about(format!("Change an existing {what}"))
        .arg(Arg::new("id").value_name("ID").required(true).help("Identifier or unique name"))
        .arg(opt("name", "name", "NAME", "New name"))
        .arg(opt("description", "description", "TEXT", "New description").short('d'))
        .arg(opt("add_label", "add-label", "K=V", "Label to add; may be repeated").action(ArgAction::Append))
        .arg(opt("remove_label", "remove-label", "K", "Label key to remove; may be repeated").action(ArgAction::Append))
        .arg(opt("etag", "etag", "ETAG", "Only update when the stored version still matches"))
}
fn delete(what: &str) -> Command {
    Command::new("delete")
        .about(format!("Delete a {what}; this cannot be undone"))
        .visible_alias("rm")
        .arg(Arg::new("id").value_name("ID").required(true).help("Identifier or unique name"))
        .arg(flag("force", "force", "Do not ask and ignore records that do not exist"))
        .arg(flag("cascade", "cascade", "Also delete everything that depends on it"))
        .arg(opt("reason", "reason", "TEXT", "Reason recorded in the audit log"))
}
fn act(name: &'static str, about: &'static str, target: &'static str) -> Command {
    Command::new(name)
        .about(about)
        .arg(Arg::new("target").value_name(target).required(true).help("What to act on"))
        .arg(flag("wait", "wait", "Block until the operation has finished").short('w'))
        .arg(
            opt("wait_timeout", "wait-timeout", "SECS", "Stop waiting after this many seconds")
                .value_parser(value_parser!(u64))
                .default_value("300"),
        )
        .arg(opt("reason", "reason", "TEXT", "Reason recorded in the audit log"))
        .arg(flag("force", "force", "Skip the safety checks"))
}
fn group(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true)
}

fn lab() -> Command {
    group("lab", "Tricky argument shapes and misbehaving commands")
        .subcommand(Command::new("ping").about("Print pong"))
        .subcommand(
            Command::new("verbosity")
                .about("Counted and short-only flags")
                .arg(Arg::new("depth").long("depth").short('D').action(ArgAction::Count).help("Depth; repeat for more"))
                .arg(Arg::new("extract").short('x').action(ArgAction::SetTrue).help("Short-only switch"))
                .arg(
                    Arg::new("level")
                        .short('L')
                        .value_name("N")
                        .value_parser(value_parser!(u8))
                        .help("Short-only option with a value"),
                ),
        )
        .subcommand(
            Command::new("paint")
                .about("Optional values")
                .arg(
                    choice(opt("tint", "tint", "WHEN", "Optional value, needs ="), &["auto", "always", "never"])
                        .num_args(0..=1)
                        .require_equals(true)
                        .default_missing_value("always"),
                )
                .arg(
                    opt("shade", "shade", "LEVEL", "Optional value, no =")
                        .num_args(0..=1)
                        .default_missing_value("5")
                        .value_parser(value_parser!(u8)),
                )
                .arg(opt("note", "note", "TEXT", "Plain option")),
        )
        .subcommand(
            Command::new("tagged")
                .about("Lists of every kind")
                .arg(opt("labels", "labels", "L", "Comma separated").value_delimiter(','))
                .arg(
                    opt("point", "point", "N", "Exactly two numbers")
                        .num_args(2)
                        .value_names(["X", "Y"])
                        .value_parser(value_parser!(i32))
                        .allow_negative_numbers(true),
                )
                .arg(opt("files", "files", "F", "One or more files").num_args(1..))
                .arg(opt("include", "include", "GLOB", "May be repeated").action(ArgAction::Append)),
        )
        .subcommand(
            Command::new("pick")
                .about("Exactly one selector is required")
                .arg(opt("by_name", "by-name", "NAME", "Select by name"))
                .arg(opt("by_id", "by-id", "ID", "Select by id").value_parser(value_parser!(u64)))
                .arg(flag("all", "all", "Select everything"))
                .group(ArgGroup::new("selector").args(["by_name", "by_id", "all"]).required(true)),
        )
        .subcommand(
            Command::new("clash")
                .about("Conflicts and requires")
                .arg(flag("json", "json", "JSON").conflicts_with("yaml"))
                .arg(flag("yaml", "yaml", "YAML"))
                .arg(opt("sign", "sign", "WHO", "Sign as; needs --key").requires("key"))
                .arg(opt("key", "key", "FILE", "Signing key")),
        )
        .subcommand(
            Command::new("exec")
                .about("Run a program; everything after it is passed through")
                .arg(opt("cwd", "cwd", "DIR", "Directory to run in"))
                .arg(flag("tty", "tty", "Allocate a terminal"))
                .arg(
                    Arg::new("argv")
                        .value_name("CMD")
                        .num_args(1..)
                        .required(true)
                        .trailing_var_arg(true)
                        .allow_hyphen_values(true)
                        .help("Program and its arguments"),
                ),
        )
        .subcommand(
            Command::new("passthru")
                .about("Arguments after -- go to the target")
                .arg(Arg::new("target").value_name("TARGET").required(true))
                .arg(Arg::new("rest").value_name("ARG").num_args(0..).last(true))
                .arg(flag("strict", "strict", "Be strict")),
        )
        .subcommand(
            Command::new("copy")
                .about("Copy SOURCE to DEST")
                .arg(Arg::new("source").value_name("SOURCE").required(true).help("Where from"))
                .arg(Arg::new("dest").value_name("DEST").required(true).help("Where to"))
                .arg(Arg::new("mode").value_name("MODE").help("Optional third positional"))
                .arg(flag("force", "force", "Overwrite")),
        )
        .subcommand(
            Command::new("combine")
                .about("One target and many inputs")
                .arg(Arg::new("target").value_name("TARGET").required(true))
                .arg(Arg::new("inputs").value_name("INPUT").num_args(1..).required(true))
                .arg(flag("append", "append", "Append instead of replacing")),
        )
        .subcommand(
            Command::new("math")
                .about("Numbers and booleans")
                .arg(
                    opt("value", "value", "N", "May be negative")
                        .value_parser(value_parser!(i64))
                        .allow_negative_numbers(true),
                )
                .arg(opt("ratio", "ratio", "F", "Float").value_parser(value_parser!(f64)))
                .arg(opt("small", "small", "N", "1 to 10").value_parser(value_parser!(u8).range(1..=10)))
                .arg(opt("enabled", "enabled", "BOOL", "Takes true or false").value_parser(value_parser!(bool)))
                .arg(opt("expr", "expr", "EXPR", "May start with a hyphen").allow_hyphen_values(true)),
        )
        .subcommand(
            Command::new("paths")
                .about("Paths and OS strings")
                .arg(opt("dir", "dir", "DIR", "Directory").value_parser(value_parser!(PathBuf)))
                .arg(opt("raw", "raw", "OS", "OS string").value_parser(value_parser!(std::ffi::OsString)))
                .arg(opt("text", "text", "TEXT", "Any text, may be empty")),
        )
        .subcommand(
            Command::new("knobs")
                .about("Hidden, env-backed, default, aliased and negated flags")
                .arg(opt("internal_key", "internal-key", "KEY", "Not for users").hide(true))
                .arg(opt("api_key", "api-key", "KEY", "From the environment").env("PEER_API_KEY"))
                .arg(
                    choice(opt("mode", "mode", "MODE", "Mode").visible_alias("kind"), &["fast", "slow"])
                        .default_value("fast"),
                )
                .arg(Arg::new("no_cache").long("no-cache").action(ArgAction::SetFalse).help("Turn the cache off")),
        )
        .subcommand(Command::new("plugin").about("Run an external plugin").allow_external_subcommands(true).arg(flag(
            "list",
            "list",
            "List plugins",
        )))
        .subcommand(
            Command::new("big").about("Print this many bytes").arg(
                opt("bytes", "bytes", "N", "How many").value_parser(value_parser!(usize)).default_value("10000000"),
            ),
        )
        .subcommand(Command::new("hang").about("Never finish"))
        .subcommand(Command::new("direct").about("Write to file descriptor 1 behind the library's back"))
        .subcommand(Command::new("badutf8").about("Print bytes that are not UTF-8"))
        .subcommand(Command::new("readin").about("Read standard input to its end and print its length"))
        .subcommand(
            Command::new("quit")
                .about("Print to both streams and exit with a code")
                .arg(opt("code", "code", "N", "Exit code").value_parser(value_parser!(i32)).default_value("3")),
        )
        .subcommand(Command::new("boom").about("Panic"))
        .subcommand(
            Command::new("nap")
                .about("Sleep, then print")
                .arg(opt("ms", "ms", "MS", "Milliseconds").value_parser(value_parser!(u64)).default_value("200")),
        )
        .subcommand(
            Command::new("getenv")
                .about("Print environment variables")
                .arg(Arg::new("names").value_name("NAME").num_args(1..)),
        )
        .subcommand(Command::new("dump").about("Internal").hide(true).arg(flag(
            "everything",
            "everything",
            "All of it",
        )))
}

/// The whole tree, unbuilt, as an application would hand it over.
pub(crate) fn command() -> Command {
    Command::new("peercli")
        .version("1.2.3")
        .about("Manage projects, users, repositories, deployments, secrets and clusters")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .args(globals())
        .subcommand(group("project", "Work with projects").subcommands([
            list("project"),
            get("project"),
            create("project"),
            update("project"),
            delete("project"),
        ]))
        .subcommand(group("user", "Work with users").subcommands([
            list("user"),
            get("user"),
            create("user"),
            update("user"),
            delete("user"),
        ]))
        .subcommand(
            group("repo", "Work with repositories")
                .subcommands([
                    list("repository"),
                    get("repository"),
                    create("repository"),
                    act("archive", "Make a repository read-only", "REPO"),
                ])
                .subcommand(group("branch", "Work with branches").subcommands([
                    list("branch"),
                    create("branch"),
                    delete("branch"),
                    act("protect", "Protect a branch", "BRANCH"),
                ])),
        )
        .subcommand(group("deploy", "Work with deployments").subcommands([
            act("start", "Start a deployment", "SERVICE"),
            act("status", "Show how a deployment is going", "SERVICE"),
            act("cancel", "Cancel a running deployment", "SERVICE"),
            act("rollback", "Go back to the previous version", "SERVICE"),
            act("logs", "Show the log of a deployment", "SERVICE"),
        ]))
        .subcommand(
            group("secret", "Work with secrets").subcommands([
                list("secret"),
                get("secret"),
                Command::new("set")
                    .about("Store a secret")
                    .arg(Arg::new("name").value_name("NAME").required(true))
                    .arg(Arg::new("value").value_name("VALUE").required(true))
                    .arg(opt("expires", "expires", "WHEN", "When the secret stops being valid"))
                    .arg(flag("overwrite", "overwrite", "Replace an existing value"))
                    .arg(opt("label", "label", "K=V", "Label to attach; may be repeated").action(ArgAction::Append)),
                act("rotate", "Generate a new value", "SECRET"),
                delete("secret"),
            ]),
        )
        .subcommand(group("cluster", "Work with clusters").subcommand(group("node", "Work with nodes").subcommands([
            list("node"),
            act("drain", "Move the work off a node", "NODE"),
            act("cordon", "Stop scheduling on a node", "NODE"),
            act("uncordon", "Schedule on a node again", "NODE"),
        ])))
        .subcommand(
            group("db", "Work with databases")
                .subcommand(group("backup", "Work with backups").subcommands([
                    list("backup"),
                    create("backup"),
                    act("restore", "Restore a backup over the live database", "BACKUP"),
                ]))
                .subcommand(group("migrate", "Work with schema migrations").subcommands([
                    act("up", "Apply pending migrations", "DATABASE"),
                    act("down", "Revert the last migration", "DATABASE"),
                    act("status", "Show which migrations are applied", "DATABASE"),
                ])),
        )
        .subcommand(lab())
}
