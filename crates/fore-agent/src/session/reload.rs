//! Settings that are read again while the session lives: noticed by a look at the files, taken whole or not at all, and told.
//!
//! What was judged by the old ones is void with the epoch that [`Change::SettingsRead`] begins.

use super::{session_context::SessionContext, setup::LiveSettings};
use crate::{
    event::{Event, NoticeLevel},
    settings::{SessionSettings, SettingDifference, SettingsRead},
};
use fore_plan::{Actor, Change, Level, Mode, ModeReason, ModeTarget, Openings, transition};
use fore_store::StoreError;
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a prompt waits at most for a file that is being written.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// Differences that are told; the rest is counted.
const MAX_TOLD: usize = 12;
/// Letters of one value that are told.
const MAX_VALUE_CHARS: usize = 80;

/// What takes effect in a session that runs; a key that is not here needs a restart.
const LIVE_KEYS: [&str; 7] = ["permissions.", "plan.", "network.", "env.", "mcp.", "context.", "hooks."];
const LIVE_LIMIT: &str = "limits.rounds";

/// Why settings are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReloadCause {
    /// A file is not what it was.
    Noticed,
    /// The person wants it.
    Asked,
}

impl SessionContext {
    /// Returns when there is something to read again; never where nobody could.
    pub(crate) async fn settings_changed(&self) {
        let Some(reader) = &self.setup.reader else { return std::future::pending().await };
        loop {
            let begun = self.work.running.begun_changes();
            match reader.changed() {
                Some(rest) if rest.is_zero() && !self.must_wait_for_the_person() => return,
                Some(rest) if !rest.is_zero() => tokio::time::sleep(rest).await,
                Some(_) => tokio::time::sleep(LOOK_EVERY).await,
                None => {
                    self.note_settings_seen(begun);
                    tokio::time::sleep(LOOK_EVERY).await;
                }
            }
        }
    }

    /// Reads what has changed before a prompt is heard, and waits a moment for a file that is being written.
    pub(crate) async fn catch_up_with_settings(&self) {
        let Some(reader) = &self.setup.reader else { return };
        let settled = async {
            while let Some(rest) = reader.changed().filter(|rest| !rest.is_zero()) {
                tokio::time::sleep(rest).await;
            }
        };
        let _ = tokio::time::timeout(MAX_WAIT, settled).await;
        if reader.changed().is_some_and(|rest| rest.is_zero()) && !self.must_wait_for_the_person() {
            self.reload_settings(ReloadCause::Noticed);
        }
    }

    /// Looks at the files after work that could have changed them: what changes later is not its doing.
    pub(crate) fn look_at_settings(&self) {
        let begun = self.work.running.begun_changes();
        if self.setup.reader.as_ref().is_some_and(|reader| reader.changed().is_none()) {
            self.note_settings_seen(begun);
        }
    }

    /// The files were what was read when so much had begun. What still runs may have written them since.
    fn note_settings_seen(&self, begun_changes: u64) {
        if !self.is_writing() {
            self.work.note_settings_seen(begun_changes);
        }
    }

    /// Whether anything of the session could write files right now, what its commands have left running included.
    fn is_writing(&self) -> bool {
        self.work.is_writing() || self.setup.cages.has_left_behind()
    }

    /// A file that something of the session could have written is not the person's word: it counts when they say so, whatever
    /// happens until then. With bypassPermissions commands run unheld and may leave anything behind.
    fn must_wait_for_the_person(&self) -> bool {
        let is_bypass = self.ledger.state().mode() == Mode::At(Level::BypassPermissions);
        let is_doubtful = is_bypass || self.is_writing() || self.work.could_have_changed_settings();
        if is_doubtful && self.work.note_unread_settings() {
            let text = "A settings file has changed. The model could have done that, so it was not reloaded: look at it, then \
                        run /config reload.";
            self.person.notice(NoticeLevel::Warning, text);
        }
        self.work.has_unread_settings()
    }

    /// Reads the settings again and lets them hold at once. If something is wrong with them, what held before still does.
    pub(crate) fn reload_settings(&self, cause: ReloadCause) {
        let Some(reader) = &self.setup.reader else {
            return self.person.notice(NoticeLevel::Warning, "The settings of this session cannot be read again.");
        };
        if cause == ReloadCause::Asked {
            self.work.forget_unread_settings();
        }
        let (before, begun) = (self.setup.live(), self.work.running.begun_changes());
        let read = reader.read();
        // Something may have begun while they were read.
        if cause == ReloadCause::Noticed && self.must_wait_for_the_person() {
            return;
        }
        self.note_settings_seen(begun);
        match read {
            Ok(read) => {
                let differences = differences(&before.settings.listed, &read.settings.listed);
                if let Err(error) = self.take_settings(&before, &read) {
                    return self.refuse_settings(&error.to_string());
                }
                self.tell_settings(cause, differences);
                read.warnings.into_iter().for_each(|text| self.person.notice(NoticeLevel::Warning, text));
                self.follow_default_mode(before.settings.default_mode, read.settings.default_mode);
            }
            Err(why) => self.refuse_settings(&why),
        }
    }

    /// Everything at once, and what was judged by the old ones is judged anew. After an error nothing has changed.
    fn take_settings(&self, before: &Arc<LiveSettings>, read: &SettingsRead) -> Result<(), StoreError> {
        let settings = keeping_what_needs_a_restart(&before.settings, read.settings.clone());
        let wanted = settings.auto_during_plan;
        let live = LiveSettings::new(settings, read.folder_trusted);
        // They hold before the new epoch begins: nothing judged by the old ones can belong to it.
        self.setup.held.replace(Arc::new(live));
        let state = self.ledger.state();
        let mut openings = Openings { auto_opted_in: read.auto_opted_in, ..*state.openings() };
        // What the person said in this session stays, unless the files say something new.
        if read.folder_trusted != before.folder_trusted {
            openings.folder_trusted = read.folder_trusted;
        }
        let mut changes = vec![Change::SettingsRead];
        if wanted != before.settings.auto_during_plan {
            changes.push(Change::AutoDuringPlan { wanted });
        }
        if openings != *state.openings() {
            changes.push(Change::Openings { openings, by: Actor::Settings });
        }
        for change in changes {
            self.try_record(change).inspect_err(|_| self.setup.held.replace(Arc::clone(before)))?;
        }
        self.setup.servers.follow(&self.setup.live().settings);
        Ok(())
    }

    /// Another mode to start in is a switch like any other: by the one function, and refused where that refuses.
    fn follow_default_mode(&self, before: Mode, after: Mode) {
        if before == after {
            return;
        }
        let state = self.ledger.state();
        let target = ModeTarget::from(after);
        match transition(&state, target, Actor::Settings, ModeReason::Settings) {
            Ok(Some(change)) => {
                self.must_record(change);
                self.person.note_switch();
            }
            Ok(None) => {}
            Err(refusal) => {
                self.ledger.audit_refused_switch(target, "settings", &refusal);
                let (mode, why) = (state.mode(), &refusal.reason);
                let text = format!(
                    "The settings ask for {after}, but the mode stays {mode}: {why}. Switch by hand if you want to."
                );
                self.person.notice(NoticeLevel::Warning, text);
            }
        }
    }

    fn refuse_settings(&self, why: &str) {
        self.settings_read(Vec::new(), Some(why.to_owned()));
        let text = format!("The changed settings are not used; the previous ones still apply: {why}");
        self.person.notice(NoticeLevel::Warning, text);
    }

    fn tell_settings(&self, cause: ReloadCause, differences: Vec<SettingDifference>) {
        if differences.is_empty() {
            if cause == ReloadCause::Asked {
                self.person.notice(NoticeLevel::Info, "The settings were reloaded; nothing has changed.");
            }
        } else {
            self.person.notice(NoticeLevel::Info, in_words(&differences));
        }
        self.settings_read(differences, None);
    }

    fn settings_read(&self, differences: Vec<SettingDifference>, problem: Option<String>) {
        let trusted = self.ledger.state().openings().folder_trusted;
        let hosts = &self.setup.live().settings.table.allowed_hosts;
        let allowed_hosts = hosts.iter().map(ToString::to_string).collect();
        self.person.events.send(Event::SettingsRead { differences, trusted, allowed_hosts, problem });
    }
}

/// Folders, cages, memory and the number of agents were settled when the session began.
fn keeping_what_needs_a_restart(before: &SessionSettings, read: SessionSettings) -> SessionSettings {
    SessionSettings {
        cages: before.cages.clone(),
        plans_directory: before.plans_directory.clone(),
        max_agents: before.max_agents,
        memory: before.memory,
        trusted_servers: before.trusted_servers.clone(),
        ..read
    }
}

fn differences(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<SettingDifference> {
    let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differ = keys.into_iter().filter(|key| before.get(*key) != after.get(*key));
    let is_live = |key: &str| key == LIVE_LIMIT || LIVE_KEYS.iter().any(|live| key.starts_with(live));
    differ
        .map(|key| SettingDifference {
            key: key.clone(),
            before: before.get(key).cloned(),
            after: after.get(key).cloned(),
            needs_restart: !is_live(key),
        })
        .collect()
}

fn in_words(differences: &[SettingDifference]) -> String {
    let value = |value: &Option<String>| match value {
        Some(value) => fore_text::cut::ellipsis(value, MAX_VALUE_CHARS).into_owned(),
        None => "not set".to_owned(),
    };
    let line = |one: &SettingDifference| format!("{}: {} → {}", one.key, value(&one.before), value(&one.after));
    let listed = |these: &[&SettingDifference]| {
        let mut lines: Vec<String> = these.iter().take(MAX_TOLD).map(|one| line(one)).collect();
        if let Some(more) = these.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
            lines.push(format!("and {more} more"));
        }
        lines.join("; ")
    };
    let (later, now): (Vec<_>, Vec<_>) = differences.iter().partition(|one| one.needs_restart);
    let mut words = Vec::new();
    if !now.is_empty() {
        words.push(format!("Settings now in effect: {}.", listed(&now)));
    }
    if !later.is_empty() {
        words.push(format!("Settings that need a restart: {}.", listed(&later)));
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a3_a_difference_says_what_holds_now_and_what_needs_a_restart() {
        let map = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
        };
        let before =
            map(&[("plan.network", "ask"), ("memory", "true"), ("limits.rounds", "200"), ("limits.agents", "8")]);
        let after = map(&[
            ("plan.network", "never"),
            ("permissions.deny", "[\"Read(x)\"]"),
            ("limits.agents", "2"),
            ("memory", "true"),
        ]);
        assert_eq!(
            in_words(&differences(&before, &after)),
            "Settings now in effect: limits.rounds: 200 → not set; permissions.deny: not set → [\"Read(x)\"]; \
             plan.network: ask → never. Settings that need a restart: limits.agents: 8 → 2."
        );
        assert_eq!(differences(&before, &before), []);
        let unknown = differences(&map(&[]), &map(&[("brandnew", "1")]));
        assert!(unknown[0].needs_restart, "what nobody thought of here is not taken at once");
    }
}
