//! One request and its answer: time, progress, cancelling, and the rounds in which a server of the new era asks back.

use super::client_side::ClientSide;
use crate::content::McpProgress;
use crate::fault::{McpFault, McpFaultKind};
use rmcp::RoleClient;
use rmcp::model::{ClientRequest, ErrorCode, InputRequest, InputRequiredResult, InputResponses, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, ServiceError};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Rounds in which a server may ask back before it answers.
const MAX_ROUNDS: usize = 8;
/// How long a call may take, however much progress it makes.
const MAX_CALL: Duration = Duration::from_secs(24 * 60 * 60);
/// How long we wait between two rounds in which the server only says that it is not ready.
const ROUND_PAUSE: Duration = Duration::from_millis(250);
const PROGRESS_ROOM: usize = 32;

/// What a request waits for, and who hears of it.
pub(crate) struct Patience {
    pub(crate) timeout: Duration,
    pub(crate) progress: Option<mpsc::Sender<McpProgress>>,
}

/// What one round gave.
enum Round {
    Done(Value),
    AsksBack(InputRequiredResult),
}

/// Tells the server when nobody waits any more.
struct Awaited(Option<RequestHandle<RoleClient>>);

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(handle.cancel(Some("nobody waits for it any more".to_owned())));
        }
    }
}

/// Asks and waits. `request` makes the request of a round from what the person answered and what the server wants back.
pub(crate) async fn exchange(
    peer: &Peer<RoleClient>,
    side: &ClientSide,
    patience: &Patience,
    request: impl Fn(Option<InputResponses>, Option<String>) -> ClientRequest,
) -> Result<Value, McpFault> {
    let (mut answers, mut state) = (None, None);
    for round in 0..MAX_ROUNDS {
        let asked = match one_round(peer, side, patience, request(answers.take(), state.take())).await {
            Ok(Round::Done(value)) => return Ok(value),
            Ok(Round::AsksBack(asked)) => asked,
            // Something was answered before, so the server is on its way.
            Err(fault) if round > 0 => return Err(fault.after_sending()),
            Err(fault) => return Err(fault),
        };
        let wanted = asked.input_requests.unwrap_or_default();
        if wanted.is_empty() {
            if asked.request_state.is_none() {
                return Err(McpFault::new(McpFaultKind::Unusable, "it asks back without a question").after_sending());
            }
            tokio::time::sleep(ROUND_PAUSE * u32::try_from(round + 1).unwrap_or(1)).await;
        }
        let mut responses = InputResponses::new();
        for (key, question) in wanted {
            responses.insert(key, answer(side, question).await?);
        }
        answers = (!responses.is_empty()).then_some(responses);
        state = asked.request_state;
    }
    Err(McpFault::new(McpFaultKind::Unusable, "it asked back too often").after_sending())
}

async fn answer(side: &ClientSide, question: InputRequest) -> Result<Value, McpFault> {
    let value = match question {
        InputRequest::Elicitation(request) => serde_json::to_value(side.elicit(request.params).await),
        InputRequest::ListRoots(_) => serde_json::to_value(side.roots()),
        InputRequest::CreateMessage(_) => {
            side.refuse_model();
            let refused = "it wanted your model (sampling) for this, which no server gets";
            return Err(McpFault::new(McpFaultKind::Refused, refused).after_sending());
        }
        _ => return Err(McpFault::new(McpFaultKind::Unusable, "it asks back for something unknown").after_sending()),
    };
    value.map_err(|error| McpFault::new(McpFaultKind::Unusable, error.to_string()).after_sending())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other result is the one that was asked for")]
async fn one_round(
    peer: &Peer<RoleClient>,
    side: &ClientSide,
    patience: &Patience,
    request: ClientRequest,
) -> Result<Round, McpFault> {
    let handle = peer.send_request_with_option(request, PeerRequestOptions::no_options()).await.map_err(of_service)?;
    let (listener, mut notices) = mpsc::channel(PROGRESS_ROOM);
    let token = handle.progress_token.clone();
    side.hears_progress(token.clone(), listener);
    let mut awaited = Awaited(Some(handle));
    let answer = wait(&mut awaited, side, patience, &mut notices).await;
    side.forgets_progress(&token);
    match answer? {
        ServerResult::InputRequiredResult(asked) => Ok(Round::AsksBack(asked)),
        ServerResult::CreateTaskResult(_) => {
            Err(McpFault::new(McpFaultKind::Unusable, "it wants to answer later (tasks), which was not asked for")
                .after_sending())
        }
        result => serde_json::to_value(result)
            .map(Round::Done)
            .map_err(|error| McpFault::new(McpFaultKind::Unusable, error.to_string()).after_sending()),
    }
}

async fn wait(
    awaited: &mut Awaited,
    side: &ClientSide,
    patience: &Patience,
    notices: &mut mpsc::Receiver<McpProgress>,
) -> Result<ServerResult, McpFault> {
    let end = Instant::now() + MAX_CALL;
    let mut until = Instant::now() + patience.timeout;
    loop {
        let Some(handle) = &mut awaited.0 else {
            return Err(McpFault::new(McpFaultKind::Closed, "nobody waits for it").after_sending());
        };
        tokio::select! {
            biased;
            response = &mut handle.rx => {
                awaited.0 = None;
                return match response {
                    Ok(response) => response.map_err(of_service),
                    Err(_) => Err(closed()),
                };
            }
            Some(notice) = notices.recv() => {
                until = Instant::now() + patience.timeout;
                if let Some(listener) = &patience.progress {
                    let _ = listener.try_send(notice);
                }
            }
            () = tokio::time::sleep_until(until.min(end)) => {
                if side.is_asking() && Instant::now() < end {
                    until = Instant::now() + patience.timeout;
                    continue;
                }
                if let Some(handle) = awaited.0.take() {
                    let told = handle.cancel(Some("it took too long".to_owned()));
                    // A server that reads nothing must not be waited for.
                    let _ = tokio::time::timeout(Duration::from_secs(1), told).await;
                }
                let waited = patience.timeout.as_secs_f32();
                return Err(McpFault::new(McpFaultKind::Silent, format!("no sign of life for {waited:.0} s")).after_sending());
            }
        }
    }
}

fn closed() -> McpFault {
    McpFault::new(McpFaultKind::Closed, "the connection ended before the answer came").after_sending()
}

/// Errors after which nothing can have happened say so; all others say that it may have.
pub(crate) fn of_service(error: ServiceError) -> McpFault {
    match error {
        ServiceError::McpError(error) => {
            let is_untouched = matches!(
                error.code,
                ErrorCode::METHOD_NOT_FOUND
                    | ErrorCode::INVALID_REQUEST
                    | ErrorCode::INVALID_PARAMS
                    | ErrorCode::PARSE_ERROR
                    | ErrorCode::RESOURCE_NOT_FOUND
                    | ErrorCode::UNSUPPORTED_PROTOCOL_VERSION
                    | ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY
                    | ErrorCode::HEADER_MISMATCH
            );
            let said = if error.message.is_empty() { "no reason".into() } else { error.message };
            let fault = McpFault::new(McpFaultKind::Refused, format!("{said} ({})", error.code.0));
            let fault = McpFault { code: Some(error.code.0), ..fault };
            if is_untouched { fault } else { fault.after_sending() }
        }
        ServiceError::TransportSend(error) => super::http_fault::of_transport(&error),
        ServiceError::Cancelled { reason } => {
            let why = reason.unwrap_or_else(|| "without a reason".to_owned());
            McpFault::new(McpFaultKind::Cancelled, format!("the server cancelled it: {why}")).after_sending()
        }
        ServiceError::TransportClosed => closed(),
        other @ (ServiceError::UnexpectedResponse | _) => {
            McpFault::new(McpFaultKind::Unusable, other.to_string()).after_sending()
        }
    }
}
