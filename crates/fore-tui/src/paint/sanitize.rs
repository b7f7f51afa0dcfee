//! Text from outside on its way to the screen: made fit for eyes by `fore-text`, with tabs as wide as we count them.

use std::borrow::Cow;

/// A tab, wherever it stands.
const TAB: &str = "    ";

/// Running text with nothing in it that steers a terminal or hides. Line breaks stay, tabs become spaces.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    without_tabs(fore_text::prose(text))
}

/// Output of a command as plain text, without its colours and cursor moves.
pub(crate) fn sanitize_output(text: &str) -> String {
    without_tabs(fore_text::output(text).into()).into_owned()
}

fn without_tabs(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.contains('\t') { text.replace('\t', TAB).into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_as_wide_as_we_count_them() {
        assert_eq!(sanitize("a\tb\r\nc\rd\u{202e}"), "a    b\nc\\rd\\u{202e}");
        assert_eq!(sanitize_output("\u{1b}[1ma\u{1b}[0m\tb"), "a    b");
    }
}
