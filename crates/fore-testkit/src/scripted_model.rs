//! The scripted model's mind: holds a request against the rules and decides what answers it. No input or output here.

use bytes::Bytes;
use serde_json::Value;

use crate::catalog;
use crate::delivery::{DeliveryStep, steps};
use crate::failure::{self, FailureResponse};
use crate::history;
use crate::issued::Issued;
use crate::learn;
use crate::limits::{MAX_REQUEST_BYTES, MAX_REQUESTS};
use crate::protocol::WireProtocol;
use crate::read::{self, Address, Headers, presented_key};
use crate::received::Received;
use crate::record::RecordedRequest;
use crate::reply::{TurnKey, TurnReply};
use crate::report::{BrokenRules, ServerReport, Violation};
use crate::script::{FailureKind, Fault, ModelScript, ProviderFailure, ScriptedTurn, UnusedTurns};

/// A request before anything is known about it.
#[derive(Debug, Clone)]
pub(crate) struct Incoming {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: Headers,
    /// Nothing if it was too large or never came to its end.
    pub(crate) body: Option<Bytes>,
}

/// What answers a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ServerAnswer {
    /// A whole JSON response.
    Json(FailureResponse),
    /// An event stream for the request with this number.
    Stream { request: usize, steps: Vec<DeliveryStep> },
    /// The connection breaks.
    HangUp,
}

/// Everything that changes while a server runs.
#[derive(Debug)]
pub(crate) struct ScriptedModel {
    script: ModelScript,
    protocols: Vec<WireProtocol>,
    /// The next turn of the main conversation and then of each named one.
    next: Vec<usize>,
    issued: Issued,
    pub(crate) requests: Vec<RecordedRequest>,
    pub(crate) violations: Vec<Violation>,
    /// Requests whose client went away before the answer was complete.
    pub(crate) closed: Vec<usize>,
}

impl ScriptedModel {
    pub(crate) fn new(script: ModelScript, protocols: Vec<WireProtocol>) -> ScriptedModel {
        let next = vec![0; script.conversations.len() + 1];
        ScriptedModel {
            script,
            protocols,
            next,
            issued: Issued::default(),
            requests: Vec::new(),
            violations: Vec::new(),
            closed: Vec::new(),
        }
    }

    pub(crate) fn answer(&mut self, incoming: &Incoming) -> ServerAnswer {
        let request = self.requests.len();
        if request >= MAX_REQUESTS {
            return plain(503, format!("this server answers at most {MAX_REQUESTS} requests"));
        }
        let Incoming { method, path, query, headers, body } = incoming;
        // Looking around is no request to a model.
        if method == "GET" || path.starts_with("/api/") {
            return self.answer_other(request, incoming);
        }
        self.requests.push(RecordedRequest::new(method, path, query, headers, body.clone().unwrap_or_default()));
        let route = route(method, path).filter(|(protocol, _)| self.protocols.contains(protocol));
        match route {
            Some((protocol, model)) => self.answer_protocol(request, protocol, model, incoming),
            None => self.answer_other(request, incoming),
        }
    }

    fn answer_other(&mut self, request: usize, incoming: &Incoming) -> ServerAnswer {
        let is_anthropic = incoming.headers.get("anthropic-version").is_some();
        if incoming.method == "GET" {
            // Clients look around for servers and their features; asking for what is not there is no mistake.
            return match catalog::answer(&incoming.path, is_anthropic, &self.script.models, self.script.window) {
                Some(body) => ServerAnswer::Json(FailureResponse { status: 200, headers: json_header(), body }),
                None => plain(404, format!("nothing at {}", incoming.path)),
            };
        }
        if incoming.path.starts_with("/api/") {
            return plain(404, format!("nothing at {}", incoming.path));
        }
        let mut findings = BrokenRules::default();
        let served = self.protocols.iter().map(|protocol| protocol.path("{model}")).collect::<Vec<_>>().join(", ");
        let found = format!("{} {}", incoming.method, incoming.path);
        findings.add("the path belongs to a protocol", "path", served, found);
        self.note(request, None, None, findings);
        plain(404, format!("nothing at {}", incoming.path))
    }

    fn answer_protocol(
        &mut self,
        request: usize,
        protocol: WireProtocol,
        model: &str,
        incoming: &Incoming,
    ) -> ServerAnswer {
        if let Some(record) = self.requests.get_mut(request) {
            record.protocol = Some(protocol);
        }
        let wrong_key = self
            .script
            .key
            .as_deref()
            .is_some_and(|key| presented_key(protocol, &incoming.headers, &incoming.query) != Some(key));
        if wrong_key {
            return fail(protocol, &ProviderFailure::new(FailureKind::Unauthorized), model);
        }
        let mut findings = BrokenRules::default();
        let Some(bytes) = &incoming.body else {
            let expected = format!("at most {MAX_REQUEST_BYTES} bytes");
            findings.add("requests are complete and bounded", "body", expected, "more, or a part");
            return self.refuse(request, protocol, None, findings);
        };
        let body: Value = match serde_json::from_slice(bytes) {
            Ok(body) => body,
            Err(error) => {
                findings.add("the body is JSON", "$", "JSON", error.to_string());
                return self.refuse(request, protocol, None, findings);
            }
        };
        if let Some(refusal) = self.refuse_as_odd_servers(bytes.len(), &body) {
            return refusal;
        }
        let address = Address { model: model.to_owned(), query: incoming.query.clone() };
        let extra = &self.script.extra_fields;
        let received = read::read(protocol, &address, &incoming.headers, &body, extra, &mut findings);
        if findings.is_empty() && !self.script.models.is_empty() && !self.script.models.contains(&received.model) {
            return fail(protocol, &ProviderFailure::new(FailureKind::ModelNotFound), &received.model);
        }
        if let Some(record) = self.requests.get_mut(request) {
            record.told = received.told();
            record.tools.clone_from(&received.tools);
        }
        history::check(protocol, &received, &self.issued, self.script.history, &mut findings);
        let conversation = self.conversation_of(&received);
        self.take_turn(request, protocol, conversation, &received, &body, findings)
    }

    /// What servers with small windows, and servers that know no extensions, refuse.
    fn refuse_as_odd_servers(&self, bytes: usize, body: &Value) -> Option<ServerAnswer> {
        let refusal = |error: Value| {
            let body = serde_json::json!({ "error": error });
            ServerAnswer::Json(FailureResponse { status: 400, headers: json_header(), body })
        };
        if let Some(field) = self.script.refused_fields.iter().find(|field| body.get(field.as_str()).is_some()) {
            let message = format!("Unrecognized request argument supplied: {field}");
            return Some(refusal(
                serde_json::json!({"message": message, "type": "invalid_request_error", "code": null}),
            ));
        }
        let (window, tokens) = (self.script.window?, bytes as u64 / 3);
        (tokens > window).then(|| {
            refusal(serde_json::json!({
                "code": 400,
                "message": "the request exceeds the available context size, try increasing it",
                "type": "exceed_context_size_error",
                "n_prompt_tokens": tokens,
                "n_ctx": window,
            }))
        })
    }

    fn take_turn(
        &mut self,
        request: usize,
        protocol: WireProtocol,
        conversation: usize,
        received: &Received,
        body: &Value,
        mut findings: BrokenRules,
    ) -> ServerAnswer {
        let name = self.name_of(conversation).to_owned();
        let number = self.next.get(conversation).copied().unwrap_or_default();
        let turns = self.turns_of(conversation);
        let Some(turn) = turns.get(number).cloned() else {
            let expected = format!("no request after {} turns", turns.len());
            findings.add("the script has a turn for every request", &name, expected, "one more request");
            return self.refuse(request, protocol, Some(name), findings);
        };
        if let Some(expect) = &turn.expect {
            expect.hold_against(protocol, received, body, &mut findings);
        }
        if !findings.is_empty() {
            return self.refuse(request, protocol, Some(name), findings);
        }
        if let Some(next) = self.next.get_mut(conversation) {
            *next += 1;
        }
        if let Some(record) = self.requests.get_mut(request) {
            record.conversation = Some(name);
            record.turn = Some(number);
        }
        let turn = learn::fill(turn, &self.script.learn, received);
        self.deliver(request, protocol, TurnKey { conversation, turn: number }, &turn, received)
    }

    fn deliver(
        &mut self,
        request: usize,
        protocol: WireProtocol,
        key: TurnKey,
        turn: &ScriptedTurn,
        received: &Received,
    ) -> ServerAnswer {
        match &turn.fault {
            Some(Fault::Status(failure)) => fail(protocol, failure, &received.model),
            Some(Fault::HangUp) => ServerAnswer::HangUp,
            Some(Fault::Document(body)) => {
                ServerAnswer::Json(FailureResponse { status: 200, headers: json_header(), body: body.clone() })
            }
            Some(Fault::Cut { .. } | Fault::MalformedEvent(_) | Fault::Stall { .. } | Fault::ErrorEvent { .. })
            | None => {
                let reply = TurnReply::new(protocol, key, turn, received);
                self.issued.add(&reply);
                ServerAnswer::Stream { request, steps: steps(&reply) }
            }
        }
    }

    fn refuse(
        &mut self,
        request: usize,
        protocol: WireProtocol,
        conversation: Option<String>,
        findings: BrokenRules,
    ) -> ServerAnswer {
        let from = self.violations.len();
        self.note(request, Some(protocol), conversation, findings);
        let new = self.violations.iter().skip(from);
        let words = new.map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let failure = ProviderFailure { message: Some(words), ..ProviderFailure::new(FailureKind::InvalidRequest) };
        fail(protocol, &failure, "")
    }

    fn note(
        &mut self,
        request: usize,
        protocol: Option<WireProtocol>,
        conversation: Option<String>,
        findings: BrokenRules,
    ) {
        for finding in findings.list {
            self.violations.push(Violation {
                request,
                protocol,
                conversation: conversation.clone(),
                rule: finding.rule,
                place: finding.place,
                expected: finding.expected,
                found: finding.found,
            });
        }
    }

    fn conversation_of(&self, received: &Received) -> usize {
        let first = received.first_user_words();
        let named = |key: &str| received.system.contains(key) || first.contains(key);
        self.script.conversations.iter().position(|other| named(&other.key)).map_or(0, |index| index + 1)
    }

    fn turns_of(&self, conversation: usize) -> &[ScriptedTurn] {
        match conversation.checked_sub(1).and_then(|index| self.script.conversations.get(index)) {
            Some(named) => &named.turns,
            None => &self.script.turns,
        }
    }

    fn name_of(&self, conversation: usize) -> &str {
        let named = conversation.checked_sub(1).and_then(|index| self.script.conversations.get(index));
        named.map_or("main", |named| &named.name)
    }

    /// What is wrong so far, if anything.
    pub(crate) fn report(&self) -> Result<(), ServerReport> {
        let mut unused = Vec::new();
        if self.script.unused_turns == UnusedTurns::Fail {
            for (conversation, next) in self.next.iter().enumerate() {
                let total = self.turns_of(conversation).len();
                let name = self.name_of(conversation);
                unused.extend((*next..total).map(|turn| format!("{name}: turn {turn} of {total}")));
            }
        }
        if self.violations.is_empty() && unused.is_empty() {
            return Ok(());
        }
        Err(ServerReport { violations: self.violations.clone(), unused })
    }
}

/// The protocol and, where the path has it, the model.
fn route<'a>(method: &str, path: &'a str) -> Option<(WireProtocol, &'a str)> {
    if method != "POST" {
        return None;
    }
    match path {
        "/v1/messages" => Some((WireProtocol::Anthropic, "")),
        "/v1/responses" => Some((WireProtocol::Responses, "")),
        "/v1/chat/completions" => Some((WireProtocol::Chat, "")),
        _ => {
            let model = path.strip_prefix("/v1beta/models/")?.strip_suffix(":streamGenerateContent")?;
            Some((WireProtocol::Gemini, model))
        }
    }
}

fn fail(protocol: WireProtocol, failure: &ProviderFailure, model: &str) -> ServerAnswer {
    ServerAnswer::Json(failure::response(protocol, failure, model))
}

fn plain(status: u16, words: String) -> ServerAnswer {
    ServerAnswer::Json(FailureResponse { status, headers: json_header(), body: serde_json::json!({"error": words}) })
}

fn json_header() -> Vec<(&'static str, String)> {
    vec![("content-type", "application/json".to_owned())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::author::text;

    fn incoming(path: &str, body: Option<&str>) -> Incoming {
        Incoming {
            method: "POST".to_owned(),
            path: path.to_owned(),
            query: String::new(),
            headers: Headers(vec![("content-type".to_owned(), "application/json".to_owned())]),
            body: body.map(|body| Bytes::from(body.to_owned())),
        }
    }

    fn stage() -> ScriptedModel {
        ScriptedModel::new(ModelScript::new().turn(text("hi")), WireProtocol::ALL.to_vec())
    }

    #[test]
    fn a_body_that_was_not_read_to_its_end_is_a_violation() {
        let mut stage = stage();
        let ServerAnswer::Json(response) = stage.answer(&incoming("/v1/messages", None)) else { panic!("a stream") };
        assert_eq!(response.status, 400);
        let rules: Vec<&str> = stage.violations.iter().map(|violation| violation.rule).collect();
        assert_eq!(rules, ["requests are complete and bounded"]);
    }

    #[test]
    fn requests_beyond_the_bound_are_neither_kept_nor_answered() {
        let mut stage = stage();
        for _ in 0..=MAX_REQUESTS {
            stage.answer(&incoming("/v1/nothing", Some("{}")));
        }
        assert_eq!(stage.requests.len(), MAX_REQUESTS);
        let ServerAnswer::Json(response) = stage.answer(&incoming("/v1/nothing", Some("{}"))) else {
            panic!("a stream")
        };
        assert_eq!(response.status, 503);
    }

    #[test]
    fn a_refused_request_uses_up_no_turn() {
        let mut stage = stage();
        stage.answer(&incoming("/v1/chat/completions", Some("{}")));
        let body = r#"{"model": "m", "stream": true, "messages": [{"role": "user", "content": "go"}]}"#;
        let answer = stage.answer(&incoming("/v1/chat/completions", Some(body)));
        assert!(matches!(answer, ServerAnswer::Stream { request: 1, .. }), "{answer:?}");
        let turns: Vec<Option<usize>> = stage.requests.iter().map(|request| request.turn).collect();
        assert_eq!(turns, [None, Some(0)]);
    }
}
