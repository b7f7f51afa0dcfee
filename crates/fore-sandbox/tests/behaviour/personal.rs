//! Of the places where people keep their things a command sees the project, what toolchains need, and what is named.

use crate::permitted::RunTyped;
use crate::workspaces::{Workspace, workspace};
use fore_plan::{Cage, Outside};
use fore_sandbox::GitReading;
use fore_sandbox::environment::Environment;
use fore_sandbox::{CageError, CageSettings, Cages, Job, JobCommand, RequiredBuild, RunOutcome};
use std::path::{Path, PathBuf};

const READ_ONLY: Cage = Cage::ReadOnly { outside: Outside::Closed };
const WORKSPACE: Cage = Cage::Workspace { outside: Outside::Closed };
const SECRET: &str = "swordfish";
const CAGES: [(Cage, RequiredBuild); 5] = [
    (READ_ONLY, RequiredBuild::Full),
    (READ_ONLY, RequiredBuild::LandlockOnly),
    (READ_ONLY, RequiredBuild::WithoutLandlock),
    (Cage::Rehearsal, RequiredBuild::Full),
    (WORKSPACE, RequiredBuild::Full),
];

/// A home with a project and its neighbours.
struct Home {
    _folder: Workspace,
    home: PathBuf,
    shop: PathBuf,
}

impl Home {
    fn new() -> Home {
        let folder = workspace();
        let home = folder.path().canonicalize().unwrap().join("ada");
        let shop = home.join("projects/shop");
        std::fs::create_dir_all(&shop).unwrap();
        Home { _folder: folder, home, shop }
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.home.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn settings(&self, thickness: RequiredBuild) -> CageSettings {
        let setup = Some(env!("CARGO_BIN_EXE_fore-cage-setup").into());
        CageSettings {
            home: Some(self.home.clone()),
            setup,
            required_build: thickness,
            ..crate::permitted::usual_settings()
        }
    }

    fn run(&self, (cage, thickness): &(Cage, RequiredBuild), script: &str) -> RunOutcome {
        self.run_with(self.settings(*thickness), cage, script).unwrap()
    }

    fn run_with(&self, settings: CageSettings, cage: &Cage, script: &str) -> Result<RunOutcome, CageError> {
        let environment = self.environment("/usr/local/bin:/usr/bin:/bin".to_owned());
        let job = Job { environment, ..Job::new(JobCommand::Script(script.to_owned()), &self.shop) };
        Cages::new(settings, &fore_commands::CATALOGUE).run_typed(cage, job)
    }

    fn environment(&self, path: String) -> Environment {
        Environment::Exactly(vec![("PATH".into(), path.into()), ("HOME".into(), self.home.clone().into())])
    }
}

#[test]
fn secrets_of_other_projects_and_unknown_tools_are_out_of_reach_of_a_command() {
    let home = Home::new();
    let secrets = [
        "projects/other/.env",
        "projects/shop-worktree/api/.env.local",
        "keys/id_rsa",
        ".config/zsh/.zsh_history",
        ".new-tool/token",
        "notes/diary.txt",
        ".claude.json",
        "tls/server.key",
    ];
    secrets.iter().for_each(|path| home.put(path, SECRET));
    for kept in CAGES {
        // By a name that only comes to be while it runs, by a search, and by going there step by step.
        let script = "h=$HOME; p=$h/pro; cat ${p}jects/other/.env ${h}/ke?s/* 2>/dev/null; grep -rsa swordf $(printf %s $h) $(dirname $PWD); \
                      cd / && cd ${h#/} && cat */* */*/* .*/* .*/*/* 2>/dev/null; true";
        let outcome = home.run(&kept, &script.replace("$HOME", &shell_parts(&home.home)));
        let text = outcome.stdout.text();
        assert!(!text.contains(SECRET), "{kept:?}: {text}");
    }
    for path in secrets {
        for kept in CAGES {
            let outcome = home.run(&kept, &format!("cat '{}'", home.home.join(path).display()));
            // What is not a secret is shown to whoever names it, as Read would.
            let is_plain = matches!(path, "notes/diary.txt" | ".new-tool/token");
            assert_eq!(outcome.stdout.text().contains(SECRET), is_plain, "{path} {kept:?}");
        }
    }
}

/// A path that no word of a command holds as a whole.
fn shell_parts(path: &Path) -> String {
    let text = path.display().to_string();
    let (start, end) = text.split_at(text.len() / 2);
    format!("$(printf %s%s {start} {end})")
}

#[test]
fn a_named_neighbour_is_seen_without_its_secrets() {
    let home = Home::new();
    home.put("projects/other/README.md", "hello\n");
    home.put("projects/other/deep/.env", SECRET);
    home.put("projects/other/.env.example", "A=\n");
    std::fs::hard_link(home.home.join("projects/other/deep/.env"), home.home.join("projects/other/copy")).unwrap();
    std::os::unix::fs::symlink("projects/other", home.home.join("link")).unwrap();
    let scripts = [
        "cat ../other/README.md ../other/.env.example; cat ../other/deep/.env ../other/copy; grep -rs swordf ../other",
        "cd ../other && cat README.md .env.example; cat deep/.env copy; grep -rs swordf .",
        "cd ~/link && cat README.md .env.example; cat deep/.env copy; grep -rs swordf ~/link/",
        "ls ../other >/dev/null; cat $PWD/../other/README.md $PWD/../other/.env.example; cat $PWD/../other/deep/.env; true",
    ];
    for kept in CAGES {
        for script in scripts {
            let outcome = home.run(&kept, script);
            assert_eq!(outcome.stdout.text(), "hello\nA=\n", "{kept:?} {script}: {}", outcome.stderr.text());
        }
    }
}

#[test]
fn a_program_that_is_started_by_its_path_is_seen_with_its_package_and_no_more() {
    let home = Home::new();
    let program =
        "#!/bin/sh\ncd \"$(dirname \"$0\")\"; cat ../lib.txt ../.env ../../../other/notes.txt 2>/dev/null; exit 0\n";
    let places = [
        ("servers/tickets/dist/run", "servers/tickets/package.json", "servers/tickets/lib.txt"),
        ("tools/node_modules/docs/dist/run", "tools/node_modules/docs/x.json", "tools/node_modules/docs/lib.txt"),
        ("venvs/git/bin/run", "venvs/git/pyvenv.cfg", "venvs/git/lib.txt"),
    ];
    for (run, mark, lib) in places {
        for (path, text) in [(run, program), (mark, "{}"), (lib, "loaded\n"), ("other/notes.txt", SECRET)] {
            home.put(path, text);
        }
        let env = Path::new(lib).with_file_name(".env");
        home.put(env.to_str().unwrap(), SECRET);
        for (cage, thickness) in &CAGES[..3] {
            let environment = home.environment("/usr/local/bin:/usr/bin:/bin".to_owned());
            let command = JobCommand::Program(vec!["/bin/sh".into(), home.home.join(run).into()]);
            let job = Job { environment, ..Job::new(command, &home.shop) };
            let cages = Cages::new(home.settings(*thickness), &fore_commands::CATALOGUE);
            let text = cages.run_typed(cage, job).unwrap().stdout.text();
            assert_eq!(text.lines().next(), Some("loaded"), "{run} {thickness:?}: {text}");
            assert!(mark != "servers/tickets/package.json" || !text.contains(SECRET), "{run} {thickness:?}: {text}");
        }
    }
    // A home that is a package itself is not shown for it.
    home.put("package.json", "{}");
    home.put("bin/run", "#!/bin/sh\ncat \"$(dirname \"$0\")/../diary.txt\"\n");
    home.put("diary.txt", SECRET);
    let environment = home.environment("/usr/local/bin:/usr/bin:/bin".to_owned());
    let command = JobCommand::Program(vec!["/bin/sh".into(), home.home.join("bin/run").into()]);
    let job = Job { environment, ..Job::new(command, &home.shop) };
    let outcome = Cages::new(home.settings(RequiredBuild::Best), &fore_commands::CATALOGUE).run_typed(&READ_ONLY, job);
    assert!(!outcome.unwrap().stdout.text().contains(SECRET));
}

#[test]
fn folders_of_the_person_are_seen_in_every_command_and_what_is_hidden_is_told() {
    let home = Home::new();
    home.put("projects/shared/lib.txt", "shared\n");
    home.put("projects/shared/.env", SECRET);
    let script = "cat $(printf '../%s/' shared)lib.txt $(printf '../%s/' shared).env";
    for kept in CAGES {
        let outcome = home.run(&kept, script);
        assert_eq!(outcome.stdout.text(), "", "{kept:?}");
        assert_eq!(outcome.not_shown.first(), Some(&home.home.join("projects/shared/lib.txt")), "{kept:?}");
        let settings = CageSettings { shown: vec!["~/projects/shared".into()], ..home.settings(kept.1) };
        let outcome = home.run_with(settings, &kept.0, script).unwrap();
        assert_eq!(outcome.stdout.text(), "shared\n", "{kept:?} {}", outcome.stderr.text());
    }
    let outcome = home.run(&(READ_ONLY, RequiredBuild::Full), "ls ~");
    assert_eq!((outcome.stdout.text().as_ref(), outcome.not_shown), ("projects\n", vec![home.home.clone()]));
}

#[test]
fn toolchains_of_the_home_work_and_show_no_logins() {
    let home = Home::new();
    let tools = [
        ".cargo/bin/tool",
        ".rustup/toolchains/stable/bin/tool",
        ".nvm/versions/node/v22/bin/tool",
        ".pyenv/shims/tool",
        "go/bin/tool",
        "miniconda3/bin/tool",
        ".local/share/uv/python/bin/tool",
        "venvs/web/bin/tool",
    ];
    tools.iter().for_each(|path| home.put(path, "ok\n"));
    home.put("venvs/web/pyvenv.cfg", "home = /usr/bin\n");
    home.put("venvs/web/lib/site.py", "ok\n");
    for path in [".cargo/credentials.toml", ".gradle/gradle.properties", ".config/git/credentials", ".npmrc"] {
        home.put(path, &format!("//r/:_authToken={SECRET}"));
    }
    for kept in CAGES {
        let path = format!("{}/venvs/web/bin:/usr/bin:/bin", home.home.display());
        let script = "cd; cat .cargo/bin/tool .rustup/*/*/*/tool .nvm/*/*/*/*/tool .pyenv/*/tool go/bin/tool mini*/bin/tool \
                      .local/share/uv/*/*/tool venvs/web/*/*; cat .cargo/cred* .gradle/* .config/git/* .npmrc";
        let environment = home.environment(path);
        let job = Job { environment, ..Job::new(JobCommand::Script(script.into()), &home.shop) };
        let outcome = Cages::new(home.settings(kept.1), &fore_commands::CATALOGUE).run_typed(&kept.0, job).unwrap();
        assert_eq!(outcome.stdout.text(), "ok\n".repeat(9), "{kept:?} {}", outcome.stderr.text());
    }
}

#[test]
fn a_worktree_sees_the_repository_that_it_belongs_to() {
    let home = Home::new();
    let git = |folder: &Path, words: &[&str]| {
        let output = std::process::Command::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main"])
            .args(words)
            .current_dir(folder)
            .env("HOME", &home.home)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let main = home.home.join("projects/main");
    std::fs::create_dir_all(main.join("sub/deep")).unwrap();
    std::fs::write(main.join("README.md"), "hello\n").unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["add", "README.md"]);
    git(&main, &["commit", "-qm", "first"]);
    git(&main, &["worktree", "add", "-q", "../tree"]);
    git(&home.home.join("projects"), &["clone", "-q", "--shared", "main", "lent"]);
    for folder in ["projects/tree", "projects/lent", "projects/main/sub/deep"] {
        for kept in [
            (READ_ONLY, RequiredBuild::Full),
            (Cage::Rehearsal, RequiredBuild::Full),
            (READ_ONLY, RequiredBuild::LandlockOnly),
        ] {
            // A layer over a subfolder is a disk of its own, where git stops looking.
            if kept.0 == Cage::Rehearsal && folder.ends_with("deep") {
                continue;
            }
            let job = Job::new(
                JobCommand::Script("git log --format=%s && git show HEAD:README.md".into()),
                &home.home.join(folder),
            );
            let outcome = Cages::new(home.settings(kept.1), &fore_commands::CATALOGUE).run_typed(&kept.0, job).unwrap();
            assert_eq!(outcome.stdout.text(), "first\nhello\n", "{folder} {kept:?} {}", outcome.stderr.text());
        }
    }
    let job = Job::new(JobCommand::Script("git show HEAD:.env".into()), &main);
    let refused = Cages::new(home.settings(RequiredBuild::Full), &fore_commands::CATALOGUE)
        .run_typed(&READ_ONLY, job)
        .unwrap_err();
    assert!(refused.to_string().contains("`HEAD:.env` is the name of a secret"), "{refused}");
}

#[test]
fn our_own_folder_is_no_place_to_start_in() {
    let home = Home::new();
    home.put(".forethought/sessions/s1.jsonl", SECRET);
    for folder in [".forethought", ".forethought/sessions"] {
        for kept in CAGES {
            let job = Job::new(JobCommand::Script("cat *".into()), &home.home.join(folder));
            let refused =
                Cages::new(home.settings(kept.1), &fore_commands::CATALOGUE).run_typed(&kept.0, job).unwrap_err();
            assert!(refused.to_string().contains("belongs to Forethought itself"), "{folder} {kept:?}: {refused}");
        }
    }
}

#[test]
fn what_the_person_calls_no_secret_is_read_and_nothing_else() {
    let home = Home::new();
    for path in ["projects/shop/tests/certs/a.key", "projects/shop/tests/b.key", "projects/shop/tests/certs/.env"] {
        home.put(path, &format!("{path}\n"));
    }
    let settings =
        |thickness| CageSettings { not_secret: vec!["tests/certs/*.key".into()], ..home.settings(thickness) };
    for kept in CAGES {
        let script = "cat tests/certs/a.key tests/b.key tests/certs/.env 2>/dev/null; true";
        let outcome = home.run_with(settings(kept.1), &kept.0, script).unwrap();
        assert_eq!(outcome.stdout.text(), "projects/shop/tests/certs/a.key\n", "{kept:?}");
    }
    let opener = fore_sandbox::Opener::new(
        std::sync::Arc::new(Cages::new(settings(RequiredBuild::Full), &fore_commands::CATALOGUE)),
        &home.shop,
    );
    let opens = ["tests/certs/a.key", "tests/b.key", "tests/certs/.env"]
        .map(|path| opener.open(&home.shop.join(path), fore_sandbox::open::Links::Refused).is_ok());
    assert_eq!(opens, [true, false, false]);
}

#[test]
fn files_that_the_persons_git_settings_name_are_shown_alone() {
    let home = Home::new();
    for path in ["dotfiles/mailmap", "dotfiles/beside", "ignored", ".netrc", "tls/server.key", "folder/inside"] {
        home.put(path, &format!("{path}\n"));
    }
    std::os::unix::fs::symlink("dotfiles/mailmap", home.home.join(".mailmap")).unwrap();
    // A harmless name that leads to a secret.
    std::os::unix::fs::symlink(".netrc", home.home.join(".order")).unwrap();
    let names = [".mailmap", "ignored", ".netrc", "tls/server.key", "folder", ".order", "gone"];
    let files = names.map(|name| home.home.join(name)).to_vec();
    for (cage, thickness) in CAGES {
        let script = "h=$HOME; cd ${h#x} && cat .mailmap ignored dotfiles/beside .netrc tls/server.key folder/inside .order 2>/dev/null; true";
        let git = GitReading { files: files.clone(), ..GitReading::default() };
        let environment = home.environment("/usr/local/bin:/usr/bin:/bin".to_owned());
        let job = Job { git, environment, ..Job::new(JobCommand::Script(script.to_owned()), &home.shop) };
        let outcome = Cages::new(home.settings(thickness), &fore_commands::CATALOGUE).run_typed(&cage, job).unwrap();
        assert_eq!(outcome.stdout.text(), "dotfiles/mailmap\nignored\n", "{cage:?} {thickness:?}");
    }
}
