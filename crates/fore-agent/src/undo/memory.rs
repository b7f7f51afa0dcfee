//! Remembers, for one session, what files were before the agent changes them: before each edit that file, and before each command
//! that may write whatever it could change and git does not have already.

use super::{
    git_index::GitIndex,
    look_bytes,
    tree_look::{TreeEntry, TreeLook, now_ns},
    turn_changes::{ContentPlace, FileThen, NotKept, TouchedFile, TurnChanges},
};
use crate::lock::lock;
use fore_sandbox::{
    Opener,
    edit::{FileMark, MarkedKind},
    open::{Links, NotOpened},
};
use fore_store::{HeldLook, Home, KeepOutcome, UndoFolder};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

/// A file that is copied because a command could change it; the disk may share larger ones.
const MAX_GUESSED_BYTES: u64 = 4 << 20;
/// One that is about to be changed, or was.
const MAX_KNOWN_BYTES: u64 = 64 << 20;
/// How long keeping files may hold up a command, and how long it goes on where nobody waits.
const MAX_WAIT: Duration = Duration::from_millis(400);
const MAX_BESIDE: Duration = Duration::from_secs(20);
/// Bytes that are copied in one go because a command could change them.
const MAX_BYTES: u64 = 256 << 20;
/// Files of one turn that are remembered.
const MAX_FILES: usize = 20_000;
const MAX_PROMPTS: usize = 200;
const MAX_PROMPT_CHARS: usize = 200;

/// What a session remembers. Whoever asks does so where blocking is allowed.
#[derive(Debug)]
pub(crate) struct UndoMemory {
    project: PathBuf,
    session: String,
    home: Arc<Home>,
    /// Opened, and made, when something is to be kept: a session that only plans leaves no trace of it.
    folder: OnceLock<Result<UndoFolder, String>>,
    state: Mutex<MemoryState>,
}

#[derive(Debug, Default)]
pub(super) struct MemoryState {
    /// Contents that are kept, by the path from the workspace.
    kept: HashMap<Box<str>, (FileMark, ContentPlace)>,
    index: Arc<GitIndex>,
    /// The prompts of this run, the newest last, each with when it came.
    prompts: Vec<(u64, String)>,
    turn: Option<OpenTurn>,
    /// What may go on meanwhile was begun.
    is_prepared: bool,
    running: Option<RunningLook>,
}

#[derive(Debug)]
struct OpenTurn {
    id: String,
    changes: TurnChanges,
}

/// The workspace as it was before the first of the commands that run now.
#[derive(Debug)]
struct RunningLook {
    look: TreeLook,
    runs: usize,
    held: Option<HeldLook>,
}

/// A command that runs and may change files; it is over when somebody says so.
#[derive(Debug)]
pub(crate) struct RememberedRun(());

/// A file that is about to be written by a tool.
#[derive(Debug)]
pub(crate) struct RememberedEdit {
    path: PathBuf,
    /// Folders on the way that are not there yet, the innermost last.
    new_folders: Vec<PathBuf>,
    before: FileThen,
}

impl UndoMemory {
    pub(crate) fn new(home: &Arc<Home>, project: &Path, session: String) -> UndoMemory {
        let home = Arc::clone(home);
        UndoMemory { project: project.to_owned(), session, home, folder: OnceLock::new(), state: Mutex::default() }
    }

    /// A turn begins with these words of the person.
    pub(crate) fn begin_turn(&self, prompt: &str) {
        let mut state = lock(&self.state);
        state.turn = None;
        let prompt = fore_text::cut::chars(&fore_text::cut::one_line(prompt), MAX_PROMPT_CHARS).to_owned();
        if state.prompts.len() >= MAX_PROMPTS {
            state.prompts.remove(0);
        }
        state.prompts.push((now_ms(), prompt));
    }

    /// The prompts of this run, the newest last, each with when it came.
    pub(crate) fn prompts(&self) -> Vec<(u64, String)> {
        lock(&self.state).prompts.clone()
    }

    /// The newest prompt was taken back.
    pub(crate) fn forget_prompt(&self) {
        lock(&self.state).prompts.pop();
    }

    /// Whether nothing was prepared yet; asked once.
    pub(crate) fn is_first(&self) -> bool {
        !std::mem::replace(&mut lock(&self.state).is_prepared, true)
    }

    /// Puts down what an earlier program left, keeps what commands could change, and drops what is too old.
    pub(crate) fn prepare(&self, opener: &Opener, stop: &dyn Fn() -> bool) {
        let Ok(folder) = self.folder() else { return };
        self.settle(opener);
        self.keep_beside(opener, stop);
        let contents = |bytes: &[u8]| TurnChanges::read(bytes).map(|turn| turn.contents()).unwrap_or_default();
        let _ = folder.sweep(contents);
    }

    /// Puts down what a program left that ended while a command ran.
    pub(crate) fn settle(&self, opener: &Opener) {
        if let Ok(folder) = self.folder() {
            super::recover::recover(folder, &self.project, opener, &self.session);
        }
    }

    /// Keeps what commands could change, where nobody waits for it.
    fn keep_beside(&self, opener: &Opener, stop: &dyn Fn() -> bool) {
        let Ok(folder) = self.folder() else { return };
        let mut look = TreeLook::take(&self.project, stop);
        self.keep_all(folder, opener, &mut look, MAX_BESIDE, stop);
    }

    /// A command begins that may change files. None if that is not remembered, which is noted in the turn.
    pub(crate) fn begin_run(&self, opener: &Opener) -> Option<RememberedRun> {
        let folder = self.folder().ok()?;
        if let Some(running) = &mut lock(&self.state).running {
            running.runs = running.runs.saturating_add(1);
            return Some(RememberedRun(()));
        }
        let mut look = TreeLook::take(&self.project, &|| false);
        if !look.is_whole {
            let gap = "a command ran, and the workspace is too large or cannot be read whole";
            self.with_turn(folder, |turn| turn.add_gap(gap.to_owned()));
            return None;
        }
        self.keep_all(folder, opener, &mut look, MAX_WAIT, &|| false);
        // A program that ends in the middle of it leaves this behind.
        let id = self.turn_id();
        let held = folder.hold_look(&id, &look_bytes::write(&look)).ok();
        let mut state = lock(&self.state);
        match &mut state.running {
            Some(running) => running.runs = running.runs.saturating_add(1),
            None => state.running = Some(RunningLook { look, runs: 1, held }),
        }
        Some(RememberedRun(()))
    }

    /// It has ended, or goes on in the background.
    pub(crate) fn end_run(&self, opener: &Opener, _: RememberedRun) {
        let Ok(folder) = self.folder() else { return };
        let mut now = TreeLook::take(&self.project, &|| false);
        let mut state = lock(&self.state);
        let Some(mut running) = state.running.take() else { return };
        let files = differences(&self.project, folder, opener, &running.look, &mut now, &mut state);
        let unseen = now.unseen.clone();
        running.runs = running.runs.saturating_sub(1);
        if running.runs > 0 {
            // What others change from now on is compared with this.
            let known = std::mem::take(&mut running.look.entries);
            let known: HashMap<Box<str>, TreeEntry> =
                known.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
            for entry in now.entries.iter_mut().filter(|entry| entry.content.is_none()) {
                let same = known.get(&entry.path).filter(|before| before.mark == entry.mark);
                entry.content = same.and_then(|before| before.content.clone());
            }
            running.look = now;
            state.running = Some(running);
        } else if let Some(held) = running.held {
            let _ = folder.drop_look(held);
        }
        drop(state);
        match files {
            None => self.with_turn(folder, |turn| {
                turn.add_gap("a command ran, and afterwards the workspace could not be read whole".to_owned());
            }),
            Some(files) if files.is_empty() => {}
            Some(files) => self.with_turn(folder, |turn| {
                add_all(turn, files);
                unseen.into_iter().for_each(|folder| {
                    turn.add_gap(format!("{folder}/ has too many files to be remembered"));
                });
            }),
        }
    }

    /// A tool is about to write this file.
    pub(crate) fn begin_edit(&self, opener: &Opener, path: &Path) -> Option<RememberedEdit> {
        let folder = self.folder().ok()?;
        let before = then(folder, opener, path, MAX_KNOWN_BYTES);
        let is_missing = |folder: &&Path| FileMark::at(folder).is_none();
        let mut new_folders: Vec<PathBuf> =
            path.ancestors().skip(1).take_while(is_missing).map(Path::to_owned).collect();
        new_folders.reverse();
        // Written before anything happens: whatever ends this program then, the file can be brought back.
        let after = before.clone();
        let change = TouchedFile { before: before.clone(), after, is_mixed: true };
        let name = path.to_str()?.to_owned();
        let is_new = {
            let state = lock(&self.state);
            state.turn.as_ref().is_none_or(|turn| !turn.changes.files.contains_key(&name))
        };
        if is_new {
            self.with_turn(folder, |turn| turn.add(name, change));
        }
        Some(RememberedEdit { path: path.to_owned(), new_folders, before })
    }

    /// It was written, or not.
    pub(crate) fn end_edit(&self, opener: &Opener, edit: RememberedEdit) {
        let Ok(folder) = self.folder() else { return };
        let after = then(folder, opener, &edit.path, MAX_KNOWN_BYTES);
        let Some(name) = edit.path.to_str().map(str::to_owned) else { return };
        self.with_turn(folder, |turn| {
            match turn.files.get_mut(&name) {
                // What was written down beforehand has become true.
                Some(known) if known.after == edit.before && known.before == edit.before => {
                    (known.after, known.is_mixed) = (after.clone(), false);
                }
                Some(_) | None => {
                    turn.add(name.clone(), TouchedFile { before: edit.before.clone(), after, is_mixed: false });
                }
            }
            if turn.files.get(&name).is_some_and(|change| change.before.is_same_as(&change.after) && !change.is_mixed) {
                turn.files.remove(&name);
            }
            for folder in &edit.new_folders {
                if let (Some(path), Some(mark)) = (folder.to_str(), FileMark::at(folder)) {
                    let after = FileThen::Folder { mark };
                    turn.add(path.to_owned(), TouchedFile { before: FileThen::Missing, after, is_mixed: false });
                }
            }
        });
    }

    /// Where it is kept, or why it is not.
    pub(crate) fn folder(&self) -> Result<&UndoFolder, String> {
        let open = || UndoFolder::open(&self.home, &self.project).map_err(|error| error.to_string());
        self.folder.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// What was changed from now on belongs to a new entry, also in the same turn.
    pub(crate) fn close_turn(&self) {
        lock(&self.state).turn = None;
    }

    fn turn_id(&self) -> String {
        let mut state = lock(&self.state);
        self.open_turn(&mut state).id.clone()
    }

    fn open_turn<'a>(&self, state: &'a mut MemoryState) -> &'a mut OpenTurn {
        let (at, prompt) = state.prompts.last().cloned().unwrap_or_else(|| (now_ms(), String::new()));
        let changes = TurnChanges::new(self.session.clone(), at, prompt);
        let new = || OpenTurn { id: UndoFolder::new_turn(), changes };
        state.turn.get_or_insert_with(new)
    }

    fn with_turn(&self, folder: &UndoFolder, change: impl FnOnce(&mut TurnChanges)) {
        let mut state = lock(&self.state);
        let turn = self.open_turn(&mut state);
        change(&mut turn.changes);
        if turn.changes.files.is_empty() && turn.changes.gaps.is_empty() {
            let _ = folder.remove_turn(&turn.id);
        } else if let Err(why) = turn.changes.write(folder, &turn.id) {
            turn.changes.gaps = vec![why];
        }
    }

    /// Keeps every content that git does not have, and notes in the look where each is.
    fn keep_all(
        &self,
        folder: &UndoFolder,
        opener: &Opener,
        look: &mut TreeLook,
        time: Duration,
        stop: &dyn Fn() -> bool,
    ) {
        let began = Instant::now();
        let opener = opener.clone().for_many();
        let index = {
            let index = Arc::clone(&lock(&self.state).index);
            if index.is_current(&self.project) { index } else { Arc::new(GitIndex::read(&self.project)) }
        };
        let mut kept = std::mem::take(&mut lock(&self.state).kept);
        let mut bytes = 0_u64;
        let time_of_look = look.time;
        for entry in look.entries.iter_mut().filter(|entry| entry.mark.kind() == MarkedKind::File) {
            if let Some(object) = index.object(&entry.path, &entry.mark) {
                entry.content = Some(ContentPlace::Git(object));
                continue;
            }
            let is_unsure = time_of_look.is_unsure_of(&entry.mark);
            if let Some((mark, place)) = kept.get(&entry.path)
                && *mark == entry.mark
                && !is_unsure
                && *place != ContentPlace::Lost(NotKept::TooMuch)
            {
                entry.content = Some(place.clone());
                continue;
            }
            let has_room = began.elapsed() < time && bytes < MAX_BYTES && !stop();
            let place = if has_room {
                bytes = bytes.saturating_add(entry.mark.size.min(MAX_GUESSED_BYTES));
                keep(folder, &opener, &self.project.join(&*entry.path), &entry.mark, (MAX_GUESSED_BYTES, is_unsure))
            } else {
                ContentPlace::Lost(NotKept::TooMuch)
            };
            entry.content = Some(place.clone());
            // What may change without another mark is kept again the next time.
            if !is_unsure {
                kept.insert(entry.path.clone(), (entry.mark, place));
            }
        }
        let mut state = lock(&self.state);
        state.index = index;
        state.kept.extend(kept);
    }
}

fn add_all(turn: &mut TurnChanges, files: Vec<(String, TouchedFile)>) {
    for (path, change) in files {
        if turn.files.len() >= MAX_FILES && !turn.files.contains_key(&path) {
            return turn.add_gap(format!("more than {MAX_FILES} files were changed"));
        }
        turn.add(path, change);
    }
}

/// What a look shows against an earlier one; contents that are new are kept. None if it is not whole.
pub(super) fn differences(
    project: &Path,
    folder: &UndoFolder,
    opener: &Opener,
    before: &TreeLook,
    now: &mut TreeLook,
    state: &mut MemoryState,
) -> Option<Vec<(String, TouchedFile)>> {
    if !now.is_whole {
        return None;
    }
    let opener = opener.clone().for_many();
    let mut files = Vec::new();
    let mut contents: Vec<(Box<str>, Option<FileMark>, ContentPlace)> = Vec::new();
    for (path, old, new) in before.differences(now) {
        if files.len() > MAX_FILES {
            break;
        }
        let was = then_of(old);
        let is = match new {
            Some(entry) if entry.mark.kind() == MarkedKind::File => {
                let is_unsure = now.time.is_unsure_of(&entry.mark);
                let place = keep(folder, &opener, &project.join(path), &entry.mark, (MAX_GUESSED_BYTES, is_unsure));
                contents.push((path.into(), (!is_unsure).then_some(entry.mark), place.clone()));
                FileThen::File { mark: entry.mark, content: place }
            }
            other => then_of(other),
        };
        // A mark that nobody can be sure of says nothing; then the contents do.
        if old.zip(new).is_some_and(|(old, new)| old.mark == new.mark) && is_same_content(folder, &was, &is) {
            continue;
        }
        let Some(path) = project.join(path).to_str().map(str::to_owned) else { continue };
        files.push((path, TouchedFile { before: was, after: is, is_mixed: false }));
    }
    for (path, mark, place) in contents {
        if let Ok(at) = now.entries.binary_search_by(|entry| entry.path.cmp(&path))
            && let Some(entry) = now.entries.get_mut(at)
        {
            entry.content = Some(place.clone());
        }
        if let Some(mark) = mark {
            state.kept.insert(path, (mark, place));
        }
    }
    Some(files)
}

fn is_same_content(folder: &UndoFolder, one: &FileThen, other: &FileThen) -> bool {
    let read = |then: &FileThen| match then {
        FileThen::File { content: ContentPlace::Kept(name), .. } => folder.read(name, MAX_KNOWN_BYTES).ok().flatten(),
        FileThen::File { .. }
        | FileThen::Missing
        | FileThen::Link { .. }
        | FileThen::Folder { .. }
        | FileThen::Special { .. } => None,
    };
    match (one, other) {
        (FileThen::Link { target, .. }, FileThen::Link { target: now, .. }) => target == now,
        _ => match (read(one), read(other)) {
            (Some(one), Some(other)) => one == other,
            // Of the contents in the repository the mark is enough: git is not sure of those that it wrote at the same moment.
            _ => matches!(one, FileThen::File { content: ContentPlace::Git(_), .. }),
        },
    }
}

fn then_of(entry: Option<&TreeEntry>) -> FileThen {
    let Some(entry) = entry else { return FileThen::Missing };
    let mark = entry.mark;
    match mark.kind() {
        MarkedKind::File => {
            let content = entry.content.clone().unwrap_or(ContentPlace::Lost(NotKept::TooMuch));
            FileThen::File { mark, content }
        }
        MarkedKind::Link if !entry.link.is_empty() => FileThen::Link { mark, target: entry.link.to_string() },
        MarkedKind::Folder => FileThen::Folder { mark },
        MarkedKind::Link | MarkedKind::Special => FileThen::Special { mark },
    }
}

/// What a path stands for now, its content kept.
pub(super) fn then(folder: &UndoFolder, opener: &Opener, path: &Path, most: u64) -> FileThen {
    let Some(mark) = FileMark::at(path) else { return FileThen::Missing };
    match mark.kind() {
        MarkedKind::File => {
            let is_unsure = mark.changed_ns.saturating_add(50_000_000) >= now_ns();
            FileThen::File { mark, content: keep(folder, opener, path, &mark, (most, is_unsure)) }
        }
        MarkedKind::Link => match path.read_link().ok().as_deref().and_then(Path::to_str) {
            Some(target) => FileThen::Link { mark, target: target.to_owned() },
            None => FileThen::Special { mark },
        },
        MarkedKind::Folder => FileThen::Folder { mark },
        MarkedKind::Special => FileThen::Special { mark },
    }
}

/// Keeps what a file holds, if it is still the one with the mark when that is done.
fn keep(
    folder: &UndoFolder,
    opener: &Opener,
    path: &Path,
    mark: &FileMark,
    (most, is_unsure): (u64, bool),
) -> ContentPlace {
    let lost = ContentPlace::Lost;
    let opened = match opener.open(path, Links::Refused) {
        Ok(opened) => opened,
        Err(NotOpened::Secret) => return lost(NotKept::Secret),
        Err(NotOpened::Denied) => return lost(NotKept::Denied),
        Err(NotOpened::Missing | NotOpened::Link | NotOpened::NotAFile(_) | NotOpened::Io(_)) => {
            return lost(NotKept::Unreadable);
        }
    };
    let is_it = || opened.file.metadata().is_ok_and(|metadata| FileMark::of(&metadata) == *mark);
    if !is_it() {
        return lost(NotKept::Unreadable);
    }
    let FileMark { size, device, inode, modified_ns, changed_ns, mode: _ } = mark;
    let name = format!("{device:x}-{inode:x}-{size:x}-{modified_ns:x}-{changed_ns:x}");
    // Another content could come with the same mark.
    let name = if is_unsure { format!("{name}-{}", UndoFolder::new_turn()) } else { name };
    match folder.keep(&name, &opened.file, most) {
        Ok(KeepOutcome::Kept) if is_it() => ContentPlace::Kept(name),
        Ok(KeepOutcome::Kept) | Err(_) => lost(NotKept::Unreadable),
        Ok(KeepOutcome::TooLarge) => lost(NotKept::TooLarge),
    }
}

pub(super) fn now_ms() -> u64 {
    u64::try_from(now_ns() / 1_000_000).unwrap_or(0)
}
