//! `/status`: model, mode, cages, context, cost and files, and what the glyph in the status line means.

use super::cost::{code, context, cost, literal, row};
use crate::{
    app::Facts,
    dialogs::picker::mode_detail,
    theme::{Sign, Theme},
};
use std::path::PathBuf;

/// The page as Markdown.
pub(crate) fn page(facts: &Facts, files: &[(String, PathBuf)], theme: &Theme) -> String {
    let Some(started) = &facts.started else { return "The session has not started yet.".into() };
    let models = &started.models;
    let model = if models.plan == models.act {
        models.act.to_string()
    } else {
        format!("{} plans, {} works", models.plan, models.act)
    };
    let mode = facts.mode.map_or_else(|| "not known yet".to_owned(), |mode| format!("{mode}, {}", mode_detail(mode)));
    let trust = if started.trusted { "trusted" } else { "not trusted: default and plan are open (/trust)" };
    let mut lines = vec![
        row("session", started.session),
        row("folder", code(&started.folder)),
        row("project", format!("{}, {trust}", code(&started.project))),
        row("model", literal(&model)),
        row("mode", mode),
        row("cages", cages(started.caged, started.rehearsal, theme)),
        row("context", context(facts)),
        row("cost", cost(facts.spent.cost)),
    ];
    let is_listed = files.iter().any(|(name, _)| name == "plan");
    if let Some(path) = facts.plan_path.as_ref().filter(|_| !is_listed) {
        lines.push(row("plan", code(path)));
    }
    for memory in &started.memory {
        lines.push(row("memory", literal(memory)));
    }
    for (name, path) in files {
        lines.push(row(&literal(name), code(&path.display().to_string())));
    }
    lines.join("\n")
}

/// With the sign that the status line has for it.
fn cages(caged: bool, rehearsal: bool, theme: &Theme) -> String {
    let sign = theme.sign(if caged { Sign::Caged } else { Sign::NotCaged });
    let words = match (caged, rehearsal) {
        (true, true) => {
            "on: the kernel keeps commands from writing while planning, and rehearses what cannot be judged; its changes are dropped"
        }
        (true, false) => "on, without rehearsal: what cannot be judged by reading it is asked or refused",
        (false, _) => {
            "OFF: this kernel offers no cage: only commands that are proved to read run while planning (`fore doctor`)"
        }
    };
    format!("{sign} {words}")
}
