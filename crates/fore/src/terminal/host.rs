//! What the program does for its terminal: launches sessions, opens editors, reads and keeps files. It draws nothing.

use super::{notify, rows, tips};
use crate::{
    headless::{
        args::RunArgs,
        launch::{self, AnsweredBy, RunContext},
        reread::SharedSettings,
    },
    models, permissions, report,
    review::page::{BrowserChoice, SessionPage, WayToPage, lead_to},
    settings::{Settings, with_models, with_server},
    trust,
};
use anyhow::{Context, bail};
use fore_agent::{Begin, Event, NoticeLevel, replay};
use fore_plan::{
    Mode,
    plan::{CheckNote, MAX_PLAN_BYTES, check},
};
use fore_review::ReviewSite;
use fore_sandbox::{Editor, EditorError};
use fore_store::{
    Home, Scratch, SessionId, UnsentReview, always_allowed, history, own_settings, plan_file, unsent_review,
};
use fore_tui::{Launched, ModelRow, NotifyReason, PageRequest, SessionRow, TerminalHost};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

/// Events of a resumed session that are shown again.
const MAX_PAST_EVENTS: usize = 500;

/// The name in the settings of a server whose address was typed at the first start.
const OWN_SERVER: &str = "mine";

/// The program around the terminal, with what it was started with.
#[derive(Debug)]
pub(super) struct HostProgram {
    folder: PathBuf,
    home: Arc<Home>,
    run: RunArgs,
    /// The mode that was asked for on the command line.
    asked: Option<Mode>,
    /// What follows `--settings`.
    given: Option<String>,
    /// As they were read last.
    settings: SharedSettings,
    /// What the person has been told already.
    notices_shown: Mutex<Vec<String>>,
    /// The plan of the session in a browser, once the person wanted that.
    page: Mutex<Option<OpenPage>>,
}

/// A page that is served.
#[derive(Debug)]
struct OpenPage {
    session: SessionId,
    site: ReviewSite,
    /// Kept as long as the address may be needed.
    _way: WayToPage,
}

impl HostProgram {
    pub(super) fn new(
        folder: PathBuf,
        home: Arc<Home>,
        settings: Settings,
        run: RunArgs,
        asked: Option<Mode>,
        given: Option<String>,
    ) -> HostProgram {
        let told = settings.all_warnings().map(str::to_owned).chain(settings.differences()).collect();
        HostProgram {
            folder,
            home,
            run,
            asked,
            given,
            settings: Arc::new(Mutex::new(Arc::new(settings))),
            notices_shown: Mutex::new(told),
            page: Mutex::new(None),
        }
    }

    pub(super) fn home(&self) -> Arc<Home> {
        Arc::clone(&self.home)
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads the settings again: the person may have trusted the folder, chosen a model or edited the file meanwhile.
    fn read_settings(&self) -> anyhow::Result<Arc<Settings>> {
        let settings = Arc::new(Settings::load(&self.folder, self.given.as_deref())?);
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&settings);
        Ok(settings)
    }

    fn launch(&self, settings: Arc<Settings>, begin: Begin) -> anyhow::Result<Launched> {
        let mut notices: Vec<String> =
            settings.all_warnings().map(str::to_owned).chain(settings.differences()).collect();
        let default_mode = settings.written.permissions.default_mode;
        let home = || Ok(Arc::clone(&self.home));
        let (shared, given) = (Arc::clone(&self.settings), self.given.as_deref());
        *shared.lock().unwrap_or_else(PoisonError::into_inner) = settings;
        let (place, found) = RunContext::with(self.folder.clone(), shared, given, &self.run, home)?;
        notices.extend(found);
        let begin = match begin {
            Begin::Fresh { mode } => {
                let (mode, notice) = self.mode(&place, default_mode, mode)?;
                notices.extend(notice);
                notices.extend(self.awaiting());
                Begin::Fresh { mode }
            }
            Begin::Resume { mode: Some(Mode::At(level)), .. } | Begin::Fork { mode: Some(Mode::At(level)), .. } => {
                place.require(level)?;
                begin
            }
            Begin::Resume { .. } | Begin::Fork { .. } | Begin::Apply { .. } => begin,
        };
        Ok(Launched { launch: place.launch(begin, AnsweredBy::Terminal)?, notices: self.untold(notices) })
    }

    /// The mode to start in, now that the models are known: one that was asked for must be open, that of the settings
    /// gives way to a lesser one.
    fn mode(&self, place: &RunContext, default: Mode, mode: Mode) -> anyhow::Result<(Mode, Option<String>)> {
        let (usual, notice) = place.starting_mode(None)?;
        if self.asked.is_none() && [default, usual].contains(&mode) {
            return Ok((usual, notice));
        }
        place.starting_mode(Some(mode))
    }

    fn awaiting(&self) -> Option<String> {
        rows::awaiting(&self.home, &self.folder)?;
        Some("a plan waits for your approval in your last session: fore --continue".into())
    }

    /// What is new among these.
    fn untold(&self, notices: Vec<String>) -> Vec<String> {
        let mut told = self.notices_shown.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<String> = notices.into_iter().filter(|notice| !told.contains(notice)).collect();
        told.extend(new.iter().cloned());
        new
    }

    fn choose_model(&self, name: &str) -> anyhow::Result<String> {
        let name = name.trim();
        if name != "scout" {
            fore_model::parse_name(name)?;
        }
        if models::is_used_anyway(name, &models::offers(&self.settings())) {
            return Ok(String::new());
        }
        let path = own_settings::path(&self.home);
        let text = own_settings::read(&self.home)?.unwrap_or_default();
        let small = models::small_beside(name);
        match with_models(&text, name, small.as_deref()) {
            Ok(text) => {
                own_settings::write(&self.home, &text)?;
                Ok(format!("{name} is the model in your settings now: {}", path.display()))
            }
            Err(why) => bail!("the settings in {} cannot be changed: {why}", path.display()),
        }
    }

    /// What a server at this address offers. Nothing is written.
    fn server_models(&self, address: &str) -> anyhow::Result<Vec<ModelRow>> {
        let address = server_address(address);
        let given = json!({ "model": { "servers": { OWN_SERVER: { "baseUrl": address } } } }).to_string();
        let settings = Settings::load(&self.folder, Some(&given))?;
        let offered = models::of_server(&settings, OWN_SERVER).map_err(anyhow::Error::msg)?;
        Ok(offered.into_iter().map(|(name, why)| ModelRow { name, why }).collect())
    }

    fn use_server(&self, address: &str, model: &str) -> anyhow::Result<String> {
        let path = own_settings::path(&self.home);
        let text = own_settings::read(&self.home)?.unwrap_or_default();
        match with_server(&text, (OWN_SERVER, &server_address(address)), model) {
            Ok(text) => {
                own_settings::write(&self.home, &text)?;
                Ok(format!("{model} and its server are in your settings now: {}", path.display()))
            }
            Err(why) => bail!("the settings in {} cannot be changed: {why}", path.display()),
        }
    }

    fn allow_always(&self, command: &str) -> anyhow::Result<String> {
        let (project, path) = (&self.settings().project, always_allowed::path(&self.home));
        always_allowed::set(&self.home, project, command, true)?;
        Ok(format!(
            "`{command} …` runs in this project without asking from now on: {}. /permissions forget {command} ends that.",
            path.display()
        ))
    }

    fn export(&self, path: &Path, text: &str) -> anyhow::Result<PathBuf> {
        let path = match (path.strip_prefix("~"), crate::environment::user_home()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.folder.join(path),
        };
        plan_file::export(&path, text)?;
        Ok(path)
    }

    /// Serves the plan that waits; a page that is open already goes on with it.
    fn review(&self, request: PageRequest) -> anyhow::Result<String> {
        let PageRequest { session, asked, draft, commands, tell } = request;
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let site = match page.take().filter(|page| page.session == session) {
            Some(page) => page.site,
            None => {
                let served = SessionPage::new(Arc::clone(&self.home), self.settings(), commands, tell);
                served.set_session(session);
                ReviewSite::open(Arc::new(served))?
            }
        };
        let address = site.ask(&asked, Some(draft))?;
        let way = lead_to(&site, &address, &self.home, BrowserChoice::Open);
        let lines = way.lines.join("\n");
        *page = Some(OpenPage { session, site, _way: way });
        Ok(lines)
    }

    /// Another plan waits, or the same one again: a tab that is open goes on with it.
    fn page_heard(&self, event: &Event) {
        let mut page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = page.as_ref() else { return };
        match event {
            Event::Started(started) if started.session != open.session => *page = None,
            Event::ApprovalAsked(asked) if open.site.is_watched() || open.site.address().is_some() => {
                // That the page cannot go on is no reason to disturb the terminal, which can.
                let _ = open.site.ask(asked, None);
            }
            event => open.site.hear(event),
        }
    }

    fn edit(&self, editor: &Editor, name: &str, text: &str) -> anyhow::Result<String> {
        let scratch = Scratch::new(&self.home, name, text)?;
        editor.open(&scratch.path()).map_err(unchanged)?;
        let edited = scratch.text(MAX_PLAN_BYTES);
        edited.with_context(|| format!("what {} left cannot be used, so nothing was changed", editor.name()))
    }

    fn trust(&self, trusted: bool) -> anyhow::Result<String> {
        // As they were read last, which is what the person was told about; the files may be others by now.
        let settings = self.settings();
        match trusted {
            true => trust::add(&self.home, &settings.project, trust::FolderChoice::ByWhereTheyAre, &settings),
            false => trust::remove(&self.home, &settings.project),
        }
    }
}

/// An address as people type it, with the scheme that it may lack.
fn server_address(typed: &str) -> String {
    let typed = typed.trim();
    if typed.contains("://") { typed.to_owned() } else { format!("http://{typed}") }
}

fn editor() -> Result<Editor, EditorError> {
    Editor::of_the_person(&crate::environment::variable)
}

fn unchanged(error: EditorError) -> anyhow::Error {
    match error {
        EditorError::Failed { .. } => anyhow::anyhow!("{error}, so nothing was changed"),
        other => other.into(),
    }
}

fn in_words<T>(done: anyhow::Result<T>) -> Result<T, String> {
    done.map_err(|error| report::words(&error))
}

impl TerminalHost for HostProgram {
    fn launch(&self, begin: Begin) -> Result<Launched, String> {
        in_words(self.read_settings().and_then(|settings| HostProgram::launch(self, settings, begin)))
    }

    fn past(&self, session: SessionId) -> Vec<Event> {
        replay::events(&self.home, session, MAX_PAST_EVENTS).unwrap_or_else(|error| {
            let text = format!("what was said before cannot be shown: {error}");
            vec![Event::Notice { level: NoticeLevel::Warning, text }]
        })
    }

    fn draft(&self, session: SessionId) -> Result<Option<UnsentReview>, String> {
        in_words(unsent_review::read(&self.home, session).map_err(Into::into))
    }

    fn keep(&self, session: SessionId, words: Option<&UnsentReview>) -> Result<(), String> {
        let kept = match words {
            Some(words) => unsent_review::write(&self.home, session, words),
            None => unsent_review::remove(&self.home, session),
        };
        let page = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Some(page), Some(words)) = (page.as_ref().filter(|page| page.session == session), words) {
            page.site.take_draft(words.clone());
        }
        drop(page);
        in_words(kept.map_err(Into::into))
    }

    fn check(&self, plan: &str) -> Vec<CheckNote> {
        let settings = self.settings();
        check(plan, settings.written.plan.length, |path| settings.project.join(path).exists())
    }

    fn sessions(&self) -> Result<Vec<SessionRow>, String> {
        in_words(rows::sessions(&self.home, &self.folder))
    }

    fn session(&self, word: &str) -> Result<SessionId, String> {
        in_words(launch::session_of(&self.home, &self.folder, word))
    }

    fn models(&self) -> Vec<ModelRow> {
        models::offers(&self.settings())
    }

    fn choose_model(&self, name: &str) -> Result<String, String> {
        in_words(HostProgram::choose_model(self, name))
    }

    fn server_models(&self, address: &str) -> Result<Vec<ModelRow>, String> {
        in_words(HostProgram::server_models(self, address))
    }

    fn use_server(&self, address: &str, model: &str) -> Result<String, String> {
        in_words(HostProgram::use_server(self, address, model))
    }

    fn permissions(&self) -> Vec<String> {
        let settings = self.settings();
        permissions::rules(&settings, &permissions::always_of(&settings))
    }

    fn allow_always(&self, command: &str) -> Result<String, String> {
        in_words(HostProgram::allow_always(self, command))
    }

    fn forget(&self, words: &str) -> Result<String, String> {
        in_words(permissions::forget(&self.home, &self.settings(), words))
    }

    fn files(&self, session: SessionId) -> Vec<(String, PathBuf)> {
        rows::files(&self.home, &self.settings(), session)
    }

    fn trust(&self, trusted: bool) -> Result<String, String> {
        in_words(HostProgram::trust(self, trusted))
    }

    fn export(&self, path: &Path, text: &str) -> Result<PathBuf, String> {
        in_words(HostProgram::export(self, path, text))
    }

    fn editor(&self) -> Option<String> {
        editor().ok().map(|editor| editor.name())
    }

    fn edit(&self, name: &str, text: &str) -> Result<String, String> {
        in_words(editor().map_err(Into::into).and_then(|editor| HostProgram::edit(self, &editor, name, text)))
    }

    fn review(&self, request: PageRequest) -> Result<String, String> {
        in_words(HostProgram::review(self, request))
    }

    fn heard(&self, event: &Event) {
        self.page_heard(event);
    }

    fn history(&self) -> Vec<String> {
        history::read(&self.home, &self.settings().project).unwrap_or_default()
    }

    fn remember(&self, prompt: &str) {
        // That a prompt is not remembered is no reason to disturb the one who wrote it.
        let _ = history::add(&self.home, &self.settings().project, prompt);
    }

    fn suspend(&self) {
        fore_sandbox::stop_as_a_job();
    }

    fn welcomed(&self) -> Result<(), String> {
        in_words(fore_store::tips::welcomed(&self.home).map_err(Into::into))
    }

    fn notify(&self, why: NotifyReason) -> Result<(), String> {
        in_words(notify::run(&self.settings(), why))
            .map_err(|why| format!("The command of notify.command failed: {why}"))
    }

    fn tip(&self) -> Option<String> {
        self.settings().written.tips.then(|| tips::next(&self.home)).flatten()
    }
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
