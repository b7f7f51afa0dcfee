//! All tools of a session: what the model is offered, and who does the work.

use crate::{
    control::{agent, ask_user_question, plan_mode, todo_write},
    skills::Skills,
    tools::{self, Tool},
};
use fore_model::ToolSchema;
use fore_plan::{
    approval::{Caller, Reachable, enter},
    gate::table::TodoInPlan,
};
use serde_json::Value;
use std::sync::Arc;

/// The tools that touch the world.
#[derive(Debug)]
pub(crate) struct Toolbox {
    tools: Vec<Box<dyn Tool>>,
}

/// What decides which tools are listed. It does not change during a session, so that the prompt's prefix does not either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToolOffering {
    pub(crate) reachable: Reachable,
    pub(crate) model_may_plan: bool,
    pub(crate) todo: TodoInPlan,
    pub(crate) trigger: fore_plan::workflow::Trigger,
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
        Toolbox { tools }
    }

    /// For the lines of calls alone, also of those that this session would not offer.
    pub(crate) fn for_lines() -> Toolbox {
        let mut toolbox = Toolbox::new(&Arc::default());
        toolbox.tools.push(Box::new(tools::Skill::new(Arc::default())));
        toolbox
    }

    pub(crate) fn get(&self, name: &str) -> Option<&dyn Tool> {
        self.tools.iter().find(|tool| tool.name() == name).map(|tool| &**tool)
    }

    /// One line for people about a call.
    pub(crate) fn line(&self, name: &str, input: &Value) -> String {
        match (self.get(name), name) {
            (Some(tool), _) => tool.line(input),
            (None, "Agent") => {
                agent::parse(input).map_or_else(|wrong| wrong, |call| format!("{}: {}", call.kind, call.description))
            }
            (None, "AskUserQuestion") => "asks you".into(),
            (None, "TodoWrite") => "the todo list".into(),
            (None, "EnterPlanMode") => "wants to plan first".into(),
            (None, "ExitPlanMode") => "asks for approval of the plan".into(),
            (None, _) => String::new(),
        }
    }

    /// What the main conversation is offered.
    pub(crate) fn offered(&self, offering: &ToolOffering) -> Vec<ToolSchema> {
        let mut schemas: Vec<ToolSchema> = self.tools.iter().map(|tool| schema(&**tool)).collect();
        if offering.todo != TodoInPlan::Hidden {
            schemas.push(todo_write::schema());
        }
        schemas.push(ask_user_question::schema());
        schemas.push(agent::schema());
        // Plan mode must never be a trap: what cannot be left is not offered.
        if offering.model_may_plan && enter::is_offered(&Caller::Main, offering.reachable) {
            schemas.push(plan_mode::enter_schema(offering.trigger));
        }
        schemas.push(plan_mode::exit_schema());
        schemas
    }

    /// What a subagent is offered: tools that touch the world, as far as its kind may have them.
    pub(crate) fn offered_to_agent(&self, may_have: impl Fn(&str) -> bool) -> Vec<ToolSchema> {
        self.tools.iter().filter(|tool| may_have(tool.name())).map(|tool| schema(&**tool)).collect()
    }
}

fn schema(tool: &dyn Tool) -> ToolSchema {
    ToolSchema { name: tool.name().into(), description: tool.description().into(), parameters: tool.parameters() }
}
