//! What a screen shows of a session that an older program wrote. The files, and the promise, are those of the store.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use fore_agent::replay;
use fore_store::{Home, SessionId};
use std::path::{Path, PathBuf};

/// Events of one session that are looked at.
const MAX_EVENTS: usize = 1000;

#[test]
fn k1_an_old_session_is_shown_as_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fore-store/tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let session: SessionId = header["body"]["session"].as_str().unwrap().parse().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(&folder.path().join("home")).unwrap();
        std::fs::write(folder.path().join(format!("home/sessions/{session}.jsonl")), text).unwrap();
        let events = replay::events(&home, session, MAX_EVENTS).unwrap();
        let lines: Vec<String> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        let name = format!("golden_{}", path.file_stem().unwrap().display());
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(name, lines.join("\n")) });
    }
}
