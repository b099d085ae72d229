use clap_facade::annotate::read_only;

/// Find people recorded under more than one spelling: accents, initials, swapped or misspelt names.
#[derive(Debug, clap::Args)]
#[command(add = read_only().untrusted_output())]
pub struct AuditArgs {}
