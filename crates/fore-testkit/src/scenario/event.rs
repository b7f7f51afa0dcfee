//! Events and steps in words.

use super::format::ScenarioStep;
use serde_json::Value;

fn started(event: &Value) -> String {
    let flag = |pointer: &str| event.pointer(pointer).and_then(Value::as_bool).unwrap_or_default();
    let mode = event.pointer("/mode").and_then(Value::as_str).unwrap_or_default();
    let trusted = if flag("/trusted") { ", trusted" } else { "" };
    let resumed = if flag("/resumed") { ", goes on" } else { "" };
    let memory = list(event.pointer("/memory"));
    let memory = if memory.is_empty() { memory } else { format!(", memory {memory}") };
    format!("session in {mode}{trusted}{resumed}{memory}")
}

/// An event as lines; the first is the line itself, the others stand behind it. Empty: nothing to tell.
pub(crate) fn lines(event: &Value) -> Vec<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let one = |line: String| vec![line];
    match text("/event").as_str() {
        "started" => one(started(event)),
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
        "auto-verdict" => {
            let verdict = if event.get("allowed") == Some(&Value::Bool(true)) { "allowed" } else { "blocked" };
            one(format!("auto mode {verdict} {}: {}", text("/tool"), text("/reason")))
        }
        "settings-read" => one(format!("settings read: {}", settings(event))),
        "enter-plan-asked" => one("? may it plan first".to_owned()),
        "approval-asked" => approval(event),
        "plan:exit:request" => plain_request(event),
        "report" => report(event),
        "decided" => one(format!("decided: {}", decided(event))),
        "plan:implement" => one("plan:implement: the context is empty, the plan is the first message".to_owned()),
        "plan" => {
            let changed = text("/changed").lines().map(|line| format!("changed | {line}\n")).collect();
            let trouble = text("/unreadable");
            let trouble = if trouble.is_empty() { trouble } else { format!("cannot be read: {trouble}") };
            vec![format!("plan {}", text("/path")), text("/text"), changed, trouble]
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
        // Not what came of it, but how it went, and some of it by the clock.
        // What is refused is a notice, too.
        "mode-refused" | "model-refused" | "turn-started" | "text" | "reasoning" | "usage" | "question-closed"
        | "summary-started" | "summary-growing" | "summary-ended" | "closed" | "retrying" | "silent"
        | "prompt-read" | "call-growing" | "background" => Vec::new(),
        other => one(format!("event {other}")),
    }
}

fn settings(event: &Value) -> String {
    if let Some(problem) = event.get("problem").and_then(Value::as_str) {
        return format!("not taken, {}", problem.replace('\n', "⏎"));
    }
    let one = |difference: &Value| {
        let field = |name: &str| difference.get(name).and_then(Value::as_str).unwrap_or("-").to_owned();
        let later = if difference.get("needsRestart") == Some(&Value::Bool(true)) { " (restart)" } else { "" };
        format!("{} {} → {}{later}", field("key"), field("before"), field("after"))
    };
    let differences = event.get("differences").and_then(Value::as_array);
    let words: Vec<String> = differences.into_iter().flatten().map(one).collect();
    if words.is_empty() { "as they were".to_owned() } else { words.join("; ") }
}

fn spoken(who: &str, text: &str) -> Vec<String> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    vec![format!("{who}: {first}"), rest.to_owned()]
}

fn list(value: Option<&Value>) -> String {
    let items = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    items.collect::<Vec<_>>().join(", ")
}

/// `src/login.rs (change, line 4)`
fn grant_words(grant: &Value, name: &str) -> String {
    let told = |field: &str| match grant.get(field) {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(hosts)) if hosts.is_empty() => None,
        Some(value) => Some(value.to_string()),
    };
    let line = grant.get("line").map(|line| format!("line {line}"));
    let how: Vec<String> = ["change", "hosts", "why"].iter().filter_map(|field| told(field)).chain(line).collect();
    format!("{} ({})", told(name).unwrap_or_default(), how.join(", "))
}

/// What became of a plan: the line on top, then steps, files and commands without the time.
fn report(event: &Value) -> Vec<String> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let listed =
        |name: &str| event.pointer(&format!("/report/{name}")).and_then(Value::as_array).cloned().unwrap_or_default();
    let lines = |file: &Value| match (file.get("added"), file.get("removed")) {
        (Some(added), Some(removed)) => format!("+{added} −{removed}"),
        (None, _) | (_, None) => "changed".to_owned(),
    };
    let mut page = vec![format!("report: {}", text(event, "headline"))];
    page.extend(listed("steps").iter().map(|step| format!("{}: {}", text(step, "title"), outcome(step))));
    page.extend(listed("files").iter().map(|it| format!("{} {}: {}", text(it, "path"), lines(it), outcome(it))));
    page.extend(listed("commands").iter().map(|it| format!("`{}`: {}", text(it, "command"), outcome(it))));
    page
}

/// `asPlanned line 4`
fn outcome(of: &Value) -> String {
    match of.get("outcome") {
        Some(Value::String(name)) => name.clone(),
        Some(Value::Object(fields)) => {
            let one = |(name, value): (&String, &Value)| {
                let parts = value.as_object().into_iter().flatten().filter(|(field, _)| *field != "at");
                let parts: Vec<String> = parts.map(|(field, value)| format!(" {field} {value}")).collect();
                format!("{name}{}", parts.concat().replace('"', ""))
            };
            fields.iter().map(one).collect()
        }
        Some(_) | None => String::new(),
    }
}

fn approval(event: &Value) -> Vec<String> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    let offers = event.pointer("/request/options").and_then(Value::as_array).cloned().unwrap_or_default();
    let offer = |offer: &Value| {
        let field = |name: &str| offer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        format!("{} → {}", field("value"), field("leadsTo"))
    };
    let revision = event.pointer("/request/revision").map(ToString::to_string).unwrap_or_default();
    let agent = match text("/agentTask") {
        task if task.is_empty() => task,
        task => format!(" (plan of the agent {task})"),
    };
    let mut lines = vec![format!("? approve revision {revision} of {}{agent}", text("/request/planFilePath"))];
    lines.push(format!("offers: {}", offers.iter().map(offer).collect::<Vec<_>>().join(", ")));
    lines.extend(text("/request/planContent").lines().map(|line| format!("| {line}")));
    let listed = |pointer: &str| event.pointer(pointer).and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(
        listed("/request/contract/files").iter().map(|grant| format!("covers: {}", grant_words(grant, "path"))),
    );
    let commands = listed("/request/contract/commands");
    lines.extend(commands.iter().map(|grant| format!("covers: {}", grant_words(grant, "command"))));
    let refused = listed("/request/contract/notGranted");
    lines.extend(refused.iter().map(|refused| format!("not covered: {}", grant_words(refused, "named"))));
    lines.extend(text("/changed").lines().map(|line| format!("changed | {line}")));
    let notes = event.get("notes").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(notes.iter().map(|note| format!("check: {}", note_words(note))));
    let comments = event.get("earlierComments").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(comments.iter().map(|comment| format!("earlier comment: {comment}")));
    lines.push(format!("proof: {}", text("/proof/line")));
    lines.extend(moved(event).iter().map(|file| format!("moved: {file}")));
    let tried = event.get("rehearsals").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.extend(tried.iter().map(|tried| format!("tried: {tried}")));
    lines
}

/// Files that a plan names and that have moved: `src/cart.rs changed +3 −1`.
fn moved(event: &Value) -> Vec<String> {
    let word = |file: &Value, name: &str| file.get(name).and_then(Value::as_str).unwrap_or("?").to_owned();
    let count = |file: &Value, name: &str| file.get(name).map_or_else(|| "?".to_owned(), Value::to_string);
    let line = |file: &Value| {
        let (path, change) = (word(file, "path"), word(file, "change"));
        format!("{path} {change} +{} −{}", count(file, "added"), count(file, "removed"))
    };
    event.get("moved").and_then(Value::as_array).into_iter().flatten().map(line).collect()
}

/// The request in Sema's shape: which fields there are, and what can be answered.
fn plain_request(event: &Value) -> Vec<String> {
    let fields: Vec<&String> = event.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    let options = event.get("options").map(ToString::to_string).unwrap_or_default();
    let plan = event.get("planContent").and_then(Value::as_str).unwrap_or_default();
    let mut lines = vec![format!("? plan:exit:request with {fields:?}"), format!("options {options}")];
    lines.extend(plan.lines().map(|line| format!("| {line}")));
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
            for name in ["revision", "level", "scope", "by", "edited", "clearContext", "clear_context", "steps"] {
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
        ScenarioStep::Settings(settings) => {
            Some(format!("(saves other settings)\n{}", Value::Object(settings.clone())))
        }
        ScenarioStep::WriteHome { file, text } => Some(format!("(writes ~/{file})\n{text}")),
        ScenarioStep::Remove(file) => Some(format!("(somebody removes {file})")),
        ScenarioStep::WritePlan(text) => Some(format!("(somebody writes the plan file)\n{text}")),
        ScenarioStep::RemovePlan => Some("(somebody removes the plan file)".to_owned()),
        ScenarioStep::LinkPlan(file) => Some(format!("(somebody puts a link to {file} in the place of the plan file)")),
        ScenarioStep::BreakPlanFolder => Some("(a file takes the place of the folder for plans)".to_owned()),
        ScenarioStep::HardLinkPlan(file) => Some(format!("(somebody makes the plan file another name of {file})")),
        ScenarioStep::DamageTranscript(words) => Some(format!("(lines of the transcript with `{words}` are damaged)")),
        ScenarioStep::ForgetRevisions => Some("(the kept versions of plans are gone)".to_owned()),
        ScenarioStep::TearTranscript => Some("(the transcript ends in the middle of a line)".to_owned()),
    }
}
