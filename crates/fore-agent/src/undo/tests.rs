//! Undo against random stories: turns of the agent with edits and commands, a person who changes files as well, crashes, undo and redo.
#![expect(clippy::disallowed_methods, reason = "plays the agent's commands and the person, who change files")]

use super::{
    UndoDirection, UndoFileState, Undoer,
    memory::UndoMemory,
    put_back::{UndoDone, UndoPlan},
};
use crate::tools::test_support::opener;
use fore_plan::{
    State,
    gate::{Ground, PatternRoots, RuleEffect, Rules, table::TableSettings, taken_back},
};
use fore_store::Home;
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    sync::Arc,
};

/// One change of one path.
#[derive(Clone, Debug)]
enum Touch {
    Write(usize, u8),
    Append(usize),
    Remove(usize),
    Rename(usize, usize),
    Rights(usize, bool),
    Link(usize, usize),
    Folder(usize),
}

/// One step of a story.
#[derive(Clone, Debug)]
enum Step {
    Turn,
    Edit(usize, u8),
    Command(Vec<Touch>),
    /// The program ends in the middle of it.
    Crash(Vec<Touch>),
    Person(Touch),
    Undo(usize, bool),
    Redo,
}

/// Names that lie in each other's way.
const PATHS: [&str; 8] = ["a", "b", "src/a", "src/deep/b", "src/deep/c", "lib", "lib/x", "note.txt"];

fn touch() -> impl Strategy<Value = Touch> {
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (path.clone(), any::<u8>()).prop_map(|(path, text)| Touch::Write(path, text)),
        2 => path.clone().prop_map(Touch::Append),
        2 => path.clone().prop_map(Touch::Remove),
        2 => (path.clone(), path.clone()).prop_map(|(from, to)| Touch::Rename(from, to)),
        1 => (path.clone(), any::<bool>()).prop_map(|(path, runs)| Touch::Rights(path, runs)),
        1 => (path.clone(), path.clone()).prop_map(|(path, to)| Touch::Link(path, to)),
        1 => path.prop_map(Touch::Folder),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let touches = || prop::collection::vec(touch(), 0..5);
    prop_oneof![
        3 => Just(Step::Turn),
        4 => (0..PATHS.len(), any::<u8>()).prop_map(|(path, text)| Step::Edit(path, text)),
        4 => touches().prop_map(Step::Command),
        1 => touches().prop_map(Step::Crash),
        2 => touch().prop_map(Step::Person),
        3 => (1..3_usize, any::<bool>()).prop_map(|(turns, all)| Step::Undo(turns, all)),
        2 => Just(Step::Redo),
    ]
}

/// What a path stands for: bytes and rights, where a link leads, or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
enum There {
    File(Vec<u8>, u32),
    Link(PathBuf),
    Folder(u32),
}

type Tree = BTreeMap<String, There>;

fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let facts = path.symlink_metadata().unwrap();
            let there = if facts.is_symlink() {
                There::Link(path.read_link().unwrap())
            } else if facts.is_dir() {
                folders.push(path.clone());
                There::Folder(facts.mode() & 0o7777)
            } else {
                There::File(fs::read(&path).unwrap(), facts.mode() & 0o7777)
            };
            found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), there);
        }
    }
    found
}

/// As a program would do it; what does not work is left.
fn apply(root: &Path, touch: &Touch) {
    let path = |number: &usize| root.join(PATHS[*number]);
    match touch {
        Touch::Write(at, text) => write(&path(at), *text),
        Touch::Append(at) => {
            use std::io::Write;
            if let Ok(mut file) = fs::OpenOptions::new().append(true).open(path(at)) {
                let _ = file.write_all(b"more\n");
            }
        }
        Touch::Remove(at) => {
            let _ = fs::remove_file(path(at)).or_else(|_| fs::remove_dir_all(path(at)));
        }
        Touch::Rename(from, to) => {
            let _ = fs::rename(path(from), path(to));
        }
        Touch::Rights(at, runs) => {
            if path(at).symlink_metadata().is_ok_and(|facts| !facts.is_symlink()) {
                let mode = if *runs { 0o755 } else { 0o750 };
                let _ = fs::set_permissions(path(at), fs::Permissions::from_mode(mode));
            }
        }
        Touch::Link(at, to) => {
            let _ = symlink(PATHS[*to], path(at));
        }
        Touch::Folder(at) => {
            let _ = fs::create_dir_all(path(at));
        }
    }
}

fn write(path: &Path, text: u8) {
    // Through no link: a tool would refuse, and a command is played by the other touches.
    if path.symlink_metadata().is_ok_and(|facts| facts.is_symlink()) {
        return;
    }
    let _ = fs::create_dir_all(path.parent().unwrap());
    let _ = fs::write(path, format!("text {text}\n").repeat(usize::from(text) + 1));
}

struct Story {
    _temporary: tempfile::TempDir,
    project: PathBuf,
    home: Arc<Home>,
    memory: UndoMemory,
}

impl Story {
    fn new() -> Story {
        let temporary = tempfile::tempdir().unwrap();
        let project = temporary.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        for (path, text) in [("a", 1), ("src/a", 2), ("src/deep/b", 3)] {
            write(&project.join(path), text);
        }
        let home = Arc::new(Home::open(&temporary.path().join("home")).unwrap());
        let memory = UndoMemory::new(&home, &project, "story".into());
        Story { _temporary: temporary, project, home, memory }
    }

    fn command(&self, touches: &[Touch]) {
        let opener = opener(&self.project);
        let run = self.memory.begin_run(&opener).unwrap();
        touches.iter().for_each(|touch| apply(&self.project, touch));
        self.memory.end_run(&opener, run);
    }

    fn crash(&mut self, touches: &[Touch]) {
        let opener = opener(&self.project);
        let _run = self.memory.begin_run(&opener).unwrap();
        touches.iter().for_each(|touch| apply(&self.project, touch));
        self.memory = UndoMemory::new(&self.home, &self.project, "story".into());
        self.memory.settle(&opener);
        self.memory.begin_turn("goes on");
    }

    fn edit(&self, path: usize, text: u8) {
        let (path, opener) = (self.project.join(PATHS[path]), opener(&self.project));
        // A tool refuses what leads through a link.
        let is_plain = path.ancestors().take_while(|part| *part != self.project).all(|part| !part.is_symlink());
        if is_plain && let Some(edit) = self.memory.begin_edit(&opener, &path) {
            write(&path, text);
            self.memory.end_edit(&opener, edit);
        }
    }

    fn undo(&self, direction: UndoDirection, turns: usize, also_changed: bool) -> Option<(UndoPlan, UndoDone)> {
        let roots = PatternRoots { project: &self.project, home: None };
        let mut rules = Rules::default();
        rules.add(RuleEffect::Deny, "Edit(/never)", roots).unwrap();
        let settings = TableSettings::default();
        let ground =
            Ground::new(&rules, &settings, &self.project, &fore_shell::GitFacts::Unprobed, &fore_commands::CATALOGUE);
        let state = State::default();
        let undoer = Undoer {
            folder: self.memory.folder().unwrap(),
            project: &self.project,
            opener: opener(&self.project),
            session: Some("story"),
            objects: &|_| Default::default(),
            permit: &|action| taken_back(&state, &ground, action)?.present(&state),
        };
        let plan = undoer.plan(direction, turns).ok()?;
        let done = undoer.apply(&plan, also_changed);
        self.memory.close_turn();
        Some((plan, done))
    }
}

/// The tree without what is only there because a folder holds it or held it.
fn tells(story: &[Step], tree: &Tree) -> String {
    format!("{story:#?}\n{:#?}", tree.keys().collect::<Vec<_>>())
}

/// What the agent does in a turn.
fn work() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..PATHS.len(), any::<u8>()).prop_map(|(path, text)| Step::Edit(path, text)),
        prop::collection::vec(touch(), 0..5).prop_map(Step::Command),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn turn_by_turn_back_and_forth_the_tree_is_byte_for_byte_what_it_was(
        turns in prop::collection::vec(prop::collection::vec(work(), 1..5), 1..5),
    ) {
        let story = Story::new();
        let mut trees = vec![tree(&story.project)];
        for (number, steps) in turns.iter().enumerate() {
            story.memory.begin_turn(&number.to_string());
            for step in steps {
                match step {
                    Step::Edit(path, text) => story.edit(*path, *text),
                    Step::Command(touches) => story.command(touches),
                    Step::Turn | Step::Crash(_) | Step::Person(_) | Step::Undo(..) | Step::Redo => {}
                }
            }
            trees.push(tree(&story.project));
        }
        let mut undone = Vec::new();
        while let Some((plan, done)) = story.undo(UndoDirection::Undo, 1, false) {
            let number: usize = plan.prompts[0].parse().unwrap();
            prop_assert_eq!(done.left, vec![]);
            prop_assert_eq!(&tree(&story.project), &trees[number], "undo of {}: {:#?}", number, turns);
            undone.push(number);
        }
        prop_assert_eq!(&tree(&story.project), &trees[0]);
        while let Some((_, done)) = story.undo(UndoDirection::Redo, 1, false) {
            let number = undone.pop().unwrap();
            prop_assert_eq!(done.left, vec![]);
            prop_assert_eq!(&tree(&story.project), &trees[number + 1], "redo of {}: {:#?}", number, turns);
        }
        prop_assert!(undone.is_empty());
        // All at once.
        story.undo(UndoDirection::Undo, 100, false);
        prop_assert_eq!(&tree(&story.project), &trees[0], "all: {:#?}", turns);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn the_tree_is_what_it_was_or_it_was_asked_about(steps in prop::collection::vec(step(), 1..24)) {
        let mut story = Story::new();
        story.memory.begin_turn("first");
        // The tree before each turn that can be undone, as long as nobody else came between.
        let mut before: Vec<Tree> = vec![tree(&story.project)];
        let mut is_alone = true;
        for (number, step) in steps.iter().enumerate() {
            match step {
                Step::Turn => {
                    story.memory.begin_turn("next");
                    if is_alone && before.last() != Some(&tree(&story.project)) {
                        before.push(tree(&story.project));
                    }
                }
                Step::Edit(path, text) => story.edit(*path, *text),
                Step::Command(touches) => story.command(touches),
                Step::Crash(touches) => {
                    story.crash(touches);
                    is_alone = false;
                }
                Step::Person(touch) => {
                    let was = tree(&story.project);
                    apply(&story.project, touch);
                    is_alone &= was == tree(&story.project);
                }
                Step::Undo(turns, also_changed) => {
                    let was = tree(&story.project);
                    let Some((plan, done)) = story.undo(UndoDirection::Undo, *turns, *also_changed) else { continue };
                    let now = tree(&story.project);
                    for file in &plan.files {
                        let path = Path::new(&file.path).strip_prefix(&story.project).unwrap().to_str().unwrap();
                        // Nobody was asked, so it is what it was, unless a folder in which it lay had to go with the agent's own.
                        if file.state == UndoFileState::ChangedSince && !also_changed {
                            prop_assert_eq!(was.get(path), now.get(path), "{}: {}", path, tells(&steps[..=number], &was));
                        }
                    }
                    if is_alone && *turns == 1 && let Some(then) = before.pop() {
                        let then = if then == was { before.pop().unwrap_or(then) } else { then };
                        prop_assert_eq!(&done.left, &vec![], "{}", tells(&steps[..=number], &was));
                        prop_assert_eq!(&now, &then, "{}", tells(&steps[..=number], &was));
                        before.push(then);
                    } else {
                        is_alone = false;
                    }
                    if done.done.is_empty() {
                        continue;
                    }
                    // Whatever went is there again with a redo.
                    let redone = story.undo(UndoDirection::Redo, 1, false);
                    prop_assert!(redone.is_some());
                    prop_assert_eq!(&tree(&story.project), &was, "{}", tells(&steps[..=number], &was));
                    let again = story.undo(UndoDirection::Undo, *turns, *also_changed);
                    prop_assert!(again.is_some());
                    prop_assert_eq!(&tree(&story.project), &now, "again: {}", tells(&steps[..=number], &was));
                }
                Step::Redo => {
                    let was = tree(&story.project);
                    story.undo(UndoDirection::Redo, 1, false);
                    is_alone &= was == tree(&story.project);
                    // Nobody undoes in the middle of a turn.
                    story.memory.begin_turn("next");
                    if is_alone && before.last() != Some(&was) {
                        before.push(was);
                    }
                }
            }
        }
    }
}
