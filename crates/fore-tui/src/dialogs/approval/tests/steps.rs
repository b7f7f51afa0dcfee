//! Some steps alone, what was tried, and whose plan it is.

use super::*;
use crate::dialogs::test_support::shown;
use fore_agent::AgentId;
use fore_store::entry::Rehearsal;

/// To line 8 of the plan, its second step.
const TO_STEP_2: &str = "down down down down down down down";

fn plan_rows(approval: &mut ApprovalDialog) -> String {
    let text = shown(approval, 80, 40);
    text.lines().filter(|row| row.starts_with(['│', '╰'])).map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[test]
fn m6_a_step_that_is_left_out_leaves_the_text_and_only_the_others_are_approved() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "g");
    while !last_row(&mut approval).contains("approves 2 of 3 steps") {
        typed(&mut approval, "j s");
        assert!(!last_row(&mut approval).contains("One step"), "the first step below the cursor is left out");
    }
    let rows = plan_rows(&mut approval);
    assert!(!rows.contains("1. Read the user") && rows.contains("Not approved"), "{rows}");
    assert!(rows.contains("only 2 of 3 steps"), "{rows}");
    let expected = ExitResponse { steps: Some(vec![2, 3]), ..answer("startEditing") };
    assert_eq!(typed(&mut approval, "end tab 1 enter"), sent(expected));
    // A no is about the whole plan, and says which steps are not wanted.
    let leave_out = "Leave out step 1: Read the user";
    let sent_as = |step: DialogStep| match step {
        DialogStep::Send(Command::Approval(response)) => (response.reason, response.plan, response.steps),
        other => panic!("{other:?}"),
    };
    let (reason, plan, steps) = sent_as(typed(&mut approval, "4 enter enter"));
    assert!(reason.starts_with(leave_out) && plan.is_none() && steps.is_none(), "{reason}: {plan:?} {steps:?}");
    let (reason, plan, steps) = sent_as(DialogStep::Send(approval.keep_planning("Smaller, please.")));
    assert!(reason.starts_with(&format!("Smaller, please.\n\n{leave_out}")), "{reason}");
    assert!(plan.is_none() && steps.is_none(), "what was left out is not written as an edit: {plan:?} {steps:?}");
    let (reason, ..) = sent_as(typed(&mut approval, "tab esc"));
    assert!(reason.starts_with(leave_out), "{reason}");
}

#[test]
fn m6_steps_come_back_one_by_one_and_one_has_to_stay() {
    let mut approval = open(asked(PLAN));
    typed(&mut approval, TO_STEP_2);
    typed(&mut approval, "s");
    typed(&mut approval, "S");
    assert_eq!(last_row(&mut approval), "All steps again.");
    assert_eq!(typed(&mut approval, "end tab 1 enter"), sent(answer("startEditing")));
    typed(&mut approval, "S");
    assert_eq!(last_row(&mut approval), "No step is left out.");
    let mut approval = open(asked("# One\n\n1. The only step\n"));
    typed(&mut approval, "end s");
    assert_eq!(last_row(&mut approval), "One step has to stay; to approve none of them, keep planning.");
    let mut approval = open(asked("# None\n\nWords.\n"));
    typed(&mut approval, "s");
    assert_eq!(last_row(&mut approval), "This plan has no numbered steps.");
}

#[test]
fn m6_with_a_step_left_out_the_rest_is_still_read_to_its_end() {
    let long = format!("# Long\n\n1. First\n2. Second\n\n{}", "More.\n\n".repeat(200));
    let mut approval = open(asked(&long));
    typed(&mut approval, "down down s tab 1 enter");
    assert!(last_row(&mut approval).contains("The plan continues below"), "{}", last_row(&mut approval));
}

#[test]
fn m3_what_was_tried_is_a_page_of_the_approval() {
    let tried = |command: &str, exit_code: Option<i32>, would_change: &[&str]| Rehearsal {
        command: command.into(),
        ended: exit_code.map_or_else(|| "stopped".into(), |code| format!("exit code {code}")),
        exit_code,
        would_change: would_change.iter().map(|line| (*line).to_owned()).collect(),
    };
    let rehearsals =
        vec![tried("cargo test", Some(101), &[]), tried("sh\u{1b}[2Jbuild.sh", Some(0), &["+ out/made.txt"])];
    let mut approval = open(ApprovalAsked { rehearsals, ..asked(PLAN) });
    assert!(plan_rows(&mut approval).contains("2 commands tried (t)"));
    typed(&mut approval, "t");
    let rows = plan_rows(&mut approval);
    assert!(rows.contains("cargo test: exit code 101, nothing would have changed"), "{rows}");
    assert!(rows.contains("build.sh: exit code 0, would have changed:") && rows.contains("+ out/made.txt"), "{rows}");
    assert!(!rows.contains('\u{1b}'), "{rows}");
    typed(&mut approval, "t");
    assert!(plan_rows(&mut approval).contains("Read the user"));
    let mut approval = open(asked(PLAN));
    typed(&mut approval, "t");
    assert_eq!(last_row(&mut approval), "Nothing was tried while planning.");
}

#[test]
fn d7_the_plan_of_an_agent_says_whose_it_is() {
    let asked =
        ApprovalAsked { agent: Some(AgentId("a1".into())), agent_task: "general: plan it".into(), ..asked(PLAN) };
    let first = shown(&mut open(asked), 100, 40).lines().next().unwrap().to_owned();
    assert!(first.contains("Plan of the agent general: plan it"), "{first}");
}
