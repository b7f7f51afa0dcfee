//! What the plan covers, as a list: struck, added to, kept for later, and resolved before it can be granted.

use super::*;
use crate::dialogs::{approval::UnsavedReview, test_support::text_of};
use fore_plan::{
    approval::{GrantChanges, OfferKind},
    contract::{CommandGrant, Contract, FileGrant, NotGranted, NotGrantedReason, PathShape, PlannedChange},
};
use std::collections::BTreeMap;

fn file(path: &str, line: u32) -> FileGrant {
    FileGrant { path: path.into(), shape: PathShape::File, change: PlannedChange::Change, line }
}

fn contract() -> Contract {
    Contract {
        files: vec![file("src/login.rs", 7), file("src/user.rs", 8)],
        commands: vec![CommandGrant { command: "cargo bench login".into(), hosts: Vec::new(), line: 13 }],
        ..Contract::default()
    }
}

fn asked_with_grants(plan: &str) -> ApprovalAsked {
    let first = asked(plan);
    let contract = contract();
    ApprovalAsked {
        request: ExitRequest {
            options: offers(&state(Level::Default), &contract),
            contract_hash: contract.hash(),
            contract,
            ..first.request
        },
        ..first
    }
}

/// The rows of the list.
fn list(approval: &mut ApprovalDialog) -> Vec<String> {
    let view = approval.view(space(100, 40), Focus::Here);
    let rows = text_of(&view);
    let is_entry = |row: &&str| row.contains('✓') || row.contains('✗');
    rows.lines()
        .filter(is_entry)
        .map(|row| row.trim_start_matches(['│', '❯', ' ', '▌']).trim_end().to_owned())
        .collect()
}

/// What the dialog asks the session, and the session's answer to it.
fn resolve(approval: &mut ApprovalDialog, added: &[(&str, Contract)]) -> Vec<String> {
    let Some(Command::ReadContract { added: typed, .. }) = approval.unread_contract() else { return Vec::new() };
    let added: BTreeMap<String, Contract> =
        added.iter().map(|(entry, contract)| ((*entry).to_owned(), contract.clone())).collect();
    let of = approval.asked.request.plan_hash;
    approval.contract_read((of, None), (&contract(), contract().hash()), &added);
    typed
}

fn granted(path: &str) -> Contract {
    Contract { files: vec![FileGrant { change: PlannedChange::New, ..file(path, 0) }], ..Contract::default() }
}

fn refused(named: &str, why: NotGrantedReason) -> Contract {
    Contract { not_granted: vec![NotGranted { named: named.into(), line: 0, why }], ..Contract::default() }
}

#[test]
fn what_is_typed_is_shown_as_it_would_be_granted_before_it_can_be() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p a 'notes.md' enter");
    assert_eq!(list(&mut approval).last().unwrap(), "✓ notes.md  being looked up");
    assert!(!approval.knows_grants(), "nothing is granted that nobody has seen");
    assert_eq!(resolve(&mut approval, &[("notes.md", granted("docs/notes.md"))]), ["notes.md"]);
    assert_eq!(list(&mut approval).last().unwrap(), "✓ docs/notes.md  new  added by you");
    assert!(approval.knows_grants());
    assert_eq!(approval.unread_contract(), None, "asked once");
    let (_, changes) = approval.grant_changes();
    assert_eq!(changes, GrantChanges { added_files: vec!["notes.md".into()], ..GrantChanges::default() });
}

#[test]
fn what_cannot_be_granted_is_said_with_the_reason_and_not_added() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p a '../secrets' enter");
    resolve(&mut approval, &[("../secrets", refused("../secrets", NotGrantedReason::OutsideProject))]);
    assert_eq!(last_row(&mut approval), "`../secrets` cannot be added: outside the project.");
    assert_eq!(list(&mut approval).len(), 3);
    assert_eq!(approval.grant_changes().1, GrantChanges::default());
}

#[test]
fn an_answer_that_knows_only_the_first_of_two_entries_is_not_enough() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p a 'one.md' enter");
    let first = approval.unread_contract();
    assert!(first.is_some());
    typed(&mut approval, "a 'two.md' enter");
    let of = approval.asked.request.plan_hash;
    let known = BTreeMap::from([("one.md".to_owned(), granted("one.md"))]);
    approval.contract_read((of, None), (&contract(), contract().hash()), &known);
    assert!(!approval.knows_grants());
    resolve(&mut approval, &[("one.md", granted("one.md")), ("two.md", granted("two.md"))]);
    assert!(approval.knows_grants());
}

#[test]
fn strikes_and_additions_are_kept_and_come_back_for_the_same_bytes_alone() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p x a 'notes.md' enter a '$' space 'cargo' space 'doc' enter");
    assert_eq!(approval.unkept(), UnsavedReview::Finished);
    let draft = approval.keep();
    let expected = GrantChanges {
        struck_files: vec!["src/login.rs".into()],
        struck_commands: Vec::new(),
        added_files: vec!["notes.md".into()],
        added_commands: vec!["cargo doc".into()],
    };
    assert_eq!((draft.plan, &draft.grants), (Hash::of(PLAN.as_bytes()), &expected));

    let (mut back, lost) = ApprovalDialog::resumed(asked_with_grants(PLAN), draft.clone());
    assert_eq!(lost, None);
    assert_eq!(last_row(&mut back), "Here again, not sent yet: what the plan covers (1 struck, 2 added).");
    assert!(!back.knows_grants(), "what was added is looked up anew");
    assert_eq!(resolve(&mut back, &[("notes.md", granted("notes.md")), ("$ cargo doc", Contract::default())]).len(), 2);
    typed(&mut back, "p");
    assert_eq!(list(&mut back)[0], "✗ src/login.rs  change  line 7  struck");
    assert_eq!(back.keep().grants, expected);

    let other = PLAN.replace("Measure again", "Measure twice");
    let (mut changed, _) = ApprovalDialog::resumed(asked_with_grants(&other), draft);
    assert_eq!(
        last_row(&mut changed),
        "What you struck off the list of what the plan covers, or added to it, was for an older text: see p."
    );
    assert_eq!(changed.keep().grants, GrantChanges::default());
}

#[test]
fn asked_again_for_the_same_bytes_the_list_is_as_the_person_left_it() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p x");
    let mut again = approval.again(asked_with_grants(PLAN));
    assert_eq!(again.keep().grants.struck_files, ["src/login.rs"]);
    let other = PLAN.replace("Measure again", "Measure twice");
    let mut changed = again.again(asked_with_grants(&other));
    assert_eq!(
        last_row(&mut changed),
        "The plan has changed and is asked again. What you struck off its list or added is gone: see p."
    );
    assert_eq!(changed.grant_changes().1, GrantChanges::default());
}

#[test]
fn what_was_struck_stays_struck_when_the_person_edits_the_plan() {
    let mut approval = open(asked_with_grants(PLAN));
    typed(&mut approval, "p x");
    approval.edited(Ok(PLAN.replace("Measure again", "Measure twice")));
    assert!(!approval.knows_grants());
    let Some(Command::ReadContract { text, .. }) = approval.unread_contract() else { panic!("nothing is asked") };
    approval.contract_read((Hash::of(text.as_bytes()), None), (&contract(), contract().hash()), &BTreeMap::new());
    let changes = approval.grant_changes().1;
    assert_eq!(changes.struck_files, ["src/login.rs"]);
    assert!(approval.asked.request.options.iter().any(|offer| offer.value == OfferKind::StartCovered));
}
