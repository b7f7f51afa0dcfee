//! The page that a reader sees: what the person did, what the program showed them, line by line, in an order that is always the same.

use super::{
    call::PageCalls,
    event,
    format::{Scenario, ScenarioStep},
};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct ScenarioPage {
    lines: Vec<String>,
    calls: PageCalls,
    /// The plan file that was seen last.
    pub(crate) plan: Option<String>,
    /// The hash of the plan that was seen last.
    pub(crate) hash: Option<String>,
    /// The session that was seen last.
    pub(crate) session: Option<String>,
}

impl ScenarioPage {
    pub(crate) fn new(scenario: &Scenario) -> ScenarioPage {
        let mut page = ScenarioPage::default();
        page.line(&scenario.tells);
        page.line(&format!("covers: {}", scenario.covers.join(", ")));
        page
    }

    pub(crate) fn text(&self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }

    pub(crate) fn line(&mut self, line: &str) {
        self.lines.push(line.trim_end().to_owned());
    }

    /// Text of several lines behind a first one.
    pub(crate) fn block(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(&format!("    {line}")));
    }

    pub(crate) fn title(&mut self, title: &str) {
        self.flush();
        self.lines.push(String::new());
        self.line(&format!("== {title}"));
    }

    /// A line of a plain run.
    pub(crate) fn out(&mut self, line: &str) {
        self.note_plan(line);
        self.line(&format!("out| {line}"));
    }

    pub(crate) fn errors(&mut self, text: &str) {
        text.lines().for_each(|line| self.line(&format!("err| {line}")));
    }

    /// What the person does.
    pub(crate) fn person(&mut self, step: &ScenarioStep) {
        self.flush();
        if let Some(words) = event::step(step) {
            let mut lines = words.lines();
            self.line(&format!("> {}", lines.next().unwrap_or_default()));
            lines.for_each(|line| self.line(&format!("    {line}")));
        }
    }

    /// What the program tells.
    pub(crate) fn event(&mut self, event: &Value) {
        self.note(event);
        if self.calls.take(event) {
            return;
        }
        let lines = event::lines(event);
        if lines.is_empty() {
            return;
        }
        self.flush();
        let mut lines = lines.into_iter();
        if let Some(first) = lines.next() {
            self.line(&first);
        }
        lines.for_each(|line| self.block(&line));
    }

    /// Writes down the calls that have ended, in the order they were made in.
    pub(crate) fn flush(&mut self) {
        for line in self.calls.ended() {
            self.line(&line);
        }
    }

    fn note(&mut self, event: &Value) {
        let hashes = ["/request/planHash", "/planHash", "/plan/hash", "/hash", "/outcome/hash"];
        let text = |pointer: &&str| event.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        self.plan = plan_in(&event.to_string()).or(self.plan.take());
        self.hash = hashes.iter().find_map(text).or(self.hash.take());
        self.session = text(&"/session").or(self.session.take());
    }

    /// `fore plan` prints path and hash as two lines.
    fn note_plan(&mut self, line: &str) {
        if let Some(path) = line.strip_prefix("plan ").filter(|path| path.ends_with(".md")) {
            self.plan = Some(path.to_owned());
        }
        if let Some(hash) = line.strip_prefix("hash ") {
            self.hash = Some(hash.to_owned());
        }
    }
}

/// The last plan file that is named in an event; notes of subagents are none.
fn plan_in(text: &str) -> Option<String> {
    let mut words = text.split(|letter: char| letter.is_whitespace() || "\"\\`:,".contains(letter));
    let is_plan = |word: &&str| word.contains("/plans/") && word.ends_with(".md") && !word.contains("-agent-");
    words.rfind(is_plan).map(str::to_owned)
}
