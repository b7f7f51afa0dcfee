//! The models that are used when only a key is there: one row for each provider whose names are known. A provider without a row needs `--model`.

use crate::settings::EnvironmentLookup;
use fore_model::{PROVIDERS, Provider};

#[derive(Clone, Copy, Debug)]
pub(super) struct DefaultModels {
    provider: &'static str,
    pub(super) act: &'static str,
    pub(super) small: Option<&'static str>,
}

const DEFAULTS: &[DefaultModels] = &[
    DefaultModels { provider: "anthropic", act: "claude-sonnet-5-5", small: Some("claude-haiku-5-5") },
    DefaultModels { provider: "openai", act: "gpt-5.4", small: Some("gpt-5.4-mini") },
    DefaultModels { provider: "google", act: "gemini-3.8-flash", small: None },
    DefaultModels { provider: "deepseek", act: "deepseek-chat", small: None },
    DefaultModels { provider: "mistral", act: "devstral-medium-latest", small: None },
    DefaultModels { provider: "qwen", act: "qwen3-coder-plus", small: None },
];

pub(super) fn of(provider: &str) -> Option<DefaultModels> {
    DEFAULTS.iter().copied().find(|usual| usual.provider == provider)
}

/// The providers that a variable holds a key for, those with usual models first, each with that variable.
pub(super) fn with_a_key(variable: EnvironmentLookup<'_>) -> Vec<(&'static Provider, &'static str)> {
    let set = |name: &str| variable(name).is_some_and(|value| !value.trim().is_empty());
    let key = |row: &'static Provider| row.key_variables.iter().map(|(name, _)| *name).find(|name| set(name));
    let mut found: Vec<_> = PROVIDERS.iter().filter_map(|row| Some((row, key(row)?))).collect();
    found.sort_by_key(|(row, _)| of(row.id).is_none());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_model_is_in_the_table_of_known_ones() {
        for usual in DEFAULTS {
            for name in [Some(usual.act), usual.small].into_iter().flatten() {
                assert!(fore_model::facts(usual.provider, name).is_some(), "{}/{name}", usual.provider);
            }
        }
    }

    #[test]
    fn a_provider_with_usual_models_comes_before_one_without() {
        let variables = |name: &str| ["GROQ_API_KEY", "DEEPSEEK_API_KEY"].contains(&name).then(|| "k".to_owned());
        let found: Vec<_> = with_a_key(&variables).into_iter().map(|(row, name)| (row.id, name)).collect();
        assert_eq!(found, [("deepseek", "DEEPSEEK_API_KEY"), ("groq", "GROQ_API_KEY")]);
        assert!(with_a_key(&|_| Some(" ".into())).is_empty());
    }
}
