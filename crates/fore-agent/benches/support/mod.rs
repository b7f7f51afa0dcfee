//! A session against a server that answers at once and looks at nothing, so that what is measured is the loop's own.
#![allow(dead_code, reason = "each benchmark uses its own part")]

use fore_agent::{Begin, Command, Event, Handle, Launch, ModelHandle, ModelHandles, RemoteModel, SessionSettings};
use fore_model::{Client, ClientLimits, KeySource, Protocol, ProviderSettings, Secret, choose, parse_name};
use fore_plan::{Openings, approval::Reachable};
use fore_store::Home;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// What the server did so far.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// Nanoseconds of the server's own work, from the first byte of a request to the last of its answer.
    pub(crate) busy: AtomicU64,
    /// Nanoseconds of processor time of the server's threads.
    pub(crate) processor: AtomicU64,
    pub(crate) requests: AtomicU64,
    /// Bytes of all bodies.
    pub(crate) bytes: AtomicU64,
}

/// Answers request number `n` with `answers(n)`, without reading what is asked.
pub(crate) fn serve(answers: impl Fn(u64) -> Vec<Value> + Send + 'static) -> (String, Arc<Served>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let served = Arc::new(Served::default());
    let counted = Arc::clone(&served);
    // One connection after the other: the client keeps one alive, and there is one conversation.
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            stream.set_nodelay(true).expect("a socket");
            while let Some(()) = answer(&stream, &counted, &answers) {}
        }
    });
    (url, served)
}

fn answer(stream: &TcpStream, served: &Served, answers: &impl Fn(u64) -> Vec<Value>) -> Option<()> {
    let mut reader = BufReader::with_capacity(1 << 20, stream);
    let (mut length, mut line) = (0_u64, String::new());
    reader.fill_buf().ok().filter(|bytes| !bytes.is_empty())?;
    let (began, before) = (std::time::Instant::now(), thread_time());
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        line.clear();
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).ok()?;
    served.bytes.fetch_add(length, Ordering::SeqCst);
    let number = served.requests.fetch_add(1, Ordering::SeqCst);
    let mut body = String::new();
    for event in answers(number) {
        body.push_str(&format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()));
    }
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n", body.len());
    { stream }.write_all((head + &body).as_bytes()).ok()?;
    served.busy.fetch_add(u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX), Ordering::SeqCst);
    served.processor.fetch_add((thread_time() - before).as_nanos() as u64, Ordering::SeqCst);
    Some(())
}

/// An answer of the Anthropic protocol: these calls, or these words if there are none.
pub(crate) fn said(number: u64, text: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    let message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "content": [], "model": "m",
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 1}});
    let mut events = vec![json!({"type": "message_start", "message": message})];
    let mut block = |index: usize, block: Value, delta: Value| {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": block}));
        events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        events.push(json!({"type": "content_block_stop", "index": index}));
    };
    block(0, json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": text}));
    for (index, (name, input)) in calls.iter().enumerate() {
        let id = format!("toolu_{number}_{index}");
        let start = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        block(index + 1, start, json!({"type": "input_json_delta", "partial_json": input.to_string()}));
    }
    let stop = if calls.is_empty() { "end_turn" } else { "tool_use" };
    let end = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// A project and a home of their own.
#[derive(Debug)]
pub(crate) struct Place {
    _folder: tempfile::TempDir,
    pub(crate) project: PathBuf,
    pub(crate) home: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = tempfile::tempdir().expect("a temp folder");
        let top = folder.path().canonicalize().expect("a temp folder");
        let (project, home) = (top.join("shop"), top.join("home"));
        std::fs::create_dir_all(project.join(".git")).expect("a folder");
        std::fs::create_dir(&home).expect("a folder");
        Place { _folder: folder, project, home }
    }

    /// Writes a file of the project.
    pub(crate) fn file(&self, name: &str, text: &str) {
        std::fs::write(self.project.join(name), text).expect("a file");
    }

    pub(crate) fn launch(&self, protocol: Protocol, url: &str, mode: &str, settings: SessionSettings) -> Launch {
        let model = match protocol {
            Protocol::AnthropicMessages => "anthropic/scripted",
            Protocol::OpenAiResponses | Protocol::ChatCompletions => "openai/scripted",
            Protocol::Gemini => "google/scripted",
        };
        let provider = ProviderSettings {
            base_url: Some(url.to_owned()),
            protocol: Some(protocol),
            key: Some((Secret::new("key"), KeySource::Settings)),
            ..ProviderSettings::default()
        };
        let name = parse_name(model).expect("a name");
        let chosen = choose(&name, &provider, &|_| None).expect("a model");
        let client = Client::new(ClientLimits::default(), None).expect("a client");
        Launch {
            folder: self.project.clone(),
            home: Arc::new(Home::open(&self.home.join(".forethought")).expect("a home")),
            user_home: Some(self.home.clone()),
            begin: Begin::Fresh { mode: mode.parse().expect("a mode") },
            openings: Openings { bypass_permitted: true, ..Openings::TRUSTED },
            reachable: Reachable::Approver,
            via: "benchmark".into(),
            settings,
            unsaved: None,
            settings_reader: None,
            catalogue: &fore_commands::CATALOGUE,
            models: ModelHandles::one(ModelHandle::Remote(Box::new(RemoteModel { client, chosen }))),
        }
    }
}

/// The usual settings of whoever runs this.
pub(crate) fn usual_settings() -> SessionSettings {
    SessionSettings::new(fore_sandbox::CageSettings::new(std::env::home_dir(), |name| std::env::var_os(name)))
}

/// Says something and waits for the end of the turn.
pub(crate) async fn turn(handle: &mut Handle, text: &str) {
    assert!(handle.send(Command::Prompt { text: text.into(), when: Default::default() }).await, "the session goes on");
    loop {
        match handle.next().await.expect("the session goes on") {
            Event::TurnEnded { outcome: fore_agent::TurnOutcome::Done } => return,
            Event::TurnEnded { outcome } => panic!("the turn ended otherwise: {outcome:?}"),
            _ => {}
        }
    }
}

/// Processor time of sending so many bytes and hearing the answer, with nothing but a socket.
pub(crate) fn bare(url: &str, bytes: u64, served: &Served) -> Duration {
    let mut stream = TcpStream::connect(url.trim_start_matches("http://")).expect("the server is there");
    stream.set_nodelay(true).expect("a socket");
    let body = vec![b' '; usize::try_from(bytes).unwrap_or_default()];
    let before = (program_time(), served.processor.load(Ordering::SeqCst), served.requests.load(Ordering::SeqCst));
    write!(stream, "POST / HTTP/1.1\r\ncontent-length: {bytes}\r\n\r\n").expect("it listens");
    stream.write_all(&body).expect("it listens");
    stream.shutdown(std::net::Shutdown::Write).expect("a socket");
    std::io::copy(&mut stream, &mut std::io::sink()).expect("it answers");
    assert!(served.requests.load(Ordering::SeqCst) > before.2, "it was asked");
    let server = Duration::from_nanos(served.processor.load(Ordering::SeqCst) - before.1);
    (program_time() - before.0).saturating_sub(server)
}

/// Processor time of this thread.
pub(crate) fn thread_time() -> Duration {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// Processor time of all threads of this program.
pub(crate) fn program_time() -> Duration {
    clock(libc::CLOCK_PROCESS_CPUTIME_ID)
}

fn clock(which: libc::clockid_t) -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid pointer to a local.
    assert_eq!(unsafe { libc::clock_gettime(which, &raw mut time) }, 0, "every Linux has this clock");
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// One line of a report.
pub(crate) fn verdict(name: &str, measured: f64, unit: &str, target: f64) -> bool {
    let is_met = measured <= target;
    let word = if is_met { "within" } else { "MISSES" };
    println!("{name:<64} {measured:>10.3} {unit:<3} ({word} {target} {unit})");
    is_met
}
