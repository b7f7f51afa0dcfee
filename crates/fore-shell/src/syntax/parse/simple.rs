//! Simple commands and redirections.

use super::{
    super::{
        assignment,
        doubt::Doubt,
        scan,
        script::{CommandShape, RawWord, Redirection, RedirectionKind, ShellCommand},
        token::{self, TokenClass, is_reserved},
    },
    Parsed, ScriptParser,
};

/// The builtins whose arguments may be arrays; behind any other word bash rejects `name=(…)`.
const TAKES_ARRAYS: [&str; 8] = ["alias", "declare", "eval", "export", "let", "local", "readonly", "typeset"];

impl<'t> ScriptParser<'t, '_> {
    pub(super) fn simple(&mut self) -> Parsed<ShellCommand<'t>> {
        let mut assignments = Vec::new();
        let mut words: Vec<RawWord<'t>> = Vec::new();
        let mut redirections = Vec::new();
        loop {
            if let Some(redirection) = self.redirection()? {
                redirections.push(redirection);
                continue;
            }
            let Some((TokenClass::Word, text)) = self.class_text(0) else { break };
            if words.is_empty() && is_reserved(text) {
                return Err(self.error());
            }
            let takes_arrays = words.first().is_none_or(|command| TAKES_ARRAYS.contains(&command.text));
            let word = if takes_arrays { self.word_or_array()? } else { self.word()? };
            if words.is_empty() && assignment::looks_assigned(text) {
                assignments.push(assignment::read(word)?);
            } else {
                words.push(word);
            }
        }
        Ok(ShellCommand { shape: CommandShape::Simple { assignments, words }, redirections })
    }

    /// A word, together with the array that follows it: `name=(…)`.
    fn word_or_array(&mut self) -> Parsed<RawWord<'t>> {
        let word = self.word()?;
        let opens = self.token(0).is_some_and(|next| next.start == word.end()) && self.is_operator(0, "(");
        if !opens || !takes_array(word.text) {
            return Ok(word);
        }
        self.at += 1;
        self.skip_newlines();
        while let Some((TokenClass::Word, _)) = self.class_text(0) {
            self.at += 1;
            self.skip_newlines();
        }
        self.expect_operator(")")?;
        let end = self.behind();
        Ok(RawWord { text: self.text.get(word.start..end).unwrap_or_default(), start: word.start })
    }

    pub(super) fn redirections(&mut self) -> Parsed<Vec<Redirection<'t>>> {
        let mut redirections = Vec::new();
        while let Some(redirection) = self.redirection()? {
            redirections.push(redirection);
        }
        Ok(redirections)
    }

    /// The redirection that starts here, if one does.
    fn redirection(&mut self) -> Parsed<Option<Redirection<'t>>> {
        let descriptor = self.descriptor()?;
        let Some((TokenClass::Operator, operator)) = self.class_text(usize::from(descriptor.is_some())) else {
            return Ok(None);
        };
        let kind = match operator {
            "<" => RedirectionKind::Read,
            ">" | ">>" | ">|" | "&>" | "&>>" => RedirectionKind::Write,
            "<>" => RedirectionKind::ReadWrite,
            "<&" => RedirectionKind::DuplicateInput,
            ">&" => RedirectionKind::DuplicateOutput,
            "<<<" => RedirectionKind::HereString,
            "<<" | "<<-" => RedirectionKind::HereDocument,
            _ => return Ok(None),
        };
        self.at += 1 + usize::from(descriptor.is_some());
        let (kind, target) = match kind {
            RedirectionKind::HereDocument => self.here_document()?,
            RedirectionKind::Read
            | RedirectionKind::Write
            | RedirectionKind::ReadWrite
            | RedirectionKind::DuplicateInput
            | RedirectionKind::DuplicateOutput
            | RedirectionKind::HereString
            | RedirectionKind::QuotedHereDocument => (kind, self.word()?),
        };
        Ok(Some(Redirection { descriptor, kind, target }))
    }

    /// A number right in front of `<` or `>`.
    fn descriptor(&self) -> Parsed<Option<u32>> {
        let (Some(token), Some((TokenClass::Word, text))) = (self.token(0), self.class_text(0)) else {
            return Ok(None);
        };
        let redirects = matches!(scan::byte(self.text, token.end), b'<' | b'>');
        if !redirects || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(None);
        }
        let unusual = |_| Doubt::new("redirect.descriptor", "an unusual file descriptor").at(token.start, token.end);
        text.parse().map(Some).map_err(unusual)
    }

    /// The tokenizer has put the body behind its tag.
    fn here_document(&mut self) -> Parsed<(RedirectionKind, RawWord<'t>)> {
        let tag = self.word()?;
        let (Some(body), Some((TokenClass::HereBody, text))) = (self.token(0), self.class_text(0)) else {
            return Err(self.error());
        };
        self.at += 1;
        let expands = token::here_delimiter(tag.text).is_none_or(|(_, expands)| expands);
        let kind = if expands { RedirectionKind::HereDocument } else { RedirectionKind::QuotedHereDocument };
        Ok((kind, RawWord { text, start: body.start }))
    }
}

/// `name=`, `name+=` and the same with a subscript, which is refused later.
fn takes_array(word: &str) -> bool {
    let Some(name) = word.strip_suffix('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    scan::is_name(name) || (assignment::looks_assigned(word) && name.ends_with(']'))
}
