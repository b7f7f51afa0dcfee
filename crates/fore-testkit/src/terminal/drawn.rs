//! Signs that are drawn instead of written: lines around things, which have to meet, and signs that some fonts lack or show
//! as little coloured pictures.

/// A sign as a path in a cell of 8.43 × 20.
pub(super) struct DrawnSign {
    pub(super) path: &'static str,
    pub(super) paint: Paint,
}

#[derive(Clone, Copy)]
pub(super) enum Paint {
    Line,
    Area,
}

pub(super) fn sign(text: &str) -> Option<DrawnSign> {
    lines(text)
        .map(|path| DrawnSign { path, paint: Paint::Line })
        .or_else(|| areas(text).map(|path| DrawnSign { path, paint: Paint::Area }))
}

fn lines(text: &str) -> Option<&'static str> {
    Some(match text {
        "─" => "M0 10H8.43",
        "│" => "M4.2 0V20",
        "╭" => "M4.2 20V15Q4.2 10 8.43 10",
        "╮" => "M4.2 20V15Q4.2 10 0 10",
        "╰" => "M4.2 0V5Q4.2 10 8.43 10",
        "╯" => "M4.2 0V5Q4.2 10 0 10",
        "┌" => "M4.2 20V10H8.43",
        "┐" => "M4.2 20V10H0",
        "└" => "M4.2 0V10H8.43",
        "┘" => "M4.2 0V10H0",
        "├" => "M4.2 0V20M4.2 10H8.43",
        "┤" => "M4.2 0V20M4.2 10H0",
        "┬" => "M0 10H8.43M4.2 10V20",
        "┴" => "M0 10H8.43M4.2 10V0",
        "┼" => "M0 10H8.43M4.2 0V20",
        _ => return None,
    })
}

fn areas(text: &str) -> Option<&'static str> {
    Some(match text {
        "━" => "M0 9H8.43V11H0Z",
        "▌" => "M0 0H4.2V20H0Z",
        "█" => "M0 0H8.43V20H0Z",
        "⏸" => "M1 5.5H3.2V14.5H1ZM5.2 5.5H7.4V14.5H5.2Z",
        "⏵" => "M1.2 5.5L7.4 10L1.2 14.5Z",
        "⏺" => "M4.2 6.4A3.6 3.6 0 1 0 4.21 6.4Z",
        _ => return None,
    })
}
