//! The scripted model server: a thread with its own runtime that listens on loopback until it is dropped.

use std::future::IntoFuture as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request as HttpRequest, State};
use axum::http::HeaderValue;
use axum::response::Response;
use tokio::sync::{oneshot, watch};

use crate::connection::{BreakableListener, Switch};
use crate::delivery::{CloseListener, Delivery};
use crate::limits::{MAX_REQUEST_BYTES, ScriptError};
use crate::protocol::WireProtocol;
use crate::read::Headers;
use crate::record::RecordedRequest;
use crate::report::{ServerReport, Violation};
use crate::script::ModelScript;
use crate::scripted_model::{Incoming, ScriptedModel, ServerAnswer};

/// How long a wait for an event of the server lasts before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(120);

type Observer = Box<dyn Fn(&Violation) + Send + Sync>;

/// How a server listens.
#[derive(Default)]
pub(crate) struct ServerOptions {
    /// The port; 0 takes a free one.
    pub(crate) port: u16,
    /// The protocols to speak; empty: all.
    pub(crate) protocols: Vec<WireProtocol>,
    /// Told about each violation when it happens.
    pub(crate) observer: Option<Observer>,
}

impl std::fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerOptions")
            .field("port", &self.port)
            .field("protocols", &self.protocols)
            .finish_non_exhaustive()
    }
}

struct SharedModel {
    model: Mutex<ScriptedModel>,
    changed: Condvar,
    version: watch::Sender<u64>,
    stopping: AtomicBool,
    observer: Option<Observer>,
}

impl SharedModel {
    fn model(&self) -> MutexGuard<'_, ScriptedModel> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn announce(&self) {
        self.changed.notify_all();
        self.version.send_modify(|version| *version += 1);
    }
}

/// A running server; dropping it stops it.
pub struct Server {
    address: SocketAddr,
    shared: Arc<SharedModel>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server for this script on a free loopback port.
    pub async fn start(script: ModelScript) -> Result<Server, ScriptError> {
        Server::start_blocking(script)
    }

    /// The same for tests without a runtime.
    pub fn start_blocking(script: ModelScript) -> Result<Server, ScriptError> {
        Server::start_with(script, ServerOptions::default())
    }

    /// Starts a server with options.
    pub(crate) fn start_with(script: ModelScript, options: ServerOptions) -> Result<Server, ScriptError> {
        script.check(Path::new("script"))?;
        let ServerOptions { port, mut protocols, observer } = options;
        if protocols.is_empty() {
            protocols.extend(WireProtocol::ALL);
        }
        let failed = |reason| ScriptError::Listen { port, reason };
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let shared = Arc::new(SharedModel {
            model: Mutex::new(ScriptedModel::new(script, protocols)),
            changed: Condvar::new(),
            version: watch::Sender::new(0),
            stopping: AtomicBool::new(false),
            observer,
        });
        let (stop, stopped) = oneshot::channel();
        let for_thread = shared.clone();
        let thread = std::thread::Builder::new()
            .name("scripted model".to_owned())
            .spawn(move || runtime.block_on(listen(listener, for_thread, stopped)))
            .map_err(failed)?;
        Ok(Server { address, shared, stop: Some(stop), thread: Some(thread) })
    }

    /// For example `http://127.0.0.1:4321`.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The base address for a protocol: with `/v1` for OpenAI's two, without a path for the others.
    pub fn url(&self, protocol: WireProtocol) -> String {
        protocol.base_url(&self.origin())
    }

    /// The requests so far, in the order of arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.model().requests.clone()
    }

    /// Requests whose client closed the connection before the answer was complete.
    pub fn closed(&self) -> Vec<usize> {
        self.shared.model().closed.clone()
    }

    /// Waits until the client has closed the connection of this request; false after half a minute.
    pub async fn wait_closed(&self, request: usize) -> bool {
        self.wait(|model| model.closed.contains(&request)).await
    }

    /// As `wait_closed`, for tests without a runtime.
    pub fn wait_closed_blocking(&self, request: usize) -> bool {
        self.wait_blocking(|model| model.closed.contains(&request))
    }

    /// Waits until so many requests have arrived; false after half a minute. For tests without a runtime.
    pub fn wait_requests_blocking(&self, count: usize) -> bool {
        self.wait_blocking(|model| model.requests.len() >= count)
    }

    /// Stops the server; all requests if every rule was kept and every turn asked for, else what was wrong.
    pub fn finish(self) -> Result<Vec<RecordedRequest>, ServerReport> {
        let model = self.shared.model();
        model.report().map(|()| model.requests.clone())
    }

    async fn wait(&self, ready: impl Fn(&ScriptedModel) -> bool) -> bool {
        let mut version = self.shared.version.subscribe();
        let wait = async {
            while !ready(&self.shared.model()) {
                if version.changed().await.is_err() {
                    return;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, wait).await;
        ready(&self.shared.model())
    }

    fn wait_blocking(&self, ready: impl Fn(&ScriptedModel) -> bool) -> bool {
        let end = Instant::now() + PATIENCE;
        let mut model = self.shared.model();
        while !ready(&model) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            model = self.shared.changed.wait_timeout(model, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn listen(listener: std::net::TcpListener, shared: Arc<SharedModel>, stopped: oneshot::Receiver<()>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let service = Router::new().fallback(answer).with_state(shared).into_make_service_with_connect_info::<Switch>();
    tokio::select! {
        _ = axum::serve(BreakableListener(listener), service).into_future() => {}
        _ = stopped => {}
    }
}

async fn answer(
    State(shared): State<Arc<SharedModel>>,
    ConnectInfo(switch): ConnectInfo<Switch>,
    request: HttpRequest,
) -> Response {
    let (parts, body) = request.into_parts();
    let header = |(name, value): (&axum::http::HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let incoming = Incoming {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        headers: Headers(parts.headers.iter().map(header).collect()),
        body: to_bytes(body, MAX_REQUEST_BYTES).await.ok(),
    };
    let answer = decide(&shared, &incoming);
    shared.announce();
    match answer {
        ServerAnswer::Json(answer) => {
            let mut response = Response::new(Body::from(answer.body.to_string()));
            *response.status_mut() = axum::http::StatusCode::from_u16(answer.status).unwrap_or_default();
            for (name, value) in answer.headers {
                if let Ok(value) = HeaderValue::from_str(&value) {
                    response.headers_mut().insert(name, value);
                }
            }
            response
        }
        ServerAnswer::Stream { request, steps } => {
            let ending = Closing { shared, request };
            let mut response = Response::new(Body::from_stream(Delivery::new(steps, switch, ending)));
            let headers = response.headers_mut();
            headers.insert("content-type", HeaderValue::from_static("text/event-stream; charset=utf-8"));
            headers.insert("cache-control", HeaderValue::from_static("no-cache"));
            response
        }
        ServerAnswer::HangUp => {
            switch.break_now();
            Response::new(Body::empty())
        }
    }
}

fn decide(shared: &SharedModel, incoming: &Incoming) -> ServerAnswer {
    let mut model = shared.model();
    let known = model.violations.len();
    let answer = model.answer(incoming);
    if let Some(observer) = &shared.observer {
        model.violations.iter().skip(known).for_each(observer);
    }
    answer
}

/// Remembers that a client went away, unless the server itself is going.
struct Closing {
    shared: Arc<SharedModel>,
    request: usize,
}

impl CloseListener for Closing {
    fn client_closed(&mut self) {
        if !self.shared.stopping.load(Ordering::SeqCst) {
            self.shared.model().closed.push(self.request);
            self.shared.announce();
        }
    }
}
