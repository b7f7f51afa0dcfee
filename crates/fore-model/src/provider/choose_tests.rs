//! Names, base URLs and keys: what a person writes and what it leads to.

use super::*;

fn look<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    move |wanted| pairs.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
}

fn chosen(name: &str, settings: &ProviderSettings, variables: &[(&str, &str)]) -> Result<ChosenModel, NameError> {
    choose(&parse_name(name)?, settings, &look(variables))
}

#[test]
fn names_are_read_up_to_the_first_slash() {
    assert_eq!(parse_name("openrouter/qwen/qwen3:free").unwrap().name(), "qwen/qwen3:free");
    assert_eq!(parse_name("claude-opus-5-5").unwrap().to_string(), "anthropic/claude-opus-5-5");
    assert_eq!(parse_name("openai/"), Err(NameError::NoName { provider: "openai".into() }));
    assert_eq!(parse_name("ollama"), Err(NameError::NoName { provider: "ollama".into() }));
    assert_eq!(parse_name("mystery"), Err(NameError::NoProvider { given: "mystery".into() }));
}

#[test]
fn an_unknown_provider_lists_the_known_ones() {
    let error = parse_name("antropic/claude-opus-5").unwrap_err();
    insta::assert_snapshot!(error, @r#"unknown provider "antropic" (did you mean anthropic?); known providers: anthropic, openai, google, openrouter, deepseek, qwen, mistral, groq, xai, together, fireworks, ollama, llamacpp, lmstudio, vllm, custom"#);
}

#[test]
fn a_missing_key_names_the_variables_to_set() {
    let error = chosen("google/gemini-2.5-pro", &ProviderSettings::default(), &[("GEMINI_API_KEY", " ")]).unwrap_err();
    insta::assert_snapshot!(error, @"no key for google: set GEMINI_API_KEY or GOOGLE_API_KEY, or apiKeyCommand in the settings");
}

#[test]
fn the_source_of_a_key_is_known_and_settings_win() {
    let variables = [("ANTHROPIC_API_KEY", "sk-env"), ("ANTHROPIC_AUTH_TOKEN", "token")];
    let from_variable = chosen("anthropic/claude-opus-5", &ProviderSettings::default(), &variables).unwrap();
    assert_eq!(from_variable.key_source(), KeySource::Variable("ANTHROPIC_API_KEY".into()));
    let settings = ProviderSettings { key: Some((Secret::new("sk-cmd\n"), KeySource::Command)), ..Default::default() };
    assert_eq!(chosen("anthropic/claude-opus-5", &settings, &variables).unwrap().key_source(), KeySource::Command);
    let token = chosen("anthropic/claude-opus-5", &ProviderSettings::default(), &variables[1..]).unwrap();
    assert_eq!(token.key.map(|key| key.auth), Some(Auth::Bearer));
}

#[test]
fn a_changed_address_speaks_the_protocol_most_copies_speak() {
    let key = ("OPENAI_API_KEY", "sk-0123456789");
    let at =
        |url: &'static str| chosen("openai/m", &ProviderSettings::default(), &[key, ("OPENAI_BASE_URL", url)]).unwrap();
    assert_eq!(at("https://api.openai.com/v1/").protocol, Protocol::OpenAiResponses);
    assert_eq!(at("http://localhost:9/v1").protocol, Protocol::ChatCompletions);
    assert_eq!(at("http://localhost:9/v1").address(), "http://localhost:9/v1/chat/completions");
    let settings = ProviderSettings {
        protocol: Some(Protocol::OpenAiResponses),
        base_url: Some("http://h/v1".into()),
        ..Default::default()
    };
    assert_eq!(chosen("openai/m", &settings, &[key]).unwrap().address(), "http://h/v1/responses");
}

#[test]
fn own_servers_need_no_key_and_a_custom_one_needs_an_address() {
    let none = ProviderSettings::default();
    assert_eq!(chosen("ollama/qwen3", &none, &[]).unwrap().key_source(), KeySource::Nowhere);
    let moved = chosen("ollama/qwen3", &none, &[("OLLAMA_HOST", "10.0.0.2:11434")]).unwrap();
    assert_eq!(moved.address(), "http://10.0.0.2:11434/v1/chat/completions");
    for host in ["http://10.0.0.2:11434", "http://10.0.0.2:11434/", "http://10.0.0.2:11434/v1"] {
        let moved = chosen("ollama/qwen3", &none, &[("OLLAMA_HOST", host)]).unwrap();
        assert_eq!(moved.address(), "http://10.0.0.2:11434/v1/chat/completions", "{host}");
    }
    assert_eq!(chosen("custom/m", &none, &[]).unwrap_err(), NameError::NoBaseUrl { provider: "custom".into() });
}

#[test]
fn nothing_printed_about_a_choice_holds_the_key() {
    let settings = ProviderSettings {
        base_url: Some("https://user:pass-in-url@host/v1?key=key-in-url".into()),
        headers: vec![("x-team".into(), Secret::new("header-secret"))],
        ..Default::default()
    };
    let choice = chosen("openai/m", &settings, &[("OPENAI_API_KEY", "sk-0123456789")]).unwrap();
    let printed = format!("{choice:?} {choice:#?} {} {settings:?}", choice.address());
    for secret in ["sk-0123456789", "header-secret", "pass-in-url", "key-in-url"] {
        assert!(!printed.contains(secret), "{secret} in {printed}");
    }
}
