//! Who is at work: the main conversation or one of its subagents, and how much it may do at most.

use crate::{agents::AgentKind, cancel::Cancel, event::AgentId, lock::lock, tools::WorkingFolder};
use fore_plan::{
    CalledTool, Change, SessionRole, State, ToolName,
    approval::{Caller, Receipt},
};
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug)]
pub(crate) struct CallerContext {
    pub(crate) identity: CallerIdentity,
    pub(crate) judged_by: JudgedBy,
    pub(crate) cancel: Cancel,
}

#[derive(Clone, Debug)]
pub(crate) enum CallerIdentity {
    Main,
    Agent {
        id: AgentId,
        kind: Box<AgentKind>,
        /// Where its commands run: going elsewhere moves nobody else.
        folder: Arc<WorkingFolder>,
        /// Set where it was started to plan: what it handed in, once it has.
        plans: Option<Arc<Mutex<Option<HandedPlan>>>>,
        /// What it is asked to do, in one line.
        task: String,
    },
}

/// A plan that a subagent has handed in: its answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HandedPlan {
    /// What the session that started it reads.
    pub(crate) words: String,
    /// The plan itself, for the person.
    pub(crate) text: String,
    /// Set once a person approved it.
    pub(crate) receipt: Option<Receipt>,
}

/// By which state the calls of a caller are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JudgedBy {
    /// By the session's own, whatever it is at that moment.
    AsSession,
    /// As if planning without a plan file: it only ever reads, also when the session is not planning.
    ReadOnly,
}

impl CallerContext {
    pub(crate) fn main(cancel: Cancel) -> CallerContext {
        CallerContext { identity: CallerIdentity::Main, judged_by: JudgedBy::AsSession, cancel }
    }

    pub(crate) fn agent(&self) -> Option<AgentId> {
        match &self.identity {
            CallerIdentity::Main => None,
            CallerIdentity::Agent { id, .. } => Some(id.clone()),
        }
    }

    pub(crate) fn caller(&self) -> Caller {
        match &self.identity {
            CallerIdentity::Main => Caller::Main,
            CallerIdentity::Agent { id, .. } => Caller::Subagent { id: id.0.clone() },
        }
    }

    /// What it has handed in as its plan.
    pub(crate) fn handed_plan(&self) -> Option<HandedPlan> {
        match &self.identity {
            CallerIdentity::Main | CallerIdentity::Agent { plans: None, .. } => None,
            CallerIdentity::Agent { plans: Some(plans), .. } => lock(plans).clone(),
        }
    }

    /// Whether this caller has the tool at all.
    pub(crate) fn has(&self, tool: &CalledTool) -> bool {
        match &self.identity {
            CallerIdentity::Main => true,
            CallerIdentity::Agent { kind, plans, .. } => {
                let hands_in = tool.known() == Some(ToolName::ExitPlanMode) && plans.is_some();
                let is_its = hands_in || !tool.known().is_some_and(is_of_the_main_conversation);
                is_its && kind.tools.allows(tool)
            }
        }
    }

    /// Whether this caller may use a server's tool, which goes by these names.
    pub(crate) fn has_server_tool(&self, names: &[CalledTool]) -> bool {
        match &self.identity {
            CallerIdentity::Main => true,
            CallerIdentity::Agent { kind, .. } => kind.tools.allows_server_tool(names),
        }
    }

    /// The state that its calls are judged by: the session's, or a stricter one made from it. The plan file is the main
    /// conversation's alone, so while the session plans a subagent has nothing to write at all.
    pub(crate) fn state(&self, session: Arc<State>) -> Arc<State> {
        let is_agent = matches!(self.identity, CallerIdentity::Agent { .. });
        let must_only_read = self.judged_by == JudgedBy::ReadOnly || (is_agent && session.pre_plan_mode().is_some());
        if !must_only_read {
            return session;
        }
        let (level, openings) = (session.level_beneath(), *session.openings());
        Arc::new(State::fold_all([&Change::Started { level, planning: true, openings, role: SessionRole::Main }]))
    }
}

/// Subagents share the planning of the session that started them: they neither enter nor leave, ask nobody, start nobody. One
/// that was started to plan hands its plan in, which ends nothing but its own task.
pub(super) fn is_of_the_main_conversation(tool: ToolName) -> bool {
    match tool {
        ToolName::Agent
        | ToolName::AskUserQuestion
        | ToolName::TodoWrite
        | ToolName::EnterPlanMode
        | ToolName::ExitPlanMode
        | ToolName::AmendPlan
        | ToolName::SendMessage
        | ToolName::AnswerPlan => true,
        ToolName::Read
        | ToolName::Glob
        | ToolName::Grep
        | ToolName::Ls
        | ToolName::WebFetch
        | ToolName::WebSearch
        | ToolName::BashOutput
        | ToolName::Write
        | ToolName::Edit
        | ToolName::MultiEdit
        | ToolName::NotebookEdit
        | ToolName::Bash
        | ToolName::Skill
        | ToolName::McpSearch
        | ToolName::McpCall
        | ToolName::McpRead => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_plan::{Level, Mode, Openings};

    #[test]
    fn m13_a_read_only_seat_plans_whatever_the_session_does() {
        let openings = Openings { bypass_permitted: true, ..Openings::TRUSTED };
        let started =
            Change::Started { level: Level::BypassPermissions, planning: false, openings, role: SessionRole::Main };
        let session = Arc::new(State::fold_all([&started]));
        let caller = CallerContext { judged_by: JudgedBy::ReadOnly, ..CallerContext::main(Cancel::default()) };
        let strict = caller.state(session.clone());
        assert_eq!((session.mode(), strict.mode()), (Mode::At(Level::BypassPermissions), Mode::Plan));
        assert!(strict.plan().is_none(), "and it has no file of its own to write");
    }
}
