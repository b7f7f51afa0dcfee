//! What is said after a command: how it ended, what the cage refused, what a rehearsal would have changed.

use crate::{output::CallFact, tools::tool_context::short};
use fore_plan::Cage;
use fore_sandbox::{CageError, Connection, Ending, Job, RehearsalReport, RunOutcome, Status};
use fore_store::entry::Rehearsal;
use fore_text::cut;
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// Paths of a rehearsal's report.
const MAX_PATHS: usize = 50;
/// Paths of a rehearsal that an approval shows, and letters of its command.
const MAX_EVIDENCE_PATHS: usize = 20;
const MAX_COMMAND_CHARS: usize = 500;
/// Connections that are listed.
const MAX_CONNECTIONS: usize = 10;

/// How a command ended, in lines for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandEnd {
    /// A few words for people.
    pub(super) brief: String,
    pub(super) notes: Vec<String>,
    pub(super) is_error: bool,
    /// For the record; none where it did not run.
    pub(super) fact: Option<CallFact>,
}

impl CommandEnd {
    pub(super) fn of(result: &Result<RunOutcome, CageError>, job: &Job<'_>, cage: &Cage) -> CommandEnd {
        match result {
            Ok(outcome) => ended(outcome, job, cage),
            Err(error) => {
                let why = why_not(error);
                CommandEnd { brief: "did not run".into(), notes: vec![why], is_error: true, fact: None }
            }
        }
    }
}

fn ended(outcome: &RunOutcome, job: &Job<'_>, cage: &Cage) -> CommandEnd {
    let seconds = job.limits.time.as_secs_f32();
    let (brief, note) = match (outcome.ending, outcome.status) {
        (Ending::Itself, Status::Exited(0)) => ("ok".to_owned(), None),
        (Ending::Itself, Status::Exited(code)) => (format!("exit code {code}"), Some(format!("exit code {code}"))),
        (Ending::Itself, Status::Signalled(signal)) => {
            (format!("ended by signal {signal}"), Some(format!("ended by signal {signal}")))
        }
        (Ending::Time, _) => {
            let way_out = "Give more time with timeout_ms (at most 600000), make the command do less, or set \
                           run_in_background.";
            (format!("stopped after {seconds} s"), Some(format!("stopped: its {seconds} s were over. {way_out}")))
        }
        (Ending::Memory, _) => ("stopped: too much memory".into(), Some("stopped: it took too much memory".into())),
        (Ending::Processes, _) => {
            ("stopped: too many processes".into(), Some("stopped: it started too many processes".into()))
        }
        (Ending::TempSpace, _) => {
            ("stopped: too many temp files".into(), Some("stopped: its temp files took too much room".into()))
        }
        (Ending::SecretAppeared, _) if outcome.appeared.as_deref() == Some(job.workspace.as_path()) => (
            "stopped: the project was changing".into(),
            Some(
                "stopped, and what it printed since is withheld: folders of the project were moved about, so that not every \
                 secret could be hidden. Run it again."
                    .into(),
            ),
        ),
        (Ending::SecretAppeared, _) => {
            let name = outcome.appeared.as_deref().unwrap_or(&job.workspace);
            let name = short(name, Some(&job.workspace));
            (
                format!("stopped: {name} appeared"),
                Some(format!(
                    "stopped, and what it printed since is withheld: {name} appeared or was replaced while it ran, and is \
                     kept secret. Run it again."
                )),
            )
        }
        (Ending::Planting, _) => (
            "stopped: it planted files".into(),
            Some("stopped: it went on making files that other programs take orders from".into()),
        ),
        (Ending::Cancelled, _) => ("stopped".into(), Some("stopped before it had ended".into())),
    };
    let is_error = note.is_some() || !outcome.left_planted.is_empty();
    let mut notes: Vec<String> = note.into_iter().collect();
    if let Some(cage) = cage_name(cage).filter(|_| is_error && !outcome.blocked.is_empty()) {
        notes.push(format!("{cage} refused, as it seems: {}", outcome.blocked.join("; ")));
    }
    if !outcome.not_shown.is_empty() {
        let paths: Vec<String> = outcome.not_shown.iter().map(|path| short(path, Some(&job.workspace))).collect();
        let paths = paths.join(", ");
        notes.push(format!(
            "hidden in the sandbox, all or in part: {paths}. Of folders outside the project only those are shown that the \
             command spells out or that the person listed in `cage.additionalDirectories`; secrets never are."
        ));
    }
    // Only who asked git wants to know what git was told.
    if job.command.text().contains("git") {
        notes.extend(job.git.notes.iter().cloned());
    }
    if outcome.left_running > 0 {
        let count = outcome.left_running;
        notes.push(format!(
            "{count} of its processes still run; they are stopped when planning begins or the session ends"
        ));
    }
    let left = names(&outcome.left_planted, &job.workspace);
    notes.extend(planted([&outcome.put_aside, &outcome.removed, &outcome.left_planted], &job.workspace));
    notes.extend(connections(&outcome.connections));
    let mut brief = brief;
    if let Some(left) = left {
        brief = format!("{brief}, and left {left}, which other programs obey");
    }
    let fact = fact(outcome, job, &brief);
    if let Some(report) = &outcome.would_change {
        // The call itself is marked as rehearsed.
        brief = format!("{brief}, {}", report.summary());
        notes.extend(report.lines(&job.workspace, MAX_PATHS));
    }
    CommandEnd { brief, notes, is_error, fact: Some(fact) }
}

/// What it came to, for the record.
fn fact(outcome: &RunOutcome, job: &Job<'_>, brief: &str) -> CallFact {
    match &outcome.would_change {
        Some(report) => CallFact::Rehearsed(evidence(outcome, job, brief, report)),
        None => CallFact::Ran { exit_code: exit_code(outcome) },
    }
}

/// What a rehearsal came to, for whoever approves the plan.
fn evidence(outcome: &RunOutcome, job: &Job<'_>, brief: &str, report: &RehearsalReport) -> Rehearsal {
    Rehearsal {
        command: cut::ellipsis(&job.command.text(), MAX_COMMAND_CHARS).into_owned(),
        ended: brief.to_owned(),
        exit_code: exit_code(outcome),
        would_change: changed_paths(&report.lines(&job.workspace, MAX_EVIDENCE_PATHS)),
    }
}

/// None where it did not end by itself.
fn exit_code(outcome: &RunOutcome) -> Option<i32> {
    match (outcome.ending, outcome.status) {
        (Ending::Itself, Status::Exited(code)) => Some(code),
        _ => None,
    }
}

/// The paths of a rehearsal's report, without its heading and without what would have changed in each.
fn changed_paths(lines: &[String]) -> Vec<String> {
    let paths = lines.iter().filter_map(|line| line.strip_prefix("  "));
    paths.filter(|path| !path.starts_with("  ")).map(str::to_owned).collect()
}

fn names(paths: &[PathBuf], project: &Path) -> Option<String> {
    let names: Vec<String> = paths.iter().map(|path| short(path, Some(project))).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What became of what it planted: it has another name, it is gone, or it is still there.
fn planted(lists: [&[PathBuf]; 3], project: &Path) -> Vec<String> {
    let became = [
        "was renamed (.planted-…)",
        "could get no other name and was removed",
        "could neither be renamed nor removed: IT IS STILL THERE. Tell the person before anything else is done",
    ];
    let told = lists.into_iter().zip(became).filter_map(|(paths, became)| {
        let names = names(paths, project)?;
        Some(format!("other programs take orders from {names}; what was made there {became}"))
    });
    told.collect()
}

/// Whom it talked to, and what was not allowed, each once.
fn connections(list: &[Connection]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for connection in list {
        let line = match &connection.refused {
            Some(_) => connection.line(),
            None => match &connection.through {
                Some(proxy) => format!("talked to {} through the person's proxy {proxy}", connection.host),
                None => format!("talked to {}", connection.host),
            },
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    let more = lines.len().saturating_sub(MAX_CONNECTIONS);
    lines.truncate(MAX_CONNECTIONS);
    lines.extend((more > 0).then(|| format!("and {more} connections more")));
    if list.iter().any(|connection| connection.refused.is_some()) {
        lines.push("only what was approved can be reached; a host that is needed as well can be allowed in the person's settings (network.allowedHosts)".to_owned());
    }
    lines
}

/// None where nothing is refused that the person may do.
fn cage_name(cage: &Cage) -> Option<&'static str> {
    match cage {
        Cage::ReadOnly { .. } => Some("the read-only sandbox"),
        Cage::Rehearsal => Some("the rehearsal's sandbox"),
        Cage::Workspace { .. } => {
            Some("the sandbox, which leaves only the project writable and in it nothing that gives orders,")
        }
        Cage::Free => None,
    }
}

fn why_not(error: &CageError) -> String {
    match error {
        CageError::NotStarted { program, kind: ErrorKind::NotFound, .. } if program == "bash" => {
            "the command did not run: there is no bash on the PATH of this machine, and commands need one. Read, Grep and \
             the other tools work without it."
                .to_owned()
        }
        CageError::NotStarted { kind: ErrorKind::ArgumentListTooLong, .. } => {
            "the command did not run: it is longer than the system takes. Put its text into a file and use that.".to_owned()
        }
        error @ (CageError::NotStarted { .. }
        | CageError::Layer { .. }
        | CageError::Unusable { .. }
        | CageError::CommittedSecret { .. }
        | CageError::NotPermitted
        | CageError::SetupMissing
        | CageError::Setup { .. }
        | CageError::TempFolder { .. }
        | CageError::Lost(_)
        | CageError::Io(_)) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_planted_is_told_whatever_became_of_it() {
        let list = |names: &[&str]| names.iter().map(|name| Path::new("/shop").join(name)).collect::<Vec<_>>();
        let told = |aside: &[&str], removed: &[&str], left: &[&str]| {
            planted([&list(aside), &list(removed), &list(left)], Path::new("/shop"))
        };
        assert_eq!(told(&[], &[], &[]), Vec::<String>::new());
        assert_eq!(
            told(&[".envrc", ".git/hooks"], &[".npmrc"], &[".vscode"]),
            [
                "other programs take orders from .envrc, .git/hooks; what was made there was renamed (.planted-…)",
                "other programs take orders from .npmrc; what was made there could get no other name and was removed",
                "other programs take orders from .vscode; what was made there could neither be renamed nor removed: IT IS \
                 STILL THERE. Tell the person before anything else is done",
            ]
        );
    }

    #[test]
    fn a_machine_without_bash_is_told_from_a_command_that_is_too_long() {
        let told = |code: i32| {
            let error = std::io::Error::from_raw_os_error(code);
            why_not(&CageError::NotStarted { program: "bash".into(), kind: error.kind(), reason: error.to_string() })
        };
        assert!(told(2).starts_with("the command did not run: there is no bash on the PATH"), "{}", told(2));
        assert!(told(7).starts_with("the command did not run: it is longer than the system takes"), "{}", told(7));
        assert_eq!(told(13), "bash could not be started: Permission denied (os error 13)");
    }
}
