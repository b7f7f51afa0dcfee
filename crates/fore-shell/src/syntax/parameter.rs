//! `$name` and `${…}`: what they may stand for, and what their operators would run.

use super::{
    doubt::Doubt,
    expand::Expansion,
    scan,
    script::RawWord,
    state::{Binding, ShellState},
    walk::ScriptWalk,
};
use crate::word::Opaque;

impl<'t> ScriptWalk<'t> {
    /// `inside` is the name of `$name` or everything between the braces of `${…}`.
    pub(crate) fn parameter(&mut self, state: &mut ShellState<'_>, inside: RawWord<'t>) -> Result<Expansion, Doubt> {
        let text = inside.text;
        let doubt = |rule, why: &str| Err(Doubt::new(rule, why).at(inside.start, inside.end()));
        match text {
            "@" | "*" => return Ok(Expansion::Many),
            "#" | "?" | "$" => return Ok(Expansion::Count),
            "!" | "-" | "_" => return Ok(Expansion::anything()),
            _ => {}
        }
        if let Some(name) = text.strip_prefix('#') {
            let name = name.strip_suffix("[@]").or_else(|| name.strip_suffix("[*]")).unwrap_or(name);
            let simple =
                scan::is_name(name) || name.bytes().all(|byte| byte.is_ascii_digit()) || matches!(name, "@" | "*");
            return if simple { Ok(Expansion::Count) } else { doubt("word.parameter", "an unusual `${#…}`") };
        }
        if text.starts_with('!') {
            return doubt("word.indirect", "`${!…}` takes the name of a variable from another variable");
        }
        let name_end = match scan::byte(text, 0) {
            first if scan::is_name_start(first) => scan::name_end(text, 0),
            first if first.is_ascii_digit() => text.bytes().take_while(u8::is_ascii_digit).count(),
            b'@' | b'*' | b'?' | b'$' => 1,
            _ => return doubt("word.parameter", "an unusual `${…}`"),
        };
        let (name, rest) = text.split_at(name_end);
        if rest.is_empty() {
            return Ok(self.variable(state, name));
        }
        let (rest, many) = match subscript(rest) {
            Some(Ok((rest, many))) => (rest, many),
            Some(Err(())) => return doubt("word.subscript", "a subscript that bash evaluates"),
            None => (rest, matches!(name, "@" | "*")),
        };
        let operand = |skip: usize| RawWord {
            text: rest.get(skip..).unwrap_or_default(),
            start: inside.end() - rest.len() + skip,
        };
        let result = if many { Expansion::Many } else { Expansion::anything() };
        let mut bytes = rest.bytes();
        match (bytes.next(), bytes.next()) {
            (None, _) => {}
            (Some(b':'), Some(b'-' | b'+' | b'?')) => self.expand_body(state, operand(2))?,
            (Some(b'-' | b'+' | b'?'), _) => self.expand_body(state, operand(1))?,
            (Some(b':'), Some(b'=')) | (Some(b'='), _) => {
                self.expand_body(state, operand(1))?;
                super::environment::check_name(name).map_err(|doubt| doubt.at(inside.start, inside.end()))?;
                self.stumble();
                state.set(name, Binding::anything());
            }
            (Some(b':'), _) => {
                self.stumble();
                // Offsets are arithmetic.
                let plain =
                    operand(1).text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b' ' | b'-'));
                if !plain {
                    return doubt("word.arithmetic", "a substring whose position is evaluated");
                }
            }
            (Some(b'#' | b'%' | b'/' | b'^' | b','), _) => self.expand_body(state, operand(1))?,
            (Some(b'@'), _) if matches!(rest, "@Q" | "@U" | "@L" | "@u") => {}
            (Some(b'@'), _) => return doubt("word.transform", "`${…@…}` may evaluate the value"),
            (Some(_), _) => return doubt("word.parameter", "an unusual `${…}`"),
        }
        Ok(result)
    }

    fn variable(&self, state: &ShellState<'_>, name: &str) -> Expansion {
        if matches!(name, "@" | "*") {
            return Expansion::Many;
        }
        if matches!(name, "?" | "$") {
            return Expansion::Count;
        }
        match state.get(name) {
            Some(Binding::OneOf(values)) => return Expansion::OneOf(values.clone()),
            Some(Binding::Number) => {
                return Expansion::Unknown(Opaque {
                    prefix: String::new(),
                    may_be_empty: false,
                    may_split: false,
                    may_be_option: true,
                });
            }
            Some(Binding::Identifiers) => return Expansion::Identifiers,
            Some(Binding::Opaque(opaque)) => return Expansion::Unknown(opaque.clone()),
            None => {}
        }
        let known = match name {
            "HOME" => state.context.facts.home.and_then(|home| home.to_str()).map(str::to_owned),
            "PWD" if state.elsewhere.is_empty() => {
                state.context.cwd.as_ref().and_then(|cwd| cwd.to_str()).map(str::to_owned)
            }
            _ => None,
        };
        known.map_or_else(Expansion::anything, |value| Expansion::OneOf(vec![value]))
    }
}

/// What follows a subscript, and whether it means all elements; an error when bash would evaluate it.
fn subscript(rest: &str) -> Option<Result<(&str, bool), ()>> {
    let inside = rest.strip_prefix('[')?;
    let Some((index, rest)) = inside.split_once(']') else {
        return Some(Err(()));
    };
    Some(match index {
        "@" | "*" => Ok((rest, true)),
        _ if super::arithmetic::is_integer(index) && index.len() < 10 => Ok((rest, false)),
        _ => Err(()),
    })
}
