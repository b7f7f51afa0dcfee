//! What a repository's settings may say: what only restricts is always taken, what grants waits for trust, a few things are never taken.

use super::entry::{Fate, SettingEntry, SettingOrigin};
use fore_plan::{Level, Mode};
use serde_json::Value;
use std::fmt;

/// Whether the person trusts the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// By this entry of the list of trusted folders.
    Trusted(std::path::PathBuf),
    /// By this entry, but not for what the folder's settings say now.
    Changed(std::path::PathBuf),
    NotTrusted,
}

/// Why a repository's value is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GuardRefusal {
    UntilTrusted,
    /// The file is not the one that was trusted.
    UntilReviewed,
    Never,
}

/// What is asked about a key that a repository sets.
#[derive(Clone, Copy, Debug)]
enum Guard {
    /// It grants nothing.
    Free,
    /// It grants something.
    NeedsTrust,
    /// It is the person's own word.
    Never,
    /// This one word grants nothing.
    Only(&'static str),
    /// This one position grants nothing.
    OnlySwitch(bool),
    /// The same, and the other one is never taken.
    OnlySwitchEver(bool),
    /// Not more than what holds without it.
    NotMore(fn(&Value) -> Option<u64>),
}

fn guard(path: &[&str]) -> Guard {
    match path {
        ["$schema"] => Guard::Free,
        // Held inside the project by its own rule.
        ["plansDirectory"] => Guard::Free,
        ["permissions", "ask" | "deny"] | ["cage", "secrets"] => Guard::Free,
        ["permissions", "allow"] => Guard::NeedsTrust,
        ["permissions", "defaultMode"] => Guard::NotMore(carelessness),
        ["permissions", "autoOptIn"] | ["plan", "useAutoModeDuringPlan"] => Guard::OnlySwitch(false),
        ["plan", "unproven"] => Guard::Only("refuse"),
        ["plan", "network"] => Guard::Only("never"),
        ["plan", "todo" | "workflow" | "length" | "trigger" | "agents" | "exploreAgents" | "exploreOrder"] => {
            Guard::Free
        }
        // Rarer reminders are a little less for the model to hold on to; the gate holds all the same.
        ["plan", "turnsBetweenReminders"] => Guard::NotMore(Value::as_u64),
        ["plan", "modelMayEnter"] => Guard::OnlySwitch(true),
        // A repository would vouch for its own scripts.
        ["plan", "readOnlyCommands"] => Guard::Never,
        // A repository would take its own files, or the person's, off the list of secrets.
        ["cage", "notSecret" | "additionalDirectories"] => Guard::Never,
        // What runs unheld is for the person alone to say.
        ["plan", "withoutSandbox"] => Guard::Never,
        // A repository would name the host that it sends things to.
        ["network", "allowedHosts" | "inAutoMode"] | ["plan", "allowedHosts"] => Guard::Never,
        // Whom the code is sent to, and who pays.
        ["model", "act" | "plan" | "small"] | ["proxy"] => Guard::NeedsTrust,
        // Where a model is, which key it gets, how long it is waited for and what is sent besides.
        ["model", "providers" | "servers", ..] => Guard::NeedsTrust,
        // It leaves tools out or not; what each may do is decided elsewhere.
        ["model", "profile"] => Guard::Free,
        ["env", _] | ["mcp", "readOnlyServers"] => Guard::NeedsTrust,
        // A repository's servers are in a file of their own, and need a vouch; here it may only switch servers off.
        ["mcp", "servers", _, "disabled"] => Guard::OnlySwitchEver(true),
        ["mcp", "servers", ..] => Guard::Never,
        ["limits", "rounds" | "agents"] => Guard::NotMore(Value::as_u64),
        // A repository would let a program say yes in the person's place.
        ["acp", "approval"] => Guard::Never,
        // A repository would let a model decide in the person's place.
        ["team", "approver"] => Guard::Only("person"),
        // A repository would name the places that hooks write while one plans.
        ["hooks", "mayWrite"] => Guard::Never,
        // Read, and not run: each hook of a repository waits until the person vouched for it (`hooks.rs`).
        ["hooks", _] => Guard::Free,
        ["context", "compactAtPercent"] => Guard::NeedsTrust,
        // Words for the model about agents that it has anyway.
        ["context", "agentsWithEachPrompt"] => Guard::Free,
        ["memory"] => Guard::OnlySwitch(false),
        // Whose money it is decides; a price of nothing would lift every cap.
        ["budget", _] | ["model", "prices", ..] => Guard::Never,
        // What the person sees and types is their own: a key that does something else could approve.
        ["keys", _] | ["theme" | "plain" | "tips"] => Guard::Never,
        // It names a program that runs as the person.
        ["notify", ..] => Guard::Never,
        // A key that nobody thought about here.
        _ => Guard::NeedsTrust,
    }
}

fn carelessness(mode: &Value) -> Option<u64> {
    Some(match mode.as_str()?.parse::<Mode>().ok()? {
        Mode::Plan => 0,
        Mode::At(Level::Default) => 1,
        Mode::At(Level::AcceptEdits) => 2,
        Mode::At(Level::Auto) => 3,
        Mode::At(Level::BypassPermissions) => 4,
    })
}

/// Decides about one value. `below` is what holds without it, if it is no list.
pub(super) fn judge(entry: &SettingEntry, below: Option<&Value>, trust: &Trust) -> Fate {
    let SettingOrigin::Written { source, .. } = &entry.origin else { return Fate::Taken };
    if !source.layer.is_of_the_repository() {
        return Fate::Taken;
    }
    let path: Vec<&str> = entry.path.iter().map(String::as_str).collect();
    let grants = match guard(&path) {
        Guard::Free => false,
        Guard::NeedsTrust => true,
        Guard::Never => return Fate::Refused(GuardRefusal::Never),
        Guard::Only(word) => entry.value != word,
        Guard::OnlySwitch(position) => entry.value != position,
        Guard::OnlySwitchEver(position) if entry.value == position => false,
        Guard::OnlySwitchEver(_) => return Fate::Refused(GuardRefusal::Never),
        Guard::NotMore(measure) => match (measure(&entry.value), below.and_then(measure)) {
            (Some(here), Some(below)) => here > below,
            _ => true,
        },
    };
    let changes_nothing = below == Some(&entry.value);
    match trust {
        Trust::NotTrusted if grants && !changes_nothing => Fate::Refused(GuardRefusal::UntilTrusted),
        Trust::Changed(_) if grants && !changes_nothing => Fate::Refused(GuardRefusal::UntilReviewed),
        Trust::NotTrusted | Trust::Changed(_) | Trust::Trusted(_) => Fate::Taken,
    }
}

impl fmt::Display for GuardRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GuardRefusal::UntilTrusted => "refused until you trust this folder (`fore trust`)",
            GuardRefusal::UntilReviewed => {
                "refused until you trust this folder again (`fore trust`): the file is not the one you trusted"
            }
            GuardRefusal::Never => "refused: never taken from a repository, only from your own settings",
        })
    }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
