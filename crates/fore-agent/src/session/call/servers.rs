//! Calls of tools that belong to MCP servers: which server a call is for, what is known of it before the gate judges, and what came of it.

use super::{CallResult, ToolCall};
use crate::{
    cancel::Cancel,
    control::mcp,
    event::{CallOutcome, ShownCall},
    output::Output,
    session::servers::{ServerCall, resource_output, result_output},
};
use fore_plan::{
    CalledTool, ToolName,
    gate::{Action, Presented},
};
use serde_json::Value;

impl ToolCall {
    /// The server that this call is for.
    pub(super) fn server(&self) -> Option<String> {
        match self.tool.known() {
            Some(ToolName::McpCall | ToolName::McpRead) => {
                self.input.get("server").and_then(Value::as_str).map(str::to_owned)
            }
            Some(_) => None,
            None => {
                let (server, _) = self.tool.as_str().strip_prefix("mcp__")?.split_once("__")?;
                self.context.setup.server_setting(server).map(|setting| setting.entry.name)
            }
        }
    }

    /// Whether the session has the tool that a server's action is about.
    pub(super) fn has_server_of(&self, action: &Action) -> bool {
        matches!(action, Action::Mcp { server, .. } if self.context.setup.server_setting(server).is_some())
    }

    /// What has to be known before a call of a server's tool is judged. An error is the call's own result: nobody is asked about a
    /// call that cannot be made.
    pub(super) async fn learn_server(&self) -> Option<CallResult> {
        let server = self.server()?;
        let learnt = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => return Some(super::not_run()),
            learnt = self.context.learn_tools(&self.caller, &server) => learnt,
        };
        learnt.err().map(|why| CallResult::of(Output::error(why)))
    }

    /// Whether this caller may call this tool of a server, whatever way it takes.
    pub(super) fn may_use_server_tool(&self, action: &Action) -> bool {
        let Action::Mcp { server, tool, .. } = action else { return true };
        let names = [format!("mcp__{server}__{tool}"), fore_mcp::tool_alias(server, tool)];
        self.caller.has_server_tool(&names.map(|name| CalledTool::by_model(&name)))
    }

    pub(super) async fn search_servers(&self) -> CallResult {
        let asked = match mcp::parse_search(&self.input) {
            Ok(asked) => asked,
            Err(wrong) => return CallResult::of(Output::error(wrong)),
        };
        let query = asked.query.unwrap_or_default();
        let found = tokio::select! {
            biased;
            () = self.caller.cancel.cancelled() => return super::not_run(),
            found = self.context.search_servers(&self.caller, &query, asked.server.as_deref()) => found,
        };
        match found {
            Ok(text) => {
                let tools = text.lines().filter(|line| line.starts_with("## ")).count();
                let line = if tools == 0 { "names".into() } else { fore_text::count(tools, "tool") };
                let shown = ShownCall::text(line, fore_text::output(&text));
                CallResult::of(Output::text(text, shown))
            }
            Err(why) => CallResult::of(Output::error(why)),
        }
    }

    /// Calls the tool, or reads the resource, that the permit names.
    pub(super) async fn use_server(&self, permit: Presented, cancel: Cancel) -> CallResult {
        let Action::Mcp { server, tool, claims } = permit.action() else {
            return CallResult::of(Output::error("The permit of this call is not for a tool of an MCP server."));
        };
        let call = ServerCall { server, tool, claims, cage: permit.cage() };
        let remembered = self.before_server(&permit).await;
        let watched = self.watch_server(&permit).await;
        let work = async {
            if self.tool.known() == Some(ToolName::McpRead) {
                return self.read_server(call).await;
            }
            let arguments = match self.tool.known() {
                Some(_) => mcp::parse_call(&self.input),
                None => mcp::arguments(self.input.clone()),
            };
            let arguments = arguments.map_err(|why| format!("{why}."))?;
            let context = self.context.tool_context(&self.caller, cancel.clone(), self.id.clone());
            let called = self.context.call_tool(&self.caller, call, arguments, &*context.on_output).await;
            called.map(|(result, wanted)| result_output(result, wanted, &self.context.setup.outputs))
        };
        let called = tokio::select! {
            biased;
            // Dropping the call tells the server that nobody waits for it.
            () = cancel.cancelled() => None,
            done = work => Some(done),
        };
        self.note_server(format!("mcp__{server}__{tool}"), watched).await;
        self.after_server(remembered).await;
        let Some(done) = called else {
            let words = "This call was stopped by the person, or because planning began. It was sent, so it may have taken effect.";
            return CallResult { outcome: CallOutcome::Interrupted, ..CallResult::of(Output::error(words)) };
        };
        CallResult::of(done.unwrap_or_else(Output::error))
    }

    async fn read_server(&self, call: ServerCall<'_>) -> Result<Output, String> {
        let asked = mcp::parse_read(&self.input)?;
        let content = self.context.read_resource(&self.caller, call, &asked.uri).await?;
        Ok(resource_output(content, &self.context.setup.outputs))
    }

    /// What a person is shown of a call before they answer: the arguments, whole.
    pub(super) fn server_preview(&self) -> ShownCall {
        let arguments = match self.tool.known() {
            Some(_) => self.input.get("arguments").cloned().unwrap_or_default(),
            None => self.input.clone(),
        };
        let text = if arguments.is_null() { String::new() } else { format!("{arguments:#}") };
        ShownCall::text(self.line(), fore_text::exact(&text))
    }
}
