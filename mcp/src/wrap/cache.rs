//! The pages of an earlier walk, as long as the program is the same file.

use crate::folders;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Changes whenever a walk would read another set of pages of the same program.
const REVISION: u32 = 2;

/// What a walk does with the pages of an earlier one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CachePolicy {
    /// Takes them where the program has not changed, and keeps new ones.
    #[default]
    Use,
    /// Asks the program again, and keeps the pages.
    Refresh,
    /// Neither takes nor keeps any.
    Off,
}

/// The pages by command path, the commands without one, and the version that no page tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pages {
    pub(super) texts: BTreeMap<Vec<String>, String>,
    pub(super) skipped: Vec<(Vec<String>, String)>,
    pub(super) version: Option<String>,
}

/// The file of a program.
#[derive(Serialize, Deserialize)]
struct Stored {
    key: String,
    pages: Vec<(Vec<String>, String)>,
    skipped: Vec<(Vec<String>, String)>,
    version: Option<String>,
}

/// One program's place in the cache.
#[derive(Debug)]
pub(super) struct Slot {
    file: PathBuf,
    key: String,
}

impl Slot {
    /// Finds the slot of a program as it is now; `None` where there is no cache folder or the file can't be looked at.
    pub(super) fn new(folder: Option<PathBuf>, name: &str, program: &Path, fixed_args: &[OsString]) -> Option<Self> {
        let folder = folder.or_else(default_folder)?;
        let path = program.canonicalize().ok()?;
        let file = path.metadata().ok()?;
        // A proxy is another program under another name.
        let key = format!(
            "{} {REVISION} {:?} {:?} {} {}.{:09} {fixed_args:?}",
            env!("CARGO_PKG_VERSION"),
            path,
            program.file_name().unwrap_or_default(),
            file.size(),
            file.mtime(),
            file.mtime_nsec(),
        );
        let mut place = DefaultHasher::new();
        (program.file_name(), &path, fixed_args).hash(&mut place);
        let safe: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(64).collect();
        Some(Self { file: folder.join(format!("{safe}-{:016x}.json", place.finish())), key })
    }

    /// Returns the pages; `None` where there are none, or not of this program, or the file is damaged.
    pub(super) fn load(&self) -> Option<Pages> {
        let Stored { key, pages, skipped, version } = serde_json::from_slice(&fs::read(&self.file).ok()?).ok()?;
        let pages = Pages { texts: pages.into_iter().collect(), skipped, version };
        (key == self.key && pages.texts.contains_key([].as_slice())).then_some(pages)
    }

    /// Keeps the pages, whole or not at all.
    pub(super) fn store(&self, pages: &Pages) -> io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let Pages { texts, skipped, version } = pages.clone();
        let stored = Stored { key: self.key.clone(), pages: texts.into_iter().collect(), skipped, version };
        let mut draft = NamedTempFile::new_in(folder)?;
        draft.write_all(&serde_json::to_vec(&stored)?)?;
        draft.persist(&self.file).map(drop).map_err(|error| error.error)
    }
}

fn default_folder() -> Option<PathBuf> {
    Some(folders::CACHE.folder()?.join("clap-facade/help"))
}
