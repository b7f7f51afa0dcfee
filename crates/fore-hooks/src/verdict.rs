//! What the answers of all hooks of one event come to. The strictest one counts, and while planning nothing is loosened.

use crate::{
    event::HookEvent,
    reply::{HookAnswer, HookDecision},
};
use serde_json::Value;

/// What all of them say together; each text with the name of the hook that said it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookVerdict {
    /// What they decide.
    pub decision: VerdictDecision,
    /// The call as it should be instead, and who said so. It is judged like any other.
    pub rewritten: Option<(String, Value)>,
    /// Words for the model.
    pub context: Vec<(String, String)>,
    /// Words for the person.
    pub messages: Vec<(String, String)>,
    /// Everything stops: who said so, and why.
    pub stops: Option<(String, String)>,
    /// Hooks that did not work, and why.
    pub failures: Vec<(String, String)>,
}

/// What hooks decide together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "who decided, and why")]
pub enum VerdictDecision {
    /// Nothing.
    #[default]
    Silent,
    /// Yes. Only where nobody plans, and only to what the gate's own table asks.
    Allow { hook: String },
    /// The person is asked first.
    Ask { hook: String, reason: String },
    /// No.
    Deny { hook: String, reason: String },
}

/// Whether the session, or whoever makes the call, is planning.
///
/// Combines answers in the order of their hooks: deny before ask before allow; of several, the first one is named. While planning
/// a yes is nothing, and a question is a no.
pub fn combine(event: HookEvent, is_planning: bool, answers: Vec<(String, HookAnswer)>) -> HookVerdict {
    let mut verdict = HookVerdict::default();
    let mut strictest = HookDecision::Silent;
    let mut by = String::new();
    let mut differing = None;
    for (hook, answer) in answers {
        let HookAnswer { decision, context, rewritten, message, stops, failure } = answer;
        if rank(&decision) > rank(&strictest) {
            (strictest, by) = (decision, hook.clone());
        }
        // A yes to something else than was asked about answers no question of a session that plans.
        let may_rewrite = event == HookEvent::PreToolUse || !is_planning;
        if let Some(input) = rewritten.filter(|_| may_rewrite) {
            match &verdict.rewritten {
                Some((_, before)) if *before != input => differing = Some(hook.clone()),
                Some(_) => {}
                None => verdict.rewritten = Some((hook.clone(), input)),
            }
        }
        verdict.context.extend(context.map(|text| (hook.clone(), text)));
        verdict.messages.extend(message.map(|text| (hook.clone(), text)));
        verdict.failures.extend(failure.map(|text| (hook.clone(), text)));
        if verdict.stops.is_none() {
            verdict.stops = stops.map(|why| (hook, why));
        }
    }
    if let Some(hook) = differing {
        let reason =
            "another hook rewrites the same call in another way, and nobody can say which one is meant".to_owned();
        verdict.rewritten = None;
        if rank(&strictest) < rank(&HookDecision::Deny(String::new())) {
            (strictest, by) = (HookDecision::Deny(reason), hook);
        }
    }
    verdict.decision = match strictest {
        HookDecision::Silent => VerdictDecision::Silent,
        HookDecision::Allow if is_planning => VerdictDecision::Silent,
        HookDecision::Allow => VerdictDecision::Allow { hook: by },
        HookDecision::Ask(reason) if is_planning => VerdictDecision::Deny { hook: by, reason },
        HookDecision::Ask(reason) => VerdictDecision::Ask { hook: by, reason },
        HookDecision::Deny(reason) => VerdictDecision::Deny { hook: by, reason },
    };
    verdict
}

fn rank(decision: &HookDecision) -> u8 {
    match decision {
        HookDecision::Silent => 0,
        HookDecision::Allow => 1,
        HookDecision::Ask(_) => 2,
        HookDecision::Deny(_) => 3,
    }
}

impl HookVerdict {
    /// Why it is refused, if it is: a no, or that everything stops.
    pub fn refusal(&self) -> Option<(&str, &str)> {
        match (&self.decision, &self.stops) {
            (VerdictDecision::Deny { hook, reason }, _) => Some((hook, reason)),
            (_, Some((hook, reason))) => Some((hook, reason)),
            (VerdictDecision::Silent | VerdictDecision::Allow { .. } | VerdictDecision::Ask { .. }, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn says(decision: HookDecision) -> HookAnswer {
        HookAnswer { decision, ..HookAnswer::default() }
    }

    fn rewrites(input: Value) -> HookAnswer {
        HookAnswer { decision: HookDecision::Allow, rewritten: Some(input), ..HookAnswer::default() }
    }

    fn all(list: Vec<HookAnswer>) -> Vec<(String, HookAnswer)> {
        list.into_iter().zip('a'..).map(|(answer, name)| (name.to_string(), answer)).collect()
    }

    #[test]
    fn the_strictest_answer_counts_and_planning_takes_every_yes_away() {
        let (ask, deny) = (HookDecision::Ask("hm".into()), HookDecision::Deny("no".into()));
        let denied = |hook: &str, reason: &str| VerdictDecision::Deny { hook: hook.into(), reason: reason.into() };
        let allowed = || VerdictDecision::Allow { hook: "a".into() };
        let asks = VerdictDecision::Ask { hook: "b".into(), reason: "hm".into() };
        let page = [
            // (answers, at work, while planning)
            (vec![], VerdictDecision::Silent, VerdictDecision::Silent),
            (vec![HookDecision::Allow], allowed(), VerdictDecision::Silent),
            (vec![HookDecision::Allow, ask.clone()], asks, denied("b", "hm")),
            (vec![HookDecision::Allow, ask.clone(), deny.clone()], denied("c", "no"), denied("c", "no")),
            (vec![deny.clone(), HookDecision::Allow], denied("a", "no"), denied("a", "no")),
            (vec![HookDecision::Silent], VerdictDecision::Silent, VerdictDecision::Silent),
        ];
        for event in [HookEvent::PreToolUse, HookEvent::PermissionRequest] {
            for (answers, at_work, planning) in &page {
                let answers = || all(answers.iter().cloned().map(says).collect());
                assert_eq!(combine(event, false, answers()).decision, *at_work);
                assert_eq!(combine(event, true, answers()).decision, *planning);
            }
        }
    }

    #[test]
    fn a_call_is_rewritten_before_it_is_judged_and_never_in_two_ways() {
        let (one, two) = (json!({"command": "ls"}), json!({"command": "ls -l"}));
        for is_planning in [false, true] {
            let verdict = combine(HookEvent::PreToolUse, is_planning, all(vec![rewrites(one.clone())]));
            assert_eq!(
                verdict.rewritten,
                Some(("a".into(), one.clone())),
                "judged as rewritten, planning {is_planning}"
            );
            let both =
                combine(HookEvent::PreToolUse, is_planning, all(vec![rewrites(one.clone()), rewrites(two.clone())]));
            assert_eq!((both.rewritten.is_none(), both.refusal().map(|(hook, _)| hook)), (true, Some("b")));
        }
        let asked = |is_planning| combine(HookEvent::PermissionRequest, is_planning, all(vec![rewrites(one.clone())]));
        assert!(asked(false).rewritten.is_some());
        assert_eq!(asked(true), HookVerdict::default(), "a question of a session that plans is the person's alone");
    }

    #[test]
    fn whoever_stops_everything_refuses_the_call() {
        let stops = HookAnswer { stops: Some("enough".into()), ..says(HookDecision::Allow) };
        let verdict = combine(HookEvent::PreToolUse, false, all(vec![stops]));
        assert_eq!(verdict.refusal(), Some(("a", "enough")));
    }
}
