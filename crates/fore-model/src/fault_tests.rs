//! The shapes of refusal of each provider, as their documentation and servers show them.

use super::*;
use FaultKind::*;

fn kind(protocol: Protocol, status: u16, body: &str) -> FaultKind {
    of_response(protocol, status, body.as_bytes()).kind
}

fn overflow(tokens: u64, limit: u64) -> FaultKind {
    ContextOverflow { tokens: Some(tokens), limit: Some(limit) }
}

const UNCOUNTED: FaultKind = ContextOverflow { tokens: None, limit: None };

#[test]
fn every_provider_shape_of_an_overflow_is_one_kind() {
    use Protocol::*;
    let table = [
        (
            AnthropicMessages,
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212345 tokens > 200000 maximum"}}"#,
            overflow(212_345, 200_000),
        ),
        (
            AnthropicMessages,
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            UNCOUNTED,
        ),
        (
            OpenAiResponses,
            400,
            r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#,
            UNCOUNTED,
        ),
        (
            ChatCompletions,
            400,
            r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            overflow(130_001, 128_000),
        ),
        (
            ChatCompletions,
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}"#,
            overflow(9_000, 4_096),
        ),
        (
            ChatCompletions,
            400,
            r#"{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":3051}"#,
            overflow(40_000, 32_768),
        ),
        (
            ChatCompletions,
            400,
            r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}"#,
            overflow(537_812, 131_072),
        ),
        (
            ChatCompletions,
            400,
            r#"{"error":{"message":"Range of input length should be [1, 30720]","type":"invalid_request_error"}}"#,
            UNCOUNTED,
        ),
        (
            Gemini,
            400,
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            overflow(1_200_000, 1_048_576),
        ),
    ];
    for (protocol, status, body, expected) in table {
        assert_eq!(kind(protocol, status, body), expected, "{body}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "one page of cases")]
fn the_other_refusals_are_told_apart() {
    use Protocol::*;
    let table = [
        (
            AnthropicMessages,
            401,
            r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
            Auth,
        ),
        (
            AnthropicMessages,
            404,
            r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-opus-9"}}"#,
            ModelNotFound,
        ),
        (
            AnthropicMessages,
            429,
            r#"{"type":"error","error":{"type":"rate_limit_error","message":"too many input tokens per minute; maximum context length"}}"#,
            RateLimited,
        ),
        (
            AnthropicMessages,
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            Overloaded,
        ),
        (
            AnthropicMessages,
            500,
            r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#,
            Server,
        ),
        (
            OpenAiResponses,
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            QuotaSpent,
        ),
        (
            OpenAiResponses,
            400,
            r#"{"error":{"message":"The requested model 'gpt-9' does not exist.","type":"invalid_request_error","code":"model_not_found"}}"#,
            ModelNotFound,
        ),
        (
            ChatCompletions,
            404,
            r#"{"error":{"message":"model \"llama9\" not found, try pulling it first","type":"api_error"}}"#,
            ModelNotFound,
        ),
        (
            ChatCompletions,
            400,
            r#"{"error":{"message":"Invalid 'tools[0].name'","type":"invalid_request_error"}}"#,
            BadRequest,
        ),
        (ChatCompletions, 502, "<html>bad gateway</html>", Server),
        (
            Gemini,
            400,
            r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
            Auth,
        ),
        (
            Gemini,
            404,
            r#"[{"error":{"code":404,"message":"models/gemini-9 is not found for API version v1beta","status":"NOT_FOUND"}}]"#,
            ModelNotFound,
        ),
        (
            Gemini,
            429,
            r#"{"error":{"code":429,"message":"Resource has been exhausted","status":"RESOURCE_EXHAUSTED"}}"#,
            RateLimited,
        ),
        (
            Gemini,
            503,
            r#"{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}"#,
            Overloaded,
        ),
    ];
    for (protocol, status, body, expected) in table {
        assert_eq!(kind(protocol, status, body), expected, "{body}");
    }
}

#[test]
fn errors_inside_a_stream_are_read_the_same_way() {
    let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(
        in_stream(Protocol::AnthropicMessages, overloaded),
        ServerFault { kind: Overloaded, message: "Overloaded".into() }
    );
    let failed =
        br#"{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"too much"}}}"#;
    assert_eq!(
        in_stream(Protocol::OpenAiResponses, failed),
        ServerFault { kind: UNCOUNTED, message: "too much".into() }
    );
    let flat = br#"{"type":"error","code":"server_error","message":"broke","param":null}"#;
    assert_eq!(in_stream(Protocol::OpenAiResponses, flat), ServerFault { kind: Server, message: "broke".into() });
    let router = br#"{"id":"g","error":{"code":429,"message":"slow"},"choices":[]}"#;
    assert_eq!(in_stream(Protocol::ChatCompletions, router), ServerFault { kind: RateLimited, message: "slow".into() });
}

#[test]
fn a_wait_asked_for_in_the_body_is_read() {
    let body = br#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"27.5s"}]}}"#;
    assert_eq!(retry_delay(body), Some(Duration::from_millis(27_500)));
    assert_eq!(retry_delay(br#"{"error":{"details":[{"retryDelay":"-3s"}]}}"#), None);
    assert_eq!(retry_delay(b"<html>"), None);
}

#[test]
fn a_page_instead_of_an_error_is_quoted_within_bounds() {
    let page = "é".repeat(5_000);
    let fault = of_response(Protocol::ChatCompletions, 500, page.as_bytes());
    assert_eq!(fault.message.len(), MAX_MESSAGE_BYTES + '…'.len_utf8());
}

#[test]
fn an_error_inside_a_stream_that_was_begun_is_read_and_not_printed_raw() {
    let body =
        "data: {\"error\": {\"message\": \"Error processing stream start\", \"code\": \"500\"}}\n\ndata: [DONE]\n\n";
    let fault = of_response(Protocol::OpenAiResponses, 500, body.as_bytes());
    assert_eq!((fault.kind, fault.message.as_str()), (Server, "Error processing stream start"));
}

#[test]
fn a_gateway_names_an_unknown_model_in_the_same_words_over_every_protocol() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"anthropic_messages: Invalid model name passed in model=smal."}}"#;
    for protocol in
        [Protocol::AnthropicMessages, Protocol::OpenAiResponses, Protocol::ChatCompletions, Protocol::Gemini]
    {
        assert_eq!(kind(protocol, 400, body), ModelNotFound, "{protocol:?}");
    }
}

#[test]
fn an_error_without_a_word_says_that_it_gave_no_reason() {
    for body in ["", " \n", r#"{"error":{"message":""}}"#] {
        assert_eq!(of_response(Protocol::ChatCompletions, 400, body.as_bytes()).message, "it gave no reason", "{body}");
    }
}
