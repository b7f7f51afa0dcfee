//! Which kind of project it is, by its manifests, and how such a project is checked.

use super::calls::ScoutCall;
use super::evidence::ScoutEvidence;
use super::source::FileKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// One kind of project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ecosystem {
    pub(super) name: &'static str,
    /// Names or, with a leading `*`, endings of the files that tell it.
    manifests: &'static [&'static str],
    /// A check that is quick and says something.
    check: Option<&'static str>,
    tests: &'static str,
}

const ECOSYSTEMS: [Ecosystem; 16] = [
    row(
        "Rust",
        &["Cargo.toml"],
        Some("cargo metadata --offline --no-deps --format-version 1 > /dev/null"),
        "cargo test",
    ),
    row("JavaScript or TypeScript", &["package.json"], None, "npm test"),
    row("Deno", &["deno.json", "deno.jsonc"], None, "deno test"),
    row(
        "Python",
        &["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "tox.ini", "Pipfile"],
        Some("python3 -m pytest --collect-only -q"),
        "python3 -m pytest",
    ),
    row("Go", &["go.mod"], Some("go list ./..."), "go test ./..."),
    row("Java with Maven", &["pom.xml"], None, "mvn test"),
    row("Gradle", &["build.gradle", "build.gradle.kts"], None, "gradle test"),
    row(".NET", &["*.sln", "*.csproj", "*.fsproj"], None, "dotnet test"),
    row("Ruby", &["Gemfile"], None, "bundle exec rake test"),
    row("PHP", &["composer.json"], None, "composer test"),
    row("Elixir", &["mix.exs"], None, "mix test"),
    row("Swift", &["Package.swift"], None, "swift test"),
    row("Dart", &["pubspec.yaml"], None, "dart test"),
    row("Zig", &["build.zig"], None, "zig build test"),
    row("CMake", &["CMakeLists.txt"], None, "cmake -B build && cmake --build build && ctest --test-dir build"),
    row("Make", &["Makefile", "makefile", "GNUmakefile"], None, "make test"),
];

const fn row(
    name: &'static str,
    manifests: &'static [&'static str],
    check: Option<&'static str>,
    tests: &'static str,
) -> Ecosystem {
    Ecosystem { name, manifests, check, tests }
}

/// A manifest and what it tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Project {
    pub(super) ecosystem: Ecosystem,
    pub(super) manifest: String,
}

impl Project {
    fn of(path: &str) -> Option<Project> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let tells = |manifest: &str| match manifest.strip_prefix('*') {
            Some(ending) => name.ends_with(ending),
            None => name == manifest,
        };
        let ecosystem = ECOSYSTEMS.iter().find(|row| row.manifests.iter().any(|manifest| tells(manifest)))?;
        Some(Project { ecosystem: *ecosystem, manifest: path.to_owned() })
    }

    pub(super) fn folder(&self) -> &str {
        self.manifest.rsplit_once('/').map_or("", |(folder, _)| folder)
    }
}

/// The projects at the top, then the one nearest to a file where that is another; each ecosystem of a folder once.
pub(super) fn projects(known: &BTreeSet<String>, file: Option<&str>) -> Vec<Project> {
    let is_own = |path: &&String| FileKind::of(path) != FileKind::Generated;
    let all: Vec<Project> = known.iter().filter(is_own).filter_map(|path| Project::of(path)).collect();
    let depth = |project: &Project| project.folder().len();
    let holds = |project: &&Project, file: &str| {
        project.folder().is_empty() || file.strip_prefix(project.folder()).is_some_and(|rest| rest.starts_with('/'))
    };
    let nearest =
        file.and_then(|file| all.iter().filter(|project| holds(project, file)).max_by_key(|held| depth(held)));
    let mut chosen: Vec<Project> = Vec::new();
    let in_order = |row: &Ecosystem| ECOSYSTEMS.iter().position(|other| other.name == row.name);
    let mut top: Vec<&Project> = all.iter().filter(|project| project.folder().is_empty()).collect();
    top.sort_by_key(|project| (in_order(&project.ecosystem), project.manifest.clone()));
    for project in nearest.into_iter().filter(|near| !near.folder().is_empty()).chain(top) {
        let is_held =
            chosen.iter().any(|held| held.ecosystem == project.ecosystem && held.folder() == project.folder());
        if !is_held {
            chosen.push(project.clone());
        }
    }
    if chosen.is_empty() {
        chosen.extend(all.into_iter().min_by_key(|project| (depth(project), project.manifest.clone())));
    }
    chosen
}

/// What most files of a project without a manifest are written in: a folder with only `a.py` is Python.
pub(super) fn language(known: &BTreeSet<String>) -> Option<&'static str> {
    let named = |path: &String| {
        let (_, ending) = path.rsplit_once('.')?;
        LANGUAGES.iter().find(|(endings, _)| endings.contains(&ending)).map(|(_, name)| *name)
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in known.iter().filter(|path| FileKind::of(path) != FileKind::Generated).filter_map(named) {
        *counts.entry(name).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(name, count)| (*count, std::cmp::Reverse(*name))).map(|(name, _)| name)
}

const LANGUAGES: [(&[&str], &str); 22] = [
    (&["rs"], "Rust"),
    (&["py", "pyi", "ipynb"], "Python"),
    (&["js", "jsx", "mjs", "cjs"], "JavaScript"),
    (&["ts", "tsx", "mts", "cts"], "TypeScript"),
    (&["go"], "Go"),
    (&["java"], "Java"),
    (&["kt", "kts"], "Kotlin"),
    (&["c", "h"], "C"),
    (&["cc", "cpp", "cxx", "hpp", "hh"], "C++"),
    (&["cs"], "C#"),
    (&["rb"], "Ruby"),
    (&["php"], "PHP"),
    (&["swift"], "Swift"),
    (&["scala"], "Scala"),
    (&["sh", "bash", "zsh"], "Shell"),
    (&["lua"], "Lua"),
    (&["ex", "exs"], "Elixir"),
    (&["hs"], "Haskell"),
    (&["r"], "R"),
    (&["html", "htm", "css"], "HTML"),
    (&["sql"], "SQL"),
    (&["md", "rst", "adoc"], "Text"),
];

/// The check of the project that lies at the top.
pub(super) fn check(projects: &[Project]) -> Option<ScoutCall> {
    let top = projects.iter().filter(|project| project.folder().is_empty());
    top.filter_map(|project| project.ecosystem.check).next().map(ScoutCall::Check)
}

/// Commands that verify a change in this project, the narrowest first.
pub(super) fn commands(
    projects: &[Project],
    tests: &[String],
    evidence: &ScoutEvidence,
    text_of: &dyn Fn(&str) -> String,
) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for project in projects {
        let text = text_of(&project.manifest);
        let of_project = match project.ecosystem.name {
            "Rust" => cargo(project, &text, tests),
            "JavaScript or TypeScript" => node(project, &text, evidence),
            "Python" => python(tests, evidence),
            "Go" => go(tests),
            "Gradle" if evidence.top.contains("gradlew") => vec!["./gradlew test".to_owned()],
            "Ruby" if evidence.folders.contains("spec") || evidence.top.contains(".rspec") => {
                vec!["bundle exec rspec".to_owned()]
            }
            "Make" => make(&text),
            _ => vec![project.ecosystem.tests.to_owned()],
        };
        let inside = |command: String| match (project.ecosystem.name, project.folder()) {
            (_, "") | ("Rust" | "Python" | "Go", _) => command,
            (_, folder) => format!("(cd {folder} && {command})"),
        };
        commands.extend(of_project.into_iter().map(inside));
    }
    let mut seen = BTreeSet::new();
    commands.retain(|command| seen.insert(command.clone()) && command.chars().all(|c| !c.is_control() && c != '`'));
    commands
}

fn cargo(project: &Project, manifest: &str, tests: &[String]) -> Vec<String> {
    let package = section(manifest, "[package]")
        .and_then(|lines| lines.lines().find_map(|line| line.trim().strip_prefix("name")?.trim().strip_prefix('=')))
        .map(|name| name.trim().trim_matches('"'))
        .filter(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_')));
    let command = match package.filter(|_| !project.folder().is_empty()) {
        Some(package) => format!("cargo test -p {package}"),
        None => "cargo test".to_owned(),
    };
    let folder = if project.folder().is_empty() { String::new() } else { format!("{}/", project.folder()) };
    let own = tests.iter().filter_map(|test| test.strip_prefix(&format!("{folder}tests/"))?.strip_suffix(".rs"));
    let narrow = own.filter(|name| !name.contains('/')).take(2).map(|name| format!("{command} --test {name}"));
    narrow.chain([command.clone()]).collect()
}

/// The lines of a section of a TOML file.
fn section<'a>(text: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(heading)?;
    Some(rest.split_once("\n[").map_or(rest, |(lines, _)| lines))
}

fn node(project: &Project, manifest: &str, evidence: &ScoutEvidence) -> Vec<String> {
    let lock = |name: &str| {
        let path = if project.folder().is_empty() { name.to_owned() } else { format!("{}/{name}", project.folder()) };
        evidence.top.contains(name) || evidence.known.contains(&path)
    };
    let runner = match () {
        () if lock("pnpm-lock.yaml") => "pnpm",
        () if lock("yarn.lock") => "yarn",
        () if lock("bun.lockb") || lock("bun.lock") => "bun",
        () => "npm",
    };
    let scripts = serde_json::from_str::<Value>(manifest).ok().and_then(|value| value.get("scripts").cloned());
    let has = |name: &&str| scripts.as_ref().is_some_and(|scripts| scripts.get(*name).is_some());
    let wanted = ["test", "typecheck", "type-check", "check", "lint", "build"];
    wanted.iter().filter(|name| has(name)).take(4).map(|name| format!("{runner} run {name}")).collect()
}

fn python(tests: &[String], evidence: &ScoutEvidence) -> Vec<String> {
    let whole = if evidence.top.contains("manage.py") { "python3 manage.py test" } else { "python3 -m pytest" };
    let narrow = tests.iter().filter(|test| test.ends_with(".py") && !test.contains(' ')).take(2);
    let narrow = narrow.map(|test| format!("python3 -m pytest {test}"));
    narrow.chain([whole.to_owned()]).collect()
}

fn go(tests: &[String]) -> Vec<String> {
    let folder = tests.iter().find(|test| test.ends_with("_test.go")).and_then(|test| test.rsplit_once('/'));
    let narrow = folder.map(|(folder, _)| format!("go test ./{folder}"));
    narrow.into_iter().chain(["go test ./...".to_owned()]).collect()
}

fn make(manifest: &str) -> Vec<String> {
    let targets = ["test", "tests", "check", "lint"];
    let has = |target: &&&str| {
        manifest.lines().any(|line| line.strip_prefix(**target).is_some_and(|rest| rest.trim_start().starts_with(':')))
    };
    targets.iter().filter(has).map(|target| format!("make {target}")).collect()
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
