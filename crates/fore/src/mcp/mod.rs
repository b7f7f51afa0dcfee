//! `fore mcp`: which MCP servers are set up, and the person's word for them. Only a person calls it; it starts a server only to test it.

pub(crate) mod args;
mod login;

use crate::{
    console::{Console, one_line, plain},
    headless::launch,
    regular_file, report,
    sessions::confirmed,
    settings::{Bypass, Settings, check_server_name, with_mcp_server, without_mcp_server},
    table::{Table, TableCell},
};
use anyhow::{Context, anyhow, bail};
use args::{AddServerArgs, McpArgs, McpCommand};
use fore_agent::{Begin, Launch, McpOrigin, McpServerSetting, ModelHandle, ModelHandles, ProbedServer, probe_server};
use fore_mcp::{LoginHandler, McpFileFormat, ServerEntry, ServerTransport, server_entries, server_entry};
use fore_plan::{
    Mode,
    approval::Reachable,
    plan::{Hash, diff},
};
use fore_store::{
    Home, own_settings,
    vouches::{self, Vouch, VouchKind, VouchState, Vouches},
};
use serde_json::{Map, Value, json};
use std::{
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

const MAX_FILE_BYTES: u64 = 1 << 20;
/// Lines of a difference that are shown.
const MAX_DIFFERENCE: usize = 400;

pub(crate) fn run(args: McpArgs, given: Option<&str>) -> anyhow::Result<ExitCode> {
    let mut screen = Console::stdout();
    match args.command {
        McpCommand::List { json } => list(&mut screen, &ServersHere::read(given)?, json)?,
        McpCommand::Get { name } => get(&mut screen, &ServersHere::read(given)?, &name)?,
        McpCommand::Add(args) => add(&mut screen, &args)?,
        McpCommand::Remove { name } => remove(&mut screen, &name)?,
        McpCommand::Import { file, yes } => import(&mut screen, file, yes)?,
        McpCommand::Test { name, free, verbose } => {
            let here = ServersHere::read(given)?;
            let probed = here.probe(&name, free, None)?;
            tools(&mut screen, &here, &name, &probed, verbose)?;
        }
        McpCommand::Login { name } => login::log_in(&mut screen, &ServersHere::read(given)?, &name)?,
        McpCommand::Logout { name } => login::log_out(&mut screen, &ServersHere::read(given)?, &name)?,
        McpCommand::Trust { name, hash } => return trust(&mut screen, &ServersHere::read(given)?, &name, hash),
        McpCommand::Untrust { name } => {
            take_back(&mut screen, &ServersHere::read(given)?, VouchKind::McpServer, &name)?;
        }
        McpCommand::Vouch { server, tool, hash } => {
            return vouch(&mut screen, &ServersHere::read(given)?, (&server, &tool), hash);
        }
        McpCommand::Unvouch { server, tool } => {
            take_back(&mut screen, &ServersHere::read(given)?, VouchKind::McpTool, &format!("{server}/{tool}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The servers of the folder one is in, and what the person vouched for there.
struct ServersHere {
    folder: PathBuf,
    home: Arc<Home>,
    settings: Settings,
    vouches: Vouches,
}

impl ServersHere {
    fn read(given: Option<&str>) -> anyhow::Result<ServersHere> {
        let folder = launch::here()?;
        let settings = Settings::load(&folder, given)?;
        settings.warnings.iter().for_each(|warning| report::warning(warning));
        let home = Arc::new(crate::environment::own_home()?);
        let vouches = Vouches::read(home.path(), &settings.project)?;
        Ok(ServersHere { folder, home, settings, vouches })
    }

    fn server(&self, name: &str) -> anyhow::Result<&McpServerSetting> {
        let found = self.settings.mcp.iter().find(|server| server.entry.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.settings.mcp.iter().map(|server| server.entry.name.as_str()).collect();
            match names.is_empty() {
                true => anyhow!("no MCP server is set up here; `fore mcp add` does that"),
                false => anyhow!("there is no MCP server `{}` here; there are: {}", one_line(name), names.join(", ")),
            }
        })
    }

    fn standing(&self, server: &McpServerSetting) -> VouchState {
        match server.origin {
            McpOrigin::Person => VouchState::Holds,
            McpOrigin::Repository | McpOrigin::Client => {
                self.vouches.state(VouchKind::McpServer, &server.entry.name, &server.entry.content())
            }
        }
    }

    /// A server that may be started.
    fn trusted_server(&self, name: &str) -> anyhow::Result<&McpServerSetting> {
        let server = self.server(name)?;
        if self.standing(server) != VouchState::Holds {
            bail!("`{name}` comes from the project and is not trusted; look at it with `fore mcp trust {name}` first");
        }
        Ok(server)
    }

    /// Starts a server that may be started, and ends it again.
    fn probe(&self, name: &str, free: bool, login: Option<Arc<dyn LoginHandler>>) -> anyhow::Result<ProbedServer> {
        let server = self.trusted_server(name)?;
        let models = ModelHandles::one(ModelHandle::Scout);
        let launch = Launch {
            folder: self.folder.clone(),
            home: Arc::clone(&self.home),
            user_home: self.settings.home.clone(),
            begin: Begin::Fresh { mode: Mode::Plan },
            openings: self.settings.openings(Bypass::NotPermitted, &models),
            reachable: Reachable::Nobody,
            via: "mcp".into(),
            settings: self.settings.session()?,
            unsaved: None,
            settings_reader: None,
            catalogue: &fore_commands::CATALOGUE,
            models,
        };
        fore_model::install_tls();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let probed = runtime.block_on(probe_server(&launch, server, free, login));
        runtime.shutdown_background();
        probed.map_err(|why| match free || is_elsewhere(&server.entry) {
            true if is_elsewhere(&server.entry) => anyhow!("`{name}` cannot be used: {why}"),
            true => anyhow!("`{name}` did not start: {why}"),
            false => anyhow!(
                "`{name}` did not start in the read-only sandbox: {why}\nwithout a sandbox: fore mcp test {name} --free"
            ),
        })
    }
}

fn state_words(state: &VouchState) -> &'static str {
    match state {
        VouchState::Holds => "trusted",
        VouchState::Changed(_) => "changed since you trusted it",
        VouchState::Unknown => "not trusted",
    }
}

fn list(screen: &mut Console<impl Write>, here: &ServersHere, as_json: bool) -> anyhow::Result<()> {
    if as_json {
        let row = |server: &McpServerSetting| {
            json!({
                "name": server.entry.name,
                "ofProject": server.origin == McpOrigin::Repository,
                "disabled": server.entry.disabled,
                "trusted": here.standing(server) == VouchState::Holds,
                "hash": Hash::of(server.entry.content().as_bytes()).to_string(),
                "shown": shown_for(server),
            })
        };
        screen.json(&here.settings.mcp.iter().map(row).collect::<Vec<_>>())?;
        return Ok(());
    }
    if here.settings.mcp.is_empty() {
        screen.line("No MCP server is set up here; `fore mcp add` does that.")?;
        return Ok(());
    }
    let mut table = Table::new(vec!["SERVER", "FROM", "STATE", "COMMAND"]);
    for server in &here.settings.mcp {
        let from = match server.origin {
            McpOrigin::Person => "your settings",
            McpOrigin::Repository => crate::settings::MCP_FILE,
            McpOrigin::Client => "your editor",
        };
        let state = if server.entry.disabled { "off" } else { state_words(&here.standing(server)) };
        table.row(vec![
            TableCell::left(&server.entry.name),
            TableCell::left(from),
            TableCell::left(state),
            TableCell::left(shown_for(server)),
        ]);
    }
    table.print(screen)?;
    for server in here.settings.mcp.iter().filter(|server| here.standing(server) != VouchState::Holds) {
        let (name, hash) = (&server.entry.name, Hash::of(server.entry.content().as_bytes()));
        screen.line(format_args!("{name}: `fore mcp trust {name}`, or for one run: --trust-server {hash}"))?;
    }
    Ok(())
}

fn get(screen: &mut Console<impl Write>, here: &ServersHere, name: &str) -> anyhow::Result<()> {
    let server = here.server(name)?;
    entry(screen, &server.entry, EntryValues::of(server))?;
    let state = here.standing(server);
    screen.line(format_args!("{}, hash {}", state_words(&state), Hash::of(server.entry.content().as_bytes())))?;
    if let VouchState::Changed(before) = state {
        difference(screen, &before, &server.entry.content())?;
    }
    let prefix = format!("{name}/");
    for vouch in here.vouches.of_kind(VouchKind::McpTool).filter(|vouch| vouch.name.starts_with(&prefix)) {
        let tool = vouch.name.trim_start_matches(&prefix);
        screen.line(format_args!("you vouched for {} (definition {})", one_line(tool), vouch.hash().short()))?;
    }
    Ok(())
}

/// What it runs, in a line.
fn shown_for(server: &McpServerSetting) -> String {
    match EntryValues::of(server) {
        EntryValues::Hidden => server.entry.shown(),
        EntryValues::AsWritten => server.entry.shown_whole(),
    }
}

/// The entry whole; of one's own without values of variables and headers, which are keys there. What somebody else wrote is shown to the
/// letter: a variable decides what a program loads.
fn entry(screen: &mut Console<impl Write>, entry: &ServerEntry, values: EntryValues) -> io::Result<()> {
    let mut value = entry.to_json();
    for field in ["env", "headers"] {
        if let (Some(Value::Object(pairs)), EntryValues::Hidden) = (value.get_mut(field), values) {
            for value in pairs.values_mut().filter(|value| !is_variable_alone(value)) {
                *value = Value::String("[hidden]".into());
            }
        }
    }
    screen.line(format_args!("{}: {}", entry.name, entry.shown()))?;
    let text = format!("{value:#}");
    text.lines().try_for_each(|line| screen.exact_line(format_args!("  {}", plain(line))))
}

/// Whether the values of variables and headers are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryValues {
    Hidden,
    AsWritten,
}

impl EntryValues {
    fn of(server: &McpServerSetting) -> EntryValues {
        match server.origin {
            McpOrigin::Person => EntryValues::Hidden,
            McpOrigin::Repository | McpOrigin::Client => EntryValues::AsWritten,
        }
    }
}

/// `${NAME}` says no value.
fn is_variable_alone(value: &Value) -> bool {
    let inside = value.as_str().and_then(|text| text.strip_prefix("${")?.strip_suffix('}'));
    inside.is_some_and(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
}

fn difference(screen: &mut Console<impl Write>, before: &str, now: &str) -> io::Result<()> {
    let text = diff(&readable(before), &readable(now)).unified(MAX_DIFFERENCE);
    text.lines().try_for_each(|line| screen.exact_line(format_args!("  {}", plain(line))))
}

/// What is vouched for is one line of JSON; people read it line by line.
fn readable(content: &str) -> String {
    match serde_json::from_str::<Value>(content) {
        Ok(value) => format!("{value:#}\n"),
        Err(_) => format!("{content}\n"),
    }
}

fn tools(
    screen: &mut Console<impl Write>,
    here: &ServersHere,
    name: &str,
    probed: &ProbedServer,
    verbose: bool,
) -> anyhow::Result<()> {
    let count = fore_text::count(probed.tools.tools.len(), "tool");
    screen.line(format_args!("{name}: {}, {count}", one_line(&probed.identity)))?;
    for tool in &probed.tools.tools {
        let says = match (tool.read_only, tool.destructive) {
            (_, Some(true)) => "says that it may destroy something",
            (Some(true), _) => "says that it only reads",
            (Some(false) | None, _) => "may change something",
        };
        let vouched = here.vouches.state(VouchKind::McpTool, &format!("{name}/{}", tool.name), tool.definition());
        let vouched = match vouched {
            VouchState::Holds => "; you vouched for it",
            VouchState::Changed(_) => "; it changed since you vouched for it",
            VouchState::Unknown => "",
        };
        screen.line(format_args!("  {} – {says}{vouched}", one_line(&tool.name)))?;
        if verbose {
            screen.paragraph("      ", &one_line(&tool.description))?;
        }
    }
    for left in &probed.tools.left_out {
        screen.line(format_args!("  {} – left out: {}", one_line(&left.name), one_line(&left.reason)))?;
    }
    Ok(())
}

fn trust(
    screen: &mut Console<impl Write>,
    here: &ServersHere,
    name: &str,
    named: Option<Hash>,
) -> anyhow::Result<ExitCode> {
    let server = here.server(name)?;
    if server.origin == McpOrigin::Person {
        bail!("`{name}` is in your own settings, so it needs no trust");
    }
    let content = server.entry.content();
    let state = here.standing(server);
    if state == VouchState::Holds {
        screen.line(format_args!("{name} is trusted already, as it is."))?;
        return Ok(ExitCode::SUCCESS);
    }
    entry(screen, &server.entry, EntryValues::of(server))?;
    if let VouchState::Changed(before) = &state {
        screen.line("What changed since you trusted it:")?;
        difference(screen, before, &content)?;
    }
    let question = format!("Let the MCP server {name} start in this project, as it is shown here?");
    let vouch = Vouch { kind: VouchKind::McpServer, name: name.to_owned(), content };
    add_vouch(screen, here, vouch, &question, named)
}

fn vouch(
    screen: &mut Console<impl Write>,
    here: &ServersHere,
    (server, tool): (&str, &str),
    named: Option<Hash>,
) -> anyhow::Result<ExitCode> {
    let setting = here.server(server)?;
    let probed = here.probe(server, false, None)?;
    let found = probed
        .tools
        .get(tool)
        .ok_or_else(|| anyhow!("`{server}` has no tool `{}`; `fore mcp test {server}` lists them", one_line(tool)))?;
    if found.read_only != Some(true) || found.destructive == Some(true) {
        bail!("`{tool}` does not say that it only reads, so it would not run while planning either way");
    }
    let content = found.definition().to_owned();
    let name = format!("{server}/{tool}");
    readable(&content).lines().try_for_each(|line| screen.exact_line(format_args!("  {}", plain(line))))?;
    match here.vouches.state(VouchKind::McpTool, &name, &content) {
        VouchState::Holds => {
            screen.line(format_args!("You vouched for {name} already, as it is."))?;
            return Ok(ExitCode::SUCCESS);
        }
        VouchState::Changed(before) => {
            screen.line("What changed since you vouched for it:")?;
            difference(screen, &before, &content)?;
        }
        VouchState::Unknown => {}
    }
    if is_elsewhere(&setting.entry) {
        screen.paragraph("", "This server is elsewhere: the sandbox holds only files on this machine, and what it does there is its own word.")?;
    }
    let question = format!("Vouch that {tool} of {server} only reads, as it is defined here?");
    add_vouch(screen, here, Vouch { kind: VouchKind::McpTool, name, content }, &question, named)
}

/// Whether a server is behind an address.
pub(crate) fn is_elsewhere(entry: &ServerEntry) -> bool {
    match entry.transport {
        ServerTransport::Stdio { .. } => false,
        ServerTransport::Http { .. } | ServerTransport::Sse { .. } => true,
    }
}

fn add_vouch(
    screen: &mut Console<impl Write>,
    here: &ServersHere,
    vouch: Vouch,
    question: &str,
    named: Option<Hash>,
) -> anyhow::Result<ExitCode> {
    let hash = vouch.hash();
    match named {
        Some(named) if named != hash => bail!("the hash is {hash}, not the one that you named; nothing was changed"),
        Some(_) => {}
        None if !confirmed(question, false).with_context(|| format!("in scripts: --hash {hash}"))? => {
            return Ok(ExitCode::FAILURE);
        }
        None => {}
    }
    let name = vouch.name.clone();
    vouches::add(&here.home, &here.settings.project, vouch)?;
    screen
        .line(format_args!("You vouch for {name} now: {}", plain(&vouches::path(&here.home).display().to_string())))?;
    Ok(ExitCode::SUCCESS)
}

fn take_back(screen: &mut Console<impl Write>, here: &ServersHere, kind: VouchKind, name: &str) -> anyhow::Result<()> {
    if !vouches::remove(&here.home, &here.settings.project, kind, name)? {
        bail!("you have not vouched for `{}` in this project", one_line(name));
    }
    screen.line(format_args!("You no longer vouch for {}.", one_line(name)))?;
    Ok(())
}

fn add(screen: &mut Console<impl Write>, args: &AddServerArgs) -> anyhow::Result<()> {
    let pairs = |list: &[String], sign: char, what: &str| -> anyhow::Result<Map<String, Value>> {
        let pair = |text: &String| {
            let (name, value) = text.split_once(sign).with_context(|| format!("`{}` is not {what}", one_line(text)))?;
            Ok((name.trim().to_owned(), Value::String(value.trim().to_owned())))
        };
        list.iter().map(pair).collect()
    };
    let mut value = Map::new();
    let mut set = |key: &str, part: Value| {
        let is_empty = part.as_array().is_some_and(Vec::is_empty) || part.as_object().is_some_and(Map::is_empty);
        if !is_empty {
            value.insert(key.into(), part);
        }
    };
    match &args.url {
        Some(url) => {
            if args.sse {
                set("type", json!("sse"));
            }
            set("url", json!(url));
            set(
                "headers",
                Value::Object(pairs(&args.header, ':', "a header, such as `Authorization: Bearer ${TOKEN}`")?),
            );
        }
        None => {
            let (command, words) = args.command.split_first().context("name the program behind `--`")?;
            set("command", json!(command));
            set("args", json!(words));
            set("env", Value::Object(pairs(&args.env, '=', "a variable, such as NAME=VALUE")?));
            set("hosts", json!(args.host));
        }
    }
    let home = crate::environment::own_home()?;
    let text = own_settings::read(&home)?.unwrap_or_default();
    let written = put(&text, &args.name, &Value::Object(value), args.replace)?;
    own_settings::write(&home, &written)?;
    screen.line(format_args!(
        "{} is set up in your settings: {}. `fore mcp test {}` tries it.",
        args.name,
        plain(&own_settings::path(&home).display().to_string()),
        args.name
    ))?;
    Ok(())
}

/// The text of the settings with a server that was checked.
fn put(text: &str, name: &str, value: &Value, replaces: bool) -> anyhow::Result<String> {
    check_server_name(name).map_err(anyhow::Error::msg)?;
    let (_, warnings) = server_entry(name, value).map_err(|fault| anyhow!("{fault}"))?;
    warnings.iter().for_each(|warning| report::warning(warning));
    with_mcp_server(text, name, value, replaces).map_err(anyhow::Error::msg)
}

fn remove(screen: &mut Console<impl Write>, name: &str) -> anyhow::Result<()> {
    let home = crate::environment::own_home()?;
    let text = own_settings::read(&home)?.unwrap_or_default();
    let Some(written) = without_mcp_server(&text, name).map_err(anyhow::Error::msg)? else {
        bail!("there is no MCP server `{}` in your settings", one_line(name));
    };
    own_settings::write(&home, &written)?;
    screen.line(format_args!("{} is no longer in your settings.", one_line(name)))?;
    Ok(())
}

fn import(screen: &mut Console<impl Write>, file: Option<PathBuf>, yes: bool) -> anyhow::Result<()> {
    let here = launch::here()?;
    let path = file.map_or_else(|| here.join(".vscode/mcp.json"), |file| here.join(file));
    let text = read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let is_vscode = path.components().any(|part| part.as_os_str() == ".vscode");
    let format = if is_vscode { McpFileFormat::VsCode } else { McpFileFormat::McpJson };
    let found = server_entries(&text, format).map_err(|fault| anyhow!("{}: {fault}", path.display()))?;
    found.faults.iter().for_each(|fault| report::warning(&format!("left out: {fault}")));
    found.warnings.iter().for_each(|warning| report::warning(warning));
    if !found.inputs.is_empty() {
        let inputs = found.inputs.join(", ");
        report::warning(&format!(
            "the file asks its user for {inputs}; write a variable such as ${{NAME}} in their place"
        ));
    }
    let home = crate::environment::own_home()?;
    let mut settings = own_settings::read(&home)?.unwrap_or_default();
    let mut names = Vec::new();
    for server in &found.servers {
        match put(&settings, &server.name, &server.to_json(), false) {
            Ok(with) => {
                entry(screen, server, EntryValues::AsWritten)?;
                settings = with;
                names.push(server.name.as_str());
            }
            Err(why) => report::warning(&format!("left out: {why:#}")),
        }
    }
    if names.is_empty() {
        bail!("there is no server in {} that can be taken over", path.display());
    }
    let count = fore_text::count(names.len(), "server");
    if !confirmed(&format!("Take {count} into your own settings? They may then start in every project."), yes)? {
        return Ok(());
    }
    own_settings::write(&home, &settings)?;
    screen.line(format_args!("In your settings now: {}.", names.join(", ")))?;
    Ok(())
}

fn read(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    regular_file::open(path)?.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
