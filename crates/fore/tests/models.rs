//! Which model a session would use and where its key comes from, as `fore doctor` says it. No key is ever in its output.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot read an answer has failed")]
#![allow(clippy::disallowed_methods, reason = "prepares its workspace")]

mod support;

use fore_testkit::{ModelScript, Server};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use support::Place;

const KEY: &str = "sk-very-secret-0123456789";
/// Nobody listens there, so that servers on this machine do not matter.
const NOWHERE: (&str, &str) = ("OLLAMA_HOST", "127.0.0.1:1");

struct Said {
    models: Vec<String>,
    servers: Vec<String>,
    code: Option<i32>,
}

fn doctor(place: &Place, variables: &[(&str, &str)], settings: &str) -> Said {
    let mut command = place.command(&["--settings", settings, "doctor", "--json"]);
    command.env_clear().env("HOME", place.folder("home")).env("PATH", std::env::var_os("PATH").unwrap());
    let output = command.env(NOWHERE.0, NOWHERE.1).envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap();
    assert!(!text.contains(KEY), "the key was printed: {text}");
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = |name: &str| {
        all[name].as_array().unwrap().iter().map(|line| line["what"].as_str().unwrap().to_owned()).collect()
    };
    Said { models: lines("models"), servers: lines("servers"), code: output.status.code() }
}

/// Other servers are looked for where none of this test is; where one runs, that is not what is tested here.
const ALONE: &str = r#"{"model": {"providers": {"llamacpp": {"baseUrl": "http://127.0.0.1:1"}, "lmstudio": {"baseUrl": "http://127.0.0.1:1"}, "vllm": {"baseUrl": "http://127.0.0.1:1"}}}}"#;

#[test]
fn without_a_key_and_a_server_it_is_the_scout() {
    let said = doctor(&Place::new(), &[], ALONE);
    assert_eq!(
        said.models,
        [
            "scout: no model is set, no key and no local server was found; it searches the project, plans and answers without a language model"
        ]
    );
    assert_eq!(said.servers, ["no model server found on this machine"]);
}

#[test]
fn a_key_in_the_environment_brings_that_providers_usual_models() {
    let said = doctor(&Place::new(), &[("ANTHROPIC_API_KEY", KEY)], ALONE);
    assert_eq!(
        said.models,
        [
            "model.plan, model.act: anthropic/claude-sonnet-5-5: ANTHROPIC_API_KEY is set; https://api.anthropic.com/v1/messages, key from the variable ANTHROPIC_API_KEY",
            "model.small: anthropic/claude-haiku-5-5: ANTHROPIC_API_KEY is set; https://api.anthropic.com/v1/messages, key from the variable ANTHROPIC_API_KEY",
        ]
    );
    let said = doctor(&Place::new(), &[("GROQ_API_KEY", KEY)], ALONE);
    assert_eq!(said.models[1], "GROQ_API_KEY is set; to use it, name a model: --model groq/NAME");
}

#[test]
fn the_variable_for_the_model_is_for_every_duty() {
    let said = doctor(&Place::new(), &[("FORETHOUGHT_MODEL", "ollama/qwen3")], r#"{"memory": false}"#);
    assert_eq!(
        said.models,
        [
            "ollama/qwen3: FORETHOUGHT_MODEL; http://127.0.0.1:1/v1/chat/completions, without a key",
            "could not reach 127.0.0.1:1 for ollama/qwen3: connection refused. Start it with `ollama serve`.",
        ]
    );
    assert_eq!(said.code, Some(1), "a server that does not answer is no tick");
}

#[test]
fn demand_20_a_model_that_cannot_be_used_is_an_error_and_never_another_model() {
    let said =
        doctor(&Place::new(), &[("OPENAI_API_KEY", KEY)], r#"{"model": {"act": "openai/gpt-5", "plan": "xai/grok"}}"#);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        said.models,
        [
            "the model xai/grok cannot be used (model.plan in --settings:1): no key for xai: set XAI_API_KEY, or model.providers.xai.apiKeyCommand in ~/.forethought/settings.json, or keep it in the keyring: secret-tool store --label='xai key' service forethought account xai"
        ]
    );
    let said = doctor(&Place::new(), &[("FORETHOUGHT_MODEL", "nobody/x"), ("OPENAI_API_KEY", KEY)], ALONE);
    assert!(
        said.models[0].starts_with("the model nobody/x cannot be used (FORETHOUGHT_MODEL): unknown provider"),
        "{:?}",
        said.models
    );
}

#[tokio::test]
async fn a_server_on_this_machine_is_offered_and_not_used_until_it_is_chosen() {
    let server = Server::start(ModelScript::new().model("nomic-embed-text").model("qwen3")).await.unwrap();
    let host = server.origin().trim_start_matches("http://").to_owned();
    let with_key = [("OLLAMA_HOST", host.clone()), ("OPENAI_API_KEY", KEY.to_owned())];
    let place = Place::new();
    let asked = tokio::task::spawn_blocking(move || {
        let pairs: Vec<(&str, &str)> = with_key.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let chosen = ALONE.replacen(r#""model": {"#, r#""model": {"act": "ollama/qwen3", "#, 1);
        (doctor(&place, &pairs[..1], ALONE), doctor(&place, &pairs, ALONE), doctor(&place, &pairs[..1], &chosen))
    });
    let (without_key, with_key, chosen) = asked.await.unwrap();
    assert_eq!(without_key.servers, [format!("ollama on {host}: nomic-embed-text, qwen3")]);
    assert_eq!(
        without_key.models,
        [
            "scout: no model is set and no key was found; it searches the project, plans and answers without a language model".to_owned(),
            format!(
                "a model server is running on {host} and is not used until you choose it: --model ollama/qwen3, /model in the terminal, or \"model\": {{\"act\": \"ollama/qwen3\"}} in ~/.forethought/settings.json"
            ),
        ]
    );
    let said = format!("ollama/qwen3: model.act in --settings:1; http://{host}/v1/chat/completions, without a key");
    assert_eq!(chosen.models, [said, "ollama/qwen3: the server has it".to_owned()]);
    assert!(with_key.models[0].contains("openai/gpt-5.4"), "{:?}", with_key.models);
}

fn with_command(command: &str) -> String {
    let provider = serde_json::json!({"xai": {"apiKeyCommand": command}});
    serde_json::json!({"model": {"act": "xai/grok", "providers": provider}}).to_string()
}

#[test]
fn the_output_of_the_persons_command_is_the_key() {
    let place = Place::new();
    std::fs::write(place.folder("home").join("key"), format!("{KEY}\n")).unwrap();
    let said = doctor(&place, &[], &with_command("cat ~/key"));
    let expected = "xai/grok: model.act in --settings:1; https://api.x.ai/v1/chat/completions, key from the output of apiKeyCommand";
    assert_eq!(said.models, [expected]);
    let said = doctor(&place, &[("XAI_API_KEY", KEY)], &with_command("exit 9"));
    assert!(said.models[0].ends_with("key from the variable XAI_API_KEY"), "{:?}", said.models);
}

#[test]
fn a_command_that_gives_no_key_says_why_and_not_what_it_printed() {
    let place = Place::new();
    std::fs::write(place.folder("home").join("key"), KEY).unwrap();
    let page = [
        ("cat ~/key ~/key >&2; cat ~/key; exit 3", "it ended with exit code 3"),
        ("true", "it printed nothing"),
        ("cat ~/key; echo; echo more", "it printed more than one line, which is not a key"),
        ("head -c 40000 /dev/zero | tr '\\0' x", "it printed more than 16384 bytes, which is not a key"),
    ];
    for (command, expected) in page {
        let said = doctor(&place, &[], &with_command(command));
        let words = format!(
            "the model xai/grok cannot be used (model.act in --settings:1): no key for xai from its apiKeyCommand: {expected}"
        );
        assert_eq!((said.code, said.models), (Some(1), vec![words]), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_keyring_is_asked_last_and_only_for_the_provider_that_is_needed() {
    let place = Place::new();
    let tools = place.folder("tools");
    let script = format!("#!/bin/sh\necho \"$@\" >> {0}/asked\n[ \"$5\" = xai ] && echo {KEY}\n", tools.display());
    let tool = tools.join("secret-tool");
    std::fs::write(&tool, script).unwrap();
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let settings = r#"{"model": {"act": "xai/grok", "small": "ollama/qwen3"}}"#;
    let said = doctor(&place, &[("PATH", &path)], settings);
    assert!(said.models[0].ends_with("key from the system keyring"), "{:?}", said.models);
    assert_eq!(std::fs::read_to_string(tools.join("asked")).unwrap(), "lookup service forethought account xai\n");
    doctor(&place, &[("PATH", &path), ("XAI_API_KEY", KEY)], settings);
    doctor(&place, &[("PATH", &path)], &with_command("echo other"));
    assert_eq!(std::fs::read_to_string(tools.join("asked")).unwrap().lines().count(), 1);
    // A program of the project is not taken for the keyring.
    let inside = place.project().join("secret-tool");
    std::fs::rename(&tool, &inside).unwrap();
    let path = format!("{}:{}", place.project().display(), std::env::var("PATH").unwrap());
    assert_eq!(doctor(&place, &[("PATH", &path)], settings).code, Some(1));
}

/// What the doctor says about the network.
fn network(variables: &[(&str, &str)], settings: &str) -> Vec<String> {
    let place = Place::new();
    let mut command = place.command(&["--settings", settings, "doctor", "--json"]);
    command.env_clear().env("HOME", place.folder("home")).env("PATH", std::env::var_os("PATH").unwrap());
    let output = command.env(NOWHERE.0, NOWHERE.1).envs(variables.iter().copied()).output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let words = |line: &Value| format!("{}: {}", line["state"].as_str().unwrap(), line["what"].as_str().unwrap());
    all["network"].as_array().unwrap().iter().skip(2).map(words).collect()
}

#[test]
fn the_doctor_names_proxies_what_goes_past_them_and_own_certificates() {
    let place = Place::new();
    let file = |name: &str, text: &str| {
        let path = place.folder("home").join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = file("ca.pem", "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n");
    let empty = file("empty.pem", "no certificate\n");
    let proxy = ("HTTPS_PROXY", "http://ada:secret@proxy.example:3128");
    assert_eq!(network(&[], ALONE), Vec::<String>::new());
    assert_eq!(
        network(&[proxy, ("NO_PROXY", "models.company.example"), ("SSL_CERT_FILE", &good)], ALONE),
        [
            "on: through your proxy proxy.example:3128, all but this machine and models.company.example (NO_PROXY)"
                .to_owned(),
            format!("on: servers are trusted by SSL_CERT_FILE, {good} (1 certificate)"),
        ]
    );
    let own = ALONE.replacen('{', r#"{"proxy": "http://own.example:8080", "#, 1);
    assert_eq!(
        network(&[("NO_PROXY", "x.example")], &own),
        ["on: through your proxy own.example:8080, all but this machine"]
    );
    assert_eq!(
        network(&[("SSL_CERT_FILE", &empty), ("SSL_CERT_DIR", "/nowhere")], ALONE),
        [
            format!("off: SSL_CERT_FILE names {empty}, which has no certificate (PEM) in it"),
            "off: SSL_CERT_DIR names no folder, /nowhere".to_owned(),
        ]
    );
}
