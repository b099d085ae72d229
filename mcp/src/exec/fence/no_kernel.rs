//! Systems whose kernel can't hold a process to reading.

use super::{Enforcement, Rules};

/// Returns how far this system can hold a command to reading.
pub(super) fn support() -> Enforcement {
    Enforcement::Unsupported
}

/// Never called: nothing is enforced here.
pub(super) fn restrict_thread(_rules: &Rules) -> Result<(), String> {
    Err("this system has no Landlock".to_owned())
}
