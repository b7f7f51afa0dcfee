//! Finds hooks: in the settings, and in `.claude/settings.json` of the project. Those that somebody else may have written run only if
//! the person vouched for exactly them.

use super::{
    LayerFiles,
    entry::{SettingEntry, SettingOrigin},
    layers::{EnvironmentLookup, text_of},
    read::OPTIONS,
};
use fore_agent::hash_of_hook_file;
use fore_hooks::{
    ConfiguredHook, Hook, HookEvent, HookFault, HookOrigin, HookRunner, HookSettings, HookStanding, read_groups,
    read_hooks,
};
use fore_store::vouches::{VouchKind, VouchState, Vouches};
use jsonc_parser::parse_to_serde_value;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Where other agents keep their hooks, in a project.
const OTHER_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
/// Notices about hooks at most.
const MAX_NOTICES: usize = 8;

/// The files besides our own that hooks may come from.
pub(crate) fn hook_files(project: &Path) -> Vec<PathBuf> {
    OTHER_FILES.iter().map(|file| project.join(file)).collect()
}

/// All hooks, in the order of the files; those of a repository by what the person vouched for.
pub(super) fn find(
    files: &LayerFiles<'_>,
    entries: &[SettingEntry],
    may_write: &[PathBuf],
    variable: EnvironmentLookup<'_>,
) -> HookSettings {
    let mut found = FoundHooks::default();
    for entry in entries.iter().filter(|entry| entry.is_taken()) {
        found.entry(entry);
    }
    for file in OTHER_FILES {
        found.file(file, files.project);
    }
    let vouches = files.folder.map_or_else(|| Ok(Vouches::default()), |own| Vouches::read(own, files.project));
    let vouches = vouches.unwrap_or_else(|error| {
        found.fault("vouches.json", format!("no hook of a repository runs, because it cannot be used: {error}"));
        Vouches::default()
    });
    let hooks: Vec<ConfiguredHook> =
        found.hooks.into_iter().map(|hook| configured(hook, files.project, &vouches)).collect();
    let may_write = may_write.iter().map(|path| from_home(path, files.home)).collect();
    let variables = variables(&hooks, variable);
    HookSettings { hooks, may_write, variables, faults: found.faults }
}

#[derive(Default)]
struct FoundHooks {
    hooks: Vec<Hook>,
    faults: Vec<(String, HookFault)>,
}

impl FoundHooks {
    fn entry(&mut self, entry: &SettingEntry) {
        let (SettingOrigin::Written { source, .. }, [section, event]) = (&entry.origin, entry.path.as_slice()) else {
            return;
        };
        let Some(event) = HookEvent::from_name(event).filter(|_| section == "hooks") else { return };
        let origin =
            HookOrigin { file: source.name.to_string(), is_of_repository: source.layer.is_of_the_repository() };
        let (hooks, faults) = read_groups(event, std::slice::from_ref(&entry.value), &origin);
        self.add(&origin.file, hooks, faults);
    }

    /// Hooks that were written for another agent. The file has more in it that is not ours to judge.
    fn file(&mut self, name: &str, project: &Path) {
        let text = match text_of(&project.join(name), Some(project)) {
            Ok(Some(text)) => text,
            Ok(None) => return,
            Err(why) => return self.fault(name, why),
        };
        let said: Value = match parse_to_serde_value(&text, &OPTIONS) {
            Ok(said) => said,
            Err(_) => return self.fault(name, "it is not JSON, so its hooks are not run".to_owned()),
        };
        if said.get("disableAllHooks").and_then(Value::as_bool) == Some(true) {
            return;
        }
        let Some(hooks) = said.get("hooks") else { return };
        let origin = HookOrigin { file: name.to_owned(), is_of_repository: true };
        let (hooks, faults) = read_hooks(hooks, &origin);
        self.add(name, hooks, faults);
    }

    fn add(&mut self, file: &str, hooks: Vec<Hook>, faults: Vec<HookFault>) {
        self.hooks.extend(hooks);
        self.faults.extend(faults.into_iter().map(|fault| (file.to_owned(), fault)));
    }

    fn fault(&mut self, file: &str, what: String) {
        self.faults.push((file.to_owned(), HookFault { what }));
    }
}

fn configured(hook: Hook, project: &Path, vouches: &Vouches) -> ConfiguredHook {
    let content = hook.content(project, &hash_of_hook_file);
    let standing = if hook.needs_vouch(project, &hash_of_hook_file) {
        match vouches.state(VouchKind::Hook, &hook.vouch_name(), &content) {
            VouchState::Holds => HookStanding::Vouched,
            VouchState::Changed(before) => HookStanding::Changed(before),
            VouchState::Unknown => HookStanding::Unknown,
        }
    } else {
        HookStanding::Own
    };
    ConfiguredHook { hook, standing, content }
}

/// What headers may hold, of hooks that run.
fn variables(hooks: &[ConfiguredHook], variable: EnvironmentLookup<'_>) -> BTreeMap<String, String> {
    let names = hooks.iter().flat_map(|one| match &one.hook.runner {
        HookRunner::Http { allowed_variables, .. } => allowed_variables.as_slice(),
        HookRunner::Shell { .. } | HookRunner::Program { .. } => &[],
    });
    names.filter_map(|name| Some((name.clone(), variable(name)?))).collect()
}

fn from_home(path: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => home.join(rest),
        (Ok(_) | Err(_), _) => path.to_owned(),
    }
}

/// What the person should know about hooks before a session: those that are off, and what was not understood.
pub(crate) fn hook_notices(hooks: &HookSettings) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for one in hooks.waiting() {
        if let HookStanding::Changed(_) = one.standing {
            let (event, name, file) = (one.hook.event.name(), one.hook.name(), &one.hook.origin.file);
            notices.push(format!(
                "the {event} hook `{name}` of {file} is not what you trusted, so it is off; `fore hooks list` shows the difference"
            ));
        }
    }
    let unknown: Vec<&ConfiguredHook> = hooks.waiting().filter(|one| one.standing == HookStanding::Unknown).collect();
    if let Some(first) = unknown.first() {
        let files: std::collections::BTreeSet<&str> = unknown.iter().map(|one| one.hook.origin.file.as_str()).collect();
        let (count, files) = (unknown.len(), files.into_iter().collect::<Vec<_>>().join(", "));
        let which = if count == 1 { format!("the hook `{}`", first.hook.name()) } else { format!("{count} hooks") };
        let are = fore_text::plural(count, "is off until you trust it", "are off until you trust them");
        notices.push(format!("{which} of {files} {are}: look with `fore hooks list`, then `fore hooks trust`"));
    }
    notices.extend(hooks.faults.iter().map(|(file, fault)| format!("{file}: {}", fault.what)));
    let more = notices.len().saturating_sub(MAX_NOTICES);
    notices.truncate(MAX_NOTICES);
    if more > 0 {
        notices.push(format!("{more} more notes on hooks; `fore hooks list` shows them"));
    }
    notices
}

#[cfg(test)]
#[path = "hooks_tests.rs"]
mod tests;
