//! Values as help prints them: `<A> <B>...`, `[<A>]`, `[=<A>]`, `A`.

/// Reads a bracketed group at the start of a text: its inside, and what follows it.
///
/// Brackets may nest: `[CRATE[@<VER>]]`.
pub(super) fn group(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next().filter(|c| "<[({".contains(*c))?;
    let mut closers = vec![closer(open)];
    for (at, c) in text.char_indices().skip(1) {
        if "<[({".contains(c) {
            closers.push(closer(c));
        } else if closers.last() == Some(&c) {
            closers.pop();
            if closers.is_empty() {
                return Some((&text[open.len_utf8()..at], &text[at + c.len_utf8()..]));
            }
        }
    }
    // Something like `<A->B`: the nearest closing bracket has to do.
    let end = text.find(closer(open))?;
    Some((&text[1..end], &text[end + 1..]))
}

/// Reads `...` or `…` at the start of a text.
pub(super) fn dots(text: &str) -> Option<&str> {
    text.strip_prefix("...").or_else(|| text.strip_prefix('…'))
}

/// Reads a value's name without brackets: capitals, as a lookalike prints them.
pub(super) fn capitals(text: &str) -> Option<(&str, &str)> {
    let end =
        text.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || "_-|".contains(c))).unwrap_or(text.len());
    let name = &text[..end];
    let fits = name.starts_with(|c: char| c.is_ascii_uppercase())
        && (name.len() > 1 || end == text.len() || text[end..].starts_with("  "));
    let ends = text[end..].is_empty() || text[end..].starts_with([' ', '.', ']', '…', ',']);
    (fits && ends).then_some((name, &text[end..]))
}

fn closer(open: char) -> char {
    match open {
        '<' => '>',
        '[' => ']',
        '(' => ')',
        _ => '}',
    }
}
