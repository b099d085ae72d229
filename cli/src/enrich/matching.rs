//! Whether two records are the same work.

use crate::formats::{Record, Role};
use crate::model::fold;

/// How well two records fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// From 0 to 1.
    pub score: f64,
    /// What it rests on.
    pub basis: Basis,
}

/// What a match rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The same DOI.
    Doi,
    /// Title, first author and year.
    Likeness,
}

/// The best of some candidates, and which it is; `None` if none has anything in common.
pub fn best_match(wanted: &Record, candidates: &[Record]) -> Option<(Match, usize)> {
    let scored = candidates.iter().enumerate().map(|(index, candidate)| (compare(wanted, candidate), index));
    // Of equals the first: providers put the likelier work first.
    let best = scored.reduce(|best, next| if next.0.score > best.0.score { next } else { best })?;
    (best.0.score > 0.0).then_some(best)
}

/// Compares two records: by DOI where both have one, else by title, first author and year.
///
/// What one of them lacks counts half, so that a title alone is never enough.
pub(super) fn compare(wanted: &Record, candidate: &Record) -> Match {
    if let (Some(left), Some(right)) = (&wanted.doi, &candidate.doi) {
        let score = if left.eq_ignore_ascii_case(right) { 1.0 } else { 0.0 };
        return Match { score, basis: Basis::Doi };
    }
    let score = match (&wanted.title, &candidate.title) {
        (Some(left), Some(right)) => {
            TITLE * title_likeness(left, right)
                + AUTHOR * known(first_author(wanted), first_author(candidate), |a, b| name_likeness(&a, &b))
                + YEAR * known(wanted.year(), candidate.year(), year_likeness)
        }
        _ => 0.0,
    };
    Match { score: (score * 1000.0).round() / 1000.0, basis: Basis::Likeness }
}

const TITLE: f64 = 0.65;
const AUTHOR: f64 = 0.2;
const YEAR: f64 = 0.15;

fn known<T>(left: Option<T>, right: Option<T>, compare: impl Fn(T, T) -> f64) -> f64 {
    match (left, right) {
        (Some(left), Some(right)) => compare(left, right),
        _ => 0.5,
    }
}

fn title_likeness(left: &str, right: &str) -> f64 {
    let whole = strsim::normalized_levenshtein(&fold(left), &fold(right));
    // One of them may have left out the subtitle.
    let (left_main, right_main) = (main_title(left), main_title(right));
    let has_one_subtitle = (left_main.len() < left.len()) != (right_main.len() < right.len());
    let (left_main, right_main) = (fold(left_main), fold(right_main));
    if has_one_subtitle && left_main == right_main && left_main.contains(' ') { whole.max(0.95) } else { whole }
}

fn main_title(title: &str) -> &str {
    title.split([':', ';', '—']).next().unwrap_or(title)
}

fn first_author(record: &Record) -> Option<String> {
    let author = record.creators_as(Role::Author).chain(record.creators_as(Role::Editor)).next()?;
    Some(fold(author.name.sort_name())).filter(|name| !name.is_empty())
}

fn name_likeness(left: &str, right: &str) -> f64 {
    // "von Neumann" and "Neumann", "Alan Turing" and "Turing".
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with(' '));
    if left == right || ends(left, right) || ends(right, left) {
        1.0
    } else if strsim::jaro_winkler(left, right) > 0.92 {
        0.8
    } else {
        0.0
    }
}

/// A year apart is the usual gap between online and in print.
fn year_likeness(left: i32, right: i32) -> f64 {
    match left.abs_diff(right) {
        0 => 1.0,
        1 => 0.6,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Creator, When};

    fn work(title: &str, author: &str, year: i32, doi: &str) -> Record {
        Record {
            title: Some(title.to_owned()),
            creators: if author.is_empty() { vec![] } else { vec![Creator::person(Role::Author, author, "X.")] },
            issued: (year != 0).then(|| When::from_year(year)),
            doi: Some(doi.to_owned()).filter(|doi| !doi.is_empty()),
            ..Record::default()
        }
    }

    #[test]
    fn the_same_work_passes_the_usual_threshold_and_another_does_not() {
        let wanted = work("Über die Quantenmechanik: Eine Einführung", "von Neumann", 1927, "");
        for (title, author, year, doi, same) in [
            ("Uber die Quantenmechanik - eine Einfuhrung", "Neumann", 1927, "10.1000/1", true),
            ("Über die Quantenmechanik", "von Neumann", 1927, "", true),
            ("Über die Quantenmechanik: Eine Einführung", "von Neumann", 1928, "", true),
            ("Über die Quantenmechanik: Eine Einführung", "von Neumann", 0, "", true),
            ("Über die Quantenmechanik: Eine Einführung", "", 1927, "", true),
            ("Über die Quantenmechanik: Eine Einführung", "", 0, "", false),
            ("Über die Quantenmechanik: Eine Einführung", "von Neumann", 1996, "", false),
            ("Über die Quantenmechanik: Eine Einführung", "Heisenberg", 1927, "", false),
            ("Über die Wellenmechanik", "von Neumann", 1927, "", false),
        ] {
            let matched = compare(&wanted, &work(title, author, year, doi));
            assert_eq!(matched.score >= 0.9, same, "{title} {author} {year}: {}", matched.score);
        }
    }

    #[test]
    fn a_doi_decides() {
        let wanted = work("A", "B", 1900, "10.1000/1");
        assert_eq!(
            compare(&wanted, &work("Quite another", "C", 1800, "10.1000/1")),
            Match { score: 1.0, basis: Basis::Doi }
        );
        assert_eq!(compare(&wanted, &work("A", "B", 1900, "10.1000/2")).score, 0.0);
    }

    #[test]
    fn the_best_candidate_wins_and_the_first_of_equals() {
        let wanted = work("On Computable Numbers", "Turing", 1936, "");
        let candidates =
            [work("On Numbers", "Turing", 1936, ""), work("On Computable Numbers", "Turing", 1936, ""), wanted.clone()];
        assert_eq!(best_match(&wanted, &candidates).map(|(_, index)| index), Some(1));
        assert_eq!(best_match(&wanted, &[]), None);
    }
}
