//! Hooks around a call. They come before the judge: a rewritten call is judged as it was rewritten, and a yes of theirs opens
//! nothing that the gate has not left to a person.

use super::{CallResult, NoPermit, ToolCall};
use crate::{
    event::{CallOutcome, NoticeLevel, TurnOutcome},
    session::hooks::{absolute, words_for_model},
    turn::AfterCall,
};
use fore_hooks::{HookEvent, HookOccasion, HookVerdict, HookedCall, VerdictDecision};
use fore_model::{ResultPart, ToolUse};
use fore_plan::{
    Refusal, RefusalCode, ToolName,
    gate::{Permit, Question},
    reminder::defuse_str,
};
use fore_store::audit::{AuditDecider, AuditSubject};
use serde_json::{Value, json};
use std::time::Duration;

/// What hooks said before a call.
#[derive(Debug, Default)]
pub(super) struct HookedBefore {
    /// Words for the model beside the result.
    pub(super) words: Vec<String>,
    /// A hook wants the person to be asked.
    pub(super) asks: Option<(String, String)>,
    /// A hook would allow it.
    pub(super) allows: Option<String>,
    /// It was rewritten by this hook.
    pub(super) rewritten_by: Option<String>,
    /// The turn ends after it.
    pub(super) stops: Option<(String, String)>,
    /// It is not made.
    pub(super) refusal: Option<Refusal>,
}

/// A question after the hooks had their say.
pub(super) enum HookedQuestion {
    Answered(Box<Permit>, String),
    Open(Box<Question>),
}

impl ToolCall {
    /// The call as hooks see it now.
    fn hooked(&self, call: &ToolUse) -> HookedCall {
        let input = absolute(&self.context, &self.caller, self.input.clone());
        HookedCall { tool: call.name.clone(), input, id: call.id.clone() }
    }

    /// Asks the hooks before anything else is. What they rewrite is the call from here on.
    pub(super) async fn hooks_before(&mut self, call: &ToolUse) -> HookedBefore {
        let occasion = HookOccasion::PreToolUse { call: self.hooked(call) };
        let verdict = self.context.hooks(&self.caller, occasion).await;
        let event = HookEvent::PreToolUse.name();
        let refusal = verdict.refusal().map(|said| self.context.refused_by_hook(&self.caller, event, said));
        let HookVerdict { decision, rewritten, context, stops, .. } = verdict;
        let mut before =
            HookedBefore { words: words_for_model(event, &context), stops, refusal, ..HookedBefore::default() };
        if before.refusal.is_none()
            && let Some((hook, input)) = rewritten
        {
            before.words.push(rewritten_words(&hook, &input));
            self.input = input;
            before.rewritten_by = Some(hook);
        }
        match decision {
            VerdictDecision::Silent | VerdictDecision::Deny { .. } => {}
            VerdictDecision::Allow { hook } => before.allows = Some(hook),
            VerdictDecision::Ask { hook, reason } => before.asks = Some((hook, reason)),
        }
        before
    }

    /// Tells the hooks how the call ended, and the model what they say to it.
    pub(super) async fn hooks_after(
        &self,
        call: &ToolUse,
        before: HookedBefore,
        took: Duration,
        mut done: CallResult,
    ) -> CallResult {
        let duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let hooked = self.hooked(call);
        let occasion = match &done.outcome {
            CallOutcome::Done => {
                let response = self.response(&done);
                Some(HookOccasion::PostToolUse { call: hooked, response, duration_ms })
            }
            CallOutcome::Failed => {
                let error = text_of(&done);
                Some(HookOccasion::PostToolUseFailure { call: hooked, error, is_interrupt: false, duration_ms })
            }
            CallOutcome::Refused { refusal } if refusal.code != RefusalCode::HookDenied => {
                Some(HookOccasion::PermissionDenied { call: hooked, reason: refusal.reason.clone() })
            }
            CallOutcome::Refused { .. } | CallOutcome::Interrupted => None,
        };
        done.reminders.extend(before.words);
        let mut stops = before.stops;
        // A turn that is over, or a history that begins anew, has no place for more words.
        if let Some(occasion) = occasion.filter(|_| matches!(done.then, AfterCall::GoOn)) {
            let event = occasion.event().name();
            let verdict = self.context.hooks(&self.caller, occasion).await;
            if let VerdictDecision::Deny { hook, reason } = &verdict.decision {
                done.reminders.extend(words_for_model(event, &[(hook.clone(), reason.clone())]));
            }
            done.reminders.extend(words_for_model(event, &verdict.context));
            stops = stops.or(verdict.stops);
        }
        if let (Some((hook, why)), AfterCall::GoOn) = (stops, &done.then) {
            self.context.person.notice(NoticeLevel::Warning, format!("The hook `{hook}` stopped the turn: {why}"));
            done.then = AfterCall::End(TurnOutcome::Done);
        }
        match before.rewritten_by {
            Some(hook) => done.with_remark(Some(format!("rewritten by the hook `{hook}`"))),
            None => done,
        }
    }

    /// What a hook of a permission request, or one that said yes before, makes of a question. Nobody has been asked yet.
    pub(super) async fn hooks_of_question(
        &self,
        question: Question,
        allows: Option<&str>,
    ) -> Result<HookedQuestion, NoPermit> {
        let call = HookedCall {
            tool: self.tool.as_str().to_owned(),
            input: absolute(&self.context, &self.caller, self.input.clone()),
            id: self.id.0.clone(),
        };
        let text = question.text().to_owned();
        if question.addition().is_some() {
            let drift = HookOccasion::PlanDrift { call: call.clone(), question: text.clone() };
            let verdict = self.context.hooks(&self.caller, drift).await;
            self.refuse_by(HookEvent::PlanDrift, &verdict)?;
        }
        let asked = HookOccasion::PermissionRequest { call, question: text };
        let verdict = self.context.hooks(&self.caller, asked).await;
        self.refuse_by(HookEvent::PermissionRequest, &verdict)?;
        if let Some((hook, input)) = &verdict.rewritten {
            // What was asked about is not what would run: the question is void, and the model makes the other call, which is judged.
            let reason = (hook.as_str(), "it wants another call instead");
            let refusal = self.context.refused_by_hook(&self.caller, HookEvent::PermissionRequest.name(), reason);
            let way_out = format!("Make this call instead: {}", defuse_str(&shown(input)));
            return Err(NoPermit::Refused(self.audited(Refusal { way_out, ..refusal })));
        }
        let yes = match &verdict.decision {
            VerdictDecision::Allow { hook } => Some(hook.as_str()),
            VerdictDecision::Silent | VerdictDecision::Ask { .. } | VerdictDecision::Deny { .. } => allows,
        };
        let Some(hook) = yes.filter(|_| !matches!(verdict.decision, VerdictDecision::Ask { .. })) else {
            return Ok(HookedQuestion::Open(Box::new(question)));
        };
        let about = AuditSubject::new(question.action());
        match question.allowed_by_hook(&self.caller.state(self.context.ledger.state())) {
            Ok(permit) => {
                self.audit_answer(about, AuditDecider::Hook, Ok(hook));
                Ok(HookedQuestion::Answered(Box::new(permit), format!("allowed by the hook `{hook}`")))
            }
            Err(question) => Ok(HookedQuestion::Open(question)),
        }
    }

    fn refuse_by(&self, event: HookEvent, verdict: &HookVerdict) -> Result<(), NoPermit> {
        match verdict.refusal() {
            Some(said) => {
                let refusal = self.context.refused_by_hook(&self.caller, event.name(), said);
                Err(NoPermit::Refused(self.audited(refusal)))
            }
            None => Ok(()),
        }
    }

    /// A permit that a hook wants to be asked about first.
    pub(super) fn asked_by_hook(&self, permit: Permit, (hook, reason): &(String, String)) -> Question {
        let text = format!("The hook `{hook}` wants you to look at this: {reason}");
        permit.asked_first(&self.caller.state(self.context.ledger.state()), hook, text)
    }

    /// What came of it, in the shape that hooks of other agents expect of the tool.
    fn response(&self, done: &CallResult) -> Value {
        let text = text_of(done);
        let field = |name: &str| self.input.get(name).cloned().unwrap_or_default();
        match self.tool.known() {
            Some(ToolName::Bash) => {
                json!({ "stdout": text, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false })
            }
            Some(ToolName::Read) => {
                json!({ "type": "text", "file": { "filePath": field("file_path"), "content": text } })
            }
            Some(ToolName::Write) => {
                json!({ "filePath": field("file_path"), "content": field("content"), "userModified": false })
            }
            Some(ToolName::Edit) => json!({
                "filePath": field("file_path"), "oldString": field("old_string"), "newString": field("new_string"),
                "replaceAll": field("replace_all"), "userModified": false,
            }),
            Some(_) | None => json!({ "content": [{ "type": "text", "text": text }] }),
        }
    }
}

fn rewritten_words(hook: &str, input: &Value) -> String {
    let words = format!("The hook `{hook}` rewrote this call; it was judged and made as: {}", shown(input));
    defuse_str(&words).into_owned()
}

fn shown(input: &Value) -> String {
    fore_text::cut::ellipsis(&input.to_string(), 2_000).into_owned()
}

fn text_of(done: &CallResult) -> String {
    let text = |part: &ResultPart| match part {
        ResultPart::Text(text) => text.clone(),
        ResultPart::Image(_) => String::new(),
    };
    done.output.model.iter().map(text).collect()
}
