//! Walks statements and merges what each of them would do. Every branch counts.

use super::{
    doubt::Doubt,
    limits, redirect,
    script::{Chain, CommandShape, Joint, Pipeline, RawWord, Script, ShellCommand, SourceText},
    state::ShellState,
};
use crate::{
    finding::{CommandKind, Finding},
    sends,
};

/// The walk over one text.
pub(crate) struct ScriptWalk<'t> {
    pub(crate) source: SourceText<'t>,
    pub(crate) finding: Finding,
    /// A `break` or `continue` was seen, so loops end in more than one state.
    pub(crate) jumped: bool,
    pub(crate) loops: usize,
    /// An expansion that can fail came before, and there are lines after it. Bash then skips the rest of the line and goes
    /// on with the next one, so nothing that is set from here on is certain.
    pub(crate) shaky: bool,
}

/// The state after a failure, where it differs from the state after success.
pub(crate) type FailureState<'a> = Option<Box<ShellState<'a>>>;

impl<'t> ScriptWalk<'t> {
    pub(crate) fn new(source: SourceText<'t>) -> ScriptWalk<'t> {
        ScriptWalk { source, finding: Finding::reads(), jumped: false, loops: 0, shaky: false }
    }

    /// Notes an expansion that can fail.
    pub(crate) fn stumble(&mut self) {
        self.shaky |= self.source.text.contains('\n');
    }

    pub(crate) fn add(&mut self, mut finding: Finding) {
        if finding.kind == CommandKind::Reads && finding.reach.is_empty() && finding.evidence.is_empty() {
            let room = Finding::MAX_PATHS.saturating_sub(self.finding.paths.len());
            self.finding.paths.extend(finding.paths.into_iter().take(room));
            self.finding.writes_plan |= finding.writes_plan;
            return;
        }
        finding.evidence.retain(|new| !self.finding.evidence.contains(new));
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
        state: &mut ShellState<'a>,
        script: &Script<'t>,
    ) -> Result<FailureState<'a>, Doubt> {
        let mut failure = None;
        for chain in &script.chains {
            join(state, failure.take());
            failure = self.chain(state, chain)?;
        }
        Ok(failure)
    }

    fn chain<'a>(&mut self, state: &mut ShellState<'a>, chain: &Chain<'t>) -> Result<FailureState<'a>, Doubt> {
        if chain.background {
            let why = "a command in the background keeps running after the call";
            let finding = match first_word(chain) {
                Some(word) => self.because(CommandKind::Unknown, "syntax.background", word, why),
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
                    let mut failed = failure.take().map_or_else(|| state.clone(), |failed| *failed);
                    let next = self.pipeline(state, pipeline)?;
                    failed.join(next.map_or_else(|| state.clone(), |next| *next));
                    failure = Some(Box::new(failed));
                }
                Joint::Or => {
                    let mut failed = failure.take().map_or_else(|| state.clone(), |failed| *failed);
                    let next = self.pipeline(&mut failed, pipeline)?;
                    let still_failed = next.map_or_else(|| failed.clone(), |next| *next);
                    state.join(failed);
                    failure = Some(Box::new(still_failed));
                }
            }
        }
        Ok(if chain.background { None } else { failure })
    }

    fn pipeline<'a>(&mut self, state: &mut ShellState<'a>, pipeline: &Pipeline<'t>) -> Result<FailureState<'a>, Doubt> {
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
        let mut before: Option<&ShellCommand<'t>> = None;
        for command in &pipeline.commands {
            let mut inside = state.clone();
            if let Some(before) = before {
                inside.context.input = Some(self.output_of(before).into());
            }
            self.command(&mut inside, command)?;
            before = Some(command);
        }
        Ok(None)
    }

    /// What a command writes, in words for whoever it is sent to.
    fn output_of(&self, command: &ShellCommand<'t>) -> String {
        let words = match &command.shape {
            CommandShape::Simple { words, .. } => words.as_slice(),
            CommandShape::Group(_)
            | CommandShape::Subshell(_)
            | CommandShape::If { .. }
            | CommandShape::While { .. }
            | CommandShape::For { .. }
            | CommandShape::ArithmeticFor { .. }
            | CommandShape::Case { .. }
            | CommandShape::Function { .. }
            | CommandShape::Arithmetic(_)
            | CommandShape::Condition(_) => &[],
        };
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => {
                sends::output_of(self.source.text.get(first.start..last.end()).unwrap_or(first.text))
            }
            _ => "the output of the commands before it".to_owned(),
        }
    }

    /// Judges a command with the input that its own redirections feed it, which is gone after it.
    fn command<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        command: &ShellCommand<'t>,
    ) -> Result<FailureState<'a>, Doubt> {
        let before = state.context.input.clone();
        if let Some(input) = redirect::input(&command.redirections) {
            state.context.input = input;
        }
        let mut failure = self.redirected(state, command)?;
        state.context.input.clone_from(&before);
        if let Some(failed) = &mut failure {
            failed.context.input = before;
        }
        Ok(failure)
    }

    fn redirected<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        command: &ShellCommand<'t>,
    ) -> Result<FailureState<'a>, Doubt> {
        if let CommandShape::Simple { assignments, words } = &command.shape {
            return self.simple(state, assignments, words, &command.redirections);
        }
        self.redirections(state, &command.redirections)?;
        // Where a redirection fails the whole command is skipped.
        let skipped = (!command.redirections.is_empty()).then(|| state.clone());
        let failure = self.compound(state, &command.shape)?;
        Ok(match skipped {
            None => failure,
            Some(skipped) => {
                join(state, failure);
                state.join(skipped);
                None
            }
        })
    }

    fn compound<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        shape: &CommandShape<'t>,
    ) -> Result<FailureState<'a>, Doubt> {
        match shape {
            CommandShape::Simple { assignments, words } => {
                return self.simple(state, assignments, words, &[]);
            }
            CommandShape::Group(script) => return self.script(state, script),
            CommandShape::Subshell(script) => {
                self.script(&mut state.clone(), script)?;
            }
            CommandShape::If { arms, otherwise } => self.branches(state, arms, otherwise.as_ref())?,
            CommandShape::While { until, condition, body } => self.repeat(state, |walk, state| {
                let failure = walk.script(state, condition)?;
                let failed = failure.map_or_else(|| state.clone(), |failed| *failed);
                let (mut inside, exit) = if *until { (failed, state.clone()) } else { (state.clone(), failed) };
                let failed = walk.script(&mut inside, body)?;
                join(&mut inside, failed);
                *state = exit;
                state.join(inside);
                Ok(())
            })?,
            CommandShape::For { name, values, body } => self.each(state, *name, values.as_deref(), body)?,
            CommandShape::ArithmeticFor { expressions, body } => {
                let Some((first, others)) = expressions.split_first() else {
                    return Ok(None);
                };
                let before = state.clone();
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
                state.join(before);
            }
            CommandShape::Case { value, arms } => {
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
            CommandShape::Function { name, body } => self.function(state, *name, body)?,
            CommandShape::Arithmetic(expression) => {
                let mut failed = state.clone();
                let judged = self.arithmetic(state, *expression);
                self.absorb(judged)?;
                failed.join(state.clone());
                return Ok(Some(Box::new(failed)));
            }
            CommandShape::Condition(condition) => self.condition(state, condition)?,
        }
        Ok(None)
    }

    fn branches<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        arms: &[(Script<'t>, Script<'t>)],
        otherwise: Option<&Script<'t>>,
    ) -> Result<(), Doubt> {
        let mut after: Option<ShellState<'a>> = None;
        let mut merge = |end: ShellState<'a>| match &mut after {
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

    fn function<'a>(
        &mut self,
        state: &mut ShellState<'a>,
        name: RawWord<'t>,
        body: &ShellCommand<'t>,
    ) -> Result<(), Doubt> {
        if !crate::command::may_name_function(name.text, &state.context) {
            let doubt =
                Doubt::new("function.name", format!("a function called `{}` hides what that name means", name.text));
            return self.absorb(Err(doubt.at(name.start, name.end()))).map(|_: Option<()>| ());
        }
        // It may be called from anywhere later: with any values, in any folder.
        let mut inside = state.clone();
        inside.forget();
        inside.globs_vanish = true;
        inside.functions.push(name.text.to_owned());
        self.command(&mut inside, body)?;
        if !self.shaky {
            state.functions.push(name.text.to_owned());
        }
        Ok(())
    }

    /// Judges the inside of a substitution, which runs in a shell of its own.
    pub(crate) fn substitution(&mut self, state: &ShellState<'_>, inside: RawWord<'t>) -> Result<(), Doubt> {
        // `>(…)` is fed by whoever writes to it.
        let is_fed = inside.start.checked_sub(2).and_then(|at| self.source.text.get(at..inside.start)) == Some(">(");
        let mut context = state
            .context
            .deeper()
            .ok_or_else(|| Doubt::limit(format!("nested deeper than {} levels", crate::context::MAX_NESTING)))?;
        if is_fed {
            context.input = Some("whatever is written to it".into());
        }
        let mut inner_state = state.clone();
        inner_state.context = context;
        let source = SourceText { text: inside.text, base: self.source.base.map(|base| base + inside.start) };
        let finding = super::walk_source(source, &mut inner_state)?;
        self.add(finding);
        Ok(())
    }

    pub(crate) fn count(&self, state: &ShellState<'_>) -> Result<(), Doubt> {
        let commands = &state.context.commands;
        commands.set(commands.get() + 1);
        if commands.get() > limits::MAX_COMMANDS {
            return Err(Doubt::limit(format!("more than {} commands", limits::MAX_COMMANDS)));
        }
        Ok(())
    }
}

pub(crate) fn join<'a>(state: &mut ShellState<'a>, other: FailureState<'a>) {
    if let Some(other) = other {
        state.join(*other);
    }
}

fn first_word<'t>(chain: &Chain<'t>) -> Option<RawWord<'t>> {
    chain.first.commands.first().and_then(|command| match &command.shape {
        CommandShape::Simple { words, .. } => words.first().copied(),
        CommandShape::Group(_)
        | CommandShape::Subshell(_)
        | CommandShape::If { .. }
        | CommandShape::While { .. }
        | CommandShape::For { .. }
        | CommandShape::ArithmeticFor { .. }
        | CommandShape::Case { .. }
        | CommandShape::Function { .. }
        | CommandShape::Arithmetic(_)
        | CommandShape::Condition(_) => None,
    })
}
