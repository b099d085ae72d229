use super::{Data, EditError, Existing, insert, parse, read, remove, split_mark, take};
use crate::hosts::host::Host;

/// Undoes an [`insert`] that was made on `before`, as far as possible byte for byte, and keeps what changed since.
///
/// An entry that `before` had is put back; the maps that were made for the entry go when nothing else is in them.
///
/// # Errors
/// When the text is malformed or has no such entry.
pub(in crate::hosts) fn revert(text: &str, before: &str, host: Host, name: &str) -> Result<String, EditError> {
    let fallback = remove(text, host, name)?;
    let Ok(earlier) = parse(split_mark(before).1, host.format()) else { return Ok(fallback) };
    let path = [host.key(), name];
    let now = parse(split_mark(text).1, host.format())?;
    let old = earlier.get(host.key()).and_then(|servers| servers.get(name)).cloned();
    let had_entry = old.is_some();
    let mut wanted = now;
    wanted.put(&path, old);
    let made_map = earlier.get(host.key()).is_none_or(|servers| !matches!(servers, Data::Map(_)));
    let alone = wanted.get(host.key()).is_some_and(Data::is_empty_map);
    if made_map && alone {
        wanted.put(&[host.key()], earlier.get(host.key()).cloned());
    }
    let fits = |candidate: &str| same(host, candidate, &wanted);
    if let Some(entry) = read(text, host, name)?
        && let Ok(after) = insert(before, host, name, &entry, Existing::Replace)
        && let Some(candidate) = undo(text, before, &after).filter(|candidate| fits(candidate))
    {
        return Ok(candidate);
    }
    if !had_entry && made_map && alone && earlier.get(host.key()).is_none() {
        let (mark, body) = split_mark(&fallback);
        let bare = take(body, host.format(), &[host.key()]).map(|body| format!("{mark}{body}"));
        if let Some(bare) = bare.ok().filter(|bare| fits(bare)) {
            return Ok(bare);
        }
    }
    Ok(fallback)
}

/// Takes the change from `before` to `after` back in `text`, which may have changed elsewhere or inside the change.
fn undo(text: &str, before: &str, after: &str) -> Option<String> {
    let start = common(before.bytes(), after.bytes());
    let limit = before.len().min(after.len()) - start;
    let end = common(before.bytes().rev(), after.bytes().rev()).min(limit);
    let start = after.floor_char_boundary(start);
    let end = (0..=end)
        .rev()
        .find(|end| after.is_char_boundary(after.len() - end) && before.is_char_boundary(before.len() - end))?;
    let added = &after[start..after.len() - end];
    let taken = &before[start..before.len() - end];
    let mut found = text.match_indices(added);
    if let (Some((at, _)), None) = (found.next().filter(|_| !added.is_empty()), found.next()) {
        return Some(format!("{}{taken}{}", &text[..at], &text[at + added.len()..]));
    }
    let (head, tail) = (&before[..start], &before[before.len() - end..]);
    let rest = text.strip_prefix(head)?;
    rest.ends_with(tail).then(|| before.to_owned())
}

fn common(a: impl Iterator<Item = u8>, b: impl Iterator<Item = u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

fn same(host: Host, text: &str, wanted: &Data) -> bool {
    parse(split_mark(text).1, host.format()).is_ok_and(|data| {
        let empty = |data: &Data| data.is_null() || data.is_empty_map();
        data == *wanted || (empty(&data) && empty(wanted))
    })
}
