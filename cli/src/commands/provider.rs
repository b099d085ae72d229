//! Providers of bibliographic data, as commands ask them.

use super::input;
use crate::context::Context;
use crate::enrich::{Cache, FileSource, HttpClient, HttpOptions, Pace, Provider, ProviderSource, SourceError};
use crate::error::{CliError, ErrorKind};
use crate::globals::DataSource;
use clap_facade::annotate;
use std::path::{Path, PathBuf};

/// Where data about works comes from.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SourceArgs {
    /// Take the data from this file, here or in the data folder, instead of a provider: Crossref JSON, CSL-JSON, JSON lines, BibTeX or RIS
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// Ask this provider
    #[arg(long, value_enum, default_value_t = Provider::Crossref, value_name = "NAME")]
    pub(crate) provider: Provider,
    /// Tell the provider who to write to about these requests
    #[arg(long, value_name = "ADDRESS")]
    mailto: Option<String>,
    /// Ask the provider at this address (settings: crossref_url, openalex_url)
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url, hide = true, add = annotate::host_owned())]
    base_url: Option<String>,
}

impl SourceArgs {
    /// Reads the file that `--from` names.
    ///
    /// # Errors
    /// With file, line and field of what can't be read.
    pub(crate) fn file(&self, ctx: &mut Context<'_, '_>) -> Result<Option<FileSource>, CliError> {
        let Some(path) = &self.from else { return Ok(None) };
        // A bare name that is none here may be of a file beside the library, like the demo's.
        let beside = ctx.library().folder().join(path);
        let is_bare = path.file_name().is_some_and(|name| name == path.as_os_str());
        let path = if is_bare && !path.exists() && beside.exists() { &beside } else { path };
        let text = input::read_text(ctx, path)?;
        let shown = path.display().to_string();
        FileSource::parse(&shown, &text).map(Some).map_err(|error| input::unreadable(&shown, &error))
    }

    /// How to ask the provider: by flags, settings and environment.
    ///
    /// # Errors
    /// When a setting can't be read or an address is no web address.
    pub(crate) fn http(&self, ctx: &mut Context<'_, '_>) -> Result<HttpOptions, CliError> {
        let provider = self.provider;
        let variable = std::env::var(provider.variable()).ok().filter(|value| !value.is_empty());
        let base_url = match &self.base_url {
            Some(url) => url.clone(),
            None => ctx
                .setting(&format!("{}_url", provider.name()))?
                .or(variable)
                .unwrap_or_else(|| provider.base_url().to_owned()),
        };
        if !base_url.starts_with("http://") && !base_url.starts_with("https://") {
            return Err(CliError::config(format!("{base_url:?} is no web address of {}", provider.name())));
        }
        let mailto = match &self.mailto {
            Some(mailto) => Some(mailto.clone()),
            None => ctx.setting("mailto")?,
        };
        let operation = &ctx.globals.operation;
        Ok(HttpOptions {
            provider: provider.name().to_owned(),
            base_url,
            mailto,
            timeout: operation.timeout,
            rate_limit: operation.rate_limit,
            retries: 3,
            pace: match operation.data_source {
                DataSource::Auto => Pace::Auto,
                DataSource::Local => Pace::KeptOnly,
                DataSource::Live => Pace::LiveOnly,
            },
        })
    }

    /// The provider, ready to be asked.
    pub(crate) fn ask<'c>(
        &self,
        options: HttpOptions,
        cache: Option<Cache>,
        cancelled: &'c dyn Fn() -> bool,
    ) -> ProviderSource<'c> {
        ProviderSource::new(self.provider, HttpClient::new(options, cache, cancelled))
    }
}

/// The answers kept in the data folder; none with `--no-cache`, and none where nothing may be written.
///
/// A preview keeps them for the run that applies it. One with `--dry-run` writes nothing at all.
pub(crate) fn open_cache(ctx: &Context<'_, '_>) -> Option<Cache> {
    let folder: &Path = ctx.library().folder();
    if ctx.globals.operation.no_cache || !folder.is_dir() {
        return None;
    }
    // A cache that can't be used is no reason to fail: the provider is still there.
    let file = folder.join("cache.sqlite");
    if ctx.globals.gates.dry_run { Cache::open_to_read(&file).ok() } else { Cache::open(&file).ok() }
}

impl From<SourceError> for CliError {
    fn from(error: SourceError) -> Self {
        match &error {
            SourceError::RateLimited { .. } => Self::new(ErrorKind::RateLimited, error.to_string())
                .hint("run the command again later")
                .flag_hint("--rate-limit sends fewer requests a second"),
            SourceError::Cancelled => Self::failure("cancelled; nothing was changed"),
            _ => Self::new(ErrorKind::Provider, error.to_string())
                .hint("run the command again later, or take the data from a file with --from"),
        }
    }
}
