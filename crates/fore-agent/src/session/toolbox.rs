//! All tools of a session: what the model is offered, and who does the work.

use crate::{
    control::{agent, amend_plan, answer_plan, ask_user_question, mcp, plan_mode, send_message, todo_write},
    settings::SessionSettings,
    skills::Skills,
    tools::{self, Tool},
};
use fore_model::ToolSchema;
use fore_plan::{
    CalledTool, ToolName,
    approval::{Caller, Reachable, enter},
    gate::table::TodoInPlan,
};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

/// The tools that touch the world.
#[derive(Debug)]
pub(crate) struct Toolbox {
    tools: Vec<Box<dyn Tool>>,
    /// Not offered, and there for models that know them from other agents.
    unlisted: [Box<dyn Tool>; 1],
    /// The MCP servers that were set up when the session began, for the description of a tool.
    servers: Option<String>,
    /// Tools of servers that stand in every request, once they are known.
    always: OnceLock<Vec<ToolSchema>>,
}

/// What decides which tools are listed. With each change of it the prompt has another prefix, so it changes only with the settings, and
/// when planning begins or ends for those who chose to hide the todo list meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ToolOffering {
    pub(crate) reachable: Reachable,
    pub(crate) model_may_plan: bool,
    pub(crate) hides_todo: bool,
    pub(crate) trigger: fore_plan::workflow::Trigger,
    /// What it is in a team.
    pub(crate) team: TeamPlace,
}

/// What a session is in a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TeamPlace {
    /// There is no team.
    #[default]
    Alone,
    Lead,
    Member,
}

impl ToolOffering {
    /// What is offered now. Whether somebody can approve was settled when the session began.
    pub(crate) fn now(
        settings: &SessionSettings,
        reachable: Reachable,
        is_planning: bool,
        team: TeamPlace,
    ) -> ToolOffering {
        ToolOffering {
            reachable,
            model_may_plan: settings.model_may_plan,
            hides_todo: is_planning && settings.table.todo == TodoInPlan::Hidden,
            trigger: settings.trigger,
            team,
        }
    }
}

impl Toolbox {
    pub(crate) fn new(skills: &Arc<Skills>) -> Toolbox {
        let mut tools: Vec<Box<dyn Tool>> = vec![
            Box::new(tools::Read),
            Box::new(tools::Glob),
            Box::new(tools::Grep),
            Box::new(tools::Write),
            Box::new(tools::Edit),
            Box::new(tools::NotebookEdit),
            Box::new(tools::Bash),
            Box::new(tools::BashOutput),
            Box::new(tools::WebFetch::default()),
        ];
        if !skills.is_empty() {
            tools.push(Box::new(tools::Skill::new(Arc::clone(skills))));
        }
        Toolbox { tools, unlisted: [Box::new(tools::Ls)], servers: None, always: OnceLock::new() }
    }

    /// With the three tools that lead to these servers, whatever becomes of them later.
    pub(crate) fn with_servers(self, servers: Option<String>) -> Toolbox {
        Toolbox { servers, ..self }
    }

    pub(crate) fn has_servers(&self) -> bool {
        self.servers.is_some()
    }

    /// Whether it is known which tools of servers stand in every request.
    pub(crate) fn knows_always(&self) -> bool {
        self.always.get().is_some()
    }

    /// These tools of servers stand in every request from now on; the first word counts. Says whether that changes what is offered.
    pub(crate) fn set_always(&self, tools: Vec<ToolSchema>) -> bool {
        let is_some = !tools.is_empty();
        self.always.set(tools).is_ok() && is_some
    }

    fn server_tools(&self) -> impl Iterator<Item = ToolSchema> {
        let always = self.always.get().into_iter().flatten().cloned();
        self.servers.iter().flat_map(|servers| mcp::schemas(servers)).chain(always)
    }

    /// For the lines of calls alone, also of those that this session would not offer.
    pub(crate) fn for_lines() -> Toolbox {
        let mut toolbox = Toolbox::new(&Arc::default());
        toolbox.tools.push(Box::new(tools::Skill::new(Arc::default())));
        toolbox
    }

    pub(crate) fn get(&self, called: &CalledTool) -> Option<&dyn Tool> {
        self.tools.iter().chain(&self.unlisted).find(|tool| called.known() == Some(tool.name())).map(|tool| &**tool)
    }

    /// One line for people about a call.
    pub(crate) fn line(&self, called: &CalledTool, input: &Value) -> String {
        if let Some(tool) = self.get(called) {
            return tool.line(input);
        }
        match called.known() {
            Some(ToolName::Agent) => agent::parse(input).map_or_else(
                |wrong| wrong,
                |call| match call.name {
                    None => format!("{}: {}", call.kind, call.description),
                    Some(name) => format!("teammate {name}: {}", call.description),
                },
            ),
            Some(ToolName::AskUserQuestion) => "asks you".into(),
            Some(ToolName::TodoWrite) => "the todo list".into(),
            Some(ToolName::EnterPlanMode) => "wants to plan first".into(),
            Some(ToolName::ExitPlanMode) => "asks for approval of the plan".into(),
            Some(ToolName::AmendPlan) => amend_plan::line(input),
            Some(ToolName::SendMessage) => send_message::line(input),
            Some(ToolName::AnswerPlan) => answer_plan::line(input),
            Some(name @ (ToolName::McpSearch | ToolName::McpCall | ToolName::McpRead)) => mcp::line(name, input),
            Some(
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
                | ToolName::Skill,
            )
            | None => String::new(),
        }
    }

    /// What the main conversation is offered.
    pub(crate) fn offered(&self, offering: &ToolOffering) -> Vec<ToolSchema> {
        let mut schemas: Vec<ToolSchema> = self.tools.iter().map(|tool| schema(&**tool)).collect();
        if !offering.hides_todo {
            schemas.push(todo_write::schema());
        }
        schemas.push(ask_user_question::schema());
        schemas.push(agent::schema());
        // Plan mode must never be a trap: what cannot be left is not offered.
        if offering.model_may_plan && enter::is_offered(&Caller::Main, offering.reachable) {
            schemas.push(plan_mode::enter_schema(offering.trigger));
        }
        schemas.push(plan_mode::exit_schema());
        schemas.push(amend_plan::schema());
        match offering.team {
            TeamPlace::Alone => {}
            TeamPlace::Lead => schemas.extend([send_message::schema(), answer_plan::schema()]),
            TeamPlace::Member => schemas.push(send_message::schema()),
        }
        schemas.extend(self.server_tools());
        schemas
    }

    /// What a subagent is offered: tools that touch the world, as far as its kind may have them.
    pub(crate) fn offered_to_agent(&self, may_have: impl Fn(&CalledTool) -> bool) -> Vec<ToolSchema> {
        let own = self.tools.iter().filter(|tool| may_have(&tool.name().into())).map(|tool| schema(&**tool));
        let exit = may_have(&ToolName::ExitPlanMode.into()).then(plan_mode::agent_exit_schema);
        let servers = self.server_tools().filter(|schema| may_have(&CalledTool::by_model(&schema.name)));
        own.chain(exit).chain(servers).collect()
    }
}

fn schema(tool: &dyn Tool) -> ToolSchema {
    ToolSchema {
        name: tool.name().name().into(),
        description: tool.description().into(),
        parameters: tool.parameters(),
    }
}
