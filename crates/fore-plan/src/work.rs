//! What was really done while a plan was carried out, as the program saw it: the facts that a report is made of.

use crate::{
    approval::Timestamp,
    contract::{Contract, Coverage},
    plan::{PlanStep, steps},
    report::{ChangedBy, ChangedFile, CommandRun, Report, ReportFacts, StepTodo},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Records that are kept for a plan. What is done beyond them is not known, and the report says so.
pub const MAX_WORK: usize = 5_000;

/// One thing that was done, by whom and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkRecord {
    /// When it had happened.
    pub at: Timestamp,
    /// The subagent that did it; none for the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What it was.
    pub done: WorkDone,
}

/// What was done. Paths are from the project folder; what lies elsewhere has its whole path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "kind")]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum WorkDone {
    /// A tool wrote this file, with so many lines more and less.
    Edited { path: String, added: u32, removed: u32 },
    /// A command ran in this folder of the project (or, with its whole path, in another one) and changed these files; `more` of them
    /// are not listed. In those of `white_space` nothing else changed. No exit code where it did not end by itself. What was
    /// written down after it `began` may not have been there when it ran.
    Ran {
        command: String,
        folder: String,
        exit_code: Option<i32>,
        changed: Vec<String>,
        more: u32,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        white_space: Vec<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        began: Option<Timestamp>,
    },
    /// A tool of a server was called, and these files changed meanwhile; `more` of them are not listed.
    Called { tool: String, changed: Vec<String>, more: u32 },
    /// Neither a tool nor a command of ours changed these files.
    ChangedOutside { changed: Vec<String>, more: u32 },
}

/// What a report is made of besides the plan.
#[derive(Clone, Copy, Debug)]
pub struct WorkFacts<'a> {
    /// What was done since the approval, oldest first.
    pub work: &'a [WorkRecord],
    /// Commands that run in the background now, each with its folder.
    pub running: &'a [(String, String)],
    /// The list of what is to do, as it stands.
    pub todos: &'a [(String, StepTodo)],
    /// What the model said at the end.
    pub said: Option<&'a str>,
}

/// A file now against what it was when the work began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the sentence of each variant says what its fields are")]
pub enum SinceApproval {
    /// Nobody knows what it was; perhaps it is gone now.
    Unknown { is_gone: bool },
    /// The same bytes, or not there then and now.
    Same,
    /// So many lines came and went, perhaps nothing but white space, perhaps with the file.
    Changed { added: u32, removed: u32, is_white_space: bool, is_gone: bool },
}

/// What became of a plan: its approved text, what was granted with it in this project folder, and what was done since.
/// `since` compares a file with what it was.
pub fn report(
    plan: &str,
    contract: &Contract,
    project: &Path,
    facts: &WorkFacts<'_>,
    since: &dyn Fn(&str) -> SinceApproval,
) -> Report {
    let coverage = Coverage::new(contract.clone(), project);
    let steps = steps(plan);
    let (files, runs) = touched(facts, &coverage);
    let files = files.into_values().filter_map(|touched| compared(touched.file, since));
    let files: Vec<ChangedFile> = files.collect();
    let numbered = |step: &PlanStep| {
        let name = step_name(step);
        let todo = facts.todos.iter().find(|(text, _)| *text == name);
        todo.map(|(_, state)| (step.number, *state))
    };
    let todos: Vec<(u32, StepTodo)> = steps.iter().filter_map(numbered).collect();
    let said = facts.said;
    let facts_of = ReportFacts { coverage: &coverage, steps: &steps, todos: &todos, files: &files, runs: &runs, said };
    let report = Report { unlisted: unlisted(facts), ..Report::new(&facts_of) };
    if facts.work.len() < MAX_WORK { report } else { report.with_more_than_is_known() }
}

/// Files that commands and servers changed and that were only counted.
fn unlisted(facts: &WorkFacts<'_>) -> u32 {
    let more = facts.work.iter().map(|record| match &record.done {
        WorkDone::Ran { more, .. } | WorkDone::Called { more, .. } => *more,
        WorkDone::Edited { .. } | WorkDone::ChangedOutside { .. } => 0,
    });
    more.fold(0, u32::saturating_add)
}

/// Every file that something was done to, once, and every command that ran or runs.
fn touched<'a>(facts: &WorkFacts<'a>, coverage: &Coverage) -> (BTreeMap<&'a str, WeighedFile>, Vec<CommandRun>) {
    let mut files: BTreeMap<&str, WeighedFile> = BTreeMap::new();
    let mut runs = Vec::new();
    for (order, record) in (1_u64..).zip(facts.work) {
        let changed = |path: &str, lines: Option<(u32, u32)>, by: ChangedBy| ChangedFile {
            path: path.to_owned(),
            lines,
            by,
            order,
            is_gone: false,
            is_white_space: false,
        };
        match &record.done {
            WorkDone::Edited { path, added, removed } => {
                let by = ChangedBy::Tool { name: record.agent.clone().unwrap_or_else(|| "Edit".to_owned()) };
                let weight = answers(&by, coverage);
                merge(&mut files, path, WeighedFile { file: changed(path, Some((*added, *removed)), by), weight });
            }
            WorkDone::Ran { command, folder, exit_code, changed: paths, white_space, began, .. } => {
                let by = ChangedBy::Command { command: command.clone(), folder: folder.clone() };
                let weight = answers(&by, coverage);
                let white: BTreeSet<&String> = white_space.iter().collect();
                for path in paths {
                    let now = changed(path, None, by.clone());
                    let file = ChangedFile { is_white_space: white.contains(path), ..now };
                    merge(&mut files, path, WeighedFile { file, weight });
                }
                let (command, folder, exit_code) = (command.clone(), folder.clone(), *exit_code);
                let began = began.map_or(order, |began| seen_by(facts.work, order, began));
                runs.push(CommandRun { command, folder, exit_code, is_running: false, at: record.at, began, order });
            }
            WorkDone::Called { tool, changed: paths, .. } => {
                let by = ChangedBy::Tool { name: tool.clone() };
                let weight = answers(&by, coverage);
                let now = |path: &str| WeighedFile { file: changed(path, None, by.clone()), weight };
                paths.iter().for_each(|path| merge(&mut files, path, now(path)));
            }
            WorkDone::ChangedOutside { changed: paths, .. } => {
                let weight = answers(&ChangedBy::Person, coverage);
                let now = |path: &str| WeighedFile { file: changed(path, None, ChangedBy::Person), weight };
                paths.iter().for_each(|path| merge(&mut files, path, now(path)));
            }
        }
    }
    runs.extend(facts.running.iter().map(|(command, folder)| CommandRun {
        command: command.clone(),
        folder: folder.clone(),
        exit_code: None,
        is_running: true,
        at: Timestamp(0),
        began: u64::MAX,
        order: u64::MAX,
    }));
    (files, runs)
}

/// The last record that was there when a command began; its own has this order.
fn seen_by(work: &[WorkRecord], order: u64, began: Timestamp) -> u64 {
    let before = (1_u64..).zip(work).take_while(|(earlier, _)| *earlier < order);
    before.filter(|(_, record)| record.at <= began).map(|(earlier, _)| earlier).last().unwrap_or_default()
}

/// What the disk says counts more than what was written down; a file that is what it was has not changed.
fn compared(file: ChangedFile, since: &dyn Fn(&str) -> SinceApproval) -> Option<ChangedFile> {
    match since(&file.path) {
        SinceApproval::Same => None,
        SinceApproval::Unknown { is_gone } => Some(ChangedFile { is_gone, ..file }),
        SinceApproval::Changed { added, removed, is_white_space, is_gone } => {
            Some(ChangedFile { lines: Some((added, removed)), is_gone, is_white_space, ..file })
        }
    }
}

/// A step as it stands in the list of what is to do.
pub fn step_name(step: &PlanStep) -> String {
    format!("{}. {}", step.number, step.title)
}

/// A file, and how much whoever changed it has to answer for that.
struct WeighedFile {
    file: ChangedFile,
    weight: u8,
}

/// What the plan does not cover is not made good by a command of the plan, or a person, that touches the same file later.
fn answers(by: &ChangedBy, coverage: &Coverage) -> u8 {
    match by {
        ChangedBy::Person => 0,
        ChangedBy::Command { command, folder } if coverage.matching(command, folder).is_some() => 1,
        ChangedBy::Command { .. } | ChangedBy::Tool { .. } => 2,
    }
}

/// Lines add up as long as they are known, and the last change counts. White space alone changes neither the time nor the name.
fn merge<'a>(files: &mut BTreeMap<&'a str, WeighedFile>, path: &'a str, now: WeighedFile) {
    let Some(before) = files.get_mut(path) else {
        files.insert(path, now);
        return;
    };
    let both = before.file.lines.zip(now.file.lines);
    let lines = both.map(|(one, other)| (one.0.saturating_add(other.0), one.1.saturating_add(other.1)));
    if now.file.is_white_space {
        before.file.lines = lines;
        return;
    }
    let keeps_name = !before.file.is_white_space && before.weight > now.weight;
    let (by, weight) =
        if keeps_name { (before.file.by.clone(), before.weight) } else { (now.file.by.clone(), now.weight) };
    *before = WeighedFile { file: ChangedFile { lines, by, ..now.file }, weight };
}
