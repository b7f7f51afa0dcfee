//! A client, a clock that does not wait, and a scripted server for one protocol.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use fore_model::{
    Answer, AnswerOptions, CacheHint, ChosenModel, Client, ClientLimits, Clock, Effort, Error, History, Jitter,
    ModelRequest, ProviderSettings, ProxyUrl, RequestHead, Thinking, ToolSchema, Wait, choose, parse_name,
};
use fore_testkit::{ModelScript, Server, WireProtocol};
use serde_json::json;
use tokio::sync::watch;

pub(crate) const MODEL: &str = "scripted-model";
pub(crate) const KEY: &str = "sk-secret-0123456789abcdef";
pub(crate) const ALL: [WireProtocol; 4] = WireProtocol::ALL;
pub(crate) const SYSTEM: &str = "You plan before you act.";

/// Waits before retries take no time and are written down; silence lasts until the test says that it has lasted long enough.
#[derive(Debug)]
pub(crate) struct TestClock {
    waits: Mutex<Vec<Duration>>,
    silence: watch::Sender<bool>,
}

impl TestClock {
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }

    pub(crate) fn end_patience(&self) {
        self.silence.send_replace(true);
    }
}

impl Clock for TestClock {
    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777) // Sun, 06 Nov 1994 08:49:37 GMT
    }

    fn sleep(&self, duration: Duration, why: Wait) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        match why {
            Wait::Retry => {
                self.waits.lock().unwrap().push(duration);
                Box::pin(std::future::ready(()))
            }
            Wait::Silence => {
                let mut silence = self.silence.subscribe();
                Box::pin(async move {
                    let _ended = silence.wait_for(|long_enough| *long_enough).await;
                })
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct FullJitter;

impl Jitter for FullJitter {
    fn next(&self) -> f64 {
        1.0
    }
}

pub(crate) struct Setting {
    pub(crate) server: Server,
    pub(crate) client: Client,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) model: ChosenModel,
}

pub(crate) fn ours(protocol: WireProtocol) -> fore_model::Protocol {
    match protocol {
        WireProtocol::Anthropic => fore_model::Protocol::AnthropicMessages,
        WireProtocol::Responses => fore_model::Protocol::OpenAiResponses,
        WireProtocol::Chat => fore_model::Protocol::ChatCompletions,
        WireProtocol::Gemini => fore_model::Protocol::Gemini,
    }
}

pub(crate) fn key_variable(protocol: WireProtocol) -> &'static str {
    match protocol {
        WireProtocol::Anthropic => "ANTHROPIC_API_KEY",
        WireProtocol::Responses | WireProtocol::Chat => "OPENAI_API_KEY",
        WireProtocol::Gemini => "GEMINI_API_KEY",
    }
}

pub(crate) fn chosen(protocol: WireProtocol, model: &str, url: &str) -> ChosenModel {
    let provider = match protocol {
        WireProtocol::Anthropic => "anthropic",
        WireProtocol::Responses | WireProtocol::Chat => "openai",
        WireProtocol::Gemini => "google",
    };
    let name = parse_name(&format!("{provider}/{model}")).unwrap();
    let settings = ProviderSettings {
        base_url: Some(url.to_owned()),
        protocol: Some(ours(protocol)),
        // Whose size is known is not asked for it first.
        answers: AnswerOptions { context_tokens: Some(1_000_000), ..AnswerOptions::default() },
        ..ProviderSettings::default()
    };
    choose(&name, &settings, &|variable| (variable == key_variable(protocol)).then(|| KEY.to_owned())).unwrap()
}

fn client() -> (Client, Arc<TestClock>) {
    client_through(None)
}

pub(crate) fn client_through(proxy: Option<&ProxyUrl>) -> (Client, Arc<TestClock>) {
    let clock = Arc::new(TestClock { waits: Mutex::default(), silence: watch::Sender::new(false) });
    let client = Client::with_time(ClientLimits::default(), proxy, clock.clone(), Arc::new(FullJitter)).unwrap();
    (client, clock)
}

pub(crate) fn at(protocol: WireProtocol, url: &str) -> (Client, ChosenModel) {
    (client().0, chosen(protocol, MODEL, url))
}

pub(crate) fn head() -> Arc<RequestHead> {
    let read = ToolSchema {
        name: "Read".into(),
        description: "Reads a file.".into(),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
            "required": ["path"],
        }),
    };
    let list = ToolSchema {
        name: "List".into(),
        description: "Lists the files.".into(),
        parameters: json!({"type": "object", "properties": {}}),
    };
    RequestHead::new(SYSTEM, vec![read, list])
}

pub(crate) fn request(history: &History) -> ModelRequest {
    ModelRequest {
        max_output_tokens: Some(4_096),
        thinking: Thinking::Effort(Effort::Medium),
        cache: CacheHint { key: Some("session-1".into()), ..CacheHint::default() },
        ..ModelRequest::new(head(), history.clone())
    }
}

impl Setting {
    pub(crate) async fn start(protocol: WireProtocol, script: ModelScript) -> Self {
        let server = Server::start(script).await.unwrap();
        let (client, clock) = client();
        let model = chosen(protocol, MODEL, &server.url(protocol));
        Self { server, client, clock, model }
    }

    pub(crate) fn request(&self, history: &History) -> ModelRequest {
        request(history)
    }

    pub(crate) async fn ask(&self, history: &History) -> Result<Answer, Error> {
        self.client.stream(&self.model, &self.request(history)).await?.finish().await
    }

    /// Fails the test if any rule of the protocol was broken.
    pub(crate) fn finish(self) -> Vec<fore_testkit::RecordedRequest> {
        self.server.finish().unwrap()
    }
}

/// Runs a test once for each protocol.
pub(crate) async fn each<F: Future<Output = ()>>(test: impl Fn(WireProtocol) -> F) {
    for protocol in ALL {
        eprintln!("protocol: {protocol}");
        test(protocol).await;
    }
}
