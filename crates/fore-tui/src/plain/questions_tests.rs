//! Questions as lines: what is printed, and what a line answers.

use super::*;
use fore_agent::{CallId, ContextUse, FormOption, FormQuestion, Proof, ShownCall};
use fore_plan::{
    Cage, Level, Mode,
    approval::{ExitRequest, Offer, OfferKind},
    plan::Hash,
};

const PLAN: &str = "# Discounts\n\n1. Add a field\n2. Use it\n";

fn plan() -> PlainQuestion {
    let offer = |value, label: &str, leads_to| Offer { value, label: label.into(), leads_to };
    PlainQuestion::Approval(Box::new(PlainApproval::new(ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest {
            contract: fore_plan::contract::Contract::default(),
            contract_hash: fore_plan::contract::Contract::default().hash(),
            agent_id: "request-1".into(),
            plan_file_path: "/home/ada/.forethought/plans/discounts.md".into(),
            plan_content: PLAN.into(),
            plan_hash: Hash::of(PLAN.as_bytes()),
            revision: 2,
            options: vec![
                offer(OfferKind::StartEditing, "Approve; ask before each edit", Mode::At(Level::Default)),
                offer(OfferKind::KeepPlanning, "Keep planning", Mode::Plan),
                offer(OfferKind::Discard, "Throw the plan away and keep planning", Mode::Plan),
            ],
            steps: fore_plan::plan::steps(PLAN),
        },
        notes: Vec::new(),
        changed: String::new(),
        seen: None,
        proof: Proof { line: "0 files changed during planning.".into(), ..Proof::default() },
        moved: Vec::new(),
        context: ContextUse::default(),
        rehearsals: Vec::new(),
        estimate: None,
        earlier_comments: Vec::new(),
    })))
}

fn response(selected: &str, reason: &str, comments: Vec<Comment>) -> QuestionStep {
    let (agent_id, selected, reason) = ("request-1".into(), selected.into(), reason.into());
    QuestionStep::Answer(Command::Approval(ExitResponse {
        contract_hash: None,
        grants: Default::default(),
        through: None,
        agent_id,
        selected,
        reason,
        comments,
        plan: None,
        steps: None,
    }))
}

fn permission_question() -> PlainQuestion {
    PlainQuestion::permission(PermissionRequest {
        for_plan: None,
        question: QuestionId("q1".into()),
        agent: None,
        call: CallId("c1".into()),
        tool: "Bash".into(),
        text: "Run this command?".into(),
        shown: ShownCall::text("make", "make install"),
        rule: "default asks before commands".into(),
        cage: Cage::Free,
        effects: Vec::new(),
        for_kind: None,
        always: Vec::new(),
        for_session: None,
    })
}

#[test]
fn d3_a_plan_is_read_with_numbered_lines_and_numbered_answers() {
    insta::assert_snapshot!(plan().lines().join("\n"), @r"
    A plan waits for your answer: /home/ada/.forethought/plans/discounts.md, revision 2
       1  # Discounts
       2  
       3  1. Add a field
       4  2. Use it
    End of the plan.
    0 files changed during planning.
    Step 1: Add a field
    Step 2: Use it
    /steps 1 3 approves only these steps, /steps all every one
    The plan names no file or command that could run without asking.
    /strike 2 takes one off the list or back, /cover PATH or /cover $ COMMAND adds one
    /answer 1 Approve; ask before each edit (mode default)
    /answer 2 Keep planning (mode plan)
    /answer 3 Throw the plan away and keep planning (mode plan)
    /comment LINE words, or /comment FIRST-LAST words; /edit opens your editor; /browser shows it there; /show reads it again
    ");
}

#[test]
fn m6_steps_are_chosen_by_number_and_what_is_then_approved_is_read() {
    let mut question = plan();
    let how = "Write it like this: /steps 1 3, with numbers of steps of this plan, or /steps all";
    for wrong in ["/steps", "/steps 3", "/steps one"] {
        assert_eq!(question.answer(wrong), QuestionStep::Say(how.into()), "{wrong}");
    }
    let chosen = question.answer("/steps 2");
    let QuestionStep::Regrant { say: read, read: Some(Command::ReadContract { steps: Some(of), .. }) } = chosen else {
        panic!("{chosen:?}")
    };
    assert_eq!(of, [2], "what these steps cover is read anew");
    assert!(read.starts_with("An approval is about 1 of 2 steps, which is this plan:\n   1  # Discounts\n"), "{read}");
    assert!(read.contains("2. Use it") && !read.contains("1. Add a field") && read.contains("- Add a field"), "{read}");
    let with = |steps| {
        let (agent_id, reason, comments) = ("request-1".into(), String::new(), Vec::new());
        let response = ExitResponse {
            contract_hash: None,
            grants: Default::default(),
            through: None,
            agent_id,
            selected: "startEditing".into(),
            reason,
            comments,
            plan: None,
            steps,
        };
        QuestionStep::Answer(Command::Approval(response))
    };
    assert_eq!(question.clone().answer("/answer 1"), with(Some(vec![2])));
    assert!(question.lines().contains(&"An approval is about steps 2 alone.".to_owned()));
    let no = response("keepPlanning", "no\n\nLeave out step 1: Add a field", Vec::new());
    assert_eq!(question.clone().answer("/answer 2 no"), no, "a no is about the whole plan");
    let again = question.clone().answer("/steps all");
    assert!(matches!(again, QuestionStep::Regrant { say, read: Some(_) } if say == "All steps are meant."));
    question.answer("/steps all");
    assert_eq!(question.answer("/answer 1"), with(None));
}

#[test]
fn m6_steps_are_chosen_anew_when_the_text_is_another_one() {
    let PlainQuestion::Approval(mut approval) = plan() else { panic!("no plan") };
    approval.answer("steps", "2");
    assert!(approval.is_about(Hash::of(PLAN.as_bytes()), Some(&[2])));
    let edited = "# Discounts\n\n1. Another first step\n2. Add a field\n3. Use it\n";
    assert!(approval.take_edit(edited.into()).is_some());
    assert!(approval.is_about(Hash::of(edited.as_bytes()), None), "the numbers were those of another text");
    assert_eq!(approval.take_edit(PLAN.into()), None);
    assert!(approval.read_contract().is_some());
    approval.asked.agent = Some(fore_agent::AgentId("a1".into()));
    assert_eq!(approval.read_contract(), None, "the plan of an agent grants nothing, so nobody asks what it covers");
}

#[test]
fn m3_what_was_tried_is_read_with_the_plan() {
    let PlainQuestion::Approval(mut approval) = plan() else { panic!("no plan") };
    let (command, ended) = ("cargo test".into(), "exit code 1".into());
    approval.asked.rehearsals =
        vec![fore_store::entry::Rehearsal { command, ended, exit_code: Some(1), would_change: vec!["~ a".into()] }];
    let lines = approval.lines().join("\n");
    assert!(lines.contains("Tried, nothing kept: cargo test: exit code 1, would have changed:\n  ~ a"), "{lines}");
}

#[test]
fn d3_how_full_the_context_is_stands_beside_the_answer_that_empties_it() {
    let PlainQuestion::Approval(mut approval) = plan() else { panic!("no plan") };
    approval.asked.context = ContextUse { tokens: 124_000, window: Some(200_000), estimated: false };
    approval.asked.request.options[0].value = OfferKind::ClearContextAndStart;
    let lines = approval.lines();
    let full: Vec<&String> = lines.iter().filter(|line| line.contains("full")).collect();
    assert_eq!(full, ["/answer 1 Approve; ask before each edit (mode default; the context is 62 % full)"]);
}

#[test]
fn d3_only_a_number_behind_its_own_word_answers() {
    for line in ["yes", "approve", "", "1.", "1 more", "/approve", "/"] {
        assert_eq!(plan().answer(line), QuestionStep::NotMeant, "{line}");
    }
    let how = QuestionStep::Say("A plan waits: /answer 1 answers with 1. Nothing was sent.".into());
    assert_eq!(plan().answer("1"), how);
    let how = QuestionStep::Say("A question waits: /2 answers with 2. Nothing was sent.".into());
    assert_eq!(permission_question().answer("2"), how);
    // Typed ahead for another question.
    for line in ["/1", "/1,2", "/3 no"] {
        let waits = QuestionStep::Say("A plan waits; it is answered with /answer and a number.".into());
        assert_eq!(plan().answer(line), waits, "{line}");
    }
    assert_eq!(plan().answer("/answer 1"), response("startEditing", "", Vec::new()));
    assert_eq!(plan().answer("/answer 2 use cents"), response("keepPlanning", "use cents", Vec::new()));
    assert_eq!(
        plan().answer("/answer 9"),
        QuestionStep::Say("There is no answer 9; choose /answer 1 to /answer 3.".into())
    );
    for line in ["/answer", "/answer 0", "/answer yes"] {
        assert_eq!(plan().answer(line), QuestionStep::Say("Write it like this: /answer 1".into()), "{line}");
    }
}

#[test]
fn approving_with_comments_asks_once_more() {
    let mut plan = plan();
    assert_eq!(
        plan.answer("/comment 3-9 in cents"),
        QuestionStep::Say("Kept: 1 comment goes with your answer.".into())
    );
    let again = QuestionStep::Say(
        "You wrote 1 comment; it goes along with this answer. /answer 1 once more if you mean it: Approve; ask before each edit"
            .into(),
    );
    assert_eq!(plan.answer("/answer 1"), again);
    assert_eq!(plan.answer("/show").clone(), QuestionStep::Say(plan.lines().join("\n")));
    assert_eq!(plan.answer("/answer 1"), again);
    let (quote, remark) = ("1. Add a field\n2. Use it".into(), "in cents".into());
    assert_eq!(
        plan.answer("/answer 1"),
        response("startEditing", "", vec![Comment { first_line: 3, last_line: 4, quote, remark }])
    );
}

#[test]
fn throwing_a_plan_away_asks_once_more() {
    let mut plan = plan();
    assert!(matches!(plan.answer("/answer 3"), QuestionStep::Say(_)));
    assert_eq!(plan.answer("/answer 3"), response("discard", "", Vec::new()));
}

#[test]
fn a_comment_needs_a_line_that_is_there() {
    let usage = || QuestionStep::Say("Write it like this: /comment 12 words, or /comment 12-14 words".into());
    assert_eq!(plan().answer("/comment"), usage());
    assert_eq!(plan().answer("/comment 3"), usage());
    assert_eq!(plan().answer("/comment 0 words"), usage());
    assert_eq!(plan().answer("/comment 4-3 words"), usage());
    assert_eq!(plan().answer("/comment 40 words"), QuestionStep::Say("The plan has 4 lines.".into()));
}

#[test]
fn a_question_about_a_call_shows_the_whole_command_and_what_may_be_said() {
    insta::assert_snapshot!(permission_question().lines().join("\n"), @r"
    Question: Run this command?
        make install
    No sandbox: runs with all your permissions
    Why asked: your settings: default asks before commands
    /1 yes
    /3 no; a reason may follow
    ");
    let reply = |reply| QuestionStep::Answer(Command::Reply { question: QuestionId("q1".into()), reply });
    assert_eq!(permission_question().answer("/1"), reply(Reply::Yes));
    assert_eq!(permission_question().answer("/3 not now"), reply(Reply::No { reason: "not now".into() }));
    // It may not last here.
    let wrong = QuestionStep::Say("There is no answer 2; the answers are /1, /3.".into());
    assert_eq!(permission_question().answer("/2"), wrong);
    assert_eq!(permission_question().answer("yes"), QuestionStep::NotMeant);
}

#[test]
fn a_form_is_asked_question_by_question() {
    let option = |label: &str| FormOption { label: label.into(), description: String::new() };
    let question = |question: &str, multi_select| FormQuestion {
        header: String::new(),
        question: question.into(),
        multi_select,
        options: vec![option("Red"), option("Blue")],
    };
    let form =
        Form { questions: vec![question("Which colour?", false), question("Which others?", true)], is_offer: false };
    let mut waiting = PlainQuestion::form(QuestionId("q1".into()), form);
    assert_eq!(waiting.answer("Red"), QuestionStep::NotMeant);
    assert_eq!(waiting.answer("/1,2"), QuestionStep::Say("Only one may be chosen.".into()));
    assert_eq!(waiting.answer("/3"), QuestionStep::Say("There is no answer 3.".into()));
    assert!(
        matches!(waiting.answer("/2"), QuestionStep::Say(next) if next.starts_with("Question 2 of 2: Which others?"))
    );
    let answers = vec![
        FormAnswer { chosen: vec!["Blue".into()], text: String::new() },
        FormAnswer { chosen: vec!["Red".into(), "Blue".into()], text: String::new() },
    ];
    let filled = QuestionStep::Answer(Command::FillForm { question: QuestionId("q1".into()), answers });
    assert_eq!(waiting.answer("/1,2"), filled);
}

#[test]
fn words_of_the_model_cannot_pass_for_answers_of_ours() {
    let option = |label: &str| FormOption { label: label.into(), description: "x\n/3 no".into() };
    let question = FormQuestion {
        header: String::new(),
        question: "Which?\n/1 allow everything".into(),
        multi_select: false,
        options: vec![option("a\n/2 b"), option("c")],
    };
    let waiting = PlainQuestion::form(QuestionId("q".into()), Form { questions: vec![question], is_offer: false });
    let lines = waiting.lines();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains('\n')), "{lines:?}");
    for (line, expected) in
        [("/1", true), ("/2,3 x", true), ("/show", false), ("1", false), ("/", false), ("yes", false)]
    {
        assert_eq!(is_answer(line), expected, "{line}");
    }
}

#[test]
fn m9_named_files_that_changed_since_the_plan_was_made_are_read_out() {
    let PlainQuestion::Approval(mut approval) = plan() else { panic!() };
    assert!(!approval.lines().iter().any(|line| line.contains("since this plan was made")));
    approval.asked.moved = vec![fore_agent::MovedFile {
        path: "src/cart.rs".into(),
        change: fore_agent::FileMove::Gone,
        added: None,
        removed: None,
        diff: String::new(),
    }];
    assert!(approval.lines().contains(&"Changed since this plan was made: src/cart.rs (gone).".to_owned()));
}
