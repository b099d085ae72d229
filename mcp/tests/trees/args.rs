//! Trees that differ in what the args of one command take.

use super::{flag, group, leaf, option};
use clap::builder::{
    BoolishValueParser, FalseyValueParser, NonEmptyStringValueParser, PossibleValue, PossibleValuesParser,
    TypedValueParser,
};
use clap::{Arg, ArgAction, ArgGroup, Command, ValueHint, value_parser};
use clap_facade::annotate::{read_only, secret};
use std::ffi::OsString;
use std::num::NonZeroU8;
use std::path::PathBuf;

pub(super) fn all() -> Vec<(&'static str, Command)> {
    let run = |run: Command| group("cli").subcommand(run);
    vec![
        ("switches", run(switches())),
        ("numbers", run(numbers())),
        ("booleans", run(booleans())),
        ("choices", run(choices())),
        ("optional values", run(optional_values())),
        ("lists", run(lists())),
        ("positionals", group("cli").subcommands(positionals())),
        ("texts and paths", run(texts_and_paths())),
        ("property names", group("cli").subcommands(property_names())),
        ("defaults", run(defaults())),
        ("constraints", group("cli").subcommands(constraints())),
        ("waived requirements", group("cli").subcommands(waived_requirements())),
        ("help texts", run(help_texts())),
        ("help as a switch", Command::new("cli").disable_help_flag(true).arg(flag("help")).arg(flag("version"))),
        ("long help", run(leaf("run").arg(flag("help").action(ArgAction::HelpLong)).disable_help_flag(true))),
        ("flattened options", cargo_like()),
    ]
}

fn switches() -> Command {
    leaf("run")
        .arg(flag("on"))
        .arg(Arg::new("exit_on_error").long("no-errexit").action(ArgAction::SetFalse))
        .arg(flag("universal").default_value("true"))
        .arg(Arg::new("verbose").short('v').long("verbose").action(ArgAction::Count))
        .arg(option("fast").num_args(0).default_missing_value("yes").action(ArgAction::Set))
        .arg(flag("maybe").num_args(0..=1))
}

fn numbers() -> Command {
    let parse_size =
        |text: &str| -> Result<u64, String> { text.trim_end_matches('k').parse().map_err(|_| "no size".into()) };
    leaf("run")
        .arg(option("byte").value_parser(value_parser!(u8)))
        .arg(option("level").value_parser(value_parser!(u8).range(1..=3)))
        .arg(option("open").value_parser(value_parser!(u16).range(1024..)))
        .arg(option("port").value_parser(3000..4000))
        .arg(option("delta").value_parser(value_parser!(i64)).allow_negative_numbers(true))
        .arg(option("below").value_parser(value_parser!(i32).range(-5..0)))
        .arg(option("big").value_parser(value_parser!(u64)))
        .arg(option("biggest").value_parser(value_parser!(u64).range(7..)))
        .arg(option("size").value_parser(value_parser!(usize)))
        .arg(option("wide").value_parser(value_parser!(u128)))
        .arg(option("some").value_parser(value_parser!(NonZeroU8)))
        .arg(option("ratio").value_parser(value_parser!(f64)))
        .arg(option("units").value_parser(parse_size))
        .arg(option("even").value_parser(value_parser!(u8).try_map(|n| if n % 2 == 0 { Ok(n) } else { Err("odd") })))
}

fn booleans() -> Command {
    let custom = |text: &str| -> Result<bool, String> { Ok(text == "ja") };
    leaf("run")
        .arg(option("plain").value_parser(value_parser!(bool)))
        .arg(option("boolish").value_parser(BoolishValueParser::new()))
        .arg(option("falsey").value_parser(FalseyValueParser::new()))
        .arg(option("maybe").value_parser(value_parser!(bool)).num_args(0..=1).default_missing_value("true"))
        .arg(option("custom").value_parser(custom))
}

fn choices() -> Command {
    let values = [
        PossibleValue::new("fast").alias("quick").help("Skips checks"),
        PossibleValue::new("slow"),
        PossibleValue::new("debug").hide(true),
    ];
    leaf("run")
        .arg(option("mode").value_parser(values.clone()).default_value("debug"))
        .arg(option("case").value_parser(["Red", "Blue"]).ignore_case(true).default_value("Red"))
        .arg(option("many").value_parser(values).action(ArgAction::Append))
        .arg(option("threads").value_parser(PossibleValuesParser::new(["1", "2"]).map(|n| n.parse::<u8>().unwrap())))
}

fn optional_values() -> Command {
    leaf("run")
        .arg(
            option("color")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("always")
                .value_parser(["auto", "always"]),
        )
        .arg(option("depth").num_args(0..=1).value_parser(value_parser!(u8)))
        .arg(option("note").num_args(0..=1))
}

fn lists() -> Command {
    leaf("run")
        .arg(option("labels").value_delimiter(','))
        .arg(option("point").num_args(2).value_parser(value_parser!(i32)).allow_negative_numbers(true))
        .arg(option("files").num_args(1..).value_parser(value_parser!(PathBuf)))
        .arg(option("any").num_args(0..))
        .arg(option("include").action(ArgAction::Append).required(true))
        .arg(option("pairs").num_args(2).action(ArgAction::Append))
        .arg(option("until").num_args(1..).value_terminator(";"))
}

fn positionals() -> [Command; 5] {
    [
        leaf("copy").arg(Arg::new("source").required(true)).arg(Arg::new("dest").required(true)).arg(Arg::new("mode")),
        leaf("combine").arg(Arg::new("target").required(true)).arg(Arg::new("inputs").num_args(1..).required(true)),
        leaf("pass").arg(Arg::new("target").required(true)).arg(Arg::new("rest").num_args(0..).last(true)),
        leaf("exec")
            .arg(Arg::new("argv").num_args(1..).required(true).trailing_var_arg(true).allow_hyphen_values(true)),
        leaf("env").arg(Arg::new("vars").action(ArgAction::Append)),
    ]
}

fn texts_and_paths() -> Command {
    leaf("run")
        .arg(option("text"))
        .arg(option("full").value_parser(NonEmptyStringValueParser::new()))
        .arg(option("os").value_parser(value_parser!(OsString)))
        .arg(option("path").value_parser(value_parser!(PathBuf)))
        .arg(option("hinted").value_hint(ValueHint::DirPath))
        .arg(option("url").value_hint(ValueHint::Url))
        .arg(option("dashes").allow_hyphen_values(true))
}

fn property_names() -> [Command; 3] {
    let long = "a-long-option-name-that-goes-on-and-on-until-it-is-over-sixty-four-characters";
    [
        leaf("kinds")
            .arg(Arg::new("exit_on_error").long("no-errexit").action(ArgAction::SetTrue))
            .arg(Arg::new("extract").short('x').action(ArgAction::SetTrue))
            .arg(option("tint").visible_alias("kind").alias("secret-alias").short('t').visible_short_alias('T'))
            .arg(Arg::new("in put")),
        leaf("clash")
            .arg(Arg::new("name"))
            .arg(Arg::new("username").long("name"))
            .arg(Arg::new("dry_run").index(2))
            .arg(flag("dry-run"))
            .arg(Arg::new("lower").short('n'))
            .arg(option("other").visible_alias("name2").short('o')),
        leaf("odd")
            .arg(Arg::new("long").long(long))
            .arg(Arg::new("unicode").long("größe"))
            .arg(Arg::new("dot").long("a.b")),
    ]
}

fn defaults() -> Command {
    leaf("run")
        .add(read_only())
        .arg(option("limit").value_parser(value_parser!(u32)).default_value("50"))
        .arg(option("list").num_args(1..).default_values(["a", "b c"]))
        .arg(option("empty").default_value(""))
        .arg(option("unseen").default_value("x").hide_default_value(true))
        .arg(option("region").env("FACADE_TEST_REGION").default_value("eu"))
        .arg(option("password").add(secret()).default_value("hunter2"))
        .arg(flag("on"))
        .arg(option("ratio").value_parser(value_parser!(f64)).default_value("1.50"))
}

fn constraints() -> [Command; 6] {
    let abc = || leaf("at-most-one").args([option("a"), option("b"), option("c")]);
    [
        abc().group(ArgGroup::new("g").args(["a", "b", "c"])),
        abc().name("exactly-one").group(ArgGroup::new("g").args(["a", "b"]).required(true)),
        abc().name("at-least-one").group(ArgGroup::new("g").args(["a", "b"]).required(true).multiple(true)),
        abc().name("noise").group(ArgGroup::new("Args").args(["a", "b", "c"]).multiple(true)),
        abc()
            .name("conflicts")
            .mut_arg("a", |a| a.conflicts_with_all(["b", "c"]))
            .mut_arg("c", |c| c.conflicts_with("b")),
        abc()
            .name("withheld")
            .mut_arg("a", |a| a.conflicts_with("b").hide(true))
            .mut_arg("b", |b| b.env("FACADE_TEST_B"))
            .group(ArgGroup::new("g").args(["a", "b"]).required(true)),
    ]
}

fn waived_requirements() -> [Command; 3] {
    let id = || Arg::new("id").required(true);
    [
        leaf("conflict").arg(id()).arg(flag("all").conflicts_with("id")),
        leaf("exclusive").arg(id()).arg(flag("list").exclusive(true)).arg(option("x")),
        leaf("environment").arg(id().env("FACADE_TEST_ID")),
    ]
}

fn help_texts() -> Command {
    leaf("run")
        .about("Runs it\nover two lines")
        .long_about("Runs it\nover two lines\n\nAnd says more about that.")
        .arg(option("short").help("Short."))
        .arg(option("long").long_help("First paragraph\r\nwräpped.\r\n\r\nSecond paragraph."))
        .arg(option("both").help("Short.").long_help("Short.\n\nAnd long."))
        .arg(option("none"))
        .arg(option("same").help("Same.").long_help("Same."))
}

/// Options that every command repeats, without `global`.
fn cargo_like() -> Command {
    let common = || {
        [
            Arg::new("jobs").short('j').long("jobs").value_parser(value_parser!(u16).range(1..)),
            option("config").action(ArgAction::Append),
            Arg::new("profile-name").long("profile"),
            option("features").short('F').value_delimiter(' ').action(ArgAction::Append),
        ]
    };
    group("cargo").subcommand(leaf("build").visible_alias("b").args(common())).subcommand(
        leaf("run")
            .args(common())
            .arg(Arg::new("args").num_args(0..).trailing_var_arg(true).value_parser(value_parser!(OsString))),
    )
}
