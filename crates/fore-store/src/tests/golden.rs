//! Transcripts of released programs, kept as they were written: each one opens for ever, and means what it meant then.
//!
//! A file in `golden/` is never changed. A change of the format adds files; see `docs/transcripts.md`.

use super::support::{Ground, human};
use fore_plan::plan::Hash;
use fore_store::{
    Session, SessionId,
    entry::{StoredMessage, VERSION},
    fold::{FoldUntil, FoldedTranscript, PlanTraces, fold},
    session::resume,
};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Where the files say that the program keeps its own things.
const RECORDED_HOME: &str = "/home/ada/.forethought";
/// Letters of one message on a page; its hash stands for the rest.
const MAX_SHOWN_CHARS: usize = 160;

/// Each file with its name, in order.
fn golden() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_transcript = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "jsonl");
    let mut files: Vec<(String, PathBuf)> = paths
        .filter(is_transcript)
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

/// Puts a golden transcript where a program looks for its sessions.
fn laid_out(ground: &Ground, path: &Path) -> SessionId {
    let home = ground.home_path().canonicalize().unwrap();
    let text = std::fs::read_to_string(path).unwrap().replace(RECORDED_HOME, &home.display().to_string());
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let id: SessionId = header["body"]["session"].as_str().unwrap().parse().unwrap();
    std::fs::write(ground.transcript(id), text).unwrap();
    id
}

fn message(page: &mut String, message: &StoredMessage) {
    let StoredMessage { speaker, meta, plan, model, content, shown: _ } = message;
    let shown: String = content.get().chars().take(MAX_SHOWN_CHARS).collect();
    let hash = Hash::of(content.get().as_bytes()).to_string();
    let meta = if *meta { " meta" } else { "" };
    writeln!(page, "  {speaker:?}{meta} plan {plan:?} model {model:?} {} bytes {hash}", content.get().len()).unwrap();
    writeln!(page, "    {shown}").unwrap();
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

/// Everything that a transcript means, for eyes.
fn page(folded: &FoldedTranscript) -> String {
    let FoldedTranscript { header, state, cut, conversation, marks: _, todos, traces, last, report } = folded;
    let mut page = String::new();
    writeln!(page, "header: {}", serde_json::to_string(header).unwrap()).unwrap();
    writeln!(page, "mode: {}", state.mode()).unwrap();
    writeln!(page, "state: {}", serde_json::to_string_pretty(state).unwrap()).unwrap();
    writeln!(page, "cut: {cut:?}").unwrap();
    writeln!(page, "conversation:").unwrap();
    conversation.iter().for_each(|said| message(&mut page, said));
    writeln!(page, "todos: {todos:?}").unwrap();
    let PlanTraces { snapshot, exit_input, first_message, reference, rehearsals, work } = traces;
    writeln!(page, "plan, as written: {snapshot:?}").unwrap();
    writeln!(page, "plan, as handed in: {exit_input:?}").unwrap();
    writeln!(page, "plan, in a first message: {first_message:?}").unwrap();
    writeln!(page, "plan, in a reminder: {reference:?}").unwrap();
    rehearsals.iter().for_each(|one| writeln!(page, "rehearsed: {}", json(one)).unwrap());
    work.iter().for_each(|one| writeln!(page, "work: {}", json(one)).unwrap());
    writeln!(page, "last: {}", last.unwrap()).unwrap();
    writeln!(page, "report: {report:?}").unwrap();
    page
}

#[test]
fn k1_an_old_transcript_means_what_it_meant() {
    insta::with_settings!({ snapshot_path => "../../tests/golden", prepend_module_to_snapshot => false, omit_expression => true }, {
        for (name, path) in golden() {
            let file = std::fs::File::open(&path).unwrap();
            let folded = fold(&file, &path, FoldUntil::End).unwrap();
            assert!(folded.report.is_clean(), "{name}: {:?}", folded.report);
            insta::assert_snapshot!(name, page(&folded));
        }
    });
}

#[test]
fn every_version_so_far_has_a_transcript() {
    let texts: Vec<String> = golden().iter().map(|(_, path)| std::fs::read_to_string(path).unwrap()).collect();
    for version in 1..=VERSION {
        let entry = format!("{{\"v\":{version},");
        assert!(
            texts.iter().any(|text| text.lines().any(|line| line.starts_with(&entry))),
            "none of version {version}"
        );
    }
}

#[test]
fn k1_an_old_session_goes_on_where_it_was() {
    for (name, path) in golden() {
        let ground = Ground::new();
        let id = laid_out(&ground, &path);
        let before = Session::read(&ground.places.home, id).unwrap();
        let (mut session, resumed) = resume(&ground.places, id).unwrap();
        assert!(resumed.report.is_clean() && !resumed.planning_because_of_damage, "{name}: {resumed:?}");
        assert_eq!(session.state().mode(), before.state.mode(), "{name}");
        assert_eq!(session.conversation(), before.conversation, "{name}");
        session.append_message(human("go on")).unwrap();
        drop(session);
        let after = Session::read(&ground.places.home, id).unwrap();
        assert_eq!(after.conversation.last(), Some(&human("go on")), "{name}");
        assert_eq!(after.conversation.len(), before.conversation.len() + 1, "{name}");
    }
}

/// One line, as another program may have written it.
fn foreign(session: SessionId, version: u32, kind: &str, body: &str) -> String {
    format!("{{\"v\":{version},\"id\":\"{session}\",\"at\":1,\"kind\":\"{kind}\",\"body\":{body}}}\n")
}

#[test]
fn what_a_newer_program_adds_does_as_the_format_promises() {
    let said = r#"{"speaker":"human","content":"hi","mood":"good"}"#;
    let turn = r#"{"change":"human-turn","mood":"good"}"#;
    let strange = r#"{"change":"teleported"}"#;
    // version, kind, body → entries understood, skipped, broken, newest version; whether the session may go on
    let page = [
        (1, "message", said, (1, 0, 0, None), true),
        (1, "change", turn, (1, 0, 0, None), true),
        (1, "hologram", r#"{"any":1}"#, (0, 1, 0, None), true),
        (1, "change", strange, (0, 0, 1, None), true),
        (VERSION + 1, "hologram", "{}", (0, 1, 0, Some(VERSION + 1)), false),
        (VERSION + 1, "message", r#"{"words":"hi"}"#, (0, 1, 0, Some(VERSION + 1)), false),
    ];
    for (version, kind, body, (understood, unknown, broken, newer), goes_on) in page {
        let ground = Ground::new();
        let session = ground.session();
        let id = session.id();
        drop(session);
        let path = ground.transcript(id);
        let begun = std::fs::read_to_string(&path).unwrap();
        let entries = Session::read(&ground.places.home, id).unwrap().report.entries;
        let note = foreign(SessionId::fresh(), 1, "note", r#"{"topic":"t","text":"the end"}"#);
        let line = foreign(SessionId::fresh(), version, kind, body);
        std::fs::write(&path, begun + &line + &note).unwrap();

        let report = Session::read(&ground.places.home, id).unwrap().report;
        let met = (report.entries - entries - 1, report.unknown, report.broken, report.newer_version);
        assert_eq!(met, (understood, unknown, broken, newer), "{line}");
        let resumed = resume(&ground.places, id);
        assert_eq!(resumed.is_ok(), goes_on, "{line}: {resumed:?}");
        if let Ok((session, resumed)) = resumed {
            assert_eq!(resumed.planning_because_of_damage, broken > 0, "{line}");
            drop(session);
        }
        assert!(std::fs::read_to_string(&path).unwrap().contains(&line), "what is not understood stays in the file");
    }
}
