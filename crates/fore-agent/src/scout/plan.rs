//! Writes the scoping plan: checked facts with their places, and what only you can say.

use super::calls::{ScoutCall, ScoutResults};
use super::evidence::TermTrace;
use super::findings::ScoutFindings;
use super::index::Definition;
use super::markdown::{quote, span, title};
use super::project;
use super::questions;
use super::rank::{Candidate, CandidateReason};
use super::related_tests::TestRelation;
use super::request::{TermKind, WorkKind};
use super::survey::Survey;
use std::fmt::Write as _;

const MAX_TOP_ENTRIES: usize = 24;
const MAX_REASONS: usize = 3;
const MAX_LOCATIONS: usize = 3;
const MAX_COMMANDS: usize = 6;

/// The plan as Markdown. `words` are the task and the remarks on earlier plans.
pub(super) fn write(findings: &ScoutFindings, survey: &Survey, results: ScoutResults<'_>) -> String {
    let words = findings.messages.as_slice();
    let task = words.first().map(String::as_str).unwrap_or_default();
    let mut plan = format!("# {}\n\n{}\n", title(task), include_str!("plan-by.md").trim());
    section(&mut plan, "What was asked", &asked(words, survey));
    section(&mut plan, "What was found", &found(survey, findings));
    section(&mut plan, "Files likely to change", &files(survey));
    if !survey.related.is_empty() {
        section(&mut plan, "Documentation and settings to check", &numbered(&survey.related));
    }
    if !survey.reuse.is_empty() {
        section(&mut plan, "Code to reuse", &reuse(survey));
    }
    section(&mut plan, "How to verify", &verify(survey, findings, results));
    section(&mut plan, "Open questions", &list(questions::questions(survey)));
    section(&mut plan, "Next", include_str!("plan-next.md"));
    plan
}

fn section(plan: &mut String, heading: &str, text: &str) {
    let _ = write!(plan, "\n## {heading}\n\n{}\n", text.trim_end());
}

fn list(items: impl IntoIterator<Item = String>) -> String {
    items.into_iter().map(|item| format!("- {item}\n")).collect()
}

fn asked(words: &[String], survey: &Survey) -> String {
    let (task, remarks) = words.split_first().map_or(("", words), |(task, remarks)| (task.as_str(), remarks));
    let mut text = quote(task);
    for remark in remarks {
        let _ = write!(text, "\n\nSaid about it since:\n\n{}", quote(remark));
    }
    let terms = survey.request.told();
    let terms = terms.map(|term| if term.kind == TermKind::Path { last_part(&term.said) } else { span(&term.said) });
    let terms = terms.collect::<Vec<_>>().join(", ");
    let kind = match survey.request.work {
        WorkKind::Add => "Read as: something to add.",
        WorkKind::Fix => "Read as: a fault to fix.",
        WorkKind::Rename => "Read as: a name to change everywhere.",
        WorkKind::Remove => "Read as: something to remove.",
        WorkKind::Deprecate => "Read as: something to deprecate; it keeps working.",
        WorkKind::Speed => "Read as: something to make faster.",
        WorkKind::Test => "Read as: tests to write or mend.",
        WorkKind::Document => "Read as: documentation.",
        WorkKind::Restructure => "Read as: the same behaviour in a better shape.",
        WorkKind::Upgrade => "Read as: a move to another version.",
        WorkKind::Other => "Read as: a change.",
    };
    let looked_for = if terms.is_empty() {
        "Your words name nothing to look for.".to_owned()
    } else {
        format!("Looked for {terms}.")
    };
    let _ = write!(text, "\n\n{}{kind} {looked_for}", renamed(survey));
    text
}

/// What is to be called what.
fn renamed(survey: &Survey) -> String {
    let Some(renaming) = &survey.request.renaming else { return String::new() };
    let keeps = if renaming.keeps_old { "; the old name keeps working" } else { "" };
    format!("{} becomes {}{keeps}. ", span(&renaming.from), span(&renaming.to))
}

fn found(survey: &Survey, findings: &ScoutFindings) -> String {
    let mut facts = vec![project_line(survey)];
    facts.extend(readme_line(survey, findings));
    if findings.is_cut {
        facts.push("The project is large: some files were not looked at.".to_owned());
    }
    facts.extend(survey.evidence.traces.iter().filter_map(|trace| trace_line(trace, survey)));
    if survey.files.is_empty() {
        let folders = survey.evidence.folders.iter().chain(&survey.evidence.top);
        let top: Vec<String> = folders.take(MAX_TOP_ENTRIES).map(|name| span(name)).collect();
        match top.as_slice() {
            [] => facts.push("The folder is empty.".to_owned()),
            names => facts.push(format!("At the top of the project: {}.", names.join(", "))),
        }
    }
    list(facts)
}

fn project_line(survey: &Survey) -> String {
    let kinds: Vec<String> = survey
        .projects
        .iter()
        .map(|project| format!("{} ({})", project.ecosystem.name, span(&project.manifest)))
        .collect();
    let kind = match (kinds.as_slice(), project::language(&survey.evidence.known)) {
        ([], Some(language)) => format!("{language}, without a manifest"),
        ([], None) => "no source files in a language the scout knows".to_owned(),
        (kinds, _) => kinds.join(", "),
    };
    let size = match survey.evidence.size {
        Some(size) => fore_text::count(size, "tracked file"),
        None => format!("{}, no git history", fore_text::count(survey.evidence.known.len(), "file")),
    };
    format!("Project: {kind}; {size}.")
}

/// The first sentence of the README that is one.
fn readme_line(survey: &Survey, findings: &ScoutFindings) -> Option<String> {
    let path = survey.readme.as_ref()?;
    let text = findings.text(path);
    let is_prose = |line: &&str| {
        line.split_whitespace().count() > 3 && line.starts_with(|c: char| c.is_alphanumeric() || c == '*' || c == '_')
    };
    let lines = text.lines().map(str::trim).skip_while(|line| !is_prose(line)).take_while(|line| !line.is_empty());
    let paragraph = lines.collect::<Vec<_>>().join(" ");
    let sentence = paragraph.split_inclusive(". ").next().filter(|sentence| !sentence.is_empty())?;
    Some(format!("{} says: {}", span(path), span(sentence)))
}

fn trace_line(trace: &TermTrace, survey: &Survey) -> Option<String> {
    let said = span(&trace.term.said);
    if trace.term.kind == TermKind::Path {
        let meant = survey.evidence.meant(&trace.term);
        return Some(match meant.as_slice() {
            [] if survey.evidence.known.iter().any(|path| path.contains(&format!("{}/", trace.term.said))) => {
                format!("The folder {} is there.", last_part(&trace.term.said))
            }
            [] => format!("{} was named, but no such file was found.", last_part(&trace.term.said)),
            [only] => format!("The file named in the request is there: {}.", span(only)),
            several => {
                let shown: Vec<String> = several.iter().take(MAX_LOCATIONS).map(|path| span(path)).collect();
                format!(
                    "{} may mean {} files, such as {}.",
                    last_part(&trace.term.said),
                    several.len(),
                    shown.join(", ")
                )
            }
        });
    }
    let files = trace.counts.len();
    if files == 0 {
        return (trace.term.kind != TermKind::Pair).then(|| format!("{said} is mentioned nowhere."));
    }
    let lines: u64 = trace.counts.values().sum();
    let places = definitions(trace);
    let defined = if places.is_empty() { String::new() } else { format!("; defined at {}", places.join(", ")) };
    Some(format!("{said}: {} in {}{defined}.", fore_text::count(lines, "line"), fore_text::count(files, "file")))
}

/// A path that may not exist, by its last part.
fn last_part(path: &str) -> String {
    span(path.rsplit('/').next().unwrap_or(path))
}

fn definitions(trace: &TermTrace) -> Vec<String> {
    let mut definitions: Vec<_> = trace.definitions.iter().collect();
    let is_part = |name: &str| !trace.term.is_all_of(&super::request::parts(name));
    let kind = |path: &str| super::source::FileKind::of(path);
    definitions.sort_by_key(|held| (is_part(&held.name), kind(&held.path), held.path.clone(), held.line));
    let place =
        |held: &&Definition| format!("{} ({})", span(&format!("{}:{}", held.path, held.line)), span(&held.name));
    // In Rust a type and its `impl` blocks have one name.
    definitions.dedup_by(|later, first| (&later.path, &later.name) == (&first.path, &first.name));
    definitions.iter().take(MAX_LOCATIONS).map(place).collect()
}

fn files(survey: &Survey) -> String {
    if survey.files.is_empty() {
        return "No file matches the request, so none is named here: a guess would only look like a plan.".to_owned();
    }
    numbered(&survey.files)
}

fn numbered(files: &[Candidate]) -> String {
    let line = |(number, file): (usize, &Candidate)| {
        format!("{number}. {}: {}.\n", span(&file.path), reasons(&file.reasons).join("; "))
    };
    (1..).zip(files).map(line).collect()
}

/// The reasons of a file, those of a kind together.
fn reasons(reasons: &[CandidateReason]) -> Vec<String> {
    let several = |pick: fn(&CandidateReason) -> Option<String>, before: &str, after: &str| {
        let items: Vec<String> = reasons.iter().filter_map(pick).take(MAX_REASONS).collect();
        (!items.is_empty()).then(|| format!("{before}{}{after}", items.join(", ")))
    };
    let single = |reason: &CandidateReason| match reason {
        CandidateReason::Named => Some("named in the request".to_owned()),
        CandidateReason::Together { with, times, of } => {
            Some(format!("changed together with {} in {times} of {}", span(with), fore_text::count(*of, "commit")))
        }
        CandidateReason::Defines { .. }
        | CandidateReason::HandsOn { .. }
        | CandidateReason::Uses { .. }
        | CandidateReason::Closest { .. }
        | CandidateReason::InName { .. }
        | CandidateReason::InFolder { .. }
        | CandidateReason::Mentions { .. } => None,
    };
    let defines = |reason: &CandidateReason| {
        let CandidateReason::Defines { name, line } = reason else { return None };
        Some(format!("{} (line {line})", span(name)))
    };
    let hands_on = |reason: &CandidateReason| {
        let CandidateReason::HandsOn { name, line } = reason else { return None };
        Some(format!("{} (line {line})", span(name)))
    };
    let uses = |reason: &CandidateReason| {
        let CandidateReason::Uses { name, line } = reason else { return None };
        Some(format!("{} (line {line})", span(name)))
    };
    let closest = |reason: &CandidateReason| {
        let CandidateReason::Closest { name, line } = reason else { return None };
        Some(format!("{} (line {line})", span(name)))
    };
    let in_name = |reason: &CandidateReason| {
        let CandidateReason::InName { said } = reason else { return None };
        Some(span(said))
    };
    let in_folder = |reason: &CandidateReason| {
        let CandidateReason::InFolder { said } = reason else { return None };
        Some(last_part(said))
    };
    let mentions = |reason: &CandidateReason| {
        let CandidateReason::Mentions { said, lines } = reason else { return None };
        Some(format!("{} {lines}×", span(said)))
    };
    // Only as the first of those that are told by themselves.
    let mut singles = reasons.iter().filter(|reason| single(reason).is_some());
    let named = singles.next().filter(|reason| matches!(reason, CandidateReason::Named));
    let mut words: Vec<String> = named.and_then(single).into_iter().collect();
    words.extend(several(defines, "defines ", ""));
    words.extend(several(hands_on, "re-exports ", ""));
    words.extend(several(uses, "uses ", ""));
    words.extend(several(closest, "closest code: ", ""));
    words.extend(several(in_name, "file name contains ", ""));
    words.extend(several(in_folder, "folder name contains ", ""));
    words.extend(several(mentions, "mentions ", ""));
    words.extend(
        reasons.iter().filter(|reason| matches!(reason, CandidateReason::Together { .. })).filter_map(single).take(1),
    );
    words
}

fn reuse(survey: &Survey) -> String {
    let line = |held: &Definition| {
        let text = held.text.trim().trim_end_matches(['{', ':', ' ']);
        format!("{}: {}", span(&format!("{}:{}", held.path, held.line)), span(text))
    };
    list(survey.reuse.iter().map(line))
}

fn verify(survey: &Survey, findings: &ScoutFindings, results: ScoutResults<'_>) -> String {
    let mut facts: Vec<String> = Vec::new();
    for test in &survey.tests {
        let how = match test.how {
            TestRelation::ByName => "belongs to",
            TestRelation::ByPart => "seems by its name to belong to",
        };
        facts.push(format!("{} {how} {}.", span(&test.path), span(&test.file)));
    }
    facts.extend(survey.tested_inside.iter().map(|path| format!("{} has tests of its own inside.", span(path))));
    if facts.is_empty() && !survey.files.is_empty() {
        facts.push("No test is named after these files.".to_owned());
    }
    facts.extend(survey.check.as_ref().and_then(|call| check_line(call, results)));
    let tests: Vec<String> = survey.tests.iter().map(|test| test.path.clone()).collect();
    let commands =
        project::commands(&survey.projects, &tests, &survey.evidence, &|path| findings.text(path).to_owned());
    let commands: Vec<String> = commands.into_iter().take(MAX_COMMANDS).collect();
    if commands.is_empty() {
        facts.push("No test command found; please tell me how to run the tests.".to_owned());
        return list(facts);
    }
    format!("{}\nCommands of this project:\n\n```sh\n{}\n```", list(facts), commands.join("\n")).trim_start().to_owned()
}

/// What the project's own check said in rehearsal. Times and paths in its output are left out.
fn check_line(call: &ScoutCall, results: ScoutResults<'_>) -> Option<String> {
    let ScoutCall::Check(command) = call else { return None };
    let shown = span(command.split(" >").next().unwrap_or(command));
    let text = results.text(call).unwrap_or_default();
    let failed = format!("Tried in a rehearsal: {shown} does not work here.");
    if command.contains("pytest") {
        let count =
            text.lines().find_map(|line| line.split_once(" tests collected").or(line.split_once(" test collected")));
        let count = count.and_then(|(count, _)| count.rsplit(' ').next()?.parse::<u64>().ok());
        return Some(count.map_or(failed, |count| {
            format!("Tried in a rehearsal: {shown} lists {}.", fore_text::count(count, "test"))
        }));
    }
    if command.starts_with("go list") {
        let count = text
            .lines()
            .filter(|line| line.contains('/') || line.contains('.'))
            .filter(|line| !line.contains(' '))
            .count();
        return Some(if count == 0 {
            failed
        } else {
            format!("Tried in a rehearsal: {shown} lists {}.", fore_text::count(count, "package"))
        });
    }
    let works = results.text(call).is_some();
    Some(if works { format!("Tried in a rehearsal: {shown} works.") } else { failed })
}
