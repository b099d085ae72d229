use clap_facade::annotate::read_only;

/// Check the library's quality: broken metadata, missing fields, lost files; a gate for scripts.
///
/// Presets: `quick` is what every library should pass; `citation` adds what a bibliography needs; `review` adds what
/// a literature review needs (abstracts, PDFs, tags); `all` is everything. With `--fail-on` a finding of that weight or
/// more ends with exit code 11. `--fix` repairs what needs no judgement.
#[derive(Debug, clap::Args)]
#[command(add = read_only().mutating_when("fix").untrusted_output()
    .example("Is everything there that a bibliography needs", "library health --for citation")
    .example("Repair what the quick gate complains about", "library health --for quick --fix"))]
pub(crate) struct HealthArgs {
    /// What the library has to be good for
    #[arg(long = "for", value_enum, default_value_t = Purpose::Quick, value_name = "PURPOSE")]
    purpose: Purpose,

    /// Exit with code 11 if there is a finding of this weight or more
    #[arg(long, value_enum, value_name = "WEIGHT")]
    fail_on: Option<Weight>,

    /// Repair what needs no judgement: stray spaces, DOI links, page ranges, ISBN hyphens
    #[arg(long)]
    fix: bool,

    /// Only items of this collection (name, path or id)
    #[arg(long, value_name = "COLLECTION")]
    collection: Option<String>,
}
