//! Random lives of a session: what is read back is what was, whatever happened, and damage never ends planning.

use super::support::{Ground, human};
use fore_plan::{
    Actor, Change, Decision, Level, Mode, ModeTarget, State,
    approval::{Approver, Decider, GrantScope, Proposal, Receipt, RequestId, Timestamp},
    plan::{Author, PlanStage},
    reminder::Notice,
    transition,
};
use fore_store::{
    Session,
    entry::{Cut, PlanMark, StoredMessage, Todo, TodoStatus},
    fold::FoldUntil,
    session::{fork, random_slugs, resume},
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Say(String, Option<PlanMark>),
    Turn,
    Tell,
    Toggle(Actor),
    Name,
    Save(String),
    EditOutside(String),
    Propose,
    Approve { level: Level, stale: bool },
    Reject,
    Finish,
    CutContext(Option<String>),
    Rewind,
    Todos(u8),
    CrashAndResume,
    Fork,
}

fn step() -> impl Strategy<Value = Step> {
    let actor = prop_oneof![3 => Just(Actor::Person), 1 => Just(Actor::Model), 1 => Just(Actor::Settings)];
    let mark =
        prop_oneof![4 => Just(None), 1 => Just(Some(PlanMark::FirstMessage)), 1 => Just(Some(PlanMark::Reference))];
    let level = prop::sample::select(vec![Level::Default, Level::AcceptEdits, Level::Auto, Level::BypassPermissions]);
    prop_oneof![
        4 => (".{0,40}", mark).prop_map(|(text, mark)| Step::Say(text, mark)),
        2 => Just(Step::Turn),
        1 => Just(Step::Tell),
        4 => actor.prop_map(Step::Toggle),
        2 => Just(Step::Name),
        3 => "\\PC{1,60}".prop_map(Step::Save),
        1 => "[a-z\n]{1,60}".prop_map(Step::EditOutside),
        3 => Just(Step::Propose),
        2 => (level, any::<bool>()).prop_map(|(level, stale)| Step::Approve { level, stale }),
        1 => Just(Step::Reject),
        1 => Just(Step::Finish),
        1 => prop::option::of(".{0,30}").prop_map(Step::CutContext),
        2 => Just(Step::Rewind),
        1 => any::<u8>().prop_map(Step::Todos),
        2 => Just(Step::CrashAndResume),
        1 => Just(Step::Fork),
    ]
}

/// Takes one step; steps that are refused in this state do nothing, which is their meaning.
#[expect(clippy::too_many_lines, reason = "one arm for each kind of step")]
fn take(ground: &Ground, mut session: Session, step: &Step) -> Session {
    match step {
        Step::Say(text, mark) => {
            let message = human(text);
            session.append_message(StoredMessage { plan: mark.or(message.plan), ..message }).unwrap();
        }
        Step::Turn => record(&mut session, Change::HumanTurn),
        Step::Tell => {
            let notices: Vec<Notice> = session.state().notices_due(true);
            record(&mut session, Change::Told { notices });
        }
        Step::Toggle(by) => {
            let is_planning = session.state().pre_plan_mode().is_some();
            let target = if is_planning { ModeTarget::Beneath } else { ModeTarget::Plan };
            if let Ok(Some(change)) = transition(session.state(), target, *by, fore_plan::ModeReason::Chosen) {
                record(&mut session, change);
            }
        }
        Step::Name => drop(session.name_plan(random_slugs()).unwrap()),
        Step::Save(text) => drop(session.save_plan(Author::Model, text)),
        Step::EditOutside(text) => {
            if let Some(plan) = session.state().plan() {
                std::fs::write(&plan.path, text).unwrap();
            }
        }
        Step::Propose => {
            if let Some(proposal) = proposal(&session) {
                record(&mut session, Change::Proposed(proposal));
            }
        }
        Step::Approve { level, stale } => {
            if let Some(pending) = session.state().pending().cloned() {
                let decision = Decision::Approved {
                    contract: None,
                    receipt: receipt(&pending, *level, *stale),
                    comments: Vec::new(),
                };
                let from = session.state().mode();
                record(&mut session, Change::Decided { decision, from, to: Mode::At(*level) });
            }
        }
        Step::Reject => {
            if let Some(pending) = session.state().pending().cloned() {
                let decision =
                    Decision::Rejected { request: pending.request, reason: "no".into(), comments: vec![], by: None };
                record(&mut session, Change::Decided { decision, from: Mode::Plan, to: Mode::Plan });
            }
        }
        Step::Finish => {
            if let Some(plan) = session.state().plan().map(|plan| plan.id.clone()) {
                record(&mut session, Change::Stage { plan, stage: PlanStage::Done });
            }
        }
        Step::CutContext(summary) => {
            let cut = summary.clone().map_or(Cut::Cleared, |summary| Cut::Compacted { summary });
            session.cut_context(cut).unwrap();
        }
        Step::Rewind => {
            let (before, mode) = (session.conversation().to_vec(), session.state().mode());
            let taken = session.rewind().unwrap().unwrap_or_default();
            assert_eq!([session.conversation().to_vec(), taken.clone()].concat(), before);
            assert_eq!(session.state().mode(), mode);
            assert!(taken.is_empty() || taken.iter().filter(|message| message.is_prompt()).count() > 0);
        }
        Step::Todos(count) => {
            let todo = |number| Todo { text: format!("todo {number}"), status: TodoStatus::InProgress };
            session.set_todos((0..count % 5).map(todo).collect()).unwrap();
        }
        Step::CrashAndResume => {
            let (id, before) = (session.id(), session.state().clone());
            drop(session);
            session = resume(&ground.places, id).unwrap().0;
            assert_eq!(session.state().mode(), before.mode());
            assert_eq!(session.state().pending(), before.pending());
            // Whatever somebody did to the file: what was approved, seen and told is the same, and nobody else is blamed.
            let lasting = |state: &State| {
                let plan = state.plan()?;
                let approved = plan.receipt.as_ref().and(plan.counts());
                Some((plan.id.clone(), plan.receipt.clone(), approved, plan.seen.clone(), plan.known))
            };
            assert_eq!(lasting(session.state()), lasting(&before));
            let newest = |state: &State| state.plan().and_then(|plan| plan.revision.clone());
            let (now, then) = (newest(session.state()), newest(&before));
            assert!(now == then || now.is_some_and(|revision| revision.author == Author::Other));
        }
        Step::Fork => {
            let before = session.state().clone();
            session = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap().0;
            assert_eq!(session.state().pre_plan_mode().is_some(), before.pre_plan_mode().is_some());
            let asked = |state: &State| state.pending().map(|request| (request.hash, request.text.clone()));
            assert_eq!(asked(session.state()), asked(&before), "a request that waits is kept");
            let request = |state: &State| state.pending().map(|request| request.request.clone());
            assert!(before.pending().is_none() || request(session.state()) != request(&before), "as one of its own");
            assert_eq!(session.state().grant(), None);
        }
    }
    session
}

fn record(session: &mut Session, change: Change) {
    // Whether it fits is the domain's business; that memory and file agree about it is ours.
    let _ = session.record(change).unwrap();
}

fn proposal(session: &Session) -> Option<Proposal> {
    let plan = session.state().plan()?.clone();
    let revision = plan.revision?;
    let text = session.plan_text(revision.hash)?;
    let request = RequestId(format!("request {}", revision.number));
    let (number, hash) = (revision.number, revision.hash);
    Some(Proposal { request, plan: plan.id, path: plan.path, revision: number, hash, text, approver: Approver::Person })
}

fn receipt(pending: &Proposal, level: Level, stale: bool) -> Receipt {
    Receipt {
        contract: None,
        runs_covered: false,
        request: pending.request.clone(),
        plan: pending.plan.clone(),
        revision: pending.revision + u32::from(stale),
        hash: pending.hash,
        level,
        scope: GrantScope::Plan,
        edited: false,
        clear_context: false,
        steps: Vec::new(),
        by: Decider::Person { via: "terminal".into() },
        at: Timestamp(1),
    }
}

fn live(ground: &Ground, steps: &[Step]) -> Session {
    steps.iter().fold(ground.session(), |session, step| take(ground, session, step))
}

/// What happens to the bytes of a file.
#[derive(Clone, Debug)]
enum Damage {
    Set { at: prop::sample::Index, byte: u8 },
    Remove { at: prop::sample::Index, bytes: usize },
    Insert { at: prop::sample::Index, bytes: Vec<u8> },
    Zero { at: prop::sample::Index, bytes: usize },
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = || any::<prop::sample::Index>();
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Set { at, byte }),
        (at(), 1..200_usize).prop_map(|(at, bytes)| Damage::Remove { at, bytes }),
        (at(), prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(at, bytes)| Damage::Insert { at, bytes }),
        (at(), 1..500_usize).prop_map(|(at, bytes)| Damage::Zero { at, bytes }),
    ]
}

fn hurt(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match damage {
        Damage::Set { at, byte } => bytes[at.index(length)] = *byte,
        Damage::Remove { at, bytes: count } => {
            drop(bytes.drain(at.index(length)..(at.index(length) + count).min(length)))
        }
        Damage::Insert { at, bytes: more } => {
            let at = at.index(length);
            bytes.splice(at..at, more.iter().copied());
        }
        Damage::Zero { at, bytes: count } => {
            let at = at.index(length);
            bytes[at..(at + count).min(length)].fill(0);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn k1_reading_a_session_again_gives_what_was_in_memory(steps in prop::collection::vec(step(), 0..40)) {
        let ground = Ground::new();
        let session = live(&ground, &steps);
        let folded = Session::read(&ground.places.home, session.id()).unwrap();
        prop_assert!(folded.report.is_clean(), "{:?}", folded.report);
        prop_assert_eq!(&folded.state, &**session.state());
        prop_assert_eq!(&folded.conversation, session.conversation());
        prop_assert_eq!(folded.cut.as_ref(), session.cut());
        prop_assert_eq!(&folded.todos, session.todos());
        let (id, state) = (session.id(), session.state().clone());
        drop(session);
        let folded_again = Session::read(&ground.places.home, id).unwrap();
        prop_assert_eq!(&folded_again.state, &*state);
    }

    #[test]
    fn e9_damage_before_planning_began_never_ends_planning(
        steps in prop::collection::vec(step(), 0..20),
        damages in prop::collection::vec(damage(), 1..6),
    ) {
        let ground = Ground::new();
        let mut session = live(&ground, &steps);
        let id = session.id();
        let before = std::fs::read(session.path()).unwrap();
        if session.state().pre_plan_mode().is_some() {
            let leave = transition(session.state(), ModeTarget::Beneath, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
            record(&mut session, leave);
        }
        let enter = transition(session.state(), ModeTarget::Plan, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
        record(&mut session, enter);
        let path = session.path().to_owned();
        drop(session);
        let whole = std::fs::read(&path).unwrap();
        let mut damaged = before.clone();
        damages.iter().for_each(|damage| hurt(&mut damaged, damage));
        // The damage ends at a line, so that the lines behind it are intact.
        damaged.push(b'\n');
        damaged.extend_from_slice(&whole[before.len()..]);
        std::fs::write(&path, &damaged).unwrap();
        match resume(&ground.places, id) {
            Ok((session, _)) => prop_assert_eq!(session.state().mode(), Mode::Plan),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn damage_anywhere_is_survived_and_lost_entries_make_the_session_plan(
        steps in prop::collection::vec(step(), 0..20),
        damages in prop::collection::vec(damage(), 1..6),
    ) {
        let ground = Ground::new();
        let session = live(&ground, &steps);
        let (id, path) = (session.id(), session.path().to_owned());
        drop(session);
        let mut bytes = std::fs::read(&path).unwrap();
        damages.iter().for_each(|damage| hurt(&mut bytes, damage));
        std::fs::write(&path, &bytes).unwrap();
        let folded = Session::read(&ground.places.home, id).unwrap();
        match resume(&ground.places, id) {
            Ok((session, resumed)) => {
                prop_assert_eq!(&resumed.report, &folded.report);
                if resumed.report.has_lost_entries() {
                    prop_assert_eq!(session.state().mode(), Mode::Plan);
                    prop_assert!(!resumed.report.to_string().is_empty());
                }
                drop(session);
                // What was repaired is sound now, or is still reported.
                let again = Session::read(&ground.places.home, id).unwrap();
                prop_assert_eq!(again.report.torn, None);
                prop_assert_eq!(again.report.broken, folded.report.broken);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn bytes_that_never_were_a_transcript_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let ground = Ground::new();
        let id = ground.session().id();
        std::fs::write(ground.transcript(id), &bytes).unwrap();
        let folded = Session::read(&ground.places.home, id).unwrap();
        prop_assert_eq!(folded.report.entries, 0);
        prop_assert!(resume(&ground.places, id).is_err());
    }
}
