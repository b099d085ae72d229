use crate::commands::input::parse_share;
use crate::context::Context;
use crate::db::{Row, row};
use crate::error::CliError;
use crate::model::{Item, item_by_key, title_words};
use clap_facade::annotate;
use serde_json::json;

/// List items similar to one: likely related by title words, authors and tags
#[derive(Debug, clap::Args)]
#[command(add = annotate::read_only().untrusted_output().example("What belongs to this work", "items similar darwin1859"))]
pub(crate) struct SimilarArgs {
    /// The citation key or DOI
    #[arg(value_name = "KEY")]
    key: String,
    /// Leave out items that score less, from 0 to 1
    #[arg(long, value_name = "SCORE", default_value_t = 0.1, value_parser = parse_share)]
    min_score: f64,
    /// Show at most this many items
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: u32,
}

pub(crate) fn cmd_similar(ctx: &mut Context<'_, '_>, args: &SimilarArgs) -> Result<(), CliError> {
    let db = ctx.db()?;
    let item = Traits::of(&item_by_key(&db, &args.key)?);
    let others = Item::select(&db, "i.trashed_at IS NULL AND i.key <> ?1 ORDER BY i.key", &[json!(item.key)])?;
    let mut rows: Vec<(f64, Row)> = others
        .iter()
        .filter_map(|other| {
            let (score, shared) = item.likeness(&Traits::of(other));
            let columns = row([
                ("key", json!(other.key)),
                ("score", json!((score * 100.0).round() / 100.0)),
                ("shared", json!(shared)),
                ("year", json!(other.year())),
                ("title", json!(other.title)),
            ]);
            (score > 0.0 && score >= args.min_score).then_some((score, columns))
        })
        .collect();
    rows.sort_by(|left, right| right.0.total_cmp(&left.0));
    let total = rows.len();
    let rows: Vec<Row> = rows.into_iter().take(args.limit as usize).map(|(_, row)| row).collect();
    ctx.print_rows(&["key", "score", "year", "title", "shared"], &rows, total)
}

/// What two items may share.
struct Traits {
    key: String,
    words: Vec<String>,
    creators: Vec<String>,
    tags: Vec<String>,
}

impl Traits {
    fn of(item: &Item) -> Self {
        let name = |creator: &crate::model::Creator| match creator.literal.as_str() {
            "" => creator.family.to_lowercase(),
            literal => literal.to_lowercase(),
        };
        Self {
            key: item.key.clone(),
            words: title_words(&item.title),
            creators: item.creators.iter().map(name).collect(),
            tags: item.tags.iter().map(|tag| tag.to_lowercase()).collect(),
        }
    }

    /// A score from 0 to 1, and what is shared.
    fn likeness(&self, other: &Self) -> (f64, Vec<String>) {
        let parts = [
            (0.4, &self.words, &other.words),
            (0.35, &self.creators, &other.creators),
            (0.25, &self.tags, &other.tags),
        ];
        let mut score = 0.0;
        let mut shared = Vec::new();
        for (weight, left, right) in parts {
            let common: Vec<&String> = left.iter().filter(|word| right.contains(word)).collect();
            let smaller = left.len().min(right.len());
            if smaller > 0 {
                score += weight * common.len() as f64 / smaller as f64;
            }
            shared.extend(common.into_iter().filter(|word| !word.is_empty()).cloned());
        }
        shared.sort();
        shared.dedup();
        (score, shared)
    }
}
