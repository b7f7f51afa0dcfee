//! The real program: how long it takes to say its version and to answer one prompt, and the most memory that a session of
//! fifty calls has at once.
#![allow(clippy::disallowed_methods, reason = "a benchmark starts the program and lays out its files")]
#![allow(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot set itself up has failed")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

const RUNS: usize = 15;
const CALLS: usize = 50;
const VERSION_TARGET_MS: f64 = 10.0;
const TURN_TARGET_MS: f64 = 60.0;
const MEMORY_TARGET_MB: f64 = 40.0;

fn main() {
    let place = Place::new();
    let version = fastest(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_fore")).arg("--version").output().expect("fore runs");
        assert!(output.status.success(), "{output:?}");
    });
    let mut all_met = verdict("fore --version", version.as_secs_f64() * 1e3, "ms", VERSION_TARGET_MS);
    let answered = serve(0);
    let turn = fastest(|| {
        let output = place.fore(&answered).arg("hi").output().expect("fore runs");
        assert!(output.status.success() && output.stdout == b"Done.\n", "{output:?}");
    });
    all_met &= verdict("a turn without calls, from start to exit", turn.as_secs_f64() * 1e3, "ms", TURN_TARGET_MS);
    let megabytes = memory(&place);
    all_met &= verdict(&format!("most memory of a session of {CALLS} calls"), megabytes, "MB", MEMORY_TARGET_MB);
    std::fs::remove_dir_all(&place.top).expect("the temp folder goes");
    if !all_met {
        std::process::exit(1);
    }
}

fn fastest(mut run: impl FnMut()) -> Duration {
    let time = |_| {
        let began = Instant::now();
        run();
        began.elapsed()
    };
    (0..RUNS).map(time).min().expect("some runs")
}

/// The high-water mark of the program, looked at while its last answer waits to be read.
fn memory(place: &Place) -> f64 {
    let url = serve(CALLS);
    let arguments = ["--output-format", "stream-json", "--input-format", "stream-json"];
    let mut child =
        place.fore(&url).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("fore runs");
    let mut input = child.stdin.take().expect("a pipe");
    writeln!(input, r#"{{"command":"prompt","text":"read it fifty times"}}"#).expect("it listens");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let ended = output.lines().map_while(Result::ok).any(|line| line.starts_with(r#"{"event":"turn-ended""#));
    assert!(ended, "the turn ends");
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it still runs");
    drop(input);
    child.wait().expect("it ends");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    kilobytes * 1024.0 / 1e6
}

/// A project and a home of their own.
struct Place {
    top: PathBuf,
}

impl Place {
    fn new() -> Place {
        let top = std::env::temp_dir().join(format!("fore-start-{}", std::process::id()));
        for name in ["shop", "home"] {
            std::fs::create_dir_all(top.join(name)).expect("a folder");
        }
        std::fs::write(top.join("shop/cart.rs"), "pub fn total() -> u32 { 1 }\n".repeat(1000)).expect("a file");
        Place { top }
    }

    fn fore(&self, url: &str) -> Command {
        let path = |name: &str| Path::new(&self.top).join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_fore"));
        command.args(["--model", "anthropic/scripted", "-p"]).current_dir(path("shop")).stdin(Stdio::null());
        command.env("FORETHOUGHT_HOME", path("home")).env("ANTHROPIC_BASE_URL", url).env("ANTHROPIC_API_KEY", "key");
        command
    }
}

/// A server that has the file read so often in each conversation, and then says that it is done.
fn serve(calls: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // Fifty lines more of the file with every call.
            std::thread::spawn(move || while answer(&stream, calls).is_some() {});
        }
    });
    url
}

fn answer(stream: &TcpStream, calls: usize) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        line.clear();
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body).ok()?;
    let made = body.matches(r#""type":"tool_use""#).count();
    let (block, delta, stop) = if made < calls {
        let input = format!(r#"{{\"file_path\":\"cart.rs\",\"limit\":{}}}"#, 500 + made);
        (
            format!(r#"{{"type":"tool_use","id":"toolu_{made}","name":"Read","input":{{}}}}"#),
            format!(r#"{{"type":"input_json_delta","partial_json":"{input}"}}"#),
            "tool_use",
        )
    } else {
        (r#"{"type":"text","text":""}"#.into(), r#"{"type":"text_delta","text":"Done."}"#.into(), "end_turn")
    };
    let events = [
        r#"{"type":"message_start","message":{"id":"msg","type":"message","role":"assistant","content":[],"model":"m","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#.to_owned(),
        format!(r#"{{"type":"content_block_start","index":0,"content_block":{block}}}"#),
        format!(r#"{{"type":"content_block_delta","index":0,"delta":{delta}}}"#),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}","stop_sequence":null}},"usage":{{"output_tokens":5}}}}"#),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n", body.len());
    { stream }.write_all((head + &body).as_bytes()).ok()
}

/// One line of a report.
fn verdict(name: &str, measured: f64, unit: &str, target: f64) -> bool {
    let is_met = measured <= target;
    let word = if is_met { "within" } else { "MISSES" };
    println!("{name:<48} {measured:>8.1} {unit} ({word} {target} {unit})");
    is_met
}
