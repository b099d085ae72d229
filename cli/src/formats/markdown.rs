//! Markdown: a reading list for people. It is written, never read.

use super::{Record, Role};

/// Writes records as a Markdown list, one item a work.
pub fn render(records: &[Record]) -> String {
    records.iter().map(|record| format!("- {}\n", render_line(record))).collect()
}

fn render_line(record: &Record) -> String {
    let mut parts = Vec::new();
    let lead = [Role::Author, Role::Editor].into_iter().find(|role| record.creators_as(*role).next().is_some());
    if let Some(role) = lead {
        let names: Vec<String> = record.creators_as(role).map(|creator| escape(&creator.name.to_string())).collect();
        let mark = if role == Role::Editor { " (eds.)" } else { "" };
        parts.push(format!("{}{mark}", names.join("; ")));
    }
    if let Some(issued) = &record.issued {
        parts.push(format!("({})", escape(&issued.to_string())));
    }
    let title = escape(record.title.as_deref().unwrap_or("[untitled]"));
    parts.push(match link(record) {
        Some(link) => format!("[*{title}*]({link})."),
        None => format!("*{title}*."),
    });
    if let Some(place) = source(record) {
        parts.push(format!("{place}."));
    }
    if let Some(key) = &record.citekey {
        parts.push(format!("`{}`", key.replace('`', "")));
    }
    parts.join(" ")
}

fn source(record: &Record) -> Option<String> {
    let mut parts = Vec::new();
    if let Some(container) = &record.container_title {
        parts.push(escape(container));
    }
    match (&record.volume, &record.issue) {
        (Some(volume), Some(issue)) => parts.push(format!("{}({})", escape(volume), escape(issue))),
        (Some(number), None) | (None, Some(number)) => parts.push(escape(number)),
        (None, None) => {}
    }
    if let Some(pages) = &record.pages {
        parts.push(escape(pages));
    }
    let publisher: Vec<String> =
        [&record.place, &record.publisher].into_iter().flatten().map(|text| escape(text)).collect();
    if !publisher.is_empty() {
        parts.push(publisher.join(": "));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Where the work can be found; only addresses that are safe inside parentheses.
fn link(record: &Record) -> Option<String> {
    let address = match (&record.doi, &record.url) {
        (Some(doi), _) => format!("https://doi.org/{doi}"),
        (None, Some(url)) if url.starts_with("https://") || url.starts_with("http://") => url.clone(),
        _ => return None,
    };
    let encoded = address.replace('<', "%3C").replace('>', "%3E").replace(char::is_whitespace, "%20");
    Some(if encoded.contains(['(', ')']) { format!("<{encoded}>") } else { encoded })
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|') {
            out.push('\\');
        }
        out.push(if c.is_whitespace() { ' ' } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Creator, When};
    use super::*;

    #[test]
    fn a_work_is_one_line() {
        let record = Record {
            citekey: Some("shannon1948".into()),
            title: Some("A [Mathematical] Theory\nof *Communication*".into()),
            creators: vec![Creator::person(Role::Author, "Shannon", "Claude E.")],
            issued: Some(When::from_year(1948)),
            container_title: Some("Bell System Technical Journal".into()),
            volume: Some("27".into()),
            issue: Some("3".into()),
            pages: Some("379-423".into()),
            doi: Some("10.1002/(x)".into()),
            ..Record::default()
        };
        insta::assert_snapshot!(render(&[record]), @r"
        - Shannon, Claude E. (1948) [*A \[Mathematical\] Theory of \*Communication\**](<https://doi.org/10.1002/(x)>). Bell System Technical Journal, 27(3), 379-423. `shannon1948`
        ");
    }
}
