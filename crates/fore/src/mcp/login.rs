//! `fore mcp login` and `logout`: the person logs in to a server in their browser, which comes back to a port of this machine.

use super::{ServersHere, is_elsewhere};
use crate::console::{Console, one_line, plain};
use anyhow::{Context, bail};
use fore_mcp::{LoginHandler, ServerTransport};
use fore_store::server_logins;
use std::{
    future::Future,
    io::{IsTerminal, Write},
    net::{Ipv4Addr, TcpListener as PlainListener},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc},
};

/// What is read of one request, for how long, and how many at a time.
const MAX_HEAD: usize = 16 << 10;
const MAX_READ: Duration = Duration::from_secs(5);
const MAX_VISITORS: usize = 16;
/// How many requests are answered in all.
const MAX_REQUESTS: usize = 1_000;

/// The page that the browser shows at the end.
const DONE: &str = "<!doctype html><meta charset=utf-8><title>Forethought</title><p>Forethought has what it needs. You can close this page.";

/// Logs in to a server.
pub(super) fn log_in(screen: &mut Console<impl Write>, here: &ServersHere, name: &str) -> anyhow::Result<()> {
    let server = here.trusted_server(name)?;
    let headers = match &server.entry.transport {
        ServerTransport::Stdio { .. } => bail!("`{name}` is a program of this machine; there is nothing to log in to"),
        ServerTransport::Sse { .. } => {
            bail!("`{name}` speaks the old protocol with two channels, which knows no login; use `headers`")
        }
        ServerTransport::Http { headers, .. } => headers,
    };
    if headers.iter().any(|(header, _)| header.eq_ignore_ascii_case("authorization")) {
        bail!("`{name}` has a header Authorization in its entry, which is used instead of a login");
    }
    let browser = Arc::new(
        LoginBrowser::new().context("no port of this machine can be opened for your browser to come back to")?,
    );
    let probed = here.probe(name, true, Some(Arc::clone(&browser) as Arc<dyn LoginHandler>))?;
    let tools = fore_text::count(probed.tools.tools.len(), "tool");
    if !*browser.was_shown.lock().unwrap_or_else(PoisonError::into_inner) {
        screen.line(format_args!("{name}: {tools}. It did not want a login now."))?;
        return Ok(());
    }
    screen.line(format_args!("You are logged in. {name}: {}, {tools}.", one_line(&probed.identity)))?;
    if let ServerTransport::Http { url, .. } = &server.filled.transport {
        let place = server_logins::place(&here.home, url)?;
        screen.line(format_args!("The login is kept in {}, for this address alone.", plain(&place)))?;
    }
    Ok(())
}

/// Forgets what a server gave.
pub(super) fn log_out(screen: &mut Console<impl Write>, here: &ServersHere, name: &str) -> anyhow::Result<()> {
    let server = here.server(name)?;
    let url = match &server.filled.transport {
        ServerTransport::Http { url, .. } if is_elsewhere(&server.entry) => url,
        _ => bail!("`{name}` knows no login"),
    };
    match server_logins::forget(&here.home, url)? {
        true => screen.line(format_args!(
            "The login of {name} is forgotten here. The server may still list it among your sessions."
        ))?,
        false => screen.line(format_args!("You were not logged in to {name}."))?,
    }
    Ok(())
}

/// The person's browser, as far as we see it.
struct LoginBrowser {
    listener: Mutex<Option<PlainListener>>,
    port: u16,
    was_shown: Mutex<bool>,
}

impl LoginBrowser {
    fn new() -> std::io::Result<LoginBrowser> {
        let listener = PlainListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        Ok(LoginBrowser { listener: Mutex::new(Some(listener)), port, was_shown: Mutex::new(false) })
    }

    async fn come_back(&self, page: &str) -> Option<String> {
        // Only the browser that was sent away knows this.
        let state =
            page.split(['?', '&']).find_map(|part| part.strip_prefix("state=")).filter(|state| state.len() >= 8)?;
        let listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let listener = TcpListener::from_std(listener).ok()?;
        let awaited = AwaitedVisit { redirect: self.redirect_uri(), state: state.to_owned() };
        tokio::select! {
            back = visits(listener, awaited.clone()) => back,
            back = pasted(awaited) => back,
        }
    }
}

impl LoginHandler for LoginBrowser {
    fn redirect_uri(&self) -> String {
        format!("http://127.0.0.1:{}/callback", self.port)
    }

    fn visit(&self, page: String) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
        Box::pin(async move {
            if !(page.starts_with("https://") || page.starts_with("http://")) {
                return None;
            }
            *self.was_shown.lock().unwrap_or_else(PoisonError::into_inner) = true;
            show(&page).ok()?;
            self.come_back(&page).await
        })
    }
}

/// Says where to log in.
fn show(page: &str) -> std::io::Result<()> {
    let mut screen = Console::stdout();
    let host = page.split("://").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    screen
        .line(format_args!("The server sends you to {} to log in. Open this page in your browser:", one_line(host)))?;
    screen.exact_line(plain(page))?;
    if std::io::stdin().is_terminal() {
        screen.line("If the browser is on another machine, paste the address it was sent to in the end here.")?;
    }
    Ok(())
}

/// Where the browser has to come back to, and with which word.
#[derive(Clone)]
struct AwaitedVisit {
    redirect: String,
    state: String,
}

impl AwaitedVisit {
    /// The whole address, if it is the one that is waited for.
    fn is_it(&self, address: &str) -> bool {
        let Some(query) = address.strip_prefix(&self.redirect).and_then(|rest| rest.strip_prefix('?')) else {
            return false;
        };
        let mut states = query.split('&').filter_map(|part| part.strip_prefix("state="));
        states.next() == Some(self.state.as_str()) && states.next().is_none()
    }
}

/// Answers requests until the right one comes. Whatever else comes gets nothing.
async fn visits(listener: TcpListener, awaited: AwaitedVisit) -> Option<String> {
    let (sender, mut found) = mpsc::channel(1);
    let room = Arc::new(Semaphore::new(MAX_VISITORS));
    let accepting = async {
        for _ in 0..MAX_REQUESTS {
            let Ok(permit) = Arc::clone(&room).acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else { continue };
            let (sender, awaited) = (sender.clone(), awaited.clone());
            drop(tokio::spawn(async move {
                let _permit = permit;
                let answered = tokio::time::timeout(MAX_READ, answered(stream, &awaited)).await;
                if let Ok(Some(address)) = answered {
                    let _ = sender.send(address).await;
                }
            }));
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        () = accepting => None,
        address = found.recv() => address,
    }
}

/// Reads the head of one request and answers it; gives the address if it is the one that is waited for.
async fn answered(mut stream: TcpStream, awaited: &AwaitedVisit) -> Option<String> {
    let mut head = Vec::new();
    let mut piece = [0_u8; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut piece).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(piece.get(..read)?);
        if head.len() > MAX_HEAD {
            return None;
        }
    }
    let head = String::from_utf8_lossy(&head);
    let target = head.lines().next().and_then(|line| line.strip_prefix("GET ")).and_then(|rest| rest.split(' ').next());
    let origin = awaited.redirect.strip_suffix("/callback").unwrap_or_default();
    let address = target.map(|target| format!("{origin}{target}")).filter(|address| awaited.is_it(address));
    let (status, body) = match &address {
        Some(_) => ("200 OK", DONE),
        None => ("404 Not Found", ""),
    };
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    // The login counts, whether or not the browser still reads.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
    address
}

/// The address, written by the person. Never, where there is no terminal.
async fn pasted(awaited: AwaitedVisit) -> Option<String> {
    if std::io::stdin().is_terminal() {
        let (sender, mut lines) = mpsc::channel(1);
        // It ends with the program: nothing can wake somebody who reads from a terminal.
        let read = move || {
            let mut line = String::new();
            while std::io::stdin().read_line(&mut line).is_ok_and(|read| read > 0) {
                if sender.blocking_send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        };
        let _reader = std::thread::Builder::new().name("pasted address".into()).spawn(read);
        while let Some(line) = lines.recv().await {
            if awaited.is_it(line.trim()) {
                return Some(line.trim().to_owned());
            }
            crate::report::warning("this is not the address that is waited for");
        }
    }
    std::future::pending().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_browser_that_was_sent_away_comes_back() {
        let awaited = AwaitedVisit { redirect: "http://127.0.0.1:7/callback".into(), state: "abcdefgh".into() };
        let page = [
            ("http://127.0.0.1:7/callback?code=c&state=abcdefgh", true),
            ("http://127.0.0.1:7/callback?state=abcdefgh&error=access_denied", true),
            ("http://127.0.0.1:7/callback?code=c&state=abcdefgi", false),
            ("http://127.0.0.1:7/callback?code=c", false),
            ("http://127.0.0.1:7/callback?state=abcdefgh&state=other", false),
            ("http://127.0.0.1:7/other?code=c&state=abcdefgh", false),
            ("http://127.0.0.1:8/callback?code=c&state=abcdefgh", false),
        ];
        for (address, expected) in page {
            assert_eq!(awaited.is_it(address), expected, "{address}");
        }
    }
}
