//! How much memory a turn costs: bytes allocated to encode a request, divided by the bytes that are new in it.
//! The ratio must not grow with the history. It fails loudly if it does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use fore_model::measure::encode;
use fore_model::{
    Arguments, Block, ChosenModel, History, Message, ModelRequest, ProviderSettings, RequestHead, ToolResult,
    ToolSchema, ToolUse, choose, parse_name,
};

struct Counting;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);

fn held() -> u64 {
    ALLOCATED.load(Ordering::Relaxed).saturating_sub(FREED.load(Ordering::Relaxed))
}

// SAFETY: everything is handed on to the system allocator unchanged; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        FREED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size as u64, Ordering::Relaxed);
        FREED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn turn(number: usize) -> [Message; 2] {
    let call = ToolUse {
        id: format!("call_{number}"),
        name: "Read".into(),
        arguments: Arguments::Ok(serde_json::json!({"path": "src/main.rs"})),
        seal: None,
    };
    let result = ToolResult::text(&call, "a line of a file that was read\n".repeat(60));
    [
        Message::assistant(vec![Block::text("I look at the next file."), Block::ToolUse(call)]),
        Message::results(vec![result]),
    ]
}

/// Turns measured at each length: two whole bundles of old messages, so that their joining is spread over them.
const MEASURED: usize = 512;

fn ratio(model: &ChosenModel, turns: usize) -> (u64, f64) {
    let tool = ToolSchema {
        name: "Read".into(),
        description: "Reads.".into(),
        parameters: serde_json::json!({"type": "object"}),
    };
    let head = RequestHead::new("You plan before you act. ".repeat(200), vec![tool]);
    let mut history: History = [Message::user("go")].into_iter().collect();
    for number in 0..turns {
        turn(number).into_iter().for_each(|message| history.push(message));
    }
    let mut before = encode(&ModelRequest::new(head.clone(), history.clone()), model, &mut |piece| {
        black_box(piece);
    });
    let (mut new, mut allocated) = (0, 0);
    for number in 0..MEASURED {
        let messages = turn(turns + number);
        let start = ALLOCATED.load(Ordering::Relaxed);
        messages.into_iter().for_each(|message| history.push(message));
        let now = encode(&ModelRequest::new(head.clone(), history.clone()), model, &mut |piece| {
            black_box(piece);
        });
        allocated += ALLOCATED.load(Ordering::Relaxed) - start;
        new += now - before;
        before = now;
    }
    (before, allocated as f64 / new as f64)
}

/// What a history of about 200,000 tokens keeps in memory once it has been sent, beside the bytes of its texts.
fn long_history(model: &ChosenModel) -> (u64, u64, u64) {
    let before = held();
    let head = RequestHead::new("", vec![]);
    let mut history: History = [Message::user("go")].into_iter().collect();
    let mut number = 0;
    while ModelRequest::new(head.clone(), history.clone()).estimated_tokens().likely() < 200_000 {
        turn(number).into_iter().for_each(|message| history.push(message));
        number += 1;
    }
    let body = encode(&ModelRequest::new(head, history.clone()), model, &mut |piece| {
        black_box(piece);
    });
    (history.len() as u64, body, held() - before)
}

fn main() {
    let names = ["anthropic/m", "openai/m", "deepseek/m", "google/m"];
    let mut grew = false;
    println!("{:<14} {:>8} {:>12} {:>22}", "model", "turns", "body bytes", "allocated / new bytes");
    for name in names {
        let model = parse_name(name).and_then(|name| {
            choose(&name, &ProviderSettings::default(), &|name| name.ends_with("_KEY").then(|| "key".to_owned()))
        });
        let model = match model {
            Ok(model) => model,
            Err(error) => {
                println!("{name}: {error}");
                std::process::exit(1);
            }
        };
        let mut first = None;
        for turns in [100, 1_000, 10_000] {
            let (bytes, ratio) = ratio(&model, turns);
            println!("{name:<14} {turns:>8} {bytes:>12} {ratio:>22.3}");
            grew |= ratio > *first.get_or_insert(ratio) * 1.2;
        }
        let (messages, body, bytes) = long_history(&model);
        println!("{name:<14} 200,000 tokens: {messages} messages, body {body} bytes, held {bytes} bytes");
    }
    if grew {
        println!("the ratio grows with the history");
        std::process::exit(1);
    }
}
