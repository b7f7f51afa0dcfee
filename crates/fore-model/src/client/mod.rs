//! Sends requests and hands out one stream of events; retries before the first byte and never after it.

mod clock;
mod events;
mod fields;
mod models;
mod notes;
mod reach;
mod retry;
mod send;
mod whole;

pub use clock::{Clock, Jitter, Wait};
pub(crate) use clock::{RandomJitter, SystemClock};
pub(crate) use events::EventReader;
pub use events::Events;
pub use models::OfferedModel;
pub(crate) use models::names as model_names;
pub use retry::{Retries, RetryNotice};

use std::fmt;
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::error::Error;
use crate::protocol::Receiver;
use crate::protocol::body::RequestBody;
use crate::provider::{ChosenModel, Price};
use crate::request::ModelRequest;
use notes::ServerNotes;

/// Less than this is never asked for: an answer of a few tokens is none.
const MIN_OUTPUT_TOKENS: u32 = 256;

/// How patient a client is, and how much it takes in.
#[derive(Clone, Debug)]
pub struct ClientLimits {
    /// Until a connection stands.
    pub connect: Duration,
    /// From the request to the first piece of an answer: local servers read the whole prompt before they say anything.
    pub first_piece: Duration,
    /// Between two pieces of an answer.
    pub between_pieces: Duration,
    /// How often and how long a request is tried again.
    pub retries: Retries,
    /// Bytes of a single event.
    pub max_event_bytes: usize,
    /// Bytes of a whole answer.
    pub answer_limit: usize,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(15),
            first_piece: Duration::from_secs(900),
            between_pieces: Duration::from_secs(180),
            retries: Retries::default(),
            max_event_bytes: 16 * 1024 * 1024,
            answer_limit: 256 * 1024 * 1024,
        }
    }
}

/// A proxy for everything but one's own machine. Without one the usual variables (`HTTPS_PROXY`, `NO_PROXY`, …) are obeyed.
#[derive(Clone)]
pub struct ProxyUrl(pub String);

impl fmt::Debug for ProxyUrl {
    /// Proxy addresses often hold a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProxyUrl([set])")
    }
}

/// Sends requests to models and streams their answers. A clone shares its connections.
#[derive(Clone)]
pub struct Client {
    /// For the world, through proxies.
    outward: reqwest::Client,
    /// For one's own machine, past every proxy.
    inward: reqwest::Client,
    limits: ClientLimits,
    clock: Arc<dyn Clock>,
    jitter: Arc<dyn Jitter>,
    notes: Arc<ServerNotes>,
    /// Who hears of retries.
    told: Option<Arc<dyn Fn(RetryNotice) + Send + Sync>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("patience", &self.limits).finish_non_exhaustive()
    }
}

/// The HTTP client could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the HTTP client could not be started: {0}")]
pub struct NoClient(String);

impl Client {
    /// A client for all models of a program.
    pub fn new(patience: ClientLimits, proxy: Option<&ProxyUrl>) -> Result<Self, NoClient> {
        Self::with_time(patience, proxy, Arc::new(SystemClock), Arc::new(RandomJitter::default()))
    }

    /// The same with a clock and a jitter of the caller's, so that tests need not wait.
    pub fn with_time(
        patience: ClientLimits,
        proxy: Option<&ProxyUrl>,
        clock: Arc<dyn Clock>,
        jitter: Arc<dyn Jitter>,
    ) -> Result<Self, NoClient> {
        install_tls();
        let builder = || {
            reqwest::Client::builder()
                .connect_timeout(patience.connect)
                // A key must not follow a redirection to somewhere else.
                .redirect(reqwest::redirect::Policy::none())
                // Compressed streams are buffered by servers; events would come late.
                .no_gzip()
                .tcp_nodelay(true)
                .user_agent(concat!("forethought/", env!("CARGO_PKG_VERSION")))
        };
        let failed = |error: reqwest::Error| NoClient(error.without_url().to_string());
        let mut outward = builder();
        if let Some(ProxyUrl(url)) = proxy {
            outward = outward
                .proxy(reqwest::Proxy::all(url).map_err(|_| NoClient("the proxy's address cannot be used".into()))?);
        }
        Ok(Self {
            outward: outward.build().map_err(failed)?,
            inward: builder().no_proxy().build().map_err(failed)?,
            limits: patience,
            clock,
            jitter,
            notes: Arc::default(),
            told: None,
        })
    }

    /// The same client, which tells of every wait before another try.
    #[must_use]
    pub fn telling(&self, told: Arc<dyn Fn(RetryNotice) + Send + Sync>) -> Self {
        Self { told: Some(told), ..self.clone() }
    }

    /// How much a model can read and write in one request: what the person set, else what its server said, else the table.
    #[must_use]
    pub fn window(&self, model: &ChosenModel) -> Option<u64> {
        let table = || model.facts.and_then(|facts| facts.context_tokens);
        model.options.context_tokens.or_else(|| self.notes.window(model)).or_else(table)
    }

    /// What a model costs: what the person set, else what its server said, else nothing on a server that only runs models, else the table, which holds for
    /// its provider's own address alone. A gateway that says nothing may cost anything.
    #[must_use]
    pub fn price(&self, model: &ChosenModel) -> Option<Price> {
        match model.options.price.or_else(|| self.notes.price(model)) {
            Some(price) => Some(price),
            None if model.is_runtime() || self.notes.tells_progress(model) => Some(Price::NOTHING),
            None if model.is_moved => None,
            None => model.facts.and_then(|facts| facts.price),
        }
    }

    /// Asks a model. The stream ends after `Done` or after the first error; dropping it closes the connection.
    ///
    /// A field that the server refuses is left out from then on; a window that it names is remembered.
    pub async fn stream(&self, model: &ChosenModel, request: &ModelRequest) -> Result<Events, Error> {
        self.prepare(model).await;
        let known = self.notes.refused(model);
        let (mut refused, mut was_lowered) = (known.clone(), false);
        loop {
            let limit = self.limit_within(model, request);
            let receiver = Receiver {
                limit,
                refused: &refused,
                tells_progress: self.notes.tells_progress(model),
                ..Receiver::of(model)
            };
            let body = RequestBody::new(request, &receiver);
            let error = match self.send(model, &body).await {
                Ok(response) => {
                    if refused.len() > known.len() {
                        self.notes.keep_refused(model, refused);
                    }
                    return Ok(self.events(response, model));
                }
                Err(error) => error,
            };
            match &error {
                Error::BadRequest { status: 400 | 422, message, .. } => {
                    let extra = model.options.extra.keys().cloned();
                    let mut dropped = fields::to_drop(message, body.tail(), extra);
                    dropped.retain(|field| !refused.contains(field));
                    if dropped.is_empty() {
                        return Err(error);
                    }
                    refused.extend(dropped);
                }
                Error::ContextOverflow { limit: Some(tokens), .. } => {
                    self.notes.keep_window(model, *tokens);
                    // Some count what may be written; less of that may do.
                    if self.limit_within(model, request) >= limit || std::mem::replace(&mut was_lowered, true) {
                        return Err(error);
                    }
                }
                _ => return Err(error),
            }
        }
    }

    /// The most that may be written: what is asked for, and never more than what is left of the window.
    fn limit_within(&self, model: &ChosenModel, request: &ModelRequest) -> u32 {
        let most = model.output_limit();
        let Some(window) = self.window(model) else { return most };
        let read = request.estimated_tokens().likely();
        // The estimate may be low by some.
        let left = window.saturating_sub(read).saturating_sub(read / 16);
        most.min(u32::try_from(left).unwrap_or(u32::MAX)).max(MIN_OUTPUT_TOKENS)
    }

    fn events(&self, response: reqwest::Response, model: &ChosenModel) -> Events {
        let mut limits = self.limits.clone();
        limits.first_piece = model.options.first_piece.unwrap_or(limits.first_piece);
        limits.between_pieces = model.options.between_pieces.unwrap_or(limits.between_pieces);
        Events::new(response, model.clone(), limits, Arc::clone(&self.clock))
    }

    fn http(&self, model: &ChosenModel) -> &reqwest::Client {
        if model.endpoint.is_loopback() { &self.inward } else { &self.outward }
    }
}

/// A client for asking one's own machine, past every proxy.
pub(crate) fn loopback_http(patience: Duration) -> Result<reqwest::Client, NoClient> {
    install_tls();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(patience)
        .build()
        .map_err(|error| NoClient(error.without_url().to_string()))
}

/// One process, one provider of cryptography; whoever was first wins. For programs that make an HTTP client of their own.
pub fn install_tls() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // An error means that the program installed one already, which serves as well.
        let _already_there = rustls::crypto::ring::default_provider().install_default();
    });
}
