//! The settings: defaults, files, environment and command line, read, checked and joined. What others use is in [`Settings`].
#![warn(clippy::wildcard_enum_match_arm)]

mod allowed_values;
mod content;
mod edit;
mod entry;
mod guard;
mod hooks;
mod layers;
mod mcp;
mod meaning;
mod money;
mod read;
mod schema;
mod wishing_files;
mod written;

pub(crate) use content::{Repository, UntrustedFile};
pub(crate) use edit::{
    with_mcp_server, with_models, with_server, with_value, without_mcp_server, without_rule, without_value,
};
pub(crate) use entry::{Fate, SettingEntry, SettingOrigin, SettingsLayer, SettingsProblems};
pub(crate) use guard::Trust;
pub(crate) use hooks::{hook_files, hook_notices};
pub(crate) use layers::{EnvironmentLookup, LocationState, SettingsLocation, at, is_list};
pub(crate) use mcp::{PROJECT_FILE as MCP_FILE, check_name as check_server_name};
pub(crate) use meaning::Bypass;
pub(crate) use money::PriceSection;
pub(crate) use schema::{keys, schema};
pub(crate) use written::{
    AcpApproval, CommandPrefix, KeyBinding, ModelProfile, NotifySection, NotifySignName, ProviderSection,
    ReasoningEffort, ThemeName, WrittenSettings,
};

use entry::SettingsSource;
use fore_agent::{McpServerSetting, project_of};
use fore_hooks::HookSettings;
use fore_plan::gate::{PatternRoots, RuleEffect, Rules, table::TableSettings};
use fore_sandbox::network::{PersonConfig, registries_of};
use fore_store::{HOME_VARIABLE, Home, TrustedFolders, always_allowed};
use layers::SettingsLayers;
use serde_json::Value;
use std::path::{Path, PathBuf};
use wishing_files::WishingFile;

/// What holds, and where each part of it comes from.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The person's home folder.
    pub(crate) home: Option<PathBuf>,
    /// Our own folder, usually `~/.forethought`. It may not be there yet.
    pub(crate) folder: Option<PathBuf>,
    /// The repository or folder that this is about, as a real path.
    pub(crate) project: PathBuf,
    pub(crate) trust: Trust,
    pub(crate) table: TableSettings,
    pub(crate) read_only_commands: Vec<Vec<String>>,
    pub(crate) servers: Vec<String>,
    /// The MCP servers that are set up.
    pub(crate) mcp: Vec<McpServerSetting>,
    pub(crate) written: WrittenSettings,
    /// Every value that somebody set, the refused ones too, in the order of the layers.
    pub(crate) entries: Vec<SettingEntry>,
    pub(crate) places: Vec<SettingsLocation>,
    /// Values of a repository that are not used, and why, in words.
    pub(crate) refusals: Vec<String>,
    /// What else the person should know.
    pub(crate) warnings: Vec<String>,
    /// Keys of a repository's files that this version does not have, in words.
    pub(crate) unknown_keys: Vec<String>,
    /// The repository's files that may grant something, as they were read.
    pub(crate) repository: Repository,
    /// What they would grant in a trusted folder, one line each.
    pub(crate) grants: Vec<String>,
    /// Those of them that are not what was trusted, and grant something.
    pub(crate) untrusted: Vec<UntrustedFile>,
    /// What is wrong with the files that were left out.
    pub(crate) problems: SettingsProblems,
    /// All hooks, with those that wait for the person's trust.
    pub(crate) hooks: HookSettings,
}

/// What becomes of files that are not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrokenFiles {
    /// Nothing runs.
    Stop,
    /// They say nothing, and what is wrong with them is in [`Settings::problems`]. Only for what shows settings and starts nothing.
    LeftOut,
}

/// Where settings are looked for.
#[derive(Debug)]
pub(crate) struct SettingsFolders {
    pub(crate) home: Option<PathBuf>,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) cwd: PathBuf,
}

impl Settings {
    /// Reads all layers for the folder one is in. `given` is what follows `--settings`.
    pub(crate) fn load(cwd: &Path, given: Option<&str>) -> anyhow::Result<Settings> {
        Settings::load_with(cwd, given, BrokenFiles::Stop)
    }

    /// The same without the files that are not understood, for what only shows settings.
    pub(crate) fn load_understood(cwd: &Path, given: Option<&str>) -> anyhow::Result<Settings> {
        Settings::load_with(cwd, given, BrokenFiles::LeftOut)
    }

    fn load_with(cwd: &Path, given: Option<&str>, broken: BrokenFiles) -> anyhow::Result<Settings> {
        let home = crate::environment::user_home().filter(|home| home.is_absolute());
        let variable = crate::environment::variable(HOME_VARIABLE).filter(|folder| !folder.is_empty());
        let folder = match (&variable, &home) {
            (None, None) => None,
            _ => Some(Home::locate(variable, home.clone())?),
        };
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        Settings::read_with(SettingsFolders { home, folder, cwd }, given, &crate::environment::text, broken)
    }

    /// The same for the current folder.
    pub(crate) fn load_here(given: Option<&str>) -> anyhow::Result<Settings> {
        let cwd = crate::environment::current_folder()?;
        Settings::load(&cwd, given)
    }

    #[cfg(test)]
    pub(crate) fn read(
        around: SettingsFolders,
        given: Option<&str>,
        variable: EnvironmentLookup<'_>,
    ) -> anyhow::Result<Settings> {
        Settings::read_with(around, given, variable, BrokenFiles::Stop)
    }

    fn read_with(
        around: SettingsFolders,
        given: Option<&str>,
        variable: EnvironmentLookup<'_>,
        broken: BrokenFiles,
    ) -> anyhow::Result<Settings> {
        let SettingsFolders { home, folder, cwd } = around;
        let project = project_of(&cwd);
        let mut layers = SettingsLayers::default();
        let trust = trust_of(folder.as_deref(), &project, &mut layers.warnings);
        let schema = schema();
        let sense = |path: &[String], value: &Value| meaning::check(path, value, &project, home.as_deref());
        let files = LayerFiles { folder: folder.as_deref(), home: home.as_deref(), project: &project };
        for (source, path, inside) in files.all() {
            layers.file(source, &path, inside, &schema, &sense);
        }
        layers.environment(variable);
        if let Some(given) = given {
            layers.given(given, &cwd, &schema, &sense);
        }
        let problems = match broken {
            BrokenFiles::Stop if !layers.problems.is_empty() => return Err(SettingsProblems(layers.problems).into()),
            BrokenFiles::Stop | BrokenFiles::LeftOut => SettingsProblems(layers.leave_out_broken()),
        };
        let texts = std::mem::take(&mut layers.texts);
        let wishing = wishing_files::find(&project);
        let wishes: Vec<String> = wishing.iter().flat_map(WishingFile::named_wishes).collect();
        let (repository, mut trust) = match Repository::new(folder.as_deref(), &project, texts, wishing) {
            Ok(repository) => (repository, trust),
            Err(why) => {
                layers
                    .warnings
                    .push(format!("this folder is not trusted, because what you trusted cannot be read: {why}"));
                (Repository::default(), Trust::NotTrusted)
            }
        };
        let held = layers.settle(serde_json::to_value(WrittenSettings::default())?, &trust, &repository);
        let written: WrittenSettings = serde_json::from_value(without_nulls(held))?;
        let SettingsLayers { entries, refusals, mut warnings, unknown_keys, places, mut grants, .. } = layers;
        grants.extend(wishes);
        let is_held_back = |layer| {
            entries.iter().any(|entry| {
                entry.layer() == Some(layer) && entry.fate == Fate::Refused(guard::GuardRefusal::UntilReviewed)
            })
        };
        let held_back =
            [SettingsLayer::Project, SettingsLayer::ProjectLocal].into_iter().filter(|layer| is_held_back(*layer));
        let mut untrusted: Vec<UntrustedFile> = held_back.filter_map(|layer| repository.untrusted(layer)).collect();
        if trust != Trust::NotTrusted {
            untrusted.extend(repository.untrusted_words());
        }
        if let (Trust::Trusted(by), false) = (&trust, untrusted.is_empty()) {
            trust = Trust::Changed(by.clone());
        }
        let registries = registries_of(&PersonConfig { home: home.as_deref(), variable });
        // A file that is left out is not gone.
        if trust != Trust::NotTrusted && problems.is_empty() {
            warnings.extend(repository.gone());
        }
        warnings.extend(untrusted.iter().map(|file| file.words.clone()));
        let found = mcp::find(&written.mcp.servers, &project, variable);
        warnings.extend(found.warnings);
        let hooks = hooks::find(&files, &entries, &written.hooks.may_write, variable);
        let always_run = always_run(folder.as_deref(), &project, &mut warnings);
        Ok(Settings {
            home,
            folder,
            project,
            trust,
            table: TableSettings { always_run, ..meaning::table(&written, &registries) },
            read_only_commands: meaning::read_only_commands(&written),
            servers: written.mcp.read_only_servers.clone(),
            mcp: found.servers,
            written,
            entries,
            places,
            refusals,
            warnings,
            unknown_keys,
            repository,
            grants,
            untrusted,
            problems,
            hooks,
        })
    }

    /// Everything the person should know before these settings are used.
    pub(crate) fn all_warnings(&self) -> impl Iterator<Item = &str> {
        self.warnings.iter().chain(&self.unknown_keys).chain(&self.refusals).map(String::as_str)
    }

    /// What changed in the settings since the folder was trusted, for somebody who is asked to trust it again.
    pub(crate) fn differences(&self) -> impl Iterator<Item = String> {
        self.untrusted.iter().map(|file| file.difference.trim_end().to_owned())
    }

    /// What all cages share: the usual secrets and the person's own.
    pub(crate) fn cages(&self) -> fore_sandbox::CageSettings {
        let mut settings = fore_sandbox::CageSettings::new(self.home.clone(), crate::environment::variable);
        settings.secrets.extend(self.written.cage.secrets.iter().cloned());
        settings.not_secret.clone_from(&self.written.cage.not_secret);
        settings.shown.clone_from(&self.written.cage.additional_directories);
        settings.own_folder.clone_from(&self.folder);
        settings.proxy.clone_from(&self.written.proxy);
        settings
    }

    /// The rules that hold, with patterns relative to this project.
    pub(crate) fn rules(&self, project: &Path) -> anyhow::Result<Rules> {
        let mut rules = Rules::default();
        // Commands name the home folder as it is spelled, files are found under its real path: `~` means both.
        let real_home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        let mut all_roots = vec![PatternRoots { project, home: self.home.as_deref() }];
        if real_home.is_some() && real_home != self.home {
            all_roots.push(PatternRoots { project, home: real_home.as_deref() });
        }
        let permissions = &self.written.permissions;
        let lists = [
            (RuleEffect::Allow, &permissions.allow),
            (RuleEffect::Ask, &permissions.ask),
            (RuleEffect::Deny, &permissions.deny),
        ];
        for (effect, texts) in lists {
            for text in texts {
                for roots in &all_roots {
                    rules.add(effect, text, *roots)?;
                }
            }
        }
        Ok(rules)
    }
}

/// The files of the layers.
struct LayerFiles<'a> {
    folder: Option<&'a Path>,
    home: Option<&'a Path>,
    project: &'a Path,
}

impl<'a> LayerFiles<'a> {
    /// Each with the folder it must not lead out of.
    fn all(&self) -> Vec<(SettingsSource, PathBuf, Option<&'a Path>)> {
        let mut files = Vec::new();
        if let Some(folder) = self.folder {
            let path = folder.join("settings.json");
            files.push((
                SettingsSource { layer: SettingsLayer::User, name: self.seen_from_home(&path).into() },
                path,
                None,
            ));
        }
        let inside = self.project.join(".forethought");
        let real = |path: &Path| path.canonicalize().ok();
        // In the home folder the project's file would be the person's own.
        let is_ours = self
            .folder
            .is_some_and(|folder| folder == inside || (real(folder).is_some() && real(folder) == real(&inside)));
        if !is_ours {
            for (layer, name) in
                [(SettingsLayer::Project, "settings.json"), (SettingsLayer::ProjectLocal, "settings.local.json")]
            {
                let source = SettingsSource { layer, name: format!(".forethought/{name}").into() };
                files.push((source, inside.join(name), Some(self.project)));
            }
        }
        files
    }

    fn seen_from_home(&self, path: &Path) -> String {
        match self.home.and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        }
    }
}

fn trust_of(folder: Option<&Path>, project: &Path, warnings: &mut Vec<String>) -> Trust {
    let trusted = folder.map_or_else(|| Ok(TrustedFolders::default()), TrustedFolders::read);
    match trusted {
        Ok(trusted) => trusted.covering(project).map_or(Trust::NotTrusted, |by| Trust::Trusted(by.to_owned())),
        Err(error) => {
            warnings.push(format!("no folder is trusted, because the list of trusted folders cannot be used: {error}"));
            Trust::NotTrusted
        }
    }
}

/// What the person allowed for good in this project. A list that is not understood allows nothing.
fn always_run(folder: Option<&Path>, project: &Path, warnings: &mut Vec<String>) -> Vec<String> {
    let read = folder.map_or_else(|| Ok(Vec::new()), |folder| always_allowed::read(folder, project));
    read.unwrap_or_else(|error| {
        warnings.push(format!("what you always allow is asked about, because the list of it cannot be used: {error}"));
        Vec::new()
    })
}

/// What is not set is left out, so that the types fill in what they have.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(_, inside)| !inside.is_null());
            Value::Object(kept.map(|(key, inside)| (key, without_nulls(inside))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => value,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
