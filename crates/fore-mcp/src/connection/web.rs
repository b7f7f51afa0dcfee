//! The HTTP client of a connection: answers are bounded, redirections stay with the same server, and hidden failures get a name.

use crate::connection::HttpOptions;
use crate::connection::pipe::MAX_MESSAGE;
use crate::fault::{McpFault, McpFaultKind};
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode, redirect};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};
use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
const SESSION: &str = "mcp-session-id";
/// What is read of an answer that is no success.
const MAX_REFUSAL: usize = 64 << 10;
const CONNECT: Duration = Duration::from_secs(15);
const MAX_REDIRECTS: usize = 5;

type WebError = StreamableHttpError<reqwest::Error>;

/// A client for one connection; a clone is the same.
#[derive(Clone, Debug)]
pub(crate) struct Web {
    pub(crate) http: reqwest::Client,
    /// The server answered a first message as one that has no streamable HTTP.
    not_streamable: Arc<AtomicBool>,
}

/// One process, one provider of cryptography; whoever was first wins.
pub(crate) fn install_tls() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // An error means that the program installed one already, which serves as well.
        let _already_there = rustls::crypto::ring::default_provider().install_default();
    });
}

impl Web {
    pub(crate) fn new(options: &HttpOptions, url: &str) -> Result<Web, McpFault> {
        install_tls();
        // Headers of the person's must not follow to somewhere else, and a POST must stay one.
        let same_server = redirect::Policy::custom(|attempt| {
            let keeps_method =
                matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
            let is_same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
            if keeps_method && is_same && attempt.previous().len() <= MAX_REDIRECTS {
                attempt.follow()
            } else {
                attempt.stop()
            }
        });
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(same_server)
            .no_gzip()
            .tcp_nodelay(true)
            .user_agent(&options.user_agent);
        if crate::config::is_loopback(url) {
            builder = builder.no_proxy();
        } else if let Some(proxy) = &options.proxy {
            let proxy = reqwest::Proxy::all(proxy)
                .map_err(|_| McpFault::new(McpFaultKind::NotConnected, "the proxy's address cannot be used"))?;
            builder = builder.proxy(proxy);
        }
        let http = builder.build().map_err(|error| {
            McpFault::new(
                McpFaultKind::NotConnected,
                format!("the HTTP client could not be started: {}", error.without_url()),
            )
        })?;
        Ok(Web { http, not_streamable: Arc::default() })
    }

    pub(crate) fn is_not_streamable(&self) -> bool {
        self.not_streamable.load(Ordering::Relaxed)
    }

    /// An answer that is no success: what it says, as far as somebody waits for it.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the other requests have no second way")]
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        response: Response,
        has_session: bool,
    ) -> Result<StreamableHttpPostResponse, WebError> {
        let status = response.status();
        let is_json = is(response.headers(), JSON);
        let session = session_of(response.headers());
        let body = body(response, MAX_REFUSAL).await.unwrap_or_default();
        let said = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
        if let ClientJsonRpcMessage::Request(request) = message {
            let is_first = match &request.request {
                ClientRequest::DiscoverRequest(_) => true,
                ClientRequest::InitializeRequest(_) => {
                    let wants_two_channels = matches!(
                        status,
                        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::BAD_REQUEST
                    );
                    self.not_streamable.store(wants_two_channels, Ordering::Relaxed);
                    false
                }
                _ => false,
            };
            // A server of the old era does not know the question, and may not say whose refusal this is.
            if is_first && !has_session && status.is_client_error() {
                let error = match said {
                    Some(ServerJsonRpcMessage::Error(error)) => error.error,
                    Some(_) | None => ErrorData::invalid_request(format!("HTTP {status}"), None),
                };
                let answer = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
                return Ok(StreamableHttpPostResponse::Json(answer, None));
            }
        }
        match said {
            Some(error @ ServerJsonRpcMessage::Error(_)) if is_json => {
                Ok(StreamableHttpPostResponse::Json(error, session))
            }
            Some(_) | None => {
                let text = String::from_utf8_lossy(&body);
                let text = fore_text::cut::ellipsis(&text, 200);
                Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {text}").into()))
            }
        }
    }
}

fn is(headers: &HeaderMap, kind: &str) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(kind.as_bytes()))
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    headers.get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned)
}

/// A server of the old era may answer anything to a question that it does not know: what is no discovery is a no.
async fn first_answer(
    message: &ClientJsonRpcMessage,
    answer: StreamableHttpPostResponse,
) -> Result<StreamableHttpPostResponse, WebError> {
    let ClientJsonRpcMessage::Request(request) = message else { return Ok(answer) };
    if !matches!(request.request, ClientRequest::DiscoverRequest(_)) {
        return Ok(answer);
    }
    let unknown = || {
        let error = ErrorData::invalid_request("its answer to server/discover is none", None);
        ServerJsonRpcMessage::error(error, Some(request.id.clone()))
    };
    if matches!(answer, StreamableHttpPostResponse::Accepted) {
        return Ok(StreamableHttpPostResponse::Json(unknown(), None));
    }
    let (answer, session) = answer.expect_initialized().await?;
    let answer = match answer {
        ServerJsonRpcMessage::Response(response) if !matches!(response.result, ServerResult::DiscoverResult(_)) => {
            unknown()
        }
        other @ (ServerJsonRpcMessage::Request(_)
        | ServerJsonRpcMessage::Response(_)
        | ServerJsonRpcMessage::Notification(_)
        | ServerJsonRpcMessage::Error(_)) => other,
    };
    Ok(StreamableHttpPostResponse::Json(answer, session))
}

/// The whole answer, up to a bound.
async fn body(response: Response, most: usize) -> Result<Vec<u8>, WebError> {
    let mut whole = Vec::new();
    let mut pieces = response.bytes_stream();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(StreamableHttpError::Client)?;
        if whole.len() + piece.len() > most {
            let reason = format!("it answered with more than {} KiB", most >> 10);
            return Err(StreamableHttpError::UnexpectedServerResponse(reason.into()));
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// The login that an answer asks for.
fn wanted_login(response: &Response) -> Option<WebError> {
    let status = response.status();
    if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return None;
    }
    let header =
        response.headers().get(WWW_AUTHENTICATE).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    match (status, header) {
        (StatusCode::UNAUTHORIZED, header) => {
            Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(header.unwrap_or_default())))
        }
        (_, Some(header)) => {
            let scope = header.split("scope=\"").nth(1).and_then(|rest| rest.split('"').next()).map(str::to_owned);
            Some(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header, scope)))
        }
        (_, None) => None,
    }
}

/// Events, each of at most so many bytes.
pub(crate) fn events(response: Response, most: usize) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::from_bytes_stream(bounded(response.bytes_stream(), most)).boxed()
}

fn bounded<B: AsRef<[u8]>>(
    pieces: impl Stream<Item = Result<B, reqwest::Error>> + Send + 'static,
    most: usize,
) -> impl Stream<Item = Result<B, io::Error>> + Send + 'static {
    // Bytes since the last empty line, and whether a line has just ended.
    let (mut size, mut at_line_start) = (0usize, false);
    pieces.map(move |piece| {
        let piece = piece.map_err(io::Error::other)?;
        for byte in piece.as_ref() {
            size += 1;
            match byte {
                b'\n' if at_line_start => size = 0,
                b'\n' => at_line_start = true,
                b'\r' => {}
                _ => at_line_start = false,
            }
        }
        if size > most { Err(io::Error::other(format!("an event of more than {} MiB", most >> 20))) } else { Ok(piece) }
    })
}

pub(crate) fn headers(pairs: &[(String, String)]) -> Result<HashMap<HeaderName, HeaderValue>, McpFault> {
    let wrong = |name: &str| McpFault::new(McpFaultKind::NotConnected, format!("the header {name} cannot be sent"));
    let mut headers = HashMap::new();
    for (name, value) in pairs {
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(name))?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| wrong(name))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, WebError> {
        let mut request = self.http.post(uri.as_ref()).header(ACCEPT, [JSON, EVENTS].join(", "));
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        for (name, value) in custom_headers {
            request = request.header(name, value);
        }
        let has_session = session_id.is_some();
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.json(&message).send().await?;
        if let Some(login) = wanted_login(&response) {
            return Err(login);
        }
        let status = response.status();
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if !status.is_success() {
            return self.refused(&message, response, has_session).await;
        }
        let session = session_of(response.headers());
        let wants_answer = matches!(message, ClientJsonRpcMessage::Request(_));
        if !wants_answer && !is(response.headers(), EVENTS) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return first_answer(&message, StreamableHttpPostResponse::Accepted).await;
        }
        if is(response.headers(), EVENTS) {
            let stream = StreamableHttpPostResponse::Sse(events(response, MAX_MESSAGE), session);
            return first_answer(&message, stream).await;
        }
        if !is(response.headers(), JSON) {
            let kind = response.headers().get(CONTENT_TYPE);
            let kind = kind.map(|kind| String::from_utf8_lossy(kind.as_bytes()).into_owned());
            return Err(StreamableHttpError::UnexpectedContentType(kind));
        }
        let body = body(response, MAX_MESSAGE).await?;
        match serde_json::from_slice(&body) {
            Ok(answer) => first_answer(&message, StreamableHttpPostResponse::Json(answer, session)).await,
            Err(error) => {
                let reason = format!("its answer is not as the protocol says: {error}");
                Err(StreamableHttpError::UnexpectedServerResponse(reason.into()))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), WebError> {
        self.http.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, WebError> {
        let most = MAX_MESSAGE;
        self.http
            .get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth_header, custom_headers, most)
            .await
    }
}
