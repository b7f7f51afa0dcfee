//! A look at one server without a session, for the person who set it up: started as while planning, or as they would start it themselves.

use super::connect::{connect_options, explained, greet, over_http, server_job, start_action, start_process};
use super::logins::ServerLogins;
use crate::{disk::project_of, launch::Launch, session::open, settings::McpServerSetting};
use fore_mcp::{LoginHandler, McpToolList};
use fore_plan::{
    Cage, Change, Level, SessionRole, State,
    gate::{self, Ground, McpPlace, Verdict},
};
use fore_sandbox::GitProbe;
use std::{sync::Arc, time::Duration};

/// How long its end is waited for.
const MAX_END: Duration = Duration::from_secs(2);

/// What a server said of itself.
#[derive(Clone, Debug)]
pub struct ProbedServer {
    /// Who it says it is, and which version of the protocol it speaks.
    pub identity: String,
    /// What it says about how to use it.
    pub instructions: Option<String>,
    /// Its tools.
    pub tools: Arc<McpToolList>,
}

/// Starts a server, asks for its tools and ends it. While planning it would be in the same sandbox; `unheld` starts it without one, as
/// the person could by hand. Whether it may be started is for the caller to know.
///
/// With a `login` a server elsewhere may take the person through one; what it gives is kept.
pub async fn probe_server(
    launch: &Launch,
    server: &McpServerSetting,
    unheld: bool,
    login: Option<Arc<dyn LoginHandler>>,
) -> Result<ProbedServer, String> {
    let project = project_of(&launch.folder);
    let (cages, held) = (open::cages(launch), open::held(launch));
    let (kernel, probe, live) = (cages.kernel(&project), GitProbe::new(Arc::clone(&cages)), held.now());
    let ground = Ground {
        kernel: &kernel,
        home: launch.user_home.as_deref(),
        ..Ground::new(&live.rules, &live.settings.table, &project, &probe, launch.catalogue)
    };
    let started =
        Change::Started { level: Level::Default, planning: true, openings: launch.openings, role: SessionRole::Main };
    let state = State::fold_all([&started]);
    let action = start_action(&server.entry, &server.filled);
    let permit = if unheld {
        gate::typed(&state, &ground, action, Cage::Free).map_err(|refusal| refusal.to_string())?
    } else {
        match gate::judge(&state, &ground, action).verdict {
            Verdict::Allow(permit) => permit,
            Verdict::Block(refusal) => return Err(refusal.to_string()),
            Verdict::Ask(_) => return Err("the gate would ask about it".into()),
        }
    };
    let permit = permit.present(&state).map_err(|refusal| refusal.to_string())?;
    let options = connect_options(&project, &server.entry, None);
    let (connection, process) = match super::place_of(&server.entry) {
        McpPlace::Remote => {
            let logins = ServerLogins { home: Arc::clone(&launch.home), handler: login };
            (over_http(&server.filled, &cages, logins, options).await?, None)
        }
        McpPlace::Process(_) => {
            let job = server_job(&project, &server.filled);
            let started = tokio::task::spawn_blocking(move || start_process(&cages, permit, job)).await;
            let (process, pipes) = started.unwrap_or_else(|_| Err("it could not be started".into()))?;
            (greet(pipes, &process, options).await?, Some(process))
        }
    };
    let tools = connection.tools().await.map_err(|fault| explained(&fault.to_string(), process.as_deref()))?;
    let tools = super::chosen_tools(&server.entry, tools);
    let info = connection.server_info();
    let identity = format!("{} {} ({})", info.name, info.version, info.protocol);
    let instructions = connection.instructions().map(str::to_owned);
    connection.close().await;
    if let Some(process) = process {
        process.end(MAX_END);
    }
    Ok(ProbedServer { identity, instructions, tools })
}
