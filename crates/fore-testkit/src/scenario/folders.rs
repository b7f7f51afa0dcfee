//! Where a scenario is played: a workspace, a home and a folder for temporary files of its own, gone afterwards.

use super::{ScenarioError, format::Scenario, process::signal};
use crate::{
    protocol::WireProtocol,
    script::{Learn, ModelScript},
    server::Server,
    tree::{GitData, Times, Tree},
    workspace::Workspace,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, Instant, SystemTime},
};

/// The name of the model in all protocols.
pub(crate) const MODEL: &str = "scripted-1";
/// A key that opens nothing.
const KEY: &str = "no-real-key";
/// How long processes have to be gone after their parent.
const GRACE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// The age of the first file of a workspace, 2026-01-01; each further one is a minute younger.
const FIRST_FILE: Duration = Duration::from_secs(1_767_225_600);
/// The longest file of a scenario.
const MAX_FILE_BYTES: u64 = 1 << 20;

#[derive(Debug)]
pub(crate) struct ScenarioFolders {
    root: tempfile::TempDir,
    workspace: Workspace,
    /// The part of the settings that leads to the scripted model.
    model: OnceLock<Value>,
}

/// What is on disk.
#[derive(Debug)]
pub(crate) struct Trees {
    pub(crate) project: Tree,
    pub(crate) home: Tree,
    pub(crate) temp: Tree,
}

impl ScenarioFolders {
    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn new(scratch: &Path, folder: &Path, scenario: &Scenario) -> Result<ScenarioFolders, ScenarioError> {
        let scratch = scratch.canonicalize().map_err(|error| format!("{}: {error}", scratch.display()))?;
        // A session takes the repository around its folder for the project: that must never be a real one.
        if let Some(around) = scratch.ancestors().find(|folder| folder.join(".git").exists()) {
            return Err(format!("{} lies in the repository {}", scratch.display(), around.display()));
        }
        let made = tempfile::Builder::new().prefix("scene-").tempdir_in(&scratch);
        let root = made.map_err(|error| format!("{}: {error}", scratch.display()))?;
        for name in ["home/ada/.forethought", "tmp"] {
            std::fs::create_dir_all(root.path().join(name)).map_err(|error| format!("{name}: {error}"))?;
        }
        let mut workspace = Workspace::new_in(root.path()).map_err(|error| error.to_string())?;
        for (number, (path, text)) in (0..).zip(beginning(folder)?) {
            let is_program = text.starts_with(b"#!");
            let added = if is_program { workspace.executable(&path, text) } else { workspace.file(&path, text) };
            workspace = added.map_err(|error| error.to_string())?;
            // Files are listed by their age, which is the same every time.
            let time = SystemTime::UNIX_EPOCH + FIRST_FILE + Duration::from_secs(60 * number);
            let set = File::open(workspace.path().join(&path)).and_then(|file| file.set_modified(time));
            set.map_err(|error| format!("{path}: {error}"))?;
        }
        if scenario.repository {
            workspace = workspace.repository().map_err(|error| error.to_string())?;
        }
        for (path, text) in &scenario.afterwards {
            workspace = workspace.file(path, text).map_err(|error| error.to_string())?;
        }
        let place = ScenarioFolders { root, workspace, model: OnceLock::new() };
        for (path, text) in &scenario.home {
            place.write(&place.home().join(path), &place.filled(text))?;
        }
        Ok(place)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.workspace.path().to_owned()
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home/ada")
    }

    pub(crate) fn fore_home(&self) -> PathBuf {
        self.home().join(".forethought")
    }

    pub(crate) fn temp(&self) -> PathBuf {
        self.root.path().join("tmp")
    }

    /// Text of a scenario with the real paths in it.
    pub(crate) fn filled(&self, text: &str) -> String {
        let path = |path: PathBuf| path.display().to_string();
        text.replace("{{project}}", &path(self.project()))
            .replace("{{home}}", &path(self.home()))
            .replace("{{temp}}", &path(self.temp()))
    }

    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn write(&self, path: &Path, text: &str) -> Result<(), ScenarioError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn remove(&self, path: &Path) -> Result<(), ScenarioError> {
        std::fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))
    }

    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn rename(&self, from: &Path, to: &Path) -> Result<(), ScenarioError> {
        std::fs::rename(from, to).map_err(|error| format!("{}: {error}", from.display()))
    }

    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn link(&self, path: &Path, target: &Path) -> Result<(), ScenarioError> {
        std::os::unix::fs::symlink(target, path).map_err(|error| format!("{}: {error}", path.display()))
    }

    #[expect(clippy::disallowed_methods, reason = "a scenario is played in temporary folders of its own")]
    pub(crate) fn hard_link(&self, path: &Path, target: &Path) -> Result<(), ScenarioError> {
        std::fs::hard_link(target, path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The model of the scenario, which knows the path of the plan file as soon as it was told.
    pub(crate) fn server(&self, folder: &Path, protocol: WireProtocol) -> Result<Server, ScenarioError> {
        let path = folder.join("model.json");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let script = serde_json::from_str::<ModelScript>(&self.filled(&text));
        let mut script = script.map_err(|error| format!("{}: {error}", path.display()))?;
        let plan = Learn { contains: "/plans/".to_owned(), ends: ".md".to_owned() };
        script.learn.entry("plan".to_owned()).or_insert(plan);
        let options =
            crate::server::ServerOptions { protocols: vec![protocol], ..crate::server::ServerOptions::default() };
        Server::start_with(script, options).map_err(|error| error.to_string())
    }

    /// Writes the person's settings: those of the scenario, and the way to the scripted model.
    pub(crate) fn settings(
        &self,
        scenario: &Scenario,
        protocol: WireProtocol,
        origin: &str,
    ) -> Result<(), ScenarioError> {
        let settings = scenario.settings.clone();
        let (provider, wire) = provider(protocol);
        let mut model = json!({
            "act": format!("{provider}/{MODEL}"),
            "providers": { provider: { "baseUrl": protocol.base_url(origin), "protocol": wire } },
        });
        if let (Some(own), Some(model)) = (settings.get("model").and_then(Value::as_object), model.as_object_mut()) {
            model.extend(own.clone());
        }
        let _ = self.model.set(model);
        self.save_settings(settings)?;
        if scenario.trusted {
            let project = self.project().canonicalize().map_err(|error| error.to_string())?;
            self.write(&self.fore_home().join("trusted.json"), &json!({ "folders": [project] }).to_string())?;
        }
        Ok(())
    }

    /// Writes these settings of the person's, with the way to the scripted model in them.
    pub(crate) fn save_settings(&self, mut settings: serde_json::Map<String, Value>) -> Result<(), ScenarioError> {
        settings.insert("model".to_owned(), self.model.get().cloned().unwrap_or_default());
        let text = self.filled(&Value::Object(settings).to_string());
        self.write(&self.fore_home().join("settings.json"), &text)
    }

    /// The environment, and nothing else: no keys, no proxies.
    pub(crate) fn environment(&self, scenario: &Scenario, protocol: WireProtocol) -> Vec<(String, String)> {
        let path = |path: PathBuf| path.display().to_string();
        let mut variables = vec![
            ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
            ("HOME".to_owned(), path(self.home())),
            ("FORETHOUGHT_HOME".to_owned(), path(self.fore_home())),
            ("TMPDIR".to_owned(), path(self.temp())),
            ("LC_ALL".to_owned(), "C.UTF-8".to_owned()),
            ("NO_COLOR".to_owned(), "1".to_owned()),
        ];
        let key = protocol.variables("", KEY).into_iter().filter(|(name, _)| name.ends_with("KEY"));
        variables.extend(key.map(|(name, value)| (name.to_owned(), value)));
        variables.extend(scenario.environment.iter().map(|(name, value)| (name.clone(), self.filled(value))));
        variables
    }

    pub(crate) fn trees(&self) -> Result<Trees, ScenarioError> {
        let read = |path: PathBuf| {
            Tree::read(&path, Times::Ignored, GitData::Compared).map_err(|error| format!("{}: {error}", path.display()))
        };
        Ok(Trees { project: read(self.project())?, home: read(self.home())?, temp: read(self.temp())? })
    }

    /// Processes that were started here and are still there after a moment; they are ended.
    pub(crate) fn left_running(&self) -> Vec<String> {
        let end = Instant::now() + GRACE;
        loop {
            let left = self.processes();
            if left.is_empty() || Instant::now() > end {
                left.iter().for_each(|(id, _)| signal(&id.to_string(), "KILL"));
                return left.into_iter().map(|(_, line)| format!("left running: {line}")).collect();
            }
            std::thread::park_timeout(LOOK_AGAIN);
        }
    }

    fn processes(&self) -> Vec<(u32, String)> {
        let root = self.root.path().as_os_str().as_encoded_bytes();
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let ours = entries.filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse::<u32>().ok()?;
            let cwd = std::fs::read_link(entry.path().join("cwd")).ok()?;
            let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let is_ours = cwd.starts_with(self.root.path()) || environment.windows(root.len()).any(|part| part == root);
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            (is_ours && !line.is_empty()).then_some((id, line))
        });
        ours.collect()
    }
}

/// The provider that speaks a protocol, and the protocol's name in the settings.
fn provider(protocol: WireProtocol) -> (&'static str, &'static str) {
    match protocol {
        WireProtocol::Anthropic => ("anthropic", "anthropic-messages"),
        WireProtocol::Responses => ("openai", "open-ai-responses"),
        WireProtocol::Chat => ("openai", "chat-completions"),
        WireProtocol::Gemini => ("google", "gemini"),
    }
}

/// The files below a folder, by their path in it; none if there is no such folder.
/// The files a story begins with: those that all stories of its suite share, and its own, which win.
fn beginning(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, ScenarioError> {
    let shared = folder.parent().map_or_else(|| Ok(Vec::new()), |suite| files(&suite.join("workspace")))?;
    Ok(shared.into_iter().chain(files(&folder.join("workspace"))?).collect())
}

fn files(root: &Path) -> Result<Vec<(String, Vec<u8>)>, ScenarioError> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(root.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let path = folder.join(entry.file_name());
            let data = entry.metadata().map_err(|error| format!("{}: {error}", path.display()))?;
            if data.is_dir() {
                open.push(path);
            } else if data.len() <= MAX_FILE_BYTES {
                let text = std::fs::read(root.join(&path)).map_err(|error| format!("{}: {error}", path.display()))?;
                found.push((path.display().to_string(), text));
            }
        }
    }
    Ok(found)
}
