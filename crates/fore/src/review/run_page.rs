//! The page beside a run without a screen: it is told what happens, the person where it is. Questions that no page shows are answered no.

use super::page::{BrowserChoice, SessionPage, WayToPage, lead_to};
use crate::{console::Console, settings::Settings};
use fore_agent::{ApprovalOutcome, Command, CommandSender, Event, FormAnswer, Reply};
use fore_review::ReviewSite;
use fore_store::Home;
use std::sync::Arc;

/// What a page needs that is served beside a run.
pub(crate) struct PageSetup {
    pub(crate) home: Arc<Home>,
    pub(crate) settings: Arc<Settings>,
}

/// The page of a run.
pub(crate) struct RunPage {
    home: Arc<Home>,
    served: Arc<SessionPage>,
    site: ReviewSite,
    way: Option<WayToPage>,
    /// What was written before this run is on the page.
    has_asked: bool,
}

impl RunPage {
    pub(crate) fn open(setup: PageSetup, commands: CommandSender) -> anyhow::Result<RunPage> {
        let PageSetup { home, settings } = setup;
        let served = Arc::new(SessionPage::new(Arc::clone(&home), settings, commands, Box::new(|_| {})));
        let site = ReviewSite::open(Arc::clone(&served) as Arc<dyn fore_review::ReviewHost>)?;
        Ok(RunPage { home, served, site, way: None, has_asked: false })
    }

    /// Something happened; gives what is answered to it at once.
    pub(crate) fn heard(&mut self, event: &Event) -> anyhow::Result<Vec<Command>> {
        match event {
            Event::Started(started) => self.served.set_session(started.session),
            Event::ApprovalAsked(asked) => {
                let draft = if self.has_asked { None } else { self.served.draft() };
                self.has_asked = true;
                let address = self.site.ask(asked, draft)?;
                // A page opens by itself nowhere but where the person has asked for it: here they get its address.
                let way = lead_to(&self.site, &address, &self.home, BrowserChoice::OnlyTell);
                let mut screen = Console::stderr();
                way.lines.iter().try_for_each(|line| screen.line(line))?;
                self.way = Some(way);
                return Ok(Vec::new());
            }
            _ => self.site.hear(event),
        }
        Ok(match event {
            Event::Decided(ApprovalOutcome::NotCounted { .. }) => Vec::new(),
            Event::Decided(decided) => {
                self.way = None;
                // The page is over, and nobody else can be asked while the plan is carried out.
                let is_yes = matches!(decided, ApprovalOutcome::Approved { .. });
                is_yes.then_some(Command::Detach).into_iter().collect()
            }
            Event::Asked(asked) => {
                let reason = "Only the plan is answered in the browser.".to_owned();
                vec![Command::Reply { question: asked.question.clone(), reply: Reply::No { reason } }]
            }
            Event::FormAsked { question, form } => {
                let answers = form.questions.iter().map(|_| FormAnswer::default()).collect();
                vec![Command::FillForm { question: question.clone(), answers }]
            }
            Event::EnterPlanAsked { question } => {
                vec![Command::ConfirmPlanning { question: question.clone(), yes: true }]
            }
            _ => Vec::new(),
        })
    }
}
