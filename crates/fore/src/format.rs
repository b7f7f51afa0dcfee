//! Times and sizes as people read them.

use fore_plan::approval::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// How long ago something was, in its largest unit.
pub(crate) fn ago(then: Timestamp) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    length(now.saturating_sub(then.0) / 1000)
}

fn length(seconds: u64) -> String {
    const UNITS: [(u64, &str); 5] = [(604_800, "weeks"), (86_400, "days"), (3600, "h"), (60, "min"), (1, "s")];
    let found = UNITS.iter().find(|(unit, _)| seconds >= 2 * unit || (*unit == 1));
    let (unit, name) = found.copied().unwrap_or((1, "s"));
    format!("{} {name}", seconds / unit)
}

/// A moment by the world's clock.
pub(crate) fn moment(then: Timestamp) -> String {
    let at = i64::try_from(then.0).ok().and_then(|at| jiff::Timestamp::from_millisecond(at).ok());
    at.map_or_else(|| "an unknown time".into(), |at| at.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

/// A number of bytes.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => format!("{bytes} B"),
        1000..1_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_their_largest_unit() {
        let page =
            [(0, "0 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (172_800, "2 days"), (1_300_000, "2 weeks")];
        assert_eq!(page.map(|(seconds, _)| length(seconds)), page.map(|(_, words)| words.to_owned()));
        assert_eq!(moment(Timestamp(1_700_000_000_000)), "2023-11-14 22:13 UTC");
        assert_eq!([size(12), size(12_345), size(12_345_678)], ["12 B", "12 kB", "12 MB"]);
    }
}
