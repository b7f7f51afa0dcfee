//! Runs one planning turn against a real OpenAI-compatible server and reports what happened. Says "not run" without one.
//!
//! `FORETHOUGHT_LIVE_URL=http://127.0.0.1:11434/v1 cargo run -p fore-model --example live`
//! The model is `FORETHOUGHT_LIVE_MODEL`, or the first one the server lists. A key, where the server wants one, is read
//! from `FORETHOUGHT_LIVE_KEY`. Exit code: 0 ran and passed, 1 failed, 77 not run.
#![expect(clippy::disallowed_methods, reason = "an example is told by its environment")]

use std::process::ExitCode;
use std::time::Instant;

use fore_model::{
    ChosenModel, Client, ClientLimits, EventKind, History, KeySource, Message, ModelName, ModelRequest,
    ProviderSettings, RequestHead, Secret, ToolResult, ToolSchema, choose,
};

/// What test harnesses take for "skipped".
const NOT_RUN: u8 = 77;

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = variable("FORETHOUGHT_LIVE_URL") else {
        println!("not run: set FORETHOUGHT_LIVE_URL to the base URL of an OpenAI-compatible server");
        return ExitCode::from(NOT_RUN);
    };
    match run(url).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("failed: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(url: String) -> Result<(), Box<dyn std::error::Error>> {
    let settings = ProviderSettings {
        base_url: Some(url),
        key: variable("FORETHOUGHT_LIVE_KEY")
            .map(|key| (Secret::new(&key), KeySource::Variable("FORETHOUGHT_LIVE_KEY".into()))),
        ..ProviderSettings::default()
    };
    let named = |name: &str| choose(&ModelName::new("custom", name), &settings, &variable);
    let client = Client::new(ClientLimits::default(), None)?;
    let name = match variable("FORETHOUGHT_LIVE_MODEL") {
        Some(name) => name,
        None => {
            let listed = client.list_models(&named("any")?).await.unwrap_or_default();
            listed
                .into_iter()
                .next()
                .map(|offered| offered.name)
                .ok_or("the server lists no models; set FORETHOUGHT_LIVE_MODEL")?
        }
    };
    talk(&client, &named(&name)?).await
}

async fn talk(client: &Client, model: &ChosenModel) -> Result<(), Box<dyn std::error::Error>> {
    println!("asking {} at {}", model.name, model.address());
    let read = ToolSchema {
        name: "read_file".into(),
        description: "Reads a file of the project.".into(),
        parameters: serde_json::json!({
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        }),
    };
    let head = RequestHead::new("You plan changes to a project. Use read_file before you answer.", vec![read]);
    let mut history: History =
        [Message::user("Read src/cart.rs, then say in one sentence where a discount belongs.")].into_iter().collect();
    for round in 1..=4 {
        let request =
            ModelRequest { max_output_tokens: Some(1_024), ..ModelRequest::new(head.clone(), history.clone()) };
        let asked = Instant::now();
        let mut events = client.stream(model, &request).await?;
        let mut answer = fore_model::Answer::default();
        let (mut first, mut count) = (None, 0_u32);
        while let Some(event) = events.next().await {
            let event = event?;
            count += 1;
            if matches!(
                event.kind,
                EventKind::TextDelta { .. } | EventKind::ReasoningDelta { .. } | EventKind::ToolCallStarted { .. }
            ) {
                first.get_or_insert_with(|| asked.elapsed());
            }
            answer.apply(&event.kind);
        }
        println!(
            "round {round}: {count} events in {:?}, first words after {first:?}, usage {:?}",
            asked.elapsed(),
            answer.usage
        );
        println!("  served by {:?}, stopped because {:?}", answer.served, answer.stop);
        println!("  text: {:?}", answer.text());
        let results: Vec<ToolResult> = answer
            .tool_calls()
            .map(|call| {
                println!("  call: {} {:?}", call.name, call.arguments);
                let words = "pub fn total(items: &[Item]) -> u64 { items.iter().map(|item| item.price).sum() }";
                call.broken_result().unwrap_or_else(|| ToolResult::text(call, words))
            })
            .collect();
        if results.is_empty() {
            println!("passed after {round} rounds");
            return Ok(());
        }
        history.push(answer.into_message());
        history.push(Message::results(results));
    }
    Err("the model was still calling tools after four rounds".into())
}
