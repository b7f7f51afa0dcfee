//! A list of what every plan mode must show, item by item, as far as no disk is needed.
//!
//! 19.1 also in `slash_plan.rs`, 19.6 in `gate.rs`, 19.7 in `reminder/text_tests.rs`. 19.2 needs a disk: `fore-store`'s
//! `tests/plans.rs` (n19_2, b1, b2, b4); the name of a subagent's file is b3 in `plan/slug_tests.rs`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken story fails the test")]

mod support;

use fore_plan::{
    Level, Mode, Outside, SessionRole,
    approval::{
        Caller, Choice, ChosenLevel, Decider, Entering, ExitResponse, Exiting, Reachable, ReadyProposal, Timestamp,
        enter::{confirmed, enter, is_offered},
        offers,
        text::{Approved, Offered, approved},
    },
    gate::table::{CageSupport, GateCell, GateRow, TableSettings, TodoInPlan, cell},
    plan::Author,
    reminder::{Audience, Notice, PlanFile, Reminder},
    slash::{PlanCommand, plan_command},
    workflow::Workflow,
};
use serde_json::json;
use support::*;

#[test]
fn n19_1_plan_enters_from_default_and_only_a_description_is_sent() {
    for (words, sent) in [("", None), ("rework the login", Some("rework the login"))] {
        let mut story = Story::at(Level::Default);
        let PlanCommand::Entered { change, prompt, .. } = plan_command(&story.state, words, story.on_disk(), None)
        else {
            panic!("not entered")
        };
        story.apply(change);
        assert_eq!((story.mode(), story.state.pre_plan_mode().unwrap().name()), ("plan", "default"));
        assert_eq!(prompt.as_deref(), sent);
    }
}

#[test]
fn n19_3_the_tool_that_enters() {
    let mut story = Story::at(Level::AcceptEdits);
    let enters = |story: &Story, input, caller: &Caller| enter(&story.state, &input, caller, Reachable::Approver);
    let subagent = Caller::Subagent { id: "a1".into() };
    assert!(matches!(enters(&story, json!({"why": "x"}), &Caller::Main), Entering::Refused(_)), "no field is taken");
    assert!(matches!(enters(&story, json!({}), &subagent), Entering::Refused(_)), "not in a subagent");
    assert!(!is_offered(&Caller::Main, Reachable::Nobody), "not in a channel where nobody could approve");
    assert_eq!(enters(&story, json!({}), &Caller::Main), Entering::Confirm);
    let change = confirmed(&story.state).unwrap().unwrap();
    story.apply(change);
    assert_eq!((story.mode(), story.state.pre_plan_mode().unwrap().name()), ("plan", "acceptEdits"));
}

#[test]
fn n19_4_leaving_asks_restores_clears_and_marks() {
    let mut story = Story::planning(Level::AcceptEdits, "# Plan\n");
    story.prompt();
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    let Exiting::AskPerson(asking) = exiting else { panic!("a person must be asked: {exiting:?}") };
    let proposal = story.ask(asking);
    assert_eq!(story.mode(), "plan", "asking ends nothing");
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!((story.mode(), story.state.pre_plan_mode()), ("acceptEdits", None));
    assert_eq!(story.state.notices_due(true), [Notice::Exit], "the model will be told");
    story.prompt();
    story.enter();
    assert_eq!(story.prompt(), [Notice::ReEntry, Notice::PlanFull], "that planning was left is remembered");
    story.leave();
    let refused = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    assert!(matches!(refused, Exiting::Refused(_)), "outside plan mode");
}

#[test]
fn n19_4_the_answer_holds_the_plan_and_says_when_the_person_edited_it() {
    let by = person();
    let text = |plan, author| {
        approved(&Approved {
            path: PLAN_PATH,
            plan,
            level: "default",
            author,
            changed: "",
            by: &by,
            todo_list: Offered::No,
            agent_tool: Offered::No,
            remark: None,
            comments: &[],
        })
    };
    assert!(text("", Author::Model).starts_with("The person agreed to leave plan mode without a plan"));
    assert!(text("# Faster\n", Author::Model).contains("## Approved plan\n\n# Faster"));
    assert!(text("# Faster\n", Author::Person).contains("## Approved plan, edited by the person\n\n# Faster"));
}

#[test]
fn n19_4_a_plan_in_the_input_is_written_back() {
    let mut story = Story::planning(Level::Default, "# Old\n");
    let exiting = story.exit_with(json!({"plan": "# New\n"}), Caller::Main, Reachable::Approver);
    let Exiting::AskPerson(ReadyProposal { write, proposal, .. }) = exiting else { panic!("not asked: {exiting:?}") };
    assert_eq!((write.as_deref(), proposal.text.as_str()), (Some("# New\n"), "# New\n"));
}

#[test]
fn n19_4_a_teammate_asks_its_lead_and_no_person() {
    let role = SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() };
    let mut story = Story::with(Level::Default, EVERYTHING, role);
    story.enter();
    story.name_plan();
    let without = story.exit_with(json!({}), Caller::Main, Reachable::Nobody);
    assert!(matches!(without, Exiting::Refused(_)), "no plan, no request");
    story.disk = Some("# Plan\n".into());
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Nobody);
    let Exiting::AskLead(asking, message) = exiting else { panic!("not sent to the lead: {exiting:?}") };
    assert_eq!((message.request_id, message.plan_content.as_str()), (asking.proposal.request.clone(), "# Plan\n"));
    story.ask(asking);
    assert_eq!(story.mode(), "plan", "it waits");
}

#[test]
fn n19_5_what_is_told_when() {
    let mut story = Story::at(Level::Default);
    assert_eq!(story.prompt(), [], "nothing outside plan mode");
    story.enter();
    assert_eq!(story.prompt(), [Notice::PlanFull]);
    assert_eq!(story.state.notices_due(true), [], "a tool loop adds nothing");
    story.leave();
    assert_eq!((story.prompt(), story.prompt()), (vec![Notice::Exit], vec![]), "the exit once");
    story.disk = Some("# Plan\n".into());
    story.enter();
    assert_eq!(story.prompt(), [Notice::ReEntry, Notice::PlanFull], "the re-entry first");
}

#[test]
fn n19_5_the_reminder_knows_whether_the_plan_exists() {
    let words = |exists| {
        let plan = PlanFile { path: PLAN_PATH, exists };
        Reminder::PlanFull { reader: Audience::Main, plan, workflow: Workflow::default() }.render()
    };
    assert!(words(false).contains("Create it with Write at"));
    assert!(words(true).contains("and has content: read it"));
}

#[test]
fn d3_the_approval_offers_every_way_on_and_every_way_back() {
    let story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let page: Vec<String> =
        offers(&story.state).iter().map(|offer| format!("{} {}", offer.value, offer.leads_to)).collect();
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
        level: ChosenLevel::Previous,
        clear_context: false,
        edited: Some(String::new()),
        note: String::new(),
        comments: Vec::new(),
    };
    assert_eq!(not_counted(&story.answer(&proposal, blank)), "the edited plan is empty");
    assert_eq!(story.disk.as_deref(), Some("# Plan\n"));
}

#[test]
fn d7_what_a_no_brings_along_is_bounded() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let fore_plan::approval::Answered::KeepPlanning { reason, .. } =
        story.answer(&proposal, keep_planning(&"x".repeat(1 << 20)))
    else {
        panic!("planning goes on")
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
