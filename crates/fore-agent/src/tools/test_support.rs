//! A temporary project to call tools in: every call is read, judged by the real gate and run, as the loop would do it.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]
#![allow(dead_code, reason = "each test uses its own part")]

use super::{SeenFiles, Tool, ToolContext, WorkingFolder};
use crate::{cancel::Cancel, disk::Disk, event::ShownCall, output::Output};
use fore_model::ResultPart;
use fore_plan::{
    Applied, Change, Level, Openings, Refusal, SessionRole, State,
    gate::{
        Action, Ground, PatternRoots, Reply, RuleEffect, Rules, Verdict, judge,
        table::{CageSupport, TableSettings},
    },
    plan::PlanId,
};
use fore_sandbox::{CageSettings, Cages, GitProbe, Opener, SessionFiles};
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
    home: PathBuf,
    pub(crate) context: ToolContext,
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
        let settings = CageSettings {
            home: Some(home.clone()),
            setup: Some(fore_testkit::cage_setup().to_owned()),
            ..usual_settings()
        };
        let cages = Arc::new(Cages::new(settings, &fore_commands::CATALOGUE));
        let outputs = Outputs::open(&own, SessionId::fresh()).unwrap();
        let context = ToolContext {
            folder: Arc::new(WorkingFolder::new(project.clone())),
            project,
            probe: Arc::new(GitProbe::new(Arc::clone(&cages))),
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
            unsaved: None,
        };
        let mut state = State::default();
        let openings =
            Openings { folder_trusted: true, auto_opted_in: false, auto_gate_open: false, bypass_permitted: true };
        let started = Change::Started { level: Level::Default, planning: false, openings, role: SessionRole::Main };
        assert_eq!(state.apply(&started), Applied::Yes);
        Workplace { _folder: folder, _runtime: runtime, home, context, state, heard }
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
        let started = Change::Started { level: Level::Default, planning: true, openings, role: SessionRole::Main };
        let mut state = State::default();
        assert_eq!(state.apply(&started), Applied::Yes);
        let plans = self.home().join("plans");
        std::fs::create_dir_all(&plans).unwrap();
        let path = plans.join("quiet-fox.md");
        let plan = PlanId { session: "s1".into(), ordinal: 1 };
        let named = Change::PlanNamed { plan, path: path.display().to_string() };
        assert_eq!(state.apply(&named), Applied::Yes);
        self.state = state;
        self.context.plan_file = Some(path);
        self
    }

    /// With one more rule that denies.
    pub(crate) fn denying(mut self, rule: &str) -> Workplace {
        let mut rules = Rules::clone(&self.context.rules);
        let roots = PatternRoots { project: &self.context.project, home: Some(&self.home) };
        rules.add(RuleEffect::Deny, rule, roots).unwrap();
        self.context.rules = Arc::new(rules);
        self
    }

    pub(crate) fn project(&self) -> &Path {
        &self.context.project
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where a name of the project is on the disk.
    pub(crate) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.context.project.join(path)
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
        let folder = self.context.folder.get();
        Action::from_call(tool.name().name(), input, &Disk::new(&folder, Some(&self.home)))
    }

    /// Judges a call and runs it with the permit; a question is answered with yes.
    pub(crate) fn call(&self, tool: &dyn Tool, input: Value) -> Result<Output, Refusal> {
        let settings = TableSettings::default();
        let ground = Ground {
            kernel: &CageSupport::FULL,
            home: Some(&self.home),
            ..Ground::new(
                &self.context.rules,
                &settings,
                &self.context.project,
                &fore_shell::GitFacts::NoRepository,
                &fore_commands::CATALOGUE,
            )
        };
        let permit = match judge(&self.state, &ground, self.action(tool, &input)).verdict {
            Verdict::Allow(permit) => permit,
            Verdict::Ask(question) => question.answer(Reply::Yes, &self.state)?.permit,
            Verdict::Block(refusal) => return Err(refusal),
        };
        Ok(tool.run(permit.present(&self.state)?, &input, &self.context))
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

    pub(crate) fn preview(&self, tool: &dyn Tool, input: Value) -> Result<ShownCall, String> {
        tool.preview(&self.action(tool, &input), &input, &self.context)
    }

    /// A text with the temporary folder written as `/t`, so that it can be compared whole.
    pub(crate) fn plain(&self, text: &str) -> String {
        text.replace(&self.context.project.parent().unwrap().display().to_string(), "/t")
    }
}

/// Opens files of a folder, for tests without tools.
pub(crate) fn opener(folder: &Path) -> Opener {
    Opener::new(
        Arc::new(Cages::new(CageSettings { home: None, ..usual_settings() }, &fore_commands::CATALOGUE)),
        folder,
    )
}

/// All text pieces for the model.
pub(crate) fn text_of(output: &Output) -> String {
    let text = |piece: &ResultPart| match piece {
        ResultPart::Text(text) => Some(text.clone()),
        ResultPart::Image(_) => None,
    };
    output.model.iter().filter_map(text).collect()
}

/// The usual settings of whoever runs the tests.
pub(crate) fn usual_settings() -> CageSettings {
    CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name))
}
