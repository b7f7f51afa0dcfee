//! One server as somebody configured it: how it is reached, what a person vouches for, and its variables filled in.

use serde_json::{Map, Value, json};
use std::time::Duration;

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerTransport {
    /// A program, over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets besides the cleaned environment, in the order they were written.
        env: Vec<(String, String)>,
        /// Where it starts; the workspace when not given.
        cwd: Option<String>,
    },
    /// Streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// Sent with each request, in the order they were written.
        headers: Vec<(String, String)>,
    },
    /// Two channels over HTTP, as servers before 2025 have them.
    Sse {
        /// Its address.
        url: String,
        /// Sent with each request, in the order they were written.
        headers: Vec<(String, String)>,
    },
}

/// One server as it is configured. What is in `${…}` is still as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerEntry {
    /// The name it has in the file.
    pub name: String,
    /// How it is reached.
    pub transport: ServerTransport,
    /// How long a start may take, if the file says so.
    pub start_timeout: Option<Duration>,
    /// How long a call may be without a sign of life, if the file says so.
    pub call_timeout: Option<Duration>,
    /// Its tools are in the first request, not only their names.
    pub always_load: bool,
    /// It is configured and not to be used.
    pub disabled: bool,
    /// Only these tools are offered; all when not given.
    pub enabled_tools: Option<Vec<String>>,
    /// These tools are not offered.
    pub disabled_tools: Vec<String>,
    /// Whom a program may talk to over the network, besides nobody.
    pub hosts: Vec<String>,
}

/// An entry whose variables are filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpandedEntry {
    /// With values; nothing of it is to be shown or written anywhere.
    pub entry: ServerEntry,
    /// What to tell the person, with names of fields and variables and never a value.
    pub warnings: Vec<String>,
}

impl ServerEntry {
    /// An entry with nothing but a name and how it is reached.
    pub fn new(name: impl Into<String>, transport: ServerTransport) -> ServerEntry {
        ServerEntry {
            name: name.into(),
            transport,
            start_timeout: None,
            call_timeout: None,
            always_load: false,
            disabled: false,
            enabled_tools: None,
            disabled_tools: Vec::new(),
            hosts: Vec::new(),
        }
    }

    /// Whether this tool of the server is to be offered.
    pub fn offers(&self, tool: &str) -> bool {
        let is_enabled = self.enabled_tools.as_ref().is_none_or(|names| names.iter().any(|name| name == tool));
        is_enabled && !self.disabled_tools.iter().any(|name| name == tool)
    }

    /// What a person vouches for: everything that says what runs or who is talked to, with `${…}` as written. The same for the
    /// same meaning, whatever the file looks like; timeouts and lists of tools are not in it.
    pub fn content(&self) -> String {
        let mut hosts = self.hosts.clone();
        hosts.sort();
        hosts.dedup();
        let pairs = |list: &[(String, String)]| {
            let mut list: Vec<_> = list.to_vec();
            list.sort();
            Value::Array(list.into_iter().map(|(name, value)| json!([name, value])).collect())
        };
        let mut content = Map::new();
        content.insert("name".into(), json!(self.name));
        match &self.transport {
            ServerTransport::Stdio { command, args, env, cwd } => {
                content.insert("type".into(), json!("stdio"));
                content.insert("command".into(), json!(command));
                content.insert("args".into(), json!(args));
                content.insert("env".into(), pairs(env));
                content.insert("cwd".into(), json!(cwd));
            }
            ServerTransport::Http { url, headers } => {
                content.insert("type".into(), json!("http"));
                content.insert("url".into(), json!(url));
                content.insert("headers".into(), pairs(headers));
            }
            ServerTransport::Sse { url, headers } => {
                content.insert("type".into(), json!("sse"));
                content.insert("url".into(), json!(url));
                content.insert("headers".into(), pairs(headers));
            }
        }
        content.insert("hosts".into(), json!(hosts));
        Value::Object(content).to_string()
    }

    /// The command whole, or the address: what is shown to a person who is asked about the server. Hidden characters are marks.
    pub fn shown(&self) -> String {
        let text = match &self.transport {
            ServerTransport::Stdio { command, args, .. } => {
                let words = std::iter::once(command).chain(args).map(|word| quoted(word));
                words.collect::<Vec<_>>().join(" ")
            }
            ServerTransport::Http { url, .. } | ServerTransport::Sse { url, .. } => url.clone(),
        };
        fore_text::line(&text).into_owned()
    }

    /// All that a person vouches for, in a line and with `${…}` as written: variables and headers decide as much as the command. For
    /// entries that somebody else wrote; in the person's own, values are keys.
    pub fn shown_whole(&self) -> String {
        let mut text = self.shown();
        let mut add = |what: &str, parts: Vec<String>| {
            if !parts.is_empty() {
                text.push_str(&format!(", {what} {}", parts.join(" ")));
            }
        };
        match &self.transport {
            ServerTransport::Stdio { env, cwd, .. } => {
                let pair = |(name, value): &(String, String)| format!("{}={}", quoted(name), quoted(value));
                add("with", env.iter().map(pair).collect());
                add("in", cwd.iter().map(|folder| quoted(folder)).collect());
            }
            ServerTransport::Http { headers, .. } | ServerTransport::Sse { headers, .. } => {
                let pair = |(name, value): &(String, String)| quoted(&format!("{name}: {value}"));
                add("with", headers.iter().map(pair).collect());
            }
        }
        add("reaching", self.hosts.iter().map(|host| quoted(host)).collect());
        fore_text::line(&text).into_owned()
    }

    /// With `${NAME}` and `${NAME:-otherwise}` filled in in command, arguments, variables, folder, address and headers. What is
    /// not set stays as it was written, with a warning.
    pub fn expanded(&self, lookup: &dyn Fn(&str) -> Option<String>) -> ExpandedEntry {
        let mut expansion = EntryExpansion { lookup, warnings: Vec::new() };
        let transport = match &self.transport {
            ServerTransport::Stdio { command, args, env, cwd } => ServerTransport::Stdio {
                command: expansion.fill("command", command),
                args: args.iter().enumerate().map(|(at, text)| expansion.fill(&format!("args[{at}]"), text)).collect(),
                env: expansion.pairs("env", env),
                cwd: cwd.as_ref().map(|text| expansion.fill("cwd", text)),
            },
            ServerTransport::Http { url, headers } => {
                ServerTransport::Http { url: expansion.fill("url", url), headers: expansion.pairs("headers", headers) }
            }
            ServerTransport::Sse { url, headers } => {
                ServerTransport::Sse { url: expansion.fill("url", url), headers: expansion.pairs("headers", headers) }
            }
        };
        let entry = ServerEntry { transport, ..self.clone() };
        let mut warnings = expansion.warnings;
        warnings.extend(hidden_in(&entry));
        ExpandedEntry { entry, warnings }
    }
}

/// A word as a shell would need it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,${}".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Longest value that a variable may bring in.
const MAX_FILLED: usize = 64 << 10;

struct EntryExpansion<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    warnings: Vec<String>,
}

impl EntryExpansion<'_> {
    fn pairs(&mut self, field: &str, list: &[(String, String)]) -> Vec<(String, String)> {
        list.iter().map(|(name, value)| (name.clone(), self.fill(&format!("{field}.{name}"), value))).collect()
    }

    /// What a variable brings in is not looked at again.
    fn fill(&mut self, field: &str, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            let (before, from) = rest.split_at(start);
            out.push_str(before);
            let Some((inside, after)) = from.get(2..).and_then(|inside| inside.split_once('}')) else {
                out.push_str(from);
                return out;
            };
            let (name, otherwise) = match inside.split_once(":-") {
                Some((name, otherwise)) => (name, Some(otherwise)),
                None => (inside, None),
            };
            let value = if is_variable(name) { (self.lookup)(name) } else { None };
            // As in a shell, `:-` also stands in for an empty value.
            let value = value.filter(|value| otherwise.is_none() || !value.is_empty());
            match (value, otherwise) {
                (Some(value), _) if out.len() + value.len() <= MAX_FILLED => out.push_str(&value),
                (Some(_), _) => {
                    self.warn(field, format!("the value of ${{{name}}} is too long and was left out"));
                }
                (None, Some(otherwise)) if is_variable(name) => out.push_str(otherwise),
                (None, _) => {
                    let whole = from.get(..inside.len() + 3).unwrap_or_default();
                    out.push_str(whole);
                    let what = if is_variable(name) { "is not set" } else { "does not name a variable" };
                    self.warn(field, format!("{whole} {what}, so it stays as it is"));
                }
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn warn(&mut self, field: &str, what: String) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(fore_text::line(&format!("{field}: {what}")).into_owned());
        }
    }
}

const MAX_WARNINGS: usize = 32;

/// A name as shells have it, or an input of VS Code.
fn is_variable(name: &str) -> bool {
    let name = name.strip_prefix("input:").unwrap_or(name);
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// White space and hidden characters that came with a value when it was pasted, by the names of the fields and never the values.
pub(crate) fn hidden_in(entry: &ServerEntry) -> Vec<String> {
    let mut fields: Vec<(String, &str)> = Vec::new();
    match &entry.transport {
        ServerTransport::Stdio { command, args, env, cwd } => {
            fields.push(("command".into(), command));
            fields.extend(args.iter().enumerate().map(|(at, text)| (format!("args[{at}]"), text.as_str())));
            fields.extend(env.iter().map(|(name, value)| (format!("env.{name}"), value.as_str())));
            fields.extend(cwd.iter().map(|text| ("cwd".to_owned(), text.as_str())));
        }
        ServerTransport::Http { url, headers } | ServerTransport::Sse { url, headers } => {
            fields.push(("url".into(), url));
            fields.extend(headers.iter().map(|(name, value)| (format!("headers.{name}"), value.as_str())));
        }
    }
    let mut warnings = Vec::new();
    for (field, value) in fields {
        let what = if value.trim() != value {
            "begins or ends with white space"
        } else if value.chars().any(|letter| !matches!(letter, '\n' | '\t') && fore_text::hidden(letter).is_some()) {
            "has a hidden character in it"
        } else {
            continue;
        };
        if warnings.len() < MAX_WARNINGS {
            warnings.push(fore_text::line(&format!("{field} {what}")).into_owned());
        }
    }
    warnings
}
