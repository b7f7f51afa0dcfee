//! Proof that the gate said yes to one action, and the question a person answers when the gate does not know.
//!
//! A permit has private fields and one use. Only the gate, or a question that was answered yes, makes one. These names
//! can be used, and none of the forgeries below compiles:
//!
//! ```
//! use fore_plan::{Cage, Epoch, Refusal, State, gate::{Action, Permit, Presented, Question, Reply, PermitSource}};
//! fn use_once(permit: Permit, state: &State) -> Result<Presented, Refusal> { permit.present(state) }
//! ```
//!
//! A literal:
//! ```compile_fail,E0451
//! # use fore_plan::{Cage, Epoch, gate::{Action, Permit, PermitSource}};
//! let permit = Permit { action: Action::Todo, cage: Cage::Free, plan_file: None, epoch: Epoch(0), from: PermitSource::Gate };
//! ```
//! The gate's own constructor:
//! ```compile_fail,E0624
//! # use fore_plan::{Cage, State, gate::{Action, Permit, PermitSource}};
//! let permit = Permit::new(Action::Todo, Cage::Free, None, &State::default(), PermitSource::Gate);
//! ```
//! A copy, to use it twice:
//! ```compile_fail,E0277
//! # use fore_plan::gate::Permit;
//! fn twice(permit: &Permit) -> Permit { Permit::clone(permit) }
//! ```
//! Text from a model or a file:
//! ```compile_fail,E0277
//! # use fore_plan::gate::Permit;
//! let permit: Permit = serde_json::from_str("{}").unwrap();
//! ```
//! What the sandbox takes, without presenting:
//! ```compile_fail,E0451
//! # use fore_plan::gate::{Permit, Presented};
//! fn forge(permit: Permit) -> Presented { Presented { permit } }
//! ```
//! A yes to a refusal:
//! ```compile_fail,E0599
//! # use fore_plan::{Refusal, State, gate::Reply};
//! fn open(refusal: Refusal, state: &State) { refusal.answer(Reply::Yes, state); }
//! ```
//! A question of one's own:
//! ```compile_fail,E0451
//! # use fore_plan::{Cage, Epoch, Mode, gate::{Action, Answerer, Question, PermitSource}};
//! let question = Question { action: Action::Todo, cage: Cage::Free, plan_file: None, epoch: Epoch(0), mode: Mode::Plan,
//!     answerer: Answerer::Person, from: PermitSource::Gate, rule: String::new(), text: String::new(), scopes: Vec::new() };
//! ```

use crate::{
    approval::amend::PlanAddition,
    cage::Cage,
    change::Change,
    gate::{
        Action,
        scope::{self, AllowScope},
        table::GateRow,
    },
    mode::Mode,
    refusal::{DECLINED, Refusal, RefusalCode},
    state::{Epoch, MAX_ALLOWED_BYTES, State},
};
use fore_shell::Evidence;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What the gate says to an action.
#[derive(Debug)]
pub enum Verdict {
    /// It may be done.
    Allow(Permit),
    /// Somebody has to answer first.
    Ask(Question),
    /// There is no road from here to a permit.
    Block(Refusal),
}

/// Leave to do exactly this action, once, in this cage, while the mode stays as it is.
#[derive(Debug, PartialEq, Eq)]
pub struct Permit {
    action: Action,
    cage: Cage,
    plan_file: Option<String>,
    epoch: Epoch,
    from: PermitSource,
}

/// Where a permit comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermitSource {
    /// The gate's table.
    Gate,
    /// A rule of the settings.
    Rule,
    /// The approved plan names it.
    Plan,
    /// It lies beside what the approved plan names.
    NearPlan,
    /// The approved plan does not cover it, and whoever approved it allowed drift.
    Drift,
    /// A person's yes.
    Person,
    /// The classifier of auto mode.
    Classifier,
    /// The person's own command, which is not the agent's.
    Typed,
    /// A hook of the person's that answered in their place; never while planning.
    Hook,
}

/// A permit that was shown to still hold. The sandbox takes nothing else.
#[derive(Debug, PartialEq, Eq)]
pub struct Presented {
    permit: Permit,
}

/// Who answers a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// The person.
    Person,
    /// The classifier of auto mode.
    Classifier,
}

/// A question that stands between an action and its permit.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    action: Action,
    cage: Cage,
    plan_file: Option<String>,
    epoch: Epoch,
    mode: Mode,
    answerer: Answerer,
    from: PermitSource,
    rule: String,
    text: String,
    scopes: Vec<AllowScope>,
    wider: Vec<AllowScope>,
    addition: Option<Box<PlanAddition>>,
    always: Vec<String>,
    /// What the command would do, the worst first; empty for other actions and plain reads.
    pub effects: Vec<Evidence>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// This once.
    Yes,
    /// And do not ask again in this session; offered only where the question says for what.
    YesForSession,
    /// The same for others of its kind; offered only where [`Question::describe_lasting`] names them.
    YesForKind,
    /// And the plan that is carried out covers it from now on; offered only where [`Question::addition`] says what.
    YesForPlan,
    /// It is not done.
    No {
        /// Why, for the model.
        #[serde(default)]
        reason: String,
    },
}

/// A yes: the permit, and what the session remembers of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Granted {
    /// Leave to do it.
    pub permit: Permit,
    /// What the session records.
    pub changes: Vec<Change>,
    /// What is added to the plan by it.
    pub addition: Option<PlanAddition>,
}

impl Permit {
    pub(super) fn new(
        action: Action,
        cage: Cage,
        plan_file: Option<String>,
        state: &State,
        from: PermitSource,
    ) -> Permit {
        Permit { action, cage, plan_file, epoch: state.epoch(), from }
    }

    /// What may be done.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// What holds it.
    pub fn cage(&self) -> &Cage {
        &self.cage
    }

    /// The plan file, if writing it is what this very command was judged to do. No other command may write it.
    pub fn plan_file(&self) -> Option<&str> {
        self.plan_file.as_deref()
    }

    /// Where it comes from.
    pub fn source(&self) -> PermitSource {
        self.from
    }

    /// A hook wants a person to be asked first: the permit is gone, and what is left is a question that no hook answers.
    pub fn asked_first(self, state: &State, hook: &str, text: String) -> Question {
        let Permit { action, cage, plan_file, epoch, from: _ } = self;
        Question {
            action,
            cage,
            plan_file,
            epoch,
            mode: state.mode(),
            answerer: Answerer::Person,
            from: PermitSource::Rule,
            rule: format!("hook {hook}"),
            text,
            scopes: Vec::new(),
            wider: Vec::new(),
            addition: None,
            always: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// Uses the permit up. After a change of mode it is void.
    pub fn present(self, state: &State) -> Result<Presented, Refusal> {
        if self.epoch == state.epoch() || self.from == PermitSource::Typed {
            return Ok(Presented { permit: self });
        }
        Err(stale(state))
    }
}

impl Presented {
    /// What may be done.
    pub fn action(&self) -> &Action {
        &self.permit.action
    }

    /// What holds it.
    pub fn cage(&self) -> &Cage {
        &self.permit.cage
    }

    /// The plan file, if writing it is what this very command was judged to do.
    pub fn plan_file(&self) -> Option<&str> {
        self.permit.plan_file.as_deref()
    }

    /// The same permit for a run that may not write the plan.
    #[must_use]
    pub fn without_plan_file(self) -> Presented {
        Presented { permit: Permit { plan_file: None, ..self.permit } }
    }

    /// Where it comes from.
    pub fn source(&self) -> PermitSource {
        self.permit.from
    }
}

pub(super) struct QuestionParts<'a> {
    pub(super) action: Action,
    pub(super) cage: Cage,
    pub(super) plan_file: Option<String>,
    pub(super) state: &'a State,
    pub(super) row: GateRow,
    pub(super) rule: Option<String>,
    pub(super) text: String,
    pub(super) scopes: Vec<AllowScope>,
    pub(super) wider: Vec<AllowScope>,
    pub(super) addition: Option<PlanAddition>,
    pub(super) always: Vec<String>,
    pub(super) effects: Vec<Evidence>,
}

impl Question {
    pub(super) fn new(asking: QuestionParts<'_>) -> Question {
        let QuestionParts { action, cage, plan_file, state, row, rule, text, scopes, wider, addition, always, effects } =
            asking;
        let fits = scopes.iter().all(|scope| scope.key().len() <= MAX_ALLOWED_BYTES);
        let scopes = if fits { scopes } else { Vec::new() };
        let fits = wider.iter().all(|scope| scope.key().len() <= MAX_ALLOWED_BYTES);
        let wider = if fits { wider } else { Vec::new() };
        // What a plan grants is a person's word at every level.
        let is_theirs = action == Action::AmendPlan;
        let answerer = if state.auto_decides() && !is_theirs { Answerer::Classifier } else { Answerer::Person };
        Question {
            action,
            cage,
            plan_file,
            epoch: state.epoch(),
            mode: state.mode(),
            answerer,
            from: if rule.is_some() { PermitSource::Rule } else { PermitSource::Gate },
            rule: rule.unwrap_or_else(|| row.name().into()),
            text,
            scopes,
            wider,
            addition: addition.map(Box::new),
            always,
            effects,
        }
    }

    /// What is asked about.
    pub fn action(&self) -> &Action {
        &self.action
    }

    /// The cage it would run in.
    pub fn cage(&self) -> &Cage {
        &self.cage
    }

    /// Who answers.
    pub fn answerer(&self) -> Answerer {
        self.answerer
    }

    /// Whether the gate's table asks, or a rule of the settings.
    pub fn source(&self) -> PermitSource {
        self.from
    }

    /// The rule that asks.
    pub fn rule(&self) -> &str {
        &self.rule
    }

    /// What is asked, in plain words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a yes may hold for the whole session.
    pub(crate) fn may_last(&self) -> bool {
        !self.scopes.is_empty() && self.answerer == Answerer::Person
    }

    /// What such a yes would cover, in words for somebody who sees the call, and what one for others of its kind would; none
    /// where it may not last.
    pub fn describe_lasting(&self, project: &Path) -> (Option<String>, Option<String>) {
        let is_person = self.answerer == Answerer::Person;
        let has_kind = is_person && !self.wider.is_empty();
        let wider = has_kind.then(|| scope::describe_all(&self.wider, project));
        (self.may_last().then(|| scope::describe_beside_call(&self.scopes, project)), wider)
    }

    /// What the plan does not cover and a yes could add to it; a person's alone.
    pub fn addition(&self) -> Option<&PlanAddition> {
        self.addition.as_deref().filter(|_| self.answerer == Answerer::Person)
    }

    /// How commands begin that could be allowed for good in this project, for each part of the command that is asked about; empty where
    /// that is not offered.
    pub fn always(&self) -> &[String] {
        let is_offered = self.answerer == Answerer::Person && !self.wider.is_empty();
        if is_offered { &self.always } else { &[] }
    }

    /// Answers the question, once. A no, or a yes that comes after the mode changed, makes no permit. The no of a
    /// classifier ([`RefusalCode::AutoDenied`]) is recorded by the caller as a [`Change::AutoVerdict`], for the breaker.
    pub fn answer(self, reply: Reply, state: &State) -> Result<Granted, Refusal> {
        if self.epoch != state.epoch() {
            return Err(stale(state));
        }
        let source = match self.answerer {
            Answerer::Person => PermitSource::Person,
            Answerer::Classifier => PermitSource::Classifier,
        };
        let scopes = match reply {
            Reply::YesForSession if self.may_last() => self.scopes.clone(),
            Reply::YesForKind if self.answerer == Answerer::Person => self.wider.clone(),
            Reply::Yes | Reply::YesForSession | Reply::YesForKind | Reply::YesForPlan | Reply::No { .. } => Vec::new(),
        };
        let addition = self.addition().filter(|_| reply == Reply::YesForPlan).cloned();
        match reply {
            Reply::Yes | Reply::YesForSession | Reply::YesForKind | Reply::YesForPlan => {
                let remembered = scopes.iter().map(|scope| Change::Allowed { what: scope.key() });
                let mut changes: Vec<Change> = remembered.collect();
                if source == PermitSource::Classifier {
                    changes.push(Change::AutoVerdict { allowed: true });
                }
                let permit = Permit::new(self.action, self.cage, self.plan_file, state, source);
                Ok(Granted { permit, changes, addition })
            }
            Reply::No { reason } => Err(self.declined(&reason)),
        }
    }

    /// Whether a hook's yes could count: to what the gate's own table asks a person, where nobody plans and nothing goes beyond an
    /// approved plan. A rule of the person's that asks means the person.
    pub(crate) fn may_be_answered_by_hook(&self) -> bool {
        self.mode != Mode::Plan
            && self.from == PermitSource::Gate
            && self.answerer == Answerer::Person
            && self.addition.is_none()
            && self.action != Action::AmendPlan
    }

    /// A hook's yes, this once. The question comes back where it is not for a hook to answer.
    pub fn allowed_by_hook(self, state: &State) -> Result<Permit, Box<Question>> {
        let is_planning = state.mode() == Mode::Plan || self.epoch != state.epoch();
        if is_planning || !self.may_be_answered_by_hook() {
            return Err(Box::new(self));
        }
        Ok(Permit::new(self.action, self.cage, self.plan_file, state, PermitSource::Hook))
    }

    fn declined(&self, reason: &str) -> Refusal {
        let reason: String = reason.trim().chars().take(2000).collect();
        let (code, who) = match self.answerer {
            Answerer::Person => (RefusalCode::Declined, DECLINED),
            Answerer::Classifier => (RefusalCode::AutoDenied, "auto mode's classifier said no"),
        };
        Refusal {
            code,
            mode: self.mode,
            rule: self.rule.clone(),
            reason: if reason.is_empty() { who.into() } else { format!("{who}: {reason}") },
            way_out: "Do it another way, or ask what is wanted.".into(),
        }
    }
}

fn stale(state: &State) -> Refusal {
    Refusal {
        code: RefusalCode::PermitStale,
        mode: state.mode(),
        rule: "epoch".into(),
        reason: "the mode changed after this was allowed".into(),
        way_out: "Call it again; it is judged in the mode that holds now.".into(),
    }
}
