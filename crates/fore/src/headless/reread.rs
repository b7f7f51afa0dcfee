//! Reads the settings again for a session that runs, and knows by a cheap look whether there is anything to read.

use crate::{
    config, report,
    settings::{MCP_FILE, Settings, hook_files, hook_notices},
};
use fore_agent::{SessionSettings, SettingsRead, SettingsReader};
use fore_plan::{HostPattern, plan::Hash};
use std::{
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long files have to stay as they are until they are read: whoever writes one may not have finished.
const REST: Duration = Duration::from_millis(150);
/// Warnings that are remembered as told.
const MAX_TOLD: usize = 1000;

/// What the command line says beside the settings; it holds whatever the files say.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunOverrides {
    pub(crate) max_rounds: Option<u32>,
    pub(crate) allowed_hosts: Vec<HostPattern>,
    pub(crate) trusted_servers: Vec<Hash>,
    /// Hooks that are trusted for this run.
    pub(crate) trusted_hooks: Vec<Hash>,
}

/// The settings as they were read last, for whoever else shows them.
pub(crate) type SharedSettings = Arc<Mutex<Arc<Settings>>>;

/// The files that settings come from.
#[derive(Debug)]
pub(crate) struct SettingsFiles {
    folder: PathBuf,
    /// What follows `--settings`.
    given: Option<String>,
    overrides: RunOverrides,
    shared: SharedSettings,
    watched: Vec<PathBuf>,
    seen: Mutex<WatchedState>,
}

#[derive(Debug)]
struct WatchedState {
    /// As they were when they were read.
    read: Vec<WatchedFile>,
    /// As they were at the last look, and since when.
    newest: Vec<WatchedFile>,
    since: Instant,
    /// What the person has been told.
    told: Vec<String>,
}

/// What tells one state of a file from another; none where there is no file.
type WatchedFile = Option<[i128; 6]>;

impl RunOverrides {
    /// What a session is told: the settings, and what the command line adds.
    pub(crate) fn session(&self, settings: &Settings) -> anyhow::Result<SessionSettings> {
        let mut session = settings.session()?;
        session.max_rounds = self.max_rounds.unwrap_or(session.max_rounds);
        session.table.allowed_hosts.extend(self.allowed_hosts.iter().cloned());
        session.trusted_servers.extend(self.trusted_servers.iter().copied());
        session.hooks.trust(&self.trusted_hooks);
        session.listed = config::listed(settings);
        Ok(session)
    }

    /// Hooks that are named on the command line and are not there: whoever named one counts on it.
    pub(crate) fn missing_hooks(&self, settings: &Settings) -> Vec<Hash> {
        settings.hooks.clone().trust(&self.trusted_hooks)
    }
}

impl SettingsFiles {
    /// For settings that were just read.
    pub(crate) fn new(
        folder: &Path,
        given: Option<&str>,
        overrides: RunOverrides,
        shared: SharedSettings,
    ) -> SettingsFiles {
        let settings = Arc::clone(&lock(&shared));
        let mut watched: Vec<PathBuf> = settings.places.iter().filter_map(|place| place.path.clone()).collect();
        // Which folders are trusted, and for which content.
        let trust = settings
            .folder
            .iter()
            .flat_map(|own| [own.join("trusted.json"), own.join("trusted"), own.join("vouches.json")]);
        watched.extend(trust);
        watched.push(settings.project.join(MCP_FILE));
        watched.extend(hook_files(&settings.project));
        let read = stamps(&watched);
        let session_hooks = overrides.session(&settings).map(|session| session.hooks).unwrap_or_default();
        let told = told(&settings).into_iter().chain(hook_notices(&session_hooks)).collect();
        let seen = Mutex::new(WatchedState { newest: read.clone(), read, since: Instant::now(), told });
        SettingsFiles { folder: folder.to_owned(), given: given.map(str::to_owned), overrides, shared, watched, seen }
    }
}

impl SettingsReader for SettingsFiles {
    fn changed(&self) -> Option<Duration> {
        let now = stamps(&self.watched);
        let mut seen = lock(&self.seen);
        if now == seen.read {
            seen.newest = now;
            return None;
        }
        if now != seen.newest {
            (seen.newest, seen.since) = (now, Instant::now());
        }
        Some(REST.saturating_sub(seen.since.elapsed()))
    }

    fn read(&self) -> Result<SettingsRead, String> {
        // Taken before they are read: what changes meanwhile is read once more. A broken file is not read again until it changes.
        let now = stamps(&self.watched);
        lock(&self.seen).read = now;
        let settings = Settings::load(&self.folder, self.given.as_deref());
        let settings = Arc::new(settings.map_err(|error| report::words(&error))?);
        let session = self.overrides.session(&settings).map_err(|error| report::words(&error))?;
        let mut warnings = told(&settings);
        warnings.extend(hook_notices(&session.hooks));
        let mut seen = lock(&self.seen);
        warnings.retain(|warning| !seen.told.contains(warning));
        seen.told.extend(warnings.iter().cloned());
        let too_many = seen.told.len().saturating_sub(MAX_TOLD);
        seen.told.drain(..too_many);
        drop(seen);
        *lock(&self.shared) = Arc::clone(&settings);
        Ok(SettingsRead {
            folder_trusted: settings.is_trusted(),
            auto_opted_in: settings.written.permissions.auto_opt_in,
            settings: session,
            warnings,
        })
    }
}

/// What the person is told about settings, with what a repository changed since it was trusted.
fn told(settings: &Settings) -> Vec<String> {
    settings.all_warnings().map(str::to_owned).chain(settings.differences()).collect()
}

fn stamps(paths: &[PathBuf]) -> Vec<WatchedFile> {
    let stamp = |path: &PathBuf| {
        let found = path.metadata().ok()?;
        let [device, number, size] = [found.dev(), found.ino(), found.size()].map(i128::from);
        let written = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
        let changed = i128::from(found.ctime()) * 1_000_000_000 + i128::from(found.ctime_nsec());
        Some([device, number, size, written, changed, i128::from(found.mode())])
    };
    paths.iter().map(stamp).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
