use super::fold::fold_into_key;
use super::item::Item;
use crate::contract::Plan;
use crate::error::CliError;

const UNTELLING: &[&str] = &["a", "an", "the", "on", "of", "der", "die", "das", "le", "la", "les", "el", "un", "une"];

/// A citation key that the library does not have yet: first author and year, like `darwin1859`.
///
/// # Errors
/// When SQLite fails.
pub fn citekey(plan: &Plan, item: &Item) -> Result<String, CliError> {
    let year = item.year().map_or(String::new(), |year| year.unsigned_abs().to_string());
    let stem = format!("{}{year}", name(item));
    let mut key = stem.clone();
    let mut number = 0_u32;
    while plan.find("items", &[("key", key.clone().into())])?.is_some() {
        key = format!("{stem}{}", suffix(number));
        number += 1;
    }
    Ok(key)
}

fn name(item: &Item) -> String {
    let creator = item.creators.first().map(|creator| match creator.literal.as_str() {
        "" => fold_into_key(&creator.family),
        literal => fold_into_key(literal.split_whitespace().next().unwrap_or_default()),
    });
    let telling = |word: &&String| !word.is_empty() && !UNTELLING.contains(&word.as_str());
    let word = || item.title.split_whitespace().map(fold_into_key).collect::<Vec<_>>().iter().find(telling).cloned();
    creator.filter(|name| !name.is_empty()).or_else(word).unwrap_or_else(|| "item".to_owned())
}

/// a, b, … z, aa, ab, …
fn suffix(number: u32) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        rest => format!("{}{letter}", suffix(rest - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes() {
        for (number, text) in [(0, "a"), (25, "z"), (26, "aa"), (51, "az"), (52, "ba"), (701, "zz"), (702, "aaa")] {
            assert_eq!(suffix(number), text);
        }
    }
}
