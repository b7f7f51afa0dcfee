//! Finds scenarios, plays them side by side over all their protocols, and says which pages are not as expected.

use super::{Played, compare::difference, format::Scenario, play};
use crate::protocol::WireProtocol;
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Set to write the pages instead of comparing them.
const UPDATE: &str = "UPDATE_SCENARIOS";
/// Scenarios that are played at once for each core: they mostly wait.
const FOR_EACH_CORE: usize = 3;

/// A folder of scenarios and the program they are about.
#[derive(Debug)]
pub struct Suite {
    /// The program.
    pub program: PathBuf,
    /// The folder whose folders are scenarios.
    pub scenarios: PathBuf,
    /// Where temporary folders are made.
    pub scratch: PathBuf,
}

/// Plays the scenarios whose names contain a word of the command line, all without one, as a test program does.
pub fn main(suite: &Suite) -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let names = match names(&suite.scenarios) {
        Ok(names) => names,
        Err(trouble) => {
            eprintln!("{trouble}");
            return ExitCode::FAILURE;
        }
    };
    let names: Vec<String> =
        names.into_iter().filter(|name| words.is_empty() || words.iter().any(|word| name.contains(word))).collect();
    if std::env::args().any(|word| word == "--list") {
        names.iter().for_each(|name| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} scenarios", names.len());
    let failed = suite.play_all(&names);
    for (name, why) in &failed {
        println!("\n---- {name} ----\n{why}");
    }
    let word = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {word}. {} passed; {} failed\n", names.len() - failed.len(), failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let is_scenario = |path: &PathBuf| path.join("scenario.json").is_file();
    let paths = entries.flatten().map(|entry| entry.path()).filter(is_scenario);
    let mut names: Vec<String> =
        paths.filter_map(|path| path.file_name().and_then(|name| name.to_str()).map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

impl Suite {
    /// The scenarios that failed, with the reason, in order.
    fn play_all(&self, names: &[String]) -> Vec<(String, String)> {
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let workers = std::thread::available_parallelism().map_or(2, usize::from) * FOR_EACH_CORE;
        std::thread::scope(|scope| {
            for _ in 0..workers.min(names.len()) {
                scope.spawn(|| {
                    while let Some(name) = names.get(next.fetch_add(1, Ordering::SeqCst)) {
                        let outcome = self.play_one(name);
                        let word = if outcome.is_ok() { "ok" } else { "FAILED" };
                        println!("test {name} ... {word}");
                        if let Err(why) = outcome {
                            failed.lock().unwrap_or_else(PoisonError::into_inner).push((name.clone(), why));
                        }
                    }
                });
            }
        });
        let mut failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.sort();
        failed
    }

    /// One scenario over all its protocols; the first page is compared with the expected one, the others with the first.
    fn play_one(&self, name: &str) -> Result<(), String> {
        let folder = self.scenarios.join(name);
        let protocols = Scenario::read(&folder)?.protocols;
        let mut first: Option<(WireProtocol, String)> = None;
        for protocol in protocols {
            let Played { page, problems } =
                play(self, &folder, protocol).map_err(|trouble| format!("over {protocol}: {trouble}"))?;
            if !problems.is_empty() {
                return Err(format!("over {protocol}: {}\n\nwhat was seen:\n{page}", problems.join("\n")));
            }
            match &first {
                None => {
                    expect(&folder, &page).map_err(|why| format!("over {protocol}: {why}"))?;
                    first = Some((protocol, page));
                }
                Some((other, expected)) if *expected != page => {
                    let shown = difference(expected, &page);
                    return Err(format!("over {protocol} (+) it goes otherwise than over {other} (-):\n{shown}"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "pages are written when the person asks for it")]
fn expect(folder: &Path, page: &str) -> Result<(), String> {
    let path = folder.join("expected.txt");
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == page {
        return Ok(());
    }
    if std::env::var_os(UPDATE).is_some_and(|value| !value.is_empty() && value != "0") {
        return std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()));
    }
    let shown = difference(&expected, page);
    Err(format!(
        "the page is not as expected (- expected, + found):\n{shown}\n\nTo accept it: {UPDATE}=1 cargo test -p fore --test scenarios"
    ))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test writes a story and a program for it")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    /// A program that says that it began, repeats the first line it is told, and ends.
    const PARROT: &str = "#!/bin/sh\n\
        echo '{\"event\":\"started\",\"mode\":\"plan\"}'\n\
        read -r line\n\
        echo '{\"event\":\"prompt-taken\",\"text\":\"heard\"}'\n\
        exit 3\n";

    fn story(person: &str) -> (tempfile::TempDir, Suite) {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(path("stories/one/workspace")).unwrap();
        std::fs::create_dir(path("scratch")).unwrap();
        std::fs::write(path("parrot"), PARROT).unwrap();
        std::fs::set_permissions(path("parrot"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let scenario = format!(r#"{{"tells": "It listens.", "covers": ["A1"], "runs": [{{"person": {person}}}]}}"#);
        std::fs::write(path("stories/one/scenario.json"), scenario).unwrap();
        std::fs::write(path("stories/one/model.json"), r#"{"turns": []}"#).unwrap();
        let suite = Suite { program: path("parrot"), scenarios: path("stories"), scratch: path("scratch") };
        (folder, suite)
    }

    const PAGE: &str = "It listens.\ncovers: A1\n\n== fore\nsession in plan\n> says: Hello\nprompt: heard\n(exit code 3)\n\n\
        == what the model was told\n\n== what changed on disk\nworkspace: as it was\n";

    #[test]
    fn a_story_that_goes_as_expected_passes_and_another_page_is_shown_as_a_difference() {
        let (folder, suite) = story(r#"[{"prompt": "Hello"}]"#);
        let page = folder.path().join("stories/one/expected.txt");
        std::fs::write(&page, PAGE).unwrap();
        assert_eq!(suite.play_one("one"), Ok(()));
        std::fs::write(&page, PAGE.replace("heard", "ignored")).unwrap();
        let why = suite.play_one("one").unwrap_err();
        let expected = "over anthropic: the page is not as expected (- expected, + found):\n  …\n  session in plan\n  > says: Hello\n\
            - prompt: ignored\n+ prompt: heard\n  (exit code 3)\n  \n  …\n\n\
            To accept it: UPDATE_SCENARIOS=1 cargo test -p fore --test scenarios";
        assert_eq!(why, expected);
    }

    #[test]
    fn a_moment_that_never_comes_fails_with_what_was_seen() {
        let (_folder, suite) = story(r#"[{"prompt": "Hello"}, {"await": {"event": "asked"}}, {"reply": "yes"}]"#);
        let why = suite.play_one("one").unwrap_err();
        let expected = "over anthropic: it never came to this: Await(Object {\"event\": String(\"asked\")})\n\
            it never came to this: Reply(\"yes\")\n\nwhat was seen:\n";
        assert_eq!(why, format!("{expected}{PAGE}"));
    }
}
