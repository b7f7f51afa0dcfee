//! A home and a project in a temporary folder, and short ways to say things in a session.
#![allow(dead_code, reason = "each test file uses its own part")]

use fore_plan::{Level, Openings, SessionRole};
use fore_store::{
    Home, PlanFolder, Session, SessionFolders, SessionId, SessionStart,
    entry::{PlanMark, Speaker, StoredMessage},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) struct Ground {
    temporary: tempfile::TempDir,
    pub(crate) places: SessionFolders,
    pub(crate) project: PathBuf,
}

impl Ground {
    pub(crate) fn new() -> Ground {
        let temporary = tempfile::tempdir().unwrap();
        let project = temporary.path().join("project");
        std::fs::create_dir(&project).unwrap();
        let places = places(&temporary.path().join("home"), &project);
        Ground { temporary, places, project }
    }

    pub(crate) fn path(&self) -> &Path {
        self.temporary.path()
    }

    pub(crate) fn home_path(&self) -> PathBuf {
        self.path().join("home")
    }

    pub(crate) fn session(&self) -> Session {
        Session::create(&self.places, &self.project, start(false)).unwrap()
    }

    pub(crate) fn planning(&self) -> Session {
        Session::create(&self.places, &self.project, start(true)).unwrap()
    }

    pub(crate) fn transcript(&self, session: SessionId) -> PathBuf {
        self.home_path().join(format!("sessions/{session}.jsonl"))
    }
}

pub(crate) fn places(home: &Path, project: &Path) -> SessionFolders {
    let home = Arc::new(Home::open(home).unwrap());
    let plans = PlanFolder::resolve(&home, project, None);
    SessionFolders { home, plans }
}

pub(crate) fn start(planning: bool) -> SessionStart {
    SessionStart { level: Level::AcceptEdits, planning, openings: Openings::TRUSTED, role: SessionRole::Main }
}

pub(crate) fn human(text: &str) -> StoredMessage {
    StoredMessage::text(Speaker::Human, text).unwrap()
}

/// Words for the model alone.
pub(crate) fn reminder(speaker: Speaker, text: &str) -> StoredMessage {
    StoredMessage { meta: true, ..StoredMessage::text(speaker, text).unwrap() }
}

/// The same message, known to hold the plan.
pub(crate) fn plan_holder(message: StoredMessage, mark: PlanMark) -> StoredMessage {
    StoredMessage { plan: Some(mark), ..message }
}
