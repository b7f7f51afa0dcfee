//! What went wrong on the way to an HTTP server, taken from the library's errors.

use crate::fault::{CallFate, McpFault, McpFaultKind};
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError, StreamableHttpError};
use std::error::Error;

fn chain<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let this = next?;
        next = this.source();
        Some(this)
    })
}

/// What the HTTP client says, which the library's own error does not hand on as its cause.
fn of_client<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a reqwest::Error> {
    chain(error).find_map(|error| match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(inner)) => Some(inner),
        Some(_) | None => error.downcast_ref::<reqwest::Error>(),
    })
}

/// The login that a server wants, if that is what an error is about.
fn wanted_login(error: &(dyn Error + 'static)) -> Option<String> {
    chain(error).find_map(|error| {
        if let Some(required) = error.downcast_ref::<AuthRequiredError>() {
            return Some(required.www_authenticate_header.clone());
        }
        if let Some(scope) = error.downcast_ref::<InsufficientScopeError>() {
            return Some(scope.www_authenticate_header.clone());
        }
        let is_missing = matches!(error.downcast_ref::<AuthError>(), Some(AuthError::AuthorizationRequired));
        is_missing.then(String::new)
    })
}

fn words(error: &(dyn Error + 'static)) -> String {
    // A library's innermost cause says most; addresses may hold secrets and are left out.
    match of_client(error) {
        Some(inner) => {
            let cause = chain(inner).last().map(ToString::to_string).unwrap_or_default();
            let kind = if inner.is_connect() {
                "no connection"
            } else if inner.is_timeout() {
                "no answer in time"
            } else {
                "the exchange failed"
            };
            format!("{kind}: {cause}")
        }
        None => error.to_string(),
    }
}

fn of_error(error: &(dyn Error + 'static), otherwise: McpFaultKind) -> McpFault {
    if let Some(challenge) = wanted_login(error) {
        let fault = McpFault::new(McpFaultKind::NeedsLogin, "the server wants a login");
        return McpFault { challenge: Some(challenge), ..fault };
    }
    let is_expired = chain(error).any(|error| {
        matches!(error.downcast_ref::<StreamableHttpError<reqwest::Error>>(), Some(StreamableHttpError::SessionExpired))
    });
    if is_expired {
        return McpFault::new(McpFaultKind::Closed, "its session has ended; it has to be connected anew");
    }
    let never_sent = of_client(error).is_some_and(reqwest::Error::is_connect);
    let fault = McpFault::new(otherwise, words(error));
    if never_sent { fault } else { fault.after_sending() }
}

/// Of a request that could not be sent, or whose answer did not come.
pub(crate) fn of_transport(error: &DynamicTransportError) -> McpFault {
    of_error(error.error.as_ref(), McpFaultKind::Closed)
}

/// Of a connection that did not come about.
#[expect(clippy::wildcard_enum_match_arm, reason = "every other error is told in its own words")]
pub(crate) fn of_start(error: &ClientInitializeError) -> McpFault {
    let fault = match error {
        ClientInitializeError::TransportError { error, .. } => {
            of_error(error.error.as_ref(), McpFaultKind::NotConnected)
        }
        ClientInitializeError::LegacyFallbackFailed { discover, fallback } => {
            let (first, second) = (of_start(discover), of_start(fallback));
            if second.kind == McpFaultKind::NeedsLogin {
                second
            } else {
                McpFault::new(McpFaultKind::NotConnected, format!("{}; {}", first.message, second.message))
            }
        }
        ClientInitializeError::JsonRpcError(error) => {
            McpFault::new(McpFaultKind::NotConnected, format!("it refused: {} ({})", error.message, error.code.0))
        }
        other => McpFault::new(McpFaultKind::NotConnected, other.to_string()),
    };
    McpFault { fate: CallFate::DidNotHappen, ..fault }
}
