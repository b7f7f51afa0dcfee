//! A verdict holds for the call it was made of, and as long as nothing happened that it depends on.
#![expect(clippy::disallowed_methods, reason = "tests lay out files by hand")]

use super::*;
use crate::{
    ModelHandle, ModelHandles, SessionSettings,
    event::CallId,
    event_channel::event_channel,
    launch::{Begin, Launch},
    session::{drive::Driver, open, running::MayChange},
};
use fore_model::Arguments;
use fore_plan::{Change, ModeReason, ModeTarget, Openings, approval::Reachable};
use fore_store::Home;
use serde_json::{Value, json};
use std::sync::Arc;

fn session(top: &std::path::Path) -> Driver {
    let launch = Launch {
        folder: top.to_owned(),
        home: Arc::new(Home::open(&top.join("home")).unwrap()),
        user_home: None,
        begin: Begin::Fresh { mode: "default".parse().unwrap() },
        openings: Openings::TRUSTED,
        reachable: Reachable::Approver,
        via: "test".into(),
        settings: SessionSettings::new(crate::tools::test_support::usual_settings()),
        unsaved: None,
        settings_reader: None,
        catalogue: &fore_commands::CATALOGUE,
        models: ModelHandles::one(ModelHandle::Scout),
    };
    let (events, _receiver) = event_channel();
    open::open(launch, None, events).unwrap().driver
}

fn call(tool: &str, input: Value) -> ToolUse {
    ToolUse { id: "1".into(), name: tool.into(), arguments: Arguments::Ok(input), seal: None }
}

fn bash(command: &str) -> ToolUse {
    call("Bash", json!({ "command": command }))
}

/// Judges a call, lets something happen, and says whether the verdict still counts.
fn still_counts(happens: impl FnOnce(&Driver)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let driver = session(&folder.path().canonicalize().unwrap());
    let ahead = JudgedAhead::new(&driver.context, &driver.caller, &bash("ls")).unwrap();
    let action = ahead.action.clone();
    happens(&driver);
    ahead.if_current(&action, VerdictBasis::now(&driver.context)).is_some()
}

#[tokio::test]
async fn a_verdict_counts_until_something_happens_that_it_depends_on() {
    assert!(still_counts(|_| {}));
    assert!(still_counts(|driver| _ = driver.context.work.running.add(CallId("call-1".into()), MayChange::Impossible)));
    assert!(!still_counts(|driver| _ = driver.context.work.running.add(CallId("call-1".into()), MayChange::Possible)));
    assert!(!still_counts(|driver| _ = driver.context.work.running.add(CallId("call-1".into()), MayChange::OfPlan)));
    assert!(!still_counts(|driver| driver.context.switch(ModeTarget::Plan, ModeReason::Chosen).unwrap()));
    assert!(!still_counts(|driver| driver.context.must_record(Change::Allowed { what: "host:example.com".into() })));
}

#[tokio::test]
async fn a_verdict_counts_for_no_other_call() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let driver = session(&top);
    let ahead = |call: &ToolUse| JudgedAhead::new(&driver.context, &driver.caller, call).unwrap();
    let (listed, shown) = (bash("ls"), bash("ls -l"));
    assert!(ahead(&listed).if_current(&ahead(&shown).action, VerdictBasis::now(&driver.context)).is_none());
    // The same words in another folder, and the same name for another file, are other calls.
    let (before, edit) = (ahead(&listed), call("Write", json!({ "path": "notes/a.md", "content": "a" })));
    std::fs::create_dir(top.join("src")).unwrap();
    let written = ahead(&edit);
    driver.context.work.folder.set(top.join("src"));
    std::os::unix::fs::symlink("/etc", top.join("notes")).unwrap();
    assert!(before.if_current(&ahead(&listed).action, VerdictBasis::now(&driver.context)).is_none());
    driver.context.work.folder.set(top.clone());
    assert!(written.if_current(&ahead(&edit).action, VerdictBasis::now(&driver.context)).is_none());
}

#[tokio::test]
async fn only_reads_run_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    let driver = session(&folder.path().canonicalize().unwrap());
    let page = [
        (bash("grep abcd notes.txt"), Concurrency::Together),
        (bash("sort notes.txt | head"), Concurrency::Together),
        (call("Read", json!({ "path": "a.rs" })), Concurrency::Together),
        (bash("cd src && ls"), Concurrency::Alone),
        (bash("builtin cd src"), Concurrency::Alone),
        (bash("pushd src; ls"), Concurrency::Alone),
        (bash("ls; popd"), Concurrency::Alone),
        (call("Bash", json!({ "command": "ls", "run_in_background": true })), Concurrency::Alone),
        (bash("touch a"), Concurrency::Alone),
        (bash("$(cat x)"), Concurrency::Alone),
        (call("Write", json!({ "path": "a", "content": "b" })), Concurrency::Alone),
        (call("NoSuchTool", json!({})), Concurrency::Alone),
    ];
    for (call, expected) in page {
        let ahead = JudgedAhead::new(&driver.context, &driver.caller, &call).unwrap();
        assert_eq!(ahead.concurrency(), expected, "{call:?}");
    }
}
