//! The approval dialog as pages: keys in, the screen or the answer out.

mod accidents;
mod comments;
mod edits;
mod fields;
mod grants;
mod kept;
mod noted;
mod reading;
mod screens;
mod steps;
mod viewing;

use super::ApprovalDialog;
use crate::dialogs::{Dialog as _, Focus};
use crate::dialogs::{
    DialogStep,
    test_support::{press, space},
};
use fore_agent::{ApprovalAsked, Command, ContextUse, Proof};
use fore_plan::{
    Applied, Change, Level, Openings, SessionRole, State,
    approval::{Comment, ExitRequest, ExitResponse, offers},
    plan::{CheckNote, Hash, NoteCode, Severity},
};

const PLAN: &str = "\
# Faster login

The login page asks the database three times.

## Steps

1. Read the user and the roles in one query.
2. Keep the session in memory.
3. Measure again.

## Verification

Run the login benchmark before and after.
";

/// A session that would go on at this level.
fn state(level: Level) -> State {
    let mut state = State::default();
    let openings = Openings { bypass_permitted: true, ..Openings::TRUSTED };
    let started = Change::Started { level, planning: true, openings, role: SessionRole::Main };
    assert_eq!(state.apply(&started), Applied::Yes);
    state
}

/// The first proposal of a plan, with nothing to remark.
fn asked(plan: &str) -> ApprovalAsked {
    ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest {
            contract: fore_plan::contract::Contract::default(),
            contract_hash: fore_plan::contract::Contract::default().hash(),
            agent_id: "plan_approval:main:login:1".into(),
            plan_file_path: "/home/ada/.local/share/fore/plans/faster-login.md".into(),
            plan_content: plan.into(),
            plan_hash: Hash::of(plan.as_bytes()),
            revision: 1,
            options: offers(&state(Level::Default), &fore_plan::contract::Contract::default()),
            steps: fore_plan::plan::steps(plan),
        },
        notes: Vec::new(),
        changed: String::new(),
        seen: None,
        proof: Proof { line: "0 files changed during planning.".into(), ..Proof::default() },
        moved: Vec::new(),
        context: ContextUse { tokens: 124_000, window: Some(200_000), estimated: false },
        rehearsals: Vec::new(),
        estimate: None,
        earlier_comments: Vec::new(),
    }
}

/// A later one, with everything that can stand beside it.
fn asked_again(plan: &str) -> ApprovalAsked {
    let note = |severity, code, line, sentence: &str| CheckNote { severity, code, line, sentence: sentence.into() };
    let first = asked(plan);
    ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest { revision: 3, ..first.request },
        notes: vec![
            note(Severity::Serious, NoteCode::NoVerification, None, "The plan says nothing about how to check it."),
            note(Severity::Warning, NoteCode::MissingFile, Some(7), "`src/user.rs` does not exist."),
            note(Severity::Info, NoteCode::OpenQuestion, Some(8), "A question is open."),
        ],
        changed: "@@ -7,2 +7,3 @@\n 1. Read the user and the roles in one query.\n-2. Use a cache.\n\
                  +2. Keep the session in memory.\n+3. Measure again.\n"
            .into(),
        seen: Some(plan.replace("2. Keep the session in memory.\n3. Measure again.\n", "2. Use a cache.\n")),
        proof: Proof {
            line: "2 files changed during planning.".into(),
            paths: vec!["src/login.rs".into(), "Cargo.lock".into()],
            changed: 2,
            incomplete: false,
        },
        moved: Vec::new(),
        context: ContextUse { tokens: 124_000, window: Some(200_000), estimated: true },
        rehearsals: Vec::new(),
        estimate: None,
        earlier_comments: vec![
            Comment { first_line: 8, last_line: 8, quote: "2. Use a cache.".into(), remark: "Which cache?".into() },
            Comment {
                first_line: 7,
                last_line: 7,
                quote: "1. Read the user and the roles in one query.".into(),
                remark: "And the groups?".into(),
            },
        ],
    }
}

/// A dialog that was drawn once, as it always is before a key can come.
fn open(asked: ApprovalAsked) -> ApprovalDialog {
    let mut approval = ApprovalDialog::new(asked);
    approval.view(space(100, 40), Focus::Here);
    approval
}

/// Presses keys and looks at the screen after each.
fn typed(approval: &mut ApprovalDialog, keys: &str) -> DialogStep {
    for key in keys.split_whitespace() {
        match press(approval, key) {
            DialogStep::Stay => approval.view(space(100, 40), Focus::Here),
            step => return step,
        };
    }
    DialogStep::Stay
}

fn answer(selected: &str) -> ExitResponse {
    ExitResponse {
        contract_hash: None,
        grants: Default::default(),
        through: None,
        agent_id: "plan_approval:main:login:1".into(),
        selected: selected.into(),
        reason: String::new(),
        comments: Vec::new(),
        plan: None,
        steps: None,
    }
}

fn sent(response: ExitResponse) -> DialogStep {
    DialogStep::Send(Command::Approval(response))
}

/// What the last row says.
fn last_row(approval: &mut ApprovalDialog) -> String {
    let view = approval.view(space(100, 40), Focus::Here);
    crate::dialogs::test_support::text_of(&view).lines().last().unwrap_or_default().to_owned()
}
