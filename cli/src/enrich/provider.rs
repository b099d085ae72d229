//! A provider over HTTP as a source.

use super::http::HttpClient;
use super::{Source, SourceError, crossref, openalex};
use crate::formats::{Record, Role};
use serde_json::Value;

/// The providers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Provider {
    /// Crossref: the registry of most DOIs of articles and books
    #[default]
    Crossref,
    /// OpenAlex: an open index, rich in abstracts
    Openalex,
}

impl Provider {
    /// The name, as in messages and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crossref => "crossref",
            Self::Openalex => "openalex",
        }
    }

    /// The environment variable that names another address.
    pub fn variable(self) -> &'static str {
        match self {
            Self::Crossref => "MYCLI_CROSSREF_URL",
            Self::Openalex => "MYCLI_OPENALEX_URL",
        }
    }

    /// The provider's own address.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::Crossref => crossref::BASE_URL,
            Self::Openalex => openalex::BASE_URL,
        }
    }

    fn doi_path(self, doi: &str) -> String {
        match self {
            Self::Crossref => crossref::doi_path(doi),
            Self::Openalex => openalex::doi_path(doi),
        }
    }

    fn search_path(self, words: &str) -> String {
        match self {
            Self::Crossref => crossref::search_path(words),
            Self::Openalex => openalex::search_path(words),
        }
    }

    fn read(self, answer: Value) -> Vec<Record> {
        let records: Vec<Record> = match self {
            Self::Crossref => crossref::works_of(answer).iter().map(crossref::read_work).collect(),
            Self::Openalex => openalex::works_of(answer).iter().map(openalex::read_work).collect(),
        };
        records.into_iter().filter(|record| record.title.is_some()).collect()
    }
}

/// A provider, asked politely.
#[derive(Debug)]
pub struct ProviderSource<'a> {
    provider: Provider,
    client: HttpClient<'a>,
}

impl<'a> ProviderSource<'a> {
    /// A provider behind a client that knows its address.
    pub fn new(provider: Provider, client: HttpClient<'a>) -> Self {
        Self { provider, client }
    }

    /// The work with a DOI.
    ///
    /// # Errors
    /// When the provider can't be asked or sends what can't be read.
    pub fn by_doi(&mut self, doi: &str) -> Result<Option<Record>, SourceError> {
        let Some(answer) = self.client.fetch(&self.provider.doi_path(doi))? else { return Ok(None) };
        match self.provider.read(answer).into_iter().next() {
            Some(record) => Ok(Some(record)),
            None => {
                Err(SourceError::Failed { provider: self.name(), message: "sent a work without a title".to_owned() })
            }
        }
    }
}

impl Source for ProviderSource<'_> {
    fn name(&self) -> String {
        self.client.provider().to_owned()
    }

    fn candidates(&mut self, wanted: &Record) -> Result<Vec<Record>, SourceError> {
        if let Some(doi) = &wanted.doi {
            return Ok(self.by_doi(doi)?.into_iter().collect());
        }
        let Some(title) = &wanted.title else { return Ok(Vec::new()) };
        let author = wanted.creators_as(Role::Author).next().map(|creator| creator.name.sort_name());
        let words = [Some(title.as_str()), author].into_iter().flatten().collect::<Vec<_>>().join(" ");
        let answer = self.client.fetch(&self.provider.search_path(&words))?;
        Ok(answer.map(|answer| self.provider.read(answer)).unwrap_or_default())
    }
}
