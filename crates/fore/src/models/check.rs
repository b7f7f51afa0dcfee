//! `fore models`: what can be used, and whether one of them really works: text, stream, tool call, cancel.

use super::{ModelOpener, offers, provider, section_map};
use crate::{
    args::{ModelsArgs, ModelsCommand},
    console::{Console, plain},
    settings::{ProviderSection, Settings},
    table::{Table, TableCell},
};
use fore_agent::{ModelHandle, RemoteModel};
use fore_model::{
    Arguments, ChosenModel, Error, EventKind, History, Message, ModelRequest, OfferedModel, Price, RequestHead,
    ToolSchema,
};
use serde_json::{Value, json};
use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

/// Models of one server that are listed.
const MAX_LISTED: usize = 200;
/// Models of one server that are offered in the terminal.
const MAX_OFFERED: usize = 20;
/// How long one step of a test may take; a local server reads the prompt first.
const MAX_STEP: Duration = Duration::from_secs(300);
/// Letters of an answer that are shown.
const MAX_LETTERS: usize = 60;
/// Bytes of an answer that are waited for; a small model may never come to an end.
const MAX_ANSWER_BYTES: usize = 1_000;

/// Whether the server of a model answers, and has it.
#[derive(Debug)]
pub(crate) enum Reached {
    /// It does, with this window where it says one.
    Has(Option<u64>),
    /// It answers, and its list has no such name.
    Lacks(Vec<String>),
    /// It does not list its models; whether it has this one shows when it is asked.
    ListsNone,
    /// Why not, in words.
    Not(String),
}

pub(crate) fn run(args: &ModelsArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(&crate::environment::current_folder()?, given)?;
    match &args.command {
        None => list(&settings, args.json),
        Some(ModelsCommand::Test { name }) => test(&settings, name),
    }
}

/// Runs what waits for a server, on a thread of its own: whoever calls may be inside a runtime.
fn wait_for<T: Send>(work: impl Future<Output = T> + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let asking = std::thread::Builder::new().spawn_scoped(scope, || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().ok()?;
            Some(runtime.block_on(work))
        });
        asking.ok()?.join().ok().flatten()
    })
}

/// Asks the server of a model for its list.
pub(crate) fn reached(remote: &RemoteModel) -> Reached {
    let Some(listed) = wait_for(remote.client.list_models(&remote.chosen)) else {
        return Reached::Not("the network could not be asked".into());
    };
    let name = remote.chosen.name.name();
    match listed {
        Ok(offered) if offered.is_empty() => Reached::ListsNone,
        Ok(offered) => match offered.iter().find(|offered| offered.name == name) {
            Some(offered) => Reached::Has(offered.window),
            None => Reached::Lacks(offered.into_iter().map(|offered| offered.name).collect()),
        },
        Err(error @ (Error::Network { .. } | Error::Auth { .. } | Error::Timeout { .. })) => {
            Reached::Not(error.to_string())
        }
        Err(_) => Reached::ListsNone,
    }
}

/// A server that the person set up, and what it offers.
struct AskedServer {
    name: String,
    address: String,
    offered: Result<Vec<OfferedModel>, String>,
}

/// Servers whose address the person gave, under their own name or a provider's.
fn asked_servers(settings: &Settings) -> Vec<AskedServer> {
    let Ok(opener) = ModelOpener::new(settings) else { return Vec::new() };
    let has_address = |section: &ProviderSection| section.base_url.is_some();
    let sections = section_map(settings);
    let named = sections.iter().filter(|(_, section)| has_address(section)).map(|(name, _)| name);
    let ask = |name: &String| {
        let opened = opener.open(&format!("{name}/any"));
        match opened {
            Ok(ModelHandle::Remote(remote)) => {
                let listed = wait_for(remote.client.list_models(&remote.chosen));
                let offered = listed.map_or_else(|| Err("not asked".into()), |it| it.map_err(not_listed));
                AskedServer { name: name.clone(), address: place(&remote.chosen), offered }
            }
            Ok(ModelHandle::Scout) => {
                AskedServer { name: name.clone(), address: String::new(), offered: Ok(Vec::new()) }
            }
            Err(error) => {
                AskedServer { name: name.clone(), address: String::new(), offered: Err(super::words(&error)) }
            }
        }
    };
    named.map(ask).collect()
}

/// Why a server lists nothing. No model of it was asked for, so none is named where it was not reached.
fn not_listed(error: Error) -> String {
    match error {
        Error::Network { address, message, .. } => format!("could not reach {address}: {message}"),
        error => error.to_string(),
    }
}

fn place(chosen: &ChosenModel) -> String {
    chosen.address().split('/').take(3).collect::<Vec<_>>().join("/")
}

/// What the person's own servers offer, for a choice. Servers on usual ports of this machine are found elsewhere.
pub(super) fn of_own_servers(settings: &Settings) -> Vec<(String, String)> {
    let is_own = |server: &AskedServer| provider(&server.name).is_none_or(|row| !row.keyless || row.base_url.is_none());
    let mut found = Vec::new();
    for server in asked_servers(settings).into_iter().filter(is_own) {
        for offered in server.offered.unwrap_or_default().into_iter().take(MAX_OFFERED) {
            found.push((format!("{}/{}", server.name, offered.name), format!("offered by {}", server.address)));
        }
    }
    found
}

/// What one of the person's own servers offers, by the name it has in the settings; the error is why nothing.
pub(crate) fn of_server(settings: &Settings, name: &str) -> Result<Vec<(String, String)>, String> {
    let opener = ModelOpener::new(settings).map_err(|error| super::words(&error))?;
    let opened = opener.open(&format!("{name}/any")).map_err(|error| super::words(&error))?;
    let ModelHandle::Remote(remote) = opened else { return Err("There is no server at this address.".into()) };
    let address = place(&remote.chosen);
    let listed = wait_for(remote.client.list_models(&remote.chosen));
    let offered = match listed.ok_or_else(|| "The network could not be asked.".to_owned())? {
        Ok(offered) if offered.is_empty() => return Err(format!("{address} answers, but lists no models.")),
        Ok(offered) => offered,
        Err(Error::Network { address, message, .. }) => {
            let why = message.split(". ").next().unwrap_or(&message);
            return Err(format!("Nobody answers at {address}: {why}. Is the server running, and the address right?"));
        }
        Err(error) => return Err(error.to_string()),
    };
    let row = |offered: OfferedModel| (format!("{name}/{}", offered.name), format!("offered by {address}"));
    Ok(offered.into_iter().take(MAX_OFFERED).map(row).collect())
}

/// A row of the list.
struct ListedModel {
    name: String,
    window: Option<u64>,
    price: Option<Price>,
    why: String,
}

impl ListedModel {
    fn json(&self) -> Value {
        let price = self.price.map(|price| json!({"input": price.input, "output": price.output}));
        json!({"name": self.name, "contextTokens": self.window, "price": price, "why": self.why})
    }
}

/// What the servers offer, and what can be chosen besides.
fn listed_models(settings: &Settings, servers: &[AskedServer]) -> Vec<ListedModel> {
    let mut rows: Vec<ListedModel> = Vec::new();
    for server in servers {
        for offered in server.offered.iter().flatten().take(MAX_LISTED) {
            let name = format!("{}/{}", server.name, offered.name);
            let why = format!("offered by {}", server.address);
            rows.push(ListedModel { name, window: offered.window, price: offered.price, why });
        }
    }
    for offer in offers(settings) {
        if rows.iter().all(|row| row.name != offer.name) {
            let known = offer.name.split_once('/').and_then(|(provider, name)| fore_model::facts(provider, name));
            let (window, price) = known.map_or((None, None), |facts| (facts.context_tokens, facts.price));
            rows.push(ListedModel { name: offer.name, window, price, why: offer.why });
        }
    }
    rows
}

fn list(settings: &Settings, as_json: bool) -> anyhow::Result<ExitCode> {
    let mut screen = Console::stdout();
    let servers = asked_servers(settings);
    let mut rows = listed_models(settings, &servers);
    let own = super::own_prices(settings);
    for row in &mut rows {
        row.price = own.get(&row.name).copied().or(row.price);
    }
    let silent: Vec<(&str, &String)> =
        servers.iter().filter_map(|server| Some((server.name.as_str(), server.offered.as_ref().err()?))).collect();
    if as_json {
        let models: Vec<_> = rows.iter().map(ListedModel::json).collect();
        let silent: Vec<_> = silent.iter().map(|(name, why)| json!({"server": name, "why": why})).collect();
        screen.json(&json!({ "models": models, "unreachable": silent }))?;
    } else {
        let mut table = Table::new(vec!["MODEL", "CONTEXT", "$ IN/OUT", "WHY"]);
        for row in &rows {
            let window = row.window.map(|window| window.to_string()).unwrap_or_default();
            let price = row.price.map(|price| format!("{}/{}", price.input, price.output)).unwrap_or_default();
            let (name, why) = (TableCell::left(plain(&row.name)), TableCell::left(plain(&row.why)));
            table.row(vec![name, TableCell::right(window), TableCell::right(price), why]);
        }
        table.print(&mut screen)?;
        if rows.iter().any(|row| row.price.is_some()) {
            screen.line("Prices are in US dollars for a million tokens.")?;
        }
        for (name, why) in &silent {
            screen.line(format_args!("✗ {name}: {}", plain(why)))?;
        }
    }
    Ok(if silent.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn test(settings: &Settings, name: &str) -> anyhow::Result<ExitCode> {
    let opener = ModelOpener::new(settings)?;
    let mut screen = Console::stdout();
    let remote = match opener.open(name)? {
        ModelHandle::Remote(remote) => remote,
        ModelHandle::Scout => {
            screen.line("✓ the scout is part of this program and needs no test")?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    screen.line(format_args!("{} at {}", remote.chosen.name, place(&remote.chosen)))?;
    let mut all_passed = true;
    let steps: [(&str, ModelStep); 3] = [
        ("text", |remote| Box::pin(text(remote))),
        ("tool call", |remote| Box::pin(tool_call(remote))),
        ("cancel", |remote| Box::pin(cancel(remote))),
    ];
    for (step, run) in steps {
        let timed = async { tokio::time::timeout(MAX_STEP, run(&remote)).await };
        let said = match wait_for(timed) {
            Some(Ok(said)) => said,
            Some(Err(_)) => Err(format!("took longer than {} s", MAX_STEP.as_secs())),
            None => Err("could not be started".into()),
        };
        let (sign, words) = match &said {
            Ok(words) => ("✓", words),
            Err(why) => ("✗", why),
        };
        screen.line(format_args!("{sign} {step}: {}", plain(words)))?;
        all_passed &= said.is_ok();
        if said.is_err() && step == "text" {
            break;
        }
    }
    if let Some(window) = remote.client.window(&remote.chosen) {
        screen.line(format_args!("  context: {window} tokens"))?;
    } else {
        let group = if provider(remote.chosen.name.provider()).is_some() { "providers" } else { "servers" };
        screen.line(format_args!(
            "~ context: unknown; set model.{group}.{}.contextTokens",
            remote.chosen.name.provider()
        ))?;
    }
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

type StepFuture<'a> = std::pin::Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'a>>;
/// One thing that is tried.
type ModelStep = fn(&RemoteModel) -> StepFuture<'_>;

fn request(prompt: &str, tools: Vec<ToolSchema>, limit: u32) -> ModelRequest {
    let history: History = [Message::user(prompt)].into_iter().collect();
    let head = RequestHead::new("You are being tested. Do exactly what you are asked, briefly.", tools);
    ModelRequest { max_output_tokens: Some(limit), ..ModelRequest::new(head, history) }
}

/// An answer in pieces, with the time until the first of them.
async fn text(remote: &RemoteModel) -> Result<String, String> {
    let began = Instant::now();
    let asked = request("Count from one to ten in words.", Vec::new(), 2_048);
    let mut events = remote.client.stream(&remote.chosen, &asked).await.map_err(|error| error.to_string())?;
    let (mut first, mut pieces, mut words, mut thoughts) = (None, 0_u32, String::new(), 0_usize);
    while let Some(event) = events.next().await {
        match event.map_err(|error| error.to_string())?.kind {
            EventKind::TextDelta { text, .. } => {
                first.get_or_insert_with(|| began.elapsed());
                pieces += 1;
                words.push_str(&text);
            }
            EventKind::ReasoningDelta { text, .. } => thoughts += text.len(),
            _ => {}
        }
        if words.len() > MAX_ANSWER_BYTES {
            break;
        }
    }
    if words.trim().is_empty() {
        return Err(if thoughts > 0 {
            "it reasoned and answered nothing".into()
        } else {
            "it answered nothing".into()
        });
    }
    let how = if pieces > 1 { format!("streamed in {pieces} pieces") } else { "in one piece, not streamed".to_owned() };
    let seconds = first.unwrap_or_default().as_secs_f64();
    let said = fore_text::cut::ellipsis(words.trim(), MAX_LETTERS).replace('\n', " ");
    Ok(format!("\"{said}\", {how}, the first after {seconds:.1} s"))
}

async fn tool_call(remote: &RemoteModel) -> Result<String, String> {
    let tool = ToolSchema {
        name: "weather".into(),
        description: "Says what the weather is like in a city.".into(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
    };
    let asked = request("What is the weather in Lisbon? Call the tool `weather`.", vec![tool], 2_048);
    let mut events = remote.client.stream(&remote.chosen, &asked).await.map_err(|error| error.to_string())?;
    let mut words = String::new();
    while let Some(event) = events.next().await {
        match event.map_err(|error| error.to_string())?.kind {
            EventKind::ToolCallFinished { call, .. } => {
                return Ok(format!("called {} {}", call.name, written(&call.arguments)));
            }
            EventKind::TextDelta { text, .. } => words.push_str(&text),
            _ => {}
        }
        if words.len() > MAX_ANSWER_BYTES {
            break;
        }
    }
    let said = fore_text::cut::ellipsis(words.trim(), MAX_LETTERS).replace('\n', " ");
    Err(format!("it made no call (it said: \"{said}\"); planning needs a model that calls tools"))
}

fn written(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Ok(value) => value.to_string(),
        Arguments::Broken { raw, .. } => raw.clone(),
    }
}

/// Stops an answer after its first piece.
async fn cancel(remote: &RemoteModel) -> Result<String, String> {
    let asked = request("Count from one to two hundred in words.", Vec::new(), 2_048);
    let mut events = remote.client.stream(&remote.chosen, &asked).await.map_err(|error| error.to_string())?;
    while let Some(event) = events.next().await {
        let kind = event.map_err(|error| error.to_string())?.kind;
        if matches!(kind, EventKind::TextDelta { .. } | EventKind::ReasoningDelta { .. }) {
            drop(events);
            return Ok("stopped after the first piece".into());
        }
    }
    Ok("it was done before it could be stopped".into())
}
