//! Events by their short names.

use fore_agent::{
    AgentId, ApprovalAsked, CallId, CallOutcome, ContextUse, Event, NoticeLevel, Proof, SessionStarted, ShownCall,
    StartedModels,
};
use fore_model::ModelName;
use fore_plan::{
    Cage, Level, Mode, Refusal, RefusalCode,
    approval::{Comment, Decider, ExitRequest, ExitResponse, GrantScope, Receipt, RequestId, Timestamp},
    plan::{Hash, PlanId},
};
use fore_store::entry::{Todo, TodoStatus};

pub(super) fn model() -> ModelName {
    ModelName::new("anthropic", "claude-opus-5")
}

pub(super) fn welcome(mode: Mode, caged: bool) -> Event {
    Event::Started(SessionStarted {
        session: "0198c0de-0000-7000-8000-000000000001".parse().expect("an id"),
        folder: "/projects/shop".into(),
        project: "/projects/shop".into(),
        mode,
        trusted: caged,
        allowed_hosts: Vec::new(),
        models: StartedModels { plan: model(), act: model(), small: model() },
        caged,
        rehearsal: caged,
        sandbox: Default::default(),
        resumed: false,
        tools: Vec::new(),
        memory: Vec::new(),
        agents: Vec::new(),
        skills: Vec::new(),
        commands: Vec::new(),
        plan: None,
        context: Default::default(),
        allowed: Vec::new(),
    })
}

pub(super) fn words(delta: &str) -> Event {
    Event::Text { agent: None, model: model(), delta: delta.into() }
}

pub(super) fn reasoning(delta: &str) -> Event {
    Event::Reasoning { agent: None, model: model(), delta: delta.into() }
}

pub(super) fn said(text: &str) -> Event {
    Event::Said { agent: None, model: model(), text: text.into(), continues: false }
}

pub(super) fn taken(text: &str) -> Event {
    Event::PromptTaken { text: text.into() }
}

pub(super) fn queued(text: &str) -> Event {
    Event::PromptQueued { text: text.into(), waiting: 1 }
}

pub(super) fn notice(level: NoticeLevel, text: &str) -> Event {
    Event::Notice { level, text: text.into() }
}

pub(super) fn call_id(call: &str) -> CallId {
    CallId(call.into())
}

pub(super) fn started(call: &str, tool: &str, line: &str, cage: Option<Cage>) -> Event {
    Event::ToolStarted { agent: None, call: call_id(call), tool: tool.into(), line: line.into(), cage }
}

pub(super) fn finished(call: &str, tool: &str, outcome: CallOutcome, shown: ShownCall) -> Event {
    Event::ToolFinished { agent: None, call: call_id(call), tool: tool.into(), outcome, shown }
}

pub(super) fn refused() -> CallOutcome {
    let refusal = Refusal {
        code: RefusalCode::PlanShellWrites,
        mode: Mode::Plan,
        rule: "rm".into(),
        reason: "`rm` deletes files".into(),
        way_out: "Put this step in the plan.".into(),
    };
    CallOutcome::Refused { refusal: Box::new(refusal) }
}

pub(super) fn agent_id(agent: &str) -> AgentId {
    AgentId(agent.into())
}

pub(super) fn agent_started(agent: &str, kind: &str, task: &str) -> Event {
    Event::AgentStarted { agent: agent_id(agent), kind: kind.into(), task: task.into(), model: model() }
}

pub(super) fn agent_call(agent: &str, call: &str, tool: &str, line: &str) -> Event {
    let (agent, call) = (Some(agent_id(agent)), call_id(call));
    Event::ToolStarted { agent, call, tool: tool.into(), line: line.into(), cage: None }
}

pub(super) fn agent_refused(agent: &str, call: &str, tool: &str) -> Event {
    let (agent, call, shown) = (Some(agent_id(agent)), call_id(call), ShownCall::line("refused"));
    Event::ToolFinished { agent, call, tool: tool.into(), outcome: refused(), shown }
}

pub(super) fn todo(text: &str, status: TodoStatus) -> Todo {
    Todo { text: text.into(), status }
}

pub(super) fn asked(plan: &str) -> Event {
    Event::ApprovalAsked(ApprovalAsked {
        agent: None,
        agent_task: String::new(),
        request: ExitRequest {
            contract: fore_plan::contract::Contract::default(),
            contract_hash: fore_plan::contract::Contract::default().hash(),
            agent_id: "request-1".into(),
            plan_file_path: "/home/ada/.forethought/plans/brave-quiet-fox.md".into(),
            plan_content: plan.into(),
            plan_hash: Hash::of(plan.as_bytes()),
            revision: 2,
            options: Vec::new(),
            steps: fore_plan::plan::steps(plan),
        },
        notes: Vec::new(),
        changed: String::new(),
        seen: None,
        proof: Proof::default(),
        moved: Vec::new(),
        context: ContextUse::default(),
        rehearsals: Vec::new(),
        estimate: None,
        earlier_comments: Vec::new(),
    })
}

pub(super) fn response(selected: &str, comments: Vec<Comment>, plan: Option<String>) -> ExitResponse {
    ExitResponse {
        contract_hash: None,
        grants: Default::default(),
        through: None,
        agent_id: "request-1".into(),
        selected: selected.into(),
        reason: String::new(),
        comments,
        plan,
        steps: None,
    }
}

pub(super) fn receipt(level: Level) -> Receipt {
    Receipt {
        contract: None,
        runs_covered: false,
        request: RequestId("request-1".into()),
        plan: PlanId { session: "s".into(), ordinal: 1 },
        revision: 2,
        hash: Hash::of(b"# Plan\n"),
        level,
        scope: GrantScope::Plan,
        edited: true,
        clear_context: false,
        steps: Vec::new(),
        by: Decider::Person { via: "terminal".into() },
        at: Timestamp(0),
    }
}

pub(super) fn abreast(calls: &[&str]) -> Event {
    Event::SideBySide { agent: None, calls: calls.iter().map(|call| CallId((*call).into())).collect() }
}
