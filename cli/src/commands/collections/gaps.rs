use clap_facade::annotate::read_only;

/// Find what a collection lacks: fields, PDFs or tags its siblings have, and recent years.
///
/// A field is compared among items of one type; PDFs and tags among all members. Something is a gap when at least
/// `--share` of the members have it and others don't. The report also says how recent the material is: the newest
/// year, the years without any item, and how many items fall into the last `--recent` years.
#[derive(Debug, clap::Args)]
#[command(add = read_only().example("What do the papers on the shelf Attention lack", "collections gaps Attention"))]
pub struct GapsArgs {
    /// The collection: its name, path or id
    pub collection: String,

    /// Also the items of the collections inside it
    #[arg(long, short)]
    pub recursive: bool,

    /// Percentage of the members that must have something before its absence is a gap
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u8).range(1..=99))]
    pub share: u8,

    /// How many years back count as recent, newer material
    #[arg(long, value_name = "YEARS", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub recent: u16,
}
