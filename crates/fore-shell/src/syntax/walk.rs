//! Walks statements and merges what each of them would do. Every branch counts.

use super::{
    doubt::Doubt,
    limits,
    script::{Chain, Command, Condition, Joint, Pipeline, Raw, Script, Shape, Source},
    state::{Binding, State},
};
use crate::finding::{Finding, Kind};

/// The walk over one text.
pub(crate) struct Walk<'t> {
    pub(crate) source: Source<'t>,
    pub(crate) finding: Finding,
    /// A `break` or `continue` was seen, so loops end in more than one state.
    pub(crate) jumped: bool,
    pub(crate) loops: usize,
}

/// The state after a failure, where it differs from the state after success.
pub(crate) type Failure<'a> = Option<Box<State<'a>>>;

impl<'t> Walk<'t> {
    pub(crate) fn new(source: Source<'t>) -> Walk<'t> {
        Walk {
            source,
            finding: Finding::reads(),
            jumped: false,
            loops: 0,
        }
    }

    pub(crate) fn add(&mut self, mut finding: Finding) {
        if finding.kind == Kind::Reads && finding.reach.is_empty() && finding.evidence.is_empty() {
            let room = Finding::MOST_PATHS.saturating_sub(self.finding.paths.len());
            self.finding
                .paths
                .extend(finding.paths.into_iter().take(room));
            return;
        }
        finding
            .evidence
            .retain(|new| !self.finding.evidence.contains(new));
        let old = std::mem::replace(&mut self.finding, Finding::reads());
        self.finding = old.and(finding);
    }

    /// Turns a doubt into a finding; only limits end the walk.
    pub(crate) fn absorb<T>(&mut self, result: Result<T, Doubt>) -> Result<Option<T>, Doubt> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(doubt) if doubt.is_limit() => Err(doubt),
            Err(doubt) => {
                let finding = doubt.finding(self.source.text, self.source.base);
                self.add(finding);
                Ok(None)
            }
        }
    }

    pub(crate) fn script<'a>(
        &mut self,
        state: &mut State<'a>,
        script: &Script<'t>,
    ) -> Result<Failure<'a>, Doubt> {
        let mut failure = None;
        for chain in &script.chains {
            join(state, failure.take());
            failure = self.chain(state, chain)?;
        }
        Ok(failure)
    }

    fn chain<'a>(
        &mut self,
        state: &mut State<'a>,
        chain: &Chain<'t>,
    ) -> Result<Failure<'a>, Doubt> {
        if chain.background {
            let why = "a command in the background goes on after the call";
            let finding = match first_word(chain) {
                Some(word) => self.because(Kind::Unknown, "syntax.background", word, why),
                None => Doubt::new("syntax.background", why).finding("&", None),
            };
            self.add(finding);
        }
        let mut apart = chain.background.then(|| state.clone());
        let state = apart.as_mut().unwrap_or(state);
        let mut failure = self.pipeline(state, &chain.first)?;
        for (joint, pipeline) in &chain.rest {
            match joint {
                Joint::And => {
                    let mut failed = failure
                        .take()
                        .map_or_else(|| state.clone(), |failed| *failed);
                    let next = self.pipeline(state, pipeline)?;
                    failed.join(next.map_or_else(|| state.clone(), |next| *next));
                    failure = Some(Box::new(failed));
                }
                Joint::Or => {
                    let mut failed = failure
                        .take()
                        .map_or_else(|| state.clone(), |failed| *failed);
                    let next = self.pipeline(&mut failed, pipeline)?;
                    let still_failed = next.map_or_else(|| failed.clone(), |next| *next);
                    state.join(failed);
                    failure = Some(Box::new(still_failed));
                }
            }
        }
        Ok(if chain.background { None } else { failure })
    }

    fn pipeline<'a>(
        &mut self,
        state: &mut State<'a>,
        pipeline: &Pipeline<'t>,
    ) -> Result<Failure<'a>, Doubt> {
        if let [command] = pipeline.commands.as_slice() {
            let failure = self.command(state, command)?;
            return Ok(match failure {
                Some(failed) if pipeline.negated => {
                    let succeeded = std::mem::replace(state, *failed);
                    Some(Box::new(succeeded))
                }
                failure => failure,
            });
        }
        // Every part of a pipeline runs in a shell of its own.
        for command in &pipeline.commands {
            self.command(&mut state.clone(), command)?;
        }
        Ok(None)
    }

    fn command<'a>(
        &mut self,
        state: &mut State<'a>,
        command: &Command<'t>,
    ) -> Result<Failure<'a>, Doubt> {
        self.redirections(state, &command.redirections)?;
        match &command.shape {
            Shape::Simple { assignments, words } => return self.simple(state, assignments, words),
            Shape::Group(script) => return self.script(state, script),
            Shape::Subshell(script) => {
                self.script(&mut state.clone(), script)?;
            }
            Shape::If { arms, otherwise } => self.branches(state, arms, otherwise.as_ref())?,
            Shape::While {
                until,
                condition,
                body,
            } => self.repeat(state, |walk, state| {
                let failure = walk.script(state, condition)?;
                let failed = failure.map_or_else(|| state.clone(), |failed| *failed);
                let (mut inside, exit) = if *until {
                    (failed, state.clone())
                } else {
                    (state.clone(), failed)
                };
                let failed = walk.script(&mut inside, body)?;
                join(&mut inside, failed);
                *state = exit;
                state.join(inside);
                Ok(())
            })?,
            Shape::For { name, values, body } => {
                self.each(state, *name, values.as_deref(), body)?
            }
            Shape::ArithmeticFor { expressions, body } => {
                let Some((first, others)) = expressions.split_first() else {
                    return Ok(None);
                };
                let judged = self.arithmetic(state, *first);
                self.absorb(judged)?;
                self.repeat(state, |walk, state| {
                    for expression in others {
                        let judged = walk.arithmetic(state, *expression);
                        walk.absorb(judged)?;
                    }
                    let failed = walk.script(state, body)?;
                    join(state, failed);
                    Ok(())
                })?;
            }
            Shape::Case { value, arms } => {
                let judged = self.expand_single(state, *value);
                self.absorb(judged)?;
                let mut after = state.clone();
                for (patterns, body) in arms {
                    // With `;&` an arm starts where the one before it ended.
                    let mut inside = after.clone();
                    for pattern in patterns {
                        let judged = self.expand_single(&mut inside, *pattern);
                        self.absorb(judged)?;
                    }
                    let failed = self.script(&mut inside, body)?;
                    join(&mut inside, failed);
                    after.join(inside);
                }
                *state = after;
            }
            Shape::Function { name, body } => self.function(state, *name, body)?,
            Shape::Arithmetic(expression) => {
                let judged = self.arithmetic(state, *expression);
                self.absorb(judged)?;
            }
            Shape::Condition(condition) => self.condition(state, condition)?,
        }
        Ok(None)
    }

    fn branches<'a>(
        &mut self,
        state: &mut State<'a>,
        arms: &[(Script<'t>, Script<'t>)],
        otherwise: Option<&Script<'t>>,
    ) -> Result<(), Doubt> {
        let mut after: Option<State<'a>> = None;
        let mut merge = |end: State<'a>| match &mut after {
            Some(after) => after.join(end),
            None => after = Some(end),
        };
        for (condition, body) in arms {
            let failure = self.script(state, condition)?;
            let mut inside = state.clone();
            if let Some(failed) = failure {
                *state = *failed;
            }
            let failed = self.script(&mut inside, body)?;
            join(&mut inside, failed);
            merge(inside);
        }
        if let Some(body) = otherwise {
            let failed = self.script(state, body)?;
            join(state, failed);
        }
        merge(state.clone());
        if let Some(after) = after {
            *state = after;
        }
        Ok(())
    }

    /// Judges a loop until going round once more changes nothing that is known.
    fn repeat<'a>(
        &mut self,
        state: &mut State<'a>,
        mut round: impl FnMut(&mut Walk<'t>, &mut State<'a>) -> Result<(), Doubt>,
    ) -> Result<(), Doubt> {
        let jumped_before = std::mem::replace(&mut self.jumped, false);
        let commands = state.context.commands.clone();
        let count = commands.get();
        self.loops += 1;
        let mut settled = false;
        for _ in 0..2 {
            // An inner loop would multiply the rounds of the outer one.
            if self.loops > 2 {
                break;
            }
            commands.set(count);
            let mut next = state.clone();
            round(self, &mut next)?;
            next.join(state.clone());
            settled = next.knows_the_same(state);
            *state = next;
            if settled {
                break;
            }
        }
        if !settled || self.jumped {
            state.forget();
            commands.set(count);
            let mut next = state.clone();
            round(self, &mut next)?;
            // What was set for the first time inside is not known either.
            next.forget();
            *state = next;
        }
        self.loops -= 1;
        self.jumped = jumped_before;
        Ok(())
    }

    fn each<'a>(
        &mut self,
        state: &mut State<'a>,
        name: Raw<'t>,
        values: Option<&[Raw<'t>]>,
        body: &Script<'t>,
    ) -> Result<(), Doubt> {
        if !super::scan::is_name(name.text) {
            let doubt = Doubt::new("syntax.name", "a loop variable that is no name")
                .at(name.start, name.end());
            return self.absorb(Err(doubt)).map(|_: Option<()>| ());
        }
        let named = super::environment::check_name(name.text)
            .map_err(|doubt| doubt.at(name.start, name.end()));
        self.absorb(named)?;
        let binding = match values {
            None => Binding::anything(),
            Some(values) => self.listed(state, values)?,
        };
        self.repeat(state, |walk, state| {
            let before = state.clone();
            state.set(name.text, binding.clone());
            let failed = walk.script(state, body)?;
            join(state, failed);
            state.join(before);
            Ok(())
        })
    }

    fn function<'a>(
        &mut self,
        state: &mut State<'a>,
        name: Raw<'t>,
        body: &Command<'t>,
    ) -> Result<(), Doubt> {
        if !crate::command::may_name_function(name.text, &state.context) {
            let doubt = Doubt::new(
                "function.name",
                format!(
                    "a function called `{}` hides what that name means",
                    name.text
                ),
            );
            return self
                .absorb(Err(doubt.at(name.start, name.end())))
                .map(|_: Option<()>| ());
        }
        // It may be called from anywhere later: with any values, in any folder.
        let mut inside = state.clone();
        inside.forget();
        inside.functions.push(name.text.to_owned());
        self.command(&mut inside, body)?;
        state.functions.push(name.text.to_owned());
        Ok(())
    }

    fn condition(&mut self, state: &mut State<'_>, condition: &Condition<'t>) -> Result<(), Doubt> {
        match condition {
            Condition::Both(left, right) => {
                self.condition(state, left)?;
                self.condition(state, right)
            }
            Condition::Inverse(inner) => self.condition(state, inner),
            Condition::Plain(words) => {
                for word in words {
                    let judged = self.expand_single(state, *word);
                    self.absorb(judged)?;
                }
                Ok(())
            }
            Condition::Arithmetic(left, right) => {
                for word in [left, right] {
                    let judged = self.number(state, *word);
                    self.absorb(judged)?;
                }
                Ok(())
            }
            Condition::Variable(word) => {
                let judged = self.name(state, *word);
                self.absorb(judged)?;
                Ok(())
            }
        }
    }

    /// A word that bash evaluates as arithmetic: it must be a number whatever happens.
    fn number(&mut self, state: &mut State<'_>, word: Raw<'t>) -> Result<(), Doubt> {
        let name = word
            .text
            .trim_matches('"')
            .strip_prefix('$')
            .unwrap_or_default();
        let name = name
            .strip_prefix('{')
            .and_then(|name| name.strip_suffix('}'))
            .unwrap_or(name);
        let counted = !name.is_empty() && self.is_number(state, name);
        let literal = |value: &crate::word::Value| matches!(value, crate::word::Value::Literal(text) if super::arithmetic::is_integer(text));
        if counted || self.expand_single(state, word)?.iter().all(literal) {
            return Ok(());
        }
        Err(Doubt::new(
            "word.arithmetic",
            "bash evaluates this operand, and it is not certainly a number",
        )
        .at(word.start, word.end()))
    }

    fn name(&mut self, state: &mut State<'_>, word: Raw<'t>) -> Result<(), Doubt> {
        let plain = |value: &crate::word::Value| matches!(value, crate::word::Value::Literal(text) if super::scan::is_name(text));
        if self.expand_single(state, word)?.iter().all(plain) {
            return Ok(());
        }
        Err(Doubt::new(
            "word.subscript",
            "bash evaluates a subscript in this operand",
        )
        .at(word.start, word.end()))
    }

    /// Judges the inside of a substitution, which runs in a shell of its own.
    pub(crate) fn substitution(&mut self, state: &State<'_>, inside: Raw<'t>) -> Result<(), Doubt> {
        let context = state.context.deeper().ok_or_else(|| {
            Doubt::limit(format!(
                "nested deeper than {} levels",
                crate::context::MOST_NESTING
            ))
        })?;
        let mut inner_state = state.clone();
        inner_state.context = context;
        let source = Source {
            text: inside.text,
            base: self.source.base.map(|base| base + inside.start),
        };
        let finding = super::walk_source(source, &mut inner_state)?;
        self.add(finding);
        Ok(())
    }

    pub(crate) fn count(&self, state: &State<'_>) -> Result<(), Doubt> {
        let commands = &state.context.commands;
        commands.set(commands.get() + 1);
        if commands.get() > limits::MOST_COMMANDS {
            return Err(Doubt::limit(format!(
                "more than {} commands",
                limits::MOST_COMMANDS
            )));
        }
        Ok(())
    }
}

pub(crate) fn join<'a>(state: &mut State<'a>, other: Failure<'a>) {
    if let Some(other) = other {
        state.join(*other);
    }
}

fn first_word<'t>(chain: &Chain<'t>) -> Option<Raw<'t>> {
    chain
        .first
        .commands
        .first()
        .and_then(|command| match &command.shape {
            Shape::Simple { words, .. } => words.first().copied(),
            Shape::Group(_)
            | Shape::Subshell(_)
            | Shape::If { .. }
            | Shape::While { .. }
            | Shape::For { .. }
            | Shape::ArithmeticFor { .. }
            | Shape::Case { .. }
            | Shape::Function { .. }
            | Shape::Arithmetic(_)
            | Shape::Condition(_) => None,
        })
}
