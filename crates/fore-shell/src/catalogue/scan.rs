//! Reads an argument list the way the program's own option parser would, and says what each argument does.
//!
//! Nothing passes because it was not recognised: an unlisted option, a value of the wrong type or a word that may turn
//! into an option makes the finding unknown or worse.

use crate::{
    context::JudgeContext,
    finding::{CommandKind, Finding, Reach},
    word::{Opaque, Value, Word},
};

use super::grammar::{Arity, Grammar, OptionGroup, OptionOrder, OptionStyle, ValueType};
use super::scanned::{ArgumentScan, GivenValue, OptionScope, SeenOption};

/// Reads `words` (without the program) by `grammar`. `scope` holds the options of enclosing verbs.
pub fn scan<'w>(
    name: &'w str,
    program: &'w Word,
    words: &'w [Word],
    grammar: &'static Grammar,
    scope: OptionScope<'_>,
    context: &JudgeContext<'_>,
) -> ArgumentScan<'w> {
    let scope = OptionScope { options: &[grammar.options], outer: Some(&scope) };
    let seen = ArgumentScan {
        name,
        program,
        finding: Finding::reads(),
        options: Vec::new(),
        operands: Vec::new(),
        stop: words.len(),
        early: usize::MAX,
    };
    let mut reader = ArgumentReader { words, grammar, scope, context, at: 0, ended: false, seen };
    reader.run();
    reader.place_operands();
    let mut seen = reader.seen;
    if let Some(check) = grammar.check
        && let Some(more) = check(&seen, context)
    {
        seen.note(more);
    }
    seen
}

struct ArgumentReader<'w, 'c, 's> {
    words: &'w [Word],
    grammar: &'static Grammar,
    scope: OptionScope<'s>,
    context: &'c JudgeContext<'c>,
    at: usize,
    /// `--` was met, or the first operand where that ends the options.
    ended: bool,
    seen: ArgumentScan<'w>,
}

impl<'w> ArgumentReader<'w, '_, '_> {
    fn run(&mut self) {
        while let Some(word) = self.words.get(self.at) {
            self.at += 1;
            match &word.value {
                Value::Literal(text) => self.literal(word, text),
                Value::Opaque(opaque) => self.opaque(word, opaque),
            }
            if self.ended && self.grammar.order == OptionOrder::OptionsFirst && !self.seen.operands.is_empty() {
                // Behind the first operand everything is an operand.
                self.seen.stop = self.at - 1;
                let rest = self.words.get(self.at..).unwrap_or_default();
                self.seen.operands.extend(rest);
                return;
            }
        }
    }

    fn is_strict(&self) -> bool {
        self.grammar.style == OptionStyle::Strict
    }

    fn literal(&mut self, word: &'w Word, text: &'w str) {
        if self.is_strict() && self.ended && text.len() > 1 && text.starts_with('-') {
            // Behind `--` a dash means nothing, unless we were wrong about which word took a value.
            let why = "an operand that looks like an option";
            self.seen.note(Finding::unknown(self.seen.rule("option"), word, why));
        } else if self.ended || text == "-" || !text.starts_with('-') {
            self.operand(word);
        } else if text == "--" {
            self.ended = true;
            self.seen.stop = self.at;
        } else if self.grammar.style == OptionStyle::Dashed {
            self.dashed(word, text);
        } else if text.starts_with("--") {
            self.long(word, text);
        } else {
            self.cluster(word, text);
        }
    }

    fn operand(&mut self, word: &'w Word) {
        if self.seen.operands.is_empty() {
            self.seen.early = self.seen.options.len();
        }
        self.seen.operands.push(word);
        if self.grammar.order == OptionOrder::OptionsFirst {
            self.ended = true;
        }
    }

    fn opaque(&mut self, word: &'w Word, opaque: &'w Opaque) {
        if self.ended || !opaque.may_be_option || self.grammar.always_reads {
            return self.operand(word);
        }
        let known = opaque.prefix.split_once('=').and_then(|(name, _)| {
            let listed = self.scope.find(name).filter(|_| name.starts_with("--"))?;
            (listed.0.arity != Arity::None).then_some(listed)
        });
        match known {
            Some((group, name)) if !opaque.may_split && !opaque.may_be_empty => {
                self.met(word, group, name, GivenValue::Something);
            }
            Some(_) | None => {
                let name = opaque.prefix.split_once('=').map(|(name, _)| name).unwrap_or_default();
                if self.harmful(name).is_some() {
                    self.unlisted(word, name);
                }
                let why = format!("`{}` could become an option of `{}`", word.source, self.spoken());
                self.seen.note(Finding::unknown(format!("{}.word", self.seen.name), word, why));
            }
        }
    }

    fn long(&mut self, word: &'w Word, text: &'w str) {
        let (name, given) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        match self.scope.find(name) {
            Some((group, name)) => self.long_option(word, group, name, given),
            None => self.unlisted(word, name),
        }
    }

    fn dashed(&mut self, word: &'w Word, text: &'w str) {
        let (spelled, given) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let name = if spelled.starts_with("--") { spelled.get(1..).unwrap_or(spelled) } else { spelled };
        match self.scope.find(name).or_else(|| self.scope.find(spelled)) {
            Some((group, name)) => self.long_option(word, group, name, given),
            None => self.unlisted(word, name),
        }
    }

    /// An option that is a word of its own, with what was attached to it.
    fn long_option(&mut self, word: &'w Word, group: &'static OptionGroup, name: &'static str, given: Option<&'w str>) {
        match (group.arity, given) {
            (Arity::None, None) | (Arity::Attached, None) => self.met(word, group, name, GivenValue::Nothing),
            (Arity::None, Some(_)) if self.is_strict() => self.unlisted(word, name),
            // `-json=true`: the way to give a switch in programs with dashed options.
            (Arity::None, Some("true")) => self.met(word, group, name, GivenValue::Nothing),
            // A switch that is off must not count where the command only reads because of it, nor as given elsewhere.
            (Arity::None, Some("false")) if self.grammar.check.is_some() => self.unlisted(word, name),
            (Arity::None, Some("false")) if group.kind == CommandKind::Reads => {}
            (Arity::None, Some("false")) => self.met(word, group, name, GivenValue::Nothing),
            (Arity::None, Some(_)) => self.unlisted(word, name),
            (Arity::One | Arity::Attached | Arity::Separate | Arity::Optional, Some(value)) => {
                self.met(word, group, name, GivenValue::Text(value))
            }
            (Arity::Optional, None) if self.at == self.words.len() => self.met(word, group, name, GivenValue::Nothing),
            (Arity::One | Arity::Separate | Arity::Optional, None) => self.separate(word, group, name),
        }
    }

    fn cluster(&mut self, word: &'w Word, text: &'w str) {
        let mut rest = text.get(1..).unwrap_or_default();
        let is_all_digits = rest.bytes().all(|byte| byte.is_ascii_digit());
        while let Some(letter) = rest.chars().next() {
            let after = rest.get(letter.len_utf8()..).unwrap_or_default();
            if letter.is_ascii_digit() && self.grammar.digits && (!self.is_strict() || is_all_digits) {
                rest = after;
                continue;
            }
            let mut buffer = [b'-', 0, 0, 0, 0];
            let length = letter.encode_utf8(&mut buffer[1..]).len();
            let option = std::str::from_utf8(&buffer[..=length]).unwrap_or_default();
            let Some((group, name)) = self.scope.find(option) else {
                return self.unlisted(word, text);
            };
            match group.arity {
                Arity::None => self.met(word, group, name, GivenValue::Nothing),
                Arity::Attached if after.is_empty() => {
                    return self.met(word, group, name, GivenValue::Nothing);
                }
                Arity::One | Arity::Separate | Arity::Optional if after.is_empty() => {
                    return self.separate(word, group, name);
                }
                Arity::Separate => return self.unlisted(word, text),
                Arity::One | Arity::Attached | Arity::Optional => {
                    return self.met(word, group, name, GivenValue::Text(after));
                }
            }
            rest = after;
        }
    }

    /// The value is the next word.
    fn separate(&mut self, word: &'w Word, group: &'static OptionGroup, name: &'static str) {
        let Some(next) = self.words.get(self.at) else {
            if self.is_strict() {
                self.seen.note(Finding::unknown(self.seen.rule(name), word, "this option lacks its value"));
            }
            // The program will complain; what the option itself does still counts.
            return self.met(word, group, name, GivenValue::Nothing);
        };
        self.at += 1;
        match &next.value {
            Value::Literal(text) if self.is_strict() && text.starts_with('-') => {
                self.seen.note(Finding::unknown(self.seen.rule(name), next, "a value that looks like an option"));
            }
            Value::Literal(text) => self.met(next, group, name, GivenValue::Text(text)),
            Value::Opaque(opaque) => {
                if (opaque.may_split || opaque.may_be_empty) && !self.grammar.always_reads {
                    let why = format!("`{}` may be more or less than one value for `{name}`", next.source);
                    self.seen.note(Finding::unknown(format!("{}.word", self.seen.name), next, why));
                }
                self.met(next, group, name, GivenValue::Something);
            }
        }
    }

    fn met(&mut self, word: &'w Word, group: &'static OptionGroup, name: &'static str, given: GivenValue<'w>) {
        self.seen.options.push(SeenOption { name, value: given });
        if group.kind != CommandKind::Reads {
            let rule = format!("{}.{name}", self.seen.name);
            let why = format!("`{} {name}` {}", self.spoken(), group.why);
            self.seen.note(Finding::shown(group.kind, rule, word, why));
        }
        match given {
            GivenValue::Nothing if group.arity == Arity::None => {}
            GivenValue::Nothing if matches!(group.value, ValueType::OutPath | ValueType::Exec) => {
                let rule = format!("{}.{name}", self.seen.name);
                let why = format!("`{} {name}` {}", self.spoken(), group.why);
                self.seen.note(Finding::shown(CommandKind::Unknown, rule, word, why));
            }
            GivenValue::Nothing => {}
            GivenValue::Text(text) => self.typed(word, group.value, Some(text), name, group.why),
            GivenValue::Something => self.typed(word, group.value, None, name, group.why),
        }
    }

    /// The harmful option that this is, or may be short for.
    fn harmful(&self, name: &str) -> Option<(&'static OptionGroup, &'static str)> {
        let least = if self.is_strict() { 4 } else { 2 };
        if name.starts_with("--") && name.len() >= least { self.scope.abbreviated(name) } else { None }
    }

    fn unlisted(&mut self, word: &'w Word, name: &str) {
        if let Some((group, full)) = self.harmful(name) {
            let kind = if group.kind == CommandKind::Reads { CommandKind::Writes } else { group.kind };
            let why = format!("`{} {full}` {}", self.spoken(), group.why);
            return self.seen.note(Finding::shown(kind, format!("{}.{full}", self.seen.name), word, why));
        }
        let why = format!("`{name}` is not a known option of `{}`", self.spoken());
        self.seen.note(Finding::unknown(format!("{}.option", self.seen.name), word, why));
    }

    /// Checks one value or operand against its type; `None` when it is decided at run time.
    fn typed(&mut self, word: &'w Word, kind: ValueType, text: Option<&str>, name: &str, why: &str) {
        let good = match (kind, text) {
            (ValueType::Text, _) => true,
            (ValueType::ReadPath, Some(text)) => {
                crate::paths::note_read(&mut self.seen.finding, text, self.context);
                true
            }
            (ValueType::ReadPath | ValueType::Int, None) => true,
            (ValueType::Int, Some(text)) => is_number(text),
            (ValueType::Enum(choices), Some(text)) => choices.split(' ').any(|one| one == text),
            (ValueType::Format(accepts), Some(text)) => accepts(text),
            (ValueType::Enum(_) | ValueType::Format(_), None) => self.grammar.always_reads,
            (ValueType::Judged(problem), text) => {
                if let Some((kind, why)) = problem(text) {
                    self.seen.note(Finding::shown(kind, self.seen.rule(name), word, why));
                }
                return;
            }
            (ValueType::OutPath, text) => {
                if let Some(finding) = text.and_then(|text| crate::paths::written(text, self.context)) {
                    return self.seen.note(finding);
                }
                let part = if name.is_empty() { "operand" } else { name };
                let rule = format!("{}.{part}", self.seen.name);
                let why = if why.is_empty() { "writes a file" } else { why };
                let why = format!("`{}{}{name}` {why}", self.spoken(), if name.is_empty() { "" } else { " " });
                return self.seen.note(Finding::shown(CommandKind::Writes, rule, word, why));
            }
            (ValueType::Exec, _) => {
                let why = format!("`{} {name}` starts a program", self.spoken());
                return self.seen.note(Finding::shown(
                    CommandKind::Runs,
                    format!("{}.{name}", self.seen.name),
                    word,
                    why,
                ));
            }
            (ValueType::Host(port), _) => {
                let host = text.map_or(Reach::AnyHost, |text| Reach::host(text, port));
                return self.seen.note(Finding::network(host, self.seen.name, word));
            }
        };
        if !good {
            let why =
                format!("`{}` is not a value of `{} {name}` that is known to be harmless", word.source, self.spoken());
            self.seen.note(Finding::unknown(format!("{}.value", self.seen.name), word, why));
        }
    }

    fn place_operands(&mut self) {
        let operands = self.grammar.operands;
        let replaced = !self.grammar.replaces_first.is_empty() && self.seen.has(self.grammar.replaces_first);
        let start = if replaced { operands.first.len() } else { 0 };
        for (place, word) in self.seen.operands.clone().into_iter().enumerate() {
            let kind = operands.first.get(start + place).copied().or(operands.rest);
            let splits = matches!(&word.value, Value::Opaque(o) if o.may_split);
            match kind {
                Some(kind) => self.typed(word, kind, word.as_literal(), "", ""),
                None => {
                    let (kind, why) = operands.surplus;
                    let why = format!("`{}` {why}: `{}`", self.spoken(), crate::finding::quoted(&word.source));
                    self.seen.note(Finding::shown(kind, format!("{}.operand", self.seen.name), word, why));
                }
            }
            if splits && operands.rest.is_none() {
                let why = format!("`{}` may become several arguments of `{}`", word.source, self.spoken());
                self.seen.note(Finding::unknown(format!("{}.word", self.seen.name), word, why));
            }
        }
    }

    fn spoken(&self) -> String {
        self.seen.name.replace('.', " ")
    }
}

/// A number as programs take them: a sign, digits, perhaps a unit or a range (`+5`, `10K`, `1,3`, `0.5s`).
fn is_number(text: &str) -> bool {
    text.chars().any(|c| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | ',' | ':' | '%'))
}
