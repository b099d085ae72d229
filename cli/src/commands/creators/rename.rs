use clap_facade::annotate::mutating;

/// Correct the name of a person (author, editor) on every item.
///
/// A bare name is a family name and stands for everybody who bears it; `Family, Given` is one person.
#[derive(Debug, clap::Args)]
#[command(add = mutating()
    .example("One person", "creators rename \"Knuth, D.\" \"Knuth, Donald E.\"")
    .example("A family name everywhere", "creators rename Mueller Müller"))]
pub struct RenameArgs {
    /// The name as it is: `Family` or `Family, Given`
    pub name: String,

    /// The name as it should be, in the same form
    pub new_name: String,

    /// Only where the person has this role
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
}
