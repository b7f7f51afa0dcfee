//! Finds the key of a provider: a variable, the person's own command, the system's keyring. No key is ever printed, logged or put into an error.

use crate::{own_command::OwnCommands, settings::Settings};
use anyhow::{Context, bail};
use fore_model::{KeySource, Secret, provider};
use fore_sandbox::{Ending, JobCommand, RunOutcome};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How long a command may take to print a key.
const MAX_TIME: Duration = Duration::from_secs(10);
/// The longest output that is taken for a key.
const MAX_BYTES: usize = 16 << 10;
/// The name our keys have in a keyring.
const SERVICE: &str = "forethought";

type FoundKey = (Secret, KeySource);

/// Looks for keys, once for each provider.
pub(super) struct KeyFinder {
    commands: OwnCommands,
    found: Mutex<BTreeMap<String, Option<FoundKey>>>,
}

impl KeyFinder {
    pub(super) fn new(settings: &Settings) -> anyhow::Result<KeyFinder> {
        Ok(KeyFinder { commands: OwnCommands::new(settings)?, found: Mutex::default() })
    }

    /// The key from the command or the keyring; none where a variable holds one, or where there is none.
    pub(super) fn find(&self, id: &str, command: Option<&str>) -> anyhow::Result<Option<FoundKey>> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = found.get(id) {
            return Ok(key.clone());
        }
        let key = self.look(id, command)?;
        found.insert(id.to_owned(), key.clone());
        Ok(key)
    }

    fn look(&self, id: &str, command: Option<&str>) -> anyhow::Result<Option<FoundKey>> {
        let row = provider(id);
        let is_set = |name: &str| super::variable(name).is_some_and(|value| !value.trim().is_empty());
        if row.is_some_and(|row| row.key_variables.iter().any(|(name, _)| is_set(name))) {
            return Ok(None);
        }
        if let Some(command) = command {
            let secret =
                self.ask_command(command).with_context(|| format!("no key for {id} from its apiKeyCommand"))?;
            return Ok(Some((secret, KeySource::Command)));
        }
        // Servers on one's own machine want none.
        if row.is_none_or(|row| row.keyless) {
            return Ok(None);
        }
        let path = crate::environment::variable("PATH").unwrap_or_default();
        let Some(argv) = keyring(id, &path, self.commands.project()) else { return Ok(None) };
        Ok(self.ask_keyring(argv)?.map(|secret| (secret, KeySource::Keyring)))
    }

    fn ask_command(&self, command: &str) -> anyhow::Result<Secret> {
        let outcome = self.commands.run(JobCommand::Script(command.to_owned()), MAX_TIME, MAX_BYTES)?;
        match (outcome.ending, outcome.status.success()) {
            (Ending::Itself, true) => {}
            (Ending::Time, _) => bail!("it took longer than {} s", MAX_TIME.as_secs()),
            // What it printed may hold the key, so it is not repeated.
            (_, _) => bail!("it ended with exit code {}", outcome.status.code()),
        }
        key_in(&outcome)?.context("it printed nothing")
    }

    /// A keyring that is locked or has no such key is as good as none.
    fn ask_keyring(&self, argv: Vec<std::ffi::OsString>) -> anyhow::Result<Option<Secret>> {
        let outcome = self
            .commands
            .run(JobCommand::Program(argv), MAX_TIME, MAX_BYTES)
            .context("the system keyring cannot be asked")?;
        if outcome.ending != Ending::Itself || !outcome.status.success() {
            return Ok(None);
        }
        key_in(&outcome).context("the system keyring")
    }
}

fn key_in(outcome: &RunOutcome) -> anyhow::Result<Option<Secret>> {
    if outcome.stdout.truncated() {
        bail!("it printed more than {MAX_BYTES} bytes, which is not a key");
    }
    let text = outcome.stdout.text();
    let text = text.trim();
    if text.contains(char::is_control) {
        bail!("it printed more than one line, which is not a key");
    }
    Ok((!text.is_empty()).then(|| Secret::new(text)))
}

/// The program that asks this system's keyring, if it is there. The project has no say in which program that is.
fn keyring(id: &str, path: &std::ffi::OsStr, project: &Path) -> Option<Vec<std::ffi::OsString>> {
    let (program, words): (&str, [&str; 6]) = if cfg!(target_os = "macos") {
        ("security", ["find-generic-password", "-s", SERVICE, "-a", id, "-w"])
    } else {
        ("secret-tool", ["lookup", "service", SERVICE, "account", id, ""])
    };
    let is_ours = |file: &PathBuf| {
        let real = file.canonicalize();
        file.is_absolute() && real.is_ok_and(|real| real.is_file() && !real.starts_with(project))
    };
    let found = std::env::split_paths(path).map(|folder| folder.join(program)).find(is_ours)?;
    let words = words.into_iter().filter(|word| !word.is_empty()).map(Into::into);
    Some(std::iter::once(found.into_os_string()).chain(words).collect())
}

/// How to put a key into the keyring of this system.
pub(super) fn keyring_advice(id: &str) -> String {
    if cfg!(target_os = "macos") {
        format!(", or keep it in the keychain: security add-generic-password -s {SERVICE} -a {id} -w")
    } else {
        format!(", or keep it in the keyring: secret-tool store --label='{id} key' service {SERVICE} account {id}")
    }
}
