//! Gives a new text the line ends and the byte order mark of the text it replaces.

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The new text with the line ends and the byte order mark of the old one. A file of mixed line ends is written as given.
pub fn with_line_ends_of(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(new.len());
    if old.starts_with(MARK) && !new.starts_with(MARK) {
        result.extend_from_slice(MARK);
    }
    let ends = old.iter().filter(|byte| **byte == b'\n').count();
    let double = old.windows(2).filter(|pair| pair == b"\r\n").count();
    if ends == 0 || ends != double {
        result.extend_from_slice(new);
        return result;
    }
    let mut previous = 0;
    for byte in new {
        if *byte == b'\n' && previous != b'\r' {
            result.push(b'\r');
        }
        result.push(*byte);
        previous = *byte;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_byte_order_mark_of_the_old_file_stay() {
        let cases: [(&[u8], &[u8], &[u8]); 6] = [
            (b"a\r\nb\r\n", b"x\ny\r\nz", b"x\r\ny\r\nz"),
            (b"a\nb\n", b"x\ny\r\n", b"x\ny\r\n"),
            (b"a\r\nb\n", b"x\n", b"x\n"),
            (b"no end", b"x\n", b"x\n"),
            (b"\xef\xbb\xbfa\n", b"x\n", b"\xef\xbb\xbfx\n"),
            (b"\xef\xbb\xbfa\r\n", b"\xef\xbb\xbfx\n", b"\xef\xbb\xbfx\r\n"),
        ];
        for (old, new, expected) in cases {
            assert_eq!(with_line_ends_of(old, new), expected);
        }
    }
}
