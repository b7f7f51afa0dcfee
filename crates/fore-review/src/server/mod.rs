//! Listens on 127.0.0.1 and on nothing else. Everything has a bound: connections, heads, bodies, waits.

mod page_error;
mod request_check;
mod routes;
mod stream;

use crate::site::SiteState;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{
    io,
    net::{Ipv4Addr, TcpListener},
    sync::Arc,
    time::Duration,
};
use tokio::sync::{Semaphore, oneshot};

/// Connections at once; one more is closed.
const MAX_CONNECTIONS: usize = 64;
/// How long a request may take to say what it wants.
const MAX_HEAD_WAIT: Duration = Duration::from_secs(10);
/// Bytes of the head of a request.
const MAX_HEAD_BYTES: usize = 16 * 1024;
/// Headers of a request.
const MAX_HEADERS: usize = 64;
/// A pause after the system had no connection to give, such as without free descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The thread of the server; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct ServerThread {
    _stop: oneshot::Sender<()>,
}

/// A free port of this machine alone.
pub(crate) fn bind() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

impl ServerThread {
    pub(crate) fn start(listener: TcpListener, site: Arc<SiteState>) -> io::Result<ServerThread> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new().name("review page".into()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    // Also when the sender is dropped.
                    _ = stopped => {}
                    () = serve(listener, site) => {}
                }
            });
            runtime.shutdown_background();
        })?;
        Ok(ServerThread { _stop: stop })
    }
}

async fn serve(listener: TcpListener, site: Arc<SiteState>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let router = routes::router(site);
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok((stream, from)) = listener.accept().await else {
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        if !from.ip().is_loopback() {
            continue;
        }
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else { continue };
        let service = TowerToHyperService::new(router.clone());
        tokio::spawn(async move {
            let mut connection = http1::Builder::new();
            connection.timer(TokioTimer::new()).header_read_timeout(MAX_HEAD_WAIT);
            connection.max_buf_size(MAX_HEAD_BYTES).max_headers(MAX_HEADERS);
            // What a broken connection says is no news.
            let _ = connection.serve_connection(TokioIo::new(stream), service).await;
            drop(permit);
        });
    }
}
