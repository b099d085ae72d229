use crate::commands::targets::FoundItem;
use crate::contract::Plan;
use crate::db::row;
use crate::error::CliError;
use serde_json::{Value, json};

/// Where an entry of the reading list stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ReadingState {
    /// To be read
    Queued,
    /// Being read
    Reading,
    /// Read
    Done,
}

/// How soon an item is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Priority {
    /// Before the others
    High,
    /// In its turn
    Normal,
    /// After the others
    Low,
}

impl ReadingState {
    /// The state as stored.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Reading => "reading",
            Self::Done => "done",
        }
    }
}

impl Priority {
    /// The priority as stored: the higher, the sooner.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::High => 1,
            Self::Normal => 0,
            Self::Low => -1,
        }
    }
}

/// Brings an item into a state, putting it on the list if it isn't.
pub(crate) fn put(
    plan: &mut Plan,
    item: &FoundItem,
    state: ReadingState,
    priority: Option<i64>,
) -> Result<(), CliError> {
    let now = plan.now();
    let Some(entry) = plan.find("reading_list", &[("item_id", json!(item.id))])? else {
        let columns = [
            ("item_id", json!(item.id)),
            ("state", json!(state.name())),
            ("priority", json!(priority.unwrap_or_default())),
            ("added_at", json!(now)),
            ("started_at", if state == ReadingState::Reading { json!(now) } else { Value::Null }),
            ("finished_at", if state == ReadingState::Done { json!(now) } else { Value::Null }),
        ];
        return plan.insert("reading_list", row(columns)).map(drop);
    };
    let (before, known) = (entry["state"].as_str().unwrap_or_default(), entry["priority"].clone());
    let mut after = row([("priority", priority.map_or(known, |priority| json!(priority)))]);
    if before != state.name() {
        after.insert("state".into(), json!(state.name()));
        match state {
            ReadingState::Queued => after.extend(row([("started_at", Value::Null), ("finished_at", Value::Null)])),
            ReadingState::Reading => after.extend(row([("started_at", json!(now)), ("finished_at", Value::Null)])),
            ReadingState::Done => after.extend(row([("finished_at", json!(now))])),
        }
    }
    plan.update("reading_list", entry["id"].as_i64().unwrap_or_default(), after)
}
