use crate::model::{fold, squash};
use serde::Serialize;
use std::collections::BTreeMap;

/// One spelling of a person's name, and how many items bear it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Family name, or the whole name of an institution.
    pub family: String,
    /// Given names or initials; empty where there are none.
    pub given: String,
    /// Number of items.
    pub count: u64,
}

/// How a spelling differs from the one to keep, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameVariantKind {
    /// Case, spaces, dots or hyphens.
    Punctuation,
    /// Accents and umlauts: `Müller`, `Muller`, `Mueller`.
    Accent,
    /// Initials or fewer given names: `Knuth, D. E.` for `Knuth, Donald E.`.
    Initials,
    /// Given and family name exchanged.
    Swapped,
    /// One letter of the family name.
    Slip,
}

/// A spelling that seems to mean the same person as another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NameVariant {
    /// The name as stored, family name first.
    pub name: String,
    /// Number of items.
    pub count: u64,
    /// How it differs.
    pub kind: NameVariantKind,
}

/// One person under several spellings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NameGroup {
    /// The spelling to keep: the fullest, then the most used.
    pub keep: String,
    /// Number of items that bear it.
    pub count: u64,
    /// The others.
    pub variants: Vec<NameVariant>,
}

impl Person {
    /// Writes the name with the family name first: `Knuth, Donald E.`.
    pub fn display(&self) -> String {
        if self.given.is_empty() { self.family.clone() } else { format!("{}, {}", self.family, self.given) }
    }
}

/// Groups spellings that seem to mean one person, in the order of the names to keep.
///
/// A short form that fits two people (`Smith, J.` beside `Smith, John` and `Smith, Jane`) is left out.
pub fn group_people(people: &[Person]) -> Vec<NameGroup> {
    let mut fullest: Vec<&Person> = people.iter().collect();
    fullest.sort_by_key(|p| {
        (std::cmp::Reverse(fullness(p)), std::cmp::Reverse(p.count), p.family.clone(), p.given.clone())
    });
    let mut groups: Vec<(&Person, Vec<NameVariant>)> = Vec::new();
    for person in fullest {
        let mut homes: Vec<(NameVariantKind, usize)> =
            groups.iter().enumerate().filter_map(|(index, (kept, _))| Some((compare(kept, person)?, index))).collect();
        homes.sort();
        match homes[..] {
            [(kind, index)] => groups[index].1.push(variant(person, kind)),
            [(kind, index), (next, _), ..] if kind < next && kind <= NameVariantKind::Accent => {
                groups[index].1.push(variant(person, kind));
            }
            [] => groups.push((person, Vec::new())),
            _ => {}
        }
    }
    let by_name: BTreeMap<String, NameGroup> = groups
        .into_iter()
        .filter(|(_, variants)| !variants.is_empty())
        .map(|(kept, variants)| (kept.display(), NameGroup { keep: kept.display(), count: kept.count, variants }))
        .collect();
    by_name.into_values().collect()
}

fn variant(person: &Person, kind: NameVariantKind) -> NameVariant {
    NameVariant { name: person.display(), count: person.count, kind }
}

/// Counts the letters of the given names, and prefers accents to their absence.
fn fullness(person: &Person) -> (usize, usize) {
    let letters = person.given.chars().filter(|c| c.is_alphabetic()).count();
    (letters, person.family.chars().filter(|c| !c.is_ascii()).count())
}

fn compare(kept: &Person, other: &Person) -> Option<NameVariantKind> {
    let (family, given) = (fold(&kept.family), fold(&kept.given));
    let (other_family, other_given) = (fold(&other.family), fold(&other.given));
    if plain(&family) == plain(&other_family) {
        let accents = |p: &Person| marks(&p.family) + &marks(&p.given);
        return match (plain(&given) == plain(&other_given), fits(&given, &other_given)) {
            (true, _) if family == other_family && accents(kept) == accents(other) => {
                Some(NameVariantKind::Punctuation)
            }
            (true, _) => Some(NameVariantKind::Accent),
            (false, true) => Some(NameVariantKind::Initials),
            (false, false) => None,
        };
    }
    if !given.is_empty() && plain(&family) == plain(&other_given) && plain(&given) == plain(&other_family) {
        return Some(NameVariantKind::Swapped);
    }
    let one_letter = family.chars().count() >= 6 && strsim::osa_distance(&plain(&family), &plain(&other_family)) == 1;
    // An initial beside a slip would be two guesses at once.
    (one_letter && given.chars().count() > 2 && given == other_given).then_some(NameVariantKind::Slip)
}

/// Tells whether the fewer or shorter given names can stand for the others, in order.
fn fits(full: &str, short: &str) -> bool {
    let (full, short): (Vec<&str>, Vec<&str>) = (full.split_whitespace().collect(), short.split_whitespace().collect());
    !short.is_empty()
        && short.len() <= full.len()
        && full.iter().zip(&short).all(|(f, s)| {
            let initial = s.chars().count() == 1 || f.chars().count() == 1;
            plain(f) == plain(s) || initial && f.chars().next() == s.chars().next()
        })
}

/// The letters alone, with the written-out umlauts shortened.
fn plain(folded: &str) -> String {
    folded.replace(' ', "").replace("ue", "u").replace("oe", "o").replace("ae", "a")
}

/// The letters that carry a mark.
fn marks(name: &str) -> String {
    squash(name).to_lowercase().chars().filter(|c| c.is_alphabetic() && !c.is_ascii()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use NameVariantKind::*;

    fn person(name: &str, count: u64) -> Person {
        let (family, given) = name.split_once(", ").unwrap_or((name, ""));
        Person { family: family.into(), given: given.into(), count }
    }

    #[test]
    fn each_kind_of_spelling_is_found_and_named() {
        for (keep, other, kind) in [
            ("Knuth, Donald E.", "Knuth, Donald E", Punctuation),
            ("van Rossum, Guido", "Van Rossum, Guido", Punctuation),
            ("Müller, Anna", "Mueller, Anna", Accent),
            ("Müller, Anna", "Muller, Anna", Accent),
            ("Gödel, Kurt", "Godel, Kurt", Accent),
            ("Knuth, Donald E.", "Knuth, D. E.", Initials),
            ("Knuth, Donald E.", "Knuth, Donald", Initials),
            ("Turing, Alan", "Alan, Turing", Swapped),
            ("Dijkstra, Edsger", "Dijsktra, Edsger", Slip),
        ] {
            let groups = group_people(&[person(other, 1), person(keep, 2)]);
            assert_eq!(groups.len(), 1, "{keep} / {other}");
            let names = [groups[0].keep.as_str(), groups[0].variants[0].name.as_str()];
            assert!(names.contains(&keep) && names.contains(&other), "{groups:?}");
            assert_eq!(groups[0].variants[0].kind, kind, "{keep} / {other}");
        }
    }

    #[test]
    fn different_people_stay_apart() {
        for (a, b) in [
            ("Smith, John", "Smith, Jane"),
            ("Smith, John", "Smyth, J."),
            ("Smith, J.", "Jones, J."),
            ("Smith", "Smith, John"),
            ("World Health Organization", "World Trade Organization"),
        ] {
            assert_eq!(group_people(&[person(a, 1), person(b, 1)]), [], "{a} / {b}");
        }
    }

    #[test]
    fn a_short_form_of_two_people_belongs_to_neither() {
        let people = [person("Smith, J.", 4), person("Smith, John", 1), person("Smith, Jane", 1)];
        assert_eq!(group_people(&people), []);
    }

    #[test]
    fn the_fullest_spelling_is_kept() {
        let people = [person("Knuth, D.", 9), person("Knuth, Donald E.", 1), person("Knuth, D. E.", 5)];
        let groups = group_people(&people);
        assert_eq!((groups[0].keep.as_str(), groups[0].variants.len()), ("Knuth, Donald E.", 2));
    }
}
