//! One function for each request of a client. A session is begun beside the loop that reads; everything else is handed to the
//! session that it is about.

use super::{
    agent::{EditorAgent, ReadySession, WantedSession, session_of},
    editor_session::SessionMail,
};
use agent_client_protocol::{
    Client, Error, JsonRpcResponse,
    v1::{
        ConnectionTo, Responder,
        schema::{
            CancelNotification, CloseSessionRequest, CloseSessionResponse, ListSessionsRequest, ListSessionsResponse,
            LoadSessionRequest, LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse, PromptRequest,
            PromptResponse, ResumeSessionRequest, ResumeSessionResponse, SessionId, SetSessionConfigOptionRequest,
            SetSessionConfigOptionResponse, SetSessionModeRequest, SetSessionModeResponse,
        },
    },
};
use std::{path::PathBuf, sync::Arc};

type Done = Result<(), Error>;

pub(super) fn new_session(
    agent: &Arc<EditorAgent>,
    request: NewSessionRequest,
    responder: Responder<NewSessionResponse>,
    connection: ConnectionTo<Client>,
) -> Done {
    let about = (WantedSession::New, request.cwd, request.mcp_servers);
    begin(agent, about, connection, responder, |ready| {
        NewSessionResponse::new(ready.id.clone())
            .modes(ready.choices.mode_state())
            .config_options(ready.choices.options())
    })
}

pub(super) fn load_session(
    agent: &Arc<EditorAgent>,
    request: LoadSessionRequest,
    responder: Responder<LoadSessionResponse>,
    connection: ConnectionTo<Client>,
) -> Done {
    let wanted = WantedSession::Again { session: session_of(&request.session_id)?, replayed: true };
    begin(agent, (wanted, request.cwd, request.mcp_servers), connection, responder, |ready| {
        LoadSessionResponse::new().modes(ready.choices.mode_state()).config_options(ready.choices.options())
    })
}

pub(super) fn resume_session(
    agent: &Arc<EditorAgent>,
    request: ResumeSessionRequest,
    responder: Responder<ResumeSessionResponse>,
    connection: ConnectionTo<Client>,
) -> Done {
    let wanted = WantedSession::Again { session: session_of(&request.session_id)?, replayed: false };
    begin(agent, (wanted, request.cwd, request.mcp_servers), connection, responder, |ready| {
        ResumeSessionResponse::new().modes(ready.choices.mode_state()).config_options(ready.choices.options())
    })
}

/// The answer goes out before anything that the session tells.
fn begin<T: JsonRpcResponse>(
    agent: &Arc<EditorAgent>,
    (wanted, folder, servers): (WantedSession, PathBuf, Vec<McpServer>),
    connection: ConnectionTo<Client>,
    responder: Responder<T>,
    answer: impl FnOnce(&ReadySession) -> T + Send + 'static,
) -> Done {
    let agent = Arc::clone(agent);
    tokio::spawn(async move {
        match agent.begin(wanted, folder, servers, connection).await {
            Err(error) => drop(responder.respond_with_error(error)),
            Ok(ready) => {
                let _ = responder.respond(answer(&ready));
                agent.play(ready);
            }
        }
    });
    Ok(())
}

pub(super) fn list(
    agent: &Arc<EditorAgent>,
    request: ListSessionsRequest,
    responder: Responder<ListSessionsResponse>,
) -> Done {
    let agent = Arc::clone(agent);
    tokio::task::spawn_blocking(move || drop(responder.respond_with_result(agent.list(&request))));
    Ok(())
}

pub(super) async fn prompt(
    agent: &Arc<EditorAgent>,
    request: PromptRequest,
    responder: Responder<PromptResponse>,
) -> Done {
    post(agent, &request.session_id, SessionMail::Prompt { blocks: request.prompt, responder }).await
}

/// A session that is not there has nothing to stop.
pub(super) async fn cancel(agent: &Arc<EditorAgent>, request: CancelNotification) -> Done {
    let _ = agent.post(&request.session_id, SessionMail::Cancel).await;
    Ok(())
}

pub(super) async fn set_mode(
    agent: &Arc<EditorAgent>,
    request: SetSessionModeRequest,
    responder: Responder<SetSessionModeResponse>,
) -> Done {
    post(agent, &request.session_id, SessionMail::Mode { mode: request.mode_id, responder }).await
}

pub(super) async fn set_option(
    agent: &Arc<EditorAgent>,
    request: SetSessionConfigOptionRequest,
    responder: Responder<SetSessionConfigOptionResponse>,
) -> Done {
    let session = request.session_id.clone();
    post(agent, &session, SessionMail::Option { request: Box::new(request), responder }).await
}

pub(super) async fn close_session(
    agent: &Arc<EditorAgent>,
    request: CloseSessionRequest,
    responder: Responder<CloseSessionResponse>,
) -> Done {
    post(agent, &request.session_id, SessionMail::Close { responder }).await
}

/// Hands a request to its session; without one it is answered by the error.
async fn post(agent: &Arc<EditorAgent>, session: &SessionId, mail: SessionMail) -> Done {
    agent.post(session, mail).await.map_err(|unsent| {
        let (mail, error) = *unsent;
        // Its responder must not answer by itself.
        drop(mail);
        error
    })
}
