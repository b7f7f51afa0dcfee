//! A yes for others of the same kind: edits in a folder of the project, commands that begin alike, part by part. Never while planning, and
//! never for what changes anything else or talks to somebody.

use super::{
    Action, AllowScope, Ground,
    parts::{self, PartKind},
    table::GateRow,
};
use crate::{mode::Level, state::State};
use fore_shell::{CommandKind, Finding};
use std::path::Path;

/// Commands that run one thing of the project, whatever follows their first words. Not on the list is what runs anything it is told
/// to (interpreters, `npx`, `uv run`), and what takes what follows for more to do: `make test deploy`.
struct ProjectRunner {
    /// How it begins; `*` is the name of a script.
    words: &'static [&'static str],
    /// Options that only choose what of the project is run, or how much is said of it. Any other could bring code along.
    options: &'static [&'static str],
    /// Whether `--` hands all that follows to the project's own code.
    hands_on: bool,
    /// The one thing that it is known to change: the project's own sources, by their usual form.
    writes: Option<&'static str>,
}

const SCRIPT: &[&str] = &["--silent", "-s", "--if-present"];
const CARGO: &[&str] = &[
    "--all",
    "--all-features",
    "--all-targets",
    "--bin",
    "--bins",
    "--example",
    "--examples",
    "--features",
    "-F",
    "--lib",
    "--locked",
    "--no-default-features",
    "--no-fail-fast",
    "--offline",
    "--package",
    "-p",
    "--quiet",
    "-q",
    "--release",
    "-r",
    "--test",
    "--tests",
    "--verbose",
    "-v",
    "--workspace",
];
const GO: &[&str] = &["-count", "-cover", "-failfast", "-race", "-run", "-short", "-v"];
const PYTEST: &[&str] = &["-k", "-m", "-q", "-s", "-v", "-vv", "-x", "--ff", "--lf"];

const fn script(words: &'static [&'static str]) -> ProjectRunner {
    ProjectRunner { words, options: SCRIPT, hands_on: true, writes: None }
}

const fn cargo(words: &'static [&'static str], hands_on: bool) -> ProjectRunner {
    ProjectRunner { words, options: CARGO, hands_on, writes: None }
}

const fn tests(words: &'static [&'static str], options: &'static [&'static str]) -> ProjectRunner {
    ProjectRunner { words, options, hands_on: false, writes: None }
}

const FORMATS: ProjectRunner = ProjectRunner {
    words: &["cargo", "fmt"],
    options: &["--all", "--check", "--package", "-p", "--quiet", "-q", "--verbose", "-v"],
    hands_on: false,
    writes: Some("cargo.fmt"),
};

const RUNNERS: [ProjectRunner; 25] = [
    FORMATS,
    script(&["npm", "test"]),
    script(&["npm", "run", "*"]),
    script(&["pnpm", "test"]),
    script(&["pnpm", "run", "*"]),
    script(&["yarn", "test"]),
    script(&["yarn", "run", "*"]),
    // Of a name that is no script it runs the program of that name: `bun run rm`.
    script(&["bun", "run", "test"]),
    script(&["bun", "run", "build"]),
    cargo(&["cargo", "test"], true),
    cargo(&["cargo", "nextest", "run"], true),
    cargo(&["cargo", "bench"], true),
    cargo(&["cargo", "run"], true),
    cargo(&["cargo", "build"], false),
    cargo(&["cargo", "check"], false),
    cargo(&["cargo", "clippy"], false),
    tests(&["go", "test"], GO),
    tests(&["go", "build"], &["-race", "-v"]),
    tests(&["go", "vet"], &["-v"]),
    tests(&["pytest"], PYTEST),
    tests(&["uv", "run", "pytest"], PYTEST),
    tests(&["poetry", "run", "pytest"], PYTEST),
    tests(&["bundle", "exec", "rspec"], &[]),
    tests(&["mix", "test"], &[]),
    tests(&["dotnet", "test"], &[]),
];

/// The kinds that this very action belongs to, for each of its parts the narrowest first. What covers every part covers it; nothing does
/// where there are no parts.
pub(super) fn kinds(
    ground: &Ground<'_>,
    action: &Action,
    row: GateRow,
    finding: Option<&Finding>,
) -> Vec<Vec<AllowScope>> {
    match (action, finding) {
        (Action::Edit { target, .. }, _) if row == GateRow::EditProject => {
            let folders = Path::new(&target.real).ancestors().skip(1);
            let inside = folders.take_while(|folder| folder.starts_with(ground.project));
            let names = inside.filter_map(Path::to_str);
            vec![names.map(|folder| AllowScope::EditsIn { folder: folder.to_owned() }).collect()]
        }
        (Action::Run { command, cwd, rehearse: false }, Some(finding))
            if matches!(row, GateRow::ShellRuns | GateRow::ShellWrites)
                && finding.reach.is_empty()
                && finding.sends.is_empty() =>
        {
            command_kinds(parts::kinds(ground, command, cwd).unwrap_or_default())
        }
        _ => Vec::new(),
    }
}

/// Nothing unless some part begins like others: exactly this command can be allowed as a whole.
fn command_kinds(parts: Vec<PartKind>) -> Vec<Vec<AllowScope>> {
    let is_alike = parts.iter().any(|part| matches!(part, PartKind::Alike(_)));
    let mut kinds: Vec<Vec<AllowScope>> = Vec::new();
    for part in parts.into_iter().filter(|_| is_alike) {
        match part {
            PartKind::Silent => {}
            PartKind::Alike(scope) | PartKind::Exact(scope) => {
                let kind = vec![scope];
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
    }
    kinds
}

/// Whether every part has a kind that is allowed.
pub(super) fn covers(kinds: &[Vec<AllowScope>], is_allowed: impl Fn(&AllowScope) -> bool) -> bool {
    !kinds.is_empty() && kinds.iter().all(|part| part.iter().any(&is_allowed))
}

/// The kinds that are offered, one for each part. The whole project only where a mode that accepts edits is open, too.
pub(super) fn offered(kinds: Vec<Vec<AllowScope>>, ground: &Ground<'_>, state: &State) -> Vec<AllowScope> {
    let narrowest: Option<Vec<AllowScope>> = kinds.into_iter().map(|part| part.into_iter().next()).collect();
    let may_be_offered = |scope: &AllowScope| match scope {
        AllowScope::EditsIn { folder } => Path::new(folder) != ground.project || state.may_use(Level::AcceptEdits),
        AllowScope::CommandsLike { .. } | AllowScope::Command { .. } => true,
        AllowScope::Host(_)
        | AllowScope::Service(_)
        | AllowScope::WebSearch
        | AllowScope::McpTool { .. }
        | AllowScope::Edits { .. } => false,
    };
    narrowest.filter(|scopes| scopes.iter().all(may_be_offered)).unwrap_or_default()
}

/// The beginnings that may be allowed for good, where every part has one.
pub(super) fn always_offered(kinds: &[Vec<AllowScope>], ground: &Ground<'_>, state: &State) -> Vec<String> {
    let beginning = |part: &Vec<AllowScope>| always(part.first()?, ground, state).map(str::to_owned);
    kinds.iter().map(beginning).collect::<Option<Vec<String>>>().unwrap_or_default()
}

/// The beginning that may be allowed for good: of commands in the project's own folder, where the person trusts it. Not of
/// edits: there is a mode for those.
fn always<'scope>(scope: &'scope AllowScope, ground: &Ground<'_>, state: &State) -> Option<&'scope str> {
    match scope {
        AllowScope::CommandsLike { cwd, words } => {
            (Path::new(cwd) == ground.project && state.may_use(Level::AcceptEdits)).then_some(words)
        }
        AllowScope::Host(_)
        | AllowScope::Service(_)
        | AllowScope::WebSearch
        | AllowScope::Command { .. }
        | AllowScope::McpTool { .. }
        | AllowScope::Edits { .. }
        | AllowScope::EditsIn { .. } => None,
    }
}

/// Whether the person has allowed it for good.
pub(super) fn is_always_allowed(scope: &AllowScope, ground: &Ground<'_>, state: &State) -> bool {
    let allowed = &ground.settings.always_run;
    always(scope, ground, state).is_some_and(|words| allowed.iter().any(|known| known == words))
}

/// The words that a command is known by: it is a single one that runs code of the project and nothing else, and talks to nobody.
pub(super) fn beginning(finding: &Finding) -> Option<Vec<&str>> {
    let [command] = finding.commands.as_slice() else { return None };
    if !finding.reach.is_empty() || !finding.sends.is_empty() {
        return None;
    }
    let words: Vec<&str> = command.iter().map(Option::as_deref).collect::<Option<_>>()?;
    let runner = RUNNERS.iter().find(|runner| runner.begins(&words))?;
    let (beginning, rest) = words.split_at_checked(runner.words.len())?;
    let does_no_more = match finding.kind {
        CommandKind::Runs => true,
        CommandKind::Writes => runner.writes.is_some_and(|rule| {
            finding.unlisted == 0 && !finding.evidence.is_empty() && finding.evidence.iter().all(|one| one.rule == rule)
        }),
        CommandKind::Reads | CommandKind::Network | CommandKind::Unknown => false,
    };
    (does_no_more && runner.takes(rest)).then(|| beginning.to_vec())
}

impl ProjectRunner {
    fn begins(&self, words: &[&str]) -> bool {
        let is_met = |(wanted, word): (&&str, &&str)| if *wanted == "*" { is_script(word) } else { wanted == word };
        words.len() >= self.words.len() && self.words.iter().zip(words).all(is_met)
    }

    fn takes(&self, rest: &[&str]) -> bool {
        let is_end = |word: &&str| self.hands_on && *word == "--";
        rest.iter().take_while(|word| !is_end(word)).all(|word| {
            let name = word.split_once('=').map_or(*word, |(name, _)| name);
            if word.starts_with('-') { self.options.contains(&name) } else { is_of_project(word) }
        })
    }
}

/// The name of a script, and of no program that runs whatever it is told (`yarn run node`).
fn is_script(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ':');
    word.starts_with(char::is_alphanumeric) && word.chars().all(is_letter) && !super::commands::is_interpreter(word)
}

/// A name, a filter, or a path that leads to nowhere else: no setting (`SHELL=…`), no pattern that other words could come of, no
/// expression, no version of somebody else's package.
fn is_of_project(word: &str) -> bool {
    let leads_away = word.starts_with(['/', '~']) || word.split('/').any(|part| part == "..");
    !leads_away && !word.contains(['=', '(', '*', '?', '[', '{', '@', '\\', '$', '`'])
}
