//! A loopback connection that the server can break at an exact byte, or before the first one.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

const OPEN: u8 = 0;
const BREAK_AFTER_FLUSH: u8 = 1;
const BREAK_NOW: u8 = 2;

/// The handle by which a request breaks its own connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Switch(Arc<AtomicU8>);

impl Switch {
    /// Breaks the connection once everything written so far is on its way.
    pub(crate) fn break_after_flush(&self) {
        self.0.store(BREAK_AFTER_FLUSH, Ordering::SeqCst);
    }

    /// Breaks the connection before anything more is written.
    pub(crate) fn break_now(&self) {
        self.0.store(BREAK_NOW, Ordering::SeqCst);
    }

    fn is(&self, state: u8) -> bool {
        self.0.load(Ordering::SeqCst) == state
    }
}

/// The listener; its connections can be broken.
#[derive(Debug)]
pub(crate) struct BreakableListener(pub(crate) TcpListener);

impl Listener for BreakableListener {
    type Io = BreakableConnection;
    type Addr = Switch;

    async fn accept(&mut self) -> (BreakableConnection, Switch) {
        loop {
            match self.0.accept().await {
                Ok((stream, _)) => {
                    // Small events have to leave at once; without this they wait for acknowledgements.
                    let _ = stream.set_nodelay(true);
                    let switch = Switch::default();
                    return (BreakableConnection { stream, switch: switch.clone() }, switch);
                }
                Err(_) => tokio::task::yield_now().await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Switch> {
        Ok(Switch::default())
    }
}

impl Connected<IncomingStream<'_, BreakableListener>> for Switch {
    fn connect_info(stream: IncomingStream<'_, BreakableListener>) -> Switch {
        stream.remote_addr().clone()
    }
}

/// One connection.
#[derive(Debug)]
pub(crate) struct BreakableConnection {
    stream: TcpStream,
    switch: Switch,
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionReset, "the script breaks the connection here")
}

impl AsyncRead for BreakableConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for BreakableConnection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        if self.switch.is(BREAK_NOW) {
            return Poll::Ready(Err(broken()));
        }
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Ready(Ok(())) if !self.switch.is(OPEN) => Poll::Ready(Err(broken())),
            other => other,
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
