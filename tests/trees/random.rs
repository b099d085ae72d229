//! Random clap trees of every shape, described as data so that failures shrink and print.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, ArgGroup, Command, value_parser};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// One command of a random tree.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    options: Vec<Option_>,
    positionals: Layout,
    relations: Vec<Relation>,
    quirks: Vec<Quirk>,
    flag: Option<FlagName>,
    children: Vec<Node>,
}

#[derive(Clone, Debug)]
struct Option_ {
    spelled: Spelled,
    shape: Shape,
    value: Value_,
    dashes: Dashes,
    extra: Extra,
    global: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Spelled {
    Long,
    Short,
    Both,
    /// A long name that is not the id, and an alias.
    Renamed,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    SetTrue,
    SetFalse,
    Count,
    Set,
    SetEquals,
    Optional,
    OptionalEquals,
    Append,
    Delimited,
    DelimitedAppend,
    DelimitedTwo,
    Two,
    TwoAppend,
    OneOrMore,
    OneToThree,
    AnyNumber,
    Terminated,
    EqualsList,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Value_ {
    Text,
    Integer,
    Small,
    Boolean,
    Float,
    Choice,
    AnyCase,
    Path,
    Os,
    /// A parser of the author's own, which takes texts without `%`.
    Own,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Dashes {
    Refused,
    Allowed,
    Negative,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Extra {
    Nothing,
    Default,
    Environment,
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Layout {
    None,
    Required,
    Optional,
    RequiredOptional,
    RequiredMany,
    Many,
    ManyRequired,
    Two,
    Appended,
    Delimited,
    DelimitedMany,
    RequiredLast,
    OptionalLastOne,
    Trailing,
    RequiredTrailing,
    Dashed,
    NegativeMany,
    TerminatedThen,
    EscapeTerminatedLast,
    OptionalRequired,
}

#[derive(Clone, Debug)]
enum Relation {
    Conflicts(usize, usize),
    Requires(usize, usize),
    Unless(usize, usize),
    Exclusive(usize),
    Overrides(usize, usize),
    Required(usize),
    Group { members: Vec<usize>, multiple: bool, required: bool },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Quirk {
    RunsByItself,
    InferSubcommands,
    InferLongs,
    NegatesRequirements,
    ArgsConflict,
    External,
    ElseHelp,
    OverridesItself,
    Precedence,
    UndelimitedTrailing,
    /// At the root alone.
    Multicall,
    /// At the root alone.
    NoProgramName,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum FlagName {
    Short,
    Long,
}

/// A random tree that passes clap's own checks.
pub(crate) fn tree() -> impl Strategy<Value = Node> {
    let leaf = (node(Just(vec![])), Just(())).prop_map(|(node, ())| node).boxed();
    let middle = node(vec(leaf.clone(), 1..3)).boxed();
    let children = vec(prop_oneof![2 => leaf, 1 => middle], 0..4);
    node(children).prop_filter("clap's own checks", |node| {
        let command = node.command();
        catch_unwind(AssertUnwindSafe(|| command.debug_assert())).is_ok()
    })
}

fn node(children: impl Strategy<Value = Vec<Node>>) -> impl Strategy<Value = Node> {
    (
        vec(option(), 0..5),
        weighted(0.6, layout()),
        weighted(0.5, vec(relation(), 1..3)),
        subsequence(QUIRKS.to_vec(), 0..3),
        weighted(0.2, select(vec![FlagName::Short, FlagName::Long])),
        children,
    )
        .prop_map(|(options, layout, relations, quirks, flag, children)| Node {
            options,
            positionals: layout.unwrap_or(Layout::None),
            relations: relations.unwrap_or_default(),
            quirks,
            flag,
            children,
        })
}

const QUIRKS: &[Quirk] = &[
    Quirk::RunsByItself,
    Quirk::InferSubcommands,
    Quirk::InferLongs,
    Quirk::NegatesRequirements,
    Quirk::ArgsConflict,
    Quirk::External,
    Quirk::ElseHelp,
    Quirk::OverridesItself,
    Quirk::Precedence,
    Quirk::UndelimitedTrailing,
    Quirk::Multicall,
    Quirk::NoProgramName,
];

fn option() -> impl Strategy<Value = Option_> {
    use Shape::*;
    let shapes = vec![
        SetTrue,
        SetTrue,
        SetFalse,
        Count,
        Set,
        Set,
        Set,
        SetEquals,
        Optional,
        OptionalEquals,
        Append,
        Append,
        Delimited,
        DelimitedAppend,
        DelimitedTwo,
        Two,
        TwoAppend,
        OneOrMore,
        OneToThree,
        AnyNumber,
        Terminated,
        EqualsList,
    ];
    (
        select(vec![Spelled::Long, Spelled::Long, Spelled::Short, Spelled::Both, Spelled::Renamed]),
        select(shapes),
        value(),
        dashes(),
        prop_oneof![
            6 => Just(Extra::Nothing),
            1 => Just(Extra::Default),
            1 => Just(Extra::Environment),
            1 => Just(Extra::Hidden),
        ],
        prop::bool::weighted(0.1),
    )
        .prop_map(|(spelled, shape, value, dashes, extra, global)| Option_ {
            spelled,
            shape,
            value,
            dashes,
            extra,
            global,
        })
}

fn value() -> impl Strategy<Value = Value_> {
    use Value_::*;
    select(vec![Text, Text, Text, Integer, Small, Boolean, Float, Choice, AnyCase, Path, Os, Own])
}

fn dashes() -> impl Strategy<Value = Dashes> {
    select(vec![Dashes::Refused, Dashes::Refused, Dashes::Allowed, Dashes::Negative])
}

fn layout() -> impl Strategy<Value = Layout> {
    use Layout::*;
    select(vec![
        None,
        Required,
        Optional,
        RequiredOptional,
        RequiredMany,
        Many,
        ManyRequired,
        Two,
        Appended,
        Delimited,
        DelimitedMany,
        RequiredLast,
        OptionalLastOne,
        Trailing,
        RequiredTrailing,
        Dashed,
        NegativeMany,
        TerminatedThen,
        EscapeTerminatedLast,
        OptionalRequired,
    ])
}

fn relation() -> impl Strategy<Value = Relation> {
    let at = 0..5_usize;
    prop_oneof![
        (at.clone(), at.clone()).prop_map(|(a, b)| Relation::Conflicts(a, b)),
        (at.clone(), at.clone()).prop_map(|(a, b)| Relation::Requires(a, b)),
        (at.clone(), at.clone()).prop_map(|(a, b)| Relation::Unless(a, b)),
        at.clone().prop_map(Relation::Exclusive),
        (at.clone(), at.clone()).prop_map(|(a, b)| Relation::Overrides(a, b)),
        at.clone().prop_map(Relation::Required),
        (vec(at, 1..4), any::<bool>(), any::<bool>()).prop_map(|(members, multiple, required)| Relation::Group {
            members,
            multiple,
            required
        }),
    ]
}

impl Node {
    /// Builds the clap tree that this describes.
    pub(crate) fn command(&self) -> Command {
        let root = self.build("app".into(), 0);
        let bare = self.options.is_empty() && self.positionals == Layout::None;
        let root = if self.quirks.contains(&Quirk::Multicall) && !self.children.is_empty() && bare {
            return root.multicall(true);
        } else {
            root.no_binary_name(self.quirks.contains(&Quirk::NoProgramName))
        };
        let switch = |name: &'static str| Arg::new(name).long(name).global(true).action(ArgAction::SetTrue);
        let most = Arg::new("max_changes").long("max-changes").value_parser(value_parser!(u32).range(1..));
        root.args([switch("agent"), switch("yes"), most.global(true)])
    }

    /// Takes away what makes one param depend on another, or on how the command is called.
    pub(crate) fn without_relations(mut self) -> Self {
        self.relations.clear();
        if matches!(self.positionals, Layout::Trailing | Layout::Dashed) {
            // clap reads `-n=value` as such a positional, so an option that needs both can't be given at all.
            self.options.iter_mut().for_each(|option| option.spelled = Spelled::Long);
        }
        self.quirks.retain(|quirk| !matches!(quirk, Quirk::ArgsConflict | Quirk::ElseHelp));
        self.children = self.children.into_iter().map(Self::without_relations).collect();
        self
    }

    /// Takes away what changes the params and stands in no help, beside relations.
    pub(crate) fn told_by_help(self) -> Self {
        let mut node = self.without_relations();
        if node.positionals == Layout::TerminatedThen {
            // Of two lists only the terminator tells the end of the first.
            node.positionals = Layout::Many;
        }
        // Hidden options alone make a root run by itself.
        if node.options.iter().all(|option| option.extra == Extra::Hidden) {
            node.options.clear();
        }
        // An option without a long name may be a gate by its id, which no help shows.
        node.options
            .iter_mut()
            .filter(|option| option.spelled == Spelled::Short)
            .for_each(|option| option.spelled = Spelled::Both);
        let runs = node.children.is_empty() || node.quirks.contains(&Quirk::RunsByItself);
        node.quirks.retain(|quirk| match quirk {
            // Subcommands beside it hide that any other is taken too.
            Quirk::External => node.children.is_empty(),
            // Two usage lines do not tell whether the command runs without a subcommand.
            Quirk::NegatesRequirements => runs,
            Quirk::Multicall | Quirk::NoProgramName => false,
            _ => true,
        });
        node.children = node.children.into_iter().map(Self::told_by_help).collect();
        node
    }

    fn build(&self, name: String, depth: usize) -> Command {
        let mut options: Vec<Arg> =
            self.options.iter().enumerate().map(|(at, option)| option.build(depth, at)).collect();
        let ids: Vec<String> = options.iter().map(|arg| arg.get_id().to_string()).collect();
        let mut groups = Vec::new();
        for (number, relation) in self.relations.iter().enumerate() {
            relation.apply(number, &ids, &mut options, &mut groups);
        }
        let mut command = Command::new(name.clone()).args(options).groups(groups).args(self.positionals.args());
        if self.positionals == Layout::OptionalRequired {
            command = command.allow_missing_positional(true);
        }
        let runs = self.children.is_empty() || self.quirks.contains(&Quirk::RunsByItself);
        command = command.subcommand_required(!runs);
        for quirk in &self.quirks {
            command = match quirk {
                Quirk::InferSubcommands => command.infer_subcommands(true),
                Quirk::InferLongs => command.infer_long_args(true),
                Quirk::NegatesRequirements => command.subcommand_negates_reqs(true),
                Quirk::ArgsConflict if depth > 0 => command.args_conflicts_with_subcommands(true),
                Quirk::External if depth > 0 && self.positionals.leaves_room() => {
                    command.allow_external_subcommands(true).external_subcommand_value_parser(value_parser!(OsString))
                }
                Quirk::ElseHelp => command.arg_required_else_help(true),
                Quirk::OverridesItself => command.args_override_self(true),
                Quirk::Precedence => command.subcommand_precedence_over_arg(true),
                Quirk::UndelimitedTrailing => command.dont_delimit_trailing_values(true),
                _ => command,
            };
        }
        let words =
            [["list", "show", "list-all", "add"], ["get", "set", "get-all", "lis"], ["up", "down", "start", "s"]];
        for (at, child) in self.children.iter().enumerate() {
            let word = words[depth.min(2)][at % 4];
            let mut sub = child.build(word.into(), depth + 1).visible_alias(format!("{word}x"));
            sub = match child.flag {
                Some(FlagName::Short) => sub.short_flag(char::from(b'S' + at as u8)),
                Some(FlagName::Long) => sub.long_flag(format!("do-{word}")),
                None => sub,
            };
            command = command.subcommand(sub);
        }
        command
    }
}

impl Option_ {
    fn build(&self, depth: usize, at: usize) -> Arg {
        const LONGS: [[&str; 5]; 4] = [
            ["name", "tag_list", "dry-run", "output", "limit"],
            ["names", "tags", "no-cache", "out", "limits"],
            ["title", "label", "no-color", "file", "size"],
            ["kind", "mark", "quick", "dir", "count"],
        ];
        let long = LONGS[depth.min(3)][at];
        let short = char::from(b"abcdeijklmnopqrtuvwxz"[depth.min(3) * 5 + at]);
        let id = match self.spelled {
            Spelled::Renamed => format!("{}_id", long.replace('-', "_")),
            _ => long.replace('-', "_"),
        };
        let arg = Arg::new(id);
        let arg = match self.spelled {
            Spelled::Long => arg.long(long),
            Spelled::Short => arg.short(short),
            Spelled::Both => arg.long(long).short(short),
            Spelled::Renamed => arg.long(long).visible_alias(format!("{long}-alias")),
        };
        let arg = self.shaped(arg);
        // clap refuses a global that is required; relations come later and the check decides.
        let arg = arg.global(self.global).hide(self.extra == Extra::Hidden);
        match self.extra {
            Extra::Environment => arg.env("CLAP_FACADE_SUITE_UNSET"),
            Extra::Default if self.takes_value() => match self.shape {
                Shape::Two | Shape::TwoAppend | Shape::DelimitedTwo => arg,
                _ => arg.default_value(self.value.sample()),
            },
            _ => arg,
        }
    }

    fn takes_value(&self) -> bool {
        !matches!(self.shape, Shape::SetTrue | Shape::SetFalse | Shape::Count)
    }

    fn shaped(&self, arg: Arg) -> Arg {
        let arg = match self.shape {
            Shape::SetTrue => return arg.action(ArgAction::SetTrue),
            Shape::SetFalse => return arg.action(ArgAction::SetFalse),
            Shape::Count => return arg.action(ArgAction::Count),
            Shape::Set => arg.action(ArgAction::Set),
            Shape::SetEquals => arg.require_equals(true),
            Shape::Optional => arg.num_args(0..=1).default_missing_value(self.value.sample()),
            Shape::OptionalEquals => arg.num_args(0..=1).require_equals(true),
            Shape::Append => arg.action(ArgAction::Append),
            Shape::Delimited => arg.value_delimiter(','),
            Shape::DelimitedAppend => arg.value_delimiter(',').action(ArgAction::Append),
            Shape::DelimitedTwo => arg.value_delimiter(',').num_args(2),
            Shape::Two => arg.num_args(2),
            Shape::TwoAppend => arg.num_args(2).action(ArgAction::Append),
            Shape::OneOrMore => arg.num_args(1..),
            Shape::OneToThree => arg.num_args(1..=3),
            Shape::AnyNumber => arg.num_args(0..),
            Shape::Terminated => arg.num_args(1..).value_terminator(";"),
            Shape::EqualsList => arg.num_args(1..).require_equals(true).value_delimiter(','),
        };
        self.dashes.apply(self.value.apply(arg))
    }
}

impl Value_ {
    fn apply(self, arg: Arg) -> Arg {
        let choices = [
            PossibleValue::new("fast"),
            PossibleValue::new("slow").alias("lazy").help("takes its time"),
            PossibleValue::new("10"),
            PossibleValue::new("secret-mode").hide(true),
        ];
        match self {
            Self::Text => arg,
            Self::Integer => arg.value_parser(value_parser!(i64)),
            Self::Small => arg.value_parser(value_parser!(u8).range(1..=10)),
            Self::Boolean => arg.value_parser(value_parser!(bool)),
            Self::Float => arg.value_parser(value_parser!(f64)),
            Self::Choice => arg.value_parser(choices),
            Self::AnyCase => arg.value_parser(choices).ignore_case(true),
            Self::Path => arg.value_parser(value_parser!(PathBuf)),
            Self::Os => arg.value_parser(value_parser!(OsString)),
            Self::Own => arg.value_parser(
                clap::builder::NonEmptyStringValueParser::new()
                    .try_map(|text| if text.contains('%') { Err("holds a percent sign") } else { Ok(text.len()) }),
            ),
        }
    }

    fn sample(self) -> &'static str {
        match self {
            Self::Integer | Self::Small | Self::Float => "5",
            Self::Boolean => "true",
            Self::Choice | Self::AnyCase => "fast",
            Self::Text | Self::Path | Self::Os | Self::Own => "auto",
        }
    }
}

impl Dashes {
    fn apply(self, arg: Arg) -> Arg {
        match self {
            Self::Refused => arg,
            Self::Allowed => arg.allow_hyphen_values(true),
            Self::Negative => arg.allow_negative_numbers(true),
        }
    }
}

impl Layout {
    /// Tells whether clap ever comes to an external command behind these.
    fn leaves_room(self) -> bool {
        matches!(self, Self::None | Self::Required | Self::Optional | Self::RequiredOptional | Self::Dashed)
    }

    fn args(self) -> Vec<Arg> {
        let first = Arg::new("SOURCE");
        let second = Arg::new("target");
        match self {
            Self::None => vec![],
            Self::Required => vec![first.required(true)],
            Self::Optional => vec![first],
            Self::RequiredOptional => vec![first.required(true), second.value_parser(value_parser!(i64))],
            Self::RequiredMany => vec![first.required(true), second.num_args(1..)],
            Self::Many => vec![first.num_args(0..)],
            Self::ManyRequired => vec![first.required(true).num_args(1..), second.required(true)],
            Self::Two => vec![first.num_args(2)],
            Self::Appended => vec![first.action(ArgAction::Append)],
            Self::Delimited => vec![first.value_delimiter(',')],
            Self::DelimitedMany => vec![first.value_delimiter(',').num_args(1..)],
            Self::RequiredLast => vec![first.required(true), second.num_args(0..).last(true)],
            Self::OptionalLastOne => vec![first, second.last(true)],
            Self::Trailing => vec![first.num_args(1..).trailing_var_arg(true).allow_hyphen_values(true)],
            Self::RequiredTrailing => {
                vec![first.required(true), second.num_args(0..).trailing_var_arg(true).allow_hyphen_values(true)]
            }
            Self::Dashed => vec![first.allow_hyphen_values(true)],
            Self::NegativeMany => {
                vec![first.num_args(1..).value_parser(value_parser!(i64)).allow_negative_numbers(true)]
            }
            Self::TerminatedThen => vec![first.num_args(1..).value_terminator(";"), second.num_args(0..)],
            Self::EscapeTerminatedLast => vec![
                first.required(true).num_args(1..).value_terminator("--"),
                second.num_args(0..).allow_hyphen_values(true).last(true),
            ],
            Self::OptionalRequired => vec![first, second.required(true)],
        }
    }
}

impl Relation {
    fn apply(&self, number: usize, ids: &[String], options: &mut [Arg], groups: &mut Vec<ArgGroup>) {
        let mut change = |at: usize, change: &dyn Fn(Arg) -> Arg| {
            if let Some(option) = options.get_mut(at) {
                *option = change(option.clone());
            }
        };
        match self {
            Self::Conflicts(a, b) if a != b && *b < ids.len() => change(*a, &|arg| arg.conflicts_with(&ids[*b])),
            Self::Requires(a, b) if a != b && *b < ids.len() => change(*a, &|arg| arg.requires(&ids[*b])),
            Self::Unless(a, b) if a != b && *b < ids.len() => change(*a, &|arg| arg.required_unless_present(&ids[*b])),
            Self::Overrides(a, b) if *b < ids.len() => change(*a, &|arg| arg.overrides_with(&ids[*b])),
            Self::Exclusive(a) => change(*a, &|arg| arg.exclusive(true)),
            Self::Required(a) => change(*a, &|arg| arg.required(true)),
            Self::Group { members, multiple, required } => {
                let members: Vec<&String> = members.iter().filter_map(|at| ids.get(*at)).collect();
                if !members.is_empty() {
                    let group = ArgGroup::new(format!("group{number}")).args(members);
                    groups.push(group.multiple(*multiple).required(*required));
                }
            }
            _ => {}
        }
    }
}
