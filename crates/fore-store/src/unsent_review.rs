//! What a person wrote about a plan and has not sent: one file for each session, until the plan is decided. It is never an
//! answer, and it says which bytes it is about.

use crate::{
    entry::SessionId,
    error::{Result, StoreError},
    folder::{Access, Folder, IfMissing},
    home::Home,
    replace::{self, Occupied},
};
use fore_plan::{
    approval::{Comment, GrantChanges},
    plan::Hash,
};
use serde::{Deserialize, Serialize};

const FOLDER: &str = "drafts";
/// A longer draft is refused in words.
pub(crate) const MAX_BYTES: usize = 4 << 20;
/// Sessions whose drafts are kept; those that were quiet for longest go first.
const MAX_DRAFTS: usize = 200;
/// Names looked at when old drafts are removed.
const MAX_NAMES: usize = 20_000;

/// Everything that was written about one text of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsentReview {
    /// The bytes that the person was shown.
    pub plan: Hash,
    /// Comments on single lines.
    pub remarks: Vec<UnsentComment>,
    /// Words for the whole plan.
    pub note: String,
    /// What those words were written for.
    pub meant: NotePurpose,
    /// The plan as the person changed it.
    pub edited: Option<String>,
    /// What they struck off the list of what it covers, and what they added to it.
    #[serde(default)]
    pub grants: GrantChanges,
}

/// A comment that was not sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsentComment {
    /// The lines and the words.
    pub comment: Comment,
    /// How far it was written.
    pub state: CommentState,
    /// Whether it still stands where it was written.
    pub anchor: Anchor,
}

/// How far a comment was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CommentState {
    /// To its end.
    Saved,
    /// It was left while it was written. It goes out as well, and says so before.
    Draft,
}

/// Whether the lines are still those that were commented on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// They are.
    Same,
    /// Somebody changed them since.
    LineChanged,
    /// It was written about another text than the one that is shown.
    OlderText,
}

/// What the words for the whole plan were written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NotePurpose {
    /// For any answer.
    #[default]
    Note,
    /// For "keep planning", which was not sent then.
    Reason,
    /// They were left while they were written.
    Draft,
}

impl UnsentReview {
    /// Whether there is nothing to keep.
    pub fn is_empty(&self) -> bool {
        self.remarks.is_empty()
            && self.note.trim().is_empty()
            && self.edited.is_none()
            && self.grants == GrantChanges::default()
    }
}

/// What is kept for a session.
pub fn read(home: &Home, session: SessionId) -> Result<Option<UnsentReview>> {
    let Some(folder) = existing(home)? else { return Ok(None) };
    let name = file_name(session);
    let file = match folder.file(&name, Access::Read) {
        Ok(file) => file,
        Err(error) if error.is_missing() => return Ok(None),
        Err(error) => return Err(error),
    };
    let path = folder.path_of(&name);
    let bytes = replace::read_bounded(file, MAX_BYTES).map_err(StoreError::io("read", &path))?;
    let draft = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    draft.map(Some).ok_or_else(|| StoreError::Refused(format!("`{}` is damaged", path.display())))
}

/// Puts a draft in the place of what was kept before; an empty one takes that away.
pub fn write(home: &Home, session: SessionId, draft: &UnsentReview) -> Result<()> {
    if draft.is_empty() {
        return remove(home, session);
    }
    let bytes = serde_json::to_vec(draft)?;
    if bytes.len() > MAX_BYTES {
        return Err(StoreError::Refused(format!("it has {} bytes, and the most is {MAX_BYTES}", bytes.len())));
    }
    let folder = home.root.child(FOLDER, IfMissing::Make)?;
    folder.make_private()?;
    let name = file_name(session);
    if folder.facts(&name)?.is_none() {
        replace::sweep(&folder);
        // A leftover that cannot be removed is no reason to lose a new draft.
        let _ = remove_old(&folder);
    }
    replace::write(&folder, &name, &bytes, Occupied::Replace)
}

/// The plan was decided: nothing is left to send.
pub fn remove(home: &Home, session: SessionId) -> Result<()> {
    let Some(folder) = existing(home)? else { return Ok(()) };
    match folder.remove(&file_name(session)) {
        Err(error) if !error.is_missing() => Err(error),
        _ => Ok(()),
    }
}

fn existing(home: &Home) -> Result<Option<Folder>> {
    match home.root.child(FOLDER, IfMissing::Fail) {
        Ok(folder) => Ok(Some(folder)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(error),
    }
}

fn file_name(session: SessionId) -> String {
    format!("{session}.json")
}

/// Makes room for one more.
fn remove_old(folder: &Folder) -> Result<()> {
    let mut all: Vec<(u64, String)> = Vec::new();
    for name in folder.names(MAX_NAMES)? {
        if let (true, Some(facts)) = (name.ends_with(".json"), folder.facts(&name)?) {
            all.push((facts.modified_ms, name));
        }
    }
    all.sort_unstable_by(|one, other| other.cmp(one));
    all.iter().skip(MAX_DRAFTS - 1).try_for_each(|(_, name)| folder.remove(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn home() -> (tempfile::TempDir, Home) {
        let temporary = tempfile::tempdir().unwrap();
        let home = Home::open(&temporary.path().join("home")).unwrap();
        (temporary, home)
    }

    fn draft() -> UnsentReview {
        let comment = Comment { first_line: 3, last_line: 4, quote: "1. Read\n2. Keep".into(), remark: "Why?".into() };
        UnsentReview {
            plan: Hash::of(b"# Plan\n"),
            remarks: vec![UnsentComment { comment, state: CommentState::Draft, anchor: Anchor::OlderText }],
            note: "Smaller steps".into(),
            meant: NotePurpose::Reason,
            edited: Some("# Mine\n".into()),
            grants: GrantChanges { struck_files: vec!["src/cart.rs".into()], ..GrantChanges::default() },
        }
    }

    #[test]
    fn a_draft_comes_back_as_it_was_written_each_session_its_own() {
        let (_temporary, home) = home();
        let (session, other) = (SessionId::fresh(), SessionId::fresh());
        assert_eq!(read(&home, session).unwrap(), None);
        remove(&home, session).unwrap();
        write(&home, session, &draft()).unwrap();
        assert_eq!(read(&home, session).unwrap(), Some(draft()));
        assert_eq!(read(&home, other).unwrap(), None);
        let path = home.path().join("drafts").join(file_name(session));
        for (path, mode) in [(path.as_path(), 0o600), (path.parent().unwrap(), 0o700)] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
        }
    }

    #[test]
    fn an_empty_draft_and_a_decision_take_the_file_away() {
        let (_temporary, home) = home();
        let session = SessionId::fresh();
        let empty = UnsentReview {
            remarks: Vec::new(),
            note: " \n".into(),
            edited: None,
            grants: GrantChanges::default(),
            ..draft()
        };
        let is_gone = || std::fs::read_dir(home.path().join("drafts")).unwrap().count() == 0;
        write(&home, session, &draft()).unwrap();
        write(&home, session, &empty).unwrap();
        assert!(is_gone());
        write(&home, session, &draft()).unwrap();
        remove(&home, session).unwrap();
        assert!(is_gone());
    }

    #[test]
    fn a_draft_of_an_older_program_has_no_grants() {
        let (_temporary, home) = home();
        let session = SessionId::fresh();
        write(&home, session, &draft()).unwrap();
        let path = home.path().join("drafts").join(file_name(session));
        let mut old: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        old.as_object_mut().unwrap().remove("grants").unwrap();
        std::fs::write(&path, old.to_string()).unwrap();
        let expected = UnsentReview { grants: GrantChanges::default(), ..draft() };
        assert_eq!(read(&home, session).unwrap(), Some(expected));
    }

    #[test]
    fn what_is_damaged_or_too_long_is_said_and_changes_nothing() {
        let (_temporary, home) = home();
        let session = SessionId::fresh();
        write(&home, session, &draft()).unwrap();
        let long = UnsentReview { edited: Some("x".repeat(MAX_BYTES)), ..draft() };
        let error = write(&home, session, &long).unwrap_err().to_string();
        assert!(error.ends_with("bytes, and the most is 4194304"), "{error}");
        assert_eq!(read(&home, session).unwrap(), Some(draft()));
        let path = home.path().join("drafts").join(file_name(session));
        for text in ["{", "[]", r#"{"plan": "x"}"#, ""] {
            std::fs::write(&path, text).unwrap();
            assert!(read(&home, session).unwrap_err().to_string().ends_with("is damaged"), "{text}");
        }
    }

    #[test]
    fn the_drafts_of_the_quietest_sessions_go_first() {
        let (_temporary, home) = home();
        write(&home, SessionId::fresh(), &draft()).unwrap();
        let old: Vec<SessionId> = (0..MAX_DRAFTS).map(|_| SessionId::fresh()).collect();
        let path = |session: &SessionId| home.path().join("drafts").join(file_name(*session));
        for (number, session) in old.iter().enumerate() {
            std::fs::write(path(session), "{}").unwrap();
            let age = std::time::Duration::from_secs(1_000_000 + number as u64);
            let file = std::fs::File::options().append(true).open(path(session)).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH + age).unwrap();
        }
        write(&home, SessionId::fresh(), &draft()).unwrap();
        assert_eq!(old.iter().filter(|session| !path(session).exists()).collect::<Vec<_>>(), [&old[0], &old[1]]);
    }

    #[test]
    fn a_linked_folder_is_refused() {
        let (temporary, home) = home();
        std::os::unix::fs::symlink(temporary.path(), home.path().join("drafts")).unwrap();
        let error = write(&home, SessionId::fresh(), &draft()).unwrap_err().to_string();
        assert!(error.contains("drafts` is a symbolic link"), "{error}");
    }
}
