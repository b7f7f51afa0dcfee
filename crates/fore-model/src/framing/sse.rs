//! Cuts a byte stream into server-sent events, however the network split it. Bounded; it never interprets the data.

/// One event: its name (empty when the server gave none) and its data lines joined by newlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SseFrame<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) data: &'a [u8],
}

/// A single event grew beyond the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) limit: usize,
}

#[derive(Debug)]
pub(crate) struct SseParser {
    limit: usize,
    /// The start of a line whose end has not arrived.
    partial: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_carriage_return: bool,
    at_start: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl SseParser {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            partial: Vec::new(),
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            after_carriage_return: false,
            at_start: true,
        }
    }

    /// Takes the next bytes and hands every event they complete to `on_frame`.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], on_frame: &mut dyn FnMut(SseFrame<'_>)) -> Result<(), TooLarge> {
        if self.after_carriage_return && !bytes.is_empty() {
            self.after_carriage_return = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            if self.partial.is_empty() {
                self.line(line, on_frame)?;
            } else {
                self.keep(line)?;
                let whole = std::mem::take(&mut self.partial);
                self.line(&whole, on_frame)?;
                self.partial = whole;
                self.partial.clear();
            }
            bytes = match rest {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_carriage_return = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.keep(bytes)
    }

    /// The stream is over: an event whose closing blank line is missing is still handed out.
    /// Whether it is whole is for the decoder to see.
    pub(crate) fn finish(&mut self, on_frame: &mut dyn FnMut(SseFrame<'_>)) -> Result<(), TooLarge> {
        let last = std::mem::take(&mut self.partial);
        self.line(&last, on_frame)?;
        self.dispatch(on_frame);
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        self.within(self.partial.len() + bytes.len())?;
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    fn within(&self, more: usize) -> Result<(), TooLarge> {
        if self.data.len() + more > self.limit { Err(TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    fn line(&mut self, mut line: &[u8], on_frame: &mut dyn FnMut(SseFrame<'_>)) -> Result<(), TooLarge> {
        if self.at_start {
            self.at_start = false;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(on_frame);
            return Ok(());
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match field {
            b"data" => {
                self.within(value.len() + 1)?;
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.within(value.len())?;
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments (an empty field), ids, reconnection times and whatever may come.
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, on_frame: &mut dyn FnMut(SseFrame<'_>)) {
        if self.has_data {
            on_frame(SseFrame { name: &self.name, data: &self.data });
        }
        self.has_data = false;
        self.data.clear();
        self.name.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Pairs = Vec<(String, String)>;

    fn frames(chunks: &[&[u8]]) -> Result<Pairs, TooLarge> {
        let mut parser = SseParser::new(1 << 20);
        let mut found = Pairs::new();
        let mut collect = |frame: SseFrame<'_>| {
            found.push((
                String::from_utf8_lossy(frame.name).into_owned(),
                String::from_utf8_lossy(frame.data).into_owned(),
            ));
        };
        for chunk in chunks {
            parser.feed(chunk, &mut collect)?;
        }
        parser.finish(&mut collect)?;
        Ok(found)
    }

    fn pair(name: &str, data: &str) -> (String, String) {
        (name.into(), data.into())
    }

    #[test]
    fn every_line_ending_comment_and_field_of_the_standard_is_understood() {
        let text = "\u{feff}: hello\nevent: a\ndata: 1\ndata:2\nid: 7\nretry: 3\n\nevent: nothing\n\r\ndata: x\r\n\r\ndata\r\rdata: end";
        assert_eq!(
            frames(&[text.as_bytes()]),
            Ok(vec![pair("a", "1\n2"), pair("", "x"), pair("", ""), pair("", "end")])
        );
    }

    #[test]
    fn an_event_beyond_the_bound_is_an_error() {
        let mut parser = SseParser::new(10);
        assert_eq!(parser.feed(b"data: 12345678901", &mut |_| ()), Err(TooLarge { limit: 10 }));
        let mut lines = SseParser::new(10);
        assert_eq!(lines.feed(b"data: 12345\ndata: 6\ndata: 7\ndata: 8", &mut |_| ()), Err(TooLarge { limit: 10 }));
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_frames(text in "(data: [a-z]{0,4}|event: [a-z]|:|\r\n|\n|\r|é){0,24}", cuts in prop::collection::vec(0usize..100, 0..6)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            chunks.push(&bytes[from..]);
            prop_assert_eq!(frames(&chunks), frames(&[bytes]));
        }
    }
}
