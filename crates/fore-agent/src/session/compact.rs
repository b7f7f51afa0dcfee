//! Summarises a conversation that grew too long; the plan and the person's last words come through unharmed.

use super::{
    caller::CallerIdentity,
    drive::{Driver, is_overflow},
    model_reply,
    session_context::lock,
};
use crate::{
    compaction,
    event::{ContextUse, Event},
    model_handle::ModelHandle,
};
use fore_store::entry::Cut;
use std::sync::Arc;

/// The window that is assumed where a model's own is not known.
const ASSUMED_WINDOW: u64 = 128_000;

impl Driver {
    /// Whether the share of the context is reached at which a history is summarised.
    pub(super) fn is_nearly_full(&mut self, model: &ModelHandle) -> bool {
        let percent = u64::from(self.context.settings.compact_at_percent);
        if percent == 0 || matches!(model, ModelHandle::Scout) {
            return false;
        }
        let window = model.window().unwrap_or(ASSUMED_WINDOW);
        self.conversation.estimate().saturating_mul(100) >= window.saturating_mul(percent)
    }

    /// Summarises what was said; the pending words of the person stay as they are.
    pub(crate) async fn compact(&mut self, keep: &str) -> Result<(), String> {
        if matches!(self.caller.identity, CallerIdentity::Agent { .. }) {
            return self.summarise(keep).await;
        }
        self.context.events.send(Event::SummaryStarted);
        let summarised = self.summarise(keep).await;
        self.context.events.send(Event::SummaryEnded);
        summarised
    }

    async fn summarise(&mut self, keep: &str) -> Result<(), String> {
        let (model, duty) = self.model.clone().unwrap_or_else(|| {
            let duty = self.context.duty();
            (self.context.model(duty), duty)
        });
        if matches!(model, ModelHandle::Scout) {
            return Err("the scout reads a history of any length and summarises none".into());
        }
        let whole = self.conversation.full_history();
        let most = usize::try_from(model.window().unwrap_or(ASSUMED_WINDOW)).unwrap_or(usize::MAX).saturating_mul(2);
        let mut history = whole;
        let mut summary = None;
        for share in [1, 2, 4] {
            let request = compaction::request(&history, Arc::clone(self.conversation.head()), keep);
            let asked = model_reply::ask_for_text(&model, &request, duty);
            let said = tokio::select! {
                biased;
                () = self.caller.cancel.cancelled() => return Err("it was interrupted".into()),
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
        let model = self.context.model(self.context.duty());
        let tokens = if self.conversation.is_new() { 0 } else { self.conversation.estimate() };
        lock(&self.context.usage).1 = ContextUse { tokens, window: model.window(), estimated: true };
    }

    fn start_from(&mut self, summary: String) -> Result<(), String> {
        let first = compaction::first_message(&summary);
        let is_main = matches!(self.caller.identity, CallerIdentity::Main);
        if is_main {
            let cut = self.context.session().cut_context(Cut::Compacted { summary });
            cut.map_err(|error| error.to_string())?;
        }
        let words = self.conversation.cut();
        self.conversation.add_text(first);
        if is_main {
            self.context.seen.forget_all();
            self.context.forget_nested_memory();
            // The plan and the workflow come back at once, in the same message (K5).
            for reminder in self.context.due_reminders() {
                self.remind(&reminder);
            }
            self.introduce();
            self.context.events.send(Event::ContextCut { why: "summarised".into() });
        }
        for (speaker, block) in words {
            self.add_spoken(speaker, block);
        }
        Ok(())
    }
}
