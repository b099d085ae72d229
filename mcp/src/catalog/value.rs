//! What one clap arg takes: its kind, and the type of its values.

use super::{BaseType, Choice, ParamKind, Repeat, ValueType, quiet, text};
use crate::annotate::MayRepeat;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command, ValueHint};
use std::any::TypeId;
use std::error::Error;
use std::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize, ParseFloatError, ParseIntError,
};
use std::path::PathBuf;

/// Reads the kind of an arg of a built command.
pub(super) fn kind(arg: &Arg) -> ParamKind {
    let (min, max) = arg.get_num_args().map_or((1, 1), |range| (range.min_values(), range.max_values()));
    let several = matches!(arg.get_action(), ArgAction::Append) || max > 1 || arg.get_value_delimiter().is_some();
    match arg.get_action() {
        ArgAction::Count => ParamKind::Count,
        _ if max == 0 => ParamKind::Switch,
        _ if several => ParamKind::Many { item: value_type(arg), repeat: repeat(arg, min, max) },
        _ if min == 0 && !arg.is_positional() => {
            ParamKind::Optional { value: value_type(arg), require_equals: arg.is_require_equals_set() }
        }
        _ => ParamKind::One(value_type(arg)),
    }
}

fn repeat(arg: &Arg, min: usize, max: usize) -> Repeat {
    Repeat {
        append: matches!(arg.get_action(), ArgAction::Append),
        min,
        max,
        delimiter: arg.get_value_delimiter(),
        terminator: arg.get_value_terminator().map(ToString::to_string),
        require_equals: arg.is_require_equals_set(),
        one_or_more: max == 1 && arg.get::<MayRepeat>().is_some(),
    }
}

/// Reads the type of an arg's values.
fn value_type(arg: &Arg) -> ValueType {
    let parser = arg.get_value_parser();
    let boolean = parser.type_id() == TypeId::of::<bool>() && takes_true_and_false(arg);
    let choices = if boolean { Vec::new() } else { choices(arg) };
    let base = if boolean {
        BaseType::Boolean
    } else if choices.is_empty() {
        number(parser).unwrap_or(BaseType::String)
    } else {
        BaseType::String
    };
    let hinted = matches!(
        arg.get_value_hint(),
        ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath | ValueHint::ExecutablePath
    );
    ValueType {
        base,
        choices,
        ignore_case: arg.is_ignore_case_set(),
        allow_hyphen: arg.is_allow_hyphen_values_set(),
        allow_negative: arg.is_allow_negative_numbers_set(),
        path: hinted || parser.type_id() == TypeId::of::<PathBuf>(),
    }
}

/// clap's three boolean parsers publish exactly these; a parser of one's own publishes nothing.
fn takes_true_and_false(arg: &Arg) -> bool {
    let visible = choices(arg);
    visible.len() == 2 && visible.iter().all(|choice| choice.name == "true" || choice.name == "false")
}

fn choices(arg: &Arg) -> Vec<Choice> {
    arg.get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| Choice {
            name: value.get_name().to_owned(),
            aliases: value.get_name_and_aliases().skip(1).map(str::to_owned).collect(),
            help: value.get_help().map(|help| text::one_line(&help.to_string())).unwrap_or_default(),
        })
        .collect()
}

/// Tells whether a parser reads plain numbers, and in which range.
///
/// The type alone does not say: `fn(&str) -> Result<u64, _>` may read `10k`. clap has no getter for
/// a range either, so the parser itself is asked, with a command of its own.
fn number(parser: &ValueParser) -> Option<BaseType> {
    let float = [TypeId::of::<f64>(), TypeId::of::<f32>()].iter().any(|float| parser.type_id() == *float);
    if float {
        let plain = matches!(Probe::new(parser).ask("x"), Answer::NotANumber);
        return plain.then_some(BaseType::Number);
    }
    let (_, natural) = integers().into_iter().find(|(id, _)| parser.type_id() == *id)?;
    let (min, max) = Probe::new(parser).range(natural)?;
    Some(BaseType::Integer { min, max })
}

/// A throw-away command that has one arg with the parser in question.
struct Probe(Command);

enum Answer {
    Accepted,
    /// Outside the inclusive range that clap names.
    Outside(i128, i128),
    /// Refused by the standard library's own number parser.
    NotANumber,
    Refused,
}

impl Probe {
    fn new(parser: &ValueParser) -> Self {
        let value = Arg::new("value").value_parser(parser.clone()).allow_hyphen_values(true);
        // Its errors are not for anybody: clap spends most of its time on their usage line.
        let command = Command::new("probe").no_binary_name(true).disable_help_flag(true).override_usage("").arg(value);
        Self(command)
    }

    fn range(&mut self, natural: (i128, i128)) -> Option<(i128, i128)> {
        for beyond in [i128::from(i64::MAX), natural.0, natural.1] {
            if let Answer::Outside(min, max) = self.ask(&beyond.to_string()) {
                let known = (min, max) == natural || (self.accepts(min) && self.accepts(max));
                return known.then_some((min, max));
            }
        }
        let plain = matches!(self.ask("x"), Answer::NotANumber) && self.accepts(natural.0) && self.accepts(natural.1);
        let units = ["1k", "1_0", "0x1"].iter().any(|text| matches!(self.ask(text), Answer::Accepted));
        (plain && !units).then_some(natural)
    }

    fn accepts(&mut self, number: i128) -> bool {
        matches!(self.ask(&number.to_string()), Answer::Accepted)
    }

    fn ask(&mut self, text: &str) -> Answer {
        // The parser may be the author's own code.
        let answer = quiet::catch(|| self.0.try_get_matches_from_mut([text]));
        let Ok(answer) = answer else { return Answer::Refused };
        let Err(error) = answer else { return Answer::Accepted };
        let Some(source) = error.source() else { return Answer::Refused };
        if source.is::<ParseIntError>() || source.is::<ParseFloatError>() {
            return Answer::NotANumber;
        }
        outside(&source.to_string()).map_or(Answer::Refused, |(min, max)| Answer::Outside(min, max))
    }
}

/// Reads `7 is not in 1..=3`; the caller checks what it reads against the parser.
fn outside(text: &str) -> Option<(i128, i128)> {
    let (_, range) = text.split_once(" is not in ")?;
    let (min, max) = range.split_once("..")?;
    let max = match max.strip_prefix('=') {
        Some(max) => max.parse().ok()?,
        None => {
            // clap writes an unbounded end as an excluded one.
            let end: i128 = max.parse().ok()?;
            if end == i128::from(i64::MAX) || end == i128::from(u64::MAX) { end } else { end.checked_sub(1)? }
        }
    };
    Some((min.parse().ok()?, max))
}

/// Every integer type with its own range.
fn integers() -> [(TypeId, (i128, i128)); 24] {
    macro_rules! ranges {
        ($($plain:ty, $non_zero:ty => $least:expr;)+) => {
            [$(
                (TypeId::of::<$plain>(), (<$plain>::MIN as i128, i128::try_from(<$plain>::MAX).unwrap_or(i128::MAX))),
                (TypeId::of::<$non_zero>(), ($least, i128::try_from(<$plain>::MAX).unwrap_or(i128::MAX))),
            )+]
        };
    }
    ranges! {
        u8, NonZeroU8 => 1;
        u16, NonZeroU16 => 1;
        u32, NonZeroU32 => 1;
        u64, NonZeroU64 => 1;
        u128, NonZeroU128 => 1;
        usize, NonZeroUsize => 1;
        i8, NonZeroI8 => i8::MIN.into();
        i16, NonZeroI16 => i16::MIN.into();
        i32, NonZeroI32 => i32::MIN.into();
        i64, NonZeroI64 => i64::MIN.into();
        i128, NonZeroI128 => i128::MIN;
        isize, NonZeroIsize => isize::MIN as i128;
    }
}
