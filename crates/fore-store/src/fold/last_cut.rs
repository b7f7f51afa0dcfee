//! Guesses where the last cut is, from the end of the file, so that messages before it are never copied.
//!
//! Only a guess: the fold checks it and reads again without it if the line turns out to be damaged.

use std::{
    fs::File,
    io::{self, BufRead},
    os::unix::fs::FileExt,
};

const BLOCK_BYTES: u64 = 1024 * 1024;
/// The kind stands within this many bytes of the beginning of every line we write.
const HEAD_BYTES: usize = 128;

/// The offset of the last line that looks like a cut. Costs what the conversation after it is long, at the speed of
/// looking for line breaks.
pub(super) fn guess(file: &File) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    let mut end = length;
    let mut buffer = Vec::with_capacity(BLOCK_BYTES as usize + HEAD_BYTES);
    while end > 0 {
        let start = end.saturating_sub(BLOCK_BYTES);
        // A line that begins at the end of the block shows its head behind it.
        let read_end = length.min(end + HEAD_BYTES as u64);
        buffer.resize(usize::try_from(read_end - start).unwrap_or(usize::MAX), 0);
        file.read_exact_at(&mut buffer, start)?;
        if let Some(at) = last_in(&buffer, start == 0, end - start) {
            return Ok(Some(start + at));
        }
        end = start;
    }
    Ok(None)
}

/// The last line of a block that looks like a cut and begins within its first `limit` bytes.
fn last_in(block: &[u8], begins_line: bool, limit: u64) -> Option<u64> {
    let mut rest = block;
    let mut found = None;
    let mut at: u64 = 0;
    if begins_line && looks_like_cut(rest) {
        found = Some(0);
    }
    while let Ok(skipped @ 1..) = rest.skip_until(b'\n') {
        at += skipped as u64;
        // A line that begins right behind the block is seen here and nowhere else.
        if at > limit {
            break;
        }
        if looks_like_cut(rest) {
            found = Some(at);
        }
    }
    found
}

fn looks_like_cut(line: &[u8]) -> bool {
    looks_like(line, b"cut\"")
}

/// Whether a line seems to be of a kind, named with the quote behind it. The first `kind` of a line is its own: what
/// stands before it is fixed.
pub(crate) fn looks_like(line: &[u8], wanted: &[u8]) -> bool {
    const KIND: &[u8] = br#""kind":""#;
    let head = line.get(..HEAD_BYTES).unwrap_or(line);
    let kind = head.windows(KIND.len()).position(|window| window == KIND);
    let rest = kind.and_then(|at| head.get(at + KIND.len()..));
    head.starts_with(b"{\"v\":") && rest.is_some_and(|rest| rest.starts_with(wanted))
}
