//! Why a call would run, ask or be refused: the rule, row, mode or earlier yes that decides. It judges as the gate does, and what it
//! gives opens nothing.

use super::{
    Action, AllowScope, Answerer, Ground, PermitSource, RuleEffect, ShellContents, Verdict, judge, parts, wider,
};
use crate::{
    cage::Cage,
    mode::{Level, Mode},
    state::State,
};
use serde::Serialize;

/// What the gate would say to a call, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What would happen.
    pub outcome: ExplainedOutcome,
    /// The mode that it was judged in.
    pub mode: Mode,
    /// The row of the table that the call belongs to.
    pub row: &'static str,
    /// What decides, in words.
    pub decided_by: String,
    /// What would be asked, or why it is refused and what to do instead; empty for what runs.
    pub reason: String,
    /// Where it would run after a yes.
    pub cage: Option<Cage>,
    /// The parts of a command that is several, each with what covers it.
    pub parts: Vec<ExplainedPart>,
}

/// What would happen to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExplainedOutcome {
    /// It runs.
    Runs,
    /// Somebody is asked.
    Asks,
    /// It does not run.
    Refused,
}

/// One part of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPart {
    /// As it is written.
    pub text: String,
    /// What covers it, or what a yes could.
    pub standing: String,
}

/// What the gate would say to this now.
pub fn explain(state: &State, ground: &Ground<'_>, action: Action) -> Explanation {
    let judgement = judge(state, ground, action.clone());
    let (mode, row) = (state.mode(), judgement.row.name());
    let parts = parts_of(state, ground, &action);
    let table = |does: &str| format!("the table: {row} {does} in {mode} mode");
    let explained = |outcome, decided_by, reason, cage| Explanation {
        outcome,
        mode,
        row,
        decided_by,
        reason,
        cage,
        parts: parts.clone(),
    };
    match judgement.verdict {
        Verdict::Block(refusal) => {
            let decided_by =
                if refusal.rule == row { table("is refused") } else { format!("the rule `{}`", refusal.rule) };
            let (why, way_out) = refusal.for_person();
            explained(ExplainedOutcome::Refused, decided_by, format!("{why} {way_out}").trim_end().to_owned(), None)
        }
        Verdict::Ask(question) => {
            let decided_by = match (question.source(), question.answerer()) {
                (PermitSource::Rule, _) => format!("the rule `{}`", question.rule()),
                (_, Answerer::Classifier) => format!("{}; auto mode's classifier answers", table("asks")),
                (_, Answerer::Person) => table("asks"),
            };
            let cage = Some(question.cage().clone());
            explained(ExplainedOutcome::Asks, decided_by, question.text().to_owned(), cage)
        }
        Verdict::Allow(permit) => {
            let decided_by = match permit.source() {
                PermitSource::Gate if mode == Mode::At(Level::BypassPermissions) => {
                    "the mode: bypassPermissions asks nothing".to_owned()
                }
                PermitSource::Gate => table("runs"),
                PermitSource::Rule => allowed_by(state, ground, &action, judgement.finding.as_ref()),
                PermitSource::Plan => "the approved plan, which names it".to_owned(),
                PermitSource::NearPlan => "the approved plan, which names what lies beside it".to_owned(),
                PermitSource::Drift => "the run, which was allowed to go beyond the plan".to_owned(),
                PermitSource::Person => "what you allowed for this session, or your allowed hosts".to_owned(),
                PermitSource::Classifier => "auto mode's classifier".to_owned(),
                PermitSource::Typed => "you typed it yourself".to_owned(),
                PermitSource::Hook => "a hook of yours, which answered for you".to_owned(),
            };
            explained(ExplainedOutcome::Runs, decided_by, String::new(), Some(permit.cage().clone()))
        }
    }
}

/// The rule of the settings that allows it, or what is always allowed in this project.
fn allowed_by(state: &State, ground: &Ground<'_>, action: &Action, finding: Option<&fore_shell::Finding>) -> String {
    let stripped = state.auto_decides().then(|| ground.rules.without_broad_allows());
    let rules = stripped.as_ref().unwrap_or(ground.rules);
    match rules.find(RuleEffect::Allow, action, &ShellContents::of(finding)) {
        Some(rule) => format!("the rule `{}`", rule.name()),
        None => "what you always allow in this project".to_owned(),
    }
}

/// Nothing while planning, where no yes covers a kind, and for what is not several commands in a row.
fn parts_of(state: &State, ground: &Ground<'_>, action: &Action) -> Vec<ExplainedPart> {
    let Action::Run { command, cwd, rehearse: false } = action else { return Vec::new() };
    if state.mode() == Mode::Plan {
        return Vec::new();
    }
    let parts = parts::each(ground, command, cwd).unwrap_or_default();
    let standing = |kind: Option<parts::PartKind>| match kind {
        None => "of no kind that a yes could cover; judged with the whole".to_owned(),
        Some(parts::PartKind::Silent) => "prints or filters; nobody is asked about it".to_owned(),
        Some(parts::PartKind::Alike(scope) | parts::PartKind::Exact(scope)) => standing(state, ground, &scope),
    };
    let explained = |(text, kind): (&str, _)| ExplainedPart { text: text.to_owned(), standing: standing(kind) };
    if parts.len() > 1 { parts.into_iter().map(explained).collect() } else { Vec::new() }
}

fn standing(state: &State, ground: &Ground<'_>, scope: &AllowScope) -> String {
    let what = scope.describe(ground.project);
    match (state.is_allowed(&scope.key()), wider::is_always_allowed(scope, ground, state)) {
        (true, _) => format!("allowed for this session: {what}"),
        (false, true) => format!("always allowed in this project: {what}"),
        (false, false) => format!("not allowed yet; a yes could cover {what}"),
    }
}

impl Explanation {
    /// For a person, a line each.
    pub fn lines(&self) -> Vec<String> {
        let outcome = match self.outcome {
            ExplainedOutcome::Runs => "runs",
            ExplainedOutcome::Asks => "asks",
            ExplainedOutcome::Refused => "is refused",
        };
        let mut lines = vec![format!("It {outcome}. Decided by {}.", self.decided_by)];
        lines.extend(Some(self.reason.clone()).filter(|reason| !reason.is_empty()));
        lines.extend(self.parts.iter().map(|part| format!("`{}`: {}", part.text, part.standing)));
        lines
    }
}
