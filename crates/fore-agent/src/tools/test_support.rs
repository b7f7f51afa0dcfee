//! A temporary project to call tools in: every call is read, judged by the real gate and run, as the loop would do it.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]
#![allow(dead_code, reason = "each test uses its own part")]

use super::{Hands, SeenFiles, Tool, WorkingFolder};
use crate::{cancel::Cancel, disk::Disk, event::Shown, output::Output};
use fore_model::Piece;
use fore_plan::{
    Applied, Change, Level, Openings, Refusal, Role, State,
    gate::{
        Action, Effect, Ground, Reply, Roots, Rules, Verdict, judge,
        table::{Kernel, TableSettings},
    },
    plan::PlanId,
};
use fore_sandbox::{Cages, Opener, Probe, SessionFiles, Settings};
use fore_store::{Home, Outputs, SessionId};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// A project folder `shop` and a home folder `home`, gone when it is dropped.
pub(crate) struct Workplace {
    _folder: tempfile::TempDir,
    _runtime: tokio::runtime::Runtime,
    pub(crate) hands: Hands,
    pub(crate) state: State,
    /// What the tools said while they ran.
    pub(crate) heard: Arc<Mutex<String>>,
}

impl Workplace {
    /// A trusted project at the level default: edits ask, and [`Workplace::call`] answers yes.
    pub(crate) fn new() -> Workplace {
        let folder = tempfile::Builder::new().prefix("fore-tools-").tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (project, home) = (top.join("shop"), top.join("home"));
        std::fs::create_dir(&project).unwrap();
        std::fs::create_dir(&home).unwrap();
        let own = Home::open(&home.join(".forethought")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let heard: Arc<Mutex<String>> = Arc::default();
        let listener = Arc::clone(&heard);
        let settings = Settings { home: Some(home.clone()), setup: setup_program(), ..Settings::default() };
        let cages = Arc::new(Cages::new(settings));
        let outputs = Outputs::open(&own, SessionId::fresh()).unwrap();
        let hands = Hands {
            folder: Arc::new(WorkingFolder::new(project.clone())),
            project,
            home: Some(home),
            probe: Arc::new(Probe::new(Arc::clone(&cages))),
            cages,
            rules: Arc::default(),
            plan_file: None,
            seen: Arc::new(SeenFiles::default()),
            variables: Arc::default(),
            session: SessionFiles { plans: Vec::new(), outputs: Some(outputs.path()) },
            outputs: Arc::new(outputs),
            background: Arc::default(),
            cancel: Cancel::default(),
            on_output: Arc::new(move |text| listener.lock().unwrap().push_str(text)),
            runtime: runtime.handle().clone(),
        };
        let mut state = State::default();
        let openings =
            Openings { folder_trusted: true, auto_opted_in: false, auto_gate_open: false, bypass_permitted: true };
        let started = Change::Started { level: Level::Default, planning: false, openings, role: Role::Main };
        assert_eq!(state.apply(&started), Applied::Yes);
        Workplace { _folder: folder, _runtime: runtime, hands, state, heard }
    }

    /// A project of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Workplace {
        let place = Workplace::new();
        for (path, content) in files {
            place.put(path, content);
        }
        place
    }

    /// The same, while planning; the plan is `home/plans/quiet-fox.md` and is not written yet.
    pub(crate) fn planning(mut self) -> Workplace {
        let openings = *self.state.openings();
        let started = Change::Started { level: Level::Default, planning: true, openings, role: Role::Main };
        let mut state = State::default();
        assert_eq!(state.apply(&started), Applied::Yes);
        let plans = self.home().join("plans");
        std::fs::create_dir_all(&plans).unwrap();
        let path = plans.join("quiet-fox.md");
        let plan = PlanId { session: "s1".into(), ordinal: 1 };
        let named = Change::PlanNamed { plan, path: path.display().to_string() };
        assert_eq!(state.apply(&named), Applied::Yes);
        self.state = state;
        self.hands.plan_file = Some(path);
        self
    }

    /// With one more rule that denies.
    pub(crate) fn denying(mut self, rule: &str) -> Workplace {
        let mut rules = Rules::clone(&self.hands.rules);
        let roots = Roots { project: &self.hands.project, home: self.hands.home.as_deref() };
        rules.add(Effect::Deny, rule, roots).unwrap();
        self.hands.rules = Arc::new(rules);
        self
    }

    pub(crate) fn project(&self) -> &Path {
        &self.hands.project
    }

    pub(crate) fn home(&self) -> &Path {
        self.hands.home.as_deref().unwrap()
    }

    /// Where a name of the project is on the disk.
    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.hands.project.join(path)
    }

    /// Puts a file there, as somebody else would.
    pub(crate) fn put(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// What a file holds.
    pub(crate) fn get(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.at(path)).unwrap()
    }

    pub(crate) fn action(&self, tool: &dyn Tool, input: &Value) -> Action {
        let folder = self.hands.folder.get();
        Action::from_call(tool.name(), input, &Disk::new(&folder, self.hands.home.as_deref()))
    }

    /// Judges a call and runs it with the permit; a question is answered with yes.
    pub(crate) fn call(&self, tool: &dyn Tool, input: Value) -> Result<Output, Refusal> {
        let settings = TableSettings::default();
        let ground = Ground {
            kernel: &Kernel::FULL,
            home: self.hands.home.as_deref(),
            ..Ground::new(&self.hands.rules, &settings, &self.hands.project, &fore_shell::GitFacts::NoRepository)
        };
        let permit = match judge(&self.state, &ground, self.action(tool, &input)).verdict {
            Verdict::Allow(permit) => permit,
            Verdict::Ask(question) => question.answer(Reply::Yes, &self.state)?.permit,
            Verdict::Block(refusal) => return Err(refusal),
        };
        Ok(tool.run(permit.present(&self.state)?, &input, &self.hands))
    }

    /// The text for the model of a call that works.
    pub(crate) fn told(&self, tool: &dyn Tool, input: Value) -> String {
        let output = self.call(tool, input).unwrap();
        assert!(!output.is_error, "{}", text_of(&output));
        self.plain(&text_of(&output))
    }

    /// The text for the model of a call that is allowed and goes wrong.
    pub(crate) fn trouble(&self, tool: &dyn Tool, input: Value) -> String {
        let output = self.call(tool, input).unwrap();
        assert!(output.is_error, "{}", text_of(&output));
        self.plain(&text_of(&output))
    }

    pub(crate) fn preview(&self, tool: &dyn Tool, input: Value) -> Result<Shown, String> {
        tool.preview(&self.action(tool, &input), &input, &self.hands)
    }

    /// A text with the temporary folder written as `/t`, so that it can be compared whole.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&self.hands.project.parent().unwrap().display().to_string(), "/t")
    }
}

/// Opens files of a folder, for tests without tools.
pub(crate) fn opener(folder: &Path) -> Opener {
    Opener::new(Arc::new(Cages::new(Settings { home: None, ..Settings::default() })), folder)
}

/// All text pieces for the model.
pub(crate) fn text_of(output: &Output) -> String {
    let text = |piece: &Piece| match piece {
        Piece::Text(text) => Some(text.clone()),
        Piece::Image(_) => None,
    };
    output.model.iter().filter_map(text).collect()
}

/// The program that sets cages up, where the workspace has been built: beside the folder of the test programs.
fn setup_program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(own.parent()?.parent()?.join("fore-cage-setup")).filter(|path| path.is_file())
}
