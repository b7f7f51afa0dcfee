//! Makes findings out of what a table saw: the rule, the word, the reason.

use std::path::{Component, Path, PathBuf};

use crate::{
    context::Context,
    finding::{Evidence, Finding, Kind, Reach},
    word::{Opaque, Value, Word},
};

use super::{
    grammar::Reaches,
    seen::{Given, Scan},
};

/// Longest piece of a word that is quoted in evidence.
const MOST_QUOTED: usize = 120;

/// A finding with one reason. `Reads` needs none.
pub(super) fn because(kind: Kind, rule: String, word: &Word, why: String) -> Finding {
    if kind == Kind::Reads {
        return Finding::reads();
    }
    Finding::because(Evidence { kind, rule, word: quoted(&word.source), span: word.span, why })
}

/// The reason that something about a word is not known.
pub(super) fn unknown(rule: String, word: &Word, why: String) -> Finding {
    because(Kind::Unknown, rule, word, why)
}

/// A text short enough to show.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MOST_QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_string(),
    }
}

/// What talking to this partner makes of a read.
pub(super) fn reaching(reaches: Reaches, program: &str, word: &Word, context: &Context<'_>) -> Finding {
    let reach = match reaches {
        Reaches::Inherit | Reaches::Nobody => return Finding::reads(),
        Reaches::Daemon(name) => return Finding::daemon(name),
        Reaches::AnyHost => Reach::AnyHost,
        Reaches::Host(name) => Reach::host(name, 443),
        Reaches::Configured(partner) => {
            let each = context.hosts(partner, context.cwd.as_deref()).into_iter();
            return each.map(|reach| network(reach, program, word)).fold(Finding::reads(), Finding::and);
        }
    };
    network(reach, program, word)
}

/// Whom an option names as the registry, besides the one that the configuration names.
pub(super) fn registry_of(options: &str, seen: &Scan<'_>) -> Option<Finding> {
    let named = match seen.value(options)? {
        Given::Text(url) => url
            .trim_start_matches("sparse+")
            .strip_prefix("https://")
            .map(|rest| Reach::authority(rest.split(['/', '?', '#']).next().unwrap_or_default(), 443)),
        Given::Nothing | Given::Something => None,
    };
    Some(network(named.unwrap_or(Reach::AnyHost), seen.name, seen.program))
}

/// A read from somebody outside.
pub(super) fn network(reach: Reach, program: &str, word: &Word) -> Finding {
    let partner = match &reach {
        Reach::Host(name) => name.as_str(),
        Reach::AnyHost => "a host that is not known beforehand",
        Reach::Daemon(name) => name.as_str(),
    };
    let why = format!("`{}` talks to {partner}", program.replace('.', " "));
    let mut finding = because(Kind::Network, program.to_string(), word, why);
    finding.reach.push(reach);
    finding
}

/// Adds a path that is read, as an absolute path, if its place is known.
pub(super) fn read_path(finding: &mut Finding, path: &str, context: &Context<'_>) {
    if path.is_empty() || path == "-" || finding.paths.len() >= Finding::MOST_PATHS {
        return;
    }
    if let Some(path) = absolute(path, context) {
        finding.paths.push(path);
    }
}

/// The absolute form of a path, `.` and `..` taken away by spelling alone.
pub(super) fn absolute(path: &str, context: &Context<'_>) -> Option<String> {
    let full = if path.starts_with('/') { PathBuf::from(path) } else { context.cwd.as_ref()?.join(path) };
    let mut parts: Vec<&std::ffi::OsStr> = Vec::new();
    for part in full.components() {
        match part {
            Component::Normal(name) => parts.push(name),
            Component::ParentDir => {
                parts.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    let mut text = String::with_capacity(path.len() + 1);
    for part in parts {
        text.push('/');
        text.push_str(part.to_str()?);
    }
    if text.is_empty() {
        text.push('/');
    }
    Some(text)
}

/// What writing to this path does where that changes nothing but the plan: it is the plan itself, or a sink.
pub(super) fn written(path: &str, context: &Context<'_>) -> Option<Finding> {
    if matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr") {
        return Some(Finding::reads());
    }
    is_plan(path, context).then(|| Finding { writes_plan: true, ..Finding::reads() })
}

fn is_plan(path: &str, context: &Context<'_>) -> bool {
    let Some(plan) = context.facts.plan_file else {
        return false;
    };
    // `..` behind a link may lead elsewhere than its spelling says.
    if Path::new(path).components().any(|part| part == Component::ParentDir) {
        return false;
    }
    absolute(path, context).is_some_and(|path| Path::new(&path) == plan)
}

/// Something decided at run time that may be anything at all: what `xargs` adds.
pub(super) fn anything(source: &str) -> Word {
    let opaque = Opaque { prefix: String::new(), may_be_empty: true, may_split: true, may_be_option: true };
    Word { value: Value::Opaque(opaque), source: source.to_string(), span: None }
}
