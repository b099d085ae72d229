//! What Linux enforces: Landlock for files, signals and connections, a system call filter for what Landlock lets pass.
//!
//! Landlock does not cover what belongs to a file beside its content: mode, owner, times, extended attributes. Those are
//! refused everywhere, also in the temporary folder, since a filter sees no paths.

use super::{Enforcement, Rules};
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictSelf, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Devices that programs write without changing anything.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// The version of Landlock whose rights are asked for; an older kernel gives what it has.
const ASKED: ABI = ABI::V4;

/// Returns how far this system can hold a command to reading.
pub(super) fn support() -> Enforcement {
    static SUPPORT: LazyLock<Enforcement> = LazyLock::new(probe);
    *SUPPORT
}

/// Asks the kernel without restricting anything.
fn probe() -> Enforcement {
    let status = RestrictSelf::default().no_new_privs(false).apply().map(|status| status.landlock);
    match status {
        // The third version is the first that knows of truncation.
        Ok(LandlockStatus::Available { effective_abi, .. }) if effective_abi >= ABI::V3 && FILTERS.is_some() => {
            Enforcement::Landlock
        }
        Ok(LandlockStatus::Available { .. }) => Enforcement::Partly,
        _ => Enforcement::Unsupported,
    }
}

/// Takes from this thread, and from all that it starts, what a read-only command does not need.
pub(super) fn restrict_thread(rules: &Rules) -> Result<(), String> {
    let status = landlock(rules).map_err(|error| super::super::chain(&error))?;
    if status == RulesetStatus::NotEnforced {
        return Err("the kernel does not enforce it".to_owned());
    }
    match &*FILTERS {
        Some(filters) => {
            let filter = if rules.network { &filters.online } else { &filters.offline };
            apply_filter(filter).map_err(|error| error.to_string())
        }
        None => Ok(()),
    }
}

fn landlock(rules: &Rules) -> Result<RulesetStatus, RulesetError> {
    let write = AccessFs::from_write(ASKED);
    let mut ruleset = Ruleset::default().handle_access(write)?.scope(Scope::Signal)?;
    if !rules.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(ASKED))?.scope(Scope::AbstractUnixSocket)?;
    }
    let created = ruleset
        .create()?
        .add_rules(path_beneath_rules(DEVICES, write))?
        .add_rules(path_beneath_rules(&rules.writes, write))?;
    Ok(created.restrict_self()?.ruleset)
}

/// System calls that are refused.
struct Filters {
    online: BpfProgram,
    offline: BpfProgram,
}

/// `None` on a machine whose system calls are not known.
static FILTERS: LazyLock<Option<Filters>> =
    LazyLock::new(|| Some(Filters { online: filter(false)?, offline: filter(true)? }));

fn filter(offline: bool) -> Option<BpfProgram> {
    let always = |number: &libc::c_long| (*number, Vec::new());
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ATTRIBUTES.iter().chain(SYSTEM).map(always).collect();
    for (number, argument, flag) in MAKES {
        rules.insert(*number, vec![rule(&[(*argument, SeccompCmpOp::MaskedEq(*flag), *flag)])?]);
    }
    for (number, argument) in OTHERS {
        rules.insert(*number, vec![rule(&[(*argument, SeccompCmpOp::Ne, 0)])?]);
    }
    for (number, which) in OF_USERS {
        // `who` is the user of the caller where it is 0.
        rules.entry(*number).or_default().push(rule(&[(0, SeccompCmpOp::Eq, *which)])?);
    }
    let set_flags = ATTRIBUTE_IOCTLS.iter().map(|request| rule(&[(1, SeccompCmpOp::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, set_flags.collect::<Option<_>>()?);
    if offline {
        let [unix, netlink] = [libc::AF_UNIX, libc::AF_NETLINK].map(|family| family as u64);
        let foreign = rule(&[(0, SeccompCmpOp::Ne, unix), (0, SeccompCmpOp::Ne, netlink)])?;
        rules.insert(libc::SYS_socket, vec![foreign]);
    }
    let machine = std::env::consts::ARCH.try_into().ok()?;
    let refuse = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, machine).ok()?.try_into().ok()
}

/// Matches where all of the arguments compare so.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Option<SeccompRule> {
    let condition = |(index, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*index, SeccompCmpArgLen::Dword, operator.clone(), *value)
    };
    SeccompRule::new(conditions.iter().map(condition).collect::<Result<_, _>>().ok()?).ok()
}

/// Those that change what belongs to a file beside its content, or do so for a program in its stead.
const ATTRIBUTES: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    // `fchmodat2`, `setxattrat`, `removexattrat`, `file_setattr`: of one number everywhere.
    452,
    463,
    466,
    469,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_io_uring_setup,
];

/// Those that change the system, and need no file for it.
const SYSTEM: &[libc::c_long] = &[
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_quotactl,
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Those that make what outlives its maker, by the flag in one of their arguments.
const MAKES: &[(libc::c_long, u8, u64)] = &[
    (libc::SYS_shmget, 2, libc::IPC_CREAT as u64),
    (libc::SYS_msgget, 1, libc::IPC_CREAT as u64),
    (libc::SYS_semget, 2, libc::IPC_CREAT as u64),
    (libc::SYS_mq_open, 1, libc::O_CREAT as u64),
];

/// Those that change the process which one of their arguments names: 0 is the caller itself.
const OTHERS: &[(libc::c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// Those of them that take all processes of a user, and how that is said (`PRIO_USER`, `IOPRIO_WHO_USER`).
const OF_USERS: &[(libc::c_long, u64)] = &[(libc::SYS_setpriority, 2), (libc::SYS_ioprio_set, 3)];

/// `FS_IOC_SETFLAGS`, for both sizes of a number, and `FS_IOC_FSSETXATTR`.
const ATTRIBUTE_IOCTLS: [u64; 3] = [0x4008_6602, 0x4004_6602, 0x401c_5820];
