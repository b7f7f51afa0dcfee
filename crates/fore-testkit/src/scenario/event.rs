//! Events and steps in words.

use super::format::ScenarioStep;
use serde_json::Value;

/// An event as lines; the first is the line itself, the others stand behind it. Empty: nothing to tell.
pub(crate) fn lines(event: &Value) -> Vec<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let flag = |pointer: &str| event.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
    let one = |line: String| vec![line];
    match text("/event").as_str() {
        "started" => {
            let trusted = if flag("/trusted") { ", trusted" } else { "" };
            let resumed = if flag("/resumed") { ", goes on" } else { "" };
            let memory = list(event.pointer("/memory"));
            let memory = if memory.is_empty() { memory } else { format!(", memory {memory}") };
            one(format!("session in {}{trusted}{resumed}{memory}", text("/mode")))
        }
        "mode-changed" => one(format!("mode {} → {} ({}: {})", text("/from"), text("/to"), text("/by"), text("/why"))),
        "model-changed" => one(format!("model {} ({})", text("/model"), text("/duty"))),
        "prompt-queued" => one(format!("queued: {}", text("/text"))),
        "prompts-returned" => one(format!("returned: {}", list(event.pointer("/texts")))),
        "prompt-taken" => one(format!("prompt: {}", text("/text"))),
        "said" => spoken("model", &text("/text")),
        "asked" => {
            let agent = if text("/agent").is_empty() { "" } else { "an agent's " };
            let lasts = text("/forSession");
            let lasts = if lasts.is_empty() { lasts } else { format!(", may last for {lasts}") };
            let first = format!("? {agent}{}: {} (rule {}{lasts})", text("/tool"), text("/text"), text("/rule"));
            let body = [text("/shown/body/text"), text("/shown/body/diff")].join("");
            vec![first, text("/shown/line"), body]
        }
        "form-asked" => {
            let questions = event.pointer("/form/questions").and_then(Value::as_array).cloned().unwrap_or_default();
            let words = questions.iter().map(|question| {
                let labels: Vec<&str> = question
                    .get("options")
                    .and_then(Value::as_array)
                    .into_iter()
                    .flatten()
                    .filter_map(|option| option.get("label").and_then(Value::as_str))
                    .collect();
                let asked = question.get("question").and_then(Value::as_str).unwrap_or_default();
                format!("{asked} [{}]", labels.join(" | "))
            });
            one(format!("? form: {}", words.collect::<Vec<_>>().join("; ")))
        }
        "allowed" => one(format!("not asked again: {}", text("/what"))),
        "enter-plan-asked" => one("? may it plan first".to_owned()),
        "approval-asked" => approval(event),
        "decided" => one(format!("decided: {}", decided(event))),
        "plan:implement" => one("plan:implement: the context is empty, the plan is the first message".to_owned()),
        "plan" => {
            let changed = text("/changed").lines().map(|line| format!("changed | {line}\n")).collect();
            vec![format!("plan {}", text("/path")), text("/text"), changed]
        }
        "todos" => {
            let items = event.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
            let item = |item: &Value| {
                let field = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
                format!("{} {}", field("status"), field("text"))
            };
            one(format!("todos: {}", items.iter().map(item).collect::<Vec<_>>().join("; ")))
        }
        "rewound" => one(format!("taken back: {}", text("/text"))),
        "context-cut" => one(format!("context cut: {}", text("/why"))),
        "notice" => one(format!("note ({}): {}", text("/level"), text("/text").replace('\n', "⏎"))),
        "turn-ended" => {
            let why = text("/outcome/why");
            let why = if why.is_empty() { why } else { format!(": {why}") };
            one(format!("turn ended: {}{why}", text("/outcome/ended")))
        }
        "result" => {
            let denied = event.get("denied").and_then(Value::as_array).map_or(0, Vec::len);
            let denied = if denied == 0 { String::new() } else { format!(", {denied} denied") };
            one(format!("result: {} in {}{denied}", text("/outcome"), text("/mode")))
        }
        "turn-started" | "text" | "reasoning" | "usage" | "question-closed" | "summary-started" | "summary-ended"
        | "closed" => Vec::new(),
        other => one(format!("event {other}")),
    }
}

fn spoken(who: &str, text: &str) -> Vec<String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    vec![format!("{who}: {first}"), rest.to_owned()]
}

fn list(value: Option<&Value>) -> String {
    let items = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    items.collect::<Vec<_>>().join(", ")
}

fn approval(event: &Value) -> Vec<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let offers = event.pointer("/request/options").and_then(Value::as_array).cloned().unwrap_or_default();
    let offer = |offer: &Value| {
        let field = |name: &str| offer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} → {}", field("value"), field("leadsTo"))
    };
    let revision = event.pointer("/request/revision").map(ToString::to_string).unwrap_or_default();
    let mut lines = vec![format!("? approve revision {revision} of {}", text("/request/planFilePath"))];
    lines.push(format!("offers: {}", offers.iter().map(offer).collect::<Vec<_>>().join(", ")));
    lines.extend(text("/request/planContent").lines().map(|line| format!("| {line}")));
    lines.extend(text("/changed").lines().map(|line| format!("changed | {line}")));
    let notes = event.get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(notes.iter().map(|note| format!("check: {}", note_words(note))));
    let comments = event.get("earlierComments").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(comments.iter().map(|comment| format!("earlier comment: {comment}")));
    lines.push(format!("proof: {}", text("/proof/line")));
    lines
}

fn note_words(note: &Value) -> String {
    note.get("sentence").and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn decided(event: &Value) -> String {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let notice = text("/notice");
    let notice = if notice.is_empty() { notice } else { format!(" ({notice})") };
    match text("/decision").as_str() {
        "approved" => {
            let receipt = event.get("receipt").cloned().unwrap_or_default();
            let mut fields: Vec<String> = Vec::new();
            for name in ["revision", "level", "scope", "by", "edited", "clearContext", "clear_context"] {
                if let Some(value) = receipt.get(name) {
                    fields.push(format!("{name} {}", value.to_string().replace('"', "")));
                }
            }
            format!("approved: {}{notice}", fields.join(", "))
        }
        "keep-planning" => format!("keep planning: {}", text("/reason")),
        "not-counted" => format!("the answer did not count: {}", text("/why")),
        "left" => format!("left plan mode for {}", text("/level")),
        other => other.to_owned(),
    }
}

/// A step in words; none for those that only wait.
pub(crate) fn step(step: &ScenarioStep) -> Option<String> {
    match step {
        ScenarioStep::Await(_) | ScenarioStep::AwaitTurn | ScenarioStep::AwaitRequests(_) => None,
        ScenarioStep::Prompt(text) => Some(format!("says: {text}")),
        ScenarioStep::Steer(text) => Some(format!("says in between: {text}")),
        ScenarioStep::Mode(mode) => Some(format!("switches to {mode}")),
        ScenarioStep::Reply(reply) => Some(format!("replies: {reply}")),
        ScenarioStep::Decline(why) => Some(format!("replies: no, {why}")),
        ScenarioStep::Form(answers) => Some(format!("fills in: {answers}")),
        ScenarioStep::Confirm(true) => Some("lets it plan first".to_owned()),
        ScenarioStep::Confirm(false) => Some("does not let it plan first".to_owned()),
        ScenarioStep::Answer(answer) => Some(format!("answers: {answer}")),
        ScenarioStep::AnswerFirst(answer) => Some(format!("answers the first request: {answer}")),
        ScenarioStep::Send(command) => Some(format!("sends: {command}")),
        ScenarioStep::Line(line) => Some(format!("sends the line: {line}")),
        ScenarioStep::Signal(name) => Some(format!("sends the signal {name}")),
        ScenarioStep::CloseInput => Some("goes away".to_owned()),
        ScenarioStep::Write { file, text } => Some(format!("(somebody writes {file})\n{text}")),
        ScenarioStep::Remove(file) => Some(format!("(somebody removes {file})")),
        ScenarioStep::WritePlan(text) => Some(format!("(somebody writes the plan file)\n{text}")),
        ScenarioStep::RemovePlan => Some("(somebody removes the plan file)".to_owned()),
        ScenarioStep::LinkPlan(file) => Some(format!("(somebody puts a link to {file} in the place of the plan file)")),
        ScenarioStep::BreakPlanFolder => Some("(a file takes the place of the folder for plans)".to_owned()),
        ScenarioStep::TearTranscript => Some("(the transcript ends in the middle of a line)".to_owned()),
    }
}
