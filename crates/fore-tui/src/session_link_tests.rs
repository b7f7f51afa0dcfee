//! A line to sessions that cannot begin, or that begin too late.

use super::*;
use crate::{
    app::NotifyReason,
    host::{ModelRow, SessionRow},
};
use fore_agent::{PromptTiming, Unsent};
use fore_plan::{Mode, plan::CheckNote};
use fore_store::SessionId;
use std::{
    path::{Path, PathBuf},
    sync::{Mutex, mpsc as channel},
};

/// A program in which no session begins; when one has failed is decided by the test.
struct Nowhere {
    reasons: Mutex<channel::Receiver<&'static str>>,
}

impl TerminalHost for Nowhere {
    fn review(&self, _: crate::host::PageRequest) -> Result<String, String> {
        Err("there is no browser here".into())
    }

    fn heard(&self, _: &Event) {}

    fn launch(&self, _: Begin) -> Result<Launched, String> {
        let reasons = self.reasons.lock().expect("nobody panics here");
        Err(reasons.recv().unwrap_or("the test is over").to_owned())
    }
    fn past(&self, _: SessionId) -> Vec<Event> {
        Vec::new()
    }
    fn draft(&self, _: SessionId) -> Result<Option<UnsentReview>, String> {
        Ok(None)
    }
    fn keep(&self, _: SessionId, _: Option<&UnsentReview>) -> Result<(), String> {
        Ok(())
    }
    fn check(&self, _: &str) -> Vec<CheckNote> {
        Vec::new()
    }
    fn sessions(&self) -> Result<Vec<SessionRow>, String> {
        Ok(Vec::new())
    }
    fn session(&self, _: &str) -> Result<SessionId, String> {
        Err("there is none".into())
    }
    fn models(&self) -> Vec<ModelRow> {
        Vec::new()
    }
    fn choose_model(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
    fn server_models(&self, _: &str) -> Result<Vec<ModelRow>, String> {
        Ok(Vec::new())
    }
    fn use_server(&self, _: &str, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
    fn permissions(&self) -> Vec<String> {
        Vec::new()
    }
    fn forget(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }

    fn allow_always(&self, _: &str) -> Result<String, String> {
        Ok(String::new())
    }
    fn files(&self, _: SessionId) -> Vec<(String, PathBuf)> {
        Vec::new()
    }
    fn trust(&self, _: bool) -> Result<String, String> {
        Ok(String::new())
    }
    fn export(&self, path: &Path, _: &str) -> Result<PathBuf, String> {
        Ok(path.to_owned())
    }
    fn editor(&self) -> Option<String> {
        None
    }
    fn edit(&self, _: &str, text: &str) -> Result<String, String> {
        Ok(text.to_owned())
    }
    fn suspend(&self) {}
    fn history(&self) -> Vec<String> {
        Vec::new()
    }
    fn remember(&self, _: &str) {}
    fn welcomed(&self) -> Result<(), String> {
        Ok(())
    }

    fn notify(&self, _: NotifyReason) -> Result<(), String> {
        Ok(())
    }

    fn tip(&self) -> Option<String> {
        None
    }
}

fn nowhere() -> (SessionLink, channel::Sender<&'static str>) {
    let (sender, reasons) = channel::channel();
    (SessionLink::new(Arc::new(Nowhere { reasons: Mutex::new(reasons) })).expect("a thread"), sender)
}

fn fresh() -> Begin {
    Begin::Fresh { mode: Mode::Plan }
}

fn prompt(text: &str) -> Command {
    Command::Prompt { text: text.into(), when: PromptTiming::Queue }
}

async fn heard(line: &mut SessionLink) -> String {
    match line.next().await {
        LinkEvent::NotBegun(why) => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_that_does_not_begin_takes_no_commands_any_more() {
    let (mut line, reasons) = nowhere();
    let first = line.begin(fresh());
    assert_eq!(first.send_now(prompt("fix it")), Ok(()), "it waits for the session");
    assert!(first.is_waiting());
    reasons.send("no model").expect("it listens");
    assert_eq!(heard(&mut line).await, "no model");
    assert_eq!(first.send_now(prompt("again")), Err(Unsent::Over));
    let second = line.begin(fresh());
    assert!(!second.is_waiting(), "what was written for the first is not sent to the second");
    reasons.send("still no model").expect("it listens");
    assert_eq!(heard(&mut line).await, "still no model");
    line.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn the_session_that_was_wanted_last_is_the_one_that_is_heard() {
    let (mut line, reasons) = nowhere();
    line.begin(fresh());
    line.begin(fresh());
    reasons.send("the first").expect("it listens");
    reasons.send("the second").expect("it listens");
    assert_eq!(heard(&mut line).await, "the second");
    line.end().await;
}

#[tokio::test(flavor = "current_thread")]
async fn ctrl_c_leaves_at_once_while_a_session_is_being_saved() {
    let (mut line, reasons) = nowhere();
    line.begin(fresh());
    let mut signals = crate::signals::Signals::new().expect("signals can be caught");
    let mut said = String::new();
    let press = |words: &str| {
        said = words.to_owned();
        // The signal is caught, since a moment ago and for as long as this program runs.
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::INT).unwrap();
    };
    signals.end(line, press).await;
    assert_eq!(said, "The session is being saved; Ctrl+C leaves at once.");
    drop(reasons);
}

#[tokio::test(flavor = "current_thread")]
async fn leaving_while_a_session_begins_waits_for_it_and_no_longer() {
    let (mut line, reasons) = nowhere();
    line.begin(fresh());
    drop(reasons);
    line.end().await;
}
