//! Decides whether and when to try again: bounded in count and in time, obeying what the server asks for.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// How often a request is tried, and how long between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Requests in all, the first one included.
    pub attempts: u32,
    /// Waiting in all; a server that asks for more is reported instead.
    pub total: Duration,
    /// Before the second try; it doubles from there.
    pub first_wait: Duration,
    /// No single wait is longer.
    pub longest_wait: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 6,
            total: Duration::from_secs(180),
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_secs(32),
        }
    }
}

/// A request that is tried again after a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryNotice {
    /// Why it has to be, in a few words.
    pub why: String,
    /// How long is waited.
    pub wait: Duration,
    /// The number of the try that comes; the first one is 1.
    pub attempt: u32,
    /// How many there are at most.
    pub attempts: u32,
}

impl Retries {
    /// How long to wait before the next attempt; `None` when there is none. `jitter` is from 0 up to 1.
    pub(crate) fn wait(&self, tried: u32, waited: Duration, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
        if tried >= self.attempts {
            return None;
        }
        let doubled = self.first_wait.saturating_mul(1_u32.checked_shl(tried.saturating_sub(1)).unwrap_or(u32::MAX));
        // Between half and all of it: never at once, never all clients at the same moment.
        let own = doubled.min(self.longest_wait).mul_f64(0.5 + jitter.clamp(0.0, 1.0) / 2.0);
        let wait = asked.map_or(own, |asked| asked.max(own));
        (waited.saturating_add(wait) <= self.total).then_some(wait)
    }
}

/// What the server asks for: seconds or a date; some say milliseconds in a header of their own.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return duration(milliseconds / 1_000.0);
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return duration(seconds);
    }
    let date = jiff::fmt::rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    let now = jiff::Timestamp::try_from(now).ok()?;
    Some(Duration::try_from(date.duration_since(now)).unwrap_or(Duration::ZERO))
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Whether the server itself says that trying again is of no use.
pub(crate) fn is_hopeless(headers: &HeaderMap) -> bool {
    headers.get("x-should-retry").is_some_and(|value| value == "false")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(number: u64) -> Duration {
        Duration::from_secs(number)
    }

    #[test]
    fn waits_double_up_to_a_bound_and_end() {
        let retries = Retries { attempts: 5, total: seconds(100), first_wait: seconds(1), longest_wait: seconds(3) };
        let waits: Vec<_> = (1..=5).map(|tried| retries.wait(tried, Duration::ZERO, None, 1.0)).collect();
        assert_eq!(waits, [Some(seconds(1)), Some(seconds(2)), Some(seconds(3)), Some(seconds(3)), None]);
        assert_eq!(retries.wait(2, Duration::ZERO, None, 0.0), Some(seconds(1)), "jitter halves at most");
    }

    #[test]
    fn the_server_may_ask_for_longer_but_not_beyond_the_total() {
        let retries = Retries { attempts: 5, total: seconds(10), first_wait: seconds(1), longest_wait: seconds(3) };
        assert_eq!(retries.wait(1, Duration::ZERO, Some(seconds(7)), 1.0), Some(seconds(7)));
        assert_eq!(retries.wait(1, Duration::ZERO, Some(Duration::ZERO), 1.0), Some(seconds(1)));
        assert_eq!(retries.wait(1, seconds(4), Some(seconds(7)), 1.0), None);
    }

    #[test]
    fn seconds_dates_and_milliseconds_are_understood() {
        let now = SystemTime::UNIX_EPOCH + seconds(784_111_777); // Sun, 06 Nov 1994 08:49:37 GMT
        let read = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            retry_after(&headers, now)
        };
        assert_eq!(read("retry-after", "3"), Some(seconds(3)));
        assert_eq!(read("retry-after", "0.25"), Some(Duration::from_millis(250)));
        assert_eq!(read("retry-after-ms", "1500"), Some(Duration::from_millis(1_500)));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"), Some(seconds(30)));
        assert_eq!(read("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(read("retry-after", "soon"), None);
        assert_eq!(read("retry-after", "-1"), None);
    }
}
