//! What a conversation does about money: it asks for the right to send a request, and counts what came back.

use super::{Admission, Asking, CameBack, NotAdmitted};
use crate::{
    event::ContextUse,
    model_handle::{ModelHandle, ModelReply},
    session::{caller::CallerIdentity, drive::Driver},
    turn::{TurnFailure, TurnInput},
};
use fore_model::ModelRequest;

impl Driver {
    /// The right to send a request, or what becomes of the turn without it.
    pub(in crate::session) async fn admitted(
        &self,
        model: &ModelHandle,
        request: &ModelRequest,
    ) -> Result<Admission, TurnInput> {
        let admitted = self.context.admit(&self.caller.cancel, (model, request), Asking::AtCap).await;
        admitted.map_err(|stopped| match stopped {
            NotAdmitted::Interrupted => TurnInput::Interrupted,
            NotAdmitted::OverBudget { why } => TurnInput::Failed(TurnFailure::OverBudget { why }),
        })
    }

    /// Counts the tokens of an answer, for the person: also of one that was stopped, which is paid for, too.
    pub(in crate::session) fn count(&mut self, model: &ModelHandle, request: &ModelRequest, asked: &ModelReply) {
        let (answer, is_whole) = match asked {
            ModelReply::Answered(answer) => (answer, true),
            ModelReply::Interrupted(answer) | ModelReply::Repeated(answer) => (answer, false),
            ModelReply::Failed(_) => return,
        };
        let has_come = answer.usage.is_some() || answer.served.is_some();
        if !is_whole && !has_come {
            return;
        }
        let window = model.window();
        let context = match answer.usage {
            Some(usage) => ContextUse { tokens: usage.total(), window, estimated: false },
            None => ContextUse { tokens: self.conversation.estimate(), window, estimated: true },
        };
        self.tokens = self.tokens.saturating_add(answer.usage.map_or(0, |usage| usage.total()));
        let says_how_full = is_whole && matches!(self.caller.identity, CallerIdentity::Main);
        let came = CameBack { model, request, usage: answer.usage, bytes: answer.text().len() };
        self.context.count(&self.caller.identity, &came, says_how_full.then_some(context));
        if is_whole {
            self.context.watch_cache(&mut self.cache, &came);
        }
    }
}
