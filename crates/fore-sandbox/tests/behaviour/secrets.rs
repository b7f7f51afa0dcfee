//! Secrets are out of reach at every depth and under every name, for every cage and for whoever opens files for the model.

use crate::permitted::RunTyped;
use crate::workspaces::{Workspace, is_root, workspace};
use fore_plan::{Cage, Outside};
use fore_sandbox::open::{Links, NotOpened, Opener};
use fore_sandbox::{CageSettings, Cages, Ending, Job, JobCommand, RequiredBuild, RunOutcome, SessionFiles};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
pub(crate) const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
pub(crate) const SECRET: &str = "swordfish";

/// A home and a workspace, both real paths.
pub(crate) struct Place {
    _folder: Workspace,
    pub(crate) home: PathBuf,
    pub(crate) shop: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Place {
        let folder = workspace();
        let top = folder.path().canonicalize().unwrap();
        let (home, shop) = (top.join("home"), top.join("shop"));
        [&home, &shop].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        Place { _folder: folder, home, shop }
    }

    pub(crate) fn put(&self, path: &str, text: &str) {
        let path = self.shop.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn cages(&self, thickness: RequiredBuild) -> Arc<Cages> {
        let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
        Arc::new(Cages::new(
            CageSettings {
                home: Some(self.home.clone()),
                setup,
                required_build: thickness,
                ..crate::permitted::usual_settings()
            },
            &fore_commands::CATALOGUE,
        ))
    }

    /// Which of these names a command can read in a cage, of those that can be read outside.
    pub(crate) fn read_in<'a>(&self, cages: &Cages, cage: &Cage, names: &[&'a str]) -> Vec<&'a str> {
        names
            .iter()
            .copied()
            .filter(|name| {
                assert!(std::fs::read_to_string(self.shop.join(name)).unwrap().contains(SECRET), "{name}");
                let script = JobCommand::Script(format!("timeout 5 cat '{name}'"));
                let outcome = cages.run_typed(cage, Job::new(script, &self.shop)).unwrap();
                outcome.stdout.text().contains(SECRET)
            })
            .collect()
    }
}

fn make_pipe(path: &Path) {
    let name = std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
    // SAFETY: a valid C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o666) }, 0);
}

#[test]
fn cages_hide_secrets_at_every_depth_and_under_every_name() {
    for (cage, thickness) in [
        (READ_ONLY, RequiredBuild::Full),
        (READ_ONLY, RequiredBuild::LandlockOnly),
        (Cage::Rehearsal, RequiredBuild::Full),
        (WORKSPACE, RequiredBuild::Full),
    ] {
        let place = Place::new();
        let secrets = [
            ".env",
            "api/.env",
            "a/b/c/d/.env.prod",
            ".env.test",
            "web/.envrc",
            "tls/server.key",
            "deploy/id_rsa",
            "x/prod.env",
        ];
        secrets.iter().for_each(|name| place.put(name, SECRET));
        place.put("tls/server.pem", &format!("-----BEGIN PRIVATE KEY-----\n{SECRET}"));
        place.put(".npmrc", &format!("//registry.example.com/:_authToken={SECRET}"));
        let plain = ["README.md", ".env.example", "api/.env.sample", "tls/ca.pem", "web/.npmrc", "tls/id_rsa.pub"];
        plain.iter().for_each(|name| place.put(name, &format!("{SECRET} is a fish")));
        std::fs::hard_link(place.shop.join("api/.env"), place.shop.join("api/notes.txt")).unwrap();
        std::fs::hard_link(place.shop.join(".npmrc"), place.shop.join("settings.txt")).unwrap();
        std::os::unix::fs::symlink("../api/.env", place.shop.join("web/link")).unwrap();
        let cages = place.cages(thickness);
        let also = ["tls/server.pem", ".npmrc", "api/notes.txt", "web/link"];
        assert_eq!(place.read_in(&cages, &cage, &secrets), [""; 0], "{cage:?} {thickness:?}");
        assert_eq!(place.read_in(&cages, &cage, &also), [""; 0], "{cage:?} {thickness:?}");
        assert_eq!(place.read_in(&cages, &cage, &plain), plain, "{cage:?} {thickness:?}");
    }
}

#[test]
fn what_comes_after_the_first_run_is_hidden_too() {
    let place = Place::new();
    place.put("README.md", SECRET);
    place.put("old/deep/.env", SECRET);
    std::fs::create_dir(place.home.join(".ssh")).unwrap();
    std::fs::write(place.home.join(".ssh/id_rsa"), SECRET).unwrap();
    let cages = place.cages(RequiredBuild::Full);
    assert_eq!(place.read_in(&cages, &READ_ONLY, &["README.md", "old/deep/.env"]), ["README.md"]);
    place.put("new/deeper/still/.env", SECRET);
    place.put("token/.npmrc", &format!("_auth={SECRET}"));
    std::fs::hard_link(place.shop.join("new/deeper/still/.env"), place.shop.join("new/plain.txt")).unwrap();
    std::fs::hard_link(place.home.join(".ssh/id_rsa"), place.shop.join("key.txt")).unwrap();
    std::fs::hard_link(place.home.join(".ssh/id_rsa"), place.shop.join("plain.txt")).unwrap();
    std::fs::rename(place.shop.join("old"), place.shop.join("moved")).unwrap();
    place.put("was-plain", SECRET);
    std::fs::hard_link(place.shop.join("was-plain"), place.shop.join("new/.env")).unwrap();
    let names = [
        "new/deeper/still/.env",
        "token/.npmrc",
        "new/plain.txt",
        "key.txt",
        "plain.txt",
        "moved/deep/.env",
        "was-plain",
        "README.md",
    ];
    assert_eq!(place.read_in(&cages, &READ_ONLY, &names), ["README.md"]);
    std::fs::write(place.shop.join("token/.npmrc"), format!("registry=https://{SECRET}.example.com/")).unwrap();
    std::fs::remove_file(place.shop.join("new/.env")).unwrap();
    assert_eq!(place.read_in(&cages, &READ_ONLY, &["token/.npmrc"]), ["token/.npmrc"]);
}

#[test]
fn our_own_folder_shows_a_command_nothing_but_this_sessions_files() {
    let place = Place::new();
    let own = place.home.join(".forethought");
    for path in [
        "settings.json",
        "sessions/s2.jsonl",
        "plans/mine.md",
        "plans/other.md",
        "outputs/s1/0001.txt",
        "skills/a/SKILL.md",
    ] {
        std::fs::create_dir_all(own.join(path).parent().unwrap()).unwrap();
        std::fs::write(own.join(path), format!("{path}\n")).unwrap();
    }
    let session = SessionFiles { plans: vec![own.join("plans/mine.md")], outputs: Some(own.join("outputs/s1")) };
    let script = format!("cd {} 2>/dev/null || cd /; cat {0}/*/*.* {0}/*/*/*.* {0}/* 2>/dev/null", own.display());
    for (cage, thickness) in [
        (READ_ONLY, RequiredBuild::Full),
        (READ_ONLY, RequiredBuild::LandlockOnly),
        (Cage::Rehearsal, RequiredBuild::Full),
    ] {
        let job = Job { session: session.clone(), ..Job::new(JobCommand::Script(script.clone()), &place.shop) };
        let outcome = place.cages(thickness).run_typed(&cage, job).unwrap();
        let text = outcome.stdout.text();
        let mut seen: Vec<&str> = text.lines().collect();
        seen.sort_unstable();
        assert_eq!(seen, ["outputs/s1/0001.txt", "plans/mine.md", "skills/a/SKILL.md"], "{cage:?} {thickness:?}");
    }
}

#[test]
fn a_pipe_outside_is_not_drained() {
    let place = Place::new();
    let in_var = tempfile::Builder::new().prefix("fore-pipe-").tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(in_var.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let mut pipes = vec![place.home.join("pipe")];
    // A project that lies there uses its own pipes there.
    if !place.shop.starts_with("/var/tmp") {
        pipes.push(in_var.path().join("pipe"));
    }
    pipes.iter().for_each(|pipe| make_pipe(pipe));
    for cage in [READ_ONLY, Cage::Rehearsal] {
        for pipe in &pipes {
            // Both ends in one hand, so that what is written waits there.
            let mut both = std::fs::File::options().read(true).write(true).open(pipe).unwrap();
            std::io::Write::write_all(&mut both, SECRET.as_bytes()).unwrap();
            let script = JobCommand::Script(format!("timeout 1 head -c 9 '{}'", pipe.display()));
            let outcome = place.cages(RequiredBuild::Full).run_typed(&cage, Job::new(script, &place.shop)).unwrap();
            assert_eq!(outcome.stdout.text(), "", "{cage:?} {}", pipe.display());
            let mut left = [0; 9];
            both.read_exact(&mut left).unwrap();
            assert_eq!(left, SECRET.as_bytes());
        }
    }
}

#[test]
fn root_has_no_powers_over_what_others_keep_to_themselves() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let other = workspace();
    std::fs::set_permissions(other.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let key = other.path().join("letter");
    std::fs::write(&key, SECRET).unwrap();
    std::fs::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
    std::os::unix::fs::chown(&key, Some(1000), Some(1000)).unwrap();
    for cage in [READ_ONLY, Cage::Rehearsal, WORKSPACE] {
        let script = JobCommand::Script(format!(
            "cat {}; echo made > here && cat here; git init -q . && echo git",
            key.display()
        ));
        let outcome = place.cages(RequiredBuild::Full).run_typed(&cage, Job::new(script, &place.shop)).unwrap();
        let expected = if cage == READ_ONLY { "" } else { "made\ngit\n" };
        assert_eq!(outcome.stdout.text(), expected, "{cage:?}");
    }
}

#[test]
fn whoever_swaps_a_file_while_it_is_opened_gains_nothing() {
    let place = Place::new();
    place.put(".env", SECRET);
    place.put("plain", "harmless");
    let (notes, beside, env) = (place.shop.join("NOTES.md"), place.shop.join("beside"), place.shop.join(".env"));
    let opener = Opener::new(place.cages(RequiredBuild::Full), &place.shop);
    let stop = AtomicBool::new(false);
    let (mut refused, mut read) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                std::os::unix::fs::symlink(".env", &beside).unwrap();
                std::fs::rename(&beside, &notes).unwrap();
                std::fs::copy(place.shop.join("plain"), &beside).unwrap();
                std::fs::rename(&beside, &notes).unwrap();
                std::fs::hard_link(&env, &beside).unwrap();
                std::fs::rename(&beside, &notes).unwrap();
                std::fs::copy(place.shop.join("plain"), &beside).unwrap();
                std::fs::rename(&beside, &notes).unwrap();
            }
        });
        // Who looks for the secrets at each opening leaves little time for the opening itself, which is what the swaps must hit.
        let for_many = Opener::new(place.cages(RequiredBuild::Full), &place.shop).for_many();
        for round in 0..2_200 {
            let links = if round % 2 == 0 { Links::Followed } else { Links::Refused };
            let opener = if round % 11 == 0 { &opener } else { &for_many };
            match opener.open(&notes, links) {
                Ok(opened) => {
                    let text = std::io::read_to_string(opened.file).unwrap();
                    assert!(!text.contains(SECRET), "round {round}");
                    read += 1;
                }
                Err(NotOpened::Secret | NotOpened::Link | NotOpened::Missing) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(refused > 0 && read > 0, "{refused} refused, {read} read");
}

#[test]
fn nothing_is_opened_that_waits_or_acts_by_being_opened() {
    let place = Place::new();
    make_pipe(&place.shop.join("pipe"));
    let _socket = std::os::unix::net::UnixListener::bind(place.shop.join("socket")).unwrap();
    let opener = Opener::new(place.cages(RequiredBuild::Full), &place.shop);
    for links in [Links::Followed, Links::Refused] {
        let page = [("pipe", "a pipe"), ("socket", "a socket"), ("/dev/zero", "a device"), ("", "a folder")];
        for (name, expected) in page {
            let found = opener.open(&place.shop.join(name), links);
            assert!(
                matches!(found, Err(NotOpened::NotAFile(what)) if what.to_string() == expected),
                "{name}: {found:?}"
            );
        }
    }
}

/// Runs a command that waits until something has been done to the disk, and then reads. Gives what was heard of it.
pub(crate) fn run_around(
    place: &Place,
    cages: &Cages,
    cage: &Cage,
    read: &str,
    change: impl FnOnce() + Send,
) -> (RunOutcome, String) {
    place.put("go", "wait");
    let script = format!("echo ready; until [ \"$(<go)\" = now ]; do :; done; {read}; echo read");
    let (mut change, mut heard) = (Some(change), String::new());
    let mut listener = |_, bytes: &[u8]| {
        heard.push_str(&String::from_utf8_lossy(bytes));
        if let Some(change) = change.take() {
            change();
            // In place: a layer does not see a name that comes later, once it was asked for.
            std::fs::write(place.shop.join("go"), "now").unwrap();
        }
    };
    let job = Job { on_output: Some(&mut listener), ..Job::new(JobCommand::Script(script), &place.shop) };
    let outcome = cages.run_typed(cage, job).unwrap();
    let text = format!("{heard}{}{}", outcome.stdout.text(), outcome.stderr.text());
    (outcome, text)
}

#[test]
fn a_secret_that_comes_or_is_replaced_while_a_command_runs_ends_it_and_what_it_read_is_withheld() {
    type Change = fn(&Place);
    let changes: [(&str, &str, Change); 7] = [
        ("cat .env", ".env", |place| {
            std::fs::write(place.shop.join("beside"), SECRET).unwrap();
            std::fs::rename(place.shop.join("beside"), place.shop.join(".env")).unwrap();
        }),
        ("cat .env", ".env", |place| {
            std::fs::remove_file(place.shop.join(".env")).unwrap();
            place.put(".env", SECRET);
        }),
        ("cat new/.env.local", "new/.env.local", |place| place.put("new/.env.local", SECRET)),
        ("cat a/b/c/server.key", "a/b/c/server.key", |place| place.put("a/b/c/server.key", SECRET)),
        ("cat notes", "notes", |place| {
            std::fs::hard_link(place.shop.join(".env"), place.shop.join("notes")).unwrap();
        }),
        ("cat .npmrc", ".npmrc", |place| place.put(".npmrc", &format!("//r/:_authToken={SECRET}"))),
        ("cat moved/.env", "moved/.env", |place| {
            let outside = place.home.join("moved");
            std::fs::create_dir(&outside).unwrap();
            std::fs::write(outside.join(".env"), SECRET).unwrap();
            std::fs::rename(outside, place.shop.join("moved")).unwrap();
        }),
    ];
    for (cage, thickness) in [
        (READ_ONLY, RequiredBuild::Full),
        (READ_ONLY, RequiredBuild::LandlockOnly),
        (Cage::Rehearsal, RequiredBuild::Full),
    ] {
        for (number, (read, name, change)) in changes.iter().enumerate() {
            let place = Place::new();
            place.put(".env", SECRET);
            place.put(".npmrc", "registry=https://r.example.com/");
            let cages = place.cages(thickness);
            let (outcome, text) = run_around(&place, &cages, &cage, read, || change(&place));
            assert!(!text.contains(SECRET), "{number} {cage:?} {thickness:?}: {text}");
            assert_eq!(outcome.ending, Ending::SecretAppeared, "{number} {cage:?} {thickness:?}");
            assert_eq!(outcome.appeared, Some(place.shop.join(name)), "{number} {cage:?}");
            assert_eq!(outcome.would_change, None);
            let again = cages.run_typed(&cage, Job::new(JobCommand::Script((*read).to_owned()), &place.shop)).unwrap();
            assert!(!again.stdout.text().contains(SECRET), "{number} {cage:?} {thickness:?}");
        }
    }
}

#[test]
fn what_is_no_secret_comes_and_goes_without_ending_a_command() {
    for cage in [READ_ONLY, Cage::Rehearsal, WORKSPACE] {
        let place = Place::new();
        place.put(".env", SECRET);
        place.put("old/a", "a");
        let cages = place.cages(RequiredBuild::Full);
        let (outcome, text) = run_around(&place, &cages, &cage, "cat new/b .env.example", || {
            place.put("new/b", "b");
            place.put(".env.example", "A=");
            place.put("ca.pem", "-----BEGIN CERTIFICATE-----");
            std::fs::rename(place.shop.join("old"), place.shop.join("older")).unwrap();
            std::fs::remove_file(place.shop.join(".env")).unwrap();
        });
        assert_eq!((outcome.ending, outcome.appeared), (Ending::Itself, None), "{cage:?} {text}");
        assert!(text.contains("bA=read"), "{cage:?} {text}");
    }
}

#[test]
fn a_command_may_make_secrets_where_it_may_write_and_loses_none_of_its_output() {
    for cage in [Cage::Rehearsal, WORKSPACE] {
        let place = Place::new();
        place.put("README.md", "");
        let script = "echo A=1 > .env; mkdir deep; echo A=2 > deep/.env; cat .env deep/.env; echo done";
        let job = Job::new(JobCommand::Script(script.into()), &place.shop);
        let outcome = place.cages(RequiredBuild::Full).run_typed(&cage, job).unwrap();
        assert_eq!((outcome.stdout.text().as_ref(), outcome.ending), ("A=1\nA=2\ndone\n", Ending::Itself), "{cage:?}");
    }
    // But what was covered when it began can only be replaced by somebody else.
    let place = Place::new();
    place.put(".env", SECRET);
    let (outcome, text) = run_around(&place, &place.cages(RequiredBuild::Full), &WORKSPACE, "cat .env", || {
        std::fs::write(place.shop.join("beside"), SECRET).unwrap();
        std::fs::rename(place.shop.join("beside"), place.shop.join(".env")).unwrap();
    });
    assert!(!text.contains(SECRET), "{text}");
    assert_eq!(outcome.ending, Ending::SecretAppeared);
}
