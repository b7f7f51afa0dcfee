//! What is known about well-known models. What is not known for sure is absent, never guessed.

use super::ThinkingControl;
use crate::event::Usage;
use crate::protocol::Protocol;

/// What is known about a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelFacts {
    /// The provider's id.
    pub provider: &'static str,
    /// The model's name there.
    pub name: &'static str,
    /// How much it can read and write in one request.
    pub context_tokens: Option<u64>,
    /// How much it can write in one answer.
    pub output_limit: Option<u32>,
    /// `None`: unknown, or it depends on the length of the request.
    pub price: Option<Price>,
}

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// What it reads afresh.
    pub input: f64,
    /// What it writes.
    pub output: f64,
    /// What it reads out of a cache.
    pub cached_read: f64,
    /// What it puts into one.
    pub cached_write: f64,
}

impl Price {
    /// Of a model that runs on a machine of one's own.
    pub(crate) const NOTHING: Price = Price { input: 0.0, output: 0.0, cached_read: 0.0, cached_write: 0.0 };

    /// What this many tokens cost.
    #[must_use]
    pub fn dollars(&self, usage: &Usage) -> f64 {
        let cached = usage.cached_read.saturating_add(usage.cached_write);
        let fresh = usage.input.saturating_sub(cached);
        let sum = self.input * fresh as f64
            + self.output * usage.output as f64
            + self.cached_read * usage.cached_read as f64
            + self.cached_write * usage.cached_write as f64;
        sum / 1_000_000.0
    }
}

const fn claude(name: &'static str, context: u64, output: u32, price_in: f64, price_out: f64) -> ModelFacts {
    ModelFacts {
        provider: "anthropic",
        name,
        context_tokens: Some(context),
        output_limit: Some(output),
        price: Some(Price {
            input: price_in,
            output: price_out,
            cached_read: price_in / 10.0,
            cached_write: price_in * 1.25,
        }),
    }
}

const fn named(provider: &'static str, name: &'static str) -> ModelFacts {
    ModelFacts { provider, name, context_tokens: None, output_limit: None, price: None }
}

const fn openai(name: &'static str, context: Option<u64>, output: Option<u32>, prices: (f64, f64, f64)) -> ModelFacts {
    let (input, cached_read, output_price) = prices;
    ModelFacts {
        provider: "openai",
        name,
        context_tokens: context,
        output_limit: output,
        price: Some(Price { input, output: output_price, cached_read, cached_write: input }),
    }
}

const FACTS: &[ModelFacts] = &[
    claude("claude-fable-5-1", 1_000_000, 128_000, 10.0, 50.0),
    claude("claude-opus-5-5", 1_000_000, 128_000, 4.0, 20.0),
    claude("claude-opus-5", 1_000_000, 128_000, 5.0, 25.0),
    claude("claude-sonnet-5-5", 1_000_000, 128_000, 2.0, 10.0),
    claude("claude-sonnet-5", 1_000_000, 128_000, 2.0, 10.0),
    // Its price has steps that the published table only begins to name.
    ModelFacts { price: None, ..claude("claude-haiku-5-5", 1_000_000, 128_000, 0.0, 0.0) },
    claude("claude-haiku-4-5", 200_000, 64_000, 1.0, 5.0),
    claude("claude-sonnet-4-5", 200_000, 64_000, 3.0, 15.0),
    // Above 272,000 tokens these cost more; a price that holds only sometimes is not stated.
    named("openai", "gpt-5.5"),
    ModelFacts { context_tokens: Some(1_050_000), output_limit: Some(128_000), ..named("openai", "gpt-5.4") },
    openai("gpt-5.4-mini", None, None, (0.75, 0.075, 4.5)),
    openai("gpt-5.4-nano", None, None, (0.2, 0.02, 1.25)),
    openai("gpt-5.3-codex", Some(400_000), Some(128_000), (1.75, 0.175, 14.0)),
    openai("gpt-5-mini", Some(400_000), Some(128_000), (0.25, 0.025, 2.0)),
    openai("gpt-5", Some(400_000), Some(128_000), (1.25, 0.125, 10.0)),
    openai("gpt-4.1", Some(1_047_576), Some(32_768), (2.0, 0.5, 8.0)),
    ModelFacts { context_tokens: Some(1_048_576), output_limit: Some(65_536), ..named("google", "gemini-2.5-pro") },
    ModelFacts { context_tokens: Some(1_048_576), output_limit: Some(65_536), ..named("google", "gemini-2.5-flash") },
    named("google", "gemini-3.8-flash"),
    named("google", "gemini-3.1-pro-preview"),
    named("deepseek", "deepseek-chat"),
    named("deepseek", "deepseek-reasoner"),
    named("mistral", "mistral-large-latest"),
    named("mistral", "devstral-medium-latest"),
    named("qwen", "qwen3-coder-plus"),
    named("qwen", "qwen-max"),
];

/// What is known about a model; a dated version shares the facts of its family.
#[must_use]
pub fn facts(provider: &str, name: &str) -> Option<&'static ModelFacts> {
    let of_provider = || FACTS.iter().filter(|facts| facts.provider == provider);
    of_provider()
        .find(|facts| facts.name == name)
        .or_else(|| of_provider().find(|facts| name.strip_prefix(facts.name).is_some_and(is_date)))
}

fn is_date(rest: &str) -> bool {
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    rest.starts_with('-') && digits == 8 && rest.chars().all(|c| c.is_ascii_digit() || c == '-')
}

pub(crate) fn known_names(provider: &str) -> impl Iterator<Item = &'static str> {
    FACTS.iter().filter(move |facts| facts.provider == provider).map(|facts| facts.name)
}

/// How a model is asked to reason, read from its name: tables age, names follow a pattern.
#[must_use]
pub(crate) fn thinks(protocol: Protocol, name: &str) -> ThinkingControl {
    match protocol {
        Protocol::AnthropicMessages => match version(name) {
            Some((0..=2, _) | (3, 0..=6)) => ThinkingControl::Never,
            Some((3, _) | (4, 0..=5)) => ThinkingControl::ByBudget,
            Some(_) | None => ThinkingControl::ByEffort,
        },
        Protocol::OpenAiResponses | Protocol::ChatCompletions => {
            let plain = ["gpt-3", "gpt-4", "chatgpt", "deepseek-chat"];
            if plain.iter().any(|start| name.starts_with(start)) {
                ThinkingControl::Never
            } else {
                ThinkingControl::ByEffort
            }
        }
        Protocol::Gemini => {
            if name.starts_with("gemini-2.5") {
                ThinkingControl::ByBudget
            } else if ["gemini-1", "gemini-2", "gemma"].iter().any(|start| name.starts_with(start)) {
                ThinkingControl::Never
            } else {
                ThinkingControl::ByEffort
            }
        }
    }
}

/// The first one or two small numbers of a name: `claude-opus-4-5-20251101` is (4, 5), `claude-3-7-sonnet` is (3, 7).
fn version(name: &str) -> Option<(u32, u32)> {
    let mut parts = name.split(['-', '.']).skip_while(|part| small_number(part).is_none());
    let major = parts.next().and_then(small_number)?;
    let minor = parts.next().and_then(small_number).unwrap_or(0);
    Some((major, minor))
}

fn small_number(part: &str) -> Option<u32> {
    part.parse().ok().filter(|number| *number < 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dated_version_shares_the_facts_of_its_family() {
        let dated = facts("anthropic", "claude-haiku-4-5-20251001").unwrap();
        assert_eq!((dated.name, dated.context_tokens), ("claude-haiku-4-5", Some(200_000)));
        assert_eq!(facts("openai", "gpt-5-2025-08-07").map(|facts| facts.name), Some("gpt-5"));
        assert_eq!(facts("openai", "gpt-5-nano"), None, "a different model is not a version of it");
        assert_eq!(facts("openai", "claude-opus-5"), None);
    }

    #[test]
    fn each_generation_is_asked_to_reason_in_its_own_way() {
        let table = [
            (Protocol::AnthropicMessages, "claude-3-5-haiku-20241022", ThinkingControl::Never),
            (Protocol::AnthropicMessages, "claude-3-7-sonnet-20250219", ThinkingControl::ByBudget),
            (Protocol::AnthropicMessages, "claude-haiku-4-5-20251001", ThinkingControl::ByBudget),
            (Protocol::AnthropicMessages, "claude-opus-4-6", ThinkingControl::ByEffort),
            (Protocol::AnthropicMessages, "claude-opus-5-5", ThinkingControl::ByEffort),
            (Protocol::OpenAiResponses, "gpt-4.1", ThinkingControl::Never),
            (Protocol::OpenAiResponses, "gpt-5.4", ThinkingControl::ByEffort),
            (Protocol::Gemini, "gemini-2.0-flash", ThinkingControl::Never),
            (Protocol::Gemini, "gemini-2.5-pro", ThinkingControl::ByBudget),
            (Protocol::Gemini, "gemini-3.8-flash", ThinkingControl::ByEffort),
        ];
        for (protocol, name, expected) in table {
            assert_eq!(thinks(protocol, name), expected, "{name}");
        }
    }

    #[test]
    fn cached_tokens_are_paid_once_and_at_their_own_price() {
        let price = Price { input: 4.0, output: 20.0, cached_read: 0.4, cached_write: 5.0 };
        let usage =
            Usage { input: 1_000_000, output: 100_000, cached_read: 500_000, cached_write: 250_000, reasoning: 9 };
        assert!((price.dollars(&usage) - (1.0 + 2.0 + 0.2 + 1.25)).abs() < 1e-9);
    }
}
