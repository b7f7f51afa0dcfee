//! Which tools an agent of a kind may call, as its file lists them. A name that nobody knows gives nothing.

use crate::document::{
    front_matter::{FrontMatter, FrontMatterError},
    one_line,
};
use fore_plan::{CalledTool, ToolName};

/// The tools of a kind, within what its session has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AllowedTools {
    /// All that subagents get, without these.
    AllBut(Vec<CalledTool>),
    Only(Vec<CalledTool>),
}

impl AllowedTools {
    pub(crate) fn allows(&self, tool: &CalledTool) -> bool {
        match self {
            AllowedTools::AllBut(without) => !without.contains(tool),
            AllowedTools::Only(names) => {
                // Whoever may use a server's tool gets the tools that lead there.
                let leads = matches!(tool.known(), Some(ToolName::McpSearch | ToolName::McpCall));
                names.contains(tool) || leads && names.iter().any(|name| name.as_str().starts_with("mcp__"))
            }
        }
    }

    /// Whether a server's tool may be used, which goes by these names; by whatever tool leads to it.
    pub(crate) fn allows_server_tool(&self, names: &[CalledTool]) -> bool {
        match self {
            AllowedTools::AllBut(without) => !names.iter().any(|name| without.contains(name)),
            AllowedTools::Only(only) => {
                let is_every = only.iter().any(|name| name.known() == Some(ToolName::McpCall));
                is_every || names.iter().any(|name| only.contains(name))
            }
        }
    }

    /// Whether every tool is of a read kind.
    pub(super) fn only_read(&self) -> bool {
        match self {
            AllowedTools::AllBut(_) => false,
            AllowedTools::Only(names) => names.iter().all(|name| name.known().is_some_and(only_reads)),
        }
    }

    pub(super) fn read(
        matter: &FrontMatter<'_>,
        warnings: &mut Vec<FrontMatterError>,
    ) -> Result<AllowedTools, FrontMatterError> {
        // What is taken away is kept word by word: a tool we do not know under that name is not given either way.
        let without: Vec<String> = matter.list("disallowedTools")?.unwrap_or_default();
        let unknown = |name: &str| CalledTool::Other(name.to_owned());
        let without: Vec<CalledTool> =
            without.iter().map(|name| known(name).unwrap_or_else(|| unknown(name))).collect();
        let Some(asked) = matter.list("tools")? else { return Ok(AllowedTools::AllBut(without)) };
        if asked.iter().any(|name| name == "*") {
            return Ok(AllowedTools::AllBut(without));
        }
        let mut names: Vec<CalledTool> = Vec::new();
        for asked in &asked {
            match known(asked) {
                Some(name) if names.contains(&name) || without.contains(&name) => {}
                Some(name) => names.push(name),
                None => {
                    let why = format!("`{}` is not a tool here, so the agent does not get it", one_line(asked, 80));
                    warnings.push(matter.trouble("tools", why));
                }
            }
        }
        if names.is_empty() {
            return Err(
                matter.trouble("tools", "`tools` names no tool that exists, so the agent could do nothing".to_owned())
            );
        }
        Ok(AllowedTools::Only(names))
    }
}

/// Tools of the kinds read, search, fetch and think: an agent with no others changes nothing.
fn only_reads(tool: ToolName) -> bool {
    match tool {
        ToolName::Read
        | ToolName::Glob
        | ToolName::Grep
        | ToolName::Ls
        | ToolName::WebFetch
        | ToolName::WebSearch
        | ToolName::AskUserQuestion
        | ToolName::BashOutput
        | ToolName::McpSearch
        | ToolName::Skill => true,
        ToolName::Write
        | ToolName::Edit
        | ToolName::MultiEdit
        | ToolName::NotebookEdit
        | ToolName::Bash
        | ToolName::Agent
        | ToolName::TodoWrite
        | ToolName::EnterPlanMode
        | ToolName::ExitPlanMode
        | ToolName::AmendPlan
        | ToolName::McpCall
        | ToolName::McpRead
        | ToolName::SendMessage
        | ToolName::AnswerPlan => false,
    }
}

/// A tool of ours, or of a server; its whole name counts.
fn known(asked: &str) -> Option<CalledTool> {
    let is_server =
        || asked.strip_prefix("mcp__").is_some_and(|rest| rest.contains("__") && !rest.contains(['(', ' ']));
    let ours = ToolName::from_called(asked).map(CalledTool::Known);
    ours.or_else(|| is_server().then(|| CalledTool::Other(asked.to_owned())))
}
