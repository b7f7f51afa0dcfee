//! A client for the official conformance suite: connects as the suite says, uses what the server offers, and ends. `tests/mcp-conformance`
//! runs it.
//!
//! It has no scenario of its own: it lists, calls, reads, and logs in again where a server wants that.
#![expect(clippy::disallowed_methods, reason = "the suite says by variables what it wants")]

use fore_mcp::{
    CallOptions, ConnectOptions, Elicitation, ElicitationAnswer, ElicitationHandler, HttpOptions, LoginClient,
    LoginHandler, LoginTokens, McpConnection, McpFault, McpFaultKind, McpTool, ServerEntry, ServerTransport,
    TokenStore,
};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const REDIRECT: &str = "http://localhost:3000/callback";
const METADATA: &str = "https://conformance-test.local/client-metadata.json";
/// Logins for one call that is refused again and again.
const MAX_LOGINS: usize = 3;

/// Takes what a form has filled in already.
struct Defaults;

impl ElicitationHandler for Defaults {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        let values = match question {
            Elicitation::Form { fields, .. } => fields
                .into_iter()
                .filter_map(|field| Some((field.name.clone(), field.default.or_else(|| some_value(field.required))?)))
                .collect(),
            Elicitation::Url { .. } => Map::new(),
        };
        Box::pin(std::future::ready(ElicitationAnswer::Accept(values)))
    }
}

fn some_value(required: bool) -> Option<Value> {
    required.then(|| json!("test"))
}

#[derive(Default)]
struct Memory(Mutex<Option<LoginTokens>>);

impl TokenStore for Memory {
    fn load(&self) -> Result<Option<LoginTokens>, String> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn save(&self, tokens: &LoginTokens) -> Result<(), String> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(tokens.clone());
        Ok(())
    }

    fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A browser whose person is logged in everywhere.
struct Browser(Value);

impl LoginHandler for Browser {
    fn client(&self) -> LoginClient {
        let text = |name: &str| self.0.get(name).and_then(Value::as_str).map(str::to_owned);
        LoginClient { id: text("client_id"), secret: text("client_secret"), metadata_url: Some(METADATA.to_owned()) }
    }

    fn redirect_uri(&self) -> String {
        REDIRECT.to_owned()
    }

    fn visit(&self, page: String) -> BoxFuture<'_, Option<String>> {
        Box::pin(async move {
            let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().ok()?;
            let answer = http.get(page).send().await.ok()?;
            Some(answer.headers().get("location")?.to_str().ok()?.to_owned())
        })
    }
}

/// Something for every field that must be there.
fn arguments(tool: &McpTool) -> Map<String, Value> {
    let empty = Map::new();
    let properties = tool.input_schema.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    let required = tool.input_schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_needed = |name: &&String| required.iter().any(|needed| needed == name.as_str());
    let value = |name: &String| match properties.get(name).and_then(|schema| schema.get("type")).and_then(Value::as_str)
    {
        Some("number") => json!(1.5),
        Some("integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some(_) | None => json!("test"),
    };
    properties.keys().filter(is_needed).map(|name| (name.clone(), value(name))).collect()
}

/// What the suite wants to be called, or every tool once.
fn calls(context: &Value, tools: &[McpTool]) -> Vec<(String, Map<String, Value>)> {
    let Some(wanted) = context.get("toolCalls").and_then(Value::as_array) else {
        return tools.iter().map(|tool| (tool.name.clone(), echoed(tool, tools))).collect();
    };
    let call = |wanted: &Value| {
        let arguments = wanted.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
        Some((wanted.get("name")?.as_str()?.to_owned(), arguments))
    };
    wanted.iter().filter_map(call).collect()
}

/// A tool that takes a schema gets the one of the first tool, as it came.
fn echoed(tool: &McpTool, tools: &[McpTool]) -> Map<String, Value> {
    let mut arguments = arguments(tool);
    if let (Some(schema), Some(first)) = (arguments.get_mut("schema"), tools.first()) {
        *schema = first.input_schema.clone();
    }
    arguments
}

async fn call(connection: &mut McpConnection, tool: &str, arguments: &Map<String, Value>) -> Result<(), McpFault> {
    for _ in 0..MAX_LOGINS {
        match connection.call(tool, arguments.clone(), CallOptions::default()).await {
            Ok(_) => return Ok(()),
            // A server that refuses one call may take the next.
            Err(fault) if fault.kind == McpFaultKind::Refused => {
                println!("{tool}: {fault}");
                return Ok(());
            }
            Err(fault) if fault.kind == McpFaultKind::NeedsLogin => *connection = connection.reconnect(&fault).await?,
            Err(fault) => return Err(fault),
        }
    }
    // The server wants more each time: that has to end.
    connection.call(tool, arguments.clone(), CallOptions::default()).await.map(drop)
}

async fn run(url: String) -> Result<(), McpFault> {
    let context = std::env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let context: Value = context.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let http = HttpOptions {
        user_agent: "forethought-conformance/1.0".to_owned(),
        proxy: None,
        tokens: Some(Arc::new(Memory::default())),
        login: Some(Arc::new(Browser(context.clone()))),
    };
    let options = ConnectOptions {
        client: ("forethought".to_owned(), env!("CARGO_PKG_VERSION").to_owned()),
        workspace: "/workspace".into(),
        start_timeout: Duration::from_secs(20),
        call_timeout: Duration::from_secs(20),
        elicitation: Some(Arc::new(Defaults)),
    };
    let entry = ServerEntry::new("suite", ServerTransport::Http { url, headers: Vec::new() });
    let mut connection = McpConnection::over_http(&entry, http, options).await?;
    println!("{:?}", connection.server_info());
    let tools = match connection.tools().await {
        Err(fault) if fault.kind == McpFaultKind::NeedsLogin => {
            connection = connection.reconnect(&fault).await?;
            connection.tools().await?
        }
        other => other?,
    };
    println!("{} tools, left out: {:?}", tools.tools.len(), tools.left_out);
    for (tool, arguments) in calls(&context, &tools.tools) {
        call(&mut connection, &tool, &arguments).await?;
    }
    // What a server does not have it refuses.
    for resource in connection.resources().await.unwrap_or_default() {
        let _ = connection.read_resource(&resource.uri).await;
    }
    for prompt in connection.prompts().await.unwrap_or_default() {
        let _ = connection.get_prompt(&prompt.name, Map::new()).await;
    }
    connection.close().await;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: conformance_client URL");
        return ExitCode::from(2);
    };
    match run(url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}
