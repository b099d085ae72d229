//! Text into words, and words into stems.

/// The longest word that is looked at, in bytes; nothing that people type as a word is longer.
const WORD_MAX: usize = 48;

/// Returns the words of a text from the CLI: split at punctuation, `-`, `_` and camel humps.
///
/// A compound gives itself in one piece, then its parts (`missing-pdf`: `missingpdf`, `missing`, `pdf`).
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_word(text, |word| found.push(word.to_owned()));
    found
}

/// Calls back with each of the [`words`] of a text.
pub(super) fn each_word(text: &str, mut visit: impl FnMut(&str)) {
    if is_assignment(text) {
        visit(ASSIGNMENT);
    }
    for compound in text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '\'' | '’'))) {
        if compound.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
            if (1..=WORD_MAX).contains(&compound.len()) {
                visit(compound);
            }
            continue;
        }
        let parts: Vec<String> = compound.split(['-', '_']).flat_map(split_humps).collect();
        let whole = (parts.len() > 1).then(|| parts.concat());
        whole.iter().chain(&parts).filter(|word| word.len() <= WORD_MAX).for_each(|word| visit(word));
    }
}

/// Stands for `field=value` as a form, whatever the field: one command shows it, another is asked in it.
pub(super) const ASSIGNMENT: &str = "a=b";

fn is_assignment(text: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let before = text[..at].trim_end_matches(['<', '>', '!', '~']).chars().next_back();
        before.is_some_and(char::is_alphanumeric) && !text[..at].rsplit(' ').next().unwrap_or_default().starts_with('-')
    })
}

/// Returns the start of a text, at most so many bytes, cut between characters.
pub(super) fn start(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Lowers a word's case and drops diacritics and apostrophes: `Müller's` is `muller`.
pub(super) fn fold(word: &str) -> String {
    let word = ["'s", "’s"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let mut folded = String::with_capacity(word.len());
    for c in word.chars().filter(|c| !matches!(c, '\'' | '’')).flat_map(char::to_lowercase) {
        match c {
            'à'..='å' | 'ā' | 'ă' | 'ą' => folded.push('a'),
            'ç' | 'ć' | 'č' => folded.push('c'),
            'è'..='ë' | 'ē' | 'ę' | 'ě' => folded.push('e'),
            'ì'..='ï' | 'ī' => folded.push('i'),
            'ñ' | 'ń' | 'ň' => folded.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => folded.push('o'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => folded.push('u'),
            'ý' | 'ÿ' => folded.push('y'),
            'š' | 'ś' => folded.push('s'),
            'ž' | 'ź' | 'ż' => folded.push('z'),
            'ł' => folded.push('l'),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            c => folded.push(c),
        }
    }
    folded
}

/// Reduces a folded English word to what its forms share: `deletion`, `deleted`, `deletes`: `delet`.
///
/// A stem need not be a word; it only has to be the same for the forms of one word.
pub(super) fn stem(word: &str) -> String {
    if let Ok(at) = IRREGULAR.binary_search_by_key(&word, |(form, _)| form) {
        return stem(IRREGULAR[at].1);
    }
    if word.len() < 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word.to_owned();
    }
    let singular = strip_plural(word);
    if PROTECTED.contains(&singular.as_str()) {
        return singular;
    }
    let mut stem = strip_tense(&singular);
    if !PROTECTED.contains(&stem.as_str()) {
        stem = strip_derivation(&stem);
    }
    if stem.len() > 3 && stem.ends_with('e') && !stem.ends_with("ee") {
        stem.pop();
    }
    stem
}

/// Splits one word at camel humps, keeping a run of capitals with what follows it.
///
/// `maxItems` has two parts; `BibTeX` and `TypeScript` are names.
fn split_humps(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut lower_before = false;
    for c in word.chars() {
        if c.is_uppercase() && lower_before {
            parts.push(String::new());
        }
        lower_before = c.is_lowercase();
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    if word.starts_with(char::is_uppercase) {
        parts = vec![word.to_owned()];
    }
    parts.iter().map(|part| fold(part)).filter(|part| !part.is_empty()).collect()
}

fn strip_plural(word: &str) -> String {
    let keep = |drop: usize, add: &str| format!("{}{add}", &word[..word.len() - drop]);
    if ["ss", "us", "is"].iter().any(|end| word.ends_with(end)) || !word.ends_with('s') {
        word.to_owned()
    } else if word.ends_with("ies") && word.len() > 4 {
        keep(3, "y")
    } else if ["sses", "xes", "ches", "shes", "zzes"].iter().any(|end| word.ends_with(end)) && word.len() > 4 {
        keep(2, "")
    } else {
        keep(1, "")
    }
}

fn strip_tense(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ied").filter(|rest| rest.len() > 1) {
        return format!("{rest}y");
    }
    let Some(rest) = ["ed", "ing"].iter().find_map(|end| word.strip_suffix(end)) else { return word.to_owned() };
    match rest.len() {
        _ if !has_vowel(rest) || word.ends_with("eed") => word.to_owned(),
        0 | 1 => word.to_owned(),
        2 => format!("{rest}e"),
        _ => undouble(rest),
    }
}

/// Endings that make another part of speech: the ending, the letters that must be left, what replaces it.
const DERIVATIONS: &[(&str, usize, &str)] = &[
    ("ification", 3, "ify"),
    ("isation", 3, "iz"),
    ("ization", 3, "iz"),
    ("ation", 3, ""),
    ("ative", 3, ""),
    ("ator", 3, ""),
    ("ition", 3, ""),
    ("tion", 3, "t"),
    ("sion", 3, "s"),
    ("ate", 3, ""),
    ("at", 3, ""),
    ("ement", 5, ""),
    ("ment", 5, ""),
    ("ness", 4, ""),
    ("able", 4, ""),
    ("ible", 4, ""),
    ("ally", 4, ""),
    ("ly", 4, ""),
    ("val", 3, "v"),
    ("sal", 3, "s"),
    ("tor", 3, "t"),
    ("er", 4, ""),
    ("ise", 3, "iz"),
    ("is", 4, "iz"),
    ("our", 3, "or"),
    ("yz", 3, "ys"),
    ("yze", 3, "ys"),
    ("ogue", 3, "og"),
];

/// Words that only look derived.
const PROTECTED: &[&str] = &[
    "binding", "format", "great", "heading", "matter", "nation", "private", "repeat", "setting", "station", "string",
    "treat", "warning",
];

fn strip_derivation(word: &str) -> String {
    let found = DERIVATIONS.iter().find_map(|(end, left, add)| {
        word.strip_suffix(end).filter(|rest| rest.len() >= *left).map(|rest| (rest, *add))
    });
    match found {
        Some((rest, "")) => undouble(rest),
        Some((rest, add)) => format!("{rest}{add}"),
        None => word.to_owned(),
    }
}

/// Forms that no rule reaches, sorted.
const IRREGULAR: &[(&str, &str)] = &[
    ("began", "begin"),
    ("begun", "begin"),
    ("broke", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("children", "child"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("did", "do"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gone", "go"),
    ("got", "get"),
    ("gotten", "get"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("indices", "index"),
    ("kept", "keep"),
    ("lost", "lose"),
    ("made", "make"),
    ("people", "person"),
    ("ran", "run"),
    ("sent", "send"),
    ("shown", "show"),
    ("taken", "take"),
    ("took", "take"),
    ("went", "go"),
    ("written", "write"),
    ("wrote", "write"),
];

fn has_vowel(text: &str) -> bool {
    text.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// `tagg` is `tag`; `add` stays, and so do `fill` and `pass`, whose plain forms are doubled too.
fn undouble(word: &str) -> String {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && bytes.len() > 3 && !matches!(b, b'l' | b's' | b'z' | b'e') => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_share_a_stem() {
        for family in [
            "delete deletes deleted deleting deletion",
            "tag tags tagged tagging",
            "add adds added adding addition",
            "validate validates validated validation validator",
            "create creating creation creator",
            "import imports imported importing importer",
            "query queries querying queried",
            "copy copies copied copying",
            "remove removed removal removing",
            "attach attached attachment attachments",
            "run runs running ran runner",
            "normalise normalize normalised normalization",
            "colour color colours colors",
            "verify verified verification verifies",
            "update updates updated updating",
            "format formats formatted formatting formatter",
            "use used using uses",
            "merge merged merging merges",
            "entry entries",
            "box boxes",
            "file files filed filing",
            "analyse analyze analysing analyzed",
        ] {
            let stems: Vec<_> = family.split(' ').map(stem).collect();
            assert!(stems.iter().all(|s| *s == stems[0]), "{family}: {stems:?}");
        }
    }

    #[test]
    fn different_words_keep_different_stems() {
        for pair in [
            "user use",
            "author auth",
            "global glob",
            "form format",
            "document docu",
            "setting set",
            "tree tre",
            "status stat",
        ] {
            let (a, b) = pair.split_once(' ').unwrap();
            assert_ne!(stem(a), stem(b), "{pair}");
        }
    }

    #[test]
    fn compounds_are_split_and_kept() {
        assert_eq!(words("missing-pdf"), ["missingpdf", "missing", "pdf"]);
        assert_eq!(words("maxItems by_cell"), ["maxitems", "max", "items", "bycell", "by", "cell"]);
        assert_eq!(words("BibTeX, CSL-JSON; Müller's"), ["bibtex", "csljson", "csl", "json", "muller"]);
        assert_eq!(words("year<=1900"), [ASSIGNMENT, "year", "1900"]);
        assert_eq!(words("--year=1900 x = y"), ["year", "1900", "x", "y"]);
        assert_eq!(words("\0--//..''"), Vec::<String>::new());
    }

    #[test]
    fn irregular_forms_are_sorted() {
        assert!(IRREGULAR.is_sorted());
    }
}
