//! Summarises a conversation that grew too long; the plan and the person's last words come through unharmed.

use super::{
    ask,
    desk::lock,
    drive::{Driver, is_overflow},
    seat::Who,
};
use crate::{
    brain::Brain,
    compaction,
    event::{ContextUse, Event},
};
use fore_store::entry::Cut;
use std::sync::Arc;

/// The window that is assumed where a model's own is not known.
const ASSUMED_WINDOW: u64 = 128_000;

impl Driver {
    /// Whether the share of the context is reached at which a history is summarised.
    pub(super) fn is_nearly_full(&mut self, brain: &Brain) -> bool {
        let percent = u64::from(self.desk.settings.compact_at_percent);
        if percent == 0 || matches!(brain, Brain::Scout) {
            return false;
        }
        let window = brain.window().unwrap_or(ASSUMED_WINDOW);
        self.talk.estimate().saturating_mul(100) >= window.saturating_mul(percent)
    }

    /// Summarises what was said; the pending words of the person stay as they are.
    pub(crate) async fn compact(&mut self, keep: &str) -> Result<(), String> {
        if matches!(self.seat.who, Who::Agent { .. }) {
            return self.summarise(keep).await;
        }
        self.desk.outbox.send(Event::SummaryStarted);
        let summarised = self.summarise(keep).await;
        self.desk.outbox.send(Event::SummaryEnded);
        summarised
    }

    async fn summarise(&mut self, keep: &str) -> Result<(), String> {
        let (brain, duty) = self.brain.clone().unwrap_or_else(|| {
            let duty = self.desk.duty();
            (self.desk.brain(duty), duty)
        });
        if matches!(brain, Brain::Scout) {
            return Err("the scout reads a history of any length and summarises none".into());
        }
        let whole = self.talk.whole();
        let most = usize::try_from(brain.window().unwrap_or(ASSUMED_WINDOW)).unwrap_or(usize::MAX).saturating_mul(2);
        let mut history = whole;
        let mut summary = None;
        for share in [1, 2, 4] {
            let request = compaction::request(&history, Arc::clone(self.talk.head()), keep);
            let asked = ask::whole_text(&brain, &request, duty);
            let said = tokio::select! {
                biased;
                () = self.seat.cancel.cancelled() => return Err("it was interrupted".into()),
                said = asked => said,
            };
            match said {
                Ok(text) => {
                    summary = compaction::summary(&text);
                    break;
                }
                Err(error) if is_overflow(&error) => history = compaction::shrink(&history, most / share),
                Err(error) => return Err(error.to_string()),
            }
        }
        let summary = summary.ok_or("the model gave no summary")?;
        self.start_from(summary)
    }

    /// How full the context is as far as can be told before the model has answered; nothing where nothing was said.
    pub(super) fn estimate_context(&mut self) {
        let brain = self.desk.brain(self.desk.duty());
        let tokens = if self.talk.is_new() { 0 } else { self.talk.estimate() };
        lock(&self.desk.usage).1 = ContextUse { tokens, window: brain.window(), estimated: true };
    }

    fn start_from(&mut self, summary: String) -> Result<(), String> {
        let first = compaction::first_message(&summary);
        let is_main = matches!(self.seat.who, Who::Main);
        if is_main {
            let cut = self.desk.session().cut_context(Cut::Compacted { summary });
            cut.map_err(|error| error.to_string())?;
        }
        let words = self.talk.cut();
        self.talk.add_text(first);
        if is_main {
            self.desk.seen.forget_all();
            self.desk.forget_nested_memory();
            // The plan and the workflow come back at once, in the same message (K5).
            for reminder in self.desk.due_reminders() {
                self.remind(&reminder);
            }
            self.introduce();
            self.desk.outbox.send(Event::ContextCut { why: "summarised".into() });
        }
        for (speaker, block) in words {
            self.say_words(speaker, block);
        }
        Ok(())
    }
}
