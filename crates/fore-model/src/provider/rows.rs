//! The table of providers.

use super::{EffortField, LimitField, Provider, Quirks};
use crate::auth::Auth;
use crate::protocol::{Protocol, ReasoningReturn};

/// What a server that copies Chat Completions understands when nothing else is known about it.
const PLAIN: Quirks = Quirks {
    reasoning_return: ReasoningReturn::Omit,
    effort_field: EffortField::None,
    limit_field: LimitField::MaxTokens,
    stream_options: true,
    cache_key: false,
};

const OPENAI: Quirks = Quirks {
    effort_field: EffortField::ReasoningEffort,
    limit_field: LimitField::MaxCompletionTokens,
    cache_key: true,
    ..PLAIN
};

const fn hosted(
    id: &'static str,
    base_url: &'static str,
    key: &'static [(&'static str, Auth)],
    quirks: Quirks,
) -> Provider {
    Provider {
        id,
        protocol: Protocol::ChatCompletions,
        elsewhere: None,
        base_url: Some(base_url),
        base_url_variables: &[],
        key_variables: key,
        auth: Auth::Bearer,
        keyless: false,
        quirks,
    }
}

const fn own(id: &'static str, base_url: &'static str, base_url_variables: &'static [&'static str]) -> Provider {
    Provider {
        id,
        protocol: Protocol::ChatCompletions,
        elsewhere: None,
        base_url: Some(base_url),
        base_url_variables,
        key_variables: &[],
        auth: Auth::Bearer,
        keyless: true,
        quirks: Quirks {
            reasoning_return: ReasoningReturn::Content,
            effort_field: EffortField::ReasoningEffort,
            ..PLAIN
        },
    }
}

/// All providers that can be named.
pub const PROVIDERS: &[Provider] = &[
    Provider {
        id: "anthropic",
        protocol: Protocol::AnthropicMessages,
        elsewhere: None,
        base_url: Some("https://api.anthropic.com"),
        base_url_variables: &["ANTHROPIC_BASE_URL"],
        key_variables: &[("ANTHROPIC_API_KEY", Auth::Header("x-api-key")), ("ANTHROPIC_AUTH_TOKEN", Auth::Bearer)],
        auth: Auth::Header("x-api-key"),
        keyless: false,
        quirks: PLAIN,
    },
    Provider {
        id: "openai",
        protocol: Protocol::OpenAiResponses,
        elsewhere: Some(Protocol::ChatCompletions),
        base_url: Some("https://api.openai.com/v1"),
        base_url_variables: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
        key_variables: &[("OPENAI_API_KEY", Auth::Bearer)],
        auth: Auth::Bearer,
        keyless: false,
        quirks: OPENAI,
    },
    Provider {
        id: "google",
        protocol: Protocol::Gemini,
        elsewhere: None,
        base_url: Some("https://generativelanguage.googleapis.com"),
        base_url_variables: &["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
        key_variables: &[
            ("GEMINI_API_KEY", Auth::Header("x-goog-api-key")),
            ("GOOGLE_API_KEY", Auth::Header("x-goog-api-key")),
        ],
        auth: Auth::Header("x-goog-api-key"),
        keyless: false,
        quirks: PLAIN,
    },
    hosted(
        "openrouter",
        "https://openrouter.ai/api/v1",
        &[("OPENROUTER_API_KEY", Auth::Bearer)],
        Quirks { reasoning_return: ReasoningReturn::Details, effort_field: EffortField::ReasoningObject, ..PLAIN },
    ),
    hosted(
        "deepseek",
        "https://api.deepseek.com",
        &[("DEEPSEEK_API_KEY", Auth::Bearer)],
        Quirks { reasoning_return: ReasoningReturn::Content, ..PLAIN },
    ),
    hosted(
        "qwen",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        &[("DASHSCOPE_API_KEY", Auth::Bearer), ("QWEN_API_KEY", Auth::Bearer)],
        PLAIN,
    ),
    hosted(
        "mistral",
        "https://api.mistral.ai/v1",
        &[("MISTRAL_API_KEY", Auth::Bearer)],
        // It reports usage unasked and refuses fields it does not know.
        Quirks { stream_options: false, ..PLAIN },
    ),
    hosted(
        "groq",
        "https://api.groq.com/openai/v1",
        &[("GROQ_API_KEY", Auth::Bearer)],
        Quirks { effort_field: EffortField::ReasoningEffort, ..PLAIN },
    ),
    hosted("xai", "https://api.x.ai/v1", &[("XAI_API_KEY", Auth::Bearer)], PLAIN),
    hosted("together", "https://api.together.xyz/v1", &[("TOGETHER_API_KEY", Auth::Bearer)], PLAIN),
    hosted("fireworks", "https://api.fireworks.ai/inference/v1", &[("FIREWORKS_API_KEY", Auth::Bearer)], PLAIN),
    own("ollama", "http://127.0.0.1:11434/v1", &["OLLAMA_HOST"]),
    own("llamacpp", "http://127.0.0.1:8080/v1", &[]),
    own("lmstudio", "http://127.0.0.1:1234/v1", &[]),
    own("vllm", "http://127.0.0.1:8000/v1", &[]),
    Provider { base_url: None, ..own("custom", "", &[]) },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_can_be_reached_and_no_id_appears_twice() {
        let mut ids: Vec<&str> = PROVIDERS.iter().map(|provider| provider.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), PROVIDERS.len());
        for provider in PROVIDERS {
            assert!(!provider.id.contains('/'), "{}", provider.id);
            assert!(provider.keyless || !provider.key_variables.is_empty(), "{}", provider.id);
            if let Some(url) = provider.base_url {
                assert!(reqwest::Url::parse(url).is_ok(), "{url}");
                assert!(url.starts_with("https://") || provider.keyless, "{url}: a key would travel in the clear");
            }
        }
    }
}
