//! Sends requests and hands out one stream of events; retries before the first byte and never after it.

mod clock;
mod events;
mod models;
mod retry;
mod send;

pub use clock::{Clock, Jitter, RandomJitter, SystemClock, Wait};
pub(crate) use events::EventReader;
pub use events::Events;
pub(crate) use models::names as model_names;
pub use retry::Retries;

use std::fmt;
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::error::Error;
use crate::protocol::Receiver;
use crate::protocol::body::RequestBody;
use crate::provider::ChosenModel;
use crate::request::ModelRequest;

/// How patient a client is, and how much it takes in.
#[derive(Clone, Debug)]
pub struct ClientLimits {
    pub connect: Duration,
    /// From the request to the first byte: local servers read the whole prompt before they say anything.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
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
            first_byte: Duration::from_secs(600),
            idle: Duration::from_secs(180),
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

#[derive(Clone)]
pub struct Client {
    /// For the world, through proxies.
    outward: reqwest::Client,
    /// For one's own machine, past every proxy.
    inward: reqwest::Client,
    limits: ClientLimits,
    clock: Arc<dyn Clock>,
    jitter: Arc<dyn Jitter>,
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Client").field("patience", &self.limits).finish_non_exhaustive()
    }
}

/// The HTTP client could not be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no HTTP client: {0}")]
pub struct NoClient(String);

impl Client {
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
        })
    }

    /// Asks a model. The stream ends after `Done` or after the first error; dropping it closes the connection.
    pub async fn stream(&self, model: &ChosenModel, request: &ModelRequest) -> Result<Events, Error> {
        let body = RequestBody::new(request, &Receiver::of(model));
        let response = self.send(model, &body).await?;
        Ok(Events::new(response, model.clone(), &self.limits, Arc::clone(&self.clock)))
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
