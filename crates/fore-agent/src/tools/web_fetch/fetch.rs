//! One GET: redirects on the same host only, bounded in bytes and time.

use super::host::{GuardedResolver, PermittedHost};
use fore_sandbox::{Cages, Connection, network::Upstream};
use reqwest::{
    Client, Url,
    header::{ACCEPT, CONTENT_TYPE, LOCATION},
    redirect::Policy,
};
use std::time::Duration;

/// Bytes of an answer, unpacked.
pub(super) const MAX_BODY_BYTES: usize = 5 << 20;
const MAX_REDIRECTS: usize = 5;
const CONNECT_TIME: Duration = Duration::from_secs(15);
pub(super) const MAX_TOTAL_TIME: Duration = Duration::from_secs(45);
const ACCEPTED: &str = "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1";

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fetched {
    Page {
        url: Url,
        content_type: Option<String>,
        body: Vec<u8>,
        is_cut: bool,
    },
    /// It is on another host now, which this call may not ask.
    Moved {
        to: String,
    },
}

/// The address that is really asked for: `https`, unless the host is private.
pub(super) fn address(asked: &str, host: &PermittedHost) -> Result<Url, String> {
    let mut url = Url::parse(asked).map_err(|error| format!("`{asked}` is not an address: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{asked}` is not an http address"));
    }
    if !host.is_of(&url) || !url.username().is_empty() || url.password().is_some() {
        return Err(format!("`{asked}` is not an address on {}, which this call may fetch from", host.name()));
    }
    if url.scheme() == "http" && !host.is_private() {
        url.set_scheme("https").map_err(|()| format!("`{asked}` has no https address"))?;
    }
    url.set_fragment(None);
    Ok(url)
}

pub(super) async fn get(first: Url, host: &PermittedHost, cages: &Cages) -> Result<Fetched, String> {
    let proxy = cages.settings().proxy.as_deref();
    let client = client(host, proxy)
        .map_err(|error| format!("the HTTP client could not be started: {}", error_chain(&error)))?;
    let mut url = first;
    for _ in 0..=MAX_REDIRECTS {
        let sent = client.get(url.clone()).header(ACCEPT, ACCEPTED).send().await;
        let mut connection = connection(&url, host, proxy);
        let answer = match sent {
            Ok(answer) => answer,
            Err(error) => {
                let why = error_chain(&error);
                connection.refused = Some(why.clone());
                cages.note_connection(connection);
                return Err(format!("{url} could not be fetched: {why}"));
            }
        };
        if connection.through.is_none() {
            connection.address = answer.remote_addr().map(|address| address.ip());
        }
        connection.sent_bytes = url.as_str().len() as u64;
        let status = answer.status();
        let header = |name| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let location = header(LOCATION);
        let content_type = header(CONTENT_TYPE);
        let body = if status.is_success() { body(answer).await } else { Ok((Vec::new(), false)) };
        connection.received_bytes = body.as_ref().map_or(0, |(body, _)| body.len() as u64);
        cages.note_connection(connection);
        if let Some(to) = location.filter(|_| status.is_redirection()) {
            match url.join(&to).ok().map(|next| address(next.as_str(), host).map_err(|_| next)) {
                Some(Ok(next)) => url = next,
                Some(Err(next)) => return Ok(Fetched::Moved { to: next.to_string() }),
                None => {
                    return Err(format!(
                        "{url} moved to `{}`, which is not an address",
                        fore_text::cut::chars(&to, 200)
                    ));
                }
            }
            continue;
        }
        if !status.is_success() {
            return Err(format!("{url} answered {status}"));
        }
        let (body, is_cut) = body.map_err(|error| format!("{url} broke off: {}", error_chain(&error)))?;
        return Ok(Fetched::Page { url, content_type, body, is_cut });
    }
    Err(format!("{url} redirects more than {MAX_REDIRECTS} times"))
}

/// For the audit log: sent is the address alone.
fn connection(url: &Url, host: &PermittedHost, proxy: Option<&str>) -> Connection {
    let port = url.port_or_known_default().unwrap_or_default();
    let whom = fore_plan::Host::new(host.name(), port);
    let is_plain = url.scheme() == "http";
    let through =
        whom.as_ref().filter(|_| !host.is_private()).and_then(|whom| Upstream::of(proxy).through(whom, is_plain));
    let name = whom.map_or_else(|| host.name().to_owned(), |whom| whom.to_string());
    Connection { host: name, through, ..Connection::default() }
}

fn client(host: &PermittedHost, proxy: Option<&str>) -> reqwest::Result<Client> {
    fore_model::install_tls();
    let builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(CONNECT_TIME)
        .timeout(MAX_TOTAL_TIME)
        .dns_resolver(GuardedResolver(host.clone()))
        .user_agent(concat!("forethought/", env!("CARGO_PKG_VERSION")));
    // A proxy is for the world outside.
    match proxy {
        _ if host.is_private() => builder.no_proxy().build(),
        Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy)?).build(),
        None => builder.build(),
    }
}

async fn body(mut answer: reqwest::Response) -> reqwest::Result<(Vec<u8>, bool)> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await? {
        let room = MAX_BODY_BYTES - body.len();
        body.extend_from_slice(piece.get(..room).unwrap_or(&piece));
        if piece.len() > room {
            return Ok((body, true));
        }
    }
    Ok((body, false))
}

/// An error with its causes; the address is said by the caller.
fn error_chain(error: &dyn std::error::Error) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut cause = error.source();
    while let Some(next) = cause {
        let said = next.to_string();
        // Some causes repeat those beneath them.
        words.retain(|word| !word.contains(&said));
        words.push(said);
        cause = next.source();
    }
    if words.is_empty() { error.to_string() } else { words.join(": ") }
}
