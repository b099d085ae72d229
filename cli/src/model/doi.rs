/// Takes a DOI out of its resolver or prefix, in lower case; `None` if it isn't one.
pub fn normalize_doi(text: &str) -> Option<String> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let start =
        ["https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi.org/", "doi:"]
            .iter()
            .find_map(|prefix| lower.strip_prefix(prefix))
            .unwrap_or(&lower)
            .trim();
    let (registrant, suffix) = start.split_once('/')?;
    let digits = registrant.strip_prefix("10.")?;
    let is_doi = digits.len() >= 4
        && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && !suffix.is_empty()
        && !suffix.contains(char::is_whitespace);
    is_doi.then(|| start.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois_lose_their_resolver() {
        for (text, expected) in [
            ("10.1000/182", "10.1000/182"),
            ("doi:10.1000/182", "10.1000/182"),
            (" DOI: 10.1000/182 ", "10.1000/182"),
            ("doi.org/10.1000/182", "10.1000/182"),
            ("https://doi.org/10.1112/PLMS/S2-42.1.230", "10.1112/plms/s2-42.1.230"),
            ("http://dx.doi.org/10.1002/j.1538-7305.1948.tb01338.x", "10.1002/j.1538-7305.1948.tb01338.x"),
        ] {
            assert_eq!(normalize_doi(text).as_deref(), Some(expected), "{text:?}");
        }
        for text in ["", "10.1000", "10.1/x", "see 10.1000/182", "10.1000/1 82", "11.1000/182", "10.1000/"] {
            assert_eq!(normalize_doi(text), None, "{text:?}");
        }
    }
}
