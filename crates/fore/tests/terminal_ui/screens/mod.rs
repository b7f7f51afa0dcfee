//! What people see, moment by moment, in a wide, a usual and a narrow window: one file in `snapshots/` for each.
//!
//! A screen counts as soon as it is as expected, so nothing waits for longer than it takes. To accept what is drawn now:
//! `INSTA_UPDATE=always INSTA_FORCE_PASS=1 cargo test -p fore --test terminal_ui`; then read what changed as a person would.

mod approving;
mod asking;
mod saying;
mod slash;
mod waiting;
mod working;

use crate::stage::{NARROW, Stage, USUAL, WIDE};
use fore_testkit::terminal::{Terminal, TerminalSize};
use std::{
    path::Path,
    time::{Duration, Instant},
};

/// Every story is told in windows of these sizes.
pub(crate) const SIZES: [TerminalSize; 3] = [WIDE, USUAL, NARROW];
/// How long the program may take to look as expected.
const PATIENCE: Duration = Duration::from_secs(60);
/// Whatever it has shown for so long is taken, when screens are taken as they are.
const STILL: Duration = Duration::from_millis(1_500);
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// Set to take screens as they are.
const UPDATE: &str = "INSTA_UPDATE";

/// What is on the screen once the program has come to rest, under the name of the moment and the width of the window.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a variable says whether screens are taken as they are")]
pub(crate) fn see(stage: &Stage, terminal: &Terminal, moment: &str) {
    let name = format!("{moment}_{}", terminal.screen().size.columns);
    let kept = kept(&name);
    let is_updated = std::env::var_os(UPDATE).is_some_and(|value| value != "no");
    let shown = at_rest(is_updated, || drawn(stage, terminal), |shown| kept.as_ref() == Some(shown));
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

/// What is shown as soon as it is as expected, or when it has been given its time.
pub(crate) fn at_rest(is_updated: bool, show: impl Fn() -> String, is_expected: impl Fn(&String) -> bool) -> String {
    let end = Instant::now() + PATIENCE;
    let (mut shown, mut changed_at) = (show(), Instant::now());
    loop {
        let is_still = is_updated && changed_at.elapsed() > STILL;
        if is_still || (!is_updated && is_expected(&shown)) || Instant::now() > end {
            return shown;
        }
        // The program may be about to draw the rest.
        std::thread::park_timeout(LOOK_AGAIN);
        let now = show();
        if now != shown {
            (shown, changed_at) = (now, Instant::now());
        }
    }
}

/// The screen as it was when it was last looked at by a person.
fn kept(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/terminal_ui/snapshots/{name}.snap"));
    let text = std::fs::read_to_string(path).ok()?;
    let (_, screen) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    Some(screen.trim_end().to_owned())
}

/// What was last written, as many rows as the window has, in a frame as wide as the window. Rows beneath it are empty after
/// something larger was drawn there; how many depends on which pictures there was time for, so they are left out.
fn drawn(stage: &Stage, terminal: &Terminal) -> String {
    let size = terminal.screen().size;
    let text = stage.stable_text(terminal.scrollback_text().trim_end());
    let rows: Vec<&str> = text.lines().collect();
    let first = rows.len().saturating_sub(size.rows.into());
    let columns = usize::from(size.columns);
    let row = |row: &&str| format!("│{:columns$}│\n", without_plan_name(stage, row, columns));
    let rule = "─".repeat(columns);
    format!("┌{rule}┐\n{}└{rule}┘", rows.iter().skip(first).map(row).collect::<String>())
}

/// Names of plans are random and differ in length: where a row has only room for a part of a path, that part goes.
fn without_plan_name(stage: &Stage, row: &str, columns: usize) -> String {
    if row.starts_with("╭─ ") && row.contains(".md •") {
        let facts = row.trim_end_matches([' ', '─']).split(" • ").filter(|fact| !fact.ends_with(".md"));
        let facts = facts.collect::<Vec<_>>().join(" • ");
        let rest = columns.saturating_sub(facts.chars().count() + 1);
        return format!("{facts} {}", "─".repeat(rest));
    }
    if row.starts_with("── Plan ") {
        return format!("{:─<columns$}", "── Plan …/brave-quiet-fox.md ");
    }
    let names = stage.plans();
    let is_cut = |part: &str| part.len() > 1 && names.iter().any(|name| name.starts_with(part));
    let cut = row.split_once("/plans/").and_then(|(front, rest)| Some((front, rest.split_once('…')?)));
    match cut {
        Some((front, (part, rest))) if is_cut(part) => format!("{front}/plans/…{rest}"),
        _ => row.to_owned(),
    }
}
