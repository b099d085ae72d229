//! A file of works as a source.

use super::{Source, SourceError, crossref};
use crate::formats::{Format, FormatError, Parsed, Record};
use crate::model::fold;
use std::collections::HashMap;

/// The works of a file: Crossref's JSON, CSL-JSON (both also one a line), BibTeX or RIS.
#[derive(Clone, Debug)]
pub struct FileSource {
    name: String,
    works: Vec<Record>,
    by_doi: HashMap<String, usize>,
    by_word: HashMap<String, Vec<usize>>,
}

impl FileSource {
    /// Reads a text; the name is what proposals cite.
    ///
    /// # Errors
    /// With line and field of what can't be read.
    pub fn parse(name: &str, text: &str) -> Result<Self, FormatError> {
        let works = read_works(text)?.records;
        let mut by_doi = HashMap::new();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, work) in works.iter().enumerate() {
            if let Some(doi) = &work.doi {
                by_doi.entry(doi.clone()).or_insert(index);
            }
            for word in title_words(work) {
                by_word.entry(word).or_default().push(index);
            }
        }
        Ok(Self { name: name.to_owned(), works, by_doi, by_word })
    }

    /// The works, in order.
    pub fn works(&self) -> &[Record] {
        &self.works
    }
}

impl Source for FileSource {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn candidates(&mut self, wanted: &Record) -> Result<Vec<Record>, SourceError> {
        if let Some(index) = wanted.doi.as_ref().and_then(|doi| self.by_doi.get(doi)) {
            return Ok(vec![self.works[*index].clone()]);
        }
        let mut indices: Vec<usize> =
            title_words(wanted).iter().filter_map(|word| self.by_word.get(word)).flatten().copied().collect();
        indices.sort_unstable();
        indices.dedup();
        Ok(indices.into_iter().map(|index| self.works[index].clone()).collect())
    }
}

/// The words to look a title up by: any one they share makes a candidate.
fn title_words(work: &Record) -> Vec<String> {
    let title = fold(work.title.as_deref().unwrap_or_default());
    let long: Vec<String> = title.split(' ').filter(|word| word.chars().count() > 3).map(str::to_owned).collect();
    if long.is_empty() { title.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect() } else { long }
}

/// Reads any bibliography, and Crossref's answers as saved from its API.
fn read_works(text: &str) -> Result<Parsed, FormatError> {
    match Format::detect(text) {
        Some(Format::CslJson) => {}
        Some(other) => return other.parse(text),
        None => return Err(FormatError::unknown()),
    }
    let mut parsed = Parsed::default();
    for (line, value) in crate::formats::csl_json::split_items(text.trim_start_matches('\u{feff}'))? {
        for work in crossref::works_of(value) {
            let record = if crossref::is_work(&work) {
                crossref::read_work(&work)
            } else {
                crate::formats::csl_json::read_item(line, work)?
            };
            parsed.push(line, record);
        }
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_file_yields_its_works() {
        let work = r#"{"DOI": "10.1000/X", "title": ["On Computable Numbers"], "event": {"name": "E"}, "type": "journal-article"}"#;
        let csl = r#"{"id": "t", "type": "article-journal", "DOI": "10.1000/X", "title": "On Computable Numbers"}"#;
        for text in [
            format!(r#"{{"status": "ok", "message": {work}}}"#),
            format!(r#"{{"status": "ok", "message": {{"items": [{work}]}}}}"#),
            format!("[{work}]"),
            format!("{work}\n"),
            csl.to_owned(),
            format!("[\n{csl}\n]"),
            "@article{t, doi={10.1000/X}, title={On Computable Numbers}}".to_owned(),
            "TY  - JOUR\nDO  - 10.1000/X\nTI  - On Computable Numbers\nER  - \n".to_owned(),
        ] {
            let mut source = FileSource::parse("f", &text).unwrap();
            let wanted = Record { title: Some("computable numbers".into()), ..Record::default() };
            let found = source.candidates(&wanted).unwrap();
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].doi.as_deref(), Some("10.1000/x"), "{text}");
            assert_eq!(found[0].title.as_deref(), Some("On Computable Numbers"), "{text}");
        }
        assert_eq!(FileSource::parse("f", "nothing").unwrap_err().line, 1);
        let error = FileSource::parse("f", "{\"title\": \"a\"}\n{\"title\": {}}").unwrap_err();
        assert_eq!((error.line, error.field.as_deref()), (2, Some("title")));
    }
}
