//! Finds what an awk program does besides computing and printing: files it writes, commands it runs, names it hides.
//!
//! Works on tokens, not on a grammar: every rule here may see more than the real awk would, never less.

use super::tokens::{AwkToken, AwkTrouble, tokens};
use crate::languages::brackets::Brackets;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum AwkEffect {
    ReadsFile(String),
    WritesFile(String),
    RunsCommand(&'static str),
    Connects,
    Unclear(String),
}

const FUNCTIONS: [&str; 44] = [
    "and",
    "asort",
    "asorti",
    "atan2",
    "bindtextdomain",
    "close",
    "compl",
    "cos",
    "dcgettext",
    "dcngettext",
    "exp",
    "fflush",
    "gensub",
    "gsub",
    "index",
    "int",
    "intdiv0",
    "isarray",
    "length",
    "log",
    "lshift",
    "match",
    "mkbool",
    "mktime",
    "or",
    "patsplit",
    "rand",
    "rshift",
    "sin",
    "split",
    "sprintf",
    "sqrt",
    "srand",
    "strftime",
    "strtonum",
    "sub",
    "substr",
    "systime",
    "tolower",
    "toupper",
    "typeof",
    "xor",
    "ord",
    "chr",
];

/// Words of the language that may stand before a parenthesis.
const KEYWORDS: [&str; 15] = [
    "if", "while", "for", "switch", "print", "printf", "return", "in", "exit", "getline", "else", "do", "case",
    "delete", "func",
];

/// All effects under every way awks cut the text; `Err` when no awk would accept it.
pub(super) fn effects(program: &str, variables: &[String]) -> Result<Vec<AwkEffect>, &'static str> {
    let mut all = Vec::new();
    let mut mistake = None;
    let mut understood = false;
    for &brackets in Brackets::readings(program) {
        match tokens(program, brackets) {
            Ok(tokens) => {
                understood = true;
                for effect in (AwkReader { tokens: &tokens, variables }).effects() {
                    if !all.contains(&effect) {
                        all.push(effect);
                    }
                }
            }
            // Awk reads the whole program before it does anything.
            Err(AwkTrouble::Mistake(reason)) => mistake = mistake.or(Some(reason)),
            Err(AwkTrouble::Unclear(reason)) => {
                understood = true;
                all.push(AwkEffect::Unclear(reason.to_owned()));
            }
        }
    }
    match mistake {
        Some(reason) if !understood => Err(reason),
        _ => Ok(all),
    }
}

struct AwkReader<'a> {
    tokens: &'a [AwkToken],
    /// Set by `-v` on the command line.
    variables: &'a [String],
}

impl AwkReader<'_> {
    fn at(&self, index: usize) -> Option<&AwkToken> {
        self.tokens.get(index)
    }

    fn effects(&self) -> Vec<AwkEffect> {
        let defined = self.defined_functions();
        let mut effects = Vec::new();
        // Open parentheses since the `print` we are in, if we are in one.
        let mut print: Option<usize> = None;
        for (index, token) in self.tokens.iter().enumerate() {
            match token {
                AwkToken::Name(name, call) => {
                    if matches!(name.as_str(), "print" | "printf") {
                        print = Some(0);
                    }
                    effects.extend(self.name(index, name, *call, &defined));
                }
                AwkToken::Mark("(") => print = print.map(|depth| depth + 1),
                AwkToken::Mark(")") => print = print.map(|depth| depth.saturating_sub(1)),
                AwkToken::Mark(";" | "}") => print = None,
                AwkToken::Newline if print == Some(0) && self.statement_ends(index) => print = None,
                AwkToken::Mark(">") if print == Some(0) || self.starts_a_line(index) => {
                    effects.extend(self.redirection(index));
                }
                AwkToken::Mark(">>") => effects.extend(self.redirection(index)),
                AwkToken::Mark("|" | "|&") => effects.push(AwkEffect::RunsCommand("`|` in awk starts a command")),
                AwkToken::Mark("@") => effects
                    .push(AwkEffect::Unclear("`@` loads other code or calls a function by a computed name".into())),
                AwkToken::Mark(_) | AwkToken::Newline | AwkToken::Text(_) | AwkToken::Number | AwkToken::Regex => {}
            }
        }
        effects
    }

    /// A newline ends a statement only after something complete; after a comma or an operator the statement goes on.
    fn statement_ends(&self, newline: usize) -> bool {
        let before = self.tokens.get(..newline).unwrap_or_default();
        match before.iter().rev().find(|token| **token != AwkToken::Newline) {
            Some(AwkToken::Mark(mark)) => {
                matches!(*mark, ")" | "]" | "}" | "{" | ";" | "++" | "--" | "$")
            }
            Some(AwkToken::Name(..) | AwkToken::Text(_) | AwkToken::Number | AwkToken::Regex) => true,
            Some(AwkToken::Newline) | None => true,
        }
    }

    /// No awk that is known takes this, but it could only be a redirection.
    fn starts_a_line(&self, index: usize) -> bool {
        index.checked_sub(1).and_then(|before| self.at(before)) == Some(&AwkToken::Newline)
    }

    fn defined_functions(&self) -> Vec<&str> {
        let pairs = self.tokens.iter().zip(self.tokens.iter().skip(1));
        pairs
            .filter(|(first, _)| first.is_name("function") || first.is_name("func"))
            .filter_map(|(_, second)| if let AwkToken::Name(name, _) = second { Some(name.as_str()) } else { None })
            .collect()
    }

    fn name(&self, index: usize, name: &str, call: bool, defined: &[&str]) -> Option<AwkEffect> {
        match name {
            "system" => Some(AwkEffect::RunsCommand("`system()` in awk runs a shell command")),
            "getline" => self.getline(index),
            "SYMTAB" | "FUNCTAB" => Some(AwkEffect::Unclear(format!("`{name}` reaches variables by computed names"))),
            "ARGV" => self.argv(index),
            _ if call && !FUNCTIONS.contains(&name) && !KEYWORDS.contains(&name) && !defined.contains(&name) => {
                Some(AwkEffect::Unclear(format!("`{name}()` is not a known awk function")))
            }
            _ => None,
        }
    }

    fn redirection(&self, index: usize) -> Option<AwkEffect> {
        let ends = |token: Option<&AwkToken>| match token {
            None | Some(AwkToken::Newline) => true,
            Some(token) => token.is(";") || token.is("}"),
        };
        match self.at(index + 1) {
            Some(AwkToken::Text(path)) if ends(self.at(index + 2)) => {
                (!fore_shell::paths::is_sink(path)).then(|| AwkEffect::WritesFile(path.clone()))
            }
            _ => Some(AwkEffect::WritesFile("a computed name".into())),
        }
    }

    fn getline(&self, index: usize) -> Option<AwkEffect> {
        let mut at = index + 1;
        while self.at(at).is_some_and(|token| token.is("$")) {
            at += 1;
        }
        if matches!(self.at(at), Some(AwkToken::Name(..) | AwkToken::Number)) {
            at += 1;
        }
        if self.at(at).is_some_and(|token| token.is("[") || token.is("(")) {
            at = self.after_brackets(at);
        }
        if !self.at(at).is_some_and(|token| token.is("<")) {
            return None;
        }
        match self.at(at + 1) {
            Some(AwkToken::Text(path)) if path.starts_with("/inet") => Some(AwkEffect::Connects),
            Some(AwkToken::Text(path)) if path == "-" => None,
            Some(AwkToken::Text(path)) if !path.contains('\\') => Some(AwkEffect::ReadsFile(path.clone())),
            Some(AwkToken::Name(name, _))
                if matches!(name.as_str(), "ARGV" | "FILENAME") || self.is_only_read(name) =>
            {
                None
            }
            _ => Some(AwkEffect::Unclear("`getline <` with a computed file name".into())),
        }
    }

    /// Set by `-v`, and nowhere in the program but as the file of a `getline`.
    fn is_only_read(&self, name: &str) -> bool {
        let set = self.variables.iter().any(|variable| variable == name);
        let uses = self.tokens.iter().enumerate().filter(|(_, token)| token.is_name(name));
        let mut before = uses.map(|(index, _)| index.checked_sub(1).and_then(|before| self.at(before)));
        set && before.all(|token| token.is_some_and(|token| token.is("<")))
    }

    fn after_brackets(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(open) {
            if token.is("[") || token.is("(") {
                depth += 1;
            } else if token.is("]") || token.is(")") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index + 1;
                }
            }
        }
        self.tokens.len()
    }

    /// Changing `ARGV` changes which files are read; some awks open network connections by file name.
    fn argv(&self, index: usize) -> Option<AwkEffect> {
        let looked_up =
            index.checked_sub(1).and_then(|before| self.at(before)).is_some_and(|before| before.is_name("in"));
        let changed = AwkEffect::Unclear("`ARGV` is changed, so the files are computed".into());
        if !self.at(index + 1).is_some_and(|token| token.is("[")) {
            return (!looked_up).then_some(changed);
        }
        let after = self.at(self.after_brackets(index + 1));
        let assigns = ["=", "+=", "-=", "*=", "/=", "%=", "^=", "**=", "++", "--"];
        let before = index.checked_sub(1).and_then(|before| self.at(before));
        let set_by_call = before.is_some_and(|token| token.is(",") || token.is_name("getline"));
        (set_by_call || after.is_some_and(|token| assigns.iter().any(|mark| token.is(mark)))).then_some(changed)
    }
}
