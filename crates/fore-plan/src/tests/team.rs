//! J2 and J3: a teammate's plan and the lead's answer, as messages and decisions.

use super::support::*;
use crate::{
    Level, Mode, RefusalCode, SessionRole,
    approval::{Answered, Caller, Exiting, Proposal, Reachable, RequestId, Timestamp, answer},
    plan::Hash,
    team::{NotCounted, PlanApprovalRequest, PlanApprovalResponse, matched},
};
use serde_json::json;

fn required() -> SessionRole {
    SessionRole::Required { name: "ada".into(), team: "blue".into(), lead: "lin".into() }
}

fn waiting() -> (Story, Proposal, PlanApprovalRequest) {
    let mut story = Story::with(Level::Default, EVERYTHING, required());
    story.enter();
    story.name_plan();
    story.disk = Some("# Plan\n".into());
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    let Exiting::AskLead(asking, message) = exiting else { panic!("{exiting:?}") };
    let proposal = story.ask(asking);
    (story, proposal, message)
}

/// As a person answers through the lead's terminal.
fn response(request: &RequestId, from: &str, approved: bool, mode: Option<&str>) -> PlanApprovalResponse {
    PlanApprovalResponse {
        from: from.into(),
        timestamp: Timestamp(9),
        request_id: request.clone(),
        plan_hash: Hash::of(b"# Plan\n"),
        person: Some("terminal".into()),
        approved,
        mode: mode.map(str::to_owned),
        feedback: "smaller steps".into(),
    }
}

fn deliver(story: &mut Story, response: &PlanApprovalResponse) -> Answered {
    let given = matched(&story.state, response, Mode::At(Level::AcceptEdits)).unwrap();
    let answered = answer(&story.state, &given, story.on_disk(), "n", &|_| crate::contract::Contract::default());
    if let Answered::Approved { changes, .. } | Answered::KeepPlanning { changes, .. } = &answered {
        story.apply_all(&changes.clone());
    }
    answered
}

#[test]
fn j2_without_a_plan_the_request_is_refused_with_the_path_to_write_to() {
    for disk in [None, Some("  \n")] {
        let mut story = Story::with(Level::Default, EVERYTHING, required());
        story.enter();
        story.name_plan();
        story.disk = disk.map(str::to_owned);
        let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
        let Exiting::Refused(refusal) = exiting else { panic!("{exiting:?}") };
        assert_eq!(refusal.code, RefusalCode::ExitNoPlan);
        assert_eq!(refusal.reason, format!("there is no plan at {PLAN_PATH} to send to the lead"));
    }
}

#[test]
fn j2_the_request_lies_in_the_leads_inbox_in_the_agreed_form() {
    let (story, proposal, message) = waiting();
    assert_eq!(
        serde_json::to_value(&message).unwrap(),
        json!({
            "type": "plan_approval_request",
            "from": "ada",
            "timestamp": 1000,
            "planFilePath": PLAN_PATH,
            "planContent": "# Plan\n",
            "planHash": proposal.hash,
            "requestId": proposal.request.0,
        })
    );
    assert!(is_planning(&story));
}

#[test]
fn j2_asking_again_with_the_same_plan_says_that_it_waits() {
    let (mut story, ..) = waiting();
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
    let Exiting::Refused(refusal) = exiting else { panic!("{exiting:?}") };
    assert_eq!(refusal.code, RefusalCode::ExitPending);
}

#[test]
fn j3_the_leads_yes_names_the_mode_and_ends_planning() {
    let (mut story, proposal, _) = waiting();
    deliver(&mut story, &response(&proposal.request, "lin", true, Some("acceptEdits")));
    assert_eq!(story.mode(), "acceptEdits");
}

#[test]
fn j3_the_leads_no_comes_with_feedback_and_planning_goes_on() {
    let (mut story, proposal, _) = waiting();
    let Answered::KeepPlanning { reason, .. } = deliver(&mut story, &response(&proposal.request, "lin", false, None))
    else {
        panic!()
    };
    assert_eq!(reason, "smaller steps");
    assert!(is_planning(&story));
}

#[test]
fn j3_forged_replayed_and_too_generous_answers_are_refused() {
    let (mut story, proposal, _) = waiting();
    let page = [
        (
            response(&proposal.request, "eve", true, None),
            NotCounted::NotTheLead { from: "eve".into(), lead: "lin".into() },
        ),
        (
            response(&RequestId("plan_approval:guess".into()), "lin", true, None),
            NotCounted::OtherRequest("plan_approval:guess".into()),
        ),
        (response(&proposal.request, "lin", true, Some("plan")), NotCounted::NoSuchMode("plan".into())),
        (response(&proposal.request, "lin", true, Some("root")), NotCounted::NoSuchMode("root".into())),
        (
            response(&proposal.request, "lin", true, Some("yolo")),
            NotCounted::MoreThanTheLead { lead: Level::AcceptEdits, asked: Level::BypassPermissions },
        ),
    ];
    for (response, why) in page {
        assert_eq!(matched(&story.state, &response, Mode::At(Level::AcceptEdits)), Err(why));
        assert!(is_planning(&story));
    }
    let yes = response(&proposal.request, "lin", true, None);
    assert_eq!(
        matched(&story.state, &yes, Mode::Plan),
        Err(NotCounted::LeadPlans),
        "no child does more than its planner"
    );
    deliver(&mut story, &yes);
    assert_eq!(matched(&story.state, &yes, Mode::At(Level::AcceptEdits)), Err(NotCounted::NothingWaits), "once");
}

#[test]
fn j3_an_answer_about_other_bytes_does_not_count() {
    let (story, proposal, _) = waiting();
    let other = PlanApprovalResponse {
        plan_hash: Hash::of(b"# Another plan\n"),
        ..response(&proposal.request, "lin", true, None)
    };
    assert_eq!(matched(&story.state, &other, Mode::At(Level::Default)), Err(NotCounted::OtherPlan));
}

#[test]
fn j3_the_leads_model_grants_no_more_than_the_teammate_began_with_and_nobody_grants_bypass_by_message() {
    let (mut story, proposal, _) = waiting();
    let of_model =
        PlanApprovalResponse { person: None, ..response(&proposal.request, "lin", true, Some("acceptEdits")) };
    let lead = Mode::At(Level::BypassPermissions);
    assert_eq!(
        matched(&story.state, &of_model, lead),
        Err(NotCounted::MoreThanItsOwn { own: Level::Default, asked: Level::AcceptEdits })
    );
    let bypass = response(&proposal.request, "lin", true, Some("bypassPermissions"));
    assert_eq!(matched(&story.state, &bypass, lead), Err(NotCounted::NeverByMessage(Level::BypassPermissions)));
    deliver(&mut story, &PlanApprovalResponse { mode: None, ..of_model });
    let receipt = story.state.plan().unwrap().receipt.clone().unwrap();
    assert_eq!((receipt.level, receipt.by.to_string()), (Level::Default, "lead lin".to_owned()));
}

#[test]
fn j3_the_receipt_says_whether_a_person_decided() {
    let (mut story, proposal, _) = waiting();
    deliver(&mut story, &response(&proposal.request, "lin", true, None));
    let receipt = story.state.plan().unwrap().receipt.clone().unwrap();
    assert_eq!(receipt.by.to_string(), "person (terminal)");
}

#[test]
fn j1_a_voluntary_teammate_leaves_by_itself_and_the_receipt_says_nobody_reviewed_it() {
    let role = SessionRole::Voluntary { name: "ada".into(), team: "blue".into() };
    let mut story = Story::with(Level::Default, EVERYTHING, role);
    story.enter();
    story.name_plan();
    story.disk = Some("# Plan\n".into());
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Nobody);
    let Exiting::Left(asking) = exiting else { panic!("{exiting:?}") };
    story.apply_all(&asking.changes);
    assert_eq!(story.mode(), "default");
    assert_eq!(story.state.plan().unwrap().receipt.as_ref().unwrap().by.to_string(), "teammate ada, not reviewed");
}
