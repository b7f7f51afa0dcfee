//! The hooks of a session: which of them run, which wait for the person's trust, and where they may write.

use crate::{definition::Hook, occasion::HookOccasion, reading::HookFault};
use fore_plan::plan::Hash;
use std::{collections::BTreeMap, fmt, path::PathBuf};

/// All hooks of a session.
#[derive(Clone, Default, PartialEq)]
pub struct HookSettings {
    /// Every hook that was found, in the order of the files.
    pub hooks: Vec<ConfiguredHook>,
    /// Paths that hooks may write in every mode, from the person's own settings.
    pub may_write: Vec<PathBuf>,
    /// What variables hold that headers of hooks may name.
    pub variables: BTreeMap<String, String>,
    /// What was not understood, by file.
    pub faults: Vec<(String, HookFault)>,
}

/// A hook, and whether it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfiguredHook {
    /// The hook.
    pub hook: Hook,
    /// Whether it runs, and why not.
    pub standing: HookStanding,
    /// What a person vouches for, to the letter.
    pub content: String,
}

/// Whether a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookStanding {
    /// The person set it up, and nothing of the project is part of it.
    Own,
    /// The person vouched for exactly this content; other bytes are not run.
    Vouched,
    /// The person never vouched for it.
    Unknown,
    /// The person vouched for it when it was this.
    Changed(String),
}

impl ConfiguredHook {
    /// Whether it runs.
    pub fn runs(&self) -> bool {
        match self.standing {
            HookStanding::Own | HookStanding::Vouched => true,
            HookStanding::Unknown | HookStanding::Changed(_) => false,
        }
    }

    /// It, its file and whether it runs, in one line.
    pub fn line(&self) -> String {
        let Hook { event, matcher, origin, .. } = &self.hook;
        let matcher = matcher.text().trim();
        let meant = if matches!(matcher, "" | "*") { String::new() } else { format!(" {matcher}") };
        let standing = match self.standing {
            HookStanding::Own | HookStanding::Vouched => "",
            HookStanding::Unknown => " · off until you trust it: fore hooks trust",
            HookStanding::Changed(_) => " · off: it is not what you trusted; fore hooks trust",
        };
        fore_text::line(&format!("{}{meant}: {} ({}){standing}", event.name(), self.hook.name(), origin.file))
            .into_owned()
    }

    /// By which it is trusted on a command line.
    pub fn hash(&self) -> Hash {
        Hash::of(self.content.as_bytes())
    }
}

impl HookSettings {
    /// The hooks that run now: those of the event whose matcher fits, each once.
    pub fn meant(&self, occasion: &HookOccasion) -> Vec<&ConfiguredHook> {
        let mut meant: Vec<&ConfiguredHook> = Vec::new();
        let event = occasion.event();
        for one in self.hooks.iter().filter(|one| one.hook.event == event && one.runs()) {
            let is_new = meant.iter().all(|known| !known.hook.is_same_as(&one.hook));
            if is_new && one.hook.matcher.matches(occasion.subject()) {
                meant.push(one);
            }
        }
        meant
    }

    /// Those that wait for the person's trust.
    pub fn waiting(&self) -> impl Iterator<Item = &ConfiguredHook> {
        self.hooks.iter().filter(|one| !one.runs())
    }

    /// Trusts hooks by their hashes, for one run. A hash that is none of them is given back.
    pub fn trust(&mut self, hashes: &[Hash]) -> Vec<Hash> {
        for one in self.hooks.iter_mut().filter(|one| hashes.contains(&one.hash())) {
            if !one.runs() {
                one.standing = HookStanding::Vouched;
            }
        }
        let is_known = |hash: &&Hash| self.hooks.iter().any(|one| one.hash() == **hash);
        hashes.iter().filter(|hash| !is_known(hash)).copied().collect()
    }
}

impl fmt::Debug for HookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookSettings").field("hooks", &self.hooks).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HookOrigin, HookedCall, read_hooks};
    use serde_json::json;

    fn settings() -> HookSettings {
        let origin = HookOrigin { file: "x".into(), is_of_repository: true };
        let group = |matcher: &str, command: &str| json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] });
        let (hooks, _) = read_hooks(
            &json!({ "PreToolUse": [group("Bash", "one"), group("", "one"), group("Edit", "two"), group("*", "three")] }),
            &origin,
        );
        let configured = |hook: Hook| {
            let content = format!("{} {}", hook.matcher.text(), hook.runner.text());
            ConfiguredHook { hook, standing: HookStanding::Vouched, content }
        };
        HookSettings { hooks: hooks.into_iter().map(configured).collect(), ..HookSettings::default() }
    }

    fn bash() -> HookOccasion {
        HookOccasion::PreToolUse { call: HookedCall { tool: "Bash".into(), input: json!({}), id: "1".into() } }
    }

    #[test]
    fn hooks_that_do_the_same_run_once_and_the_others_where_they_are_meant() {
        let settings = settings();
        let meant: Vec<String> = settings.meant(&bash()).iter().map(|one| one.hook.runner.text()).collect();
        assert_eq!(meant, ["one", "three"]);
        assert!(settings.meant(&HookOccasion::SessionEnd { reason: "other" }).is_empty());
    }

    #[test]
    fn a_hook_without_trust_is_left_out_until_its_very_hash_is_named() {
        let mut settings = settings();
        settings.hooks.iter_mut().for_each(|one| one.standing = HookStanding::Unknown);
        settings.hooks[3].standing = HookStanding::Changed("before".into());
        assert!(settings.meant(&bash()).is_empty());
        let (known, stranger) = (settings.hooks[3].hash(), Hash::of(b"another"));
        assert_eq!(settings.trust(&[known, stranger]), [stranger]);
        let meant: Vec<String> = settings.meant(&bash()).iter().map(|one| one.hook.runner.text()).collect();
        assert_eq!(meant, ["three"]);
        assert_eq!(settings.waiting().count(), 3);
    }
}
