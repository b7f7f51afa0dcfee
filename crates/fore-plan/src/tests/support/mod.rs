//! A session as a page: a state, a plan file in memory, and the person's and the model's moves.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken story fails the test")]

use crate::{
    Applied, Change, Level, Mode, ModeReason, ModeTarget, Openings, SessionRole, State,
    approval::{
        Answered, ApprovalAnswer, Caller, Choice, ChosenLevel, Decider, ExitCall, Exiting, GrantScope, OnDisk,
        Proposal, Reachable, ReadyProposal, Timestamp, answer, exit,
    },
    change::Actor,
    plan::PlanId,
    reminder::Notice,
    transition,
};
use serde_json::{Value, json};

pub const PLAN_PATH: &str = "/home/ada/.forethought/plans/brave-quiet-fox.md";
pub const EVERYTHING: Openings =
    Openings { folder_trusted: true, auto_opted_in: true, auto_gate_open: true, bypass_permitted: true };

pub struct Story {
    pub state: State,
    pub changes: Vec<Change>,
    pub disk: Option<String>,
    nonce: u32,
}

impl Story {
    pub fn at(level: Level) -> Story {
        Story::with(level, EVERYTHING, SessionRole::Main)
    }

    pub fn with(level: Level, openings: Openings, role: SessionRole) -> Story {
        let mut story = Story { state: State::default(), changes: Vec::new(), disk: None, nonce: 0 };
        story.apply(Change::Started { level, planning: false, openings, role });
        story
    }

    /// Planning, with a named plan and this text on disk.
    pub fn planning(level: Level, text: &str) -> Story {
        let mut story = Story::at(level);
        story.enter();
        story.name_plan();
        story.disk = Some(text.into());
        story
    }

    pub fn apply(&mut self, change: Change) {
        assert_eq!(self.state.apply(&change), Applied::Yes, "{change:?}");
        self.changes.push(change);
    }

    pub fn apply_all(&mut self, changes: &[Change]) {
        changes.iter().for_each(|change| self.apply(change.clone()));
    }

    pub fn go(&mut self, target: ModeTarget) {
        if let Some(change) = transition(&self.state, target, Actor::Person, ModeReason::Chosen).unwrap() {
            self.apply(change);
        }
    }

    pub fn enter(&mut self) {
        self.go(ModeTarget::Plan);
    }

    pub fn leave(&mut self) {
        self.go(ModeTarget::Beneath);
    }

    pub fn name_plan(&mut self) {
        let ordinal = self.state.plans() + 1;
        let path = if ordinal == 1 { PLAN_PATH.into() } else { PLAN_PATH.replace(".md", &format!("-{ordinal}.md")) };
        self.apply(Change::PlanNamed { plan: PlanId { session: "s1".into(), ordinal }, path });
    }

    /// A person's prompt; gives the notices that come with it.
    pub fn prompt(&mut self) -> Vec<Notice> {
        self.apply(Change::HumanTurn);
        let notices = self.state.notices_due(self.disk.is_some());
        if !notices.is_empty() {
            self.apply(Change::Told { notices: notices.clone() });
        }
        notices
    }

    pub fn on_disk(&self) -> OnDisk<'_> {
        self.disk.as_deref().map_or(OnDisk::Missing, OnDisk::Text)
    }

    pub fn exit_with(&mut self, input: Value, caller: Caller, reachable: Reachable) -> Exiting {
        self.nonce += 1;
        let nonce = self.nonce.to_string();
        let call = ExitCall {
            input: &input,
            caller: &caller,
            reachable,
            on_disk: self.on_disk(),
            nonce: &nonce,
            now: Timestamp(1000),
        };
        exit(&self.state, &call)
    }

    /// The model calls ExitPlanMode with no input and the request is shown to the person.
    pub fn propose(&mut self) -> Proposal {
        match self.exit_with(json!({}), Caller::Main, Reachable::Approver) {
            Exiting::AskPerson(asking) => self.ask(asking),
            other => panic!("not asked: {other:?}"),
        }
    }

    pub fn ask(&mut self, asking: ReadyProposal) -> Proposal {
        if let Some(text) = &asking.write {
            self.disk = Some(text.clone());
        }
        self.apply_all(&asking.changes);
        asking.proposal
    }

    pub fn answer_as(&mut self, proposal: &Proposal, by: Decider, choice: Choice) -> Answered {
        self.nonce += 1;
        let nonce = self.nonce.to_string();
        let given =
            ApprovalAnswer { request: proposal.request.clone(), hash: proposal.hash, by, at: Timestamp(2000), choice };
        answer(&self.state, &given, self.on_disk(), &nonce, &|_| crate::contract::Contract::default())
    }

    /// The person answers, and what follows is done.
    pub fn answer(&mut self, proposal: &Proposal, choice: Choice) -> Answered {
        let answered = self.answer_as(proposal, person(), choice);
        match &answered {
            Answered::Approved { changes, write, .. }
            | Answered::KeepPlanning { changes, write, .. }
            | Answered::Saved { changes, write } => {
                if let Some(text) = write {
                    self.disk = Some(text.clone());
                }
                self.apply_all(changes);
            }
            Answered::ShowAgain { changes, .. } | Answered::Left { changes, .. } | Answered::Discarded { changes } => {
                self.apply_all(changes)
            }
            Answered::NotCounted { .. } => {}
        }
        answered
    }

    pub fn mode(&self) -> &'static str {
        self.state.mode().name()
    }
}

pub fn person() -> Decider {
    Decider::Person { via: "terminal".into() }
}

pub fn approve(level: ChosenLevel) -> Choice {
    Choice::approve(level)
}

pub fn for_this_plan(level: Level) -> ChosenLevel {
    ChosenLevel::Level { level, scope: GrantScope::Plan }
}

pub fn keep_planning(reason: &str) -> Choice {
    Choice::KeepPlanning { reason: reason.into(), comments: Vec::new(), edited: None }
}

pub fn not_counted(answered: &Answered) -> &str {
    match answered {
        Answered::NotCounted { why } => why,
        other => panic!("it counted: {other:?}"),
    }
}

pub fn is_planning(story: &Story) -> bool {
    story.state.mode() == Mode::Plan
}

/// Whether a yes to the question may hold for the whole session.
pub fn may_last(question: &crate::gate::Question) -> bool {
    question.describe_lasting(std::path::Path::new("/projects/shop")).0.is_some()
}
