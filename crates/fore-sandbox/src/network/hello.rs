//! The server's name in the first message of TLS, which must be the host that was approved: otherwise a server for many names
//! would hand the connection to somebody else.

/// What the first bytes of a connection say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Hello {
    /// More bytes are needed.
    Unfinished,
    /// TLS without a name, or SSH.
    Nameless,
    /// Something that may name whom it likes later on, such as HTTP.
    Other,
    Named(String),
    /// TLS, but not as any usual program begins it.
    Unclear,
}

const HANDSHAKE: u8 = 22;
const CLIENT_HELLO: u8 = 1;
const SERVER_NAME: u16 = 0;
const SSH: &[u8] = b"SSH-2.0-";

/// Reads the first record.
pub(super) fn read(bytes: &[u8]) -> Hello {
    match bytes {
        [HANDSHAKE, 3, _, high, low, rest @ ..] => {
            let length = usize::from(u16::from_be_bytes([*high, *low]));
            match rest.get(..length) {
                None => Hello::Unfinished,
                Some(record) => of_record(record).unwrap_or(Hello::Unclear),
            }
        }
        [] | [HANDSHAKE] | [HANDSHAKE, 3, ..] => Hello::Unfinished,
        _ if bytes.starts_with(SSH) => Hello::Nameless,
        _ if SSH.starts_with(bytes) => Hello::Unfinished,
        _ => Hello::Other,
    }
}

fn of_record(record: &[u8]) -> Option<Hello> {
    let mut message = ByteCursor(record);
    if message.number(1)? != usize::from(CLIENT_HELLO) {
        return None;
    }
    let mut hello = ByteCursor(message.counted(3)?);
    // Version and random number, session, ciphers, compressions.
    hello.take(34)?;
    for width in [1, 2, 1] {
        hello.counted(width)?;
    }
    if hello.0.is_empty() {
        return Some(Hello::Nameless);
    }
    let mut extensions = ByteCursor(hello.counted(2)?);
    while !extensions.0.is_empty() {
        let (kind, body) = (extensions.number(2)?, extensions.counted(2)?);
        if kind == usize::from(SERVER_NAME) {
            let mut names = ByteCursor(ByteCursor(body).counted(2)?);
            let (kind, name) = (names.number(1)?, names.counted(2)?);
            let is_one = kind == 0 && names.0.is_empty();
            return is_one.then(|| Some(Hello::Named(std::str::from_utf8(name).ok()?.to_owned())))?;
        }
    }
    Some(Hello::Nameless)
}

/// Bytes that are taken from the front.
struct ByteCursor<'a>(&'a [u8]);

impl<'a> ByteCursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(front)
    }

    fn number(&mut self, width: usize) -> Option<usize> {
        Some(self.take(width)?.iter().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
    }

    /// What a length of this width stands before.
    fn counted(&mut self, width: usize) -> Option<&'a [u8]> {
        let count = self.number(width)?;
        self.take(count)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn counted(width: usize, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32).to_be_bytes();
        [&length[4 - width..], body].concat()
    }

    /// The first message of TLS for a server of this name.
    pub(in super::super) fn hello(name: &str) -> Vec<u8> {
        let names = counted(2, &[&[0u8][..], &counted(2, name.as_bytes())].concat());
        let extensions = [&[0, 10][..], &counted(2, &[0, 0]), &[0, 0], &counted(2, &names)].concat();
        let body =
            [&[3u8; 34][..], &counted(1, &[]), &counted(2, &[19, 1]), &counted(1, &[0]), &counted(2, &extensions)];
        let message = [&[CLIENT_HELLO][..], &counted(3, &body.concat())].concat();
        [&[HANDSHAKE, 3, 1][..], &counted(2, &message)].concat()
    }

    #[test]
    fn the_name_in_the_first_message_is_found() {
        let bytes = hello("docs.rs");
        assert_eq!(read(&bytes), Hello::Named("docs.rs".into()));
        for end in 0..bytes.len() {
            assert_eq!(read(&bytes[..end]), Hello::Unfinished, "{end}");
        }
        assert_eq!(read(b"SSH-2.0-x"), Hello::Nameless);
        assert_eq!(read(b"SSH-"), Hello::Unfinished);
        for other in
            [&b"GET / HTTP/1.1\r\n"[..], b"\r\nGET / HTTP/1.1\r\n", b"PRI * HTTP/2.0", b"SSH-1.99-x", b"\x15\x03"]
        {
            assert_eq!(read(other), Hello::Other);
        }
        // A message that is spread over several records is nothing that a usual program sends.
        assert_eq!(read(&[HANDSHAKE, 3, 1, 0, 2, CLIENT_HELLO, 0]), Hello::Unclear);
        let mut broken = bytes.clone();
        broken[43] = 255;
        assert_eq!(read(&broken), Hello::Unclear);
    }
}
