//! One request until its first byte: sends, classifies refusals, waits and tries again.

use std::error::Error as _;
use std::time::Duration;

use futures_util::stream;
use reqwest::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Body as HttpBody, Response};

use super::reach;
use super::retry::{RetryNotice, is_hopeless, retry_after};
use super::{Client, Wait, whole};
use crate::answer::Answer;
use crate::auth::apply_extra;
use crate::error::{Error, FailurePhase};
use crate::fault::{self, FaultKind, ServerFault};
use crate::protocol::Protocol;
use crate::protocol::body::RequestBody;
use crate::provider::ChosenModel;

/// Bytes of a refusal that are read.
const MAX_REFUSAL_BYTES: usize = 64 * 1024;

/// What one attempt came to.
enum AttemptFailure {
    /// No response at all.
    Unreached {
        message: String,
        hopeless: bool,
    },
    Refused {
        status: u16,
        fault: ServerFault,
        asked: Option<Duration>,
        hopeless: bool,
    },
    Silent,
}

impl Client {
    pub(super) async fn send(&self, model: &ChosenModel, body: &RequestBody) -> Result<Response, Error> {
        let headers = self.headers(model, body)?;
        let mut waited = Duration::ZERO;
        let mut tried = 0;
        loop {
            tried += 1;
            let failed = match self.attempt(model, headers.clone(), body).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            let asked = match &failed {
                AttemptFailure::Refused { asked, .. } => *asked,
                AttemptFailure::Unreached { .. } | AttemptFailure::Silent => None,
            };
            let wait = if failed.may_pass() {
                self.limits.retries.wait(tried, waited, asked, self.jitter.next())
            } else {
                None
            };
            let Some(wait) = wait else {
                return Err(self.report(model, failed, tried).await);
            };
            if let Some(told) = &self.told {
                let attempts = self.limits.retries.attempts;
                told(RetryNotice { why: failed.why(), wait, attempt: tried + 1, attempts });
            }
            self.clock.sleep(wait, Wait::Retry).await;
            waited += wait;
        }
    }

    fn headers(&self, model: &ChosenModel, body: &RequestBody) -> Result<HeaderMap, Error> {
        let mut headers = self.key_headers(model)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        // Said aloud, because a body in pieces would else be sent without a length, which some servers refuse.
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        Ok(headers)
    }

    pub(super) fn key_headers(&self, model: &ChosenModel) -> Result<HeaderMap, Error> {
        let unsendable = |what: &str| Error::Unsendable {
            model: model.name.clone(),
            message: format!("{what} holds characters that no header can"),
        };
        let mut headers = HeaderMap::new();
        if model.protocol == Protocol::AnthropicMessages {
            headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
        }
        if let Some(key) = &model.key {
            key.apply(&mut headers).map_err(|_| unsendable(&format!("the key from {}", key.source)))?;
        }
        apply_extra(&mut headers, &model.headers).map_err(|_| unsendable("an extra header"))?;
        Ok(headers)
    }

    async fn attempt(
        &self,
        model: &ChosenModel,
        headers: HeaderMap,
        body: &RequestBody,
    ) -> Result<Response, AttemptFailure> {
        let pieces = stream::iter(body.segments().map(Ok::<_, std::convert::Infallible>));
        let request = self
            .http(model)
            .post(model.endpoint.answer(model.name.name()))
            .headers(headers)
            .body(HttpBody::wrap_stream(pieces));
        let response = tokio::select! {
            biased;
            sent = request.send() => sent.map_err(|error| {
                // Nobody listens on one's own machine: waiting does not start a server, and the person can.
                let nobody = error.is_connect() && model.endpoint.is_loopback();
                let message = describe(error);
                let hopeless = nobody || reach::cause(&message).is_some_and(|cause| cause.hopeless);
                AttemptFailure::Unreached { message, hopeless }
            })?,
            () = self.clock.sleep(self.first_piece(model), Wait::Silence) => return Err(AttemptFailure::Silent),
        };
        if response.status().is_success() && !is_page(&response) {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let asked = retry_after(response.headers(), self.clock.date());
        let hopeless = is_hopeless(response.headers());
        let text = self.refusal(response).await;
        let asked = asked.or_else(|| fault::retry_delay(&text));
        let mut fault = if (300..400).contains(&status) {
            let message = "the server redirects elsewhere, and a key is not sent after a redirection".to_owned();
            ServerFault { kind: FaultKind::BadRequest, message }
        } else if status == 407 {
            let message = "the proxy wants a login; put user and password into HTTPS_PROXY or the setting `proxy`";
            ServerFault { kind: FaultKind::BadRequest, message: message.to_owned() }
        } else if status < 300 {
            whole::refusal(model.protocol, &text)
        } else {
            fault::of_response(model.protocol, status, &text)
        };
        if status == 404 {
            fault.message = format!("{} (asked: {})", fault.message, model.address());
        }
        fault.message = model.scrub(&fault.message);
        Err(AttemptFailure::Refused { status, fault, asked, hopeless })
    }

    /// The body of a refusal, as far as it comes within bounds of size and time.
    async fn refusal(&self, mut response: Response) -> Vec<u8> {
        let mut text = Vec::new();
        let mut patience = self.clock.sleep(self.limits.between_pieces.min(Duration::from_secs(10)), Wait::Silence);
        loop {
            let chunk = tokio::select! {
                biased;
                chunk = response.chunk() => chunk,
                () = &mut patience => return text,
            };
            match chunk {
                Ok(Some(chunk)) if text.len() + chunk.len() <= MAX_REFUSAL_BYTES => text.extend_from_slice(&chunk),
                Ok(Some(_) | None) | Err(_) => return text,
            }
        }
    }

    fn first_piece(&self, model: &ChosenModel) -> Duration {
        model.options.first_piece.unwrap_or(self.limits.first_piece)
    }

    async fn report(&self, model: &ChosenModel, failed: AttemptFailure, attempts: u32) -> Error {
        let name = model.name.clone();
        match failed {
            AttemptFailure::Unreached { message, .. } => {
                let message = unreached(model, &message);
                Error::Network { model: name, address: model.place(), attempts, message: model.scrub(&message) }
            }
            AttemptFailure::Silent => Error::Timeout {
                model: name,
                after: self.first_piece(model),
                phase: FailurePhase::BeforeAnswering,
                so_far: Box::<Answer>::default(),
            },
            AttemptFailure::Refused { status, fault, asked, .. } => {
                let unknown = fault.kind == FaultKind::ModelNotFound;
                let mut error = refused(model, Some(status), fault, attempts, asked);
                if let Error::ModelNotFound { near, .. } = &mut error
                    && unknown
                {
                    *near = self.near_names(model).await;
                }
                error
            }
        }
    }
}

impl AttemptFailure {
    /// In a few words, for somebody who waits.
    fn why(&self) -> String {
        match self {
            Self::Unreached { message, .. } => {
                reach::cause(message).map_or("not reached", |cause| cause.why).to_owned()
            }
            Self::Silent => "silent".to_owned(),
            Self::Refused { status, fault, .. } => match fault.kind {
                FaultKind::RateLimited => "rate limited".to_owned(),
                FaultKind::Overloaded if fault.message.to_lowercase().contains("loading") => {
                    "the model is being loaded".to_owned()
                }
                FaultKind::Overloaded => "the server is overloaded".to_owned(),
                FaultKind::Server
                | FaultKind::ContextOverflow { .. }
                | FaultKind::Auth
                | FaultKind::ModelNotFound
                | FaultKind::QuotaSpent
                | FaultKind::BadRequest => format!("the server failed ({status})"),
            },
        }
    }

    /// Whether trying again may help.
    fn may_pass(&self) -> bool {
        match self {
            Self::Silent | Self::Unreached { hopeless: true, .. } | Self::Refused { hopeless: true, .. } => false,
            Self::Unreached { hopeless: false, .. } => true,
            Self::Refused { fault, .. } => match fault.kind {
                FaultKind::RateLimited | FaultKind::Overloaded | FaultKind::Server => true,
                FaultKind::ContextOverflow { .. }
                | FaultKind::Auth
                | FaultKind::ModelNotFound
                | FaultKind::QuotaSpent
                | FaultKind::BadRequest => false,
            },
        }
    }
}

/// Whether a successful response is a page for people: whoever sent it is no model server.
fn is_page(response: &Response) -> bool {
    has_kind(response, "text/html")
}

/// Whether a response is one document instead of a stream.
pub(super) fn is_document(response: &Response) -> bool {
    has_kind(response, "application/json")
}

fn has_kind(response: &Response, wanted: &str) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.trim().to_ascii_lowercase().starts_with(wanted)
}

/// Why a server could not be reached, and what to do about it.
pub(super) fn unreached(model: &ChosenModel, described: &str) -> String {
    let Some(cause) = reach::cause(described) else { return described.to_owned() };
    let remedy = match (cause.remedy, model.endpoint.is_loopback(), model.name.provider()) {
        ("", true, "ollama") => "Start it with `ollama serve`.",
        ("", true, _) => "Start the server, or check the port in baseUrl.",
        (remedy, _, _) => remedy,
    };
    if remedy.is_empty() { cause.why.to_owned() } else { format!("{}. {remedy}", cause.why) }
}

/// The typed error for a refusal.
pub(super) fn refused(
    model: &ChosenModel,
    status: Option<u16>,
    fault: ServerFault,
    attempts: u32,
    asked: Option<Duration>,
) -> Error {
    let name = model.name.clone();
    let message = fault.message;
    match fault.kind {
        FaultKind::ContextOverflow { tokens, limit } => Error::ContextOverflow { model: name, tokens, limit, message },
        FaultKind::Auth => {
            Error::Auth { model: name, source_of_key: model.key_source(), status: status.unwrap_or(401), message }
        }
        FaultKind::ModelNotFound => Error::ModelNotFound { model: name, near: Vec::new(), message },
        FaultKind::RateLimited => Error::RateLimited { model: name, attempts, retry_after: asked, message },
        FaultKind::QuotaSpent => Error::QuotaSpent { model: name, message },
        FaultKind::Overloaded => Error::Overloaded { model: name, attempts, retry_after: asked, message },
        FaultKind::Server => Error::Server { model: name, status: status.unwrap_or(0), attempts, message },
        FaultKind::BadRequest => Error::BadRequest { model: name, status: status.unwrap_or(0), message },
    }
}

/// An error of the HTTP client and its causes, without the address: addresses may hold what is secret.
pub(super) fn describe(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = inner.source();
    }
    text
}
