//! Fields that a server may not know and that an answer can do without: which of them a refusal is about.

/// In the order in which they are given up when a refusal names none.
const OPTIONAL: [&str; 16] = [
    "stream_options",
    "prompt_cache_key",
    "cache_control",
    "return_progress",
    "reasoning_effort",
    "output_config",
    "thinking",
    "reasoning",
    "include",
    "store",
    "temperature",
    "top_p",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "tool_choice",
];
/// Those that only extend a protocol; the others change what is answered.
const EXTENSIONS: usize = 10;

/// The fields of a body that a refusal of the request is about, as far as it can do without them.
pub(super) fn to_drop(message: &str, body: &[u8], extra: impl Iterator<Item = String>) -> Vec<String> {
    let body = String::from_utf8_lossy(body);
    let sent = |field: &str| body.contains(&format!("\"{field}\":"));
    let known = OPTIONAL.iter().map(|field| (*field).to_owned());
    let named: Vec<String> = known.chain(extra).filter(|field| sent(field) && names(message, field)).collect();
    if !named.is_empty() || !speaks_of_unknown(message) {
        return named;
    }
    OPTIONAL.iter().take(EXTENSIONS).filter(|field| sent(field)).map(|field| (*field).to_owned()).collect()
}

/// Whether a text names a field, and not a longer one that holds it.
fn names(text: &str, field: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.match_indices(field).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + field.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

fn speaks_of_unknown(message: &str) -> bool {
    let lower = message.to_lowercase();
    let unknown = ["unknown", "unexpected", "unrecognized", "extra", "unsupported", "not permitted", "not allowed"];
    let thing = ["field", "parameter", "argument", "input", "property", "key"];
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&unknown) && has(&thing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_field_or_all_extensions_go() {
        let body =
            br#"],"model":"m","stream":true,"stream_options":{},"max_tokens":5,"prompt_cache_key":"k","top_k":1}"#;
        let extra = || ["top_k".to_owned()].into_iter();
        let page = [
            ("Unrecognized request argument supplied: stream_options", vec!["stream_options"]),
            (
                r#"{"detail":[{"loc":["body","prompt_cache_key"],"msg":"Extra inputs are not permitted"}]}"#,
                vec!["prompt_cache_key"],
            ),
            ("max_tokens is too large: 16384", vec!["max_tokens"]),
            ("`max_completion_tokens` is not there", vec![]),
            ("top_k: not for this model", vec!["top_k"]),
            ("Extra inputs are not permitted", vec!["stream_options", "prompt_cache_key"]),
            ("messages: roles must alternate", vec![]),
        ];
        for (message, expected) in page {
            assert_eq!(to_drop(message, body, extra()), expected, "{message}");
        }
    }
}
