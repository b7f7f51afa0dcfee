//! Simple commands: assignments, arguments, and who judges them.

use super::{
    doubt::Doubt,
    environment,
    expand::{self, ExpandedField, WordUse},
    limits::{MAX_COMBINATIONS, MAX_WORDS},
    output,
    script::{AssignedValue, Assignment, RawWord, Redirection},
    state::{Binding, ShellState},
    walk::{FailureState, ScriptWalk},
};
use crate::{
    builtins::{self, BuiltinEffect},
    command,
    context::JudgeContext,
    finding::CommandKind,
    word::{Opaque, Value, Word},
};

/// An expanded argument with the word it came from.
struct Argument<'t> {
    field: ExpandedField,
    raw: RawWord<'t>,
}

impl<'t> ScriptWalk<'t> {
    pub(crate) fn simple<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        assignments: &[Assignment<'t>],
        words: &[RawWord<'t>],
        redirections: &[Redirection<'t>],
    ) -> Result<FailureState<'a>, Doubt> {
        if words.is_empty() {
            let before = (!redirections.is_empty()).then(|| state.clone());
            for assignment in assignments {
                self.assign(state, assignment)?;
            }
            self.redirections(state, redirections)?;
            // A redirection that fails may leave the variables as they were.
            if let Some(before) = before {
                state.join(before);
            }
            return Ok(None);
        }
        self.count(state)?;
        for assignment in assignments {
            self.preset(state, assignment, words)?;
        }
        let mut arguments = Vec::with_capacity(words.len());
        let mut complete = true;
        for raw in words {
            let expanded = self.expand(state, *raw, WordUse::Argument);
            match self.absorb(expanded)? {
                Some(fields) => arguments.extend(fields.into_iter().map(|field| Argument { field, raw: *raw })),
                None => complete = false,
            }
            if arguments.len() > MAX_WORDS {
                return Err(Doubt::limit(format!("more than {MAX_WORDS} arguments")));
            }
        }
        // Bash opens files after it has expanded the arguments, which may have changed variables.
        self.redirections(state, redirections)?;
        let may_be_skipped = self.shaky || !redirections.is_empty();
        // A doubtful word may be anything, so what the rest means is no longer certain either.
        if !complete || arguments.is_empty() {
            state.forget();
            if arguments.is_empty() && complete {
                let finding = self.because(
                    CommandKind::Unknown,
                    "command.empty",
                    words.first().copied().unwrap_or(RawWord { text: "", start: 0 }),
                    "the command itself is decided at run time",
                );
                self.add(finding);
            }
            return Ok(None);
        }
        let before = may_be_skipped.then(|| state.clone());
        let failure = self.judge_arguments(state, arguments)?;
        match before {
            None => Ok(failure),
            // `exit` and `cd` may not have happened.
            Some(before) => {
                if state.ended {
                    *state = before;
                    return Ok(failure);
                }
                let mut failed = failure.map_or_else(|| state.clone(), |failed| *failed);
                failed.join(before.clone());
                if self.shaky {
                    state.join(before);
                }
                Ok(Some(Box::new(failed)))
            }
        }
    }

    fn judge_arguments<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        arguments: Vec<Argument<'t>>,
    ) -> Result<FailureState<'a>, Doubt> {
        let combinations = arguments.iter().fold(1usize, |count, argument| count.saturating_mul(argument.field.len()));
        if combinations == 1 {
            let argv: Vec<Word> = arguments.into_iter().map(|argument| self.one(argument)).collect();
            return self.judge_one(state, &argv);
        }
        if combinations > MAX_COMBINATIONS {
            let argv: Vec<Word> = arguments.into_iter().map(|argument| self.any(argument)).collect();
            return self.judge_one(state, &argv);
        }
        let mut after: Option<ShellState<'a>> = None;
        for index in 0..combinations {
            let mut rest = index;
            let mut argv = Vec::with_capacity(arguments.len());
            for argument in &arguments {
                let length = argument.field.len();
                let value = argument.field.get(rest % length).cloned().unwrap_or_else(|| Value::Literal(String::new()));
                rest /= length;
                argv.push(self.argument(value, argument.raw));
            }
            let mut end = state.clone();
            let failed = self.judge_one(&mut end, &argv)?;
            super::walk::join(&mut end, failed);
            match &mut after {
                Some(after) => after.join(end),
                None => after = Some(end),
            }
        }
        if let Some(after) = after {
            *state = after;
        }
        Ok(None)
    }

    fn argument(&self, value: Value, raw: RawWord<'_>) -> Word {
        Word { value, source: raw.text.to_owned(), span: self.source.span(raw.start, raw.end()) }
    }

    fn one(&self, mut argument: Argument<'_>) -> Word {
        let value = argument.field.pop().unwrap_or_else(|| Value::Literal(String::new()));
        self.argument(value, argument.raw)
    }

    /// One word for too many values.
    fn any(&self, argument: Argument<'_>) -> Word {
        if argument.field.len() == 1 {
            return self.one(argument);
        }
        let may_be_option = argument.field.iter().any(|value| match value {
            Value::Literal(text) => text.starts_with('-'),
            Value::Opaque(opaque) => opaque.may_be_option,
        });
        let opaque = Opaque { prefix: String::new(), may_be_empty: false, may_split: false, may_be_option };
        self.argument(Value::Opaque(opaque), argument.raw)
    }

    fn judge_one<'a>(&mut self, state: &mut ShellState<'a>, argv: &[Word]) -> Result<FailureState<'a>, Doubt> {
        let called = argv
            .first()
            .and_then(Word::as_literal)
            .is_some_and(|name| state.functions.iter().any(|known| known == name));
        if called {
            // The body was judged where it was defined.
            state.forget();
            return Ok(None);
        }
        if state.elsewhere.is_empty() {
            let finding = command::judge_argv(argv, &state.context);
            self.add(finding);
        } else {
            for place in state.places() {
                let context = JudgeContext { cwd: Some(place), ..state.context.clone() };
                self.add(command::judge_argv(argv, &context));
            }
        }
        match builtins::effect(argv, &state.context) {
            BuiltinEffect::None => Ok(None),
            BuiltinEffect::Folder(folder) => {
                let before = state.clone();
                let mut folders = vec![folder];
                for place in &before.elsewhere {
                    let context = JudgeContext { cwd: Some(place.clone()), ..before.context.clone() };
                    folders.push(match builtins::effect(argv, &context) {
                        BuiltinEffect::Folder(folder) => folder,
                        BuiltinEffect::None
                        | BuiltinEffect::Variables(_)
                        | BuiltinEffect::Everything
                        | BuiltinEffect::GlobsVanish
                        | BuiltinEffect::Ends
                        | BuiltinEffect::Jumps => None,
                    });
                }
                let certain: Option<Vec<_>> = folders.into_iter().collect();
                state.place(certain.unwrap_or_default());
                Ok(Some(Box::new(before)))
            }
            BuiltinEffect::Variables(names) => {
                for name in names {
                    state.set(&name, Binding::anything());
                }
                Ok(None)
            }
            BuiltinEffect::Everything => {
                state.forget();
                Ok(None)
            }
            BuiltinEffect::GlobsVanish => {
                state.globs_vanish = true;
                Ok(None)
            }
            BuiltinEffect::Ends => {
                state.ended = true;
                Ok(None)
            }
            BuiltinEffect::Jumps => {
                self.jumped = true;
                Ok(None)
            }
        }
    }

    /// An assignment that stands alone.
    fn assign(&mut self, state: &mut ShellState<'_>, assignment: &Assignment<'t>) -> Result<(), Doubt> {
        let value = match &assignment.value {
            AssignedValue::Scalar(raw) => {
                let expanded = self.expand_single(state, *raw);
                let field = self.absorb(expanded)?;
                if is_calculation(raw.text) {
                    field.map(|_| Binding::Number)
                } else if output::is_identifiers_word(raw.text) {
                    field.map(|_| Binding::Identifiers)
                } else {
                    field.map(expand::binding)
                }
            }
            AssignedValue::Array(elements) => {
                for element in elements {
                    let expanded = self.expand(state, *element, WordUse::Argument);
                    self.absorb(expanded)?;
                }
                None
            }
        };
        let literal = value.as_ref().and_then(|value| match value {
            Binding::OneOf(values) if values.len() == 1 => values.first().cloned(),
            Binding::OneOf(_) | Binding::Number | Binding::Identifiers | Binding::Opaque(_) => None,
        });
        if !environment::may_export(assignment.name, literal.as_deref()) {
            let named = environment::check_name(assignment.name)
                .map_err(|doubt| doubt.at(assignment.raw.start, assignment.raw.end()));
            self.absorb(named)?;
        }
        let value = match (value, assignment.append) {
            // It may not have happened.
            (Some(value), false) if self.shaky => match state.get(assignment.name) {
                Some(old) => old.clone().join(value),
                None => Binding::anything(),
            },
            (Some(value), false) => value,
            (Some(_) | None, _) => Binding::anything(),
        };
        state.set(assignment.name, value);
        Ok(())
    }

    /// An assignment in front of a command: the command sees it in its environment.
    fn preset(
        &mut self,
        state: &mut ShellState<'_>,
        assignment: &Assignment<'t>,
        words: &[RawWord<'t>],
    ) -> Result<(), Doubt> {
        let whole = assignment.raw;
        let value = match &assignment.value {
            AssignedValue::Scalar(raw) => {
                let expanded = self.expand_single(state, *raw);
                self.absorb(expanded)?
            }
            AssignedValue::Array(_) => None,
        };
        let value = match value.as_deref() {
            Some([Value::Literal(text)]) if !assignment.append => Some(text.as_str()),
            Some(_) | None => None,
        };
        let reads_line = assignment.name == "IFS" && words.first().is_some_and(|first| first.text == "read");
        if !reads_line && !environment::may_export(assignment.name, value) {
            let why = format!("the variable `{}` may change what the command does", assignment.name);
            let finding = self.because(CommandKind::Unknown, "environment", whole, &why);
            self.add(finding);
        }
        Ok(())
    }

    /// What a loop variable may hold.
    pub(crate) fn listed(&mut self, state: &mut ShellState<'_>, values: &[RawWord<'t>]) -> Result<Binding, Doubt> {
        let mut binding: Option<Binding> = None;
        for raw in values {
            let expanded = self.expand(state, *raw, WordUse::Argument);
            let Some(fields) = self.absorb(expanded)? else {
                return Ok(Binding::anything());
            };
            for field in fields {
                let next =
                    if output::is_identifiers_word(raw.text) { Binding::Identifiers } else { expand::binding(field) };
                binding = Some(match binding {
                    None => next,
                    Some(known) => known.join(next),
                });
            }
        }
        Ok(binding.unwrap_or_else(|| Binding::OneOf(vec![String::new()])))
    }
}

/// The text is one `$((…))` and nothing else.
fn is_calculation(text: &str) -> bool {
    text.starts_with("$((") && super::scan::arithmetic(text, 3, 0).is_ok_and(|end| end == text.len())
}
