//! Reads how people configure MCP servers: `.mcp.json`, `.vscode/mcp.json` and entries of settings. Pure; looks at no file itself.

use crate::entry::{ServerEntry, ServerTransport, hidden_in};
use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Ranged as _;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;

const MAX_FILE: usize = 1 << 20;
const MAX_SERVERS: usize = 100;
const MAX_LIST: usize = 512;
const MAX_TEXT: usize = 64 << 10;
const MAX_NAME: usize = 64;
const MAX_WARNINGS: usize = 64;
/// Longest time that can be set.
const MAX_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum McpFileFormat {
    /// `.mcp.json` and files like it: `mcpServers`.
    McpJson,
    /// `.vscode/mcp.json`: `servers` and `inputs`.
    VsCode,
}

/// What is wrong with a file, or with one server in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigFault {
    /// The server, if it is one server's fault; hidden characters are marks.
    pub server: Option<String>,
    /// Line and column, counted from 1, if they are known.
    pub place: Option<(usize, usize)>,
    /// What is wrong, with the name of the field and no value.
    pub message: String,
}

impl fmt::Display for ConfigFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        if let Some(server) = &self.server {
            write!(f, "{server}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConfigFault {}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerFile {
    /// The servers that were understood.
    pub servers: Vec<ServerEntry>,
    /// The ones that were not.
    pub faults: Vec<ConfigFault>,
    /// What to tell the person, with names of servers and fields and no value.
    pub warnings: Vec<String>,
    /// Values that VS Code asks its user for: `${input:NAME}` in an entry. [`ServerEntry::expanded`] looks them up as `input:NAME`.
    pub inputs: Vec<String>,
}

/// Reads a file. One broken server does not hide the others; a file that is no JSON with comments is a fault as a whole.
pub fn server_entries(text: &str, format: McpFileFormat) -> Result<ServerFile, ConfigFault> {
    let whole = |message: String| ConfigFault { server: None, place: None, message };
    if text.len() > MAX_FILE {
        return Err(whole(format!("the file is larger than {} MiB", MAX_FILE >> 20)));
    }
    let parsed = jsonc_parser::parse_to_ast(
        text,
        &jsonc_parser::CollectOptions::default(),
        &jsonc_parser::ParseOptions::default(),
    );
    let parsed = parsed.map_err(|error| {
        let range = error.range();
        ConfigFault { place: Some(place(text, range.start)), ..whole(error.kind().to_string()) }
    })?;
    let Some(Node::Object(root)) = parsed.value else { return Err(whole("the file is not an object".to_owned())) };
    let key = match format {
        McpFileFormat::McpJson => "mcpServers",
        McpFileFormat::VsCode => "servers",
    };
    let mut file = ServerFile::default();
    if let Some(Node::Array(inputs)) =
        root.get("inputs").map(|inputs| &inputs.value).filter(|_| format == McpFileFormat::VsCode)
    {
        for input in inputs.elements.iter().take(MAX_LIST) {
            let value = plain(text, input);
            file.inputs.extend(value.get("id").and_then(Value::as_str).map(|id| fore_text::line(id).into_owned()));
        }
    }
    let Some(servers) = root.get(key) else { return Ok(file) };
    let Node::Object(servers) = &servers.value else {
        let at = place(text, servers.range().start);
        return Err(ConfigFault { place: Some(at), ..whole(format!("`{key}` is not an object")) });
    };
    for property in &servers.properties {
        read_server(&mut file, text, property, format);
    }
    file.warnings.truncate(MAX_WARNINGS);
    Ok(file)
}

fn read_server(file: &mut ServerFile, text: &str, property: &ObjectProp<'_>, format: McpFileFormat) {
    let name = property.name.as_str();
    let at = Some(place(text, property.range().start));
    let faulty = |message: &str| ConfigFault { server: Some(shown_name(name)), place: at, message: message.to_owned() };
    if file.faults.len() >= MAX_SERVERS {
        return;
    }
    if file.servers.len() >= MAX_SERVERS {
        file.faults.push(faulty(&format!("there are more than {MAX_SERVERS} servers")));
        return;
    }
    // Which of two a program takes is nobody's knowledge.
    if file.servers.iter().any(|server| server.name == name) {
        file.servers.retain(|server| server.name != name);
        file.faults.push(faulty("the name is there twice, so neither is used"));
        return;
    }
    if file.faults.iter().any(|fault| fault.server.as_deref() == Some(&shown_name(name))) {
        return;
    }
    let mut value = plain(text, &property.value);
    if format == McpFileFormat::VsCode {
        in_our_spelling(&mut value);
    }
    match server_entry(name, &value) {
        Ok((entry, warnings)) => {
            file.warnings.extend(warnings);
            file.servers.push(entry);
        }
        Err(fault) => file.faults.push(ConfigFault { place: at, ..fault }),
    }
}

/// A part of the file as plain JSON.
fn plain(text: &str, node: &Node<'_>) -> Value {
    let range = node.range();
    let part = text.get(range.start..range.end).unwrap_or_default();
    // It was understood as a part of the whole.
    jsonc_parser::parse_to_serde_value(part, &jsonc_parser::ParseOptions::default()).unwrap_or_default()
}

/// `${env:NAME}` of VS Code is `${NAME}` elsewhere.
fn in_our_spelling(value: &mut Value) {
    match value {
        Value::String(text) if text.contains("${env:") => *text = text.replace("${env:", "${"),
        Value::Array(list) => list.iter_mut().for_each(in_our_spelling),
        Value::Object(object) => object.values_mut().for_each(in_our_spelling),
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => {}
    }
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = fore_text::cut::bytes(text, at);
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

fn shown_name(name: &str) -> String {
    fore_text::line(&fore_text::cut::ellipsis(name, MAX_NAME)).into_owned()
}

/// One entry, as in the files or in settings, with what to tell the person about it.
pub fn server_entry(name: &str, value: &Value) -> Result<(ServerEntry, Vec<String>), ConfigFault> {
    let shown = shown_name(name);
    let faulty = |message: String| ConfigFault { server: Some(shown.clone()), place: None, message };
    if name.is_empty()
        || name.chars().count() > MAX_NAME
        || name.chars().any(|letter| fore_text::hidden(letter).is_some())
    {
        return Err(faulty(format!("a name has 1 to {MAX_NAME} characters, all of them visible")));
    }
    let Value::Object(object) = value else { return Err(faulty("it is not an object".to_owned())) };
    let mut fields = Fields { object, used: Vec::new() };
    let entry = fields.entry(name).map_err(faulty)?;
    let mut warnings: Vec<String> = Vec::new();
    for key in object.keys().filter(|key| !fields.used.contains(&key.as_str())) {
        warnings.push(match key.as_str() {
            "headersHelper" => "`headersHelper` is not run; use `headers` with a variable".to_owned(),
            "envFile" => "`envFile` is not read; use `env` with a variable".to_owned(),
            key => format!("`{}` is not known here", fore_text::cut::ellipsis(key, MAX_NAME)),
        });
    }
    warnings.extend(hidden_in(&entry));
    if let ServerTransport::Http { url, headers } | ServerTransport::Sse { url, headers } = &entry.transport
        && url.starts_with("http://")
        && !headers.is_empty()
        && !is_loopback(url)
    {
        warnings.push("the headers go over the network unencrypted (http)".to_owned());
    }
    let warnings = warnings.into_iter().take(MAX_WARNINGS);
    Ok((entry, warnings.map(|warning| fore_text::line(&format!("{shown}: {warning}")).into_owned()).collect()))
}

pub(crate) fn is_loopback(url: &str) -> bool {
    let host = url.split("://").nth(1).unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    host == "localhost" || host.starts_with("localhost:") || host.starts_with("127.0.0.1") || host.starts_with("[::1]")
}

/// The fields of one entry; remembers which were read.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    used: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.used.push(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    fn text(&mut self, name: &'static str) -> Result<Option<String>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => checked(name, text).map(Some),
            Some(_) => Err(format!("`{name}` is not a text")),
        }
    }

    fn texts(&mut self, name: &'static str) -> Result<Option<Vec<String>>, String> {
        let list = match self.get(name) {
            None => return Ok(None),
            Some(Value::Array(list)) if list.len() <= MAX_LIST => list,
            Some(_) => return Err(format!("`{name}` is not a list of at most {MAX_LIST} texts")),
        };
        let text = |value: &Value| match value {
            Value::String(text) => checked(name, text),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                Err(format!("`{name}` has something in it that is not a text"))
            }
        };
        list.iter().map(text).collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn pairs(&mut self, name: &'static str) -> Result<Vec<(String, String)>, String> {
        let mut pairs = Vec::new();
        match self.get(name) {
            None => {}
            Some(Value::Object(object)) if object.len() <= MAX_LIST => {
                for (key, value) in object {
                    let value = match value {
                        Value::String(text) => checked(name, text)?,
                        Value::Number(number) => number.to_string(),
                        Value::Bool(flag) => flag.to_string(),
                        Value::Null | Value::Array(_) | Value::Object(_) => {
                            return Err(format!("`{name}` has something in it that is not a text"));
                        }
                    };
                    pairs.push((key.clone(), value));
                }
            }
            // As ACP hands servers over.
            Some(Value::Array(list)) if list.len() <= MAX_LIST => {
                for pair in list {
                    let part = |key: &str| pair.get(key).and_then(Value::as_str);
                    let (Some(key), Some(value)) = (part("name"), part("value")) else {
                        return Err(format!("`{name}` has something in it without `name` and `value`"));
                    };
                    pairs.push((key.to_owned(), checked(name, value)?));
                }
            }
            Some(_) => return Err(format!("`{name}` is not an object of at most {MAX_LIST} texts")),
        }
        Ok(pairs)
    }

    fn flag(&mut self, name: &'static str) -> Result<Option<bool>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(format!("`{name}` is neither true nor false")),
        }
    }

    fn milliseconds(&mut self, name: &'static str) -> Result<Option<Duration>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match value.as_u64().filter(|time| (1..=MAX_TIMEOUT_MS).contains(time)) {
                Some(time) => Ok(Some(Duration::from_millis(time))),
                None => Err(format!("`{name}` is not a number of milliseconds from 1 to {MAX_TIMEOUT_MS}")),
            },
        }
    }

    fn entry(&mut self, name: &str) -> Result<ServerEntry, String> {
        let mut entry = ServerEntry::new(name, self.transport()?);
        entry.start_timeout = self.milliseconds("startTimeout")?;
        let usual = self.milliseconds("timeout")?;
        entry.call_timeout = self.milliseconds("callTimeout")?.or(usual);
        entry.always_load = self.flag("alwaysLoad")?.unwrap_or(false);
        let enabled = self.flag("enabled")?;
        entry.disabled = self.flag("disabled")?.unwrap_or(false) || enabled == Some(false);
        let included = self.texts("includeTools")?;
        entry.enabled_tools = self.texts("enabledTools")?.or(included);
        let excluded = self.texts("excludeTools")?;
        entry.disabled_tools = self.texts("disabledTools")?.or(excluded).unwrap_or_default();
        entry.hosts = self.texts("hosts")?.unwrap_or_default();
        // For people and other programs.
        self.used.extend(["description", "$schema", "note"]);
        Ok(entry)
    }

    fn transport(&mut self) -> Result<ServerTransport, String> {
        let kind = self.text("type")?;
        let url = self.text("url")?;
        let http_url = self.text("httpUrl")?;
        let command = self.text("command")?;
        let headers = self.pairs("headers")?;
        let (args, env, cwd) = (self.texts("args")?.unwrap_or_default(), self.pairs("env")?, self.text("cwd")?);
        let is_http = http_url.is_some();
        let address = match (url, http_url) {
            (Some(_), Some(_)) => return Err("it has both `url` and `httpUrl`".to_owned()),
            (url, http_url) => url.or(http_url),
        };
        match (command, address) {
            (Some(_), Some(_)) => Err("it has both `command` and `url`".to_owned()),
            (None, None) => Err("it has neither `command` nor `url`".to_owned()),
            (Some(command), None) => {
                if !matches!(kind.as_deref(), None | Some("stdio" | "local")) {
                    return Err("`type` does not go with `command`".to_owned());
                }
                if command.trim().is_empty() {
                    return Err("`command` is empty".to_owned());
                }
                if let Some((key, _)) = env.iter().find(|(key, _)| key.is_empty() || key.contains(['=', '\0'])) {
                    return Err(format!("`env` has a name that no variable can have: {}", fore_text::line(key)));
                }
                if !headers.is_empty() {
                    return Err("`headers` does not go with `command`".to_owned());
                }
                Ok(ServerTransport::Stdio { command, args, env, cwd })
            }
            (None, Some(url)) => {
                if !args.is_empty() || !env.is_empty() || cwd.is_some() {
                    return Err("`args`, `env` and `cwd` do not go with `url`".to_owned());
                }
                // What stands behind `${…}` is looked at when the connection is made.
                if !(url.starts_with("https://") || url.starts_with("http://") || url.starts_with("${")) {
                    return Err("`url` is not a web address".to_owned());
                }
                if let Some((key, _)) = headers.iter().find(|(key, _)| !is_header_name(key)) {
                    return Err(format!("`headers` has a name that no header can have: {}", fore_text::line(key)));
                }
                match kind.as_deref() {
                    Some("sse") if !is_http => Ok(ServerTransport::Sse { url, headers }),
                    None | Some("http" | "streamable-http" | "streamableHttp" | "remote") => {
                        Ok(ServerTransport::Http { url, headers })
                    }
                    Some(_) => Err("`type` is none of stdio, http and sse".to_owned()),
                }
            }
        }
    }
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn checked(field: &str, text: &str) -> Result<String, String> {
    if text.len() > MAX_TEXT {
        return Err(format!("`{field}` is longer than {} KiB", MAX_TEXT >> 10));
    }
    if text.contains('\0') {
        return Err(format!("`{field}` has a character that no program can be given"));
    }
    Ok(text.to_owned())
}

impl ServerEntry {
    /// The entry as files have it, for writing it down.
    pub fn to_json(&self) -> Value {
        let object = |pairs: &[(String, String)]| {
            Value::Object(pairs.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
        };
        let mut out = Map::new();
        match &self.transport {
            ServerTransport::Stdio { command, args, env, cwd } => {
                out.insert("command".into(), json!(command));
                out.insert("args".into(), json!(args));
                if !env.is_empty() {
                    out.insert("env".into(), object(env));
                }
                cwd.iter().for_each(|cwd| drop(out.insert("cwd".into(), json!(cwd))));
            }
            ServerTransport::Http { url, headers } | ServerTransport::Sse { url, headers } => {
                let is_sse = matches!(self.transport, ServerTransport::Sse { .. });
                out.insert("type".into(), json!(if is_sse { "sse" } else { "http" }));
                out.insert("url".into(), json!(url));
                if !headers.is_empty() {
                    out.insert("headers".into(), object(headers));
                }
            }
        }
        let milliseconds = |time: Duration| json!(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let mut add = |key: &str, value: Option<Value>| value.map(|value| out.insert(key.to_owned(), value));
        add("startTimeout", self.start_timeout.map(milliseconds));
        add("callTimeout", self.call_timeout.map(milliseconds));
        add("alwaysLoad", self.always_load.then_some(Value::Bool(true)));
        add("disabled", self.disabled.then_some(Value::Bool(true)));
        add("enabledTools", self.enabled_tools.as_ref().map(|names| json!(names)));
        add("disabledTools", (!self.disabled_tools.is_empty()).then(|| json!(self.disabled_tools)));
        add("hosts", (!self.hosts.is_empty()).then(|| json!(self.hosts)));
        Value::Object(out)
    }
}
