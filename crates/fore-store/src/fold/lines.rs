//! The lines of a file, one at a time in one buffer that never grows beyond the longest allowed line.

use crate::entry::MAX_ENTRY_BYTES;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek},
};

/// How much is asked of the system at once.
const BLOCK_BYTES: usize = 256 * 1024;

#[derive(Debug)]
pub(crate) struct TranscriptLines<'file> {
    reader: BufReader<&'file File>,
    buffer: Vec<u8>,
    offset: u64,
    number: u64,
    started: bool,
}

#[derive(Debug)]
pub(crate) struct RawLine<'buffer> {
    pub offset: u64,
    /// Counts from 1.
    pub number: u64,
    /// With its line break.
    pub length: u64,
    /// It ends in a line break.
    pub is_complete: bool,
    /// Empty when the line is longer than any entry.
    pub bytes: &'buffer [u8],
}

impl<'file> TranscriptLines<'file> {
    pub(crate) fn new(file: &'file File) -> TranscriptLines<'file> {
        let reader = BufReader::with_capacity(BLOCK_BYTES, file);
        TranscriptLines { reader, buffer: Vec::new(), offset: 0, number: 0, started: false }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        if !std::mem::replace(&mut self.started, true) {
            self.reader.rewind()?;
        }
        self.buffer.clear();
        let most = MAX_ENTRY_BYTES as u64;
        let mut length = (&mut self.reader).take(most).read_until(b'\n', &mut self.buffer)? as u64;
        let mut is_complete = self.buffer.last() == Some(&b'\n');
        if length == 0 {
            return Ok(None);
        }
        if !is_complete && length == most {
            self.buffer = Vec::new();
            (length, is_complete) = self.skip_rest(length)?;
        }
        let offset = self.offset;
        self.offset += length;
        self.number += 1;
        Ok(Some(RawLine { offset, number: self.number, length, is_complete, bytes: &self.buffer }))
    }

    fn skip_rest(&mut self, mut length: u64) -> io::Result<(u64, bool)> {
        loop {
            let block = self.reader.fill_buf()?;
            if block.is_empty() {
                return Ok((length, false));
            }
            let mut rest = block;
            let taken = rest.skip_until(b'\n')?;
            let is_complete = taken.checked_sub(1).and_then(|last| block.get(last)) == Some(&b'\n');
            self.reader.consume(taken);
            length += taken as u64;
            if is_complete {
                return Ok((length, true));
            }
        }
    }
}
