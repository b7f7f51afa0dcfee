//! What happens, told to an open tab as it happens: one line of JSON for each message.

use super::{page_error::PageError, request_check::Opened};
use crate::site::{SiteState, TabMessage};
use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use futures_util::stream;
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// Tabs that listen at once.
const MAX_TABS: usize = 16;
/// So often an empty line is sent, so that a tab that has gone is noticed.
const BEAT: Duration = Duration::from_secs(15);

/// Tabs that listen to any page of this program.
static OPEN_TABS: AtomicUsize = AtomicUsize::new(0);

/// Counts one tab as long as it lives.
struct CountedTab;

impl CountedTab {
    fn new() -> Option<CountedTab> {
        let counted =
            OPEN_TABS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |open| (open < MAX_TABS).then_some(open + 1));
        counted.ok().map(|_| CountedTab)
    }
}

impl Drop for CountedTab {
    fn drop(&mut self) {
        OPEN_TABS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The stream of one tab. Who may only read hears that the program is there, and nothing else.
pub(super) fn open(site: &Arc<SiteState>, opened: Opened) -> Result<Response, PageError> {
    let full = || PageError::new(StatusCode::TOO_MANY_REQUESTS, "Too many tabs are open.");
    let tab = CountedTab::new().ok_or_else(full)?;
    let messages = match opened {
        Opened::Review => Some(site.listen()),
        Opened::Library => None,
    };
    let lines = stream::unfold((messages, tab), |(mut messages, tab)| async move {
        let line = next_line(messages.as_mut()).await?;
        Some((Ok::<Bytes, Infallible>(Bytes::from(line)), (messages, tab)))
    });
    let mut response = Response::new(Body::from_stream(lines));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

async fn next_line(messages: Option<&mut Receiver<TabMessage>>) -> Option<String> {
    let Some(messages) = messages else {
        tokio::time::sleep(BEAT).await;
        return Some("\n".to_owned());
    };
    match tokio::time::timeout(BEAT, messages.recv()).await {
        Err(_) => Some("\n".to_owned()),
        Ok(Ok(message)) => serde_json::to_string(&message).ok().map(|line| line + "\n"),
        Ok(Err(RecvError::Lagged(_))) => Some("{\"kind\":\"behind\"}\n".to_owned()),
        Ok(Err(RecvError::Closed)) => None,
    }
}
