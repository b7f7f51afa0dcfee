//! Lines of the person. It reads only what is there already, so that an editor in between gets its own keys.

use std::io::{self, Read, Stdin};
use tokio::io::{Interest, unix::AsyncFd};

/// The longest line that is taken; what is longer is cut there.
const MAX_BYTES: usize = 1024 * 1024;

/// The lines of standard input.
#[derive(Debug)]
pub(super) struct InputLines {
    input: AsyncFd<Stdin>,
    bytes: Vec<u8>,
}

impl InputLines {
    pub(super) fn new() -> io::Result<InputLines> {
        // SAFETY: standard input stays open, and the same file, as long as the program runs.
        let input = unsafe { AsyncFd::register_with_interest(io::stdin(), Interest::READABLE)? };
        Ok(InputLines { input, bytes: Vec::new() })
    }

    /// The next line; none when there will be no more. Nothing is lost when this is dropped.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.bytes.drain(..=end).collect();
                return Some(text(&line));
            }
            let mut ready = self.input.readable_mut().await.ok()?;
            let mut piece = [0; 4096];
            // It is readable, so this does not wait; the terminal gives a line at a time.
            let count = ready.get_inner_mut().read(&mut piece);
            ready.clear_ready();
            match count {
                Ok(0) | Err(_) => return None,
                Ok(count) => self.bytes.extend_from_slice(piece.get(..count)?),
            }
            if self.bytes.len() > MAX_BYTES {
                return Some(text(&std::mem::take(&mut self.bytes)));
            }
        }
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned()
}
