//! D and M1: how planning is left, and everything that does not leave it.

use super::support::*;
use crate::{
    Change, Decision, Level, Mode, ModeTarget, Openings, RefusalCode, SessionRole,
    approval::{
        Answered, Caller, Choice, ChosenLevel, Comment, Decider, ExitRequest, ExitResponse, Exiting, GrantScope,
        OnDisk, Proposal, Reachable, RequestId, Timestamp, cancelled,
    },
    plan::{Hash, PlanStage},
};
use serde_json::json;

fn refused(exiting: Exiting) -> RefusalCode {
    match exiting {
        Exiting::Refused(refusal) => refusal.code,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn d1_an_empty_call_proposes_the_bytes_of_the_plan_file() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    assert_eq!(proposal.text, "# Plan\n");
    assert_eq!(proposal.hash, Hash::of(b"# Plan\n"));
    assert_eq!((proposal.revision, proposal.path.as_str()), (1, PLAN_PATH));
    assert_eq!(story.state.plan().unwrap().stage, PlanStage::Proposed);
    assert!(is_planning(&story), "asking is not leaving");
}

#[test]
fn d1_inline_text_is_written_first_and_then_proposed() {
    let mut story = Story::planning(Level::Default, "old");
    let exiting = story.exit_with(json!({"plan": "# New\n"}), Caller::Main, Reachable::Approver);
    let Exiting::AskPerson(asking) = exiting else { panic!("{exiting:?}") };
    assert_eq!(asking.write.as_deref(), Some("# New\n"));
    let proposal = story.ask(asking);
    assert_eq!((proposal.text.as_str(), story.disk.as_deref()), ("# New\n", Some("# New\n")));
}

#[test]
fn d1_blank_inline_text_never_overwrites_a_written_plan() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let exiting = story.exit_with(json!({"plan": "  \n"}), Caller::Main, Reachable::Approver);
    let Exiting::AskPerson(asking) = exiting else { panic!("{exiting:?}") };
    assert_eq!((asking.write, asking.proposal.text.as_str()), (None, "# Plan\n"));
}

#[test]
fn d1_a_path_must_be_this_sessions_plan_file() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let mine = story.exit_with(json!({"planFilePath": PLAN_PATH}), Caller::Main, Reachable::Approver);
    assert!(matches!(mine, Exiting::AskPerson(_)));
    for path in ["/etc/passwd", "brave-quiet-fox.md", "/home/ada/.forethought/plans/../plans/brave-quiet-fox.md"] {
        let exiting = story.exit_with(json!({"planFilePath": path}), Caller::Main, Reachable::Approver);
        assert_eq!(refused(exiting), RefusalCode::ExitWrongFile, "{path}");
    }
}

#[test]
fn d1_other_input_is_refused_with_the_name_of_the_field() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    for input in [json!(null), json!([]), json!({"plan": 1}), json!({"planFilePath": null}), json!({"launch": true})] {
        let exiting = story.exit_with(input.clone(), Caller::Main, Reachable::Approver);
        assert_eq!(refused(exiting), RefusalCode::ExitInput, "{input}");
    }
    let long = "x".repeat(crate::plan::MAX_PLAN_BYTES + 1);
    assert_eq!(
        refused(story.exit_with(json!({"plan": long}), Caller::Main, Reachable::Approver)),
        RefusalCode::ExitInput
    );
}

#[test]
fn d2_outside_plan_mode_it_is_refused_and_says_to_go_on() {
    for level in Level::ALL {
        let mut story = Story::at(level);
        let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Approver);
        let Exiting::Refused(refusal) = exiting else { panic!("{exiting:?}") };
        assert_eq!(refusal.code, RefusalCode::ExitOutsidePlan);
        assert_eq!(refusal.way_out, "If your plan was approved, go on with the work.");
    }
}

#[test]
fn d4_the_outcome_leads_to_the_mode_it_names() {
    let page = [
        (Level::Default, approve(ChosenLevel::Previous), "default"),
        (Level::BypassPermissions, approve(ChosenLevel::Previous), "bypassPermissions"),
        (Level::Auto, approve(ChosenLevel::Previous), "auto"),
        (Level::Default, approve(for_this_plan(Level::AcceptEdits)), "acceptEdits"),
        (Level::BypassPermissions, approve(for_this_plan(Level::Default)), "default"),
        (Level::AcceptEdits, keep_planning("no"), "plan"),
        (Level::Default, Choice::SaveAndStop { edited: None }, "plan"),
        (Level::AcceptEdits, Choice::LeavePlanMode, "acceptEdits"),
        (Level::Default, Choice::Discard, "plan"),
    ];
    for (level, choice, mode) in page {
        let mut story = Story::planning(level, "# Plan\n");
        let proposal = story.propose();
        story.answer(&proposal, choice.clone());
        assert_eq!(story.mode(), mode, "{choice:?}");
        assert_eq!(story.state.level(), level, "planning never changes the level beneath");
    }
}

#[test]
fn d5_clearing_the_context_cuts_the_history_after_the_approval() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let choice = Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: true,
        edited: None,
        steps: None,
        note: String::new(),
        comments: Vec::new(),
    };
    let Answered::Approved { changes, receipt, .. } = story.answer(&proposal, choice) else { panic!() };
    assert!(receipt.clear_context);
    assert!(matches!(changes[..], [Change::Decided { .. }, Change::ContextCut]), "approval first, then the cut");
    assert_eq!(story.prompt(), [crate::reminder::Notice::PlanReference], "the plan is brought back");
}

#[test]
fn d6_a_plan_edited_at_approval_is_written_and_the_receipt_names_the_edited_bytes() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let choice = Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: false,
        edited: Some("# Better\n".into()),
        steps: None,
        note: String::new(),
        comments: Vec::new(),
    };
    let Answered::Approved { receipt, text, write, .. } = story.answer(&proposal, choice) else { panic!() };
    assert_eq!((text.as_str(), write.as_deref()), ("# Better\n", Some("# Better\n")));
    assert_eq!((receipt.hash, receipt.revision, receipt.edited), (Hash::of(b"# Better\n"), 2, true));
    assert_eq!(story.state.plan().unwrap().revision.as_ref().map(|newest| newest.hash), Some(receipt.hash));
}

#[test]
fn d6_an_edit_that_changes_nothing_is_no_edit() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let choice = Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: false,
        edited: Some("# Plan\n".into()),
        steps: None,
        note: String::new(),
        comments: Vec::new(),
    };
    let Answered::Approved { receipt, write, .. } = story.answer(&proposal, choice) else { panic!() };
    assert_eq!((receipt.edited, write), (false, None));
}

#[test]
fn d7_an_empty_plan_can_be_approved_so_that_nobody_is_trapped() {
    let mut story = Story::at(Level::Default);
    story.enter();
    story.name_plan();
    let proposal = story.propose();
    assert_eq!(proposal.text, "");
    let Answered::Approved { text, write, .. } = story.answer(&proposal, approve(ChosenLevel::Previous)) else {
        panic!()
    };
    assert_eq!((text.as_str(), write), ("", None));
    assert_eq!(story.mode(), "default");
}

#[test]
fn d7_an_empty_plan_leaves_the_conversation_whatever_was_answered() {
    let mut story = Story::at(Level::Default);
    story.enter();
    story.name_plan();
    let proposal = story.propose();
    let offers =
        crate::approval::ExitRequest::new(&story.state, &proposal, crate::contract::Contract::default()).options;
    assert!(offers.iter().all(|offer| offer.value.word() != "clearContextAndStart"), "{offers:?}");
    let choice = Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: true,
        edited: None,
        steps: None,
        note: String::new(),
        comments: Vec::new(),
    };
    let Answered::Approved { changes, receipt, .. } = story.answer(&proposal, choice) else { panic!() };
    assert!(!receipt.clear_context);
    assert!(matches!(changes[..], [Change::Decided { .. }]), "nothing is cut");
}

#[test]
fn d7_a_subagents_exit_ends_its_own_work_and_nothing_else() {
    let mut story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let caller = Caller::Subagent { id: "a1".into() };
    assert_eq!(story.exit_with(json!({"plan": "x"}), caller.clone(), Reachable::Approver), Exiting::SubagentDone);
    assert!(is_planning(&story));
    story.leave();
    assert_eq!(refused(story.exit_with(json!({}), caller, Reachable::Approver)), RefusalCode::ExitOutsidePlan);
}

#[test]
fn d7_reason_and_line_comments_come_back_verbatim() {
    let mut story = Story::planning(Level::Default, "# Plan\nstep\n");
    let proposal = story.propose();
    let comments = vec![Comment { first_line: 2, last_line: 2, quote: "step".into(), remark: "which <step>?".into() }];
    let choice = Choice::KeepPlanning { reason: "not yet".into(), comments: comments.clone(), edited: None };
    let Answered::KeepPlanning { reason, comments: given, .. } = story.answer(&proposal, choice) else { panic!() };
    assert_eq!((reason.as_str(), given), ("not yet", comments));
    assert_eq!(story.state.plan().unwrap().stage, PlanStage::Rejected);
}

#[test]
fn d7_line_comments_that_come_with_an_approval_are_kept_with_it() {
    for (given, kept) in [(0, 0), (2, 2), (101, 100)] {
        let mut story = Story::planning(Level::Default, "# Plan\nstep\n");
        let proposal = story.propose();
        let comment = |number: u32| Comment {
            first_line: 2,
            last_line: 2,
            quote: "step".into(),
            remark: format!("{number} <steps>"),
        };
        let comments: Vec<Comment> = (0..given).map(comment).collect();
        let level = ChosenLevel::Previous;
        let choice = Choice::Approve {
            contract_hash: None,
            grants: Default::default(),
            runs_covered: false,
            level,
            clear_context: false,
            edited: None,
            note: String::new(),
            comments,
            steps: None,
        };
        let Answered::Approved { changes, .. } = story.answer(&proposal, choice) else { panic!() };
        let written = serde_json::to_value(changes.last().unwrap()).unwrap();
        // A decision without any is written as before there were any.
        let found = written["decision"]["comments"].as_array().map_or(0, Vec::len);
        assert_eq!((found, written["decision"].get("comments").is_some()), (kept, kept > 0), "{written}");
        assert_eq!(serde_json::from_value::<Change>(written).unwrap(), *changes.last().unwrap());
    }
}

#[test]
fn d8_esc_and_a_closed_window_keep_planning_and_the_next_request_is_a_new_one() {
    let mut story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let first = story.propose();
    story.apply(cancelled(&story.state).unwrap());
    assert!(is_planning(&story));
    assert_eq!(cancelled(&story.state), None);
    let late = story.answer(&first, approve(ChosenLevel::Previous));
    assert_eq!(not_counted(&late), "no request for approval waits");
    let second = story.propose();
    assert_ne!(first.request, second.request);
    assert!(is_planning(&story));
}

#[test]
fn d8_a_pending_request_survives_a_restart_byte_for_byte() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let lines: Vec<String> = story.changes.iter().map(|change| serde_json::to_string(change).unwrap()).collect();
    let read: Vec<Change> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    story.state = crate::State::fold_all(&read);
    assert_eq!(story.state.pending(), Some(&proposal));
    story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(story.mode(), "default");
}

#[test]
fn d10_a_host_gets_the_plan_and_the_options_and_answers_by_name() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let request =
        serde_json::to_value(ExitRequest::new(&story.state, &proposal, crate::contract::Contract::default())).unwrap();
    assert_eq!(request["event"], "plan:exit:request");
    assert_eq!(request["planFilePath"], PLAN_PATH);
    assert_eq!(request["planContent"], "# Plan\n");
    let values: Vec<&str> =
        request["options"].as_array().unwrap().iter().map(|o| o["value"].as_str().unwrap()).collect();
    assert_eq!(
        values,
        [
            "startEditing",
            "acceptEdits",
            "clearContextAndStart",
            "keepPlanning",
            "saveAndStop",
            "leavePlanMode",
            "discard"
        ]
    );
    let response = json!({"event": "plan:exit:response", "agentId": request["agentId"], "selected": "startEditing"});
    let response: ExitResponse = serde_json::from_value(response).unwrap();
    let choice = response.clone().into_answer(&proposal, "host", Timestamp(5)).choice;
    story.answer(&proposal, choice);
    assert_eq!(story.mode(), "default");
}

#[test]
fn d10_an_unknown_or_late_host_answer_keeps_planning() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let respond = |agent: &str, selected: &str| -> ExitResponse {
        let value = json!({"event": "plan:exit:response", "agentId": agent, "selected": selected});
        serde_json::from_value(value).unwrap()
    };
    let unknown = respond(&proposal.request.0, "yes please").into_answer(&proposal, "host", Timestamp(5));
    assert_eq!(unknown.choice, keep_planning(""));
    let stale = respond("plan_approval:main:s1#1:0:old:0", "startEditing").into_answer(&proposal, "host", Timestamp(5));
    let answered =
        crate::approval::answer(&story.state, &stale, story.on_disk(), "n", &|_| crate::contract::Contract::default());
    assert_eq!(not_counted(&answered), "the answer is to another request");
}

#[test]
fn m1_a_receipt_names_plan_revision_hash_level_who_and_when() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(for_this_plan(Level::AcceptEdits)));
    let receipt = story.state.plan().unwrap().receipt.clone().unwrap();
    assert_eq!(receipt.plan.to_string(), "s1#1");
    assert_eq!((receipt.revision, receipt.hash), (1, Hash::of(b"# Plan\n")));
    assert_eq!((receipt.level, receipt.scope), (Level::AcceptEdits, GrantScope::Plan));
    assert_eq!((receipt.by, receipt.at), (person(), Timestamp(2000)));
}

#[test]
fn m1_answers_that_do_not_count() {
    type Forge = fn(&mut Proposal);
    let other = |proposal: &Proposal, change: Forge| {
        let mut other = proposal.clone();
        change(&mut other);
        other
    };
    let page: [(&str, Forge); 2] = [
        ("the answer is to another request", |proposal| proposal.request = RequestId("forged".into())),
        ("the answer is about other bytes than the ones shown", |proposal| proposal.hash = Hash::of(b"other")),
    ];
    for (why, change) in page {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        let proposal = story.propose();
        let answered = story.answer(&other(&proposal, change), approve(ChosenLevel::Previous));
        assert_eq!(not_counted(&answered), why);
        assert!(is_planning(&story));
        assert!(story.state.pending().is_some(), "the request still waits");
    }
}

#[test]
fn m1_a_replayed_approval_does_not_count_twice() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(for_this_plan(Level::AcceptEdits)));
    story.enter();
    let replayed = story.answer(&proposal, approve(for_this_plan(Level::AcceptEdits)));
    assert_eq!(not_counted(&replayed), "no request for approval waits");
    assert!(is_planning(&story));
}

#[test]
fn m1_a_level_that_is_not_open_is_no_approval() {
    let mut story = Story::with(Level::Default, Openings::TRUSTED, SessionRole::Main);
    story.enter();
    story.name_plan();
    story.disk = Some("# Plan\n".into());
    let proposal = story.propose();
    let answered = story.answer(&proposal, approve(for_this_plan(Level::BypassPermissions)));
    assert_eq!(not_counted(&answered), "the chosen level is not available in this session");
    assert!(is_planning(&story));
}

#[test]
fn m1_a_lead_or_a_teammate_cannot_answer_for_the_person() {
    for by in [Decider::Lead { name: "lin".into() }, Decider::Teammate { name: "ada".into() }] {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        let proposal = story.propose();
        let answered = story.answer_as(&proposal, by, approve(ChosenLevel::Previous));
        assert_eq!(not_counted(&answered), "the receipt is for something else");
    }
}

#[test]
fn m1_a_forged_approval_in_the_history_changes_nothing() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let mut receipt = {
        let mut copy = Story::planning(Level::Default, "# Plan\n");
        let proposal = copy.propose();
        copy.answer(&proposal, approve(ChosenLevel::Previous));
        copy.state.plan().unwrap().receipt.clone().unwrap()
    };
    receipt.request = proposal.request;
    receipt.hash = Hash::of(b"other bytes");
    let before = story.state.clone();
    let decision = Decision::Approved { contract: None, receipt, comments: Vec::new() };
    let forged = Change::Decided { decision, from: Mode::Plan, to: Mode::At(Level::Default) };
    assert_eq!(story.state.apply(&forged), crate::Applied::Ignored("the receipt is for something else"));
    assert_eq!(story.state, before);
}

#[test]
fn m4_a_plan_that_changed_after_it_was_shown_is_shown_again_with_the_difference() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.disk = Some("# Plan\nand rm -rf\n".into());
    let Answered::ShowAgain { proposal: again, shown, .. } = story.answer(&proposal, approve(ChosenLevel::Previous))
    else {
        panic!("approved unseen bytes")
    };
    assert_eq!((shown.as_str(), again.text.as_str()), ("# Plan\n", "# Plan\nand rm -rf\n"));
    assert!(is_planning(&story));
    let stale = story.answer(&proposal, approve(ChosenLevel::Previous));
    assert_eq!(not_counted(&stale), "the answer is to another request");
    story.answer(&again, approve(ChosenLevel::Previous));
    assert_eq!(story.mode(), "default");
}

#[test]
fn m4_a_plan_file_that_vanished_is_written_back_from_what_was_approved() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.disk = None;
    let Answered::Approved { write, .. } = story.answer(&proposal, approve(ChosenLevel::Previous)) else { panic!() };
    assert_eq!(write.as_deref(), Some("# Plan\n"));
}

#[test]
fn m4_a_plan_file_that_cannot_be_read_is_not_approved() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    let given = crate::approval::ApprovalAnswer {
        request: proposal.request.clone(),
        hash: proposal.hash,
        by: person(),
        at: Timestamp(1),
        choice: approve(ChosenLevel::Previous),
    };
    let answered = crate::approval::answer(
        &story.state,
        &given,
        OnDisk::Unreadable { why: "permission denied".into() },
        "n",
        &|_| crate::contract::Contract::default(),
    );
    assert_eq!(not_counted(&answered), "the plan file cannot be read, so it cannot be compared");
}

#[test]
fn m4_the_next_request_knows_the_last_text_the_person_saw() {
    let mut story = Story::planning(Level::Default, "# One\n");
    let proposal = story.propose();
    story.answer(&proposal, keep_planning("more"));
    story.disk = Some("# Two\n".into());
    let second = story.propose();
    assert_eq!(second.revision, 2);
    let plan = story.state.plan().unwrap();
    assert_eq!(plan.seen.as_ref().map(|seen| seen.text.as_str()), Some("# One\n"));
    assert_eq!(plan.revision.as_ref().unwrap().parent, Some(Hash::of(b"# One\n")));
}

#[test]
fn m6_save_and_stop_keeps_the_plan_and_the_mode() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    assert!(matches!(story.answer(&proposal, Choice::SaveAndStop { edited: None }), Answered::Saved { .. }));
    assert_eq!((story.mode(), story.state.plan().unwrap().stage), ("plan", PlanStage::Draft));
}

#[test]
fn m6_leaving_without_approval_parks_the_plan() {
    let mut story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let proposal = story.propose();
    assert!(matches!(story.answer(&proposal, Choice::LeavePlanMode), Answered::Left { .. }));
    assert_eq!((story.mode(), story.state.plan().unwrap().stage), ("acceptEdits", PlanStage::Draft));
    assert_eq!(story.state.plan().unwrap().receipt, None);
}

#[test]
fn m8_a_level_granted_with_a_plan_ends_with_the_plan() {
    for end in [PlanStage::Done, PlanStage::Abandoned] {
        let mut story = Story::planning(Level::Default, "# Plan\n");
        let proposal = story.propose();
        story.answer(&proposal, approve(for_this_plan(Level::AcceptEdits)));
        let plan = story.state.plan().unwrap().id.clone();
        story.apply(Change::Stage { plan: plan.clone(), stage: PlanStage::InProgress });
        assert_eq!(story.mode(), "acceptEdits");
        story.apply(Change::Stage { plan, stage: end });
        assert_eq!(story.mode(), "default");
    }
}

#[test]
fn m8_the_next_plan_begins_without_the_level_of_the_one_before() {
    let mut story = Story::planning(Level::Default, "# One\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(for_this_plan(Level::AcceptEdits)));
    story.enter();
    story.name_plan();
    assert_eq!(story.state.pre_plan_mode(), Some(crate::Mode::At(Level::Default)));
    story.leave();
    assert_eq!(story.mode(), "default");
}

#[test]
fn m8_a_level_granted_for_the_session_stays() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Level { level: Level::AcceptEdits, scope: GrantScope::Session }));
    let plan = story.state.plan().unwrap().id.clone();
    story.apply(Change::Stage { plan, stage: PlanStage::Done });
    assert_eq!(story.mode(), "acceptEdits");
}

#[test]
fn b7_a_new_task_gets_a_new_plan_and_the_old_one_stays() {
    let mut story = Story::planning(Level::Default, "# One\n");
    let proposal = story.propose();
    story.answer(&proposal, approve(ChosenLevel::Previous));
    story.enter();
    let exiting = story.exit_with(json!({"plan": "# Two\n"}), Caller::Main, Reachable::Approver);
    assert_eq!(refused(exiting), RefusalCode::ExitNoPlan, "the approved plan is never written over");
    story.name_plan();
    assert_eq!(story.state.plan().unwrap().path, PLAN_PATH.replace(".md", "-2.md"));
}

#[test]
fn l2_without_an_approver_the_plan_awaits_and_planning_goes_on() {
    let mut story = Story::planning(Level::BypassPermissions, "# Plan\n");
    let exiting = story.exit_with(json!({}), Caller::Main, Reachable::Nobody);
    let Exiting::Awaits(asking) = exiting else { panic!("{exiting:?}") };
    story.apply_all(&asking.changes);
    assert!(is_planning(&story), "headless never approves itself");
}

#[test]
fn calling_exit_again_with_the_same_plan_shows_the_same_request() {
    let mut story = Story::planning(Level::Default, "# Plan\n");
    let first = story.propose();
    let second = story.propose();
    assert_eq!(first, second);
}

#[test]
fn a_person_who_toggles_out_during_a_request_takes_the_request_back() {
    let mut story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let proposal = story.propose();
    story.go(ModeTarget::Beneath);
    assert_eq!((story.mode(), story.state.pending()), ("acceptEdits", None));
    story.enter();
    assert_eq!(not_counted(&story.answer(&proposal, approve(ChosenLevel::Previous))), "no request for approval waits");
}

#[test]
fn m6_some_steps_alone_are_the_plan_and_the_receipt_names_them() {
    let plan = "# Login\n\n1. Index\n2. Use it\n3. Deploy\n";
    let some = |steps: Option<Vec<u32>>, edited: Option<String>| Choice::Approve {
        contract_hash: None,
        grants: Default::default(),
        runs_covered: false,
        level: ChosenLevel::Previous,
        clear_context: false,
        edited,
        steps,
        note: String::new(),
        comments: Vec::new(),
    };
    for wrong in [vec![], vec![4], vec![1, 0]] {
        let mut story = Story::planning(Level::Default, plan);
        let proposal = story.propose();
        assert_eq!(not_counted(&story.answer(&proposal, some(Some(wrong), None))), "the plan has no such steps");
        assert_eq!(story.mode(), "plan");
    }
    let mut story = Story::planning(Level::Default, plan);
    let proposal = story.propose();
    let Answered::Approved { receipt, text, write, .. } = story.answer(&proposal, some(Some(vec![2]), None)) else {
        panic!("not approved")
    };
    assert!(
        text.starts_with("# Login\n\n2. Use it\n\n## Not approved\n") && text.ends_with("\n- Index\n- Deploy\n"),
        "{text}"
    );
    assert_eq!((receipt.steps.as_slice(), receipt.edited), (&["2: Use it".to_owned()][..], true));
    assert_eq!((receipt.hash, write.as_deref()), (crate::plan::Hash::of(text.as_bytes()), Some(text.as_str())));
    let all = {
        let mut story = Story::planning(Level::Default, plan);
        let proposal = story.propose();
        story.answer(&proposal, some(Some(vec![1, 2, 3]), None))
    };
    let Answered::Approved { receipt, text, .. } = all else { panic!("not approved: {all:?}") };
    assert_eq!(
        (text.as_str(), receipt.edited, receipt.steps.len()),
        (plan, false, 0),
        "all steps are the plan as it is"
    );
}
