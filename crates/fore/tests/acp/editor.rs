//! An editor that speaks the protocol by hand: every line is looked at.

use super::model::Scene;
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

/// How long anything is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Editor {
    pub(crate) child: Child,
    input: Option<ChildStdin>,
    lines: mpsc::Receiver<String>,
    /// What came and was not asked for yet.
    kept: VecDeque<Value>,
    next_id: u64,
    /// Everything that came, in order.
    pub(crate) all: Vec<Value>,
}

/// The modes that need no trust.
pub(crate) const CLIENT: &str = "test-editor";

impl Editor {
    pub(crate) fn of(mut command: Command) -> Editor {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Editor { child, input, lines, kept: VecDeque::new(), next_id: 0, all: Vec::new() }
    }

    /// The program, for this scene, met as this client with these capabilities.
    pub(crate) fn met_as(scene: &Scene, arguments: &[&str], name: &str, capabilities: Value) -> Editor {
        let mut editor = Editor::of(scene.command(&[&["acp"], arguments].concat()));
        let answer = editor.request(
            "initialize",
            json!({"protocolVersion": 1, "clientCapabilities": capabilities, "clientInfo": {"name": name, "version": "1.2"}}),
        );
        assert_eq!(answer["result"]["protocolVersion"], 1, "{answer}");
        editor
    }

    pub(crate) fn met(scene: &Scene) -> Editor {
        Editor::met_as(scene, &[], CLIENT, json!({}))
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string());
    }

    pub(crate) fn say_text(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    /// Sends a request, and gives its id.
    pub(crate) fn send(&mut self, method: &str, params: Value) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Answers a request of the agent.
    pub(crate) fn answer(&mut self, request: &Value, result: Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    pub(crate) fn choose(&mut self, request: &Value, option: &str) {
        self.answer(request, json!({"outcome": {"outcome": "selected", "optionId": option}}));
    }

    /// The next line that came; none when the program has closed its output.
    fn line(&mut self) -> Option<Value> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => {
                let value: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                assert_eq!(value["jsonrpc"], "2.0", "{line}");
                self.all.push(value.clone());
                Some(value)
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("nothing came; so far: {:#?}", self.all),
        }
    }

    /// The first message that fits; what came before it is kept for others.
    pub(crate) fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(place) = self.kept.iter().position(&fits) {
            return self.kept.remove(place).unwrap();
        }
        loop {
            let Some(message) = self.line() else { panic!("it ended before {what}: {:#?}", self.all) };
            if fits(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }

    pub(crate) fn response(&mut self, id: u64) -> Value {
        self.wait("an answer", |message| message["id"] == id && message.get("method").is_none())
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.response(id)
    }

    /// A request of the agent.
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method && message.get("id").is_some())
    }

    pub(crate) fn permission(&mut self) -> Value {
        self.asked("session/request_permission")
    }

    /// The next update of this kind.
    pub(crate) fn update(&mut self, kind: &str) -> Value {
        let found = self.wait(kind, |message| message["params"]["update"]["sessionUpdate"] == kind);
        found["params"]["update"].clone()
    }

    /// An update of this kind in which this stands somewhere.
    pub(crate) fn update_with(&mut self, kind: &str, part: &str) -> Value {
        let found = self.wait(&format!("{kind} with {part}"), |message| {
            message["params"]["update"]["sessionUpdate"] == kind && message.to_string().contains(part)
        });
        found["params"]["update"].clone()
    }

    /// Begins a session in the project; its id.
    pub(crate) fn session(&mut self, scene: &Scene) -> String {
        let answer = self.begin(scene);
        answer["sessionId"].as_str().unwrap().to_owned()
    }

    pub(crate) fn begin(&mut self, scene: &Scene) -> Value {
        let answer = self.request("session/new", json!({"cwd": scene.place.project(), "mcpServers": []}));
        assert!(answer["result"].is_object(), "{answer}");
        answer["result"].clone()
    }

    /// Sends a prompt; the id of its request.
    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.send("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    pub(crate) fn mode(&mut self, session: &str, mode: &str) -> Value {
        self.request("session/set_mode", json!({"sessionId": session, "modeId": mode}))
    }

    /// Why the prompt ended.
    pub(crate) fn stopped(&mut self, prompt: u64) -> String {
        let answer = self.response(prompt);
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// All words of the agent so far.
    pub(crate) fn words(&self) -> String {
        let chunks =
            self.all.iter().filter(|message| message["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
        chunks.filter_map(|message| message["params"]["update"]["content"]["text"].as_str()).collect()
    }

    /// The methods that the agent called.
    pub(crate) fn called(&self) -> Vec<String> {
        self.all.iter().filter_map(|message| message["method"].as_str()).map(str::to_owned).collect()
    }

    /// The client goes; the exit code.
    pub(crate) fn leave(mut self) -> Option<i32> {
        self.input = None;
        while self.line().is_some() {}
        self.child.wait().unwrap().code()
    }
}
