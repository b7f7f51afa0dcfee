//! A client, a clock that does not wait, and a scripted server for one protocol.
#![allow(dead_code, reason = "each test file uses its part")]

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use fore_model::{
    Answer, CacheHint, Chosen, Client, Clock, Effort, Error, Head, History, Jitter, Patience, ProviderSettings,
    Request, Thinking, ToolSchema, choose, parse_name,
};
use fore_testkit::{Protocol, Script, Server};
use serde_json::json;

pub const MODEL: &str = "scripted-model";
pub const KEY: &str = "sk-secret-0123456789abcdef";
pub const ALL: [Protocol; 4] = Protocol::ALL;
pub const SYSTEM: &str = "You plan before you act.";

/// Longer than any test: a wait this long is for silence, and never comes true.
const FOREVER: Duration = Duration::from_secs(100);

/// Waits take no time and are written down; waiting for silence takes forever, or no time for the impatient.
#[derive(Debug)]
pub struct TestClock {
    waits: Mutex<Vec<Duration>>,
    impatient: bool,
}

impl TestClock {
    pub fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }
}

impl Clock for TestClock {
    fn instant(&self) -> Instant {
        Instant::now()
    }

    fn date(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777) // Sun, 06 Nov 1994 08:49:37 GMT
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        if duration == IDLE && self.impatient {
            // The server has said everything it will: its bytes arrive long before this.
            return Box::pin(tokio::time::sleep(Duration::from_millis(300)));
        }
        if duration >= FOREVER || duration == Duration::from_secs(10) || duration == Duration::from_secs(4) {
            return Box::pin(std::future::pending());
        }
        self.waits.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

#[derive(Debug)]
pub struct FullJitter;

impl Jitter for FullJitter {
    fn next(&self) -> f64 {
        1.0
    }
}

const IDLE: Duration = Duration::from_secs(180);

pub struct Setting {
    pub server: Server,
    pub client: Client,
    pub clock: Arc<TestClock>,
    pub model: Chosen,
}

pub fn ours(protocol: Protocol) -> fore_model::Protocol {
    match protocol {
        Protocol::Anthropic => fore_model::Protocol::AnthropicMessages,
        Protocol::Responses => fore_model::Protocol::OpenAiResponses,
        Protocol::Chat => fore_model::Protocol::ChatCompletions,
        Protocol::Gemini => fore_model::Protocol::Gemini,
    }
}

pub fn key_variable(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => "ANTHROPIC_API_KEY",
        Protocol::Responses | Protocol::Chat => "OPENAI_API_KEY",
        Protocol::Gemini => "GEMINI_API_KEY",
    }
}

pub fn chosen(protocol: Protocol, model: &str, url: &str) -> Chosen {
    let provider = match protocol {
        Protocol::Anthropic => "anthropic",
        Protocol::Responses | Protocol::Chat => "openai",
        Protocol::Gemini => "google",
    };
    let name = parse_name(&format!("{provider}/{model}")).unwrap();
    let settings = ProviderSettings {
        base_url: Some(url.to_owned()),
        protocol: Some(ours(protocol)),
        ..ProviderSettings::default()
    };
    choose(&name, &settings, &|variable| (variable == key_variable(protocol)).then(|| KEY.to_owned())).unwrap()
}

fn client(impatient: bool) -> (Client, Arc<TestClock>) {
    let clock = Arc::new(TestClock { waits: Mutex::default(), impatient });
    let client = Client::with_time(Patience::default(), None, clock.clone(), Arc::new(FullJitter)).unwrap();
    (client, clock)
}

pub fn at(protocol: Protocol, url: &str) -> (Client, Chosen) {
    (client(false).0, chosen(protocol, MODEL, url))
}

pub fn head() -> Arc<Head> {
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
    Head::new(SYSTEM, vec![read, list])
}

pub fn request(history: &History) -> Request {
    Request {
        max_output_tokens: Some(4_096),
        thinking: Thinking::Effort(Effort::Medium),
        cache: CacheHint { key: Some("session-1".into()), ..CacheHint::default() },
        ..Request::new(head(), history.clone())
    }
}

impl Setting {
    pub async fn start(protocol: Protocol, script: Script) -> Self {
        Self::start_with(protocol, script, false).await
    }

    /// Gives up soon after the server falls silent.
    pub async fn start_impatient(protocol: Protocol, script: Script) -> Self {
        Self::start_with(protocol, script, true).await
    }

    async fn start_with(protocol: Protocol, script: Script, impatient: bool) -> Self {
        let server = Server::start(script).await.unwrap();
        let (client, clock) = client(impatient);
        let model = chosen(protocol, MODEL, &server.url(protocol));
        Self { server, client, clock, model }
    }

    pub fn request(&self, history: &History) -> Request {
        request(history)
    }

    pub async fn ask(&self, history: &History) -> Result<Answer, Error> {
        self.client.stream(&self.model, &self.request(history)).await?.finish().await
    }

    /// Fails the test if any rule of the protocol was broken.
    pub fn finish(self) -> Vec<fore_testkit::Request> {
        self.server.finish().unwrap()
    }
}

/// Runs a test once for each protocol.
pub async fn each<F: Future<Output = ()>>(test: impl Fn(Protocol) -> F) {
    for protocol in ALL {
        eprintln!("protocol: {protocol}");
        test(protocol).await;
    }
}
