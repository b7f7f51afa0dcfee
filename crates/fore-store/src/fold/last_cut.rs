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
const HEAD_BYTES: u64 = 128;

/// The offset of the last line that looks like a cut. Costs what the conversation after it is long, at the speed of
/// looking for line breaks.
pub(super) fn guess(file: &File) -> io::Result<Option<u64>> {
    let length = file.metadata()?.len();
    let mut end = length;
    let mut buffer = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(BLOCK_BYTES);
        // A line that begins at the end of the block shows its head behind it.
        let read_end = length.min(end + HEAD_BYTES);
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
        // The block before this one has no line break at its very end in view, so `limit` itself belongs to us.
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
    const KIND: &[u8] = br#""kind":"cut""#;
    let head = line.get(..HEAD_BYTES as usize).unwrap_or(line);
    let head = head.split(|byte| *byte == b'\n').next().unwrap_or(head);
    head.starts_with(b"{\"v\":") && head.windows(KIND.len()).any(|window| window == KIND)
}
