//! From page to page: every command that a listed page lists.

use super::ask::{self, NoPage, Source};
use super::cache::{CachePolicy, Pages, Slot};
use super::report::{Report, Skipped};
use crate::catalog::help::{Flag, Listed, Node, Page, Role};
use crate::catalog::{processors, side_by_side};
use crate::exec::{apart, is_bare_name};
use clap::Command;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// A program that was read from its help.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Wrapped {
    /// The tree that its help describes; the root is named after the program and the fixed args.
    pub command: Command,
    /// Where the program is.
    pub program: PathBuf,
    /// What stands before the arguments of every call.
    pub fixed_args: Vec<OsString>,
    /// What was not understood, and what was left out.
    pub report: Report,
}

/// The most threads that read pages.
const READERS: usize = 4;

/// For fewer pages than this a thread more is not worth its start.
const PAGES_OF_A_READER: usize = 10;

/// How far a walk goes, and how long it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// The longest wait for one page; else it is 10 s.
    pub timeout: Duration,
    /// The longest page, in bytes; else it is 1 MiB.
    pub page_bytes: usize,
    /// How many pages are asked for at a time; else twice the processors, at most 16.
    pub parallel: usize,
    /// How many words a command's path may have; else it is 8.
    pub depth: usize,
    /// How many pages are read at most; else it is 2000.
    pub pages: usize,
    /// What to do with the pages of an earlier walk.
    pub cache: CachePolicy,
    /// The folder of the cache; else it is `clap-facade/help` in the user's.
    pub cache_folder: Option<PathBuf>,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            page_bytes: 1 << 20,
            parallel: (processors() * 2).min(16),
            depth: 8,
            pages: 2000,
            cache: CachePolicy::default(),
            cache_folder: None,
        }
    }
}

/// Why a program could not be wrapped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WrapError {
    /// There is no such program.
    #[error("`{}` is no program that this user can run{}", .0.display(), if is_bare_name(.0) { ": it is not on the PATH" } else { "" })]
    NotFound(PathBuf),
    /// The program printed nothing that could be read as help.
    #[error("`{name}` is not understood: {reason}")]
    NoHelp {
        /// The program and its fixed args.
        name: String,
        /// Why, as a sentence without its subject.
        reason: String,
    },
    /// The system gave no thread or event loop.
    #[error("the help could not be walked: {0}")]
    System(#[from] io::Error),
}

/// Walks the help of a program, or takes what an earlier walk of the same file read.
///
/// # Errors
/// [`WrapError`] where the program is missing or its own page is no help. Commands below without a page are left
/// out, and told in the report.
pub fn walk(program: &Path, fixed_args: &[OsString], options: &WalkOptions) -> Result<Wrapped, WrapError> {
    let started = Instant::now();
    let program = ask::find(program).ok_or_else(|| WrapError::NotFound(program.to_owned()))?;
    let name = ask::name(&program, fixed_args);
    let slot = match options.cache {
        CachePolicy::Off => None,
        _ => Slot::new(options.cache_folder.clone(), &name, &program, fixed_args),
    };
    let kept = slot.as_ref().filter(|_| options.cache == CachePolicy::Use).and_then(Slot::load);
    let from_cache = kept.is_some();
    let pages = match kept {
        Some(pages) => pages,
        None => {
            let pages = ask_all(&program, fixed_args, options, &name)?;
            if let Some(Err(error)) = slot.map(|slot| slot.store(&pages)) {
                tracing::warn!(%error, "the pages of help could not be kept");
            }
            pages
        }
    };
    let mut report = Report { pages: pages.texts.len(), from_cache, ..Report::default() };
    let mut read = read(&pages);
    if let Some(root) = read.get_mut([].as_slice()) {
        report.foreign = root.flags.is_empty() && root.commands.is_empty();
        root.version = root.version.take().or_else(|| pages.version.clone());
    }
    report.skipped =
        pages.skipped.iter().map(|(path, reason)| Skipped { path: path.join(" "), reason: reason.clone() }).collect();
    for (path, page) in &mut read {
        let lines = std::mem::take(&mut page.not_understood);
        if !lines.is_empty() {
            let path = if path.is_empty() { name.clone() } else { path.join(" ") };
            report.not_understood.push((path, lines));
        }
    }
    let command = node(&mut read, &[], &Listed::new(name)).command().bin_name(ask::line(&program, fixed_args));
    report.elapsed = started.elapsed();
    Ok(Wrapped { command, program, fixed_args: fixed_args.to_vec(), report })
}

/// Reads the pages, those of a large CLI side by side.
fn read(pages: &Pages) -> BTreeMap<&[String], Page> {
    let texts: Vec<&str> = pages.texts.values().map(String::as_str).collect();
    let threads = processors().min(READERS);
    let parts = texts.chunks(texts.len().div_ceil(threads).max(PAGES_OF_A_READER)).collect();
    let read = |part: &[&str]| -> Vec<Page> { part.iter().map(|text| Page::read(text)).collect() };
    pages.texts.keys().map(Vec::as_slice).zip(side_by_side(parts, read).into_iter().flatten()).collect()
}

/// Puts the pages together again, in the order in which each page lists its commands.
fn node(pages: &mut BTreeMap<&[String], Page>, path: &[String], listed: &Listed) -> Node {
    let page = pages.remove(path).unwrap_or_default();
    let mut node = Node::listed(listed, page);
    for child in &node.page.commands.clone() {
        let path: Vec<String> = path.iter().chain([&child.name]).cloned().collect();
        if pages.contains_key(path.as_slice()) {
            node.children.push(self::node(pages, &path, child));
        }
    }
    node
}

fn ask_all(program: &Path, fixed_args: &[OsString], options: &WalkOptions, name: &str) -> Result<Pages, WrapError> {
    let source = Source {
        program: program.to_owned(),
        fixed_args: fixed_args.to_vec(),
        timeout: options.timeout,
        page_bytes: options.page_bytes,
    };
    let walked = apart("help-walk", || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(Walker::new(source, options).run()))
    })?;
    walked.map_err(|error| WrapError::NoHelp { name: name.to_owned(), reason: error.to_string() })
}

/// Tells whether a page lists `--version`, and does not start with the version itself.
fn leaves_its_version_to_a_flag(page: &Page) -> bool {
    let lists = |flag: &Flag| flag.role == Role::Version && flag.long.as_deref() == Some("version");
    page.version.is_none() && page.flags.iter().any(lists)
}

/// A walk under way.
struct Walker<'a> {
    source: Arc<Source>,
    options: &'a WalkOptions,
    slots: Arc<Semaphore>,
    asked: JoinSet<(Vec<String>, Result<String, NoPage>)>,
    number: usize,
    pages: Pages,
}

impl<'a> Walker<'a> {
    fn new(source: Source, options: &'a WalkOptions) -> Self {
        Self {
            source: Arc::new(source),
            options,
            slots: Arc::new(Semaphore::new(options.parallel.max(1))),
            asked: JoinSet::new(),
            number: 0,
            pages: Pages::default(),
        }
    }

    async fn run(mut self) -> Result<Pages, NoPage> {
        self.ask(Vec::new());
        while let Some(answer) = self.asked.join_next().await {
            let Ok((path, page)) = answer else { continue };
            match page {
                Ok(text) => self.take(path, text),
                Err(reason) if path.is_empty() => return Err(reason),
                Err(reason) => self.skip(path, reason.to_string()),
            }
        }
        // The answers come in any order.
        self.pages.skipped.sort();
        if self.pages.texts.get([].as_slice()).is_some_and(|text| leaves_its_version_to_a_flag(&Page::read(text))) {
            self.pages.version = self.source.version().await;
        }
        Ok(self.pages)
    }

    fn ask(&mut self, path: Vec<String>) {
        self.number += 1;
        let (source, slots) = (Arc::clone(&self.source), Arc::clone(&self.slots));
        self.asked.spawn(async move {
            let _slot = slots.acquire().await;
            let page = source.page(&path).await;
            (path, page)
        });
    }

    fn take(&mut self, path: Vec<String>, text: String) {
        let parent = path.split_last().and_then(|(_, parent)| self.pages.texts.get(parent));
        if parent == Some(&text) {
            return self.skip(path, "its --help prints its parent's page".into());
        }
        for listed in Page::read(&text).commands {
            let child: Vec<String> = path.iter().cloned().chain([listed.name]).collect();
            match child.last() {
                // It mirrors the tree, and in some CLIs it runs a pager.
                Some(word) if word == "help" => {}
                _ if child.len() > self.options.depth => self.skip(child, "its path is too long".into()),
                _ if self.number >= self.options.pages => self.skip(child, "the CLI has too many commands".into()),
                _ => self.ask(child),
            }
        }
        self.pages.texts.insert(path, text);
    }

    fn skip(&mut self, path: Vec<String>, reason: String) {
        self.pages.skipped.push((path, reason));
    }
}
