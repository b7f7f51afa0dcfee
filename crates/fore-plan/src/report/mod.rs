//! The report: what became of an approved plan, from facts that the program kept, never from a model's words.
//!
//! Pure: contract, steps and facts go in ([`ReportFacts`]), a [`Report`] comes out, as values, as Markdown and as JSON.

mod build;
mod exit_code;
mod markdown;

use crate::{
    approval::Timestamp,
    contract::{Coverage, NearReason},
    plan::PlanStep,
};
use fore_text::count_as;
use serde::{Deserialize, Serialize};

/// What is known when a report is made.
#[derive(Clone, Copy, Debug)]
pub struct ReportFacts<'a> {
    /// What was granted.
    pub coverage: &'a Coverage,
    /// The steps of the plan.
    pub steps: &'a [PlanStep],
    /// The state of each step in the todo list, as far as it is there.
    pub todos: &'a [(u32, StepTodo)],
    /// Every file whose bytes are others than before the work; one entry a path.
    pub files: &'a [ChangedFile],
    /// Every command that ran, in any order.
    pub runs: &'a [CommandRun],
    /// What the model said at the end.
    pub said: Option<&'a str>,
}

/// What the todo list says of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepTodo {
    /// Not begun.
    Open,
    /// Begun.
    InProgress,
    /// Ticked off.
    Done,
}

/// A file that is different now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// From the project folder.
    pub path: String,
    /// Lines that came and lines that went; none where nobody knows what it was before.
    pub lines: Option<(u32, u32)>,
    /// Who changed it last.
    pub by: ChangedBy,
    /// When it was changed last, in the order of calls.
    pub order: u64,
    /// It is not there any more.
    pub is_gone: bool,
    /// Nothing but white space is different.
    pub is_white_space: bool,
}

/// Who changed a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum ChangedBy {
    /// A tool, by its name.
    Tool { name: String },
    /// A command, with the folder it ran in.
    Command { command: String, folder: String },
    /// The person, or another program of theirs.
    Person,
}

/// A command that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandRun {
    /// Its text.
    pub command: String,
    /// From the project folder; empty for that one.
    pub folder: String,
    /// None if it was ended from outside, or still runs.
    pub exit_code: Option<i32>,
    /// It runs in the background and has not ended.
    pub is_running: bool,
    /// When it ended.
    pub at: Timestamp,
    /// The last thing that had happened when it began, in the order of calls.
    pub began: u64,
    /// When it ended, in the order of calls. What it changed itself has the same.
    pub order: u64,
}

/// What became of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Per step, in the order of the plan.
    pub steps: Vec<StepReport>,
    /// Per file, by path.
    pub files: Vec<FileReport>,
    /// Per command of the plan.
    pub commands: Vec<CommandReport>,
    /// Files that commands changed besides: too many to be listed.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unlisted: u32,
    /// What the model said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
fn is_none(number: &u32) -> bool {
    *number == 0
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    /// Its number in the plan.
    pub number: u32,
    /// What it says.
    pub title: String,
    /// What is known of it.
    pub outcome: StepOutcome,
    /// Files that it names and that are as they were, although others of it changed; a few of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untouched: Vec<String>,
}

/// What is known of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepOutcome {
    /// Its files changed, and its check passed after the last change.
    Done,
    /// Its files changed, and no check has passed since.
    Unchecked,
    /// Nothing of it happened, although it was ticked off or a later step was begun.
    Skipped,
    /// Nothing of it happened.
    NotBegun,
    /// It names no file and no command, so nobody can tell.
    Untold,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// From the project folder.
    pub path: String,
    /// Lines that came; none where nobody knows what it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<u32>,
    /// Lines that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<u32>,
    /// How it stands to the plan.
    pub outcome: FileOutcome,
}

/// How a file stands to the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum FileOutcome {
    /// Planned at this line, and changed.
    AsPlanned { line: u32 },
    /// Written by a command of the plan.
    Generated { command: String },
    /// Belongs to what this line names.
    Near { line: u32, why: NearReason },
    /// A lock file, or only white space: tools do that.
    Incidental,
    /// Not in the plan.
    NotPlanned { by: ChangedBy },
    /// Planned at this line, and as it was.
    Untouched { line: u32 },
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandReport {
    /// Its text.
    pub command: String,
    /// The line that names it.
    pub line: u32,
    /// It shows whether the work is right; others only do something (`git commit`).
    pub is_check: bool,
    /// How it ended.
    pub outcome: CommandOutcome,
    /// The state of the tree that it saw: that of the report but for these files, which were changed after it began; a few of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_since: Vec<String>,
    /// How many more there are of them.
    #[serde(default, skip_serializing_if = "is_none")]
    pub more_since: u32,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum CommandOutcome {
    /// With exit code 0, and nothing it looks at has changed since.
    Passed { at: Timestamp },
    /// With exit code 0, but files changed after it began.
    Stale { at: Timestamp },
    /// With exit code 0, which is not that of its check: `make test | tail`, `make test || true`.
    Unclear { at: Timestamp },
    /// With another exit code, or ended from outside.
    Failed { exit_code: Option<i32>, at: Timestamp },
    /// It runs in the background and has not ended.
    Running,
    /// Nobody ran it.
    NotRun,
}

/// Whether a page says when each command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of the type says what they are")]
pub enum ShownTimes {
    Hidden,
    Clock,
}

/// What a report comes to, for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReportVerdict {
    /// All as planned.
    Clean,
    /// A step of the plan did not happen.
    Unfinished,
    /// Something was changed that is not in the plan, and not by the person.
    NotPlanned,
    /// A check of the plan failed, is stale, or was never run.
    Unproved,
}

impl Report {
    /// What the facts come to.
    pub fn new(facts: &ReportFacts<'_>) -> Report {
        build::report(facts)
    }

    /// The same where more was done than is written down: what passed may not hold any more, and some file is not listed.
    pub(crate) fn with_more_than_is_known(mut self) -> Report {
        for command in &mut self.commands {
            if let CommandOutcome::Passed { at } = command.outcome
                && command.is_check
            {
                command.outcome = CommandOutcome::Stale { at };
            }
        }
        for step in self.steps.iter_mut().filter(|step| step.outcome == StepOutcome::Done) {
            step.outcome = StepOutcome::Unchecked;
        }
        self.unlisted = self.unlisted.max(1);
        self
    }

    /// What it comes to. A check that does not hold weighs more than a file that was not planned, and that more than a step that
    /// did not happen.
    pub fn verdict(&self) -> ReportVerdict {
        let is_open = |command: &CommandReport| match command.outcome {
            CommandOutcome::Passed { .. } => false,
            CommandOutcome::Stale { .. }
            | CommandOutcome::Unclear { .. }
            | CommandOutcome::Failed { .. }
            | CommandOutcome::Running
            | CommandOutcome::NotRun => command.is_check,
        };
        let is_drift = |file: &FileReport| match &file.outcome {
            FileOutcome::NotPlanned { by } => *by != ChangedBy::Person,
            FileOutcome::AsPlanned { .. }
            | FileOutcome::Generated { .. }
            | FileOutcome::Near { .. }
            | FileOutcome::Incidental
            | FileOutcome::Untouched { .. } => false,
        };
        if self.commands.iter().any(is_open) {
            ReportVerdict::Unproved
        } else if self.unlisted > 0 || self.files.iter().any(is_drift) {
            ReportVerdict::NotPlanned
        } else if self.is_unfinished() {
            ReportVerdict::Unfinished
        } else {
            ReportVerdict::Clean
        }
    }

    /// A step of which nothing happened; where no step says what it works on, that nothing of the whole plan did and no check says that
    /// nothing was needed.
    fn is_unfinished(&self) -> bool {
        let is_open = |step: &StepReport| match step.outcome {
            StepOutcome::Skipped | StepOutcome::NotBegun => true,
            StepOutcome::Done | StepOutcome::Unchecked | StepOutcome::Untold => false,
        };
        let is_untouched = |file: &FileReport| matches!(file.outcome, FileOutcome::Untouched { .. });
        // Asked only where all of them hold.
        let is_checked = self.commands.iter().any(|command| command.is_check);
        let is_told = self.steps.iter().any(|step| step.outcome != StepOutcome::Untold);
        match is_told {
            true => self.steps.iter().any(is_open),
            false => !is_checked && !self.files.is_empty() && self.files.iter().all(is_untouched),
        }
    }

    /// `7 of 8 steps · 11 files as planned, 2 near, 1 not planned · checks: 3 passed, 1 stale`
    pub fn headline(&self) -> String {
        let steps = self.steps.iter().filter(|step| step.outcome == StepOutcome::Done).count();
        let steps =
            (!self.steps.is_empty()).then(|| format!("{steps} of {}", count_as(self.steps.len(), "step", "steps")));
        let parts = steps.into_iter().chain([self.file_counts(), self.check_counts()]);
        parts.collect::<Vec<_>>().join(" · ")
    }

    /// The checks of the plan that would tell more if they were run now: those that nobody ran, and those that are stale. One
    /// that failed is not among them, nor is one whose exit code says nothing.
    pub fn open_checks(&self) -> Vec<&str> {
        let is_open = |command: &&CommandReport| match command.outcome {
            CommandOutcome::NotRun | CommandOutcome::Stale { .. } => command.is_check,
            CommandOutcome::Passed { .. }
            | CommandOutcome::Unclear { .. }
            | CommandOutcome::Failed { .. }
            | CommandOutcome::Running => false,
        };
        self.commands.iter().filter(is_open).map(|command| command.command.as_str()).collect()
    }

    fn file_counts(&self) -> String {
        let (mut planned, mut near, mut others, mut untouched) = (0_usize, 0_usize, 0_usize, 0_usize);
        for file in &self.files {
            match file.outcome {
                FileOutcome::AsPlanned { .. } | FileOutcome::Generated { .. } => planned += 1,
                FileOutcome::Near { .. } => near += 1,
                FileOutcome::NotPlanned { .. } => others += 1,
                FileOutcome::Untouched { .. } => untouched += 1,
                FileOutcome::Incidental => {}
            }
        }
        let mut text = count_as(planned, "file as planned", "files as planned");
        let unlisted = usize::try_from(self.unlisted).unwrap_or(usize::MAX);
        let rest = [(near, "near"), (others, "not planned"), (unlisted, "not listed"), (untouched, "untouched")];
        for (number, word) in rest {
            if number > 0 {
                text.push_str(&format!(", {number} {word}"));
            }
        }
        text
    }

    fn check_counts(&self) -> String {
        let checks = || self.commands.iter().filter(|command| command.is_check);
        let (mut passed, mut stale, mut failed, mut unclear) = (0_usize, 0_usize, 0_usize, 0_usize);
        let (mut running, mut open) = (0_usize, 0_usize);
        for check in checks() {
            match check.outcome {
                CommandOutcome::Passed { .. } => passed += 1,
                CommandOutcome::Stale { .. } => stale += 1,
                CommandOutcome::Unclear { .. } => unclear += 1,
                CommandOutcome::Failed { .. } => failed += 1,
                CommandOutcome::Running => running += 1,
                CommandOutcome::NotRun => open += 1,
            }
        }
        let counts = [
            (passed, "passed"),
            (failed, "failed"),
            (stale, "stale"),
            (unclear, "unclear"),
            (running, "still running"),
            (open, "not run"),
        ];
        let parts: Vec<String> =
            counts.iter().filter(|(number, _)| *number > 0).map(|(number, word)| format!("{number} {word}")).collect();
        if parts.is_empty() { "no checks".to_owned() } else { format!("checks: {}", parts.join(", ")) }
    }

    /// As a page: for the moment in which it was made without the times, which everybody knows then.
    pub fn markdown(&self, times: ShownTimes) -> String {
        markdown::page(self, times)
    }
}
