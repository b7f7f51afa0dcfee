//! What the loop itself costs: time per call beside the tool and the server, and a late turn against an early one.
#![expect(clippy::disallowed_methods, reason = "a benchmark lays out its own files")]
#![expect(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot set itself up has failed")]

mod support;

use fore_agent::SessionSettings;
use fore_model::Protocol;
use serde_json::{Value, json};
use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};
use support::{Place, Served, bare, program_time, said, serve, turn, verdict};

const CALLS: u64 = 300;
const ROUNDS: usize = 5;
const CALL_TARGET_MS: f64 = 1.0;

/// Turns that are measured around the 10th and the 1,000th; the median counts.
const MEASURED: u64 = 9;
const EARLY: u64 = 10;
const LATE: u64 = 1_000;
const LATE_TARGET: f64 = 1.2;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut all_met = true;
    for (name, together) in [("a Read in every answer", 1), ("ten Reads in every answer", 10)] {
        all_met &= runtime.block_on(per_call(name, together));
    }
    all_met &= runtime.block_on(late_turns());
    if !all_met {
        std::process::exit(1);
    }
}

/// A session of many reads, minus the reads themselves and the server. The fastest of some rounds counts.
async fn per_call(name: &str, together: u64) -> bool {
    let (mut best, mut best_processor) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        let place = Place::new();
        place.file("cart.rs", &"pub fn total() -> u32 { 1 }\n".repeat(40));
        let read = ("Read", json!({"file_path": "cart.rs"}));
        let answers = CALLS / together;
        let (url, served) = serve(move |number| {
            let calls: Vec<(&str, Value)> = vec![read.clone(); usize::try_from(together).unwrap_or(1)];
            if number < answers { said(number, "Next.", &calls) } else { said(number, "Done.", &[]) }
        });
        let settings = SessionSettings { max_rounds: 10_000, compact_at_percent: 0, ..support::usual_settings() };
        let launch = place.launch(Protocol::AnthropicMessages, &url, "default", settings);
        let mut handle = fore_agent::start(launch).await.expect("a session");
        let (began, before) = (Instant::now(), program_time());
        turn(&mut handle, "read it").await;
        let (wall, processor) = (began.elapsed(), program_time() - before);
        let server = Duration::from_nanos(served.busy.load(Ordering::SeqCst));
        let server_processor = Duration::from_nanos(served.processor.load(Ordering::SeqCst));
        let reads = reads(&place);
        let each = |time: Duration| time.as_secs_f64() * 1e3 / CALLS as f64;
        best = best.min(each(wall.saturating_sub(server).saturating_sub(reads)));
        best_processor = best_processor.min(each(processor.saturating_sub(server_processor).saturating_sub(reads)));
        drop(handle);
    }
    println!("{name}: {best_processor:.3} ms of processor time per call");
    verdict(&format!("{name}: time per call beside tool and server"), best, "ms", CALL_TARGET_MS)
}

/// The same bytes read as often, as the tool does it: opened, read and numbered.
fn reads(place: &Place) -> Duration {
    let began = Instant::now();
    for _ in 0..CALLS {
        let text = std::fs::read_to_string(place.project.join("cart.rs")).expect("a file");
        let numbered: String =
            text.lines().enumerate().map(|(number, line)| format!("{number:>6}\t{line}\n")).collect();
        std::hint::black_box(numbered);
    }
    began.elapsed()
}

/// A long session of short turns with one call each: processor time of our side for a turn, early and late.
async fn late_turns() -> bool {
    let place = Place::new();
    place.file("cart.rs", "pub fn total() -> u32 { 1 }\n");
    let read = ("Read", json!({"file_path": "cart.rs"}));
    let (url, served) = serve(move |number| match number % 2 {
        0 => said(number, "I look.", std::slice::from_ref(&read)),
        _ => said(number, "It is one.", &[]),
    });
    let settings = SessionSettings { compact_at_percent: 0, ..support::usual_settings() };
    let launch = place.launch(Protocol::AnthropicMessages, &url, "default", settings);
    let mut handle = fore_agent::start(launch).await.expect("a session");
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for number in 1..=LATE + MEASURED / 2 {
        let before = (program_time(), served.processor.load(Ordering::SeqCst), served.bytes.load(Ordering::SeqCst));
        turn(&mut handle, "what is the total?").await;
        let server = Duration::from_nanos(served.processor.load(Ordering::SeqCst) - before.1);
        let ours = (program_time() - before.0).saturating_sub(server);
        let bytes = served.bytes.load(Ordering::SeqCst) - before.2;
        if number.abs_diff(EARLY) <= MEASURED / 2 {
            early.push((ours, bytes));
        } else if number.abs_diff(LATE) <= MEASURED / 2 {
            late.push((ours, bytes));
        }
    }
    drop(handle);
    // The session lets go of its connection, and the server takes the next one.
    tokio::task::yield_now().await;
    let (early, late) = (Cost::of(early, &url, &served), Cost::of(late, &url, &served));
    println!("turn {EARLY}: {early}\nturn {LATE}: {late}");
    let ratio = |one: Duration, other: Duration| one.as_secs_f64() / other.as_secs_f64();
    println!("turn 1,000 against turn 10, the way over the wire included: {:.2} ×", ratio(late.whole, early.whole));
    verdict("turn 1,000 against turn 10, beside the wire", ratio(late.beside(), early.beside()), "×", LATE_TARGET)
}

/// Processor time of a turn of ours, and of sending as many bytes with nothing but a socket.
struct Cost {
    whole: Duration,
    wire: Duration,
    bytes: u64,
}

impl Cost {
    fn of(turns: Vec<(Duration, u64)>, url: &str, served: &Served) -> Cost {
        let bytes = turns.iter().map(|(_, bytes)| *bytes).max().unwrap_or_default();
        let whole = median(turns.into_iter().map(|(time, _)| time).collect());
        // A turn has two requests.
        let wire = median((0..MEASURED).map(|_| bare(url, bytes / 2, served) * 2).collect());
        Cost { whole, wire, bytes }
    }

    fn beside(&self) -> Duration {
        self.whole.saturating_sub(self.wire)
    }
}

impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, wire) = (self.whole, self.wire);
        write!(
            f,
            "{whole:.1?} of processor time for {} bytes sent; a bare socket takes {wire:.1?} for them",
            self.bytes
        )
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().expect("something was measured")
}
