//! Every reminder as a page, what the full one must say (N 19.7), its cost, and that no value breaks out of its block.

use proptest::prelude::*;

use super::{AgentLine, Audience, ForgetReason, PlanFile, PlanStanding, Reminder, TodoItem, TodoState};
use crate::plan::Author;
use crate::workflow::{AgentCount, Agents, ExploreOrder, PlanLength, Workflow, WorkflowKind};

const PATH: &str = "~/.forethought/plans/brave-quiet-fox.md";
const NEW: PlanFile<'_> = PlanFile { path: PATH, exists: false };
const THERE: PlanFile<'_> = PlanFile { path: PATH, exists: true };

fn changed<'a>(by: Author, standing: PlanStanding) -> Reminder<'a> {
    Reminder::PlanChanged { path: PATH, diff: "@@ -1 +1 @@\n-a\n+b", by, standing }
}

fn full(workflow: Workflow) -> String {
    Reminder::PlanFull { reader: Audience::Main, plan: NEW, workflow }.render()
}

fn five_phases(length: PlanLength) -> Workflow {
    Workflow { length, ..Workflow::default() }
}

#[test]
fn f1_the_full_reminder_of_the_five_phases() {
    insta::assert_snapshot!("plan_full_five_phases", full(Workflow::default()));
}

#[test]
fn f3_the_full_reminder_of_the_interview() {
    let workflow = Workflow { kind: WorkflowKind::Interview, length: PlanLength::Cut, ..Workflow::default() };
    let words = Reminder::PlanFull { reader: Audience::Main, plan: THERE, workflow }.render();
    insta::assert_snapshot!("plan_full_interview", words);
}

#[test]
fn e3_the_full_reminder_of_a_subagent() {
    let words = Reminder::PlanFull { reader: Audience::Subagent, plan: NEW, workflow: Workflow::default() }.render();
    insta::assert_snapshot!("plan_full_subagent", words);
}

const AGENTS: [AgentLine<'_>; 2] = [
    AgentLine { name: "Explore", description: "fast read-only search" },
    AgentLine { name: "Plan", description: "an architect\nwho designs the approach" },
];
const ITEMS: [TodoItem<'_>; 3] = [
    TodoItem { text: "read the login code", state: TodoState::Done },
    TodoItem { text: "write the test", state: TodoState::InProgress },
    TodoItem { text: "fix it", state: TodoState::Pending },
];

fn reference<'a>(
    (path, content): (&'a str, &'a str),
    after: ForgetReason,
    standing: PlanStanding,
    by: Author,
) -> Reminder<'a> {
    Reminder::PlanReference { path, content, after, standing, by, covers: None }
}

#[test]
fn e3_all_the_other_reminders() {
    let refusal = "Plan mode: `rm -r target` deletes files [plan.shell.delete]. Put this step into the plan.";
    let page: Vec<String> = [
        Reminder::PlanSparse { reader: Audience::Main, path: PATH },
        Reminder::PlanSparse { reader: Audience::Subagent, path: PATH },
        Reminder::PlanReentry { old: PATH, path: PATH },
        Reminder::PlanExit { plan: THERE, standing: PlanStanding::Open },
        Reminder::PlanExit { plan: THERE, standing: PlanStanding::Approved },
        Reminder::PlanExit { plan: NEW, standing: PlanStanding::Open },
        Reminder::PlanNotHandedIn { path: PATH },
        Reminder::ApprovalInText { path: PATH },
        Reminder::AutoExit,
        Reminder::Subagents { agents: &AGENTS },
        Reminder::Todo { items: &ITEMS },
        Reminder::Todo { items: &[] },
        Reminder::Blocked { refusal },
        reference(
            (PATH, "# Faster login\n\n1. Cache the key"),
            ForgetReason::Compaction,
            PlanStanding::Open,
            Author::Model,
        ),
        reference((PATH, "# Faster login"), ForgetReason::Compaction, PlanStanding::Approved, Author::Model),
        reference((PATH, "# Faster login"), ForgetReason::ClearedContext, PlanStanding::Open, Author::Model),
        reference((PATH, "# Faster login"), ForgetReason::Rewind, PlanStanding::Approved, Author::Model),
        reference((PATH, "# Faster login"), ForgetReason::Rewind, PlanStanding::Open, Author::Model),
        reference((PATH, "# Faster\n"), ForgetReason::ClearedContext, PlanStanding::Open, Author::Other),
        reference((PATH, "# Faster\n"), ForgetReason::ClearedContext, PlanStanding::Ended, Author::Model),
        Reminder::Inbox { from: "mara", count: 1, text: "The tests are green." },
        Reminder::Inbox { from: "mara", count: 3, text: "The tests are green." },
        changed(Author::Person, PlanStanding::Open),
        changed(Author::Person, PlanStanding::Approved),
        changed(Author::Other, PlanStanding::Open),
        changed(Author::Other, PlanStanding::Approved),
        Reminder::PlanLost { path: PATH, hash: "0123456789ab" },
        Reminder::Fallback { reason: "The folder of the plans can't be read (permission denied)." },
    ]
    .iter()
    .map(Reminder::render)
    .collect();
    insta::assert_snapshot!("other_reminders", page.join("\n\n"));
}

#[test]
fn n19_7_the_full_reminder_says_all_that_it_must() {
    for length in [PlanLength::Control, PlanLength::Trim, PlanLength::Cut, PlanLength::Cap] {
        let words = full(five_phases(length));
        for needed in [
            "Change nothing",
            "The one exception is the plan file",
            PATH,
            "Phase 1: understand, with Explore",
            "Phase 2: design, with Plan",
            "Phase 3: review",
            "Phase 4: write the plan file",
            "Phase 5: ExitPlanMode",
            "Approval is asked through ExitPlanMode alone, never in your text and never through AskUserQuestion",
            "in one of two ways: AskUserQuestion,",
            "runs in a rehearsal",
            "Effort fits the task",
            "answer plainly",
        ] {
            assert!(words.contains(needed), "{length:?} lacks {needed:?}");
        }
    }
}

#[test]
fn f5_the_agent_counts_and_their_order_are_named() {
    let count = |n| AgentCount::new(n).unwrap();
    let agents = Agents { explore: count(7), plan: count(2), order: ExploreOrder::Sequential };
    let words = full(Workflow { agents, ..Workflow::default() });
    assert!(words.contains("never more than 7: one"));
    assert!(words.contains("work out the approach: usually one, never more than 2."));
    assert!(words.contains("Start one at a time: let each question adapt to what the one before found."));
    let agents = Agents { explore: count(1), ..agents };
    assert!(full(Workflow { agents, ..Workflow::default() }).contains("Search with one Explore agent"));
}

#[test]
fn a_subagent_is_told_neither_to_ask_nor_to_leave_nor_to_write_the_plan() {
    for words in [
        Reminder::PlanFull { reader: Audience::Subagent, plan: NEW, workflow: Workflow::default() }.render(),
        Reminder::PlanSparse { reader: Audience::Subagent, path: PATH }.render(),
    ] {
        for absent in ["ExitPlanMode", "AskUserQuestion", "plan file"] {
            assert!(!words.contains(absent), "{absent} in {words}");
        }
    }
}

#[test]
fn reminders_are_cheap() {
    for length in [PlanLength::Control, PlanLength::Trim, PlanLength::Cut, PlanLength::Cap] {
        let words = Reminder::PlanFull { reader: Audience::Main, plan: THERE, workflow: five_phases(length) }.render();
        assert!(words.len() <= 2_560, "{length:?}: {} bytes", words.len());
    }
    assert!(Reminder::PlanSparse { reader: Audience::Main, path: PATH }.render().chars().count() <= 200);
    assert!(Reminder::PlanSparse { reader: Audience::Subagent, path: PATH }.render().chars().count() <= 200);
}

#[test]
fn long_values_are_bounded() {
    let long = "x".repeat(1_000_000);
    let agents = vec![AgentLine { name: &long, description: &long }; 1_000];
    let items = vec![TodoItem { text: &long, state: TodoState::Pending }; 1_000];
    for (reminder, most) in [
        (Reminder::Subagents { agents: &agents }, 11_000),
        (Reminder::Todo { items: &items }, 9_000),
        (Reminder::Blocked { refusal: &long }, 2_300),
        (Reminder::Inbox { from: &long, count: 2, text: &long }, 4_500),
        (
            Reminder::PlanChanged { path: &long, diff: &long, by: Author::Other, standing: PlanStanding::Approved },
            8_500,
        ),
        (reference((PATH, &long), ForgetReason::Compaction, PlanStanding::Open, Author::Model), 40_500),
        (Reminder::Fallback { reason: &long }, 2_300),
    ] {
        let length = reminder.render().len();
        assert!(length <= most, "{length} > {most}");
    }
}

#[test]
fn no_place_is_left_open_in_any_text() {
    let kinds = [WorkflowKind::FivePhases, WorkflowKind::Interview];
    let lengths = [PlanLength::Control, PlanLength::Trim, PlanLength::Cut, PlanLength::Cap];
    let workflows =
        kinds.into_iter().flat_map(|kind| lengths.map(|length| Workflow { kind, length, ..Workflow::default() }));
    for words in workflows.map(full).chain(every_reminder("x")) {
        assert_eq!(crate::reminder::places(&words), Vec::<&str>::new());
    }
}

fn every_reminder(value: &str) -> Vec<String> {
    let agents = [AgentLine { name: value, description: value }];
    let items = [TodoItem { text: value, state: TodoState::Pending }];
    let plan = PlanFile { path: value, exists: true };
    [
        Reminder::PlanFull { reader: Audience::Main, plan, workflow: Workflow::default() },
        Reminder::PlanFull { reader: Audience::Subagent, plan, workflow: Workflow::default() },
        Reminder::PlanSparse { reader: Audience::Main, path: value },
        Reminder::PlanReentry { old: value, path: value },
        Reminder::PlanExit { plan, standing: PlanStanding::Approved },
        Reminder::PlanNotHandedIn { path: value },
        Reminder::ApprovalInText { path: value },
        Reminder::Subagents { agents: &agents },
        Reminder::Todo { items: &items },
        Reminder::Blocked { refusal: value },
        reference((value, value), ForgetReason::ClearedContext, PlanStanding::Open, Author::Model),
        reference((value, value), ForgetReason::Rewind, PlanStanding::Approved, Author::Model),
        reference((value, value), ForgetReason::ClearedContext, PlanStanding::Ended, Author::Model),
        Reminder::Inbox { from: value, count: 1, text: value },
        Reminder::PlanChanged { path: value, diff: value, by: Author::Other, standing: PlanStanding::Open },
        Reminder::Fallback { reason: value },
    ]
    .iter()
    .map(Reminder::render)
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn e9_no_value_leaves_its_block(value in "([a-z\n]|< ?/? ?|system|-|reminder|>|\u{200b}|[{]path[}]){0,20}") {
        for words in every_reminder(&value) {
            let inside = words.strip_prefix("<system-reminder>\n").and_then(|rest| rest.strip_suffix("\n</system-reminder>")).unwrap();
            prop_assert_eq!(crate::reminder::defuse_str(inside), inside);
        }
    }
}

#[test]
fn k2_a_plan_is_found_again_in_the_reminder_that_brought_it_back_and_never_its_wrapper() {
    for standing in [PlanStanding::Open, PlanStanding::Approved, PlanStanding::Ended] {
        for after in [ForgetReason::Compaction, ForgetReason::ClearedContext, ForgetReason::Rewind] {
            let content = "# Plan\n\nIts text:\n\n1. Fix it.\n";
            let told =
                Reminder::PlanReference { covers: None, path: PATH, content, after, standing, by: Author::Other }
                    .render();
            assert_eq!(super::plan_in_reference(&told), Some(content.trim_end()), "{told}");
        }
    }
    for other in [Reminder::AutoExit.render(), changed(Author::Other, PlanStanding::Open).render(), "# Plan".into()] {
        assert_eq!(super::plan_in_reference(&other), None, "{other}");
    }
    let long = "x".repeat(super::MAX_TOLD_PLAN_CHARS + 1);
    let (after, standing) = (ForgetReason::Compaction, PlanStanding::Open);
    let cut = Reminder::PlanReference { covers: None, path: PATH, content: &long, after, standing, by: Author::Model }
        .render();
    assert_eq!(super::plan_in_reference(&cut), None, "half a plan is none");
}
