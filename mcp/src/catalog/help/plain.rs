//! Text as a terminal would show it: no colours, no overstrike, no tabs.

/// Returns a program's output as plain lines.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut column = 0;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => skip_escape(&mut chars),
            '\u{8}' => {
                // A man page's bold is a letter, a backspace and the letter again.
                if out.pop().is_some_and(|gone| gone != '\n') {
                    column = usize::saturating_sub(column, 1);
                }
            }
            '\r' => {}
            '\n' => {
                out.truncate(out.trim_end_matches(' ').len());
                out.push('\n');
                column = 0;
            }
            '\t' => {
                let width = 8 - column % 8;
                out.extend(std::iter::repeat_n(' ', width));
                column += width;
            }
            '\u{a0}' => {
                out.push(' ');
                column += 1;
            }
            c if c.is_control() => {}
            c => {
                out.push(c);
                column += 1;
            }
        }
    }
    out
}

/// Skips what follows an escape: a colour, a cursor movement, or a hyperlink up to its end.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => while chars.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
        Some(']') => {
            while let Some(c) = chars.next() {
                match c {
                    '\u{7}' => break,
                    '\u{1b}' => {
                        chars.next_if_eq(&'\\');
                        break;
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn nothing_but_text_is_left() {
        for (raw, text) in [
            ("\u{1b}[1;32mUsage:\u{1b}[0m app", "Usage: app"),
            ("\u{1b}]8;;https://x.y\u{1b}\\link\u{1b}]8;;\u{7} end", "link end"),
            ("B\u{8}Bo\u{8}ol\u{8}ld", "Bold"),
            ("a\tb\r\nc  \n", "a       b\nc\n"),
            ("cut \u{1b}[", "cut "),
        ] {
            assert_eq!(plain(raw), text, "{raw:?}");
        }
    }
}
