//! Usage lines: what is required, and what is named nowhere else.

use super::arity::{dots, group};
use super::page::{Argument, Flag};
use super::sections::{Kind, Section};

/// The usage of one command.
#[derive(Debug, Default)]
pub(super) struct Usage {
    lines: Vec<Parsed>,
}

#[derive(Debug)]
struct Parsed {
    text: String,
    tokens: Vec<Token>,
}

/// One piece of a usage line behind the command's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// `[OPTIONS]`.
    Options,
    /// `<COMMAND>` or `[COMMAND]`.
    Command { name: String, required: bool },
    /// `<NAME>...`.
    Positional { name: String, required: bool, more: bool, last: bool },
    /// `--name`, with its value if any.
    Flag(String),
    /// Alternatives: none of their members is required by itself.
    Alternatives,
}

impl Usage {
    pub(super) fn read(sections: &[Section<'_>]) -> Self {
        let lines = sections.iter().filter(|section| section.kind == Kind::Usage);
        let lines = lines.flat_map(|section| &section.lines).map(|line| line.trim()).filter(|line| !line.is_empty());
        let mut whole: Vec<String> = Vec::new();
        for line in lines {
            let line = line.strip_prefix("or: ").unwrap_or(line);
            let program = whole.first().and_then(|first| first.split_whitespace().next());
            let starts = program.is_none_or(|program| line.split_whitespace().next() == Some(program));
            match whole.last_mut() {
                Some(last) if !starts => {
                    last.push(' ');
                    last.push_str(line);
                }
                _ => whole.push(line.to_owned()),
            }
        }
        // A flattened page goes on with the usage of each subcommand.
        let own = whole.first().map(|first| words(first));
        let mut lines: Vec<Parsed> = Vec::new();
        for text in whole {
            if Some(words(&text)) == own {
                lines.push(Parsed { tokens: tokens(&text), text });
            }
        }
        Self { lines }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| line.text.as_str())
    }

    /// Tells whether a command has a place, and whether it must be given.
    pub(super) fn command(&self) -> Option<bool> {
        let of = |line: &Parsed| {
            line.tokens.iter().find_map(|token| match token {
                Token::Command { required, .. } => Some(*required),
                _ => None,
            })
        };
        let found: Vec<Option<bool>> = self.lines.iter().map(of).collect();
        found.iter().any(Option::is_some).then(|| found.iter().all(|required| *required == Some(true)))
    }

    /// Tells whether a line has the command alone and another the options.
    pub(super) fn splits_off_commands(&self) -> bool {
        let alone = |line: &Parsed| matches!(line.tokens.as_slice(), [Token::Command { .. }]);
        self.lines.iter().any(alone) && self.lines.iter().any(|line| !line.has_command())
    }

    /// Tells whether a line with the command requires nothing else.
    pub(super) fn waives_with_commands(&self) -> bool {
        let required = |token: &Token| match token {
            Token::Positional { required, .. } => *required,
            Token::Flag(_) | Token::Alternatives => true,
            Token::Options | Token::Command { .. } => false,
        };
        self.lines.iter().filter(|line| line.has_command()).any(|line| !line.tokens.iter().any(required))
    }

    /// Takes a command's place for the positional that it is, where the page describes one of that name.
    pub(super) fn describe_positional(&mut self, described: &str) {
        for token in self.lines.iter_mut().flat_map(|line| &mut line.tokens) {
            if let Token::Command { name, required } = token
                && name == described
            {
                *token = positional(described, *required, false, false);
            }
        }
    }

    /// Tells whether a positional of this name stands in a line.
    pub(super) fn names(&self, name: &str) -> bool {
        self.lines.iter().flat_map(|line| &line.tokens).any(|token| is_positional(token, name))
    }

    pub(super) fn requires_flag(&self, flag: &Flag) -> bool {
        let is = |written: &str| match written.strip_prefix("--") {
            Some(long) => flag.long.as_deref() == Some(long),
            None => written.strip_prefix('-').is_some_and(|short| short.chars().eq(flag.short)),
        };
        self.in_every_line(|token| matches!(token, Token::Flag(written) if is(written)))
    }

    /// Puts the positionals in the order of the usage, and adds what only the usage names.
    pub(super) fn settle(&self, mut listed: Vec<Argument>, has_commands: bool) -> Vec<Argument> {
        if listed.is_empty() {
            return if has_commands { Vec::new() } else { self.named_here_alone() };
        }
        let place = |name: &str| {
            let order = self.lines.iter().map(|line| line.tokens.iter().position(|token| is_positional(token, name)));
            order.flatten().next()
        };
        if listed.iter().all(|argument| place(&argument.name).is_some()) {
            listed.sort_by_key(|argument| place(&argument.name));
        }
        for argument in &mut listed {
            let tokens =
                || self.lines.iter().flat_map(|line| &line.tokens).filter(|token| is_positional(token, &argument.name));
            argument.required &= self.in_every_line(
                |token| matches!(token, Token::Positional { name, required: true, .. } if *name == argument.name),
            );
            argument.more |= tokens().any(|token| matches!(token, Token::Positional { more: true, .. }));
            argument.last = tokens().next().is_some()
                && tokens().all(|token| matches!(token, Token::Positional { last: true, .. }));
        }
        listed
    }

    fn named_here_alone(&self) -> Vec<Argument> {
        let of = |line: &Parsed| -> Vec<Argument> {
            let positionals = line.tokens.iter().filter_map(|token| match token {
                Token::Positional { name, required, more, last } => Some(bare(name, *required, *more, *last)),
                _ => None,
            });
            let mut arguments: Vec<Argument> = Vec::new();
            for argument in positionals {
                match arguments.iter_mut().find(|known| known.name == argument.name) {
                    Some(known) => known.more |= argument.more,
                    None => arguments.push(argument),
                }
            }
            arguments
        };
        let mut lines = self.lines.iter().map(of);
        let first = lines.next().unwrap_or_default();
        let others: Vec<Vec<Argument>> = lines.collect();
        if others.iter().all(|other| *other == first) {
            return first;
        }
        // Lines that differ: one list that any of them fits.
        let name = first.iter().chain(others.iter().flatten()).next().map(|argument| argument.name.clone());
        name.map(|name| bare(&name, false, true, false)).into_iter().collect()
    }

    fn in_every_line(&self, is: impl Fn(&Token) -> bool) -> bool {
        let mut lines = self.lines.iter().filter(|line| !line.has_command() || self.lines.len() == 1).peekable();
        let any = lines.peek().is_some();
        any && lines.all(|line| !line.tokens.contains(&Token::Alternatives) && line.tokens.iter().any(&is))
    }
}

impl Parsed {
    fn has_command(&self) -> bool {
        self.tokens.iter().any(|token| matches!(token, Token::Command { .. }))
    }
}

/// Counts the words of a command's own path at the start of a usage line.
pub(super) fn words(usage: &str) -> usize {
    pieces(usage).iter().take(own_words(&pieces(usage))).filter(|piece| is_word(piece)).count().max(1)
}

fn bare(name: &str, required: bool, more: bool, last: bool) -> Argument {
    Argument {
        name: name.to_owned(),
        names: 1,
        more,
        required,
        last,
        help: String::new(),
        default: Vec::new(),
        choices: Vec::new(),
        env: None,
    }
}

fn is_positional(token: &Token, wanted: &str) -> bool {
    matches!(token, Token::Positional { name, .. } if name == wanted)
}

/// Splits at blanks outside of brackets.
fn pieces(line: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = line.trim();
    while !rest.is_empty() {
        let mut end = 0;
        while let Some(c) = rest[end..].chars().next().filter(|c| !c.is_whitespace()) {
            end += match group(&rest[end..]) {
                Some((_, behind)) if "<[({".contains(c) => rest.len() - end - behind.len(),
                _ => c.len_utf8(),
            };
        }
        pieces.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    pieces
}

fn is_word(piece: &str) -> bool {
    if let Some(names) = piece.strip_prefix('{') {
        // A command that has a flag as well: `{list|-S}`.
        return names.contains("|-");
    }
    !piece.starts_with(['<', '[', '(', '-', '.', '…'])
        && piece.contains(|c: char| c.is_lowercase() || c.is_ascii_digit())
}

/// How many pieces belong to the command's own path: up to its last word, what its ancestors require between them
/// included.
fn own_words(pieces: &[&str]) -> usize {
    let last = pieces
        .iter()
        .enumerate()
        .skip(1)
        .rfind(|(at, piece)| is_word(piece) && !pieces[at - 1].starts_with('-') && !pieces[..*at].contains(&"--"));
    last.map_or(1, |(at, _)| at + 1)
}

fn tokens(line: &str) -> Vec<Token> {
    let pieces = pieces(line);
    let mut tokens = Vec::new();
    let mut last = false;
    let mut rest = pieces[own_words(&pieces).min(pieces.len())..].iter().peekable();
    while let Some(piece) = rest.next() {
        match *piece {
            "--" => last = true,
            "|" => tokens.push(Token::Alternatives),
            "..." | "…" => {}
            flag if flag.starts_with('-') => {
                let name = flag.split('=').next().unwrap_or(flag).trim_end_matches("...");
                let joined = name.len() < flag.len();
                tokens.push(Token::Flag(name.to_owned()));
                // Only the first value is sure to be one: positionals may follow.
                if !joined {
                    rest.next_if(|next| next.starts_with('<'));
                }
            }
            piece => tokens.extend(token(piece, last)),
        }
    }
    tokens
}

fn token(piece: &str, last: bool) -> Option<Token> {
    let Some((inside, behind)) = group(piece).filter(|_| piece.starts_with(['<', '[', '(', '{'])) else {
        let name = piece.trim_end_matches("...").trim_end_matches('…');
        let capitals = name.contains(|c: char| c.is_alphanumeric()) && !name.contains(char::is_lowercase);
        let more = name.len() < piece.len();
        return capitals.then(|| Token::Positional { name: name.to_owned(), required: true, more, last });
    };
    let required = piece.starts_with('<');
    let more = dots(behind).is_some();
    if piece.starts_with(['(', '{']) {
        return Some(Token::Alternatives);
    }
    let word = inside.trim_end_matches("...").to_lowercase();
    match word.as_str() {
        "options" | "flags" | "option" => return Some(Token::Options),
        "command" | "subcommand" | "commands" | "subcommands" => {
            // `[COMMAND]...` is a list of words, as any other positional.
            return Some(if more {
                positional(inside, required, true, last)
            } else {
                Token::Command { name: inside.to_owned(), required }
            });
        }
        "--" => return None,
        _ => {}
    }
    if let Some(behind) = inside.strip_prefix("-- ") {
        return match group(behind) {
            Some((name, dotted)) => Some(positional(name, false, more || dots(dotted).is_some(), true)),
            None => Some(positional(behind, false, more, true)),
        };
    }
    if inside.starts_with('-') || inside.contains("|-") || inside.contains(" -") {
        return required.then_some(Token::Alternatives);
    }
    if inside.starts_with('<')
        && let Some((name, dotted)) = group(inside)
    {
        return Some(positional(name, false, more || dots(dotted).is_some(), last));
    }
    Some(positional(inside, required, more, last))
}

fn positional(name: &str, required: bool, more: bool, last: bool) -> Token {
    let plain = name.trim_end_matches("...");
    Token::Positional { name: plain.to_owned(), required, more: more || plain.len() < name.len(), last }
}
