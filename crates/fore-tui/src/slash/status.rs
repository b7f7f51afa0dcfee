//! `/status`: model, mode, cages, context, cost and files, and what the glyph in the status line means.

use super::cost::{code, context, cost, literal, row};
use crate::{
    app::SessionFacts,
    dialogs::picker::mode_detail,
    theme::{Sign, Theme},
};
use fore_agent::SessionStarted;
use std::path::PathBuf;

/// The page as Markdown.
pub(crate) fn page(facts: &SessionFacts, files: &[(String, PathBuf)], theme: &Theme) -> String {
    let Some(started) = &facts.started else { return "The session has not started yet.".into() };
    let models = &started.models;
    let model = if models.plan == models.act {
        models.act.to_string()
    } else {
        format!("{} plans, {} works", models.plan, models.act)
    };
    let mode = facts.mode.map_or_else(|| "not known yet".to_owned(), |mode| format!("{mode}, {}", mode_detail(mode)));
    let trust =
        if started.trusted { "trusted" } else { "not trusted: only default and plan mode can be used (/trust)" };
    let mut lines = vec![
        row("session", started.session),
        row("folder", code(&started.folder)),
        row("project", format!("{}, {trust}", code(&started.project))),
        row("model", literal(&model)),
        row("mode", mode),
        row("sandbox", sandbox(started, theme)),
        row("context", context(facts)),
        row("cost", cost(facts.spent.cost)),
    ];
    if !started.allowed_hosts.is_empty() {
        lines.push(row("network", format!("open without asking: {}", literal(&started.allowed_hosts.join(", ")))));
    }
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
fn sandbox(started: &SessionStarted, theme: &Theme) -> String {
    let sandbox = &started.sandbox;
    let sign = theme.sign(if started.caged { Sign::Caged } else { Sign::NotCaged });
    let mut words = match (&sandbox.missing, sandbox.uncaged_reads) {
        (Some(why), true) => {
            format!(
                "none: commands that are proved to read run without one, as your settings say (plan.withoutSandbox). {why}"
            )
        }
        (Some(why), false) => format!("none: no command runs while planning. {why}"),
        (None, _) => "on: the kernel keeps commands from writing while planning".to_owned(),
    };
    if let Some(layer) = &sandbox.without {
        words.push_str(&format!(", without {layer} (`fore doctor` says what that costs)"));
    }
    match (&sandbox.missing, &sandbox.no_rehearsal) {
        (None, None) => words.push_str(", and rehearses what cannot be judged; its changes are dropped"),
        (None, Some(why)) => {
            words.push_str(&format!(", without rehearsal: what cannot be judged is asked or refused. {why}"))
        }
        (Some(_), _) => {}
    }
    format!("{sign} {}", literal(&words))
}
