use crate::model::{fold, squash};
use serde::Serialize;
use std::collections::BTreeMap;

/// A name and how many items bear it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CountedName {
    /// The name as stored.
    pub name: String,
    /// Number of items.
    pub count: u64,
}

/// How a variant differs from the name it should have, surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagVariantKind {
    /// White space alone.
    Space,
    /// Upper and lower case.
    Case,
    /// Hyphens, underscores, dots or accents.
    Punctuation,
    /// Singular and plural.
    Plural,
    /// British and American spelling.
    Spelling,
    /// One letter: perhaps a slip, perhaps another word.
    Slip,
}

impl TagVariantKind {
    /// Tells whether the two names surely mean the same, so that a repair needs no judgement.
    pub fn is_sure(self) -> bool {
        self <= Self::Punctuation
    }

    /// The name used in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Space => "space",
            Self::Case => "case",
            Self::Punctuation => "punctuation",
            Self::Plural => "plural",
            Self::Spelling => "spelling",
            Self::Slip => "slip",
        }
    }
}

/// A name that says the same as another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TagVariant {
    /// The name as stored.
    pub name: String,
    /// Number of items.
    pub count: u64,
    /// How it differs.
    pub kind: TagVariantKind,
}

/// Names that say the same: the one most used, and its variants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TagGroup {
    /// The name to keep.
    pub keep: String,
    /// Number of items that bear it.
    pub count: u64,
    /// The others.
    pub variants: Vec<TagVariant>,
}

impl TagGroup {
    /// The names of the group, the one to keep first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.keep.as_str()).chain(self.variants.iter().map(|variant| variant.name.as_str()))
    }
}

/// Groups names that differ by case, punctuation, number or spelling alone, in the order of their names.
pub fn group_tags(names: &[CountedName]) -> Vec<TagGroup> {
    let mut by_key: BTreeMap<String, Vec<&CountedName>> = BTreeMap::new();
    for name in names {
        by_key.entry(Keys::of(&name.name).spelling).or_default().push(name);
    }
    join_slips(&mut by_key);
    let mut groups: Vec<TagGroup> = by_key.into_values().filter(|names| names.len() > 1).map(group).collect();
    groups.sort_by(|a, b| a.keep.cmp(&b.keep));
    groups
}

fn group(mut names: Vec<&CountedName>) -> TagGroup {
    names.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| untidiness(&a.name).cmp(&untidiness(&b.name))));
    let kept = names[0];
    let keys = Keys::of(&kept.name);
    let variants = names[1..]
        .iter()
        .map(|other| TagVariant {
            name: other.name.clone(),
            count: other.count,
            kind: keys.compare(&Keys::of(&other.name)),
        })
        .collect();
    TagGroup { keep: kept.name.clone(), count: kept.count, variants }
}

/// Orders names of equal use: no stray space, lower case, no underscore, then by the letters.
fn untidiness(name: &str) -> (bool, bool, bool, &str) {
    (squash(name) != name, name.chars().any(char::is_uppercase), name.contains('_'), name)
}

/// Joins groups whose keys are one slip apart; each group joins at most one other, the larger first.
fn join_slips(by_key: &mut BTreeMap<String, Vec<&CountedName>>) {
    let weight = |names: &[&CountedName]| names.iter().map(|n| n.count).sum::<u64>();
    let keys: Vec<String> = by_key.keys().cloned().collect();
    for key in &keys {
        let Some(mine) = by_key.get(key).map(|names| weight(names)) else { continue };
        let target = by_key
            .iter()
            .filter(|(other, names)| *other != key && weight(names) >= mine && is_slip(key, other))
            .max_by_key(|(_, names)| weight(names))
            .map(|(other, _)| other.clone());
        if let Some(target) = target
            && let Some(names) = by_key.remove(key)
        {
            by_key.entry(target).or_default().extend(names);
        }
    }
}

/// Short words and words with digits differ on purpose (`gpt-3`, `gpt-4`), long ones by a slip.
fn is_slip(a: &str, b: &str) -> bool {
    let long = a.chars().count().min(b.chars().count()) >= 7;
    let digits = |s: &str| s.chars().filter(char::is_ascii_digit).collect::<String>();
    long && a.chars().next() == b.chars().next() && digits(a) == digits(b) && strsim::osa_distance(a, b) == 1
}

/// A name at each degree of likeness.
struct Keys {
    space: String,
    case: String,
    bare: String,
    singular: String,
    spelling: String,
}

impl Keys {
    fn of(name: &str) -> Self {
        let space = squash(name);
        let case = space.to_lowercase();
        let folded = fold(name);
        // A name of marks alone folds to nothing: it is only like itself.
        let folded = if folded.is_empty() { case.clone() } else { folded };
        let singular: Vec<String> = folded.split(' ').map(singular).collect();
        let spelling = singular.iter().map(|word| american(word)).collect();
        Self { space, case, bare: folded.replace(' ', ""), singular: singular.concat(), spelling }
    }

    fn compare(&self, other: &Self) -> TagVariantKind {
        if self.space == other.space {
            TagVariantKind::Space
        } else if self.case == other.case {
            TagVariantKind::Case
        } else if self.bare == other.bare {
            TagVariantKind::Punctuation
        } else if self.singular == other.singular {
            TagVariantKind::Plural
        } else if self.spelling == other.spelling {
            TagVariantKind::Spelling
        } else {
            TagVariantKind::Slip
        }
    }
}

fn singular(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 || ["news", "series", "species"].contains(&word) {
        return word.to_owned();
    }
    for (plural, ending) in [
        ("yses", "ysis"),
        ("eses", "esis"),
        ("ies", "y"),
        ("sses", "ss"),
        ("shes", "sh"),
        ("ches", "ch"),
        ("xes", "x"),
        ("ices", "ex"),
    ] {
        if let Some(stem) = word.strip_suffix(plural)
            && stem.len() > 1
        {
            return format!("{stem}{ending}");
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Brings British and American spellings of a word to one form, which need not be a word itself.
fn american(word: &str) -> String {
    let mut word = word.to_owned();
    for (british, american) in [
        ("olour", "olor"),
        ("avour", "avor"),
        ("aviour", "avior"),
        ("abour", "abor"),
        ("umour", "umor"),
        ("ighbour", "ighbor"),
        ("isation", "ization"),
        ("elling", "eling"),
        ("elled", "eled"),
        ("rchaeo", "rcheo"),
        ("alaeo", "aleo"),
        ("aemia", "emia"),
        ("paed", "ped"),
    ] {
        word = word.replace(british, american);
    }
    for (british, american) in [
        ("ise", "ize"),
        ("ised", "ized"),
        ("ising", "izing"),
        ("yse", "yze"),
        ("tre", "ter"),
        ("logue", "log"),
        ("efence", "efense"),
    ] {
        if word.len() > 5
            && let Some(stem) = word.strip_suffix(british)
        {
            word = format!("{stem}{american}");
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(names: &[(&str, u64)]) -> Vec<(String, Vec<(String, TagVariantKind)>)> {
        let names: Vec<_> = names.iter().map(|(n, c)| CountedName { name: (*n).into(), count: *c }).collect();
        group_tags(&names)
            .into_iter()
            .map(|g| (g.keep, g.variants.into_iter().map(|v| (v.name, v.kind)).collect()))
            .collect()
    }

    #[test]
    fn each_kind_of_variant_is_found_and_named() {
        use TagVariantKind::*;
        for (keep, other, kind) in [
            ("deep learning", "deep  learning", Space),
            ("NLP", "nlp", Case),
            ("machine learning", "Machine-Learning", Punctuation),
            ("naïve bayes", "naive bayes", Punctuation),
            ("neural network", "Neural Networks", Plural),
            ("case study", "case studies", Plural),
            ("meta-analysis", "meta-analyses", Plural),
            ("color", "colour", Spelling),
            ("optimization", "optimisation", Spelling),
            ("modeling", "modelling", Spelling),
            ("center", "centre", Spelling),
            ("bibliography", "bibliogaphy", Slip),
            ("attention", "attenTION", Case),
        ] {
            assert_eq!(kinds(&[(keep, 5), (other, 1)]), [(keep.to_owned(), vec![(other.to_owned(), kind)])]);
        }
    }

    #[test]
    fn different_words_stay_apart() {
        for (a, b) in [
            ("gpt-3", "gpt-4"),
            ("web 2000", "web 2001"),
            ("news", "new"),
            ("bus", "bu"),
            ("physics", "physiology"),
            ("cat", "car"),
            ("c", "c++"),
            ("!", "?"),
            ("supervised", "unsupervised"),
        ] {
            assert!(kinds(&[(a, 5), (b, 1)]).is_empty(), "{a} and {b}");
        }
    }

    #[test]
    fn the_most_used_name_is_kept_and_ties_go_to_the_tidier() {
        assert_eq!(kinds(&[("ML", 1), ("ml", 3), ("Ml", 2)])[0].0, "ml");
        assert_eq!(kinds(&[("Deep Learning", 2), ("deep learning", 2), ("deep_learning", 2)])[0].0, "deep learning");
    }

    #[test]
    fn the_order_of_the_names_does_not_matter() {
        let mut names = vec![("colour", 1), ("Color", 1), ("colours", 1), ("bibliography", 2), ("bibliogaphy", 2)];
        let first = kinds(&names);
        names.reverse();
        assert_eq!(kinds(&names), first);
        assert_eq!(first.len(), 2);
    }
}
