//! Which tools an agent of a kind may call, as its file lists them. A name that nobody knows gives nothing.

use crate::document::{
    front_matter::{FrontMatter, FrontMatterError},
    one_line,
};
use fore_plan::gate::tool_name;

/// The tools of a kind, within what its session has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTools {
    /// All that subagents get, without these.
    AllBut(Vec<String>),
    Only(Vec<String>),
}

/// Tools of the kinds read, search, fetch and think: an agent with no others changes nothing.
const READERS: [&str; 9] =
    ["Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "AskUserQuestion", "BashOutput", "Skill"];

impl AllowedTools {
    pub fn allows(&self, tool: &str) -> bool {
        let tool = tool_name(tool).unwrap_or(tool);
        match self {
            AllowedTools::AllBut(without) => !without.iter().any(|name| name == tool),
            AllowedTools::Only(names) => names.iter().any(|name| name == tool),
        }
    }

    /// Whether every tool is of a read kind.
    pub(super) fn only_read(&self) -> bool {
        match self {
            AllowedTools::AllBut(_) => false,
            AllowedTools::Only(names) => names.iter().all(|name| READERS.contains(&name.as_str())),
        }
    }

    pub(super) fn read(
        matter: &FrontMatter<'_>,
        warnings: &mut Vec<FrontMatterError>,
    ) -> Result<AllowedTools, FrontMatterError> {
        // What is taken away is kept word by word: a tool we do not know under that name is not given either way.
        let without: Vec<String> = matter.list("disallowedTools")?.unwrap_or_default();
        let without: Vec<String> = without.iter().map(|name| known(name).unwrap_or_else(|| name.clone())).collect();
        let Some(asked) = matter.list("tools")? else { return Ok(AllowedTools::AllBut(without)) };
        if asked.iter().any(|name| name == "*") {
            return Ok(AllowedTools::AllBut(without));
        }
        let mut names: Vec<String> = Vec::new();
        for asked in &asked {
            match known(asked) {
                Some(name) if names.contains(&name) || without.contains(&name) => {}
                Some(name) => names.push(name),
                None => {
                    let why = format!("`{}` is no tool here, so the agent does not get it", one_line(asked, 80));
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

/// The one name of a tool, or of a tool of a server.
fn known(asked: &str) -> Option<String> {
    let is_server =
        || asked.strip_prefix("mcp__").is_some_and(|rest| rest.contains("__") && !rest.contains(['(', ' ']));
    tool_name(asked).map(str::to_owned).or_else(|| is_server().then(|| asked.to_owned()))
}
