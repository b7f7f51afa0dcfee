//! Cuts a text into the tokens bash would see, with byte positions, here-documents and nesting checked on the way.

use super::{doubt::Doubt, nesting::Nesting, scan};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenClass {
    Word,
    Operator,
    /// The inside of `((…))`.
    Arithmetic,
    /// The body of a here-document, placed behind its tag.
    HereBody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) class: TokenClass,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn text<'t>(&self, source: &'t str) -> &'t str {
        source.get(self.start..self.end).unwrap_or_default()
    }
}

/// Words that change the grammar where a command may start.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "!" | "{"
            | "}"
            | "case"
            | "do"
            | "done"
            | "elif"
            | "else"
            | "esac"
            | "fi"
            | "for"
            | "if"
            | "in"
            | "then"
            | "until"
            | "while"
            | "[["
            | "]]"
            | "function"
            | "select"
            | "coproc"
            | "time"
    )
}

struct Tokenizer<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// Here-documents whose body has not come yet: index of the tag token, and whether tabs are stripped.
    pending: Vec<(usize, bool)>,
    nesting: Nesting,
    /// Between the parentheses of `name=(…)`.
    in_array: bool,
    at: usize,
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Doubt> {
    let mut tokenizer = Tokenizer {
        text,
        tokens: Vec::with_capacity(16),
        pending: Vec::new(),
        nesting: Nesting::default(),
        in_array: false,
        at: 0,
    };
    while tokenizer.step()? {}
    if let Some((tag, _)) = tokenizer.pending.first() {
        let tag = tokenizer.tokens.get(*tag).copied();
        let doubt = Doubt::new("syntax.heredoc", "the here-document has no end");
        return Err(tag.map_or(doubt.clone(), |tag| doubt.at(tag.start, tag.end)));
    }
    Ok(tokenizer.tokens)
}

impl Tokenizer<'_> {
    /// Reads one token or blank; `false` at the end.
    fn step(&mut self) -> Result<bool, Doubt> {
        let (text, at) = (self.text, self.at);
        let next = scan::byte(text, at + 1);
        match scan::byte(text, at) {
            0 => return Ok(false),
            b' ' | b'\t' => self.at += 1,
            b'\\' if next == b'\n' => self.at = scan::continuation(text, at, 0)?,
            b'#' => {
                if self.nesting.condition > 0 {
                    return Err(Doubt::new("syntax.comment", "a comment inside `[[`").at(at, at + 1));
                }
                self.at += text.get(at..).and_then(|rest| rest.find('\n')).unwrap_or(text.len() - at);
            }
            b'\n' => {
                self.operator(1)?;
                self.read_here_documents()?;
            }
            b'(' if next == b'(' => self.arithmetic()?,
            b'<' | b'>' if next == b'(' => self.word()?,
            first if scan::is_meta(first) => self.operator(operator_length(text, at))?,
            _ => self.word()?,
        }
        Ok(true)
    }

    fn push(&mut self, class: TokenClass, start: usize, end: usize) -> Result<(), Doubt> {
        let token = Token { class, start, end };
        self.nesting.see(&token, self.text)?;
        self.tokens.push(token);
        self.at = end;
        Ok(())
    }

    fn operator(&mut self, length: usize) -> Result<(), Doubt> {
        let start = self.at;
        self.check_array(start)?;
        self.push(TokenClass::Operator, start, start + length)?;
        let operator = self.text.get(start..self.at).unwrap_or_default();
        if matches!(operator, "<<" | "<<-") {
            return self.here_tag(operator == "<<-");
        }
        Ok(())
    }

    /// An array is part of a word that goes on behind its `)`: `x=(a)#b` holds no comment.
    fn check_array(&mut self, at: usize) -> Result<(), Doubt> {
        match scan::byte(self.text, at) {
            b'(' => {
                let before = self.tokens.last().filter(|last| last.class == TokenClass::Word && last.end == at);
                self.in_array = before.is_some_and(|last| last.text(self.text).ends_with('='));
            }
            b')' if std::mem::replace(&mut self.in_array, false)
                && !matches!(scan::byte(self.text, at + 1), b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | 0) =>
            {
                return Err(Doubt::new("assignment.form", "text right behind an array").at(at, at + 1));
            }
            _ => {}
        }
        Ok(())
    }

    fn word(&mut self) -> Result<(), Doubt> {
        let start = self.at;
        let end = scan::word(self.text, start, 0)?;
        if end == start {
            return Err(Doubt::new("syntax.character", "an unexpected character")
                .at(start, start + scan::char_len(self.text, start)));
        }
        let word = self.text.get(start..end).unwrap_or_default();
        if !self.pending.is_empty() && word.contains('\n') {
            return Err(
                Doubt::new("syntax.heredoc", "a word over several lines in front of a here-document").at(start, end)
            );
        }
        if opens_subscript(word) {
            // Where an assignment may stand, bash reads on to the closing bracket, across blanks.
            return Err(Doubt::new("word.subscript", "an open subscript").at(start, end));
        }
        if matches!(scan::byte(self.text, end), b'<' | b'>') {
            let number = word.bytes().all(|byte| byte.is_ascii_digit());
            // Directly behind `<` or `>` bash sees a descriptor where a name is due, and rejects the text.
            let misplaced = number
                && self
                    .tokens
                    .last()
                    .is_some_and(|last| last.class == TokenClass::Operator && is_redirection(last.text(self.text)));
            if misplaced || (number && word.len() > 3) {
                return Err(Doubt::new("redirect.descriptor", "an unusual file descriptor").at(start, end));
            }
            if word.starts_with('{') && word.ends_with('}') {
                return Err(Doubt::new(
                    "redirect.descriptor",
                    "a redirection that stores its descriptor in a variable",
                )
                .at(start, end));
            }
        }
        self.push(TokenClass::Word, start, end)
    }

    fn arithmetic(&mut self) -> Result<(), Doubt> {
        let start = self.at;
        let end = scan::arithmetic(self.text, start + 2, 0)?;
        self.push(TokenClass::Operator, start, start + 1)?;
        self.push(TokenClass::Operator, start + 1, start + 2)?;
        let mut from = start + 2;
        // `for ((a; b; c))` has three expressions in one pair of parentheses.
        for part in self.text.get(start + 2..end - 2).unwrap_or_default().split(';') {
            if from > start + 2 {
                self.push(TokenClass::Operator, from - 1, from)?;
            }
            if !part.trim().is_empty() {
                self.push(TokenClass::Arithmetic, from, from + part.len())?;
            }
            from += part.len() + 1;
        }
        self.push(TokenClass::Operator, end - 2, end - 1)?;
        self.push(TokenClass::Operator, end - 1, end)
    }

    fn here_tag(&mut self, strip: bool) -> Result<(), Doubt> {
        while scan::is_blank(scan::byte(self.text, self.at)) {
            self.at += 1;
        }
        let start = self.at;
        self.word()?;
        if here_delimiter(self.text.get(start..self.at).unwrap_or_default()).is_none() {
            return Err(Doubt::new("syntax.heredoc", "an unusual here-document delimiter").at(start, self.at));
        }
        self.pending.push((self.tokens.len() - 1, strip));
        Ok(())
    }

    /// Reads the bodies that start behind this newline and puts each behind its tag.
    fn read_here_documents(&mut self) -> Result<(), Doubt> {
        let pending = std::mem::take(&mut self.pending);
        for (moved, (tag, strip)) in pending.into_iter().enumerate() {
            let tag_index = tag + moved;
            let Some(token) = self.tokens.get(tag_index).copied() else {
                return Err(Doubt::new("syntax.heredoc", "a here-document without its tag"));
            };
            let Some((delimiter, expands)) = here_delimiter(token.text(self.text)) else {
                return Err(Doubt::new("syntax.heredoc", "an unusual here-document delimiter"));
            };
            let start = self.at;
            let Some((end, behind)) = here_end(self.text, start, delimiter, strip) else {
                return Err(Doubt::new("syntax.heredoc", "the here-document has no end").at(token.start, token.end));
            };
            if expands && self.text.get(start..end).is_some_and(|body| body.contains("\\\n")) {
                return Err(Doubt::new("syntax.continuation", "a line continuation in a here-document").at(start, end));
            }
            self.tokens.insert(tag_index + 1, Token { class: TokenClass::HereBody, start, end });
            self.at = behind;
        }
        Ok(())
    }
}

/// `name[` without its `]`.
fn opens_subscript(word: &str) -> bool {
    let name_end = scan::name_end(word, 0);
    if !scan::is_name_start(scan::byte(word, 0)) || scan::byte(word, name_end) != b'[' {
        return false;
    }
    let rest = word.get(name_end..).unwrap_or_default();
    let (open, close) = (rest.matches('[').count(), rest.matches(']').count());
    open != close || rest.contains(['\\', '\'', '"'])
}

/// The text that ends a here-document, and whether its body is expanded; `None` for unusual spellings.
pub(crate) fn here_delimiter(tag: &str) -> Option<(&str, bool)> {
    let plain = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:!%@+".contains(&byte))
    };
    if plain(tag) {
        return Some((tag, true));
    }
    let inside = tag
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .or_else(|| tag.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')))
        .or_else(|| tag.strip_prefix('\\'))?;
    plain(inside).then_some((inside, false))
}

/// Where the body ends and where the text goes on.
fn here_end(text: &str, start: usize, delimiter: &str, strip: bool) -> Option<(usize, usize)> {
    let mut at = start;
    while at < text.len() {
        let rest = text.get(at..)?;
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = rest.get(..length)?;
        let line = if strip { line.trim_start_matches('\t') } else { line };
        if line == delimiter {
            return Some((at, at + length));
        }
        at += length + 1;
    }
    None
}

fn operator_length(text: &str, at: usize) -> usize {
    const OPERATORS: [&str; 15] =
        ["&>>", "<<<", "<<-", ";;&", "&&", "||", ";;", ";&", "|&", "&>", ">>", ">&", "<&", "<>", ">|"];
    let rest = text.get(at..).unwrap_or_default();
    if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
        return operator.len();
    }
    if rest.starts_with("<<") { 2 } else { 1 }
}

pub(super) fn is_redirection(operator: &str) -> bool {
    matches!(operator, "<" | ">" | ">>" | "<<" | "<<-" | "<<<" | "<&" | ">&" | "&>" | "&>>" | "<>" | ">|")
}
