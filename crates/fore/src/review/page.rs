//! The page of a session, as the program serves it: what it asks for, and how the person gets to it.

use crate::settings::Settings;
use fore_agent::{Command, CommandSender};
use fore_plan::plan::{CheckNote, Hash, check};
use fore_review::{ReviewHost, ReviewSite};
use fore_sandbox::Browser;
use fore_store::{
    Home, Scratch, SessionId, UnsentReview, plan_list,
    session::{self, KeptRevision},
    unsent_review,
};
use fore_tui::PageNews;
use std::sync::{Arc, Mutex, PoisonError};

/// Tells another front end of the session what is done on the page.
pub(crate) type TellsOther = Box<dyn Fn(PageNews) + Send + Sync>;

/// What a page asks of the program.
pub(crate) struct SessionPage {
    home: Arc<Home>,
    settings: Arc<Settings>,
    commands: CommandSender,
    /// Known once the session has begun.
    session: Mutex<Option<SessionId>>,
    tell: TellsOther,
}

impl SessionPage {
    pub(crate) fn new(
        home: Arc<Home>,
        settings: Arc<Settings>,
        commands: CommandSender,
        tell: TellsOther,
    ) -> SessionPage {
        SessionPage { home, settings, commands, session: Mutex::new(None), tell }
    }

    pub(crate) fn set_session(&self, session: SessionId) {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = Some(session);
    }

    fn session(&self) -> Option<SessionId> {
        *self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was written about the plan of this session before.
    pub(crate) fn draft(&self) -> Option<UnsentReview> {
        self.session().and_then(|session| unsent_review::read(&self.home, session).ok().flatten())
    }
}

impl ReviewHost for SessionPage {
    fn send(&self, command: Command) -> Result<(), String> {
        let is_answer = matches!(command, Command::Approval(_));
        if is_answer {
            (self.tell)(PageNews::Answering);
        }
        self.commands.send_now(command).map_err(|why| format!("That was not sent: {why}."))
    }

    fn keep(&self, draft: Option<&UnsentReview>) -> Result<(), String> {
        if let Some(draft) = draft {
            (self.tell)(PageNews::Draft(Box::new(draft.clone())));
        }
        let Some(session) = self.session() else { return Ok(()) };
        let kept = match draft {
            Some(draft) => unsent_review::write(&self.home, session, draft),
            None => unsent_review::remove(&self.home, session),
        };
        kept.map_err(|error| error.to_string())
    }

    fn check(&self, plan: &str) -> Vec<CheckNote> {
        check(plan, self.settings.written.plan.length, |path| self.settings.project.join(path).exists())
    }

    fn revisions(&self, plan_file: &str) -> Vec<KeptRevision> {
        let plans = self.session().and_then(|session| session::overview(&self.home, session).ok());
        let plan = plans.and_then(|glance| glance.plans.into_iter().rev().find(|plan| plan.path == plan_file));
        plan.map(|plan| plan.revisions).unwrap_or_default()
    }

    fn revision_text(&self, hash: Hash) -> Option<String> {
        plan_list::revision_text(&self.home, hash).ok().flatten()
    }
}

/// How the person gets to a page.
#[derive(Debug)]
pub(crate) struct WayToPage {
    /// For the person, a line each.
    pub(crate) lines: Vec<String>,
    /// The file that leads a browser there; it is readable for its owner alone, and gone with this value.
    _file: Option<Scratch>,
}

/// Whether a browser is opened, or the address only told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BrowserChoice {
    Open,
    OnlyTell,
}

/// Opens the person's browser where they have one here, and says where the page is.
pub(crate) fn lead_to(site: &ReviewSite, address: &str, home: &Home, choice: BrowserChoice) -> WayToPage {
    let far = crate::environment::text("SSH_CONNECTION").filter(|connection| !connection.is_empty());
    if let Some(connection) = far {
        let port = site.port();
        let here = connection.split(' ').nth(2).unwrap_or("this-machine").to_owned();
        let lines = vec![
            "On your own machine, run this and leave it open:".to_owned(),
            format!("  ssh -N -L {port}:127.0.0.1:{port} {here}"),
            "Then open this address there; it is for you alone:".to_owned(),
            format!("  {address}"),
        ];
        return WayToPage { lines, _file: None };
    }
    let browser =
        (choice == BrowserChoice::Open).then(|| Browser::of_the_person(&crate::environment::variable)).flatten();
    let file = browser.as_ref().and_then(|_| Scratch::page(home, &leading_page(address)).ok());
    let is_open = match (&browser, &file) {
        (Some(browser), Some(file)) => browser.open(&file.path()),
        _ => false,
    };
    let words = if is_open {
        "The plan is open in your browser. If it is not, open this address there; it is for you alone:"
    } else {
        "Open this address in your browser; it is for you alone:"
    };
    WayToPage { lines: vec![words.to_owned(), format!("  {address}")], _file: file }
}

/// A page that leads to another one. The address is letters and digits of ours.
fn leading_page(address: &str) -> String {
    format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\"><title>Plan</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\"><p><a href=\"{address}\">Open the plan</a></p>\n"
    )
}
