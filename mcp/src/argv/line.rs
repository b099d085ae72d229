//! The whole line: what the host sets, the command's words, options at their levels, positionals.

use super::options::{Piece, ShortValues, Tail, pieces};
use super::positionals::positionals;
use crate::catalog::{Injected, Param, ParamKind, Spelling};
use crate::invocation::{Given, Invocation, value_type};
use crate::refusal::Problem;

/// Writes an invocation as the tokens behind the program's name.
///
/// # Errors
/// Every value that the command line can't carry.
pub(super) fn tokens(inject: &[Injected], invocation: &Invocation) -> Result<Vec<String>, Vec<Problem>> {
    let operation = invocation.operation();
    let mut problems = Vec::new();
    let mut line: Vec<String> = inject.iter().map(|injected| injected.token.clone()).collect();
    for (depth, word) in operation.path.iter().enumerate() {
        line.extend(ordered(options(invocation, depth, &mut problems), Follows::Word, &mut problems));
        line.push(word.clone());
    }
    let options = options(invocation, operation.path.len(), &mut problems);
    match positionals(invocation) {
        Ok(positionals) => {
            let external = operation.params.iter().any(|param| param.spelling == Spelling::External)
                && !positionals.before.is_empty();
            let (early, late): (Vec<_>, Vec<_>) = options
                .into_iter()
                .partition(|(_, piece)| external || positionals.before.is_empty() || piece.tail == Tail::Closed);
            let behind = if positionals.behind.is_empty() { Follows::End } else { Follows::Escape };
            let between = match (positionals.before.is_empty(), external) {
                (true, _) => behind,
                (false, _) => Follows::Word,
            };
            line.extend(ordered(early, between, &mut problems));
            line.extend(positionals.before);
            line.extend(ordered(late, behind, &mut problems));
            if !positionals.behind.is_empty() {
                line.push("--".into());
                line.extend(positionals.behind);
            }
        }
        Err(more) => problems.extend(more),
    }
    if problems.is_empty() {
        problems.extend(too_long(invocation, &line));
    }
    if problems.is_empty() { Ok(line) } else { Err(problems) }
}

/// What stands behind the options of a level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follows {
    End,
    Escape,
    Word,
}

fn options<'a>(invocation: &'a Invocation, depth: usize, problems: &mut Vec<Problem>) -> Vec<(&'a Param, Piece)> {
    let short = short_values(invocation, depth);
    let mut options = Vec::new();
    for (param, given) in invocation.values().filter(|(param, _)| param.depth == depth) {
        if matches!(param.spelling, Spelling::Long(_) | Spelling::Short(_)) {
            match pieces(param, given, short) {
                Ok(pieces) => options.extend(pieces.into_iter().map(|piece| (param, piece))),
                Err(problem) => problems.push(*problem),
            }
        }
    }
    options
}

/// Puts occurrences in an order in which none swallows what follows it.
fn ordered(mut options: Vec<(&Param, Piece)>, follows: Follows, problems: &mut Vec<Problem>) -> Vec<String> {
    options.sort_by_key(|(_, piece)| piece.tail);
    let swallowing = match (options.as_slice(), follows) {
        ([.., (_, first), (param, last)], _) if first.tail == Tail::Greedy && last.tail == Tail::Greedy => Some(param),
        ([.., (param, piece)], Follows::Word | Follows::Escape) if piece.tail == Tail::Greedy => Some(param),
        ([.., (param, piece)], Follows::Word) if piece.tail == Tail::Open => Some(param),
        _ => None,
    };
    if let Some(param) = swallowing {
        problems.push(Problem {
            param: param.name.clone(),
            problem: "takes whatever follows it on the command line, so this call can't be told apart".into(),
            expected: Some(match param.kind {
                ParamKind::Optional { .. } => "a value, or the call without it".into(),
                _ => "one item, or the call without it".into(),
            }),
            ..Problem::default()
        });
    }
    options.into_iter().flat_map(|(_, piece)| piece.tokens).collect()
}

fn short_values(invocation: &Invocation, depth: usize) -> ShortValues {
    let is_first = |param: &Param| {
        param.depth == depth && matches!(param.spelling, Spelling::Positional { index: 1, last: false, .. })
    };
    let mut first = invocation.operation().params.iter().filter(|param| is_first(param));
    let takes_dashes = first.any(|param| value_type(&param.kind).is_some_and(|kind| kind.allow_hyphen));
    if takes_dashes { ShortValues::Apart } else { ShortValues::Joined }
}

/// The longest token: Linux refuses to start a program with one of 128 KiB, its final NUL included.
const TOKEN_MAX: usize = 128 * 1024 - 1;
/// The longest line in all: half of the least that Linux and macOS give, for the environment shares it.
const LINE_MAX: usize = 512 * 1024;

fn too_long(invocation: &Invocation, line: &[String]) -> Option<Problem> {
    // Each token costs its pointer and its final NUL as well.
    let total: usize = line.iter().map(|token| token.len() + 9).sum();
    let longest = line.iter().map(String::len).max().unwrap_or_default();
    if total <= LINE_MAX && longest <= TOKEN_MAX {
        return None;
    }
    let size = |given: &Given| match given {
        Given::Value(value) => value.len(),
        Given::Values(values) => values.iter().map(String::len).sum(),
        Given::Present | Given::Times(_) | Given::Bare => 0,
    };
    let (param, given) = invocation.values().max_by_key(|(_, given)| size(given))?;
    Some(Problem {
        param: param.name.clone(),
        problem: format!("{} bytes, more than the operating system passes to a program", size(given)),
        expected: Some(format!("at most {TOKEN_MAX} bytes in one value and {LINE_MAX} in a call")),
        ..Problem::default()
    })
}
