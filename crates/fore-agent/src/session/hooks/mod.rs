//! Runs the person's hooks: all of an event side by side, each by a permit of the gate, in the sandbox of the moment.
//!
//! What their answers may do is decided in `fore-hooks`; who asks them is in the files beside this one and, for calls, in
//! `call/hooked.rs`. A hook is told nothing of our keys, and everything it says is bounded, defused and carries its name.

mod conversation;
mod http;
mod paths;
mod process;
mod receipts;

pub(crate) use paths::absolute;
pub use process::{HookProcess, hash_of_hook_file, hook_action, writable_for_hooks};
pub use receipts::HookReceipt;
pub(crate) use receipts::HookRecord;

use super::{
    call::judge,
    caller::{CallerContext, CallerIdentity},
    session_context::SessionContext,
};
use crate::{cancel::Cancel, event::NoticeLevel};
use fore_hooks::{
    ConfiguredHook, HookAnswer, HookEnding, HookOccasion, HookReply, HookRunner, HookSession, HookVerdict, HookedAgent,
    combine,
};
use fore_plan::{
    Refusal, RefusalCode,
    gate::{Presented, Verdict},
    reminder::defuse_str,
};
use futures_util::future::join_all;
use std::{path::PathBuf, sync::Arc, time::Instant};

impl SessionContext {
    /// Tells every hook that is meant what happens, waits for all of them, and gives what they say together.
    pub(crate) async fn hooks(self: &Arc<Self>, caller: &CallerContext, occasion: HookOccasion) -> HookVerdict {
        let live = self.setup.live();
        let meant: Vec<ConfiguredHook> = live.settings.hooks.meant(&occasion).into_iter().cloned().collect();
        if meant.is_empty() {
            return HookVerdict::default();
        }
        let plans = || caller.state(self.ledger.state()).pre_plan_mode().is_some();
        let planned = plans();
        let input = occasion.input(&self.hook_session(caller)).to_string();
        let runs = meant.into_iter().map(|hook| self.run_hook(caller, hook, input.clone()));
        let answers = join_all(runs).await.into_iter().flatten().collect();
        // Planning may have begun while they ran.
        let verdict = combine(occasion.event(), planned || plans(), answers);
        for (name, message) in &verdict.messages {
            self.person.notice(NoticeLevel::Info, format!("Hook `{name}`: {message}"));
        }
        for (name, why) in &verdict.failures {
            let event = occasion.event().name();
            self.person.notice(NoticeLevel::Warning, format!("The {event} hook `{name}` did not work: {why}"));
        }
        verdict
    }

    /// The same for what nobody waits for; the end of the session does, for a while.
    pub(crate) fn hooks_beside(self: &Arc<Self>, caller: &CallerContext, occasion: HookOccasion) {
        if self.setup.live().settings.hooks.meant(&occasion).is_empty() {
            return;
        }
        let context = Arc::clone(self);
        let caller = CallerContext { cancel: Cancel::default(), ..caller.clone() };
        let run = self.setup.runtime.spawn(async move { drop(context.hooks(&caller, occasion).await) });
        self.work.hooks.add_beside(run);
    }

    fn hook_session(&self, caller: &CallerContext) -> HookSession {
        let agent = match &caller.identity {
            CallerIdentity::Main => None,
            CallerIdentity::Agent { id, kind, .. } => Some(HookedAgent { id: id.0.clone(), kind: kind.name.clone() }),
        };
        // Not in the literal: the lock would be held until its end, and the state is behind it, too.
        let transcript_path = self.ledger.session().path().display().to_string();
        HookSession {
            transcript_path,
            session_id: self.setup.id.to_string(),
            cwd: self.folder_of(caller).get().display().to_string(),
            prompt_id: self.work.hooks.prompt_id(),
            permission_mode: caller.state(self.ledger.state()).mode().name().to_owned(),
            agent,
        }
    }

    /// One hook from its input to its answer. Nothing comes of one that nobody waits for.
    async fn run_hook(
        self: &Arc<Self>,
        caller: &CallerContext,
        hook: ConfiguredHook,
        input: String,
    ) -> Option<(String, HookAnswer)> {
        let name = hook.hook.name();
        if hook.hook.is_async {
            let (context, caller) = (Arc::clone(self), CallerContext { cancel: Cancel::default(), ..caller.clone() });
            let run =
                self.setup.runtime.spawn(async move { drop(context.answer_of_hook(&caller, &hook, input).await) });
            self.work.hooks.add_beside(run);
            return None;
        }
        let answer = self.answer_of_hook(caller, &hook, input).await;
        Some((name, answer))
    }

    async fn answer_of_hook(
        self: &Arc<Self>,
        caller: &CallerContext,
        hook: &ConfiguredHook,
        input: String,
    ) -> HookAnswer {
        let begun = Instant::now();
        let (is_held, reply) = match self.permit_of_hook(hook) {
            Err(why) => (true, not_started(why)),
            Ok(permit) => {
                let is_held = permit.cage().outside().is_some();
                let reply = match &hook.hook.runner {
                    HookRunner::Http { .. } => self.tell_address(caller, hook, permit, input).await,
                    HookRunner::Shell { .. } | HookRunner::Program { .. } => {
                        self.run_program(caller, hook, permit, input).await
                    }
                };
                (is_held, reply)
            }
        };
        let answer = HookAnswer::read(&hook.hook, &reply);
        self.note_hook(hook, &answer, begun.elapsed(), is_held);
        answer
    }

    /// The gate's yes to this hook, in the state that holds now. A change of mode between the two looks is looked at again.
    fn permit_of_hook(&self, hook: &ConfiguredHook) -> Result<Presented, String> {
        let action = hook_action(&hook.hook, &self.writable_for_hooks());
        let mut refused = String::new();
        for _ in 0..3 {
            match judge::judge(&self.setup, &self.ledger.state(), action.clone()).verdict {
                Verdict::Allow(permit) => match permit.present(&self.ledger.state()) {
                    Ok(permit) => return Ok(permit),
                    Err(refusal) => refused = refusal.reason,
                },
                Verdict::Ask(question) => return Err(format!("it would have to be asked about: {}", question.text())),
                Verdict::Block(refusal) => return Err(refusal.reason),
            }
        }
        Err(refused)
    }

    /// What the person's own settings let hooks write.
    fn writable_for_hooks(&self) -> Vec<PathBuf> {
        writable_for_hooks(&self.setup.live().settings.hooks.may_write, &self.setup.project, self.setup.home.path())
    }

    /// A refusal in the name of a hook.
    pub(crate) fn refused_by_hook(&self, caller: &CallerContext, event: &str, (hook, reason): (&str, &str)) -> Refusal {
        // Its name is its command, which somebody else may have written.
        let hook = defuse_str(hook);
        Refusal {
            code: RefusalCode::HookDenied,
            mode: caller.state(self.ledger.state()).mode(),
            rule: format!("hook {hook}"),
            reason: format!("the {event} hook `{hook}` says no: {}", defuse_str(reason)),
            way_out: "Do it another way.".into(),
        }
    }
}

/// Words of hooks for the model, each with the name of the hook that says them.
pub(crate) fn words_for_model(event: &str, context: &[(String, String)]) -> Vec<String> {
    let words = |(hook, text): &(String, String)| {
        let whose = include_str!("context.md").trim_end().replacen("{event}", event, 1).replacen("{hook}", hook, 1);
        defuse_str(&format!("{whose}\n{text}")).into_owned()
    };
    context.iter().map(words).collect()
}

fn not_started(why: impl Into<String>) -> HookReply {
    HookReply { ending: HookEnding::NotStarted(why.into()), stdout: String::new(), stderr: String::new() }
}
