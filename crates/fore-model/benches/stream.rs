//! What an event costs beside the network: bytes to events, and the way from the first byte to the first event.

use divan::Bencher;
use divan::counter::ItemsCount;
use fore_model::Protocol;
use fore_model::measure::Decoding;

fn main() {
    divan::main();
}

const PROTOCOLS: [Protocol; 4] = Protocol::ALL;
const DELTAS: usize = 1_000;

fn opening(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::AnthropicMessages => concat!(
            "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",",
            "\"content\":[],\"model\":\"m\",\"stop_reason\":null,\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n",
            "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        ),
        Protocol::OpenAiResponses => concat!(
            "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"model\":\"m\"}}\n\n",
            "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,",
            "\"item\":{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n",
        ),
        Protocol::ChatCompletions | Protocol::Gemini => "",
    }
}

fn delta(protocol: Protocol, number: usize) -> String {
    match protocol {
        Protocol::AnthropicMessages => "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
             \"delta\":{\"type\":\"text_delta\",\"text\":\" some words\"}}\n\n"
            .to_owned(),
        Protocol::OpenAiResponses => format!(
            "event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"sequence_number\":{},\
             \"item_id\":\"msg_67c9fdcecf488190\",\"output_index\":0,\"content_index\":0,\"delta\":\" some words\",\"logprobs\":[]}}\n\n",
            number + 2
        ),
        Protocol::ChatCompletions => "data: {\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":\"chat.completion.chunk\",\
             \"created\":1741569952,\"model\":\"gpt-5-mini\",\"system_fingerprint\":\"fp_44709d6fcb\",\"choices\":[{\"index\":0,\
             \"delta\":{\"content\":\" some words\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n"
            .to_owned(),
        Protocol::Gemini => "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" some words\"}],\"role\":\"model\"},\"index\":0}],\
             \"usageMetadata\":{\"promptTokenCount\":9,\"totalTokenCount\":12},\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n"
            .to_owned(),
    }
}

#[divan::bench(args = PROTOCOLS)]
fn a_thousand_text_events(bencher: Bencher<'_, '_>, protocol: Protocol) {
    let mut bytes = opening(protocol).to_owned();
    for number in 0..DELTAS {
        bytes.push_str(&delta(protocol, number));
    }
    // Pieces as a TLS record would bring them.
    let chunks: Vec<Vec<u8>> = bytes.as_bytes().chunks(1_400).map(<[u8]>::to_vec).collect();
    bencher.counter(ItemsCount::new(DELTAS)).bench_local(|| {
        let mut decoding = Decoding::new(protocol, "m");
        let mut events = Vec::with_capacity(16);
        let mut seen = 0;
        for chunk in &chunks {
            if decoding.feed(chunk, &mut events).is_err() {
                return 0;
            }
            seen += events.drain(..).count();
        }
        assert!(seen >= DELTAS);
        seen
    });
}

#[divan::bench(args = PROTOCOLS)]
fn from_the_first_byte_to_the_first_event(bencher: Bencher<'_, '_>, protocol: Protocol) {
    let first = format!("{}{}", opening(protocol), delta(protocol, 0)).into_bytes();
    bencher.bench_local(|| {
        let mut decoding = Decoding::new(protocol, "m");
        let mut events = Vec::new();
        let fed = decoding.feed(&first, &mut events);
        assert!(fed.is_ok() && !events.is_empty());
        events
    });
}
