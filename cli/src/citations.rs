//! Citations in a manuscript: which keys it cites, and on which lines.
//!
//! LaTeX (`\cite` and its family), Typst (`@key`, `#cite(<key>)`) and Markdown as Pandoc reads it (`@key`,
//! `[@key; -@key2, p. 3]`). Comments, code and e-mail addresses hold no citations.

use std::path::Path;

/// A key where it is cited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The line, from 1.
    pub line: usize,
    /// The key.
    pub key: String,
}

/// What a manuscript is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// LaTeX.
    Latex,
    /// Typst.
    Typst,
    /// Markdown, R Markdown or Quarto.
    Markdown,
}

impl Markup {
    /// Tells the markup by the file's name, else by what the text holds.
    pub fn detect(path: &Path, text: &str) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
        match extension.as_str() {
            "tex" | "ltx" | "latex" => Self::Latex,
            "typ" => Self::Typst,
            "md" | "markdown" | "rmd" | "qmd" => Self::Markdown,
            _ if text.contains("\\cite") || text.contains("\\documentclass") => Self::Latex,
            _ if text.contains("#cite(") || text.contains("#bibliography(") => Self::Typst,
            _ => Self::Markdown,
        }
    }
}

/// Finds every citation of a manuscript, in order.
pub fn find_citations(markup: Markup, text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let text = match markup {
        Markup::Latex => blank_latex_comments(text),
        Markup::Typst => blank_typst_code(text),
        Markup::Markdown => blank_markdown_code(text),
    };
    match markup {
        Markup::Latex => find_latex(&text, &mut found),
        Markup::Typst => {
            find_typst_calls(&text, &mut found);
            find_at_keys(&text, &mut found);
            found.sort_unstable();
        }
        Markup::Markdown => find_at_keys(&text, &mut found),
    }
    let (mut line, mut counted) = (1, 0);
    let numbered = found.into_iter().map(|(position, key)| {
        line += text[counted..position].matches('\n').count();
        counted = position;
        Citation { line, key: key.to_owned() }
    });
    numbered.collect()
}

/// Keys and their positions, in order.
type Found<'t> = Vec<(usize, &'t str)>;

fn find_latex<'t>(text: &'t str, found: &mut Found<'t>) {
    let mut at = 0;
    while let Some(start) = text[at..].find('\\').map(|offset| at + offset) {
        let name = letters(&text[start + 1..]);
        at = start + 1 + name.len().max(1);
        if !text.is_char_boundary(at) {
            at = start + 1;
        }
        if !is_cite_command(name) {
            continue;
        }
        let mut rest = start + 1 + name.len();
        if text[rest..].starts_with('*') {
            rest += 1;
        }
        // `\cites` takes several groups of optional arguments and keys.
        let many = name.to_lowercase().ends_with("cites");
        loop {
            rest = skip_optional(text, rest);
            let Some((keys, end)) = braced(text, rest) else { break };
            push_keys(text, keys.0, keys.1, found);
            rest = end;
            at = end;
            if !many {
                break;
            }
        }
    }
}

/// `\cite`, `\citep`, `\parencite`, `\footcites`, `\Textcite`, `\nocite`, but not `\citestyle` or `\citation`.
fn is_cite_command(name: &str) -> bool {
    const OTHERS: [&str; 8] =
        ["citestyle", "citesetup", "citereset", "citename", "citelist", "citefield", "citeindextrue", "citeindexfalse"];
    let lower = name.to_lowercase();
    if OTHERS.contains(&lower.as_str()) || lower.starts_with("citation") || lower.starts_with("defcite") {
        return false;
    }
    lower.starts_with("cite") || lower.ends_with("cite") || lower.ends_with("cites")
}

fn letters(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
    &text[..end]
}

/// Past `[..]` arguments, and the `(..)` of `\cites`.
fn skip_optional(text: &str, mut at: usize) -> usize {
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let close = match text[at..].chars().next() {
            Some('[') => ']',
            Some('(') => ')',
            _ => return at,
        };
        let mut depth = 0_i32;
        let end = text[at + 1..].char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            *c == close && depth <= 0
        });
        match end {
            Some((offset, _)) => at += offset + 2,
            None => return at,
        }
    }
}

/// What stands between the braces at a position, and where they end.
fn braced(text: &str, at: usize) -> Option<((usize, usize), usize)> {
    let inner = text[at..].strip_prefix('{')?;
    let length = inner.find('}')?;
    Some(((at + 1, at + 1 + length), at + length + 2))
}

fn push_keys<'t>(text: &'t str, start: usize, end: usize, found: &mut Found<'t>) {
    let mut at = start;
    for part in text[start..end].split(',') {
        let key = part.trim();
        let position = at + part.len() - part.trim_start().len();
        // `\nocite{*}` cites everything, `#1` is a macro's parameter.
        if !key.is_empty() && key != "*" && !key.contains(['#', '\\']) {
            found.push((position, key));
        }
        at += part.len() + 1;
    }
}

fn find_typst_calls<'t>(text: &'t str, found: &mut Found<'t>) {
    for (start, call) in text.match_indices("cite(") {
        let before = text[..start].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            continue;
        }
        let inside = start + call.len();
        let rest = text[inside..].trim_start();
        let position = text.len() - rest.len();
        let key = if let Some(label) = rest.strip_prefix('<') {
            label.split_once('>').map(|(key, _)| key)
        } else if let Some(label) = rest.strip_prefix("label(\"") {
            label.split_once('"').map(|(key, _)| key)
        } else {
            None
        };
        if let Some(key) = key {
            found.push((position, key));
        }
    }
}

/// Finds `@key` where a word may start; `@{any key}` is Pandoc's way to write an odd one.
fn find_at_keys<'t>(text: &'t str, found: &mut Found<'t>) {
    for (at, _) in text.match_indices('@') {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '\\' | '_' | '.' | '@' | '/' | '%' | '+')) {
            continue;
        }
        let rest = &text[at + 1..];
        let key = match rest.strip_prefix('{') {
            Some(inner) => inner.split_once(['}', '\n']).map_or("", |(key, _)| key),
            None => bare_key(rest),
        };
        // Cross-references of Quarto and R Markdown look like citations.
        let is_reference = ["fig-", "tbl-", "eq-", "sec-", "lst-", "thm-"].iter().any(|prefix| key.starts_with(prefix));
        if !key.is_empty() && !is_reference {
            found.push((at, key));
        }
    }
}

/// A key as Pandoc and Typst read it: punctuation only inside.
fn bare_key(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return "";
    }
    let is_inner = |c: char| matches!(c, ':' | '.' | '#' | '$' | '%' | '&' | '-' | '+' | '?' | '<' | '>' | '~' | '/');
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        let next_is_word = chars.peek().is_some_and(|(_, next)| next.is_alphanumeric() || *next == '_');
        if c.is_alphanumeric() || c == '_' || (is_inner(c) && next_is_word) {
            end = index + c.len_utf8();
        } else {
            break;
        }
    }
    &text[..end]
}

/// Without what follows an unescaped `%`, and without what `verbatim` and `\verb` show.
fn blank_latex_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut verbatim: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        if let Some(name) = verbatim {
            if line.contains(&format!("\\end{{{name}}}")) {
                verbatim = None;
            }
            out.push('\n');
            continue;
        }
        verbatim = ["verbatim", "lstlisting", "minted", "comment"]
            .into_iter()
            .find(|name| line.trim_start().starts_with(&format!("\\begin{{{name}}}")));
        let mut escaped = false;
        let end = line.char_indices().find(|(_, c)| {
            let starts_comment = *c == '%' && !escaped;
            escaped = *c == '\\' && !escaped;
            starts_comment
        });
        match end {
            Some((end, _)) => {
                out.push_str(&line[..end]);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Without comments, raw text and strings.
fn blank_typst_code(text: &str) -> String {
    let mut blanked = blank_fences(text);
    blanked = blank_spans(&blanked, "/*", "*/");
    let mut out = String::with_capacity(text.len());
    for line in blanked.split_inclusive('\n') {
        // `//` in an address is no comment.
        let comment = line.match_indices("//").find(|(at, _)| !line[..*at].ends_with(':')).map(|(at, _)| at);
        match comment {
            Some(at) => {
                out.push_str(&line[..at]);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Without code blocks, code spans and HTML comments.
fn blank_markdown_code(text: &str) -> String {
    blank_spans(&blank_fences(text), "<!--", "-->")
}

/// Blanks fenced blocks and code spans, keeping the lines.
fn blank_fences(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<String> = None;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let marks = start.len() - start.trim_start_matches('`').len();
        let tildes = start.len() - start.trim_start_matches('~').len();
        match &fence {
            Some(open) => {
                if start.starts_with(open.as_str()) && start.trim_end().trim_matches(['`', '~']).is_empty() {
                    fence = None;
                }
                out.push('\n');
            }
            None if marks >= 3 && !start[marks..].contains('`') => {
                fence = Some("`".repeat(marks));
                out.push('\n');
            }
            None if tildes >= 3 => {
                fence = Some("~".repeat(tildes));
                out.push('\n');
            }
            None => out.push_str(&blank_code_spans(line)),
        }
    }
    out
}

fn blank_code_spans(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let marks = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        let inside = start + marks;
        match rest[inside..].find(&"`".repeat(marks)) {
            Some(length) => {
                out.push_str(&rest[..start]);
                out.push(' ');
                rest = &rest[inside + length + marks..];
            }
            None => {
                out.push_str(&rest[..inside]);
                rest = &rest[inside..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Blanks what stands between two marks, keeping the line ends; an open one reaches to the end.
fn blank_spans(text: &str, open: &str, close: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(open) {
        out.push_str(&rest[..start]);
        let inside = &rest[start + open.len()..];
        let length = inside.find(close);
        let hidden = &inside[..length.unwrap_or(inside.len())];
        out.extend(hidden.chars().filter(|c| *c == '\n'));
        rest = length.map_or("", |length| &inside[length + close.len()..]);
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(markup: Markup, text: &str) -> String {
        let found = find_citations(markup, text);
        found.iter().map(|citation| format!("{}:{}", citation.line, citation.key)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn latex() {
        for (text, expected) in [
            (r"\cite{a,b} and \citep[see][p.~3]{c}", "1:a 1:b 1:c"),
            ("\\parencite*{a}\n\\textcite {b}\n\\Footcite[{[x]}]{c}", "1:a 2:b 3:c"),
            ("\\cite{a,\n  b ,\nc}", "1:a 2:b 3:c"),
            (r"\cites(pre)(post)[1]{a}[2][3]{b} {c}", "1:a 1:b 1:c"),
            ("% \\cite{a}\n50\\% \\cite{b} % \\cite{c}", "2:b"),
            (r"\citestyle{apa} \citation{x} \nocite{*} \nocite{d} \newcommand{\x}[1]{\cite{#1}}", "1:d"),
            ("\\begin{verbatim}\n\\cite{a}\n\\end{verbatim}\n\\cite{b}", "4:b"),
            (r"\cite{müller:2020/x} \é \cite", "1:müller:2020/x"),
            (r"\cite{a", ""),
            (r"\citeauthor{a} (\citeyear{a})", "1:a 1:a"),
            ("me@example.org @x", ""),
        ] {
            assert_eq!(keys(Markup::Latex, text), expected, "{text}");
        }
    }

    #[test]
    fn typst() {
        for (text, expected) in [
            ("See @knuth1984, @b. #cite(<c>, form: \"prose\")", "1:knuth1984 1:b 1:c"),
            ("@a[p. 3]\n#cite(label(\"d/e\"))", "1:a 2:d/e"),
            ("// @a\n/* @b\n@c */ @d\nhttps://x.org/@e `@f`\n```\n@g\n```\n@h", "3:d 8:h"),
            ("= Intro <intro>\nmail a@b.org", ""),
        ] {
            assert_eq!(keys(Markup::Typst, text), expected, "{text}");
        }
    }

    #[test]
    fn markdown() {
        for (text, expected) in [
            ("[@a; -@b, p. 3; see @c:d-e.f.] and @g.", "1:a 1:b 1:c:d-e.f 1:g"),
            ("@{https://x.org/1}\nme@example.org \\@no @fig-one", "1:https://x.org/1"),
            ("`@a` ``x ` @b`` @c\n~~~\n@d\n~~~\n<!-- @e\n-->@f", "1:c 6:f"),
            ("@", ""),
            ("**@a** *@b* (@c) \"@d\"", "1:a 1:b 1:c 1:d"),
        ] {
            assert_eq!(keys(Markup::Markdown, text), expected, "{text}");
        }
    }

    #[test]
    fn markup_is_told_by_name_then_by_content() {
        for (name, text, expected) in [
            ("a.TEX", "", Markup::Latex),
            ("a.typ", "", Markup::Typst),
            ("a.qmd", "\\cite{x}", Markup::Markdown),
            ("a.txt", "\\citep{x}", Markup::Latex),
            ("a", "#cite(<x>)", Markup::Typst),
            ("a.txt", "@x", Markup::Markdown),
        ] {
            assert_eq!(Markup::detect(Path::new(name), text), expected, "{name}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_brings_the_search_down(text in "(\\\\cites?|\\PC|[{}\\[\\]()@<>`~%\n/*]){0,40}") {
            for markup in [Markup::Latex, Markup::Typst, Markup::Markdown] {
                find_citations(markup, &text);
            }
        }
    }
}
