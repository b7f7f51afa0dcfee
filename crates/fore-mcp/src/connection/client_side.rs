//! What a server may ask of us, and what it says by itself.
#![expect(deprecated, reason = "roots and log lines are of the old era, whose servers are still there")]

use super::ConnectOptions;
use super::handshake::Era;
use crate::content::McpProgress;
use crate::elicitation::{Elicitation, ElicitationAnswer};
use crate::events::{EventSink, McpEvent};
use crate::fault::shown;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestMethod, CreateMessageRequestParams, CreateMessageResult,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationCapability, ErrorData, Implementation,
    ListRootsResult, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ResourceUpdatedNotificationParam, Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc;

/// Questions of one server to the person at the same time.
const MAX_QUESTIONS: usize = 4;

/// Our side of a connection; a clone is the same side.
#[derive(Clone)]
pub(crate) struct ClientSide {
    pub(crate) options: ConnectOptions,
    pub(crate) sink: EventSink,
    era: Option<Era>,
    shared: Arc<SideState>,
}

#[derive(Default)]
struct SideState {
    progress: Mutex<HashMap<ProgressToken, mpsc::Sender<McpProgress>>>,
    /// Questions that the person has before them.
    questions: AtomicUsize,
    /// Grows whenever the server says that its tools changed.
    tools: AtomicU64,
}

/// Counts a question as long as it is open.
struct OpenQuestion(Arc<SideState>);

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.0.questions.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ClientSide {
    pub(crate) fn new(options: ConnectOptions, sink: EventSink) -> ClientSide {
        ClientSide { options, sink, era: None, shared: Arc::default() }
    }

    pub(crate) fn of(&self, era: Era) -> ClientSide {
        ClientSide { era: Some(era), ..self.clone() }
    }

    /// Who we are and what we can do. Roots are only of the old era.
    pub(crate) fn config(&self, era: Option<Era>) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if era != Some(Era::Discovery) {
            capabilities.roots = Some(RootsCapabilities::default());
        }
        if self.options.elicitation.is_some() {
            let both = ElicitationCapability::new().with_form(Default::default()).with_url(Default::default());
            capabilities.elicitation = Some(both);
        }
        let (name, version) = &self.options.client;
        let version_of_protocol = match era {
            Some(Era::Discovery) => ProtocolVersion::LATEST,
            Some(Era::Handshake) | None => ProtocolVersion::LATEST_WITH_INITIALIZE,
        };
        ClientConfig::new(capabilities, Implementation::new(name, version)).with_protocol_version(version_of_protocol)
    }

    pub(crate) fn hears_progress(&self, token: ProgressToken, listener: mpsc::Sender<McpProgress>) {
        self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner).insert(token, listener);
    }

    pub(crate) fn forgets_progress(&self, token: &ProgressToken) {
        self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner).remove(token);
    }

    /// Whether a question of the server is before the person, so that its silence means nothing.
    pub(crate) fn is_asking(&self) -> bool {
        self.shared.questions.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn tools_generation(&self) -> u64 {
        self.shared.tools.load(Ordering::Acquire)
    }

    pub(crate) fn tools_changed(&self) {
        self.shared.tools.fetch_add(1, Ordering::AcqRel);
        self.sink.tell(McpEvent::ToolsChanged);
    }

    fn refuse(&self, what: &str) {
        self.sink.tell(McpEvent::Refused(shown(what)));
    }

    pub(crate) fn roots(&self) -> ListRootsResult {
        let workspace = &self.options.workspace;
        let name = workspace.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        ListRootsResult::new(vec![Root::new(file_address(workspace)).with_name(name)])
    }

    /// Asks the person; a question that cannot be shown, or that nobody is there for, is cancelled.
    pub(crate) async fn elicit(&self, params: ElicitRequestParams) -> ElicitResult {
        let question = match &params {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                let schema = serde_json::to_value(requested_schema).unwrap_or_default();
                Elicitation::form(message, &schema)
            }
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => Elicitation::url(message, url),
            _ => Err("its question is of an unknown kind".to_owned()),
        };
        let question = match question {
            Ok(question) => question,
            Err(reason) => {
                self.refuse(&format!("a question to you was cancelled: {reason}"));
                return ElicitResult::new(ElicitationAction::Cancel);
            }
        };
        let Some(handler) = &self.options.elicitation else { return ElicitResult::new(ElicitationAction::Cancel) };
        if self.shared.questions.fetch_add(1, Ordering::Relaxed) >= MAX_QUESTIONS {
            self.shared.questions.fetch_sub(1, Ordering::Relaxed);
            self.refuse("a question to you was cancelled: too many are open");
            return ElicitResult::new(ElicitationAction::Cancel);
        }
        let open = OpenQuestion(Arc::clone(&self.shared));
        let answer = handler.ask(question.clone()).await;
        drop(open);
        match answer {
            ElicitationAnswer::Accept(values) if question.fits(&values) => {
                let result = ElicitResult::new(ElicitationAction::Accept);
                match question {
                    Elicitation::Form { .. } => result.with_content(Value::Object(values)),
                    Elicitation::Url { .. } => result,
                }
            }
            ElicitationAnswer::Accept(_) => {
                self.refuse("an answer that does not fit the server's form was not sent");
                ElicitResult::new(ElicitationAction::Cancel)
            }
            ElicitationAnswer::Decline => ElicitResult::new(ElicitationAction::Decline),
            ElicitationAnswer::Cancel => ElicitResult::new(ElicitationAction::Cancel),
        }
    }

    pub(crate) fn refuse_model(&self) {
        self.refuse("it asked for your model (sampling), which no server gets");
    }
}

/// A folder as an address: everything but plain characters is written as `%XX`.
fn file_address(folder: &std::path::Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let mut out = String::from("file://");
    for byte in folder.as_os_str().as_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(*byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

impl ClientHandler for ClientSide {
    fn get_info(&self) -> ClientConfig {
        self.config(self.era)
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.refuse_model();
        Err(ErrorData::method_not_found::<CreateMessageRequestMethod>())
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(self.roots())
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        // A server may take its question back.
        tokio::select! {
            answer = self.elicit(request) => Ok(answer),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _context: NotificationContext<RoleClient>) {
        let listeners = self.shared.progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = listeners.get(&params.progress_token) {
            // One notice more or less.
            let _ = listener.try_send(McpProgress::new(params.progress, params.total, params.message.as_deref()));
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(params.level).ok().and_then(|level| level.as_str().map(str::to_owned));
        let text = match &params.data {
            Value::String(text) => shown(text),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                shown(&other.to_string())
            }
        };
        let text = match &params.logger {
            Some(logger) => format!("{}: {text}", shown(fore_text::cut::chars(logger, 64))),
            None => text,
        };
        self.sink.tell(McpEvent::Log { level: level.unwrap_or_default(), text });
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.sink.tell(McpEvent::ResourceUpdated { uri: shown(&params.uri) });
    }

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.sink.tell(McpEvent::ResourcesChanged);
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.tools_changed();
    }

    async fn on_prompt_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.sink.tell(McpEvent::PromptsChanged);
    }
}
