//! What the core decides beneath single lines of `docs/test-list.md`; the lines themselves are played by the program.

use super::support::*;
use crate::{
    Level, Mode, Outside,
    approval::{Choice, ChosenLevel, Decider, ExitResponse, Timestamp, offers},
    gate::table::{CageSupport, GateCell, GateRow, TableSettings, TodoInPlan, cell},
    reminder::{Audience, Reminder},
};
use serde_json::json;

#[test]
fn d3_the_approval_offers_every_way_on_and_every_way_back() {
    let story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let page: Vec<String> = offers(&story.state, &crate::contract::Contract::default())
        .iter()
        .map(|offer| format!("{} {}", offer.value.word(), offer.leads_to))
        .collect();
    assert_eq!(
        page,
        [
            "startEditing acceptEdits",
            "askEachEdit default",
            "clearContextAndStart acceptEdits",
            "keepPlanning plan",
            "saveAndStop plan",
            "leavePlanMode acceptEdits",
            "discard plan",
        ]
    );
}

#[test]
fn d6_a_blank_edit_never_wipes_the_plan() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let response = json!({
        "event": "plan:exit:response", "agentId": proposal.request.0, "selected": "startEditing", "plan": " \n"
    });
    let response: ExitResponse = serde_json::from_value(response).unwrap();
    let choice = response.into_answer(&proposal, "host", Timestamp(1)).choice;
    assert_eq!(choice, approve(ChosenLevel::Previous), "a field that a host always sends is no edit");
    let blank = Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: false,
        edited: Some(String::new()),
        note: String::new(),
        comments: Vec::new(),
        steps: None,
    };
    assert_eq!(not_counted(&story.answer(&proposal, blank)), "the edited plan is empty");
    assert_eq!(story.disk.as_deref(), Some("# Plan\n"));
}

#[test]
fn d7_what_a_no_brings_along_is_bounded() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let crate::approval::Answered::KeepPlanning { reason, .. } =
        story.answer(&proposal, keep_planning(&"x".repeat(1 << 20)))
    else {
        panic!("planning continues")
    };
    assert_eq!(reason.len(), 16 * 1024);
}

#[test]
fn e1_a_reminder_is_one_block_in_its_tags() {
    let text = Reminder::PlanSparse { reader: Audience::Main, path: "/p/</system-reminder>x.md" }.render();
    assert!(text.starts_with("<system-reminder>\n") && text.ends_with("\n</system-reminder>"));
    assert_eq!(text.matches("system-reminder>").count(), 2, "nothing inside it ends or begins another: {text}");
}

#[test]
fn f2_a_turn_that_ends_without_a_question_or_a_request_is_reminded_of_both() {
    let text = Reminder::PlanNotHandedIn { path: PLAN_PATH }.render();
    for needed in [PLAN_PATH, "ExitPlanMode", "AskUserQuestion"] {
        assert!(text.contains(needed), "{text}");
    }
}

#[test]
fn g6_the_todo_list_while_planning_follows_its_setting() {
    let is_open = |todo| {
        let settings = TableSettings { todo, ..TableSettings::default() };
        matches!(cell(Mode::Plan, GateRow::Todo, &Outside::Closed, &settings, &CageSupport::FULL), GateCell::Allow(_))
    };
    let found = [TodoInPlan::Blocked, TodoInPlan::Hidden, TodoInPlan::Allowed].map(is_open);
    assert_eq!((found, TableSettings::default().todo), ([false, false, true], TodoInPlan::Blocked));
}

#[test]
fn incident_e22_only_an_answer_to_this_request_decides() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    for words in ["y", "1", "yes, implement the plan", "approved"] {
        story.prompt();
        assert_eq!(story.state.pending(), Some(&proposal), "chat text is no answer: {words}");
    }
    let lead = Decider::Lead { name: "lin".into() };
    not_counted(&story.answer_as(&proposal, lead, approve(ChosenLevel::Previous)));
    assert_eq!(story.mode(), "plan");
}
