//! Random sequences of everything that can happen: what must hold whatever the order.

use super::support::person;
use crate::{
    Actor, Change, Decision, Level, Mode, ModeReason, ModeTarget, Openings, SessionRole, State,
    approval::{
        Answered, ApprovalAnswer, Caller, Choice, ChosenLevel, Decider, ExitCall, Exiting, GrantScope, Reachable,
        RequestId, Timestamp, answer, cancelled, exit,
    },
    plan::{Hash, PlanId, PlanStage},
    reminder::{Notice, ToldMode},
    transition,
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::json;

#[derive(Clone, Debug)]
enum Move {
    Switch(ModeTarget, Actor),
    NewPlan,
    WritePlan(u8),
    LosePlan,
    Propose {
        inline: bool,
        by_subagent: bool,
        headless: bool,
    },
    Answer {
        choice: u8,
        level: Level,
        stale: bool,
        forged_hash: bool,
        by_lead: bool,
    },
    ForgedReceipt(Level),
    /// A line that somebody wrote into the history.
    ForgedMode {
        to: Level,
        level: Level,
        keeps_grant: bool,
    },
    ForgedStart(Level),
    SettingsRead,
    Cancel,
    Prompt,
    Cut,
    Progress(PlanStage),
    SetAuto(bool),
    SetOpenings(Openings),
    Verdict(bool),
    ReminderFails(bool),
    CrashAndResume,
    Fork,
}

fn level() -> impl Strategy<Value = Level> {
    select(Level::ALL.to_vec())
}

fn openings() -> impl Strategy<Value = Openings> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(folder_trusted, auto_opted_in, auto_gate_open, bypass_permitted)| Openings {
            folder_trusted,
            auto_opted_in,
            auto_gate_open,
            bypass_permitted,
        },
    )
}

fn one_move() -> impl Strategy<Value = Move> {
    let target = prop_oneof![Just(ModeTarget::Plan), Just(ModeTarget::Beneath), level().prop_map(ModeTarget::Level)];
    let actor = select(vec![Actor::Person, Actor::Model, Actor::Settings, Actor::Breaker]);
    prop_oneof![
        4 => (target, actor).prop_map(|(target, actor)| Move::Switch(target, actor)),
        2 => Just(Move::NewPlan),
        3 => (0..4u8).prop_map(Move::WritePlan),
        1 => Just(Move::LosePlan),
        4 => (any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(inline, by_subagent, headless)| Move::Propose { inline, by_subagent, headless }),
        5 => (0..6u8, level(), any::<bool>(), any::<bool>(), any::<bool>())
            .prop_map(|(choice, level, stale, forged_hash, by_lead)| Move::Answer { choice, level, stale, forged_hash, by_lead }),
        1 => level().prop_map(Move::ForgedReceipt),
        1 => (level(), level(), any::<bool>())
            .prop_map(|(to, level, keeps_grant)| Move::ForgedMode { to, level, keeps_grant }),
        1 => level().prop_map(Move::ForgedStart),
        1 => Just(Move::SettingsRead),
        1 => Just(Move::Cancel),
        5 => Just(Move::Prompt),
        1 => Just(Move::Cut),
        2 => select(PlanStage::ALL.to_vec()).prop_map(Move::Progress),
        1 => any::<bool>().prop_map(Move::SetAuto),
        1 => openings().prop_map(Move::SetOpenings),
        1 => any::<bool>().prop_map(Move::Verdict),
        1 => any::<bool>().prop_map(Move::ReminderFails),
        1 => Just(Move::CrashAndResume),
        1 => Just(Move::Fork),
    ]
}

/// A session under random moves, with what is checked after each one.
struct Run {
    state: State,
    entries: Vec<Change>,
    disk: Option<String>,
    nonce: u64,
    /// The model was told of planning, in this round or an earlier one.
    has_heard_of_planning: bool,
}

impl Run {
    fn new(level: Level, openings: Openings) -> Run {
        let mut run =
            Run { state: State::default(), entries: Vec::new(), disk: None, nonce: 0, has_heard_of_planning: false };
        run.append(Change::Started { level, planning: false, openings, role: SessionRole::Main });
        run
    }

    fn append(&mut self, change: Change) {
        let before = self.state.clone();
        let applied = self.state.apply(&change);
        if applied != crate::Applied::Yes {
            assert_eq!(self.state, before, "what does not fit changes nothing: {change:?}");
        }
        assert_rightful_exit(&before, &self.state, &change);
        let planned = before.mode() == Mode::Plan || self.state.mode() == Mode::Plan;
        let chose = matches!(&change, Change::Started { .. } | Change::Mode { to: Mode::At(_), by: Actor::Person, .. });
        let granted = matches!(&change, Change::Decided { decision: Decision::Approved { receipt, .. }, .. } if receipt.scope == GrantScope::Session);
        if planned && !chose && !granted {
            assert_eq!(before.level(), self.state.level(), "planning never changes the level beneath: {change:?}");
        }
        self.entries.push(change);
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of move")]
    fn step(&mut self, one: &Move) {
        self.nonce += 1;
        let nonce = self.nonce.to_string();
        match one {
            Move::Switch(target, actor) => {
                let before = self.state.clone();
                match transition(&self.state, *target, *actor, ModeReason::Chosen) {
                    Ok(Some(change)) => self.append(change),
                    Ok(None) => {}
                    Err(refusal) => {
                        assert!(!refusal.reason.is_empty() && !refusal.way_out.is_empty());
                        assert_eq!(self.state, before);
                    }
                }
            }
            Move::NewPlan => {
                let ordinal = self.state.plans() + 1;
                let plan = PlanId { session: "s".into(), ordinal };
                self.append(Change::PlanNamed { plan, path: format!("/plans/p-{ordinal}.md") });
                self.disk = None;
            }
            Move::WritePlan(text) => self.disk = Some(format!("# Plan {text}\n")),
            Move::LosePlan => self.disk = None,
            Move::Propose { inline, by_subagent, headless } => self.propose(*inline, *by_subagent, *headless, &nonce),
            Move::Answer { choice, level, stale, forged_hash, by_lead } => {
                self.answer(*choice, *level, *stale, *forged_hash, *by_lead, &nonce);
            }
            Move::ForgedReceipt(level) => {
                let receipt = crate::approval::Receipt {
                    contract: None,
                    runs_covered: false,
                    request: RequestId("forged".into()),
                    plan: PlanId { session: "s".into(), ordinal: self.state.plans() },
                    revision: 1,
                    hash: Hash::of(b"x"),
                    level: *level,
                    scope: GrantScope::Session,
                    edited: false,
                    clear_context: false,
                    steps: Vec::new(),
                    by: person(),
                    at: Timestamp(0),
                };
                let decision = Decision::Approved { contract: None, receipt, comments: Vec::new() };
                self.append(Change::Decided { decision, from: Mode::Plan, to: Mode::At(*level) });
            }
            Move::ForgedMode { to, level, keeps_grant } => {
                let before = self.state.clone();
                let (from, to, keeps_grant) = (before.mode(), Mode::At(*to), *keeps_grant);
                let why = ModeReason::Other("forged".into());
                self.append(Change::Mode { from, to, level: *level, keeps_grant, by: Actor::Model, why });
                assert_eq!(self.state, before, "no line gives the model a level");
            }
            Move::ForgedStart(level) => {
                if self.state.mode() == Mode::Plan {
                    let openings = *self.state.openings();
                    self.append(Change::Started { level: *level, planning: false, openings, role: SessionRole::Main });
                    assert_eq!(self.state.mode(), Mode::Plan);
                }
            }
            Move::SettingsRead => {
                let before = self.state.epoch();
                self.append(Change::SettingsRead);
                assert!(self.state.epoch() > before, "what was allowed is judged anew");
            }
            Move::Cancel => {
                if let Some(change) = cancelled(&self.state) {
                    self.append(change);
                }
            }
            Move::Prompt => self.prompt(),
            Move::Cut => self.append(Change::ContextCut),
            Move::Progress(stage) => {
                if let Some(plan) = self.state.plan().map(|plan| plan.id.clone()) {
                    self.append(Change::Stage { plan, stage: *stage });
                }
            }
            Move::SetAuto(wanted) => self.append(Change::AutoDuringPlan { wanted: *wanted }),
            Move::SetOpenings(openings) => self.append(Change::Openings { openings: *openings, by: Actor::Person }),
            Move::Verdict(allowed) => self.append(Change::AutoVerdict { allowed: *allowed }),
            Move::ReminderFails(fails) => {
                self.append(if *fails { Change::ReminderFailed { why: "x".into() } } else { Change::ReminderMended });
            }
            Move::CrashAndResume => {
                let lines: Vec<String> =
                    self.entries.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
                let read: Vec<Change> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert_eq!(State::fold_all(&read), self.state, "folding the entries again gives the same state");
            }
            Move::Fork => {
                let copy = State::fold_all(&self.entries);
                assert_eq!(copy.mode(), self.state.mode(), "a fork is as restricted as its origin");
            }
        }
    }

    fn propose(&mut self, inline: bool, by_subagent: bool, headless: bool, nonce: &str) {
        let input = if inline { json!({"plan": "# Inline\n"}) } else { json!({}) };
        let caller = if by_subagent { Caller::Subagent { id: "a".into() } } else { Caller::Main };
        let reachable = if headless { Reachable::Nobody } else { Reachable::Approver };
        let disk = self.disk.clone();
        let on_disk = disk.as_deref().map_or(crate::approval::OnDisk::Missing, crate::approval::OnDisk::Text);
        let call = ExitCall { input: &input, caller: &caller, reachable, on_disk, nonce, now: Timestamp(1) };
        match exit(&self.state, &call) {
            Exiting::AskPerson(asking) | Exiting::Awaits(asking) => {
                assert_eq!(self.state.mode(), Mode::Plan);
                if let Some(text) = asking.write {
                    self.disk = Some(text);
                }
                asking.changes.into_iter().for_each(|change| self.append(change));
                assert_eq!(self.state.mode(), Mode::Plan, "asking is not leaving");
            }
            Exiting::Refused(_) | Exiting::SubagentDone => {}
            other => panic!("not for a main session: {other:?}"),
        }
    }

    fn answer(&mut self, choice: u8, level: Level, stale: bool, forged_hash: bool, by_lead: bool, nonce: &str) {
        let Some(pending) = self.state.pending().cloned() else { return };
        let approve = |level, edited| Choice::Approve {
            contract_hash: None,
            grants: Default::default(),
            runs_covered: false,
            level,
            clear_context: choice == 1,
            edited,
            steps: None,
            note: String::new(),
            comments: vec![],
        };
        let edited = || (level == Level::AcceptEdits).then(|| "# Edited\n".to_owned());
        let choice = match choice {
            0 => approve(ChosenLevel::Previous, None),
            1 => approve(ChosenLevel::Level { level, scope: GrantScope::Plan }, None),
            2 => approve(ChosenLevel::Level { level, scope: GrantScope::Session }, Some("# Edited\n".into())),
            3 => Choice::KeepPlanning { reason: "no".into(), comments: vec![], edited: edited() },
            4 => Choice::SaveAndStop { edited: edited() },
            _ => Choice::Discard,
        };
        let is_approval = matches!(choice, Choice::Approve { .. });
        let given = ApprovalAnswer {
            request: if stale { RequestId("old".into()) } else { pending.request.clone() },
            hash: if forged_hash { Hash::of(b"forged") } else { pending.hash },
            by: if by_lead { Decider::Lead { name: "lin".into() } } else { person() },
            at: Timestamp(2),
            choice,
        };
        let disk = self.disk.clone();
        let on_disk = disk.as_deref().map_or(crate::approval::OnDisk::Missing, crate::approval::OnDisk::Text);
        let answered = answer(&self.state, &given, on_disk, nonce, &|_| crate::contract::Contract::default());
        if stale || forged_hash || (by_lead && is_approval) {
            assert!(!matches!(answered, Answered::Approved { .. }), "{given:?}");
        }
        match answered {
            Answered::Approved { changes, receipt, text, write, .. } => {
                assert_eq!(Hash::of(text.as_bytes()), receipt.hash, "what was approved is what runs");
                if let Some(text) = write {
                    self.disk = Some(text);
                }
                assert_eq!(self.disk.as_deref().unwrap_or(""), text);
                changes.into_iter().for_each(|change| self.append(change));
                assert_ne!(self.state.mode(), Mode::Plan);
            }
            Answered::KeepPlanning { changes, write, .. } | Answered::Saved { changes, write } => {
                if let Some(text) = write {
                    self.disk = Some(text);
                    let newest = self.state.plan().and_then(|plan| plan.revision.as_ref()).map(|newest| newest.hash);
                    assert_eq!(newest, Some(pending.hash), "an edit is made of what was shown");
                }
                changes.into_iter().for_each(|change| self.append(change));
                assert_eq!(self.state.mode(), Mode::Plan);
            }
            Answered::ShowAgain { changes, .. } | Answered::Discarded { changes } => {
                changes.into_iter().for_each(|change| self.append(change));
                assert_eq!(self.state.mode(), Mode::Plan);
            }
            Answered::Left { .. } => panic!("nobody chose to leave"),
            Answered::NotCounted { .. } => assert_eq!(self.state.mode(), Mode::Plan),
        }
    }

    /// What the model is told with a prompt agrees with what the gate enforces, and nothing is told twice.
    fn prompt(&mut self) {
        self.append(Change::HumanTurn);
        let planning = self.state.mode() == Mode::Plan;
        let notices = self.state.notices_due(self.disk.is_some());
        let says_planning = notices.iter().any(|notice| matches!(notice, Notice::PlanFull | Notice::PlanSparse));
        let says_over = notices.contains(&Notice::Exit);
        assert!(!(says_planning && says_over), "{notices:?}");
        assert!(!says_planning || planning, "told to plan while working");
        assert!(!says_over || !planning, "told that planning is over while planning");
        assert!(!says_over || self.has_heard_of_planning, "an exit is told only to who was told of planning");
        self.has_heard_of_planning |= says_planning;
        self.append(Change::Told { notices });
        assert_eq!(planning, self.state.counters().told() == ToldMode::Planning, "one truth");
        let again: Vec<Notice> = self.state.notices_due(self.disk.is_some());
        assert_eq!(again, [], "no notice is given twice");
    }
}

/// Planning ends only with a receipt for what was shown, or by the person's own toggle.
fn assert_rightful_exit(before: &State, after: &State, change: &Change) {
    if before.mode() != Mode::Plan || after.mode() == Mode::Plan {
        return;
    }
    match change {
        Change::Mode { by: Actor::Person, .. } | Change::Decided { decision: Decision::Left { .. }, .. } => {}
        Change::Decided { decision: Decision::Approved { receipt, .. }, .. } => {
            let pending = before.pending().unwrap();
            assert_eq!((&receipt.request, &receipt.plan), (&pending.request, &pending.plan));
            assert!(receipt.edited || receipt.hash == pending.hash);
        }
        other => panic!("planning ended by {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn m11_whatever_happens_planning_ends_only_rightfully_and_everybody_agrees(
        level in level(),
        openings in openings(),
        moves in vec(one_move(), 1..60),
    ) {
        let mut run = Run::new(level, openings);
        for one in &moves {
            run.step(one);
        }
        run.step(&Move::CrashAndResume);
    }
}
