//! M4: what a person edits while a plan is shown is never lost, whatever they choose, and never taken for something else.

use super::support::*;
use crate::{
    Change, Decision, Level, Openings, SessionRole, State,
    approval::{Answered, ApprovalAnswer, Choice, Comment, Decider, ExitResponse, OnDisk, Timestamp, answer},
    plan::{Author, Hash, MAX_PLAN_BYTES, PlanStage},
};

const SHOWN: &str = "# Plan\n";
const EDITED: &str = "# Plan\n\nMeasure first.\n";

fn keep(edited: &str) -> Choice {
    Choice::KeepPlanning { reason: "see my edit".into(), comments: Vec::new(), edited: Some(edited.into()) }
}

fn save(edited: &str) -> Choice {
    Choice::SaveAndStop { edited: Some(edited.into()) }
}

fn kinds(changes: &[Change]) -> Vec<&'static str> {
    let kind = |change: &Change| match change {
        Change::PlanWritten { .. } => "written",
        Change::Proposed(_) => "proposed",
        Change::Decided { decision: Decision::Rejected { .. }, .. } => "rejected",
        Change::Decided { decision: Decision::Saved { .. }, .. } => "saved",
        _ => "other",
    };
    changes.iter().map(kind).collect()
}

#[test]
fn m4_an_edit_counts_also_without_an_approval() {
    for (choice, end, stage) in
        [(keep(EDITED), "rejected", PlanStage::Rejected), (save(EDITED), "saved", PlanStage::Draft)]
    {
        let mut story = Story::planning(Level::Default, SHOWN);
        let proposal = story.propose();
        let (Answered::KeepPlanning { changes, write, .. } | Answered::Saved { changes, write }) =
            story.answer(&proposal, choice)
        else {
            panic!("the edit was lost")
        };
        assert_eq!(write.as_deref(), Some(EDITED));
        assert_eq!(kinds(&changes), ["written", "proposed", end], "the text first, then the decision about it");
        let plan = story.state.plan().unwrap();
        let revision = plan.revision.as_ref().unwrap();
        assert_eq!((revision.number, revision.hash, revision.author), (2, Hash::of(EDITED.as_bytes()), Author::Person));
        assert_eq!((plan.stage, story.mode(), story.state.pending()), (stage, "plan", None));
        let seen = plan.seen.as_ref().map(|seen| seen.text.as_str());
        assert_eq!(seen, Some(EDITED), "the next difference is to the person's own text");
    }
}

#[test]
fn m4_an_edit_that_changes_nothing_is_no_edit_and_needs_no_look_at_the_file() {
    for choice in [keep(SHOWN), save(SHOWN)] {
        let mut story = Story::planning(Level::Default, SHOWN);
        let proposal = story.propose();
        story.disk = Some("# Changed on disk\n".into());
        let (Answered::KeepPlanning { changes, write, .. } | Answered::Saved { changes, write }) =
            story.answer(&proposal, choice)
        else {
            panic!()
        };
        assert_eq!((changes.len(), write), (1, None));
    }
}

#[test]
fn m4_edits_that_do_not_count_leave_the_request_waiting() {
    let long = "x".repeat(MAX_PLAN_BYTES + 1);
    for (edited, why) in [(" \n", "the edited plan is empty"), (&long, "the edited plan is too long")] {
        for choice in [keep(edited), save(edited)] {
            let mut story = Story::planning(Level::Default, SHOWN);
            let proposal = story.propose();
            assert_eq!(not_counted(&story.answer(&proposal, choice)), why);
            assert_eq!(story.state.pending(), Some(&proposal));
        }
    }
}

#[test]
fn m4_an_edit_of_a_file_that_changed_meanwhile_is_not_written_over_it() {
    for choice in [keep(EDITED), save(EDITED)] {
        let mut story = Story::planning(Level::Default, SHOWN);
        let proposal = story.propose();
        story.disk = Some("# Somebody else\n".into());
        let Answered::ShowAgain { proposal: again, shown, .. } = story.answer(&proposal, choice.clone()) else {
            panic!()
        };
        assert_eq!((again.text.as_str(), shown.as_str()), ("# Somebody else\n", SHOWN));
        let unreadable = OnDisk::Unreadable { why: "permission denied".into() };
        let (request, hash) = (again.request.clone(), again.hash);
        let given = ApprovalAnswer { request, hash, by: person(), at: Timestamp(1), choice };
        let answered = answer(&story.state, &given, unreadable, "n", &|_| crate::contract::Contract::default());
        assert_eq!(not_counted(&answered), "the plan file cannot be read, so it cannot be compared");
    }
}

#[test]
fn m4_leaving_and_discarding_write_nothing_and_neither_does_a_word_nobody_offered() {
    let story = {
        let mut story = Story::planning(Level::Default, SHOWN);
        story.propose();
        story
    };
    let proposal = story.state.pending().unwrap().clone();
    let page =
        [("leavePlanMode", false), ("discard", false), ("sure", false), ("keepPlanning", true), ("saveAndStop", true)];
    for (selected, is_written) in page {
        let response = ExitResponse {
            contract_hash: None,
            grants: Default::default(),
            through: None,
            agent_id: proposal.request.0.clone(),
            selected: selected.into(),
            reason: String::new(),
            comments: Vec::new(),
            plan: Some(EDITED.into()),
            steps: None,
        };
        let given = response.into_answer(&proposal, "test", Timestamp(3));
        let wrote =
            match answer(&story.state, &given, OnDisk::Text(SHOWN), "n", &|_| crate::contract::Contract::default()) {
                Answered::KeepPlanning { write, .. } | Answered::Saved { write, .. } => write.is_some(),
                Answered::Left { .. } | Answered::Discarded { .. } => false,
                other => panic!("{other:?}"),
            };
        assert_eq!(wrote, is_written, "{selected}");
    }
}

#[test]
fn m4_only_the_person_edits_in_the_persons_name() {
    let role = SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() };
    let mut story = Story::with(Level::Default, Openings::TRUSTED, role);
    story.enter();
    story.name_plan();
    story.disk = Some(SHOWN.into());
    let exiting =
        story.exit_with(serde_json::json!({}), crate::approval::Caller::Main, crate::approval::Reachable::Approver);
    let crate::approval::Exiting::AskLead(asking, _) = exiting else { panic!("{exiting:?}") };
    let proposal = story.ask(asking);
    let answered = story.answer_as(&proposal, Decider::Lead { name: "lin".into() }, keep(EDITED));
    assert!(matches!(answered, Answered::KeepPlanning { write: None, .. }), "{answered:?}");
}

#[test]
fn m4_remarks_on_a_revision_are_part_of_the_history() {
    let mut story = Story::planning(Level::Default, SHOWN);
    let proposal = story.propose();
    let comments = vec![Comment { first_line: 1, last_line: 1, quote: "# Plan".into(), remark: "of what?".into() }];
    let choice = Choice::KeepPlanning { reason: String::new(), comments: comments.clone(), edited: None };
    story.answer(&proposal, choice);
    let again = State::fold_all(&story.changes);
    assert_eq!(again.plan().unwrap().comments, comments);
    story.disk = Some("# Plan of work\n".into());
    story.propose();
    story.apply(crate::approval::cancelled(&story.state).unwrap());
    assert_eq!(story.state.plan().unwrap().comments, comments, "a request that is taken back takes no remark with it");
    let proposal = story.propose();
    story.answer(&proposal, keep_planning("again"));
    assert!(story.state.plan().unwrap().comments.is_empty(), "each answer brings its own");
}
