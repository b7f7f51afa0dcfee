//! Errors in each provider's own shape and words, as responses and as events inside a stream.

use serde_json::{Value, json};

use crate::protocol::WireProtocol;
use crate::reply::{Repeat, ServerSentEvent};
use crate::script::{FailureKind, ProviderFailure, RetryAfter};

/// An error response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FailureResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Value,
}

/// The response for this failure; the model goes into the words.
pub(crate) fn response(protocol: WireProtocol, failure: &ProviderFailure, model: &str) -> FailureResponse {
    let row = row(protocol, failure.kind);
    let message = failure.message.clone().unwrap_or_else(|| words(protocol, failure, model));
    let status = failure.code.unwrap_or(row.status);
    let mut headers = vec![("content-type", "application/json".to_owned())];
    match protocol {
        WireProtocol::Anthropic => headers.push(("request-id", "req_scripted".to_owned())),
        WireProtocol::Responses | WireProtocol::Chat => headers.push(("x-request-id", "req_scripted".to_owned())),
        WireProtocol::Gemini => {}
    }
    if let Some(retry_after) = &failure.retry_after {
        headers.push(("retry-after", retry_after.header()));
    }
    FailureResponse { status, headers, body: body(protocol, failure, &row, status, &message) }
}

/// The event for this failure after so many others.
pub(crate) fn event(protocol: WireProtocol, failure: &ProviderFailure, model: &str, number: usize) -> ServerSentEvent {
    let body = response(protocol, failure, model).body;
    match protocol {
        WireProtocol::Anthropic => ServerSentEvent::named(body, Repeat::Harmless),
        WireProtocol::Responses => {
            let error = body.get("error").cloned().unwrap_or_default();
            ServerSentEvent::named(responses_event(failure.kind, &error, model, number), Repeat::Harmless)
        }
        WireProtocol::Chat | WireProtocol::Gemini => ServerSentEvent::plain(body, Repeat::Harmless),
    }
}

/// What the provider finds out about the request fails the response; its own trouble is an error beside it.
fn responses_event(kind: FailureKind, error: &Value, model: &str, number: usize) -> Value {
    let field = |name: &str| error.get(name).cloned().unwrap_or_default();
    match kind {
        FailureKind::InvalidRequest | FailureKind::Overflow | FailureKind::RateLimit => json!({
            "type": "response.failed",
            "sequence_number": number,
            "response": {
                "id": "resp_failed",
                "object": "response",
                "created_at": 1_700_000_000,
                "status": "failed",
                "error": {"code": field("code"), "message": field("message")},
                "incomplete_details": null,
                "model": model,
                "output": [],
                "usage": null,
            },
        }),
        FailureKind::Unauthorized
        | FailureKind::Forbidden
        | FailureKind::ModelNotFound
        | FailureKind::Timeout
        | FailureKind::ServerError
        | FailureKind::Overloaded => json!({
            "type": "error",
            "code": field("code"),
            "message": field("message"),
            "param": field("param"),
            "sequence_number": number,
        }),
    }
}

struct FailureRow {
    status: u16,
    /// Anthropic: `error.type`; OpenAI: `error.type`; Gemini: `error.status`.
    label: &'static str,
    /// OpenAI: `error.code`.
    code: Option<&'static str>,
}

fn row(protocol: WireProtocol, kind: FailureKind) -> FailureRow {
    match protocol {
        WireProtocol::Anthropic => anthropic_row(kind),
        WireProtocol::Responses | WireProtocol::Chat => openai_row(kind),
        WireProtocol::Gemini => gemini_row(kind),
    }
}

fn anthropic_row(kind: FailureKind) -> FailureRow {
    let (status, label) = match kind {
        FailureKind::InvalidRequest | FailureKind::Overflow => (400, "invalid_request_error"),
        FailureKind::Unauthorized => (401, "authentication_error"),
        FailureKind::Forbidden => (403, "permission_error"),
        FailureKind::ModelNotFound => (404, "not_found_error"),
        FailureKind::Timeout => (504, "timeout_error"),
        FailureKind::RateLimit => (429, "rate_limit_error"),
        FailureKind::ServerError => (500, "api_error"),
        FailureKind::Overloaded => (529, "overloaded_error"),
    };
    FailureRow { status, label, code: None }
}

fn openai_row(kind: FailureKind) -> FailureRow {
    let (status, label, code) = match kind {
        FailureKind::InvalidRequest => (400, "invalid_request_error", None),
        FailureKind::Overflow => (400, "invalid_request_error", Some("context_length_exceeded")),
        FailureKind::Unauthorized => (401, "invalid_request_error", Some("invalid_api_key")),
        FailureKind::Forbidden => (403, "invalid_request_error", Some("unsupported_country_region_territory")),
        FailureKind::ModelNotFound => (404, "invalid_request_error", Some("model_not_found")),
        FailureKind::Timeout => (408, "server_error", Some("timeout")),
        FailureKind::RateLimit => (429, "tokens", Some("rate_limit_exceeded")),
        FailureKind::ServerError => (500, "server_error", None),
        FailureKind::Overloaded => (503, "service_unavailable_error", Some("server_is_overloaded")),
    };
    FailureRow { status, label, code }
}

fn gemini_row(kind: FailureKind) -> FailureRow {
    let (status, label) = match kind {
        FailureKind::InvalidRequest | FailureKind::Overflow | FailureKind::Unauthorized => (400, "INVALID_ARGUMENT"),
        FailureKind::Forbidden => (403, "PERMISSION_DENIED"),
        FailureKind::ModelNotFound => (404, "NOT_FOUND"),
        FailureKind::Timeout => (504, "DEADLINE_EXCEEDED"),
        FailureKind::RateLimit => (429, "RESOURCE_EXHAUSTED"),
        FailureKind::ServerError => (500, "INTERNAL"),
        FailureKind::Overloaded => (503, "UNAVAILABLE"),
    };
    FailureRow { status, label, code: None }
}

fn body(protocol: WireProtocol, failure: &ProviderFailure, row: &FailureRow, status: u16, message: &str) -> Value {
    match protocol {
        WireProtocol::Anthropic => json!({
            "type": "error",
            "error": {"type": row.label, "message": message},
            "request_id": "req_scripted",
        }),
        WireProtocol::Responses | WireProtocol::Chat => {
            let param = match (failure.kind, protocol) {
                (FailureKind::Overflow, WireProtocol::Chat) => json!("messages"),
                (FailureKind::Overflow, _) => json!("input"),
                _ => Value::Null,
            };
            json!({"error": {"message": message, "type": row.label, "param": param, "code": row.code}})
        }
        WireProtocol::Gemini => {
            let mut error = json!({"code": status, "message": message, "status": row.label});
            let details = gemini_details(failure);
            if let (false, Some(object)) = (details.is_empty(), error.as_object_mut()) {
                object.insert("details".to_owned(), Value::Array(details));
            }
            json!({"error": error})
        }
    }
}

fn gemini_details(failure: &ProviderFailure) -> Vec<Value> {
    let mut details = Vec::new();
    if failure.kind == FailureKind::Unauthorized {
        details.push(json!({
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "API_KEY_INVALID",
            "domain": "googleapis.com",
            "metadata": {"service": "generativelanguage.googleapis.com"},
        }));
    }
    if let Some(RetryAfter::Seconds(seconds)) = failure.retry_after {
        let delay = format!("{seconds}s");
        details.push(json!({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}));
    }
    details
}

fn words(protocol: WireProtocol, failure: &ProviderFailure, model: &str) -> String {
    match protocol {
        WireProtocol::Anthropic => anthropic_words(failure.kind, model),
        WireProtocol::Responses => openai_words(failure, model).unwrap_or_else(|| {
            "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned()
        }),
        WireProtocol::Chat => openai_words(failure, model).unwrap_or_else(|| {
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens. \
             Please reduce the length of the messages."
                .to_owned()
        }),
        WireProtocol::Gemini => gemini_words(failure.kind, model),
    }
}

fn anthropic_words(kind: FailureKind, model: &str) -> String {
    match kind {
        FailureKind::InvalidRequest => "messages: invalid request".to_owned(),
        FailureKind::Overflow => "prompt is too long: 200001 tokens > 200000 maximum".to_owned(),
        FailureKind::Unauthorized => "invalid x-api-key".to_owned(),
        FailureKind::Forbidden => "Your API key does not have permission to use the specified resource.".to_owned(),
        FailureKind::ModelNotFound => format!("model: {model}"),
        FailureKind::Timeout => "Request timed out".to_owned(),
        FailureKind::RateLimit => "This request would exceed your organization's rate limit.".to_owned(),
        FailureKind::ServerError => "Internal server error".to_owned(),
        FailureKind::Overloaded => "Overloaded".to_owned(),
    }
}

/// The words that both OpenAI protocols share; nothing for overflow, where they differ.
fn openai_words(failure: &ProviderFailure, model: &str) -> Option<String> {
    let words = match failure.kind {
        FailureKind::Overflow => return None,
        FailureKind::InvalidRequest => "Invalid request.".to_owned(),
        FailureKind::Unauthorized => "Incorrect API key provided.".to_owned(),
        FailureKind::Forbidden => "Country, region, or territory not supported".to_owned(),
        FailureKind::ModelNotFound => {
            format!("The model `{model}` does not exist or you do not have access to it.")
        }
        FailureKind::Timeout => "Request timed out.".to_owned(),
        FailureKind::RateLimit => match failure.retry_after {
            Some(RetryAfter::Seconds(seconds)) => {
                format!("Rate limit reached for {model} on tokens per min. Please try again in {seconds}s.")
            }
            Some(RetryAfter::Date(_)) | None => format!("Rate limit reached for {model} on tokens per min."),
        },
        FailureKind::ServerError => "The server had an error while processing your request.".to_owned(),
        FailureKind::Overloaded => "The engine is currently overloaded, please try again later.".to_owned(),
    };
    Some(words)
}

fn gemini_words(kind: FailureKind, model: &str) -> String {
    match kind {
        FailureKind::InvalidRequest => "Request contains an invalid argument.".to_owned(),
        FailureKind::Overflow => {
            "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).".to_owned()
        }
        FailureKind::Unauthorized => "API key not valid. Please pass a valid API key.".to_owned(),
        FailureKind::Forbidden => "The caller does not have permission".to_owned(),
        FailureKind::ModelNotFound => format!(
            "models/{model} is not found for API version v1beta, or is not supported for generateContent. \
             Call ListModels to see the list of available models and their supported methods."
        ),
        FailureKind::Timeout => "Deadline expired before operation could complete.".to_owned(),
        FailureKind::RateLimit => {
            "You exceeded your current quota, please check your plan and billing details.".to_owned()
        }
        FailureKind::ServerError => "An internal error has occurred.".to_owned(),
        FailureKind::Overloaded => "The model is overloaded. Please try again later.".to_owned(),
    }
}
