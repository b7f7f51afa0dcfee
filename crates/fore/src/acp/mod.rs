//! `fore acp`: the Agent Client Protocol for editors, as JSON lines over standard input and output. A front end like the others:
//! commands go to a session, events come back. The terminals of a client are never used, nor are its files to change anything: that would
//! be outside of every sandbox.
#![warn(clippy::wildcard_enum_match_arm)]

mod agent;
pub(crate) mod args;
mod client;
mod client_servers;
mod config_options;
mod editor_session;
mod form_questions;
mod pipes;
mod plan_card;
mod plan_terms;
mod print_config;
mod prompt_blocks;
mod requests;
mod slash;
mod tool_cards;
mod unsaved;
mod updates;

use crate::{
    headless::{args::RunArgs, stops},
    report, threads,
};
use agent::EditorAgent;
use agent_client_protocol::{
    Agent, Error, Lines, on_receive_notification, on_receive_request,
    schema::ProtocolVersion,
    v1::schema::{
        AgentCapabilities, CancelNotification, CloseSessionRequest, Implementation, InitializeRequest,
        InitializeResponse, ListSessionsRequest, LoadSessionRequest, McpCapabilities, NewSessionRequest,
        PromptCapabilities, PromptRequest, ResumeSessionRequest, SessionCapabilities, SessionCloseCapabilities,
        SessionListCapabilities, SessionResumeCapabilities, SetSessionConfigOptionRequest, SetSessionModeRequest,
    },
};
use anyhow::bail;
use args::AcpArgs;
use client::EditorClient;
use pipes::UpdateQueue;
use std::{
    io::{self, IsTerminal},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

/// How long the last lines may take to be read by the client.
const MAX_LAST_WORDS: Duration = Duration::from_secs(1);

/// `fore acp`.
pub(crate) fn run(args: AcpArgs, before: RunArgs, settings: Option<&str>) -> anyhow::Result<ExitCode> {
    if let Some(editor) = args.print_config {
        return print_config::print(editor);
    }
    let run = args.run.clone().or(before);
    if run.output_format.is_some() || run.verbose {
        bail!("--output-format and --verbose have no meaning for `fore acp`, which prints only the protocol");
    }
    if io::stdin().is_terminal() {
        bail!("`fore acp` is started by an editor; `fore acp --print-config zed` prints what to put into its settings");
    }
    threads::require_available()?;
    report::outlive_closed_pipes();
    // Before anything else: the threads that follow inherit which signals are waited for.
    let mut stops = stops();
    let queue = Arc::new(UpdateQueue::default());
    let agent = Arc::new(EditorAgent::new(args, run, settings, &queue)?);
    let (sink, writer) = pipes::outgoing(&queue)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let connection = connect(&agent, Lines::new(sink, pipes::incoming()));
        tokio::select! {
            // However it ended, what it worked on is saved.
            _ = connection => {}
            _ = stops.recv() => {}
        }
        agent.end().await;
    });
    // Sessions have saved everything and let go; a thread that hangs somewhere must not keep the program.
    runtime.shutdown_background();
    let ends = std::time::Instant::now() + MAX_LAST_WORDS;
    while !writer.is_finished() && std::time::Instant::now() < ends {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(ExitCode::SUCCESS)
}

/// Answers requests until the client has gone. What takes its time does so beside the loop that reads.
async fn connect(
    agent: &Arc<EditorAgent>,
    transport: impl agent_client_protocol::ConnectTo<Agent> + 'static,
) -> Result<(), Error> {
    let there = || Arc::clone(agent);
    let (meets, news, loads, resumes) = (there(), there(), there(), there());
    let (lists, prompts, cancels, modes, options, closes) = (there(), there(), there(), there(), there(), there());
    let opening = Agent
        .v1()
        .name("fore")
        .on_receive_request(
            async move |request: InitializeRequest, responder, _| {
                meets.meet(EditorClient::new(&request))?;
                responder.respond(introduction())
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: NewSessionRequest, responder, connection| {
                requests::new_session(&news, request, responder, connection)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: LoadSessionRequest, responder, connection| {
                requests::load_session(&loads, request, responder, connection)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ResumeSessionRequest, responder, connection| {
                requests::resume_session(&resumes, request, responder, connection)
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: ListSessionsRequest, responder, _| requests::list(&lists, request, responder),
            on_receive_request!(),
        );
    opening
        .on_receive_request(
            async move |request: PromptRequest, responder, _| requests::prompt(&prompts, request, responder).await,
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |request: CancelNotification, _| requests::cancel(&cancels, request).await,
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: SetSessionModeRequest, responder, _| {
                requests::set_mode(&modes, request, responder).await
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: SetSessionConfigOptionRequest, responder, _| {
                requests::set_option(&options, request, responder).await
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: CloseSessionRequest, responder, _| {
                requests::close_session(&closes, request, responder).await
            },
            on_receive_request!(),
        )
        .connect_to(transport)
        .await
}

/// What this agent can do. Version 1 is the one that it speaks, whatever was asked for.
fn introduction() -> InitializeResponse {
    let sessions = SessionCapabilities::new()
        .list(SessionListCapabilities::new())
        .resume(SessionResumeCapabilities::new())
        .close(SessionCloseCapabilities::new());
    let capabilities = AgentCapabilities::new()
        .load_session(true)
        .prompt_capabilities(PromptCapabilities::new().embedded_context(true).image(true))
        .mcp_capabilities(McpCapabilities::new().http(true).sse(true))
        .session_capabilities(sessions);
    InitializeResponse::new(ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(Implementation::new("forethought", env!("CARGO_PKG_VERSION")).title("Forethought".to_owned()))
}
