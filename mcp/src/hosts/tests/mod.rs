//! Every host × a corpus of files × what is done to them; generated files; files on disk.

mod corpus;
mod files;
mod generated;
mod refused;
mod table;

use super::*;

fn entry() -> Entry {
    Entry::new("/opt/my app/bin/app", ["mcp", "start", "--say=\"hi\"", "C:\\x"]).env("PATH", "/opt/bin:/usr/bin")
}

fn other() -> Entry {
    Entry::new("/usr/bin/other", ["serve"]).env("PATH", "/usr/bin").env("MODE", "é")
}

/// Tells whether every byte of `part` stands in `whole`, in the same order.
fn keeps(whole: &str, part: &str) -> bool {
    let mut whole = whole.bytes();
    part.bytes().all(|byte| whole.any(|other| other == byte))
}
