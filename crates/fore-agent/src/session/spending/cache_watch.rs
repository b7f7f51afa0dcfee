//! Notices that a server read anew what it should have had in its prompt cache, and why. Looks at what was sent and counted; it changes
//! nothing.

use fore_model::{ModelName, ModelRequest, RequestHead, Usage};
use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

/// A shorter beginning is not worth a word; some servers keep none.
const MIN_TOKENS: u64 = 4_096;
/// How long servers keep a beginning that nobody asks for.
const KEPT: Duration = Duration::from_secs(5 * 60);

/// The cache of one conversation, as its answers show it.
#[derive(Debug, Default)]
pub(crate) struct CacheWatch {
    last: Option<SentBefore>,
    /// The server has said once that it keeps what it reads.
    keeps: bool,
    told: BTreeSet<MissCause>,
}

#[derive(Debug)]
struct SentBefore {
    model: ModelName,
    head: Arc<RequestHead>,
    messages: usize,
    tokens: u64,
    answered: Instant,
}

/// Why the cache was missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MissCause {
    Model,
    Tools,
    SystemText,
    Cut,
    TimeOut,
    Unknown,
}

/// What was read anew.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CacheMiss {
    pub(super) tokens: u64,
    /// For the person; none where this cause was told before.
    pub(super) told: Option<String>,
}

impl CacheWatch {
    /// An answer has come to this request.
    pub(super) fn answered(
        &mut self,
        model: &ModelName,
        request: &ModelRequest,
        usage: &Usage,
        now: Instant,
    ) -> Option<CacheMiss> {
        let sent = SentBefore {
            model: model.clone(),
            head: Arc::clone(&request.head),
            messages: request.history.len(),
            tokens: usage.input,
            answered: now,
        };
        let before = self.last.replace(sent);
        let kept = self.keeps;
        self.keeps |= usage.cached_read > 0 || usage.cached_write > 0;
        let before = before.filter(|before| kept && before.tokens >= MIN_TOKENS)?;
        if usage.cached_read.saturating_mul(2) >= before.tokens {
            return None;
        }
        let cause = before.cause(model, request, now);
        let tokens = before.tokens.min(usage.input).saturating_sub(usage.cached_read);
        (tokens > 0).then(|| CacheMiss { tokens, told: self.told.insert(cause).then(|| cause.words(tokens)) })
    }
}

impl SentBefore {
    fn cause(&self, model: &ModelName, request: &ModelRequest, now: Instant) -> MissCause {
        if self.model != *model {
            MissCause::Model
        } else if self.head.tools() != request.head.tools() {
            MissCause::Tools
        } else if self.head.system() != request.head.system() {
            MissCause::SystemText
        } else if request.history.len() < self.messages {
            MissCause::Cut
        } else if now.saturating_duration_since(self.answered) >= KEPT {
            MissCause::TimeOut
        } else {
            MissCause::Unknown
        }
    }
}

impl MissCause {
    fn words(self, tokens: u64) -> String {
        let why = match self {
            MissCause::Model => "because another model answers now",
            MissCause::Tools => "because the list of tools changed",
            MissCause::SystemText => "because the instructions before the conversation changed",
            MissCause::Cut => "because the conversation was cut",
            MissCause::TimeOut => "because nothing was asked for more than five minutes",
            MissCause::Unknown => "although nothing changed here; the server no longer had it",
        };
        let tokens = crate::document::grouped(tokens);
        format!("The prompt cache was missed: {tokens} tokens were read anew, {why}. /cost counts such answers.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_model::{History, Message, ToolSchema};
    use serde_json::json;

    fn request(system: &str, tools: &[&str], messages: usize) -> ModelRequest {
        let schema = |name: &&str| ToolSchema {
            name: (*name).to_owned(),
            description: String::new(),
            parameters: json!({"type": "object"}),
        };
        let head = RequestHead::new(system, tools.iter().map(schema).collect());
        let history: History = (0..messages).map(|number| Message::user(number.to_string())).collect();
        ModelRequest::new(head, history)
    }

    fn usage(input: u64, cached_read: u64, cached_write: u64) -> Usage {
        Usage { input, output: 10, cached_read, cached_write, reasoning: 0 }
    }

    #[test]
    fn each_cause_is_told_once_and_every_miss_is_counted() {
        let (one, two) = (ModelName::new("a", "one"), ModelName::new("a", "two"));
        let (start, mut watch) = (Instant::now(), CacheWatch::default());
        let mut story = Vec::new();
        let mut step = |model: &ModelName, request: &ModelRequest, usage: Usage, seconds: u64| {
            let missed = watch.answered(model, request, &usage, start + Duration::from_secs(seconds));
            story.push(missed.map(|miss| (miss.tokens, miss.told.unwrap_or_default())));
        };
        let plain = |messages| request("s", &["Read"], messages);
        step(&one, &plain(1), usage(8_000, 0, 8_000), 0);
        step(&one, &plain(3), usage(9_000, 8_000, 1_000), 10);
        step(&two, &plain(5), usage(9_500, 0, 9_500), 20);
        step(&one, &plain(7), usage(9_800, 0, 9_800), 30);
        step(&one, &request("s", &["Read", "Edit"], 9), usage(9_900, 100, 9_800), 40);
        step(&one, &request("t", &["Read", "Edit"], 11), usage(9_900, 0, 9_900), 50);
        step(&one, &request("t", &["Read", "Edit"], 3), usage(5_000, 2_000, 3_000), 60);
        step(&one, &request("t", &["Read", "Edit"], 5), usage(6_000, 0, 6_000), 360);
        step(&one, &request("t", &["Read", "Edit"], 7), usage(7_000, 0, 7_000), 370);
        let words = |tokens: &str, why: &str| {
            format!("The prompt cache was missed: {tokens} tokens were read anew, {why}. /cost counts such answers.")
        };
        assert_eq!(
            story,
            [
                None,
                None,
                Some((9_000, words("9,000", "because another model answers now"))),
                Some((9_500, String::new())),
                Some((9_700, words("9,700", "because the list of tools changed"))),
                Some((9_900, words("9,900", "because the instructions before the conversation changed"))),
                Some((3_000, words("3,000", "because the conversation was cut"))),
                Some((5_000, words("5,000", "because nothing was asked for more than five minutes"))),
                Some((6_000, words("6,000", "although nothing changed here; the server no longer had it"))),
            ]
        );
    }

    #[test]
    fn a_server_that_keeps_nothing_and_a_short_beginning_are_no_miss() {
        let (model, start) = (ModelName::new("a", "one"), Instant::now());
        for first in [usage(50_000, 0, 0), usage(1_000, 0, 1_000)] {
            let mut watch = CacheWatch::default();
            assert_eq!(watch.answered(&model, &request("s", &[], 1), &first, start), None);
            assert_eq!(watch.answered(&model, &request("s", &[], 3), &usage(60_000, 0, 0), start), None);
        }
    }
}
