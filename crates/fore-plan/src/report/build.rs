//! From facts to a report.

use super::exit_code::says_how_it_ended;
use super::{
    ChangedBy, ChangedFile, CommandOutcome, CommandReport, CommandRun, FileOutcome, FileReport, Report, ReportFacts,
    StepOutcome, StepReport, StepTodo,
};
use crate::contract::{CommandGrant, FileCover, FileGrant, PathShape, PlannedChange, StepGrants};
use fore_text::cut;
use std::collections::{HashMap, HashSet};

/// Files that are named in a row of a step or command.
const MAX_NAMED: usize = 5;
/// How much of the model's words is kept.
const MAX_SAID_CHARS: usize = 4_000;

pub(super) fn report(facts: &ReportFacts<'_>) -> Report {
    let files = files(facts);
    let contract = facts.coverage.contract();
    let linked: Vec<StepGrants<'_>> = facts.steps.iter().map(|step| contract.of_step(step)).collect();
    let mut work = Work::new(facts);
    work.has_unguarded = work.leaves_unguarded(&contract.commands, &linked);
    let commands = contract.commands.iter().map(|grant| work.command(grant, &linked)).collect();
    let steps = work.steps(facts, &linked);
    let said = facts.said.map(|said| cut::ellipsis(said.trim(), MAX_SAID_CHARS).into_owned());
    Report { steps, files, commands, unlisted: 0, said: said.filter(|said| !said.is_empty()) }
}

/// Lock files, which package managers write by themselves.
fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".lock")
        || name.ends_with(".lockb")
        || name.ends_with("-lock.json")
        || matches!(
            name,
            "pnpm-lock.yaml"
                | "npm-shrinkwrap.json"
                | "go.sum"
                | "go.work.sum"
                | "Package.resolved"
                | "gradle.lockfile"
                | "packages.lock.json"
        )
}

/// What tools keep for their next run: listed like any other file, but no check is about it.
fn is_cache(path: &str) -> bool {
    let is_cache = |part: &str| {
        matches!(
            part,
            "__pycache__"
                | ".pytest_cache"
                | ".mypy_cache"
                | ".ruff_cache"
                | ".hypothesis"
                | ".eslintcache"
                | ".coverage"
                | ".nyc_output"
                | ".parcel-cache"
                | ".turbo"
                | ".phpunit.result.cache"
        ) || part.ends_with(".tsbuildinfo")
    };
    path.split('/').any(is_cache)
}

/// What git and the report leave out is written there.
fn is_ignore_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(".gitignore")
}

/// Text for people, which no check is about.
fn is_prose(path: &str) -> bool {
    let ending = path.rsplit_once('.').map(|(_, ending)| ending);
    matches!(ending, Some("md" | "mdx" | "markdown" | "rst" | "adoc" | "txt"))
}

/// What programs do by themselves. An edit of the model's own is none of it: a blank may take a line out of its block.
fn is_incidental(file: &ChangedFile) -> bool {
    let is_by_itself = match &file.by {
        ChangedBy::Command { .. } | ChangedBy::Person => true,
        ChangedBy::Tool { .. } => false,
    };
    is_by_itself && (file.is_white_space || is_lock_file(&file.path))
}

/// Whether a change of the file is part of the work: white space is where the plan names the file.
fn counts(facts: &ReportFacts<'_>, file: &ChangedFile) -> bool {
    let is_named = || matches!(facts.coverage.file(&file.path), FileCover::Named { .. });
    let is_kept_by_tool = matches!(file.by, ChangedBy::Command { .. }) && is_cache(&file.path);
    match is_incidental(file) || is_kept_by_tool {
        true => !is_lock_file(&file.path) && is_named(),
        false => true,
    }
}

fn files(facts: &ReportFacts<'_>) -> Vec<FileReport> {
    let mut reports: Vec<FileReport> = facts
        .files
        .iter()
        .map(|file| FileReport {
            path: file.path.clone(),
            added: file.lines.map(|(added, _)| added),
            removed: file.lines.map(|(_, removed)| removed),
            outcome: outcome(facts, file),
        })
        .collect();
    let changed: HashSet<&str> = facts.files.iter().map(|file| file.path.as_str()).collect();
    let files = facts.coverage.contract().files.iter().filter(|grant| grant.shape == PathShape::File);
    let untouched = files.filter(|grant| !is_touched(grant, &changed)).map(|grant| FileReport {
        path: grant.path.clone(),
        added: Some(0),
        removed: Some(0),
        outcome: FileOutcome::Untouched { line: grant.line },
    });
    reports.extend(untouched);
    reports.sort_by(|one, other| one.path.cmp(&other.path));
    reports
}

fn is_touched(grant: &FileGrant, changed: &HashSet<&str>) -> bool {
    let is_moved = match &grant.change {
        PlannedChange::Move { to } => changed.contains(to.as_str()),
        PlannedChange::New | PlannedChange::Change | PlannedChange::Delete => false,
    };
    changed.contains(grant.path.as_str()) || is_moved
}

fn outcome(facts: &ReportFacts<'_>, file: &ChangedFile) -> FileOutcome {
    let cover = if file.is_gone { facts.coverage.removal(&file.path) } else { facts.coverage.file(&file.path) };
    let generator = match &file.by {
        ChangedBy::Command { command, folder } => facts.coverage.matching(command, folder),
        ChangedBy::Tool { .. } | ChangedBy::Person => None,
    };
    match (cover, generator) {
        (FileCover::Named { line }, _) => FileOutcome::AsPlanned { line },
        // Whatever wrote it, the plan says that it stays as it is.
        (FileCover::Near { .. } | FileCover::No, _) if facts.coverage.is_out_of_scope(&file.path) => {
            FileOutcome::NotPlanned { by: file.by.clone() }
        }
        (FileCover::Near { .. } | FileCover::No, _) if is_incidental(file) => FileOutcome::Incidental,
        // It decides which files are seen at all.
        (FileCover::Near { .. } | FileCover::No, Some(_)) if is_ignore_file(&file.path) => {
            FileOutcome::NotPlanned { by: file.by.clone() }
        }
        (FileCover::Near { .. } | FileCover::No, Some(grant)) => {
            FileOutcome::Generated { command: grant.command.clone() }
        }
        (FileCover::Near { line, why }, None) => FileOutcome::Near { line, why },
        (FileCover::No, None) => FileOutcome::NotPlanned { by: file.by.clone() },
    }
}

fn is_beneath(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a change came after a command began. What the command changed itself has its own number.
fn is_later(order: u64, run: &CommandRun) -> bool {
    order > run.began && order != run.order
}

/// Programs that do something and show nothing.
const DOERS: [&str; 20] = [
    ":", "cd", "chmod", "cp", "curl", "date", "echo", "exit", "export", "git", "ln", "mkdir", "mv", "printf", "pwd",
    "rm", "set", "sleep", "touch", "true",
];
/// Second words that do the same.
const DOING: [&str; 12] =
    ["install", "i", "ci", "add", "init", "remove", "uninstall", "update", "upgrade", "sync", "generate", "migrate"];

/// Among the first words they say that something goes on until it is stopped.
const LASTING: [&str; 7] = ["dev", "serve", "server", "start", "watch", "--watch", "preview"];

/// Whether a command shows that the work is right.
fn is_check(command: &str) -> bool {
    let text = command.rsplit(" && ").next().unwrap_or(command);
    let mut words = text.split_whitespace();
    let (program, verb) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_lasting = LASTING.contains(&verb) || words.take(2).any(|word| LASTING.contains(&word));
    !DOERS.contains(&program) && !DOING.contains(&verb) && !is_lasting
}

/// What happened, ready to be asked.
struct Work<'a> {
    /// When each file was changed last; what tools do by themselves does not count.
    changes: HashMap<&'a str, u64>,
    /// The same, the last of them first.
    by_time: Vec<(u64, &'a str)>,
    /// The last run of each command of the plan.
    runs: HashMap<&'a str, &'a CommandRun>,
    /// Something was changed that no check of the plan is there for, but those of other steps: then these look at everything.
    has_unguarded: bool,
}

impl<'a> Work<'a> {
    fn new(facts: &ReportFacts<'a>) -> Work<'a> {
        let counted = facts.files.iter().filter(|file| counts(facts, file));
        let changes: HashMap<&str, u64> = counted.map(|file| (file.path.as_str(), file.order)).collect();
        let mut runs: HashMap<&str, &CommandRun> = HashMap::new();
        for run in facts.runs {
            for grant in facts.coverage.meant(&run.command, &run.folder) {
                let last = runs.entry(grant.command.as_str()).or_insert(run);
                if run.order >= last.order {
                    *last = run;
                }
            }
        }
        let mut by_time: Vec<(u64, &str)> = changes.iter().map(|(path, order)| (*order, *path)).collect();
        by_time.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        Work { changes, by_time, runs, has_unguarded: false }
    }

    fn leaves_unguarded(&self, commands: &[CommandGrant], steps: &[StepGrants<'_>]) -> bool {
        let checks = |step: &StepGrants<'_>, command: &str| step.commands.iter().any(|own| own.command == command);
        let is_common = |grant: &CommandGrant| steps.iter().all(|step| !checks(step, &grant.command));
        let has_common = commands.iter().any(|grant| is_check(&grant.command) && is_common(grant));
        let is_unguarded = |step: &StepGrants<'_>| {
            let code: Vec<&FileGrant> = step.files.iter().copied().filter(|file| !is_prose(&file.path)).collect();
            !step.commands.iter().any(|own| is_check(&own.command)) && self.last_change_of(&code).is_some()
        };
        !has_common && steps.iter().any(is_unguarded)
    }

    /// When one of these was changed last; none if none of them was.
    fn last_change_of(&self, files: &[&FileGrant]) -> Option<u64> {
        let of_grant = |grant: &&FileGrant| {
            let moved = match &grant.change {
                PlannedChange::Move { to } => self.changes.get(to.as_str()).copied(),
                PlannedChange::New | PlannedChange::Change | PlannedChange::Delete => None,
            };
            let beneath = match grant.shape {
                PathShape::File => self.changes.get(grant.path.as_str()).copied(),
                PathShape::Folder => self.last_change_beneath(&grant.path),
                PathShape::Glob => None,
            };
            moved.max(beneath)
        };
        files.iter().filter_map(of_grant).max()
    }

    /// Whether one of these files was changed after a command began, by anything but the command itself.
    fn has_changed_since(&self, run: &CommandRun, files: &[&FileGrant]) -> bool {
        let is_changed = |path: &str| self.changes.get(path).is_some_and(|order| is_later(*order, run));
        files.iter().any(|grant| {
            let has_moved = match &grant.change {
                PlannedChange::Move { to } => is_changed(to),
                PlannedChange::New | PlannedChange::Change | PlannedChange::Delete => false,
            };
            let is_changed = match grant.shape {
                PathShape::File => is_changed(&grant.path),
                PathShape::Folder => {
                    self.changes.iter().any(|(path, order)| is_beneath(path, &grant.path) && is_later(*order, run))
                }
                PathShape::Glob => false,
            };
            has_moved || is_changed
        })
    }

    fn last_change_beneath(&self, folder: &str) -> Option<u64> {
        self.changes.iter().filter(|(path, _)| is_beneath(path, folder)).map(|(_, order)| *order).max()
    }

    /// A command looks at the files of the steps that name it; one outside of all steps looks at everything.
    fn command(&self, grant: &CommandGrant, steps: &[StepGrants<'_>]) -> CommandReport {
        let own: Vec<&StepGrants<'_>> =
            steps.iter().filter(|step| step.commands.iter().any(|command| command.command == grant.command)).collect();
        let files: Vec<&FileGrant> = own.iter().flat_map(|step| step.files.iter().copied()).collect();
        // Which files a pattern means is not asked here: any change counts.
        let is_open = files.is_empty() || self.has_unguarded || files.iter().any(|file| file.shape == PathShape::Glob);
        let is_stale = |run: &CommandRun| match is_open {
            true => self.changes.values().any(|order| is_later(*order, run)),
            false => self.has_changed_since(run, &files),
        };
        let is_check = is_check(&grant.command);
        let outcome = match self.runs.get(grant.command.as_str()) {
            None => CommandOutcome::NotRun,
            Some(run) if run.is_running => CommandOutcome::Running,
            Some(run) if run.exit_code != Some(0) => CommandOutcome::Failed { exit_code: run.exit_code, at: run.at },
            Some(run) if is_check && !says_how_it_ended(&grant.command) => CommandOutcome::Unclear { at: run.at },
            Some(run) if is_check && is_stale(run) => CommandOutcome::Stale { at: run.at },
            Some(run) => CommandOutcome::Passed { at: run.at },
        };
        let run = self.runs.get(grant.command.as_str()).filter(|run| !run.is_running);
        let later = || run.into_iter().flat_map(|run| self.changed_since(run));
        let more_since = u32::try_from(later().count().saturating_sub(MAX_NAMED)).unwrap_or(u32::MAX);
        let changed_since = later().take(MAX_NAMED).map(str::to_owned).collect();
        CommandReport { command: grant.command.clone(), line: grant.line, is_check, outcome, changed_since, more_since }
    }

    /// What was changed after a command began, the last of it first.
    fn changed_since(&self, run: &CommandRun) -> impl Iterator<Item = &'a str> {
        let (began, own) = (run.began, run.order);
        let end = self.by_time.partition_point(|(order, _)| *order > began);
        let later = self.by_time.get(..end).unwrap_or_default().iter();
        later.filter(move |(order, _)| *order != own).map(|(_, path)| *path)
    }

    fn steps(&self, facts: &ReportFacts<'_>, linked: &[StepGrants<'_>]) -> Vec<StepReport> {
        let named: HashSet<&str> =
            linked.iter().flat_map(|step| &step.commands).map(|grant| grant.command.as_str()).collect();
        let common: Vec<&CommandGrant> =
            facts.coverage.contract().commands.iter().filter(|grant| !named.contains(grant.command.as_str())).collect();
        let begun: Vec<bool> = linked.iter().map(|step| self.is_begun(step)).collect();
        let last_begun = begun.iter().rposition(|begun| *begun);
        let todo = |number: u32| facts.todos.iter().find(|(known, _)| *known == number).map(|(_, todo)| *todo);
        facts
            .steps
            .iter()
            .zip(linked)
            .enumerate()
            .map(|(at, (step, grants))| {
                let is_passed_over =
                    last_begun.is_some_and(|last| at < last) || todo(step.number) == Some(StepTodo::Done);
                let outcome = match begun.get(at) {
                    _ if grants.files.is_empty() && grants.commands.is_empty() => StepOutcome::Untold,
                    Some(true) if self.is_done(grants, &common) => StepOutcome::Done,
                    Some(true) => StepOutcome::Unchecked,
                    Some(false) | None if is_passed_over => StepOutcome::Skipped,
                    Some(false) | None => StepOutcome::NotBegun,
                };
                let untouched = match outcome {
                    StepOutcome::Done | StepOutcome::Unchecked => self.untouched(&grants.files),
                    StepOutcome::Skipped | StepOutcome::NotBegun | StepOutcome::Untold => Vec::new(),
                };
                StepReport { number: step.number, title: step.title.clone(), outcome, untouched }
            })
            .collect()
    }

    /// Those of a step's files of which nothing happened, a few of them.
    fn untouched(&self, files: &[&FileGrant]) -> Vec<String> {
        let of_file = files.iter().filter(|grant| grant.shape == PathShape::File);
        let untouched = of_file.filter(|grant| self.last_change_of(&[**grant]).is_none());
        untouched.take(MAX_NAMED).map(|grant| grant.path.clone()).collect()
    }

    /// Something of it happened: a file of its own changed, or, if it has none, a command of it ran.
    fn is_begun(&self, step: &StepGrants<'_>) -> bool {
        let ran = || step.commands.iter().any(|grant| self.runs.contains_key(grant.command.as_str()));
        self.last_change_of(&step.files).is_some() || step.files.is_empty() && ran()
    }

    /// What it makes is made, and its checks (those of the whole plan, if it has none) passed after its last change.
    fn is_done(&self, step: &StepGrants<'_>, common: &[&CommandGrant]) -> bool {
        let is_made = |grant: &&&FileGrant| match (&grant.change, grant.shape) {
            (PlannedChange::New | PlannedChange::Delete | PlannedChange::Move { .. }, PathShape::File) => {
                self.last_change_of(&[**grant]).is_some()
            }
            (PlannedChange::Change, _) | (_, PathShape::Folder | PathShape::Glob) => true,
        };
        let own: Vec<&CommandGrant> = step.commands.iter().copied().filter(|grant| is_check(&grant.command)).collect();
        let checks = if own.is_empty() {
            common.iter().copied().filter(|grant| is_check(&grant.command)).collect()
        } else {
            own
        };
        let has_passed = |grant: &&CommandGrant| {
            let run = self.runs.get(grant.command.as_str());
            let is_told = !is_check(&grant.command) || says_how_it_ended(&grant.command);
            run.is_some_and(|run| run.exit_code == Some(0) && is_told && !self.has_changed_since(run, &step.files))
        };
        let is_checked = !checks.is_empty() && checks.iter().all(has_passed);
        // A step that only runs something is done when that has worked.
        let only_runs = step.files.is_empty() && step.commands.iter().all(has_passed);
        step.files.iter().filter(|grant| !is_made(grant)).count() == 0 && (is_checked || only_runs)
    }
}
