//! What reaches a run from outside while it goes on: signals, lines of a host, a reader that has gone. Each has a thread of
//! its own, so that a full pipe or a busy loop cannot keep it from being heard.

use super::ending::RunStop;
use rustix::{
    event::{PollFd, PollFlags, poll},
    io::retry_on_intr,
};
use std::{
    io::{self, BufRead, Read},
    os::fd::AsFd,
};
use tokio::sync::mpsc;

/// The longest line of a host that is read; a longer one is skipped and reported.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// Lines that wait before the host has to.
const MAX_LINES: usize = 64;
/// Stops that wait; more than a few mean the same.
const MAX_STOPS: usize = 8;

/// A line of a host.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HostLine {
    Text(String),
    /// Why a line could not be read.
    Unreadable(String),
}

/// Keeps these signals for whoever waits for them. Every thread that starts later inherits it, so it comes before the first one: a
/// thread without it would be ended by a Ctrl+C, and this program with it.
pub(crate) fn hold_signals() -> libc::sigset_t {
    // SAFETY: a local signal set, filled before it is used; caged processes start with an empty mask.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        set
    }
}

/// Ctrl+C and requests to end. The first one is passed on while somebody listens; the second one ends this program at once, and with
/// it the processes in cages, which die with their parent.
pub(crate) fn stops() -> mpsc::Receiver<RunStop> {
    let (sender, receiver) = mpsc::channel(MAX_STOPS);
    let readers = sender.clone();
    let set = hold_signals();
    std::thread::spawn(move || {
        let mut signal = 0;
        let mut is_first = true;
        // SAFETY: both pointers are to locals that outlive the call.
        while unsafe { libc::sigwait(&raw const set, &raw mut signal) } == 0 {
            let stop = if signal == libc::SIGINT { RunStop::Interrupt } else { RunStop::Terminate };
            if !std::mem::replace(&mut is_first, false) {
                std::process::exit(128 + signal);
            }
            // The run is over, and only its output is still waited for.
            if sender.try_send(stop).is_err() {
                std::process::exit(128 + signal);
            }
        }
    });
    std::thread::spawn(move || {
        if wait_until_nobody_reads(&io::stdout()) {
            let _ = readers.blocking_send(RunStop::NobodyReads);
        }
    });
    receiver
}

/// Returns when the other end of a pipe has been closed; false when there is no such end to wait for.
fn wait_until_nobody_reads(output: &impl AsFd) -> bool {
    // No event is asked for: what is always reported is an end that has gone.
    let mut wanted = [PollFd::new(output, PollFlags::empty())];
    let polled = retry_on_intr(|| poll(&mut wanted, None));
    polled == Ok(1) && wanted.iter().any(|wanted| wanted.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// The lines of standard input, until it ends.
pub(crate) fn host_lines() -> mpsc::Receiver<HostLine> {
    let (sender, receiver) = mpsc::channel(MAX_LINES);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        loop {
            let read = match next_line(&mut input, &mut line) {
                Ok(None) => return,
                Ok(Some(read)) => read,
                Err(error) => {
                    let _ = sender.blocking_send(HostLine::Unreadable(format!("standard input: {error}")));
                    return;
                }
            };
            if read.as_ref().is_some_and(|text| text.trim().is_empty()) {
                continue;
            }
            let too_long =
                || HostLine::Unreadable(format!("a line is longer than {} MiB or is not text", MAX_LINE_BYTES >> 20));
            if sender.blocking_send(read.map_or_else(too_long, HostLine::Text)).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads one line; the inner none is a line that was too long or no text and was skipped, the outer one the end.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Option<String>>> {
    line.clear();
    let read = from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && read as u64 == MAX_LINE_BYTES {
        from.skip_until(b'\n')?;
        return Ok(Some(None));
    }
    Ok(Some(String::from_utf8(std::mem::take(line)).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_one_by_one_and_what_is_no_text_is_skipped() {
        let mut input: &[u8] = b"one\n\xff\nlast";
        let mut line = Vec::new();
        let mut read = || next_line(&mut input, &mut line).unwrap();
        assert_eq!(read(), Some(Some("one\n".into())));
        assert_eq!(read(), Some(None));
        assert_eq!(read(), Some(Some("last".into())));
        assert_eq!(read(), None);
    }

    #[test]
    fn a_closed_reader_is_noticed_and_a_file_has_none() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert!(wait_until_nobody_reads(&writer));
    }
}
