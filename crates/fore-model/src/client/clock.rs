//! Time and chance, handed in so that tests decide both.

use std::fmt;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::time::{Duration, SystemTime};

/// What a sleep is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// To try again after it.
    Retry,
    /// To give up after it, unless something happens before.
    Silence,
}

/// The time, as a client sees it.
pub trait Clock: Send + Sync {
    /// For dates in `retry-after`.
    fn date(&self) -> SystemTime;
    /// Ends after this time.
    fn sleep(&self, duration: Duration, why: Wait) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn date(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration, _why: Wait) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Chance, which spreads retries apart.
pub trait Jitter: Send + Sync {
    /// A number from 0 up to 1.
    fn next(&self) -> f64;
}

/// Spreads clients apart; needs no quality, only difference between processes and calls.
#[derive(Default)]
pub(crate) struct RandomJitter(RandomState, std::sync::atomic::AtomicU64);

impl fmt::Debug for RandomJitter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RandomJitter")
    }
}

impl Jitter for RandomJitter {
    fn next(&self) -> f64 {
        let call = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let bits = self.0.hash_one(call) >> 11;
        bits as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jitter_stays_within_its_range_and_varies() {
        let jitter = RandomJitter::default();
        let numbers: Vec<f64> = (0..100).map(|_| jitter.next()).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!(numbers.windows(2).any(|pair| pair[0] != pair[1]));
    }
}
