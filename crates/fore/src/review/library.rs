//! `fore review --all`: plans, sessions and reports of this project on a page to read. Only what was listed can be asked for.

use super::page::{BrowserChoice, lead_to};
use crate::{
    console::{Console, one_line},
    format::ago,
    headless::{RunStop, launch, stops},
    plans::{stage_of, stem, without_copies},
    settings::Settings,
};
use fore_agent::{Event, replay};
use fore_plan::report::ShownTimes;
use fore_review::{LibraryEntry, LibraryText, ReviewLibrary, read_library};
use fore_store::{
    Home, PlanFolder, SessionId,
    plan_file::PlanReading,
    plan_list::{self, PlanSummary},
    session,
};
use std::{
    fmt::Write as _,
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

/// Of each kind.
const MAX_ENTRIES: usize = 200;
/// Events of a session that are shown.
const MAX_EVENTS: usize = 500;

pub(super) fn run(home: Home, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let home = Arc::new(home);
    let folder = launch::here()?;
    let folders = launch::plan_folders(&home, &Settings::load_here(given)?);
    // Before the first thread of the server: whoever stops this program is heard here.
    let mut stops = stops();
    let library = ProjectLibrary { home: Arc::clone(&home), project: fore_agent::project_of(&folder), folders };
    let (site, address) = read_library(Arc::new(library))?;
    let choice = if io::stdout().is_terminal() { BrowserChoice::Open } else { BrowserChoice::OnlyTell };
    let way = lead_to(&site, &address, &home, choice);
    let mut screen = Console::stderr();
    way.lines.iter().try_for_each(|line| screen.line(line))?;
    screen.line("Ctrl+C ends this.")?;
    drop(screen);
    let stop = stops.blocking_recv();
    drop(site);
    Ok(match stop {
        Some(RunStop::Interrupt) => ExitCode::SUCCESS,
        Some(RunStop::Terminate | RunStop::NobodyReads) | None => ExitCode::from(143),
    })
}

struct ProjectLibrary {
    home: Arc<Home>,
    project: PathBuf,
    folders: Vec<PlanFolder>,
}

impl ProjectLibrary {
    fn plans(&self) -> Vec<(PlanFolder, PlanSummary)> {
        let mut found = Vec::new();
        for folder in &self.folders {
            let plans = plan_list::list(&self.home, folder, MAX_ENTRIES).unwrap_or_default();
            found.extend(without_copies(plans).into_iter().map(|plan| (folder.clone(), plan)));
        }
        found.retain(|(_, plan)| {
            plan.folder.as_ref().is_none_or(|about| fore_agent::project_of(about.as_ref()) == self.project)
        });
        found
    }

    fn sessions(&self) -> Vec<session::SessionSummary> {
        let all = session::list(&self.home, None, MAX_ENTRIES).unwrap_or_default();
        let is_here = |about: &String| fore_agent::project_of(about.as_ref()) == self.project;
        all.into_iter().filter(|summary| summary.folder.as_ref().is_some_and(is_here)).collect()
    }

    fn plan_text(&self, name: &str) -> Option<LibraryText> {
        let (folder, plan) = self.plans().into_iter().find(|(_, plan)| stem(&plan.name) == name)?;
        let newest = plan.history.as_ref().and_then(|history| history.revisions.last()).map(|kept| kept.hash);
        let text = match folder.read(&plan.name) {
            PlanReading::Text(text) => text,
            PlanReading::Missing | PlanReading::Unreadable(_) | PlanReading::TooLarge { .. } => {
                plan_list::revision_text(&self.home, newest?).ok()??
            }
        };
        Some(LibraryText { title: plan.title, text })
    }

    fn report_text(&self, name: &str) -> Option<LibraryText> {
        let (_, plan) = self.plans().into_iter().find(|(_, plan)| stem(&plan.name) == name)?;
        let report = plan.history?.report?;
        Some(LibraryText { title: format!("Report: {}", plan.title), text: report.markdown(ShownTimes::Clock) })
    }

    fn session_text(&self, id: &str) -> Option<LibraryText> {
        let wanted: SessionId = id.parse().ok()?;
        let summary = self.sessions().into_iter().find(|summary| summary.session == wanted)?;
        let events = replay::events(&self.home, summary.session, MAX_EVENTS).ok()?;
        let mut text = format!("# Session {wanted}\n\n");
        for event in events {
            // Writing into a String cannot fail.
            let _ = match event {
                Event::PromptTaken { text: words } => write!(text, "## You\n\n{words}\n\n"),
                Event::Said { agent: None, text: words, .. } => write!(text, "{words}\n\n"),
                Event::ToolFinished { agent: None, tool, shown, .. } => {
                    write!(text, "- {tool}: {}\n\n", one_line(&shown.line).replace(['`', '<'], "'"))
                }
                _ => Ok(()),
            };
        }
        Some(LibraryText { title: format!("Session {wanted}"), text })
    }
}

impl ReviewLibrary for ProjectLibrary {
    fn project(&self) -> String {
        one_line(&self.project.display().to_string())
    }

    fn entries(&self) -> Vec<LibraryEntry> {
        let plans = self.plans();
        let age = |plan: &PlanSummary| plan.file.map_or_else(String::new, |file| format!("{} ago", ago(file.modified)));
        let mut all: Vec<LibraryEntry> = Vec::new();
        for (_, plan) in &plans {
            let (name, title) = (stem(&plan.name), one_line(&plan.title));
            all.push(LibraryEntry {
                id: format!("plan:{name}"),
                kind: "plan",
                title: title.clone(),
                state: stage_of(plan),
                age: age(plan),
            });
            if let Some(report) = plan.history.as_ref().and_then(|history| history.report.as_ref()) {
                let (id, state) = (format!("report:{name}"), one_line(&report.headline()));
                all.push(LibraryEntry { id, kind: "report", title, state, age: age(plan) });
            }
        }
        for summary in self.sessions() {
            let Ok(glance) = session::overview(&self.home, summary.session) else { continue };
            if glance.prompts == 0 {
                continue;
            }
            let first = glance.first_prompt.unwrap_or_default();
            all.push(LibraryEntry {
                id: format!("session:{}", summary.session),
                kind: "session",
                title: one_line(fore_text::cut::chars(&first, 200)),
                state: glance.mode.to_string(),
                age: format!("{} ago", ago(summary.modified)),
            });
        }
        all
    }

    fn text(&self, id: &str) -> Option<LibraryText> {
        match id.split_once(':')? {
            ("plan", name) => self.plan_text(name),
            ("report", name) => self.report_text(name),
            ("session", id) => self.session_text(id),
            _ => None,
        }
    }
}
