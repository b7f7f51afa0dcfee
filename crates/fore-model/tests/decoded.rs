//! Recorded shapes of each protocol, written from its public documentation, and the events they are decoded into.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use fore_model::measure::Decoding;
use fore_model::{EventKind, Protocol};
use proptest::prelude::*;

const FIXTURES: &[(&str, Protocol, &[u8])] = &[
    ("anthropic-everything", Protocol::AnthropicMessages, include_bytes!("fixtures/anthropic-everything.sse")),
    ("anthropic-error", Protocol::AnthropicMessages, include_bytes!("fixtures/anthropic-error.sse")),
    ("responses-everything", Protocol::OpenAiResponses, include_bytes!("fixtures/responses-everything.sse")),
    ("responses-refusal", Protocol::OpenAiResponses, include_bytes!("fixtures/responses-refusal.sse")),
    ("responses-incomplete", Protocol::OpenAiResponses, include_bytes!("fixtures/responses-incomplete.sse")),
    ("responses-failed", Protocol::OpenAiResponses, include_bytes!("fixtures/responses-failed.sse")),
    ("responses-error", Protocol::OpenAiResponses, include_bytes!("fixtures/responses-error.sse")),
    ("chat-everything", Protocol::ChatCompletions, include_bytes!("fixtures/chat-everything.sse")),
    ("chat-refusal", Protocol::ChatCompletions, include_bytes!("fixtures/chat-refusal.sse")),
    ("chat-openrouter", Protocol::ChatCompletions, include_bytes!("fixtures/chat-openrouter.sse")),
    ("chat-mistral", Protocol::ChatCompletions, include_bytes!("fixtures/chat-mistral.sse")),
    ("chat-careless", Protocol::ChatCompletions, include_bytes!("fixtures/chat-careless.sse")),
    ("chat-error", Protocol::ChatCompletions, include_bytes!("fixtures/chat-error.sse")),
    ("gemini-everything", Protocol::Gemini, include_bytes!("fixtures/gemini-everything.sse")),
    ("gemini-signed-text", Protocol::Gemini, include_bytes!("fixtures/gemini-signed-text.sse")),
    ("gemini-blocked", Protocol::Gemini, include_bytes!("fixtures/gemini-blocked.sse")),
    ("gemini-malformed-call", Protocol::Gemini, include_bytes!("fixtures/gemini-malformed-call.sse")),
    ("gemini-error", Protocol::Gemini, include_bytes!("fixtures/gemini-error.sse")),
];

/// Every event, one a line, and how it ended. After a fault nothing more is read, as the client does.
fn page<'a>(protocol: Protocol, chunks: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut decoding = Decoding::new(protocol, "model");
    let mut lines = Vec::new();
    for chunk in chunks {
        let mut events: Vec<EventKind> = Vec::new();
        let fault = decoding.feed(chunk, &mut events).err();
        lines.extend(events.iter().map(|event| format!("{event:?}")));
        if let Some(fault) = fault {
            lines.push(format!("fault: {fault}"));
            return lines.join("\n");
        }
    }
    let (events, whole) = decoding.end();
    lines.extend(events.iter().map(|event| format!("{event:?}")));
    lines.push(if whole { "whole".into() } else { "cut".into() });
    lines.join("\n")
}

#[test]
fn every_documented_event_is_decoded_or_skipped() {
    for (name, protocol, bytes) in FIXTURES {
        insta::assert_snapshot!(*name, page(*protocol, [*bytes]));
    }
}

#[test]
fn a_stream_cut_anywhere_is_never_whole_before_its_last_event_and_never_a_fault() {
    for (name, protocol, bytes) in FIXTURES.iter().filter(|(name, ..)| name.ends_with("everything")) {
        // The last event that matters begins within these last bytes.
        let end = match protocol {
            Protocol::ChatCompletions => {
                bytes.windows(13).position(|at| at == b"finish_reason").map(|_| find_last(bytes, b"\"tool_calls\"}]"))
            }
            Protocol::AnthropicMessages => Some(find_last(bytes, b"message_stop")),
            Protocol::OpenAiResponses => Some(find_last(bytes, b"response.completed")),
            Protocol::Gemini => Some(find_last(bytes, b"STOP")),
        };
        for cut in 0..end.unwrap() {
            let page = page(*protocol, [&bytes[..cut]]);
            assert!(page.ends_with("cut"), "{name} cut at {cut}: {page}");
        }
    }
}

fn find_last(bytes: &[u8], needle: &[u8]) -> usize {
    bytes.windows(needle.len()).rposition(|at| at == needle).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_split_of_the_bytes_gives_the_same_events(which in 0..FIXTURES.len(), cuts in prop::collection::vec(0.0..1.0f64, 0..12)) {
        let (_, protocol, bytes) = FIXTURES[which];
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| (cut * bytes.len() as f64) as usize).collect();
        cuts.sort_unstable();
        let mut from = 0;
        let mut chunks = Vec::new();
        for cut in cuts.into_iter().chain([bytes.len()]) {
            chunks.push(&bytes[from..cut]);
            from = cut;
        }
        prop_assert_eq!(page(protocol, chunks), page(protocol, [bytes]));
    }

    #[test]
    fn no_bytes_make_a_decoder_panic(which in 0..FIXTURES.len(), at in 0.0..1.0f64, put in prop::collection::vec(any::<u8>(), 0..8)) {
        let (_, protocol, bytes) = FIXTURES[which];
        let at = (at * bytes.len() as f64) as usize;
        let mut broken = bytes[..at].to_vec();
        broken.extend(put);
        broken.extend(&bytes[at..]);
        let _page = page(protocol, [broken.as_slice()]);
    }
}

#[test]
fn one_byte_at_a_time_gives_the_same_events() {
    for (name, protocol, bytes) in FIXTURES {
        assert_eq!(page(*protocol, bytes.chunks(1)), page(*protocol, [*bytes]), "{name}");
    }
}
