//! What a tool works with: folders, cages, rules, and the switch that stops it.

use crate::{
    cancel::Cancel,
    lock::lock,
    tools::{BackgroundRuns, SeenFiles},
    unsaved::UnsavedText,
};
use fore_plan::gate::{Action, RuleEffect, Rules, ShellContents};
use fore_sandbox::{Cages, GitProbe, Opener, SessionFiles};
use fore_store::Outputs;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// Everything a call may use. Cheap to make: one for each call.
#[derive(Clone)]
pub(crate) struct ToolContext {
    /// The repository or folder the session is about, as a real path.
    pub project: PathBuf,
    /// Where commands run and relative paths begin; kept between calls.
    pub folder: Arc<WorkingFolder>,
    pub cages: Arc<Cages>,
    pub probe: Arc<GitProbe<Arc<Cages>>>,
    pub rules: Arc<Rules>,
    /// The plan of the session: Write replaces it unread. No command gets it from here; see `Presented::plan_file`.
    pub plan_file: Option<PathBuf>,
    /// What the model has read of files, so that an edit never hits something it has not seen.
    pub seen: Arc<SeenFiles>,
    /// Variables of the settings that commands get besides the cleaned environment.
    pub variables: Arc<Vec<(String, String)>>,
    /// Where the full text of long outputs goes.
    pub outputs: Arc<Outputs>,
    /// What of our own folder this session may read.
    pub session: SessionFiles,
    /// Commands that run beside the conversation; the session stops them.
    pub background: Arc<BackgroundRuns>,
    pub cancel: Cancel,
    /// Gets output as it comes, for the person.
    pub on_output: Arc<dyn Fn(&str) + Send + Sync>,
    /// For tools that use the network: they block on it from their own thread.
    pub runtime: tokio::runtime::Handle,
    /// Where changes are that the person has not saved.
    pub unsaved: Option<Arc<dyn UnsavedText>>,
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext").field("project", &self.project).finish_non_exhaustive()
    }
}

impl ToolContext {
    /// Opens files for the model.
    pub(crate) fn opener(&self) -> Opener {
        let rules = Arc::clone(&self.rules);
        Opener::new(Arc::clone(&self.cages), &self.project)
            .in_folder(self.folder.get())
            .with_session(self.session.clone())
            .denying(Arc::new(move |path| is_denied(&rules, path)))
    }

    /// Whether a rule denies reading this path; a search leaves such files out.
    pub(crate) fn is_denied(&self, path: &Path) -> bool {
        is_denied(&self.rules, path)
    }

    /// A path as people read it: relative to the project where it lies inside.
    pub(crate) fn short(&self, path: &Path) -> String {
        short(path, Some(&self.project))
    }
}

/// A path as people read it: relative to the project where it lies inside.
pub(crate) fn short(path: &Path, project: Option<&Path>) -> String {
    let inside =
        project.and_then(|project| path.strip_prefix(project).ok()).filter(|rest| !rest.as_os_str().is_empty());
    inside.unwrap_or(path).display().to_string()
}

/// Whether a rule denies reading this path.
pub(crate) fn is_denied(rules: &Rules, path: &Path) -> bool {
    let text = path.to_string_lossy().into_owned();
    let action = Action::Read { path: text.clone(), asked: text };
    rules.find(RuleEffect::Deny, &action, &ShellContents::NOTHING).is_some()
}

/// The folder that commands run in.
#[derive(Debug)]
pub(crate) struct WorkingFolder(Mutex<PathBuf>);

impl WorkingFolder {
    pub(crate) fn new(folder: PathBuf) -> WorkingFolder {
        WorkingFolder(Mutex::new(folder))
    }

    pub(crate) fn get(&self) -> PathBuf {
        lock(&self.0).clone()
    }

    pub(crate) fn set(&self, folder: PathBuf) {
        *lock(&self.0) = folder;
    }
}
