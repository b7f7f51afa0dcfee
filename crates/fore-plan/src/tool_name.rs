//! The tools by name: those that the program itself has, and whose call an event, a question or an entry is about.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Letters that are kept of the name of a tool that nobody knows.
const MAX_UNKNOWN_CHARS: usize = 80;

/// A tool that the gate knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum ToolName {
    /// Reads a file.
    Read,
    /// Finds files by their names.
    Glob,
    /// Finds files by what is in them.
    Grep,
    /// Lists a folder.
    #[serde(rename = "LS")]
    Ls,
    /// Reads a page of the web.
    WebFetch,
    /// Searches the web.
    WebSearch,
    /// Asks the person.
    AskUserQuestion,
    /// Reads what a command in the background wrote.
    BashOutput,
    /// Writes a whole file.
    Write,
    /// Changes a passage of a file.
    Edit,
    /// Changes several passages of a file.
    MultiEdit,
    /// Changes a cell of a notebook.
    NotebookEdit,
    /// Runs a command.
    Bash,
    /// Starts a subagent.
    Agent,
    /// Writes the list of what is to do.
    TodoWrite,
    /// Reads a skill.
    Skill,
    /// Asks to begin planning.
    EnterPlanMode,
    /// Hands in the plan.
    ExitPlanMode,
    /// Asks for more than the plan grants.
    AmendPlan,
    /// Looks for tools of MCP servers.
    McpSearch,
    /// Calls a tool of an MCP server.
    McpCall,
    /// Reads a resource of an MCP server.
    McpRead,
    /// Writes to somebody of the team.
    SendMessage,
    /// Says yes or no to the plan of a teammate.
    AnswerPlan,
}

impl ToolName {
    pub(crate) const ALL: [ToolName; 24] = [
        ToolName::Read,
        ToolName::Glob,
        ToolName::Grep,
        ToolName::Ls,
        ToolName::WebFetch,
        ToolName::WebSearch,
        ToolName::AskUserQuestion,
        ToolName::BashOutput,
        ToolName::Write,
        ToolName::Edit,
        ToolName::MultiEdit,
        ToolName::NotebookEdit,
        ToolName::Bash,
        ToolName::Agent,
        ToolName::TodoWrite,
        ToolName::Skill,
        ToolName::EnterPlanMode,
        ToolName::ExitPlanMode,
        ToolName::AmendPlan,
        ToolName::McpSearch,
        ToolName::McpCall,
        ToolName::McpRead,
        ToolName::SendMessage,
        ToolName::AnswerPlan,
    ];

    /// For a model that called something else: which tool it probably meant, or which there are.
    pub fn meant_by(called: &str) -> String {
        let names = || ToolName::ALL.iter().filter(|tool| tool.is_offered()).map(|tool| tool.name());
        match fore_text::spelling::nearest(called, names(), 2).as_slice() {
            [] => format!("The tools are: {}.", names().collect::<Vec<_>>().join(", ")),
            near => format!("Did you mean {}?", near.join(" or ")),
        }
    }

    /// The others are known from other agents: a call of theirs is judged, and nobody is pointed to them.
    const fn is_offered(self) -> bool {
        match self {
            ToolName::Ls | ToolName::MultiEdit | ToolName::WebSearch => false,
            // Only where servers are set up.
            ToolName::McpSearch | ToolName::McpCall | ToolName::McpRead => false,
            // Only in a team.
            ToolName::SendMessage | ToolName::AnswerPlan => false,
            ToolName::Read
            | ToolName::Glob
            | ToolName::Grep
            | ToolName::WebFetch
            | ToolName::AskUserQuestion
            | ToolName::BashOutput
            | ToolName::Write
            | ToolName::Edit
            | ToolName::NotebookEdit
            | ToolName::Bash
            | ToolName::Agent
            | ToolName::TodoWrite
            | ToolName::Skill
            | ToolName::EnterPlanMode
            | ToolName::ExitPlanMode
            | ToolName::AmendPlan => true,
        }
    }

    /// The tool that a model means, whatever other agents call it.
    pub fn from_called(called: &str) -> Option<ToolName> {
        Some(match called {
            "Read" | "read_file" | "NotebookRead" | "View" => ToolName::Read,
            "Glob" | "glob" => ToolName::Glob,
            "Grep" | "grep" | "grep_search" | "search_file_content" => ToolName::Grep,
            "LS" | "list_directory" => ToolName::Ls,
            "WebFetch" | "web_fetch" => ToolName::WebFetch,
            "WebSearch" | "web_search" | "google_web_search" => ToolName::WebSearch,
            "AskUserQuestion" | "ask_user_question" => ToolName::AskUserQuestion,
            "BashOutput" => ToolName::BashOutput,
            "Write" | "write_file" => ToolName::Write,
            "Edit" | "edit" | "replace" => ToolName::Edit,
            "MultiEdit" => ToolName::MultiEdit,
            "NotebookEdit" => ToolName::NotebookEdit,
            "Bash" | "run_shell_command" | "shell" => ToolName::Bash,
            "Agent" | "Task" | "task" => ToolName::Agent,
            "TodoWrite" | "todo_write" => ToolName::TodoWrite,
            "Skill" | "skill" => ToolName::Skill,
            "EnterPlanMode" | "enter_plan_mode" => ToolName::EnterPlanMode,
            "ExitPlanMode" | "exit_plan_mode" => ToolName::ExitPlanMode,
            "AmendPlan" => ToolName::AmendPlan,
            "McpSearch" => ToolName::McpSearch,
            "McpCall" => ToolName::McpCall,
            "McpRead" => ToolName::McpRead,
            "SendMessage" | "send_message" => ToolName::SendMessage,
            "AnswerPlan" | "team_plan_approval" => ToolName::AnswerPlan,
            _ => return None,
        })
    }

    /// The one name that schemas, rules, events and transcripts use.
    pub const fn name(self) -> &'static str {
        match self {
            ToolName::Read => "Read",
            ToolName::Glob => "Glob",
            ToolName::Grep => "Grep",
            ToolName::Ls => "LS",
            ToolName::WebFetch => "WebFetch",
            ToolName::WebSearch => "WebSearch",
            ToolName::AskUserQuestion => "AskUserQuestion",
            ToolName::BashOutput => "BashOutput",
            ToolName::Write => "Write",
            ToolName::Edit => "Edit",
            ToolName::MultiEdit => "MultiEdit",
            ToolName::NotebookEdit => "NotebookEdit",
            ToolName::Bash => "Bash",
            ToolName::Agent => "Agent",
            ToolName::TodoWrite => "TodoWrite",
            ToolName::Skill => "Skill",
            ToolName::EnterPlanMode => "EnterPlanMode",
            ToolName::ExitPlanMode => "ExitPlanMode",
            ToolName::AmendPlan => "AmendPlan",
            ToolName::McpSearch => "McpSearch",
            ToolName::McpCall => "McpCall",
            ToolName::McpRead => "McpRead",
            ToolName::SendMessage => "SendMessage",
            ToolName::AnswerPlan => "AnswerPlan",
        }
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a call was made with, as events, questions and transcripts tell it: one word.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum CalledTool {
    /// One of ours.
    Known(ToolName),
    /// No tool of a model's: a command that the person typed.
    Typed,
    /// A tool of a server, or one that nobody knows, by the name that the model gave it.
    Other(String),
}

/// The word for a command that the person typed.
const TYPED: &str = "!";

impl CalledTool {
    /// What a model called; whatever it says, it is never the person.
    pub fn by_model(called: &str) -> CalledTool {
        match ToolName::from_called(called) {
            Some(name) => CalledTool::Known(name),
            None => CalledTool::Other(called.chars().take(MAX_UNKNOWN_CHARS).collect()),
        }
    }

    /// Which of ours it is.
    pub fn known(&self) -> Option<ToolName> {
        match self {
            CalledTool::Known(name) => Some(*name),
            CalledTool::Typed | CalledTool::Other(_) => None,
        }
    }

    /// The name as it was called.
    pub fn as_str(&self) -> &str {
        match self {
            CalledTool::Known(name) => name.name(),
            CalledTool::Typed => TYPED,
            CalledTool::Other(name) => name,
        }
    }
}

/// Reads back what was written.
impl From<&str> for CalledTool {
    fn from(word: &str) -> CalledTool {
        match ToolName::from_called(word) {
            Some(name) => CalledTool::Known(name),
            None if word == TYPED => CalledTool::Typed,
            None => CalledTool::Other(word.to_owned()),
        }
    }
}

impl From<String> for CalledTool {
    fn from(word: String) -> CalledTool {
        word.as_str().into()
    }
}

impl From<ToolName> for CalledTool {
    fn from(name: ToolName) -> CalledTool {
        CalledTool::Known(name)
    }
}

impl From<CalledTool> for String {
    fn from(tool: CalledTool) -> String {
        match tool {
            CalledTool::Known(name) => name.name().to_owned(),
            CalledTool::Typed => TYPED.to_owned(),
            CalledTool::Other(name) => name,
        }
    }
}

impl fmt::Display for CalledTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_listed_once_and_means_itself() {
        for (index, name) in ToolName::ALL.into_iter().enumerate() {
            assert_eq!((name as usize, ToolName::from_called(name.name())), (index, Some(name)));
            assert_eq!(serde_json::to_value(name).unwrap(), name.name());
        }
        assert_eq!(ToolName::AnswerPlan as usize + 1, ToolName::ALL.len(), "the last one");
    }

    #[test]
    fn what_was_called_is_one_word_that_reads_back_as_it_was() {
        let page = [
            (CalledTool::by_model("read_file"), "Read"),
            (CalledTool::by_model("mcp__db__query"), "mcp__db__query"),
            (CalledTool::Typed, "!"),
        ];
        for (tool, word) in page {
            assert_eq!(serde_json::to_value(&tool).unwrap(), word);
            assert_eq!(serde_json::from_value::<CalledTool>(word.into()).unwrap(), tool);
        }
    }

    #[test]
    fn a_model_that_calls_a_tool_by_the_persons_sign_is_not_the_person() {
        assert_eq!(CalledTool::by_model("!"), CalledTool::Other("!".into()));
        assert_eq!(CalledTool::by_model(&"x".repeat(200)), CalledTool::Other("x".repeat(80)));
    }
}
