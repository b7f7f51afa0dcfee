//! What a transcript says after it was torn, damaged, or written by a newer program.

use super::support::{Ground, human, reminder};
use fore_plan::{Actor, Change, ModeTarget, plan::Author, transition};
use fore_store::{
    Entry, Session, SessionId, StoreError,
    entry::{
        Cut, EntryBody, MAX_ENTRY_BYTES, PlanMark, SessionNote, Speaker, StoredMessage, Todo, TodoStatus, VERSION,
    },
    fold::{FoldReport, FoldedTranscript, Torn},
    session::{list, random_slugs, resume},
};
use serde_json::value::RawValue;
use std::{io::Write, os::unix::fs::PermissionsExt, path::Path};

/// A session with one entry of every kind, and what its last entry shall be.
fn lived(ground: &Ground, last: impl FnOnce(&mut Session)) -> SessionId {
    let mut session = ground.session();
    session.append_message(human("look at the login")).unwrap();
    session.cut_context(Cut::Compacted { summary: "we looked".into() }).unwrap();
    session.name_plan(random_slugs()).unwrap();
    enter(&mut session);
    session.save_plan(Author::Model, "# Plan\n\n- one \u{1F980}\n").unwrap();
    session.append_message(human("go on")).unwrap();
    session.set_todos(vec![Todo { text: "first".into(), status: TodoStatus::Pending }]).unwrap();
    last(&mut session);
    session.id()
}

fn enter(session: &mut Session) {
    let change =
        transition(session.state(), ModeTarget::Plan, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
    assert_eq!(session.record(change).unwrap(), fore_plan::Applied::Yes);
}

fn leave(session: &mut Session) {
    let change = transition(session.state(), ModeTarget::Beneath, Actor::Person, fore_plan::ModeReason::Chosen)
        .unwrap()
        .unwrap();
    assert_eq!(session.record(change).unwrap(), fore_plan::Applied::Yes);
}

fn last_line(bytes: &[u8]) -> usize {
    bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1
}

fn read(ground: &Ground, id: SessionId) -> FoldedTranscript {
    Session::read(&ground.places.home, id).unwrap()
}

#[test]
fn k6_a_last_line_torn_at_any_byte_counts_as_never_written() {
    let lasts: [fn(&mut Session); 6] = [
        |session| session.append_message(human("the last word \u{1F980}")).unwrap(),
        leave,
        |session| {
            session.save_plan(Author::Model, "# Plan\n\n- two\n").unwrap();
        },
        |session| session.cut_context(Cut::Cleared).unwrap(),
        |session| session.set_todos(Vec::new()).unwrap(),
        |session| session.note("topic", "text").unwrap(),
    ];
    for last in lasts {
        let ground = Ground::new();
        let id = lived(&ground, last);
        let path = ground.transcript(id);
        let whole = std::fs::read(&path).unwrap();
        let start = last_line(&whole);
        std::fs::write(&path, &whole[..start]).unwrap();
        let without = read(&ground, id);
        assert!(without.report.is_clean());
        for end in start + 1..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let torn = Torn { at: start as u64, bytes: (end - start) as u64, damaged: false };
            let report = FoldReport { torn: Some(torn), ..without.report.clone() };
            assert_eq!(
                read(&ground, id),
                FoldedTranscript { report, ..without.clone() },
                "torn at byte {}",
                end - start
            );
        }
    }
}

#[test]
fn k6_a_torn_line_is_cut_off_kept_aside_and_reported() {
    let ground = Ground::new();
    let id = lived(&ground, leave);
    let path = ground.transcript(id);
    let whole = std::fs::read(&path).unwrap();
    let start = last_line(&whole);
    for (number, end) in [start + 1, start + 40, whole.len() - 1].into_iter().enumerate() {
        std::fs::write(&path, &whole[..end]).unwrap();
        let (session, resumed) = resume(&ground.places, id).unwrap();
        assert_eq!(resumed.report.torn, Some(Torn { at: start as u64, bytes: (end - start) as u64, damaged: false }));
        assert!(session.state().pre_plan_mode().is_some(), "the leaving was never saved, so planning is still on");
        assert!(!resumed.planning_because_of_damage);
        let aside = path.with_extension(format!("jsonl.torn-{}", number + 1));
        assert_eq!(std::fs::read(aside).unwrap(), &whole[start..end]);
        drop(session);
        assert!(read(&ground, id).report.is_clean());
    }
}

#[test]
fn k1_resume_restores_everything_that_was_there() {
    let ground = Ground::new();
    let id = lived(&ground, |session| session.append_message(reminder(Speaker::Human, "bye")).unwrap());
    let before = read(&ground, id);
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(resumed.report.is_clean());
    assert_eq!(**session.state(), before.state);
    assert_eq!(session.state().mode().name(), "plan");
    assert_eq!(session.state().pre_plan_mode().map(|mode| mode.name()), Some("acceptEdits"));
    assert_eq!(session.conversation(), [human("go on"), reminder(Speaker::Human, "bye")]);
    assert_eq!(session.cut(), Some(&Cut::Compacted { summary: "we looked".into() }));
    assert_eq!(session.todos(), [Todo { text: "first".into(), status: TodoStatus::Pending }]);
}

#[test]
fn k5_after_a_cut_the_plan_is_brought_back_also_across_a_resume() {
    let ground = Ground::new();
    let id = lived(&ground, |session| session.cut_context(Cut::Compacted { summary: "short".into() }).unwrap());
    let (session, _) = resume(&ground.places, id).unwrap();
    assert_eq!(session.conversation(), []);
    let due = session.state().notices_due(true);
    assert!(due.contains(&fore_plan::reminder::Notice::PlanReference), "{due:?}");
}

#[test]
fn what_a_process_left_half_made_is_no_session_and_is_removed_when_old() {
    let ground = Ground::new();
    let session = ground.session();
    let draft = ground.home_path().join(format!("sessions/{}.draft", SessionId::fresh()));
    std::fs::write(&draft, "{").unwrap();
    assert_eq!(list(&ground.places.home, None, 9).unwrap().len(), 1);
    assert!(draft.exists(), "somebody may be at work on it");
    set_age(&draft, 3600);
    assert_eq!(list(&ground.places.home, None, 9).unwrap()[0].session, session.id());
    assert!(!draft.exists());
}

#[test]
fn damage_in_the_middle_is_skipped_counted_and_makes_the_session_plan() {
    let ground = Ground::new();
    let mut session = ground.session();
    session.append_message(human("one")).unwrap();
    enter(&mut session);
    session.append_message(human("two")).unwrap();
    let id = session.id();
    drop(session);
    let path = ground.transcript(id);
    let damaged = std::fs::read_to_string(&path).unwrap().replace("\"to\":\"plan\"", "\"to\":\"pl\u{0}n\"");
    std::fs::write(&path, damaged).unwrap();

    let folded = read(&ground, id);
    assert_eq!((folded.report.broken, folded.report.broken_lines.as_slice()), (1, [4].as_slice()));
    assert_eq!(folded.conversation, [human("one"), human("two")]);
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(resumed.planning_because_of_damage);
    assert_eq!(session.state().mode().name(), "plan");
    assert_eq!(resumed.report.to_string(), "1 damaged line was skipped (line 4)");
}

#[test]
fn a_complete_last_line_that_was_damaged_is_put_aside_and_makes_the_session_plan() {
    let ground = Ground::new();
    let mut session = ground.session();
    enter(&mut session);
    let id = session.id();
    drop(session);
    let path = ground.transcript(id);
    let damaged = std::fs::read_to_string(&path).unwrap().replace("\"to\":\"plan\"", "\"to\":\"pl{n\"");
    std::fs::write(&path, damaged).unwrap();
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert!(resumed.report.torn.is_some_and(|torn| torn.damaged));
    assert_eq!(session.state().mode().name(), "plan");
}

#[test]
fn one_damaged_byte_in_the_line_that_began_planning_never_ends_planning() {
    let ground = Ground::new();
    let mut session = ground.session();
    enter(&mut session);
    let id = session.id();
    drop(session);
    let path = ground.transcript(id);
    let whole = std::fs::read(&path).unwrap();
    for at in last_line(&whole)..whole.len() {
        for byte in [whole[at] ^ 1, 0, b'"', b'\n', b'7'] {
            let mut damaged = whole.clone();
            damaged[at] = byte;
            std::fs::write(&path, &damaged).unwrap();
            // Lost entries make the resumed session plan, and a newer version is not resumed at all.
            let folded = read(&ground, id);
            let is_safe = folded.state.pre_plan_mode().is_some()
                || folded.report.has_lost_entries()
                || folded.report.newer_version.is_some();
            assert!(is_safe, "byte {at} as {byte}: {:?}", folded.report);
        }
    }
}

#[test]
fn a_cut_that_was_damaged_leaves_the_conversation_before_it() {
    let ground = Ground::new();
    let mut session = ground.session();
    session.append_message(human("one")).unwrap();
    session.cut_context(Cut::Cleared).unwrap();
    session.append_message(human("two")).unwrap();
    let id = session.id();
    drop(session);
    assert_eq!(read(&ground, id).conversation, [human("two")]);
    let path = ground.transcript(id);
    let damaged = std::fs::read_to_string(&path).unwrap().replace("\"body\":\"cleared\"", "\"body\":\"cleaned\"");
    std::fs::write(&path, damaged).unwrap();
    let folded = read(&ground, id);
    assert_eq!((folded.conversation, folded.report.broken), (vec![human("one"), human("two")], 1));
}

#[test]
fn a_newer_program_s_transcript_is_read_but_not_continued() {
    let ground = Ground::new();
    let id = lived(&ground, |_| {});
    let before = read(&ground, id);
    let path = ground.transcript(id);
    let line = Entry::now(EntryBody::Note(SessionNote { topic: "t".into(), text: "t".into() }));
    let mut bytes = Vec::new();
    line.write_line(&mut bytes).unwrap();
    let newer =
        String::from_utf8(bytes).unwrap().replacen("\"v\":1", "\"v\":4", 1).replace("\"text\":\"t\"", "\"t\":[7]");
    append(&path, newer.as_bytes());

    let folded = read(&ground, id);
    assert_eq!(folded.report.newer_version, Some(4));
    assert_eq!((folded.report.unknown, folded.state, folded.conversation), (1, before.state, before.conversation));
    let whole = std::fs::read(&path).unwrap();
    match resume(&ground.places, id) {
        Err(StoreError::NewerVersion { found: 4, known: VERSION, .. }) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn entries_of_an_unknown_kind_are_kept_and_counted() {
    let ground = Ground::new();
    let id = lived(&ground, |_| {});
    let before = read(&ground, id);
    let unknown =
        format!("{{\"v\":1,\"id\":\"{}\",\"at\":1,\"kind\":\"hologram\",\"body\":{{}}}}\n", SessionId::fresh());
    append(&ground.transcript(id), unknown.as_bytes());
    let (session, resumed) = resume(&ground.places, id).unwrap();
    assert_eq!(resumed.report.unknown, 1);
    assert!(!resumed.planning_because_of_damage);
    assert_eq!(**session.state(), before.state);
    assert!(std::fs::read_to_string(ground.transcript(id)).unwrap().contains("hologram"));
}

#[test]
fn fields_in_another_order_mean_the_same() {
    let ground = Ground::new();
    let id = ground.session().id();
    let (message, entry) = (r#"{"content":"hi","speaker":"human"}"#, SessionId::fresh());
    let line =
        format!("{{\"body\":{message},\"kind\":\"message\",\"later\":[1],\"at\":1,\"id\":\"{entry}\",\"v\":1}}\n");
    append(&ground.transcript(id), line.as_bytes());
    let content = RawValue::from_string("\"hi\"".into()).unwrap();
    assert_eq!(read(&ground, id).conversation, [StoredMessage::new(Speaker::Human, content)]);
}

#[test]
fn an_entry_that_is_too_large_is_refused_and_nothing_is_written() {
    let ground = Ground::new();
    let mut session = ground.session();
    let before = std::fs::read(session.path()).unwrap();
    let error = session.append_message(human(&"x".repeat(MAX_ENTRY_BYTES))).unwrap_err();
    assert!(matches!(error, StoreError::EntryTooLarge { .. }), "{error}");
    assert_eq!(std::fs::read(session.path()).unwrap(), before);
    session.append_message(human("short")).unwrap();
    assert_eq!(session.conversation(), [human("short")]);
}

#[test]
fn a_line_longer_than_any_entry_is_skipped_as_damage() {
    let ground = Ground::new();
    let mut session = ground.session();
    let id = session.id();
    append(session.path(), &vec![b'x'; MAX_ENTRY_BYTES * 2 + 7]);
    append(session.path(), b"\n");
    session.append_message(human("after")).unwrap();
    drop(session);
    let folded = read(&ground, id);
    assert_eq!((folded.report.broken, folded.conversation), (1, vec![human("after")]));
}

#[test]
fn content_is_kept_byte_for_byte_and_never_breaks_the_line() {
    let ground = Ground::new();
    let mut session = ground.session();
    let id = session.id();
    let raw = r#"[ {"type":"text", "text":"a\nb", "n":1.0000000000000000001, "z":1, "a":2} ]"#;
    let content = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    session.append_message(StoredMessage::new(Speaker::Model, content(raw))).unwrap();
    session.append_message(StoredMessage::new(Speaker::Model, content("[\n1,\r\n2]"))).unwrap();
    drop(session);
    let kept: Vec<String> = read(&ground, id).conversation.iter().map(|message| message.content.get().into()).collect();
    assert_eq!(kept, [raw, "[ 1,  2]"]);
}

#[test]
fn a_message_that_asks_for_approval_marks_itself() {
    let blocks = |name: &str| {
        let value = serde_json::json!([{"type": "tool_use", "name": name, "input": {"plan": "# Plan"}}]);
        serde_json::value::to_raw_value(&value).unwrap()
    };
    assert_eq!(StoredMessage::new(Speaker::Model, blocks("ExitPlanMode")).plan, Some(PlanMark::ExitInput));
    assert_eq!(StoredMessage::new(Speaker::Model, blocks("Read")).plan, None);
    assert_eq!(StoredMessage::new(Speaker::Tool, blocks("ExitPlanMode")).plan, None, "only the model asks");
}

#[test]
fn a_change_that_does_not_fit_is_neither_saved_nor_true() {
    let ground = Ground::new();
    let mut session = ground.planning();
    let before = (std::fs::read(session.path()).unwrap(), session.state().clone());
    let forged = Change::Mode {
        from: fore_plan::Mode::Plan,
        to: fore_plan::Mode::At(fore_plan::Level::Default),
        level: fore_plan::Level::Default,
        keeps_grant: false,
        by: Actor::Model,
        why: fore_plan::ModeReason::Other("because".into()),
    };
    assert!(matches!(session.record(forged).unwrap(), fore_plan::Applied::Ignored(_)));
    assert_eq!((std::fs::read(session.path()).unwrap(), session.state().clone()), before);
}

#[test]
fn files_are_private() {
    let ground = Ground::new();
    let id = lived(&ground, leave);
    let mut looked_at = 0;
    let mut folders = vec![ground.home_path()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let is_folder = entry.file_type().unwrap().is_dir();
            // What was approved is written once.
            let is_revision = entry.path().parent().is_some_and(|folder| folder.ends_with("revisions"));
            let expected = match (is_folder, is_revision) {
                (true, _) => 0o700,
                (false, true) => 0o400,
                (false, false) => 0o600,
            };
            assert_eq!(mode, expected, "{:?}", entry.path());
            looked_at += 1;
            if is_folder {
                folders.push(entry.path());
            }
        }
    }
    assert!(looked_at >= 9, "{looked_at}");
    std::fs::set_permissions(ground.transcript(id), std::fs::Permissions::from_mode(0o644)).unwrap();
    drop(resume(&ground.places, id).unwrap());
    assert_eq!(std::fs::metadata(ground.transcript(id)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_transcript_that_is_a_link_is_refused() {
    let ground = Ground::new();
    let id = ground.session().id();
    let path = ground.transcript(id);
    let other = ground.path().join("other");
    std::fs::rename(&path, &other).unwrap();
    std::os::unix::fs::symlink(&other, &path).unwrap();
    assert!(resume(&ground.places, id).unwrap_err().to_string().contains("is a symbolic link"));
    std::fs::remove_file(&path).unwrap();
    std::fs::hard_link(&other, &path).unwrap();
    assert!(resume(&ground.places, id).unwrap_err().to_string().contains("is a hard link"));
}

#[test]
fn a_transcript_deleted_under_a_live_session_is_noticed() {
    let ground = Ground::new();
    let mut session = ground.session();
    std::fs::remove_file(session.path()).unwrap();
    let error =
        transition(session.state(), ModeTarget::Plan, Actor::Person, fore_plan::ModeReason::Chosen).unwrap().unwrap();
    let error = session.record(error).unwrap_err();
    assert!(error.to_string().contains("no longer there"), "{error}");
    assert_eq!(session.state().mode().name(), "acceptEdits", "what was not saved is not true");
}

#[test]
fn sessions_are_listed_newest_first_by_workspace() {
    let ground = Ground::new();
    let mut first = ground.session();
    let second = ground.session();
    let other_folder = format!("{} ", ground.project.display());
    std::fs::create_dir(&other_folder).unwrap();
    let third = Session::create(&ground.places, Path::new(&other_folder), super::support::start(false)).unwrap();
    set_age(second.path(), 1000);
    set_age(third.path(), 2000);
    first.append_message(human("later")).unwrap();
    let ids = |folder: Option<&str>, most| -> Vec<SessionId> {
        let listed = list(&ground.places.home, folder, most).unwrap();
        listed.into_iter().map(|summary| summary.session).collect()
    };
    let project = ground.project.to_str().unwrap();
    assert_eq!(ids(None, 9), [first.id(), second.id(), third.id()]);
    assert_eq!(ids(None, 1), [first.id()]);
    assert_eq!(ids(Some(project), 9), [first.id(), second.id()], "a name that ends in a space is another folder");
    assert_eq!(ids(Some(&other_folder), 1), [third.id()]);
}

fn set_age(path: &Path, seconds: u64) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(seconds);
    std::fs::File::open(path).unwrap().set_modified(then).unwrap();
}

fn append(path: &Path, bytes: &[u8]) {
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}
