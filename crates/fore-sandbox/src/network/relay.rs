//! Moves bytes between the program in the cage and the server, in both directions at once, and counts them.

use super::MAX_SILENCE;
use super::hello::{self, Hello};
use super::request::{BodyLength, PlainRequest, RequestForm};
use fore_plan::Host;
use std::io::{self, Read, Write};
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const CHUNK: usize = 32 << 10;
/// How often a silent direction looks whether the other one is silent too.
const POLL_INTERVAL: Duration = Duration::from_secs(5);
/// A chunk's length and its extensions, or one trailer.
const MAX_LINE_BYTES: usize = 4 << 10;
const MAX_TRAILERS: usize = 100;

/// What went through.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct RelayTotals {
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) refused: Option<String>,
}

/// When something last moved, in either direction.
struct LastActivity(Mutex<Instant>);

impl LastActivity {
    fn beat(&self) {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Instant::now();
    }

    fn is_dead(&self) -> bool {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).elapsed() > MAX_SILENCE
    }
}

/// One direction of a connection, with what was read already.
struct RelayInput<'a> {
    stream: &'a mut TcpStream,
    before: &'a [u8],
    last_activity: &'a LastActivity,
}

impl Read for RelayInput<'_> {
    /// Ends when both directions are silent for too long.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.before.is_empty() {
            return self.before.read(buffer);
        }
        loop {
            match self.stream.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                    if self.last_activity.is_dead() {
                        return Ok(0);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => {
                    self.last_activity.beat();
                    return other;
                }
            }
        }
    }
}

/// TLS or SSH in both directions, after a look at the name that TLS begins with. Whatever else there is could name other hosts inside.
pub(super) fn tunnel(
    client: &mut TcpStream,
    server: &mut TcpStream,
    rest: &[u8],
    host: &Host,
) -> io::Result<RelayTotals> {
    both(client, server, rest, &|source, server| tunnel_out(source, server, host))
}

/// One request and its answer.
pub(super) fn one_request(
    client: &mut TcpStream,
    server: &mut TcpStream,
    rest: &[u8],
    plain: &PlainRequest,
    form: &RequestForm,
) -> io::Result<RelayTotals> {
    let head = plain.head(form);
    server.write_all(head.as_bytes())?;
    let mut moved = both(client, server, rest, &|source, server| (body(source, server, plain.body), None))?;
    moved.sent += head.len() as u64;
    Ok(moved)
}

type RelayedBytes = (u64, Option<String>);

/// Sends with `out` and receives at the same time; the end of the answer ends it all.
fn both(
    client: &mut TcpStream,
    server: &mut TcpStream,
    rest: &[u8],
    out: &(dyn Fn(&mut RelayInput<'_>, &mut TcpStream) -> RelayedBytes + Sync),
) -> io::Result<RelayTotals> {
    let pulse = LastActivity(Mutex::new(Instant::now()));
    for end in [&*client, &*server] {
        end.set_read_timeout(Some(POLL_INTERVAL))?;
        end.set_write_timeout(Some(MAX_SILENCE))?;
    }
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    let pulse = &pulse;
    std::thread::scope(|scope| {
        let sending = std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, move || {
            let mut source = RelayInput { stream: &mut from_client, before: rest, last_activity: pulse };
            out(&mut source, &mut to_server)
        })?;
        let received = copy(&mut RelayInput { stream: server, before: &[], last_activity: pulse }, client, u64::MAX);
        // Whatever is still being sent has no reader any more.
        let _ = client.shutdown(Shutdown::Both);
        let _ = server.shutdown(Shutdown::Both);
        let (sent, refused) = sending.join().unwrap_or_default();
        Ok(RelayTotals { sent, received, refused })
    })
}

/// Copies at most so many bytes; gives how many there were.
fn copy(from: &mut impl Read, to: &mut impl Write, most: u64) -> u64 {
    let mut buffer = vec![0; CHUNK];
    let mut copied = 0;
    while copied < most {
        let room = usize::try_from(most - copied).unwrap_or(CHUNK).min(CHUNK);
        let Ok(count) = from.read(buffer.get_mut(..room).unwrap_or_default()) else { break };
        if count == 0 || to.write_all(buffer.get(..count).unwrap_or_default()).is_err() {
            break;
        }
        copied += count as u64;
    }
    copied
}

fn tunnel_out(source: &mut RelayInput<'_>, server: &mut TcpStream, host: &Host) -> RelayedBytes {
    let mut first = Vec::new();
    let mut buffer = vec![0; CHUNK];
    let said = loop {
        match source.read(&mut buffer) {
            Ok(0) | Err(_) => break Hello::Nameless,
            Ok(count) => first.extend_from_slice(buffer.get(..count).unwrap_or_default()),
        }
        let said = hello::read(&first);
        if !matches!(said, Hello::Unfinished) {
            break said;
        }
    };
    let refused = match said {
        Hello::Named(name) if !is_same(host, &name) => {
            Some(format!("was asked, by TLS, to be {name}, which it is not"))
        }
        Hello::Unclear => Some("was greeted in a way that hides whom it is for".into()),
        Hello::Other => Some(
            "was sent something other than TLS or SSH through a tunnel; plain HTTP goes to the proxy itself".into(),
        ),
        Hello::Named(_) | Hello::Nameless | Hello::Unfinished => None,
    };
    if refused.is_some() || server.write_all(&first).is_err() {
        let _ = server.shutdown(Shutdown::Both);
        return (0, refused);
    }
    let sent = first.len() as u64 + copy(source, server, u64::MAX);
    // The program may have said all it wanted and still wait for the answer.
    let _ = server.shutdown(Shutdown::Write);
    (sent, None)
}

/// An address has no name that could differ.
fn is_same(host: &Host, name: &str) -> bool {
    host.name().parse::<IpAddr>().is_ok() || Host::plain_name(name).as_deref() == Some(host.name())
}

/// Exactly the body that the head announced: what follows it would be another request.
fn body(source: &mut RelayInput<'_>, server: &mut TcpStream, body: BodyLength) -> u64 {
    match body {
        BodyLength::None => 0,
        BodyLength::Length(length) => copy(source, server, length),
        BodyLength::Chunked => {
            let mut sent = 0;
            while let Some((size, line)) = chunk_size(source) {
                if server.write_all(&line).is_err() {
                    break;
                }
                sent += line.len() as u64;
                if size == 0 {
                    return sent + trailers(source, server);
                }
                // The chunk, and the line break after it.
                let copied = copy(source, server, size.saturating_add(2));
                sent += copied;
                if copied != size.saturating_add(2) {
                    break;
                }
            }
            sent
        }
    }
}

fn chunk_size(source: &mut impl Read) -> Option<(u64, Vec<u8>)> {
    let line = line(source)?;
    let text = std::str::from_utf8(&line).ok()?;
    let digits = text.split(';').next()?.trim_end_matches([' ', '\t', '\r', '\n']);
    let is_number = !digits.is_empty() && digits.len() <= 15 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let size = u64::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
    // Without extensions, which some servers read and some do not.
    Some((size, format!("{size:x}\r\n").into_bytes()))
}

/// Reads what may follow the last chunk and leaves it out.
fn trailers(source: &mut impl Read, server: &mut TcpStream) -> u64 {
    for _ in 0..MAX_TRAILERS {
        match line(source) {
            Some(line) if line == b"\r\n" => {
                return if server.write_all(b"\r\n").is_ok() { 2 } else { 0 };
            }
            Some(_) => {}
            None => break,
        }
    }
    0
}

fn line(source: &mut impl Read) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\r\n") {
        if line.len() >= MAX_LINE_BYTES || source.read(&mut byte).ok()? == 0 {
            return None;
        }
        line.extend_from_slice(&byte);
    }
    Some(line)
}
