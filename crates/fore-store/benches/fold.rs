//! Folding and resuming a long transcript, beside parsing the same lines and doing nothing with them.
//!
//! `cargo bench -p fore-store --bench fold` prints both times, their ratio (the target is 1.3 at most) and how much
//! memory folding takes at its peak with few and many entries that the model no longer sees.
#![expect(clippy::disallowed_methods, reason = "writes the transcripts that are measured")]
#![expect(clippy::unwrap_used, reason = "a benchmark that fails shall stop")]

use fore_plan::{Change, Level, Openings, SessionRole, plan::Author, reminder::Notice};
use fore_store::{
    Entry, Home, PlanFolder, Session, SessionFolders, SessionId, SessionStart,
    entry::{Cut, Speaker, StoredMessage},
    session::{path_of, random_slugs, resume},
};
use serde::de::IgnoredAny;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    fs::File,
    hint::black_box,
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

const ENTRIES: usize = 100_000;
const ROUNDS: usize = 7;

/// Counts what is allocated, so that the peak can be told.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator unchanged; the counters are beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise about the layout is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the pointer came from `alloc` above with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let temporary = tempfile::tempdir().unwrap();
    let project = temporary.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let home = Arc::new(Home::open(&temporary.path().join("home")).unwrap());
    let plans = PlanFolder::resolve(&home, &project, None);
    let places = SessionFolders { home, plans };

    for (name, visible) in [("the model sees the last 2,000 entries", 2_000), ("the model sees all of them", ENTRIES)] {
        let (id, path) = transcript(&places, &project, ENTRIES - visible, visible);
        let megabytes = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
        println!("{ENTRIES} entries, {megabytes:.0} MB, {name}:");
        let mut times: [Vec<Duration>; 4] = Default::default();
        for _ in 0..ROUNDS {
            times[0].push(timed(|| parse::<IgnoredAny>(&path)));
            times[1].push(timed(|| parse::<serde_json::Value>(&path)));
            times[2].push(timed(|| drop(black_box(Session::read(&places.home, id).unwrap()))));
            times[3].push(timed(|| drop(black_box(resume(&places, id).unwrap()))));
        }
        let [skim, parse, fold, resume] = times.map(median);
        println!("  parse, keep nothing   {:>7.1} ms", milliseconds(skim));
        println!("  parse into values     {:>7.1} ms", milliseconds(parse));
        println!(
            "  fold                  {:>7.1} ms   ratio {:.2} ({:.2} to values)",
            milliseconds(fold),
            ratio(fold, skim),
            ratio(fold, parse)
        );
        println!(
            "  resume                {:>7.1} ms   ratio {:.2} ({:.2} to values)",
            milliseconds(resume),
            ratio(resume, skim),
            ratio(resume, parse)
        );
    }

    println!("memory at its peak while folding, with 1,000 entries that the model sees:");
    for hidden in [0, 1_000, 10_000, ENTRIES] {
        let (id, _) = transcript(&places, &project, hidden, 1_000);
        let before = NOW.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        drop(black_box(Session::read(&places.home, id).unwrap()));
        let peak = PEAK.load(Ordering::Relaxed) - before;
        println!("  {hidden:>7} entries it no longer sees  {:>7.2} MB", peak as f64 / 1e6);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(time: Duration, of: Duration) -> f64 {
    time.as_secs_f64() / of.as_secs_f64()
}

/// The baseline: the same lines, parsed one by one, nothing kept.
fn parse<T: for<'line> serde::Deserialize<'line>>(path: &Path) {
    let mut reader = BufReader::with_capacity(256 * 1024, File::open(path).unwrap());
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        black_box(serde_json::from_slice::<T>(&line).unwrap());
        line.clear();
    }
}

/// A session whose history has this many entries before its last cut and this many after it.
fn transcript(places: &SessionFolders, project: &Path, hidden: usize, visible: usize) -> (SessionId, PathBuf) {
    let start =
        SessionStart { level: Level::Default, planning: true, openings: Openings::TRUSTED, role: SessionRole::Main };
    let mut session = Session::create(places, project, start).unwrap();
    session.name_plan(random_slugs()).unwrap();
    session.save_plan(Author::Model, &"- a step of the plan\n".repeat(100)).unwrap();
    let id = session.id();
    let path = path_of(&places.home, id);
    drop(session);
    let mut out = BufWriter::new(File::options().append(true).open(&path).unwrap());
    let mut line = Vec::new();
    for number in 0..hidden {
        entry(number).write_line(&mut line).unwrap();
        out.write_all(&line).unwrap();
    }
    if hidden > 0 {
        Entry::now(Cut::Compacted { summary: "what went before".into() }).write_line(&mut line).unwrap();
        out.write_all(&line).unwrap();
    }
    for number in 0..visible {
        entry(number).write_line(&mut line).unwrap();
        out.write_all(&line).unwrap();
    }
    out.flush().unwrap();
    (id, path)
}

/// Prompts, answers, tool results and the changes between them, about 1 KB each on average.
fn entry(number: usize) -> Entry {
    let text = |bytes: usize| "let answer = \"forty-two\";\n\tcall(it, \u{e9});\n".repeat(bytes / 40);
    let block = |speaker, bytes| Entry::now(StoredMessage::text(speaker, &text(bytes)).unwrap());
    match number % 10 {
        0 => Entry::now(Change::HumanTurn),
        1 => block(Speaker::Human, 200),
        2 => Entry::now(Change::Told { notices: vec![Notice::PlanSparse] }),
        3 | 5 | 7 => block(Speaker::Model, 600),
        _ => block(Speaker::Tool, 1_700),
    }
}
