//! Which line of a text a byte stands on. Lines count from 1.

/// Where the lines of a text begin.
#[derive(Debug)]
pub(crate) struct SourceLines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> SourceLines<'a> {
    pub(crate) fn of(text: &'a str) -> SourceLines<'a> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        SourceLines { text, starts }
    }

    /// The line that a byte stands on.
    pub(crate) fn line(&self, at: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= at)).unwrap_or(u32::MAX).max(1)
    }

    /// The last line of a stretch; line ends behind it are not counted.
    pub(crate) fn last_line(&self, from: usize, to: usize) -> u32 {
        let inside = self.text.get(from..to).unwrap_or_default().trim_end();
        self.line(from + inside.len().saturating_sub(1)).max(self.line(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_on_the_line_that_holds_it() {
        let lines = SourceLines::of("a\nbc\n\nd");
        let found: Vec<u32> = (0..8).map(|at| lines.line(at)).collect();
        assert_eq!(found, [1, 1, 2, 2, 2, 3, 4, 4]);
        assert_eq!((lines.last_line(0, 5), lines.last_line(0, 6), lines.last_line(5, 6)), (2, 2, 3));
    }
}
