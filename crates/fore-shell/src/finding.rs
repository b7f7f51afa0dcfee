//! What a command would do, with the words that show it. Never says what to do about it: that is the gate's business.

use crate::word::Word;
use serde::{Deserialize, Serialize};

/// What a command would do, from harmless to certain harm. A compound takes the strongest of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandKind {
    /// Proved: changes nothing and stays on this machine.
    Reads,
    /// Proved to change nothing here, but talks to somebody outside.
    Network,
    /// Runs code that the tables know nothing about: builds, tests, interpreters, unknown programs.
    Runs,
    /// Could not be analysed.
    Unknown,
    /// Changes something, shown by the evidence.
    Writes,
}

/// A byte range of the judged text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
}

/// One reason for a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// What this reason alone would make of the command.
    pub kind: CommandKind,
    /// Stable name of the rule that fired, such as `sort.-o`, `redirect`, `git.branch.-D`, `syntax.limit`.
    pub rule: String,
    /// The word that showed it, as written (bounded).
    pub word: String,
    /// Where that word stands in the judged text, if it does.
    pub span: Option<Span>,
    /// The reason in plain words: "`sort -o` writes a file".
    pub why: String,
}

/// Somebody outside the file system that a command talks to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// A host as [`Reach::host`] writes it: `api.github.com` at the ports of the web, `localhost:8080` at another one.
    Host(String),
    /// A host that neither the text nor the facts name.
    AnyHost,
    /// A service on this machine behind a socket: `docker`.
    Daemon(String),
}

/// Ports that a host without one stands for.
const WEB_PORTS: [u16; 2] = [443, 80];

impl Reach {
    /// A host at a port, in one spelling: lower case, no dot of the root, the port only where it is not the web's. A name that
    /// different programs read differently (`0x7f.1`, `127.1`) is no name, so it may be any host.
    pub fn host(name: &str, port: u16) -> Reach {
        let Some(name) = plain_host(name).filter(|_| port != 0) else { return Reach::AnyHost };
        if WEB_PORTS.contains(&port) {
            Reach::Host(name)
        } else if name.contains(':') {
            Reach::Host(format!("[{name}]:{port}"))
        } else {
            Reach::Host(format!("{name}:{port}"))
        }
    }

    /// The host of `host`, `host:port`, `[address]:port` or `user@host:port`, at `usual` where it names no port.
    pub fn authority(authority: &str, usual: u16) -> Reach {
        let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let (name, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, "")) => (name, None),
            Some((name, rest)) => (name, rest.strip_prefix(':').or(Some("?"))),
            None => place.split_once(':').map_or((place, None), |(name, port)| (name, Some(port))),
        };
        match port.map(|port| port.parse::<u16>().ok().filter(|_| port.bytes().all(|byte| byte.is_ascii_digit()))) {
            None => Reach::host(name, usual),
            Some(Some(port)) => Reach::host(name, port),
            Some(None) => Reach::AnyHost,
        }
    }
}

/// A host name as it is compared: lower case, without the dot of the root. Numbers count only as a plain address: octal,
/// hexadecimal and short ones mean different machines to different programs.
pub fn plain_host(name: &str) -> Option<String> {
    const MAX_NAME_BYTES: usize = 253;
    if let Ok(address) = name.parse::<std::net::Ipv6Addr>() {
        return Some(address.to_string());
    }
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    let is_sound = !last.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.starts_with(['.', '-'])
        && !name.contains("..")
        && name.bytes().all(is_plain);
    (is_sound && (!is_number || name.parse::<std::net::Ipv4Addr>().is_ok())).then_some(name)
}

/// What a command would do, and why we think so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The strongest of what was met.
    pub kind: CommandKind,
    /// Strongest first, at most [`Finding::MAX_EVIDENCE`]; empty for plain reads.
    pub evidence: Vec<Evidence>,
    /// Reasons that were met besides, and found no room.
    #[serde(skip)]
    pub unlisted: usize,
    /// Sorted, without repeats, at most `Finding::MAX_REACH` (beyond that: `AnyHost`).
    pub reach: Vec<Reach>,
    /// What leaves this machine with the command and is not written out in it, in plain words: "the output of `cat .env`"; at
    /// most `Finding::MAX_SENDS`. Nobody who says yes to a host has seen it, so no yes covers it a second time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sends: Vec<String>,
    /// Absolute paths that are certainly read, as far as they are literal; at most [`Finding::MAX_PATHS`]. Serves deny rules.
    pub paths: Vec<String>,
    /// Every simple command that was met, wrapped ones included, word by word; a word decided at run time is none. Serves
    /// rules about commands, and is all of them unless the kind is `Unknown`.
    #[serde(skip)]
    pub commands: Vec<Vec<Option<String>>>,
    /// A redirection or an output option names the plan file ([`crate::ShellFacts::plan_file`]). Alone it changes nothing that
    /// counts, so the kind stays what it is; the gate sees the need here.
    #[serde(skip)]
    pub writes_plan: bool,
}

impl Finding {
    /// Reasons that are kept.
    pub const MAX_EVIDENCE: usize = 32;
    /// Hosts and services that are named one by one.
    pub(crate) const MAX_REACH: usize = 8;
    /// Paths that are kept for deny rules.
    pub const MAX_PATHS: usize = 64;
    /// Things sent that are named one by one.
    pub(crate) const MAX_SENDS: usize = 8;

    /// Whether it may leave another working folder behind, by the commands that were met.
    pub fn changes_folder(&self) -> bool {
        let changes = |words: &Vec<Option<String>>| match words.first() {
            Some(Some(program)) => matches!(program.as_str(), "cd" | "pushd" | "popd"),
            // Decided at run time.
            Some(None) => true,
            None => false,
        };
        self.commands.iter().any(changes)
    }

    /// A proved read.
    pub fn reads() -> Finding {
        Finding {
            kind: CommandKind::Reads,
            evidence: Vec::new(),
            unlisted: 0,
            reach: Vec::new(),
            sends: Vec::new(),
            paths: Vec::new(),
            commands: Vec::new(),
            writes_plan: false,
        }
    }

    /// One reason, shown by a word of the command. A read needs none.
    pub fn shown(kind: CommandKind, rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
        Finding::at(kind, rule, &word.source, word.span, why)
    }

    /// The same, shown by a piece of text.
    pub(crate) fn at(
        kind: CommandKind,
        rule: impl Into<String>,
        text: &str,
        span: Option<Span>,
        why: impl Into<String>,
    ) -> Finding {
        if kind == CommandKind::Reads {
            return Finding::reads();
        }
        let evidence = Evidence { kind, rule: rule.into(), word: quoted(text), span, why: why.into() };
        Finding { kind, evidence: vec![evidence], ..Finding::reads() }
    }

    /// Something about a word is not known.
    pub fn unknown(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
        Finding::shown(CommandKind::Unknown, rule, word, why)
    }

    /// Something may run code that nobody has looked at.
    pub fn runs(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
        Finding::shown(CommandKind::Runs, rule, word, why)
    }

    /// Something is changed.
    pub fn writes(rule: impl Into<String>, word: &Word, why: impl Into<String>) -> Finding {
        Finding::shown(CommandKind::Writes, rule, word, why)
    }

    /// A read from somebody outside; `program` as in rules: `gh.pr.list`.
    pub fn network(reach: Reach, program: &str, word: &Word) -> Finding {
        let partner = match &reach {
            Reach::Host(name) | Reach::Daemon(name) => name.as_str(),
            Reach::AnyHost => "a host that is not known beforehand",
        };
        let why = format!("`{}` talks to {partner}", program.replace('.', " "));
        Finding { reach: vec![reach], ..Finding::shown(CommandKind::Network, program, word, why) }
    }

    /// A read that needs a service on this machine, such as docker's. It stays `Reads`; the gate sees the need in `reach`.
    pub fn daemon(name: &str) -> Finding {
        Finding { reach: vec![Reach::Daemon(name.into())], ..Finding::reads() }
    }

    /// Whether it talks to somebody on the network.
    pub fn reaches_network(&self) -> bool {
        self.reach.iter().any(|reach| match reach {
            Reach::Host(_) | Reach::AnyHost => true,
            Reach::Daemon(_) => false,
        })
    }

    /// Notes what leaves with it.
    pub fn send(&mut self, what: String) {
        if self.sends.len() < Self::MAX_SENDS && !self.sends.contains(&what) {
            self.sends.push(what);
        }
    }

    /// Both together: the stronger kind, all evidence (bounded), all reach.
    #[must_use]
    pub fn and(mut self, other: Finding) -> Finding {
        self.kind = self.kind.max(other.kind);
        self.evidence.extend(other.evidence);
        self.evidence.sort_by_key(|e| std::cmp::Reverse(e.kind));
        let over = self.evidence.len().saturating_sub(Self::MAX_EVIDENCE);
        self.unlisted = self.unlisted.saturating_add(other.unlisted).saturating_add(over);
        self.evidence.truncate(Self::MAX_EVIDENCE);
        self.reach.extend(other.reach);
        self.reach.sort();
        self.reach.dedup();
        if self.reach.len() > Self::MAX_REACH {
            self.reach.truncate(Self::MAX_REACH - 1);
            self.reach.push(Reach::AnyHost);
        }
        for sent in other.sends {
            self.send(sent);
        }
        self.paths.extend(other.paths);
        self.paths.truncate(Self::MAX_PATHS);
        self.commands.extend(other.commands);
        self.writes_plan |= other.writes_plan;
        self
    }
}

/// A text short enough to show.
pub fn quoted(text: &str) -> String {
    const MAX_QUOTED: usize = 120;
    fore_text::cut::ellipsis(text, MAX_QUOTED).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_its_port_have_one_spelling_or_may_be_any() {
        let page = [
            ("docs.rs", 443, "docs.rs"),
            ("Docs.RS.", 80, "docs.rs"),
            ("user:word@docs.rs", 443, "docs.rs"),
            ("docs.rs:443", 80, "docs.rs"),
            ("docs.rs:8443", 443, "docs.rs:8443"),
            ("localhost:3000", 80, "localhost:3000"),
            ("example.org", 22, "example.org:22"),
            ("127.0.0.1:80", 80, "127.0.0.1"),
            ("[::1]", 80, "::1"),
            ("[0:0::1]:8080", 80, "[::1]:8080"),
            ("[::1", 80, "any"),
            ("[::1]x", 80, "any"),
            ("docs.rs:", 80, "any"),
            ("docs.rs:+80", 80, "any"),
            ("docs.rs:0", 80, "any"),
            ("docs.rs:65536", 80, "any"),
            ("docs.rs:1:2", 80, "any"),
            ("2130706433", 80, "any"),
            ("0x7f.0x1", 80, "any"),
            ("0177.0.0.1", 80, "any"),
            ("127.1", 80, "any"),
            ("a..b", 80, "any"),
            ("-oProxyCommand=x", 22, "any"),
            ("{a,b}.c", 80, "any"),
            ("", 80, "any"),
        ];
        for (text, usual, expected) in page {
            let expected = if expected == "any" { Reach::AnyHost } else { Reach::Host(expected.into()) };
            assert_eq!(Reach::authority(text, usual), expected, "{text:?} at {usual}");
        }
    }
}
