//! The plan file: where it may be, what it may not be, and how it comes back when it is lost.

use super::support::{Ground, human, plan_holder, reminder};
use fore_plan::{
    Actor, Applied, Change, Decision, Level, ModeTarget, Openings, SessionRole,
    approval::{self, Approver, Decider, GrantScope, Proposal, Receipt, RequestId, Timestamp},
    plan::{Author, Hash, MAX_PLAN_BYTES, PlanStage, Slug},
    reminder::{ForgetReason, PlanStanding, Reminder},
    transition,
};
use fore_store::{
    Home, PlanFolder, Session, SessionFolders, SessionId, SessionStart, StoreError,
    entry::{Cut, PlanMark, Speaker, StoredMessage},
    fold::FoldUntil,
    plan_file::{PlanReading, export},
    session::{PlanOnResume, RecoveredFrom, fork, random_slugs, resume},
};
use std::{ffi::OsStr, os::unix::fs::symlink, path::PathBuf};

/// A planning session whose plan says this.
fn with_plan(ground: &Ground, text: &str) -> (Session, PathBuf) {
    let mut session = ground.planning();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, text).unwrap();
    (session, path)
}

fn propose(session: &mut Session, request: &str) -> Proposal {
    let plan = session.state().plan().unwrap().clone();
    let revision = plan.revision.unwrap();
    let text = session.plan_text(revision.hash).unwrap();
    let proposal = Proposal {
        request: RequestId(request.into()),
        plan: plan.id,
        path: plan.path,
        revision: revision.number,
        hash: revision.hash,
        text,
        approver: Approver::Person,
    };
    assert_eq!(session.record(Change::Proposed(proposal.clone())).unwrap(), Applied::Yes);
    proposal
}

fn approve(session: &mut Session, proposal: &Proposal, level: Level) -> Applied {
    let receipt = Receipt {
        contract: None,
        runs_covered: false,
        request: proposal.request.clone(),
        plan: proposal.plan.clone(),
        revision: proposal.revision,
        hash: proposal.hash,
        level,
        scope: GrantScope::Plan,
        edited: false,
        clear_context: false,
        steps: Vec::new(),
        by: Decider::Person { via: "terminal".into() },
        at: Timestamp(1),
    };
    let (from, to) = (session.state().mode(), fore_plan::Mode::At(level));
    let decision = Decision::Approved { contract: None, receipt, comments: Vec::new() };
    session.record(Change::Decided { decision, from, to }).unwrap()
}

fn exit_call(plan: &str) -> StoredMessage {
    let call = serde_json::json!([{"type": "tool_use", "id": "1", "name": "ExitPlanMode", "input": {"plan": plan}}]);
    StoredMessage::new(Speaker::Model, serde_json::value::to_raw_value(&call).unwrap())
}

#[test]
fn n19_2_a_session_keeps_its_plan_path_and_shares_it_with_no_other() {
    let ground = Ground::new();
    let (mut one, mut other) = (ground.planning(), ground.planning());
    let path = one.name_plan(random_slugs()).unwrap();
    assert_ne!(other.name_plan(random_slugs()).unwrap(), path);
    for text in ["# Plan\n", "# Plan, longer\n"] {
        one.save_plan(Author::Model, text).unwrap();
        assert_eq!(one.state().plan().unwrap().path, path.to_str().unwrap());
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Plan, longer\n");
}

#[test]
fn k4_every_version_of_the_plan_is_in_the_transcript() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# First\n");
    session.save_plan(Author::Model, "# Second\n").unwrap();
    session.save_plan(Author::Model, "# Second\n").unwrap();
    let transcript = std::fs::read_to_string(session.path()).unwrap();
    let copies = |text: &str| transcript.matches(text).count();
    assert_eq!((copies("# First"), copies("# Second")), (1, 1), "once for each change, none for none");
    assert_eq!(std::fs::read_to_string(path).unwrap(), "# Second\n");
}

#[test]
fn b4_a_plan_that_is_missing_or_unreadable_gives_none_and_no_crash() {
    let ground = Ground::new();
    let mut session = ground.planning();
    assert!(session.read_plan().is_none());
    let path = session.name_plan(random_slugs()).unwrap();
    assert!(matches!(session.read_plan(), Some(PlanReading::Missing)));

    std::fs::write(&path, b"\xff\xfe").unwrap();
    let reading = session.read_plan().unwrap();
    assert_eq!(reading.text(), None);
    assert!(reading.trouble().unwrap().contains("not UTF-8"));
    let noted = std::fs::read_to_string(session.path()).unwrap();
    assert!(noted.contains("not UTF-8"), "the trouble is in the log");

    std::fs::write(&path, vec![b'x'; MAX_PLAN_BYTES + 1]).unwrap();
    assert!(matches!(session.read_plan(), Some(PlanReading::TooLarge { bytes }) if bytes == MAX_PLAN_BYTES as u64 + 1));
    assert!(matches!(session.save_plan(Author::Model, "new").unwrap_err(), StoreError::PlanTooLarge { .. }));
    assert_eq!(
        std::fs::metadata(&path).unwrap().len(),
        MAX_PLAN_BYTES as u64 + 1,
        "what cannot be kept is not replaced"
    );
}

#[test]
fn b6_a_plan_file_that_is_a_link_pipe_or_folder_is_neither_read_nor_written() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    let secret = ground.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let pipe = |path: &std::path::Path| {
        rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap();
    };
    type Trap<'a> = Box<dyn Fn() + 'a>;
    let traps: [(&str, Trap<'_>); 5] = [
        ("a symbolic link", Box::new(|| symlink(&secret, &path).unwrap())),
        ("a symbolic link", Box::new(|| symlink(ground.path().join("nowhere"), &path).unwrap())),
        ("a hard link", Box::new(|| std::fs::hard_link(&secret, &path).unwrap())),
        ("a pipe", Box::new(|| pipe(&path))),
        ("a folder", Box::new(|| std::fs::create_dir(&path).unwrap())),
    ];
    for (name, trap) in traps {
        std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path)).unwrap();
        trap();
        let trouble = session.read_plan().unwrap().trouble().unwrap();
        assert!(trouble.contains(name), "{name}: {trouble}");
        let error = session.save_plan(Author::Model, "# Other\n").unwrap_err().to_string();
        assert!(error.contains(name), "{name}: {error}");
        assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    }
    assert!(!ground.path().join("nowhere").exists());
}

#[test]
fn b6_resume_leaves_a_link_in_the_place_of_the_plan_alone() {
    let ground = Ground::new();
    let (session, path) = with_plan(&ground, "# Plan\n");
    let id = session.id();
    drop(session);
    std::fs::remove_file(&path).unwrap();
    symlink(ground.path().join("target"), &path).unwrap();
    let (_, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::Unavailable(StoreError::NotPlain { .. })), "{:?}", resumed.plan);
    assert!(!ground.path().join("target").exists());
}

#[test]
fn b5_a_plan_folder_swapped_for_another_is_noticed() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    let plans = path.parent().unwrap();
    let moved = ground.path().join("moved");
    std::fs::rename(plans, &moved).unwrap();
    let evil = ground.path().join("evil");
    std::fs::create_dir(&evil).unwrap();
    symlink(&evil, plans).unwrap();
    let error = session.save_plan(Author::Model, "# Other\n").unwrap_err().to_string();
    assert!(error.contains("no longer there"), "{error}");
    assert_eq!(std::fs::read_dir(&evil).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(moved.join(path.file_name().unwrap())).unwrap(), "# Plan\n");
}

#[test]
fn b1_the_setting_moves_plans_inside_the_project_and_nowhere_else() {
    let ground = Ground::new();
    let outside = ground.path().join("outside");
    std::fs::create_dir_all(ground.project.join("real")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    symlink(&outside, ground.project.join("leak")).unwrap();
    symlink(ground.project.join("real"), ground.project.join("alias")).unwrap();
    symlink(ground.path().join("nowhere"), ground.project.join("dangling")).unwrap();
    std::fs::write(ground.project.join("file"), "").unwrap();
    let root = ground.project.canonicalize().unwrap();
    let resolve = |setting: &str| PlanFolder::resolve(&ground.places.home, &ground.project, Some(OsStr::new(setting)));
    for (setting, below) in [("docs/plans", "docs/plans"), ("alias/new", "real/new"), ("docs", "docs")] {
        let folder = resolve(setting);
        assert_eq!((folder.path(), folder.refused()), (root.join(below).as_path(), None), "{setting}");
        assert!(root.join(below).is_dir());
    }
    for setting in ["../x", "/etc", "leak", "leak/deep", "dangling", "dangling/x", "file", "file/x", ".git/x", ".", ""]
    {
        let folder = resolve(setting);
        assert_eq!(folder.path(), ground.places.home.plans_path(), "{setting}");
        assert!(folder.refused().is_some(), "{setting}");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn b2_a_name_with_a_file_is_not_taken_and_neither_is_a_claimed_one() {
    let ground = Ground::new();
    let names: Vec<Slug> = (0..3).map(Slug::from_seed).collect();
    std::fs::write(ground.places.home.plans_path().join(format!("{}.md", names[0])), "old").unwrap();
    let mut first = ground.planning();
    let path = first.name_plan(names.clone()).unwrap();
    assert!(path.ends_with(format!("{}.md", names[1])));
    let mut second = ground.planning();
    let path = second.name_plan(names.clone()).unwrap();
    assert!(path.ends_with(format!("{}.md", names[2])), "claimed, though no file is there yet");
    let error = ground.planning().name_plan(names.clone()).unwrap_err();
    assert!(matches!(error, StoreError::NoFreeName { .. }), "{error}");

    // Also after its process has ended: the session can be resumed and wants its name.
    drop(first);
    assert!(ground.planning().name_plan(names).is_err());
}

#[test]
fn b7_a_version_the_person_wrote_is_kept_before_it_is_replaced() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    std::fs::write(&path, "# Plan by hand\n").unwrap();
    session.save_plan(Author::Model, "# Plan, third\n").unwrap();
    let revision = session.state().plan().unwrap().revision.clone().unwrap();
    assert_eq!((revision.number, revision.parent), (3, Some(Hash::of(b"# Plan by hand\n"))));
    for text in ["# Plan\n", "# Plan by hand\n", "# Plan, third\n"] {
        assert_eq!(session.plan_text(Hash::of(text.as_bytes())).as_deref(), Some(text));
    }
}

#[test]
fn b7_a_second_plan_never_overwrites_the_first() {
    let ground = Ground::new();
    let (mut session, first) = with_plan(&ground, "# First\n");
    let second = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, "# Second\n").unwrap();
    assert_eq!(std::fs::read_to_string(first).unwrap(), "# First\n");
    assert_eq!(std::fs::read_to_string(second).unwrap(), "# Second\n");
    assert_eq!(session.state().plan().unwrap().id.ordinal, 2);
}

#[test]
fn export_never_overwrites() {
    let ground = Ground::new();
    let target = ground.path().join("PLAN.md");
    export(&target, "# Plan\n").unwrap();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "# Plan\n");
    assert!(matches!(export(&target, "# Newer\n").unwrap_err(), StoreError::Exists { .. }));
    symlink(ground.path().join("nowhere"), ground.path().join("link")).unwrap();
    export(&ground.path().join("link"), "# Newer\n").unwrap_err();
    assert!(!ground.path().join("nowhere").exists());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "# Plan\n");
}

#[test]
fn k1_a_plan_changed_while_away_is_kept_and_told() {
    let ground = Ground::new();
    let (session, path) = with_plan(&ground, "# Plan\n");
    let id = session.id();
    drop(session);
    std::fs::write(&path, "# By hand\n").unwrap();
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::ChangedOutside), "{:?}", resumed.plan);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# By hand\n");
    assert_eq!(session.plan_text(Hash::of(b"# By hand\n")).as_deref(), Some("# By hand\n"));
    let due = session.state().notices_due(true);
    assert!(due.contains(&fore_plan::reminder::Notice::PlanChanged), "{due:?}");
}

/// A session that holds its plan in these ways, with the file gone and the snapshot's text damaged if not wanted.
fn lose(ground: &Ground, hold: impl FnOnce(&mut Session)) -> (SessionId, PathBuf) {
    let mut session = ground.planning();
    let path = session.name_plan(random_slugs()).unwrap();
    hold(&mut session);
    let id = session.id();
    drop(session);
    let _ = std::fs::remove_file(&path);
    (id, path)
}

#[test]
fn k2_a_lost_plan_comes_back_from_the_best_copy() {
    let snapshot = |session: &mut Session| {
        session.save_plan(Author::Model, "from snapshot").unwrap();
    };
    let exit = |session: &mut Session| session.append_message(exit_call("from exit")).unwrap();
    let first = |session: &mut Session| {
        session.cut_context(Cut::Cleared).unwrap();
        session.append_message(plan_holder(human(&first_message("from first")), PlanMark::FirstMessage)).unwrap();
    };
    let reference = |session: &mut Session| {
        let (after, standing) = (ForgetReason::Compaction, PlanStanding::Approved);
        let (path, content, by) = ("/p.md", "from reference", Author::Model);
        let words = Reminder::PlanReference { covers: None, path, content, after, standing, by }.render();
        let reminder = reminder(Speaker::Program, &words);
        session.append_message(plan_holder(reminder, PlanMark::Reference)).unwrap();
    };
    let forget = |session: &mut Session| {
        let hash = session.state().plan().unwrap().counts().unwrap();
        let home = session.path().parent().unwrap().parent().unwrap().to_owned();
        std::fs::remove_file(home.join(format!("revisions/{hash}.md"))).unwrap();
    };
    type Hold<'a> = &'a dyn Fn(&mut Session);
    let page: [(&[Hold<'_>], RecoveredFrom, &str); 5] = [
        (&[&snapshot, &exit, &first, &reference], RecoveredFrom::Revision, "from snapshot"),
        (&[&snapshot, &forget, &exit, &first, &reference], RecoveredFrom::Snapshot, "from snapshot"),
        (&[&exit, &first, &reference], RecoveredFrom::ExitInput, "from exit"),
        (&[&reference, &first], RecoveredFrom::FirstMessage, "from first"),
        (&[&reference], RecoveredFrom::Reference, "from reference"),
    ];
    for (holds, expected, text) in page {
        let ground = Ground::new();
        let (id, path) = lose(&ground, |session| holds.iter().for_each(|hold| hold(session)));
        let (session, resumed) = resume(&ground.places, id).unwrap();
        assert!(
            matches!(resumed.plan, PlanOnResume::Recovered { from } if from == expected),
            "{expected:?}: {:?}",
            resumed.plan
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(session.state().mode().name(), "plan");
        assert!(std::fs::read_to_string(session.path()).unwrap().contains("is back from"));
    }
}

/// The first message of a cleared context, as the model gets it.
fn first_message(plan: &str) -> String {
    let by = Decider::Person { via: "test".into() };
    let words = approval::Approved {
        covers: None,
        path: "/p.md",
        plan,
        level: "default",
        author: Author::Model,
        changed: "",
        moved: "",
        steps: &[],
        by: &by,
        todo_list: approval::Offered::Yes,
        agent_tool: approval::Offered::Yes,
        remark: None,
        comments: &[],
    };
    approval::ApprovalText::StartFromPlan(&words).render()
}

#[test]
fn k2_words_around_a_plan_are_never_taken_for_the_plan() {
    let ground = Ground::new();
    let (id, path) = lose(&ground, |session| {
        session.cut_context(Cut::Cleared).unwrap();
        for words in ["The person approved the plan. Carry it out.", "The plan of this session is at /p.md."] {
            session.append_message(plan_holder(human(words), PlanMark::FirstMessage)).unwrap();
            session.append_message(plan_holder(human(words), PlanMark::Reference)).unwrap();
        }
    });
    let (_, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::None), "{:?}", resumed.plan);
    assert!(!path.exists());
}

/// A session whose plan was approved, with its file and its kept bytes as they are after it.
fn approved(ground: &Ground, text: &str) -> (SessionId, PathBuf, Hash) {
    let (mut session, path) = with_plan(ground, text);
    let proposal = propose(&mut session, "r1");
    assert_eq!(approve(&mut session, &proposal, Level::AcceptEdits), Applied::Yes);
    (session.id(), path, proposal.hash)
}

#[test]
fn m1_what_was_approved_counts_whatever_the_file_says_on_resume_and_in_a_fork() {
    let ground = Ground::new();
    let (id, path, hash) = approved(&ground, "# Plan\n");
    std::fs::write(&path, "# Forged\n").unwrap();
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::ChangedOutside), "{:?}", resumed.plan);
    let plan = session.state().plan().unwrap();
    assert_eq!((plan.counts(), plan.revision.as_ref().unwrap().author), (Some(hash), Author::Other));
    assert_eq!(session.plan_text(hash).as_deref(), Some("# Plan\n"));
    let (copy, _) = fork(&ground.places, id, FoldUntil::End, random_slugs()).unwrap();
    let plan = copy.state().plan().unwrap();
    assert_eq!((plan.counts(), std::fs::read_to_string(&plan.path).unwrap().as_str()), (Some(hash), "# Plan\n"));
}

#[test]
fn m1_of_an_approved_plan_only_the_very_bytes_come_back() {
    for (kept, expected) in [(true, Some("# Plan\n")), (false, None)] {
        let ground = Ground::new();
        let (id, path, hash) = approved(&ground, "# Plan\n");
        let mut session = resume(&ground.places, id).unwrap().0;
        // The newest revision is another one, and so is every other copy.
        assert!(session.note_plan_found("# Forged\n").unwrap());
        session.append_message(exit_call("# Older\n")).unwrap();
        drop(session);
        std::fs::remove_file(&path).unwrap();
        if !kept {
            std::fs::remove_file(ground.home_path().join(format!("revisions/{hash}.md"))).unwrap();
        }
        let (_, resumed) = resume(&ground.places, id).unwrap();
        assert_eq!(matches!(resumed.plan, PlanOnResume::Lost), !kept, "{:?}", resumed.plan);
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), expected);
    }
}

#[test]
fn k3_a_fork_of_a_draft_says_what_somebody_else_made_of_its_file() {
    let ground = Ground::new();
    let (session, path) = with_plan(&ground, "# Plan\n");
    std::fs::write(&path, "# By hand\n").unwrap();
    let (copy, _) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
    let plan = copy.state().plan().unwrap();
    assert_eq!(std::fs::read_to_string(&plan.path).unwrap(), "# By hand\n");
    assert_eq!(plan.known, Some(Hash::of(b"# Plan\n")));
    assert_eq!(plan.revision.as_ref().unwrap().author, Author::Other);
    assert!(copy.state().notices_due(true).contains(&fore_plan::reminder::Notice::PlanChanged));
}

#[test]
fn k3_a_request_is_kept_by_the_fork_also_when_somebody_changed_the_file() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    let proposal = propose(&mut session, "r1");
    std::fs::write(&path, "# By hand\n").unwrap();
    let (copy, _) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
    assert_eq!(copy.state().pending().unwrap().hash, proposal.hash, "what was shown is what waits");
    assert_eq!(copy.state().plan().unwrap().revision.as_ref().unwrap().hash, Hash::of(b"# By hand\n"));
}

#[test]
fn k3_a_request_is_kept_by_the_fork_also_when_the_person_edited_the_plan_meanwhile() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    let proposal = propose(&mut session, "r1");
    session.save_plan(Author::Person, "# Mine\n").unwrap();
    for is_gone in [false, true] {
        if is_gone {
            std::fs::remove_file(&path).unwrap();
        }
        let (copy, _) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
        let pending = copy.state().pending().unwrap();
        assert_eq!((pending.hash, pending.text.as_str()), (proposal.hash, "# Plan\n"), "what was shown is what waits");
        let plan = copy.state().plan().unwrap();
        let newest = plan.revision.as_ref().unwrap();
        assert_eq!((newest.hash, newest.author), (Hash::of(b"# Mine\n"), Author::Person));
        assert_eq!(std::fs::read_to_string(&plan.path).unwrap(), "# Mine\n");
    }
}

#[test]
fn k6_a_lost_entry_of_the_plan_is_not_taken_for_a_change_of_its_file() {
    let damage = |ground: &Ground, id: SessionId| {
        let path = ground.home_path().join(format!("sessions/{id}.jsonl"));
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().map(|line| if line.contains("# Second") { "damaged" } else { line });
        std::fs::write(&path, lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    };
    for (on_disk, changed) in [("# Second\n", false), ("# By hand\n", true)] {
        let ground = Ground::new();
        let (mut session, path) = with_plan(&ground, "# First\n");
        session.save_plan(Author::Model, "# Second\n").unwrap();
        session.append_message(human("and on")).unwrap();
        let id = session.id();
        drop(session);
        damage(&ground, id);
        std::fs::write(&path, on_disk).unwrap();
        let (session, resumed) = resume(&ground.places, id).unwrap();
        assert!(resumed.report.has_lost_entries());
        assert_eq!(matches!(resumed.plan, PlanOnResume::ChangedOutside), changed, "{on_disk}: {:?}", resumed.plan);
        let due = session.state().notices_due(true).contains(&fore_plan::reminder::Notice::PlanChanged);
        assert_eq!(due, changed, "{on_disk}");
        assert_eq!(session.state().plan().unwrap().revision.as_ref().unwrap().hash, Hash::of(on_disk.as_bytes()));
    }
}

#[test]
fn k2_a_copy_of_an_earlier_plan_never_comes_back_as_the_current_one() {
    let ground = Ground::new();
    let (id, path) = lose(&ground, |session| {
        session.save_plan(Author::Model, "# First\n").unwrap();
        session.name_plan(random_slugs()).unwrap();
    });
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::None), "{:?}", resumed.plan);
    assert_ne!(session.state().plan().unwrap().path, path.to_str().unwrap());
}

#[test]
fn k2_a_finished_plan_does_not_resurface() {
    let ground = Ground::new();
    let (id, path) = lose(&ground, |session| {
        session.save_plan(Author::Model, "# Plan\n").unwrap();
        let proposal = propose(session, "r1");
        assert_eq!(approve(session, &proposal, Level::AcceptEdits), Applied::Yes);
        for stage in [PlanStage::InProgress, PlanStage::Done] {
            let plan = proposal.plan.clone();
            assert_eq!(session.record(Change::Stage { plan, stage }).unwrap(), Applied::Yes);
        }
    });
    let (_, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::NotNeeded), "{:?}", resumed.plan);
    assert!(!path.exists());
}

#[test]
fn k1_a_waiting_approval_still_waits_after_resume() {
    let ground = Ground::new();
    let (mut session, _) = with_plan(&ground, "# Plan\n");
    let proposal = propose(&mut session, "r1");
    let id = session.id();
    drop(session);
    let (mut session, _) = resume(&ground.places, id).unwrap();
    assert_eq!(session.state().pending(), Some(&proposal));
    assert_eq!(approve(&mut session, &proposal, Level::AcceptEdits), Applied::Yes);
}

#[test]
fn k3_a_fork_plans_on_with_its_own_copy_and_its_own_request() {
    let ground = Ground::new();
    let (mut session, path) = with_plan(&ground, "# Plan\n");
    session.append_message(human("shared")).unwrap();
    let proposal = propose(&mut session, "r1");
    let (mut copy, report) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
    assert!(report.is_clean());

    assert_eq!(copy.conversation(), [human("shared")]);
    assert_eq!(copy.state().mode().name(), "plan");
    let waits = copy.state().pending().unwrap().clone();
    assert_eq!((waits.hash, &waits.text), (proposal.hash, &proposal.text), "the same bytes wait in the copy");
    assert_ne!(waits.request, proposal.request);
    assert!(matches!(approve(&mut copy, &proposal, Level::AcceptEdits), Applied::Ignored(_)));
    let plan = copy.state().plan().unwrap().clone();
    assert_ne!(plan.path, path.to_str().unwrap());
    assert_eq!(plan.id.session, copy.id().to_string());
    assert_eq!(std::fs::read_to_string(&plan.path).unwrap(), "# Plan\n");

    copy.save_plan(Author::Model, "# Mine\n").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Plan\n");
    assert_eq!(session.state().pending(), Some(&proposal), "the first session still waits");
    let (id, state) = (copy.id(), copy.state().clone());
    drop(copy);
    let (copy, resumed) = resume(&ground.places, id).unwrap();
    assert!(resumed.report.is_clean() && matches!(resumed.plan, PlanOnResume::AsRecorded));
    assert_eq!(*copy.state(), state);
}

#[test]
fn k3_a_fork_does_not_inherit_the_level_that_an_approval_granted() {
    let ground = Ground::new();
    let (mut session, _) = with_plan(&ground, "# Plan\n");
    let mut openings = *session.state().openings();
    openings.bypass_permitted = true;
    assert_eq!(session.record(Change::Openings { openings, by: Actor::Person }).unwrap(), Applied::Yes);
    let proposal = propose(&mut session, "r1");
    assert_eq!(approve(&mut session, &proposal, Level::BypassPermissions), Applied::Yes);
    assert_eq!(session.state().mode().name(), "bypassPermissions");
    let (copy, _) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
    assert_eq!(copy.state().mode().name(), "acceptEdits");
    assert_eq!(copy.state().plan().unwrap().stage, PlanStage::Draft);
}

#[test]
fn k3_a_fork_from_an_earlier_point_has_the_history_until_there_and_the_stricter_mode() {
    let ground = Ground::new();
    let mut session = ground.session();
    session.append_message(human("one")).unwrap();
    let there = Session::read(&ground.places.home, session.id()).unwrap().last.unwrap();
    session.append_message(human("two")).unwrap();
    let enter =
        transition(session.state(), ModeTarget::Plan, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
    assert_eq!(session.record(enter).unwrap(), Applied::Yes);
    let (copy, _) = fork(&ground.places, session.id(), FoldUntil::Entry(there), random_slugs()).unwrap();
    assert_eq!(copy.conversation(), [human("one")]);
    assert_eq!(copy.state().mode().name(), "plan", "the session is planning now, so its copy is too");
    let unknown = fore_store::Entry::now(human("x")).id;
    let error = fork(&ground.places, session.id(), FoldUntil::Entry(unknown), random_slugs()).unwrap_err();
    assert!(error.to_string().contains("has no entry"), "{error}");
}

#[test]
fn a_vanished_home_is_a_clear_error() {
    let ground = Ground::new();
    let (mut session, _) = with_plan(&ground, "# Plan\n");
    std::fs::remove_dir_all(ground.home_path()).unwrap();
    let error = session.save_plan(Author::Model, "# Other\n").unwrap_err().to_string();
    assert!(error.contains("no longer there"), "{error}");
    let error = Session::create(&ground.places, &ground.project, super::support::start(true)).unwrap_err().to_string();
    assert!(error.contains("no longer there"), "{error}");
    assert!(!ground.home_path().exists(), "nothing is made anew behind the person's back");
    Home::open(&ground.home_path()).unwrap();
}

#[test]
fn a6_every_mode_change_is_in_the_audit_log() {
    let ground = Ground::new();
    let mut session = ground.session();
    for target in [ModeTarget::Plan, ModeTarget::Beneath] {
        let change =
            transition(session.state(), target, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
        assert_eq!(session.record(change).unwrap(), Applied::Yes);
    }
    let log = std::fs::read_to_string(ground.home_path().join("audit.jsonl")).unwrap();
    let events: Vec<String> = log
        .lines()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["session"], session.id().to_string());
            format!("{} {}>{} by {} {}", line["event"], line["from"], line["to"], line["by"], line["why"])
        })
        .collect();
    assert_eq!(
        events,
        [
            r#""mode" "acceptEdits">"plan" by "person" "chosen by the person""#,
            r#""mode" "plan">"acceptEdits" by "person" "chosen by the person""#
        ]
    );
}

#[test]
fn a_plan_named_under_another_setting_is_found_again() {
    let ground = Ground::new();
    let plans = PlanFolder::resolve(&ground.places.home, &ground.project, Some(OsStr::new("docs")));
    let there = SessionFolders { home: ground.places.home.clone(), plans };
    let mut session = Session::create(&there, &ground.project, super::support::start(true)).unwrap();
    let path = session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, "# Plan\n").unwrap();
    let id = session.id();
    drop(session);
    let (mut session, resumed) = resume(&ground.places, id).unwrap();
    assert!(matches!(resumed.plan, PlanOnResume::AsRecorded), "{:?}", resumed.plan);
    session.save_plan(Author::Model, "# More\n").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# More\n");
}

#[test]
fn m13_permission_to_bypass_ends_with_the_program_that_was_given_it() {
    let ground = Ground::new();
    let openings = Openings { bypass_permitted: true, ..Openings::TRUSTED };
    let start = SessionStart { level: Level::BypassPermissions, planning: false, openings, role: SessionRole::Main };
    let mut session = Session::create(&ground.places, &ground.project, start).unwrap();
    session.append_message(human("go on")).unwrap();
    assert_eq!(session.state().mode().name(), "bypassPermissions");
    let (copy, _) = fork(&ground.places, session.id(), FoldUntil::End, random_slugs()).unwrap();
    assert_eq!(copy.state().mode().name(), "default");
    let id = session.id();
    drop(session);
    let (mut again, _) = resume(&ground.places, id).unwrap();
    assert_eq!(again.state().mode().name(), "default");
    assert_eq!(again.record(Change::Openings { openings, by: Actor::Person }).unwrap(), Applied::Yes);
    assert_eq!(again.state().mode().name(), "bypassPermissions", "the level itself was not forgotten");
}
