//! Pages that were fetched a moment ago.

use crate::lock::lock;
use std::{
    collections::VecDeque,
    sync::Mutex,
    time::{Duration, Instant},
};

const MAX_PAGES: usize = 20;
const MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// The newest pages, by their address.
#[derive(Debug, Default)]
pub(super) struct PageCache(Mutex<VecDeque<(String, Instant, String)>>);

impl PageCache {
    pub(super) fn get(&self, url: &str, now: Instant) -> Option<String> {
        let mut pages = lock(&self.0);
        pages.retain(|(_, kept, _)| now.saturating_duration_since(*kept) < MAX_AGE);
        pages.iter().find(|(known, ..)| known == url).map(|(_, _, text)| text.clone())
    }

    pub(super) fn keep(&self, url: &str, now: Instant, text: &str) {
        let mut pages = lock(&self.0);
        pages.retain(|(known, ..)| known != url);
        if pages.len() >= MAX_PAGES {
            pages.pop_front();
        }
        pages.push_back((url.to_owned(), now, text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_pages_are_kept_for_fifteen_minutes() {
        let (cache, start) = (PageCache::default(), Instant::now());
        (0..21).for_each(|number| cache.keep(&format!("page {number}"), start, "text"));
        let found = |page: &str, minutes: u64| cache.get(page, start + Duration::from_secs(minutes * 60)).is_some();
        assert_eq!(
            [found("page 0", 0), found("page 1", 14), found("page 20", 14), found("page 20", 15)],
            [false, true, true, false]
        );
    }
}
