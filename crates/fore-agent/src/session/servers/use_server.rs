//! What a session does with a server for a call of the model's: the same checks again on the connection that is really used, and nothing
//! twice that may have happened.

use super::{
    connect::LiveServer,
    offers::{OfferedBy, found},
};
use crate::session::{caller::CallerContext, session_context::SessionContext};
use fore_mcp::{CallFate, CallOptions, McpContent, McpFault, McpProgress, McpResult};
use fore_plan::{Cage, gate::McpClaims, plan::Hash};
use futures_util::future::join_all;
use serde_json::{Map, Value};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Notices of progress that wait to be shown.
const MAX_PROGRESS: usize = 16;

/// One call of a tool, as it was judged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerCall<'a> {
    pub(crate) server: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) claims: &'a McpClaims,
    /// The sandbox that the permit names.
    pub(crate) cage: &'a Cage,
}

impl SessionContext {
    /// Looks through what servers offer; starts those that may start and have not yet.
    pub(crate) async fn search_servers(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        query: &str,
        only: Option<&str>,
    ) -> Result<String, String> {
        let live = self.setup.live();
        let names: Vec<String> = match only {
            Some(name) => vec![name.to_owned()],
            None => live
                .settings
                .mcp
                .iter()
                .filter(|server| !server.entry.disabled)
                .map(|server| server.entry.name.clone())
                .collect(),
        };
        let connected = join_all(names.iter().map(|name| self.offers_of(caller, name))).await;
        let (mut servers, mut troubles): (Vec<OfferedBy>, Vec<String>) = Default::default();
        for (name, offers) in names.into_iter().zip(connected) {
            match offers {
                Ok(offers) => servers.push((name, offers)),
                Err(why) => troubles.push(why),
            }
        }
        if servers.is_empty() && !troubles.is_empty() {
            return Err(troubles.join("\n"));
        }
        let text = found(query, &servers);
        Ok(if troubles.is_empty() { text } else { format!("{text}\n{}", troubles.join("\n")) })
    }

    pub(super) async fn offers_of(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        name: &str,
    ) -> Result<Arc<super::ServerOffers>, String> {
        // What it said last is enough to look through, as long as it may run at all.
        let standing = self.setup.server_setting(name).map(|server| self.setup.server_standing(&server));
        if let (Some(super::ServerStanding::Usable), Some(offers)) = (standing, self.setup.servers.offers(name)) {
            return Ok(offers);
        }
        self.server(caller, name).await?;
        self.setup.servers.offers(name).ok_or_else(|| format!("The MCP server `{name}` offers nothing."))
    }

    /// Sees to it that what the server says of its tools is known before one of them is judged.
    pub(crate) async fn learn_tools(self: &Arc<Self>, caller: &Arc<CallerContext>, server: &str) -> Result<(), String> {
        self.offers_of(caller, server).await.map(drop)
    }

    /// Calls a tool. The error is for the model.
    pub(crate) async fn call_tool(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        call: ServerCall<'_>,
        arguments: Map<String, Value>,
        on_progress: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<(McpResult, Option<u64>), String> {
        let epoch = self.ledger.state().epoch();
        let live = self.connected_as_judged(caller, call).await?;
        let tool = self.unchanged_tool(&live, call).await?;
        let may_repeat = tool.idempotent == Some(true);
        let wanted = tool.max_result_chars;
        let first = call_with_progress(&live, call.tool, arguments.clone(), on_progress).await;
        let fault = match first {
            Ok(result) => return Ok((result, wanted)),
            Err(fault) => fault,
        };
        let is_over = !live.connection.is_open();
        let is_safe = fault.fate == CallFate::DidNotHappen || may_repeat;
        if !(is_over && is_safe && self.ledger.state().epoch() == epoch) {
            return Err(failed(&live, &fault));
        }
        // Once more on a new connection, if it is the same tool there.
        let live = self.connected_as_judged(caller, call).await?;
        self.unchanged_tool(&live, call).await?;
        let again = call_with_progress(&live, call.tool, arguments, on_progress).await;
        again.map(|result| (result, wanted)).map_err(|fault| failed(&live, &fault))
    }

    /// Reads a resource. The error is for the model.
    pub(crate) async fn read_resource(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        call: ServerCall<'_>,
        uri: &str,
    ) -> Result<Vec<McpContent>, String> {
        let live = self.connected_as_judged(caller, call).await?;
        live.connection.read_resource(uri).await.map_err(|fault| failed(&live, &fault))
    }

    async fn connected_as_judged(
        self: &Arc<Self>,
        caller: &Arc<CallerContext>,
        call: ServerCall<'_>,
    ) -> Result<Arc<LiveServer>, String> {
        let live = self.server(caller, call.server).await?;
        if live.is_held_by(call.cage) {
            return Ok(live);
        }
        Err("The call was not made: the mode changed after it was allowed. Call again; it is judged by what holds now."
            .into())
    }

    /// The tool as the server defines it on this very connection, if that is what was judged.
    async fn unchanged_tool(&self, live: &LiveServer, call: ServerCall<'_>) -> Result<fore_mcp::McpTool, String> {
        let tools = live.tools().await.map_err(|fault| failed(live, &fault))?;
        let record = self.setup.servers.record(call.server);
        self.note_tools(&record, live, Arc::clone(&tools));
        let Some(tool) = tools.get(call.tool) else {
            let names = tools.tools.iter().map(|tool| tool.name.as_str());
            let near = fore_text::spelling::nearest(call.tool, names, 2).join("` or `");
            let hint =
                if near.is_empty() { "McpSearch lists them".to_owned() } else { format!("did you mean `{near}`") };
            return Err(format!("The MCP server `{}` has no tool of that name; {hint}.", call.server));
        };
        if call.claims.definition != Some(Hash::of(tool.definition().as_bytes())) {
            return Err(format!(
                "The call was not made: the server has changed the definition of `{}` since it was judged. Look at it with \
                 McpSearch and call again; it is judged as it is defined now.",
                call.tool
            ));
        }
        Ok(tool.clone())
    }
}

async fn call_with_progress(
    live: &LiveServer,
    tool: &str,
    arguments: Map<String, Value>,
    on_progress: &(dyn Fn(&str) + Send + Sync),
) -> Result<McpResult, McpFault> {
    let (sender, mut notices) = mpsc::channel(MAX_PROGRESS);
    let options = CallOptions { progress: Some(sender), timeout: None };
    let calling = live.connection.call(tool, arguments, options);
    tokio::pin!(calling);
    loop {
        tokio::select! {
            biased;
            Some(notice) = notices.recv() => on_progress(&progress_line(&notice)),
            result = &mut calling => return result,
        }
    }
}

fn progress_line(progress: &McpProgress) -> String {
    let of = progress.total.map(|total| format!(" of {total}")).unwrap_or_default();
    let message = progress.message.as_deref().map(|message| format!(": {message}")).unwrap_or_default();
    format!("{}{of}{message}\n", progress.done)
}

fn failed(live: &LiveServer, fault: &McpFault) -> String {
    let what = live.explained(fault);
    match fault.fate {
        CallFate::DidNotHappen => what,
        CallFate::MayHaveHappened => {
            format!("{what}\nThe call was sent, so it may have taken effect. Look before you make it again.")
        }
    }
}
