//! The approvals that wait for the operator or have his word, one file each.

use crate::run::audit::{Lock, beside, hash, is_absent, private};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The most that are kept at once; where so many wait, no call that needs one is taken.
const MOST: usize = 64;

/// The longest file that is read.
const FILE_BYTES: u64 = 1 << 20;

/// How long an approval waits, and how long it is good for once it was given, unless the policy says otherwise.
const LIFETIME: Duration = Duration::from_secs(15 * 60);

/// Tells the time.
type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The folder of approvals that belongs to an audit.
#[derive(Clone)]
pub struct Approvals {
    /// `None` where the environment names no place for it.
    folder: Option<PathBuf>,
    lifetime: Duration,
    clock: Clock,
}

/// One call that waits for the operator's word, or has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// What it is called by.
    pub id: String,
    /// What runs.
    pub target: String,
    /// What that may do.
    pub effect: String,
    /// Who wants it.
    pub principal: String,
    /// What is to be allowed, for a person: text without control characters.
    pub question: String,
    /// When it was asked for, in milliseconds since 1970.
    pub asked: u64,
    /// When it ends, decided or not.
    pub expires: u64,
    /// The operator's word.
    pub decided: Option<Decided>,
    /// The digest of the call.
    call: String,
    /// Tells this one from an earlier or later one of the same call.
    pub(super) nonce: String,
    /// How long the word is good for, in milliseconds.
    lifetime: u64,
}

/// The operator's word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decided {
    /// What it is.
    pub answer: Answer,
    /// Whose it is: `operator NAME`, or `elicitation` for the client's user.
    pub by: String,
    /// Why.
    pub reason: Option<String>,
}

/// What the operator says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It may run, once.
    Grant,
    /// It may not.
    Deny,
}

/// Why an approval could not be decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// There is none of that id, or no longer.
    #[error(
        "no approval is called `{0}`: it was used, has expired or never was; `approvals list` shows those that wait"
    )]
    Unknown(String),
    /// The folder can't be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What is to be allowed.
pub(super) struct Request<'a> {
    pub(super) target: &'a str,
    pub(super) effect: String,
    pub(super) principal: &'a str,
    pub(super) question: String,
    /// The digest of the call.
    pub(super) call: String,
}

/// How a call stands that was asked about.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It may run now; the approval is used up.
    Granted(Approval),
    /// It may not run.
    Denied(Approval),
    /// Nobody has decided yet.
    Waits(Approval),
    /// Too many others wait.
    Full,
}

impl Approvals {
    /// Takes the folder that belongs to an audit: its name and `.approvals`.
    pub fn beside(audit: Option<&Path>) -> Self {
        let folder = audit.map(|audit| beside(audit, "approvals"));
        Self { folder, lifetime: LIFETIME, clock: Arc::new(SystemTime::now) }
    }

    /// Returns the folder; `None` where the environment names no place for it.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the time, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        (self.clock)().duration_since(UNIX_EPOCH).map_or(0, millis)
    }

    /// Sets how long an approval waits, and how long it is good for once it was given.
    #[must_use]
    pub fn lasting(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Tells another time.
    #[cfg(test)]
    pub(super) fn by(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Returns those that have not expired, the oldest first.
    ///
    /// # Errors
    /// Why the folder can't be read.
    pub fn list(&self) -> io::Result<Vec<Approval>> {
        match self.folder.as_deref().is_some_and(Path::is_dir) {
            true => self.locked(|folder| folder.all()),
            false => Ok(Vec::new()),
        }
    }

    /// Decides one, whether it was decided before or not.
    ///
    /// # Errors
    /// [`DecideError`]
    pub fn decide(&self, id: &str, answer: Answer, by: &str, reason: Option<&str>) -> Result<Approval, DecideError> {
        self.decide_where(|approval| approval.id == id, answer, by, reason)?
            .ok_or_else(|| DecideError::Unknown(id.to_owned()))
    }

    /// Decides the very one that somebody was asked about; `None` where it is gone or decided.
    pub(super) fn answer(&self, id: &str, nonce: &str, answer: Answer, by: &str) -> io::Result<Option<Approval>> {
        let is_it = |approval: &Approval| approval.id == id && approval.nonce == nonce && approval.decided.is_none();
        self.decide_where(is_it, answer, by, None)
    }

    /// Takes a call's approval where there is one, or else keeps it as one that waits.
    pub(super) fn ask(&self, request: &Request<'_>) -> io::Result<Standing> {
        let id = format!("ap_{}", &request.call[..ID_DIGITS]);
        self.locked(|folder| {
            let all = folder.all()?;
            let count = all.len();
            let found = all.into_iter().find(|approval| approval.id == id);
            if found.as_ref().is_some_and(|found| found.call != request.call) {
                return Err(io::Error::other(format!("another call has the id {id} until it is decided or expires")));
            }
            Ok(match found {
                Some(approval) => match approval.decided.as_ref().map(|decided| decided.answer) {
                    None => Standing::Waits(approval),
                    Some(Answer::Deny) => Standing::Denied(approval),
                    Some(Answer::Grant) => {
                        fs::remove_file(folder.file(&id))?;
                        Standing::Granted(approval)
                    }
                },
                None if count >= MOST => Standing::Full,
                None => {
                    let (now, lifetime) = (folder.now, millis(self.lifetime));
                    let approval = Approval {
                        id: id.clone(),
                        target: request.target.to_owned(),
                        effect: request.effect.clone(),
                        principal: request.principal.to_owned(),
                        question: request.question.clone(),
                        asked: now,
                        expires: now.saturating_add(lifetime),
                        decided: None,
                        call: request.call.clone(),
                        nonce: super::seal::random().map(|bytes| hash(&bytes))?,
                        lifetime,
                    };
                    folder.write(&approval)?;
                    Standing::Waits(approval)
                }
            })
        })
    }

    fn decide_where(
        &self,
        is_it: impl Fn(&Approval) -> bool,
        answer: Answer,
        by: &str,
        reason: Option<&str>,
    ) -> io::Result<Option<Approval>> {
        if !self.folder.as_deref().is_some_and(Path::is_dir) {
            return Ok(None);
        }
        self.locked(|folder| {
            let Some(mut approval) = folder.all()?.into_iter().find(is_it) else { return Ok(None) };
            approval.decided = Some(Decided { answer, by: by.to_owned(), reason: reason.map(str::to_owned) });
            approval.expires = folder.now.saturating_add(approval.lifetime);
            folder.write(&approval)?;
            Ok(Some(approval))
        })
    }

    /// Does something with the folder while no other process does.
    fn locked<T>(&self, work: impl FnOnce(&Folder<'_>) -> io::Result<T>) -> io::Result<T> {
        let path = self.folder.as_deref().ok_or_else(|| {
            io::Error::other("neither XDG_STATE_HOME nor HOME is set, so there is no place for approvals")
        })?;
        make_private(path)?;
        let lock = private(OpenOptions::new().write(true), &path.join("lock"))?;
        let _lock = Lock::take(&lock)?;
        work(&Folder { path, now: self.now() })
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// How much of a call's digest its approval is called by. The whole of it is compared.
const ID_DIGITS: usize = 10;

/// The locked folder.
struct Folder<'a> {
    path: &'a Path,
    now: u64,
}

impl Folder<'_> {
    fn file(&self, id: &str) -> PathBuf {
        self.path.join(format!("{id}.json"))
    }

    /// Reads those that have not expired, and removes those that have.
    fn all(&self) -> io::Result<Vec<Approval>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(self.path)? {
            let path = entry?.path();
            let Some(id) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read(&path)?.filter(|approval| approval.id == id) {
                // One from the future was made before the clock was turned back: nobody knows how old it is.
                Some(approval) if approval.expires <= self.now || approval.asked > self.now => fs::remove_file(&path)?,
                Some(approval) => found.push(approval),
                None => {}
            }
        }
        found.sort_by(|a, b| (a.asked, &a.id).cmp(&(b.asked, &b.id)));
        Ok(found)
    }

    /// Writes one whole, or not at all.
    fn write(&self, approval: &Approval) -> io::Result<()> {
        let draft = self.path.join("draft");
        if let Err(error) = fs::remove_file(&draft)
            && !is_absent(&error)
        {
            return Err(error);
        }
        let mut file = private(OpenOptions::new().write(true).create_new(true), &draft)?;
        file.write_all(&serde_json::to_vec(approval)?)?;
        fs::rename(&draft, self.file(&approval.id))
    }
}

/// Reads one; `None` for what is none, which is left where it is and counts for nothing.
fn read(path: &Path) -> io::Result<Option<Approval>> {
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() || metadata.len() > FILE_BYTES || !is_private(&metadata) {
        return Ok(None);
    }
    Ok(serde_json::from_slice(&fs::read(path)?).ok())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Makes the folder its owner's alone; fails where it is somebody else's.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        if !is_private(&folder.metadata()?) {
            fs::set_permissions(folder, open)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn is_private(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 == 0
}

#[cfg(not(unix))]
fn is_private(_metadata: &fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    #[test]
    fn an_approval_ends_in_time_whatever_the_clock_does() {
        let folder = tempfile::tempdir().unwrap();
        let now = Arc::new(AtomicU64::new(1_000_000));
        let clock = now.clone();
        let approvals = Approvals::beside(Some(&folder.path().join("audit")))
            .by(move || UNIX_EPOCH + Duration::from_secs(clock.load(SeqCst)));
        let ask = || {
            let call = hash(b"a call");
            let request = Request { target: "x", effect: String::new(), principal: "p", question: String::new(), call };
            approvals.ask(&request).unwrap()
        };
        let waits = |standing| match standing {
            Standing::Waits(approval) => approval,
            other => panic!("{other:?}"),
        };
        let lifetime = LIFETIME.as_secs();
        let first = waits(ask());
        now.fetch_add(lifetime - 1, SeqCst);
        assert_eq!(waits(ask()), first);
        approvals.decide(&first.id, Answer::Grant, "me", None).unwrap();
        now.fetch_add(lifetime - 1, SeqCst);
        assert!(matches!(ask(), Standing::Granted(_)), "the word is good for a time of its own");

        let second = waits(ask());
        assert_ne!(second.nonce, first.nonce);
        assert_eq!(
            approvals.answer(&first.id, &first.nonce, Answer::Grant, "me").unwrap(),
            None,
            "it was of the first"
        );
        approvals.decide(&second.id, Answer::Grant, "me", None).unwrap();
        now.fetch_add(lifetime, SeqCst);
        let third = waits(ask());
        approvals.decide(&third.id, Answer::Grant, "me", None).unwrap();
        now.fetch_sub(1, SeqCst);
        assert_eq!(waits(ask()).decided, None, "the clock was turned back, so nobody knows how old the word is");
    }

    #[test]
    fn another_call_of_the_same_id_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let approvals = Approvals::beside(Some(&folder.path().join("audit")));
        let call = hash(b"a call");
        let alike = format!("{}{}", &call[..ID_DIGITS], &hash(b"another")[ID_DIGITS..]);
        let ask = |call: &str| {
            let (question, call) = (String::new(), call.to_owned());
            approvals.ask(&Request { target: "x", effect: String::new(), principal: "p", question, call })
        };
        let Standing::Waits(first) = ask(&call).unwrap() else { panic!("it waits") };
        approvals.decide(&first.id, Answer::Grant, "me", None).unwrap();
        assert!(ask(&alike).is_err());
        assert!(matches!(ask(&call).unwrap(), Standing::Granted(_)));
    }
}
