//! Says what taking turns back would change, and does exactly that: files that somebody else has changed since are left unless the person
//! wants them too, and whatever goes is kept first, so that it can be brought back.

use super::{
    memory::{now_ms, then},
    turn_changes::{ContentPlace, FileThen, NotKept, TouchedFile, TurnChanges},
};
use crate::tools::changed_lines;
use fore_plan::{
    Refusal, ToolName,
    gate::{Action, FileTarget, Presented},
};
use fore_sandbox::{
    Opener,
    edit::{EditError, FileMark, MarkedKind, PutBack, put_back},
};
use fore_store::UndoFolder;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    path::Path,
};

const MAX_BYTES: u64 = 64 << 20;
/// Files whose lines are counted, and how long they may be.
const MAX_COUNTED: usize = 200;
const MAX_COUNTED_BYTES: usize = 512 << 10;
/// Objects of the repository that are read at once.
const MAX_OBJECTS: usize = 200;

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum UndoDirection {
    /// Changes of the agent are taken back.
    Undo,
    /// What was taken back is brought back.
    Redo,
}

/// What would change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoPlan {
    /// Which way.
    pub direction: UndoDirection,
    /// What the person had asked for in the turns, the newest first.
    pub prompts: Vec<String>,
    /// The files that are not as they would be.
    pub files: Vec<UndoFile>,
    /// What is not remembered, in words.
    pub gaps: Vec<String>,
    #[serde(skip)]
    turns: Vec<String>,
}

/// One file of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoFile {
    /// Where it is.
    pub path: String,
    /// What would happen to it, in words: `comes back as it was`, `is removed`.
    pub what: String,
    /// Lines that come.
    pub added: u32,
    /// Lines that go.
    pub removed: u32,
    /// Whether it can be done.
    pub state: UndoFileState,
    #[serde(skip)]
    now: FileThen,
    #[serde(skip)]
    to: FileThen,
}

impl UndoFile {
    pub(super) fn is_folder(&self) -> bool {
        [&self.now, &self.to].into_iter().any(|then| then.kind() == Some(MarkedKind::Folder))
    }
}

/// Whether a file can be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "state", content = "why")]
pub enum UndoFileState {
    /// It is as the agent left it.
    Ready,
    /// Somebody else has changed it since, so it is left unless the person wants it.
    ChangedSince,
    /// It cannot be put back, for this reason.
    NotKept(&'static str),
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct UndoDone {
    /// The files that are put back.
    pub done: Vec<String>,
    /// Those that were left, and why.
    pub left: Vec<(String, String)>,
    /// How many of the first are folders.
    #[serde(skip)]
    pub(super) folders: usize,
}

/// Contents of objects of the repository, by their names.
type Objects = HashMap<String, Vec<u8>>;

/// Whoever takes changes back, with what that needs.
pub struct Undoer<'a> {
    /// What is kept of the project.
    pub folder: &'a UndoFolder,
    /// The project, as a real path.
    pub project: &'a Path,
    /// Opens what is there now.
    pub opener: Opener,
    /// Only turns of this session; of every one where there is none.
    pub session: Option<&'a str>,
    /// Reads objects of the repository.
    pub objects: &'a dyn Fn(&[String]) -> Objects,
    /// Asks the gate for leave to put one file back.
    pub permit: &'a dyn Fn(Action) -> Result<Presented, Refusal>,
}

impl std::fmt::Debug for Undoer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Undoer").field("project", &self.project).finish_non_exhaustive()
    }
}

impl Undoer<'_> {
    /// Puts down what a program left that ended while a command ran; first of all.
    pub fn settle(&self) {
        super::recover::recover(self.folder, self.project, &self.opener, self.session.unwrap_or_default());
    }

    /// What the person had asked for in the turns that can be undone, the newest first.
    pub fn prompts(&self, direction: UndoDirection) -> Vec<(u64, String)> {
        self.turns(direction).into_iter().map(|(_, turn)| (turn.at_ms, turn.prompt)).collect()
    }

    /// What taking the newest turns back would change; turns of which nothing is left are passed over. The error says why there is
    /// nothing.
    pub fn plan(&self, direction: UndoDirection, count: usize) -> Result<UndoPlan, String> {
        let turns = self.turns(direction);
        let plans = (0..turns.len()).map(|newest| {
            let end = newest.saturating_add(count.max(1)).min(turns.len());
            self.plan_of(direction, turns.get(newest..end).unwrap_or_default())
        });
        let mut first = None;
        for plan in plans {
            if plan.counts() != (0, 0) {
                return Ok(plan);
            }
            first = first.or(Some(plan));
        }
        let nothing = match direction {
            UndoDirection::Undo => "There is nothing to undo: no turn that is remembered has changed a file.",
            UndoDirection::Redo => "There is nothing to redo: nothing was undone.",
        };
        first.ok_or_else(|| nothing.to_owned())
    }

    fn plan_of(&self, direction: UndoDirection, turns: &[(String, TurnChanges)]) -> UndoPlan {
        let mut merged: BTreeMap<String, TouchedFile> = BTreeMap::new();
        // From the newest to the oldest: what was before comes from the oldest, what was after from the newest.
        for (path, change) in turns.iter().flat_map(|(_, turn)| &turn.files) {
            match merged.get_mut(path) {
                None => {
                    merged.insert(path.clone(), change.clone());
                }
                Some(known) => {
                    let objects = self.objects_of([&change.after, &known.before]);
                    let follows = self.is_same(&change.after, &known.before, &objects);
                    known.is_mixed |= change.is_mixed || !follows;
                    known.before = change.before.clone();
                }
            }
        }
        let mut files: Vec<UndoFile> =
            merged.into_iter().filter_map(|(path, change)| self.file(path, change)).collect();
        self.count_lines(&mut files);
        UndoPlan {
            direction,
            prompts: turns.iter().map(|(_, turn)| turn.prompt.clone()).collect(),
            files,
            gaps: turns.iter().flat_map(|(_, turn)| turn.gaps.clone()).collect(),
            turns: turns.iter().map(|(id, _)| id.clone()).collect(),
        }
    }

    /// Does what was shown. What is no longer as it was then is left.
    pub fn apply(&self, plan: &UndoPlan, also_changed: bool) -> UndoDone {
        let mut done = UndoDone::default();
        let mut files: Vec<&UndoFile> = Vec::new();
        for file in &plan.files {
            match file.state {
                UndoFileState::Ready => files.push(file),
                UndoFileState::ChangedSince if also_changed => files.push(file),
                UndoFileState::ChangedSince => {
                    done.left.push((file.path.clone(), "was changed since, so it was left as it is".into()));
                }
                UndoFileState::NotKept(why) => done.left.push((file.path.clone(), why.into())),
            }
        }
        let mut record = TurnChanges::new(
            self.session.unwrap_or_default().to_owned(),
            now_ms(),
            plan.prompts.first().cloned().unwrap_or_default(),
        );
        record.undoes = plan.turns.clone();
        for file in &files {
            let change = TouchedFile { before: file.now.clone(), after: file.now.clone(), is_mixed: true };
            record.files.insert(file.path.clone(), change);
        }
        let id = UndoFolder::new_turn();
        if plan.direction == UndoDirection::Undo
            && let Err(why) = record.write(self.folder, &id)
        {
            // Without it nothing could be brought back.
            done.left = plan.files.iter().map(|file| (file.path.clone(), why.clone())).collect();
            return done;
        }
        files.sort_by_key(|file| order(file));
        for part in files.chunks(MAX_OBJECTS) {
            let objects = self.objects_of(part.iter().map(|file| &file.to));
            for file in part {
                match self.put(file, &objects) {
                    Ok(()) => done.done.push(file.path.clone()),
                    Err(why) => done.left.push((file.path.clone(), why)),
                }
            }
        }
        self.set_folder_rights(&files);
        done.done.retain(|path| {
            let file = files.iter().find(|file| file.path == *path);
            // A folder with something in it that is not the agent's stays, and that is no failure.
            file.is_some_and(|file| !(matches!(file.to, FileThen::Missing) && Path::new(path).is_dir()))
        });
        let is_done = |file: &&&UndoFile| file.is_folder() && done.done.contains(&file.path);
        done.folders = files.iter().filter(is_done).count();
        self.write_down(plan, (&id, record), &done);
        done
    }

    /// What was done becomes true of the turns.
    fn write_down(&self, plan: &UndoPlan, (id, mut record): (&str, TurnChanges), done: &UndoDone) {
        record.files.retain(|path, _| done.done.contains(path));
        if record.files.is_empty() {
            let _ = self.folder.remove_turn(id);
            return;
        }
        for (path, change) in &mut record.files {
            change.after = then(self.folder, &self.opener, Path::new(path), MAX_BYTES);
            change.is_mixed = false;
        }
        let all = self.folder.turns().unwrap_or_default();
        let mut turns: HashMap<String, TurnChanges> =
            all.into_iter().filter_map(|kept| Some((kept.id, TurnChanges::read(&kept.bytes)?))).collect();
        let mut mark = |id: &String, is_undone: bool, files: &BTreeMap<String, TouchedFile>| {
            let Some(turn) = turns.get_mut(id) else { return };
            turn.is_undone = is_undone;
            for (path, now) in files {
                if let Some(change) = turn.files.get_mut(path) {
                    (change.after, change.is_mixed) = (now.after.clone(), false);
                }
            }
            let _ = turn.write(self.folder, id);
        };
        match plan.direction {
            UndoDirection::Undo => {
                plan.turns.iter().for_each(|id| mark(id, true, &BTreeMap::new()));
                let _ = record.write(self.folder, id);
            }
            UndoDirection::Redo => {
                let undone: Vec<String> = self.undone_by(&plan.turns);
                plan.turns.iter().for_each(|id| mark(id, true, &BTreeMap::new()));
                // Only the newest of several turns was left with what is there now.
                for (number, id) in undone.iter().enumerate() {
                    let files = if number == 0 { record.files.clone() } else { BTreeMap::new() };
                    mark(id, false, &files);
                }
            }
        }
    }

    fn undone_by(&self, undos: &[String]) -> Vec<String> {
        let turns = self.turns(UndoDirection::Redo);
        turns.into_iter().filter(|(id, _)| undos.contains(id)).flat_map(|(_, turn)| turn.undoes).collect()
    }

    fn turns(&self, direction: UndoDirection) -> Vec<(String, TurnChanges)> {
        let kept = self.folder.turns().unwrap_or_default();
        let turns = kept.into_iter().rev().filter_map(|kept| Some((kept.id, TurnChanges::read(&kept.bytes)?)));
        let is_meant = |turn: &TurnChanges| {
            let is_of = self.session.is_none_or(|session| turn.session == session);
            is_of && !turn.is_undone && turn.undoes.is_empty() == (direction == UndoDirection::Undo)
        };
        turns.filter(|(_, turn)| is_meant(turn)).collect()
    }

    /// None where the file is as it would be.
    fn file(&self, path: String, change: TouchedFile) -> Option<UndoFile> {
        let now = then(self.folder, &self.opener, Path::new(&path), MAX_BYTES);
        let TouchedFile { before, after, is_mixed } = change;
        if now.is_same_as(&before) {
            return None;
        }
        let is_as_left = now.is_same_as(&after) || {
            let objects = self.objects_of([&before, &after, &now]);
            if self.is_same(&now, &before, &objects) {
                return None;
            }
            self.is_same(&now, &after, &objects)
        };
        let lost = |then: &FileThen| match then {
            FileThen::File { content: ContentPlace::Lost(why), .. } => Some(why.words()),
            FileThen::Special { .. } => Some("is not an ordinary file"),
            FileThen::Missing | FileThen::File { .. } | FileThen::Link { .. } | FileThen::Folder { .. } => None,
        };
        let state = match lost(&before).or_else(|| lost(&now)) {
            Some(why) => UndoFileState::NotKept(why),
            None if is_as_left && !is_mixed => UndoFileState::Ready,
            None => UndoFileState::ChangedSince,
        };
        let what = what(&now, &before).to_owned();
        Some(UndoFile { path, what, added: 0, removed: 0, state, now, to: before })
    }

    fn count_lines(&self, files: &mut [UndoFile]) {
        let count = files.len().min(MAX_COUNTED);
        let Some(files) = files.get_mut(..count) else { return };
        let objects = self.objects_of(files.iter().flat_map(|file| [&file.now, &file.to]));
        for file in files {
            let text = |then: &FileThen| match then {
                FileThen::File { .. } => {
                    self.content(then, &objects).filter(|bytes| bytes.len() <= MAX_COUNTED_BYTES && !bytes.contains(&0))
                }
                FileThen::Missing | FileThen::Link { .. } | FileThen::Folder { .. } | FileThen::Special { .. } => None,
            };
            let (now, to) = (text(&file.now), text(&file.to));
            if now.is_some() || to.is_some() {
                (file.added, file.removed) = changed_lines(now.as_deref(), &to.unwrap_or_default());
            }
        }
    }

    fn objects_of<'t>(&self, states: impl IntoIterator<Item = &'t FileThen>) -> Objects {
        let names: Vec<String> = states
            .into_iter()
            .filter_map(|then| match then {
                FileThen::File { content: ContentPlace::Git(name), .. } => Some(name.clone()),
                FileThen::File { .. }
                | FileThen::Missing
                | FileThen::Link { .. }
                | FileThen::Folder { .. }
                | FileThen::Special { .. } => None,
            })
            .collect();
        if names.is_empty() { Objects::new() } else { (self.objects)(&names) }
    }

    fn content(&self, then: &FileThen, objects: &Objects) -> Option<Vec<u8>> {
        let FileThen::File { mark, content } = then else { return None };
        let bytes = match content {
            ContentPlace::Kept(name) => self.folder.read(name, MAX_BYTES).ok().flatten(),
            // Where git keeps another form than the file had, this is not what it held.
            ContentPlace::Git(name) => objects.get(name).cloned(),
            ContentPlace::Lost(
                NotKept::Secret | NotKept::Denied | NotKept::TooLarge | NotKept::TooMuch | NotKept::Unreadable,
            ) => None,
        };
        bytes.filter(|bytes| bytes.len() as u64 == mark.size)
    }

    fn is_same(&self, one: &FileThen, other: &FileThen, objects: &Objects) -> bool {
        if one.is_same_as(other) {
            return true;
        }
        match (one, other) {
            (FileThen::File { mark, .. }, FileThen::File { mark: other_mark, .. }) => {
                let (first, second) = (self.content(one, objects), self.content(other, objects));
                mark.rights() == other_mark.rights() && first.is_some() && first == second
            }
            (FileThen::Link { target, .. }, FileThen::Link { target: other, .. }) => target == other,
            _ => false,
        }
    }

    fn put(&self, file: &UndoFile, objects: &Objects) -> Result<(), String> {
        let now = FileMark::at(Path::new(&file.path));
        let content;
        let to = match &file.to {
            FileThen::Missing => PutBack::Nothing,
            FileThen::File { mark, .. } => {
                content = self.content(&file.to, objects).ok_or("what it held is no longer there")?;
                PutBack::File { bytes: &content, mode: mark.rights() }
            }
            FileThen::Link { target, .. } => PutBack::Link(target),
            FileThen::Folder { mark } => PutBack::Folder(mark.rights() | 0o700),
            FileThen::Special { .. } => return Err("is not an ordinary file".into()),
        };
        let target = FileTarget {
            asked: file.path.clone(),
            real: file.path.clone(),
            is_link: file.now.kind() == Some(MarkedKind::Link),
            names: u64::from(now.is_some()),
        };
        let action = match to {
            PutBack::Nothing => Action::Delete { target },
            PutBack::File { .. } | PutBack::Link(_) | PutBack::Folder(_) => {
                Action::Edit { tool: ToolName::Write, target }
            }
        };
        let permit = (self.permit)(action).map_err(|refusal| refusal.for_person().0)?;
        match put_back(permit, file.now.mark(), to) {
            Ok(()) => Ok(()),
            // A folder that somebody else has put something into stays.
            Err(EditError::Io { source, .. }) if source.raw_os_error() == Some(DIRECTORY_NOT_EMPTY) => Ok(()),
            Err(EditError::Changed(_)) => Err("has just been changed, so it was left as it is".into()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Folders get their own rights when everything is in them.
    fn set_folder_rights(&self, files: &[&UndoFile]) {
        for file in files.iter().rev() {
            let FileThen::Folder { mark } = &file.to else { continue };
            let Some(now) = FileMark::at(Path::new(&file.path)).filter(|now| now.rights() != mark.rights()) else {
                continue;
            };
            let target = FileTarget { asked: file.path.clone(), real: file.path.clone(), is_link: false, names: 1 };
            if let Ok(permit) = (self.permit)(Action::Edit { tool: ToolName::Write, target }) {
                let _ = put_back(permit, Some(&now), PutBack::Folder(mark.rights()));
            }
        }
    }
}

const DIRECTORY_NOT_EMPTY: i32 = 39;

/// What goes, the innermost first; then folders, the outermost first; then what is in them.
fn order(file: &UndoFile) -> (u8, Reverse<usize>, usize) {
    let depth = file.path.matches('/').count();
    match (&file.to, file.now.kind()) {
        (FileThen::Missing, Some(MarkedKind::Folder)) => (1, Reverse(depth), 0),
        (FileThen::Missing, _) => (0, Reverse(depth), 0),
        (FileThen::Folder { .. }, _) => (2, Reverse(0), depth),
        (FileThen::File { .. } | FileThen::Link { .. } | FileThen::Special { .. }, _) => (3, Reverse(0), depth),
    }
}

fn what(now: &FileThen, to: &FileThen) -> &'static str {
    match (now, to) {
        (FileThen::Missing, _) => "is there again",
        (FileThen::Folder { .. }, FileThen::Missing) => "is removed, if it is empty",
        (_, FileThen::Missing) => "is removed",
        (FileThen::Folder { .. }, FileThen::Folder { .. }) => "gets its permissions back",
        _ => "is as it was before",
    }
}
