//! The forward proxy: the only way out of a cage with network. It listens on a socket that was made inside the cage and connects,
//! outside, to the hosts that the permit names; whatever else is asked of it is refused, and everything is written down.

mod address;
pub(crate) mod configured;
mod hello;
mod relay;
mod request;
mod upstream;

use crate::sys;
use fore_plan::{Host, Outside};
use request::{ProxyRequest, RequestForm};
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use address::{is_inward, is_private_name, may_lead_to};
pub use configured::{PersonConfig, registries_of};
pub use upstream::Upstream;

/// Where the proxy listens inside a cage; the network there is the cage's own.
pub(crate) const PORT: u16 = 3128;
/// How programs are told to use the proxy; nobody is reached without it.
pub(crate) fn variables() -> impl Iterator<Item = (&'static str, String)> {
    const NAMES: [&str; 17] = [
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "npm_config_proxy",
        "npm_config_https_proxy",
        "YARN_HTTP_PROXY",
        "YARN_HTTPS_PROXY",
        "CARGO_HTTP_PROXY",
        "no_proxy",
        "NO_PROXY",
        "MAVEN_OPTS",
        "GRADLE_OPTS",
        "SBT_OPTS",
        "NODE_USE_ENV_PROXY",
    ];
    let java = ["http", "https"].map(|scheme| format!("-D{scheme}.proxyHost=127.0.0.1 -D{scheme}.proxyPort={PORT}"));
    let java = java.join(" ");
    NAMES.into_iter().map(move |name| {
        let value = match name {
            "no_proxy" | "NO_PROXY" => String::new(),
            "MAVEN_OPTS" | "GRADLE_OPTS" | "SBT_OPTS" => java.clone(),
            "NODE_USE_ENV_PROXY" => "1".to_owned(),
            _ => format!("http://127.0.0.1:{PORT}"),
        };
        (name, value)
    })
}

/// Connections at the same time; more wait until one of them ends.
const MAX_CONNECTIONS: usize = 100;
/// How often it looks meanwhile whether one of them has.
const FULL_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Connections that are listed of one run; the rest is counted.
const MAX_LISTED: usize = 200;
const MAX_HEAD_TIME: Duration = Duration::from_secs(15);
const MAX_CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long a connection may be silent in both directions.
const MAX_SILENCE: Duration = Duration::from_secs(300);
/// How long those that were hung up get to count their bytes.
const MAX_LAST_WAIT: Duration = Duration::from_millis(500);
/// Ports that are open where any public host is: those of the web. All else that speaks through a proxy is named.
const PUBLIC_PORTS: [u16; 2] = [443, 80];
/// Addresses of one name that are tried.
const MAX_ADDRESSES: usize = 6;

/// One connection that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Connection {
    /// `host:port`; empty where the request named none that could be understood.
    pub host: String,
    /// Where it really went; none if it went nowhere, or through the person's own proxy.
    pub address: Option<IpAddr>,
    /// The person's own proxy, where it went through that.
    pub through: Option<String>,
    /// From the cage to the host.
    pub sent_bytes: u64,
    /// From the host to the cage.
    pub received_bytes: u64,
    /// Why it was refused, or broke off; none where it was let through.
    pub refused: Option<String>,
}

impl Connection {
    fn to(host: &Host) -> Connection {
        Connection { host: host.to_string(), ..Connection::default() }
    }

    /// For model and person: whom, and how it ended.
    pub fn line(&self) -> String {
        match &self.refused {
            Some(why) if self.host.is_empty() => format!("not allowed: {why}"),
            Some(why) => format!("not allowed: {} {why}", self.host),
            None => {
                let through =
                    self.through.as_ref().map(|proxy| format!(" through your proxy {proxy}")).unwrap_or_default();
                format!("{}{through}: {} bytes sent, {} received", self.host, self.sent_bytes, self.received_bytes)
            }
        }
    }
}

/// Looks a name up.
pub(crate) type Resolver = fn(&str, u16) -> io::Result<Vec<SocketAddr>>;

/// The machine's own way.
pub(crate) fn resolve(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    (name, port).to_socket_addrs().map(Iterator::collect)
}

/// A proxy that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Proxy {
    shared: Arc<ProxyShared>,
    stop: OwnedFd,
}

#[derive(Debug)]
struct ProxyShared {
    outside: Outside,
    upstream: Upstream,
    resolver: Resolver,
    open: AtomicUsize,
    state: Mutex<ProxyState>,
    /// Told whenever a connection has ended.
    ended: Condvar,
}

#[derive(Debug, Default)]
struct ProxyState {
    is_over: bool,
    /// By the order in which they came.
    connections: BTreeMap<usize, Connection>,
    /// Both ends of everything that is open, to be hung up when the run is over.
    ends: Vec<(usize, TcpStream)>,
    next: usize,
}

impl Proxy {
    pub(crate) fn start(
        listener: TcpListener,
        outside: Outside,
        upstream: Upstream,
        resolver: Resolver,
    ) -> io::Result<Proxy> {
        listener.set_nonblocking(true)?;
        let stop = sys::eventfd()?;
        let shared = Arc::new(ProxyShared {
            outside,
            upstream,
            resolver,
            open: AtomicUsize::new(0),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        let (its, watched) = (Arc::clone(&shared), stop.try_clone()?);
        std::thread::Builder::new().name("proxy".into()).spawn(move || accept(&its, &listener, &watched))?;
        Ok(Proxy { shared, stop })
    }

    /// Hangs up, and gives what was asked for.
    pub(crate) fn finish(self) -> Vec<Connection> {
        self.hang_up();
        let is_busy = |_: &mut ProxyState| self.shared.open.load(Ordering::Acquire) > 0;
        let waited = self.shared.ended.wait_timeout_while(self.shared.lock(), MAX_LAST_WAIT, is_busy);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.connections).into_values().collect()
    }

    fn hang_up(&self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        for (_, end) in state.ends.drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
        sys::ring(&self.stop);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.hang_up();
    }
}

/// Takes connections until told to stop.
fn accept(shared: &Arc<ProxyShared>, listener: &TcpListener, stop: &OwnedFd) {
    loop {
        let is_full = shared.open.load(Ordering::Acquire) >= MAX_CONNECTIONS;
        let mut polls = [PollFd::new(stop, PollFlags::IN), PollFd::new(listener, PollFlags::IN)];
        // While full it looks again soon.
        let polled = match is_full {
            true => rustix::event::poll(&mut polls[..1], Some(&sys::poll_timeout(FULL_POLL_INTERVAL))),
            false => rustix::event::poll(&mut polls, None),
        };
        let [stopped, connection] = polls.map(|poll| !poll.revents().is_empty());
        if stopped || polled.is_err_and(|error| error != Errno::INTR) {
            return;
        }
        let Some(client) = connection.then(|| listener.accept().ok()).flatten().map(|(client, _)| client) else {
            continue;
        };
        if client.set_nonblocking(false).is_err() {
            continue;
        }
        shared.open.fetch_add(1, Ordering::AcqRel);
        let its = Arc::clone(shared);
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(move || {
            serve(&its, client);
            its.open.fetch_sub(1, Ordering::AcqRel);
            // With the lock: whoever is about to wait must not miss it.
            let _state = its.lock();
            its.ended.notify_all();
        });
        if thread.is_err() {
            shared.open.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

fn serve(shared: &ProxyShared, mut client: TcpStream) {
    let Some(number) = shared.watch(&client) else { return };
    if let Some(connection) = attend(shared, &mut client) {
        shared.note(number, connection);
    }
    shared.forget(number);
}

/// One connection from its first byte to its last.
fn attend(shared: &ProxyShared, client: &mut TcpStream) -> Option<Connection> {
    let (head, rest) = request::read_head(client).ok()??;
    let request = match ProxyRequest::parse(&head) {
        Ok(request) => request,
        Err(request::UnclearHead(why)) => {
            let _ = answer(client, "400 Bad Request", why);
            return Some(Connection { refused: Some(why.into()), ..Connection::default() });
        }
    };
    let host = match &request {
        ProxyRequest::Connect(host) => host.clone(),
        ProxyRequest::Plain(plain) => plain.host.clone(),
    };
    let mut connection = Connection::to(&host);
    let reached = match shared.reach(&host, matches!(request, ProxyRequest::Plain(_))) {
        Ok(reached) => reached,
        Err(ConnectFailure::Refused(why)) => {
            let _ = answer(client, "403 Forbidden", &format!("not allowed: {host} {why}"));
            connection.refused = Some(why);
            return Some(connection);
        }
        Err(ConnectFailure::Failed(why)) => {
            let _ = answer(client, "502 Bad Gateway", &format!("{host} could not be reached: {why}"));
            return Some(connection);
        }
    };
    connection.address = reached.address;
    connection.through = reached.through;
    let number = shared.watch(&reached.server)?;
    let mut server = reached.server;
    let moved = match request {
        ProxyRequest::Connect(host) => client
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .and_then(|()| relay::tunnel(client, &mut server, &rest, &host)),
        ProxyRequest::Plain(plain) => relay::one_request(client, &mut server, &rest, &plain, &reached.form),
    };
    shared.forget(number);
    if let Ok(moved) = moved {
        connection.sent_bytes = moved.sent;
        connection.received_bytes = moved.received;
        connection.refused = moved.refused;
    }
    Some(connection)
}

fn answer(client: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let body = format!("fore: {text}\n");
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    client.write_all(format!("{head}{body}").as_bytes())?;
    client.shutdown(Shutdown::Write)
}

struct ServerConnection {
    server: TcpStream,
    address: Option<IpAddr>,
    through: Option<String>,
    /// How a plain request is addressed from here on.
    form: RequestForm,
}

enum ConnectFailure {
    Refused(String),
    Failed(String),
}

impl ProxyShared {
    fn lock(&self) -> MutexGuard<'_, ProxyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts one end on the list of what is hung up; none when the run is over already.
    fn watch(&self, end: &TcpStream) -> Option<usize> {
        let mut state = self.lock();
        if state.is_over {
            return None;
        }
        state.next += 1;
        let number = state.next;
        state.ends.push((number, end.try_clone().ok()?));
        Some(number)
    }

    fn forget(&self, number: usize) {
        self.lock().ends.retain(|(known, _)| *known != number);
    }

    fn note(&self, number: usize, connection: Connection) {
        let mut state = self.lock();
        // One more than is listed says that there were more.
        if state.connections.len() <= MAX_LISTED {
            state.connections.insert(number, connection);
        }
    }

    fn is_named(&self, host: &Host) -> bool {
        self.outside.contacts().is_some_and(|contacts| contacts.hosts.iter().any(|pattern| pattern.covers(host)))
    }

    /// Whether this address may be connected to for this host: its own name may lead there, or the address itself was named.
    fn may_connect(&self, host: &Host, address: IpAddr) -> bool {
        let names_address = || Host::new(&address.to_string(), host.port()).is_some_and(|host| self.is_named(&host));
        match self.is_named(host) {
            true => address::may_lead_to(host.name(), address) || names_address(),
            false => !address::is_inward(address),
        }
    }

    fn reach(&self, host: &Host, is_plain: bool) -> Result<ServerConnection, ConnectFailure> {
        let is_open = self.is_named(host)
            || match &self.outside {
                Outside::AnyPublic(_) => !address::is_private_name(host.name()),
                Outside::Named(_) | Outside::Closed => false,
            };
        if !is_open {
            return Err(ConnectFailure::Refused("was not part of what was approved".into()));
        }
        if !self.is_named(host) && !PUBLIC_PORTS.contains(&host.port()) {
            let why = "is not a port of the web (80 or 443), and others are open only where host and port are approved";
            return Err(ConnectFailure::Refused(why.into()));
        }
        let inward = |address: IpAddr| {
            let why =
                format!("leads to {address}, which is inside a private network, and that address was not approved");
            ConnectFailure::Refused(why)
        };
        if let Some(proxy) = self.upstream.for_host(host, is_plain) {
            // Names are looked up by the person's own proxy; addresses are still ours to check.
            if let Some(address) = host.name().parse().ok().filter(|address| !self.may_connect(host, *address)) {
                return Err(inward(address));
            }
            let server = proxy.connect(host, is_plain).map_err(|error| ConnectFailure::Failed(error.to_string()))?;
            let through = Some(proxy.name());
            return Ok(ServerConnection {
                server,
                address: None,
                through,
                form: RequestForm::Absolute(proxy.authorization()),
            });
        }
        let found =
            (self.resolver)(host.name(), host.port()).map_err(|error| ConnectFailure::Failed(error.to_string()))?;
        let allowed: Vec<SocketAddr> =
            found.iter().copied().filter(|address| self.may_connect(host, address.ip())).collect();
        if let (true, Some(first)) = (allowed.is_empty(), found.first()) {
            return Err(inward(first.ip()));
        }
        let mut last = ConnectFailure::Failed("it has no address".into());
        // Connected to is the address that was checked: nothing is looked up again.
        for address in allowed.iter().take(MAX_ADDRESSES) {
            match TcpStream::connect_timeout(address, MAX_CONNECT_TIME) {
                Ok(server) => {
                    return Ok(ServerConnection {
                        server,
                        address: Some(address.ip()),
                        through: None,
                        form: RequestForm::Origin,
                    });
                }
                Err(error) => last = ConnectFailure::Failed(error.to_string()),
            }
        }
        Err(last)
    }
}

#[cfg(test)]
mod tests;
