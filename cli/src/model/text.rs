use super::fold::fold;

/// Words that say nothing about what a work is about.
const SMALL: &[&str] = &[
    "a", "an", "the", "of", "on", "in", "and", "or", "to", "for", "with", "from", "by", "at", "as", "is", "der", "die",
    "das", "und", "zur", "zum", "von", "le", "la", "les", "de", "des", "du", "et", "el", "y",
];

/// A title as duplicates share it: letters and digits in lower case, without marks and transcription.
pub fn normal_title(title: &str) -> String {
    fold(title).replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// The telling words of a title, each once.
pub fn title_words(title: &str) -> Vec<String> {
    let normal = normal_title(title);
    let mut words: Vec<String> =
        normal.split(' ').filter(|word| word.len() > 1 && !SMALL.contains(word)).map(str::to_owned).collect();
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (left, right) in [
            ("Zur Elektrodynamik bewegter Körper", "Zur Elektrodynamik bewegter Koerper."),
            ("On the Origin of Species", "on the origin of species"),
            ("Erlkönig – Straße", "Erlkoenig: Strasse"),
        ] {
            assert_eq!(normal_title(left), normal_title(right));
        }
        assert_ne!(normal_title("Part 1"), normal_title("Part 2"));
        assert_eq!(title_words("On the Origin of Species"), ["origin", "species"]);
    }
}
