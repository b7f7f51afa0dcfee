//! What becomes secret, or comes to give orders, in ways of which no watched folder tells: it holds for the next run as for the first.

use crate::permitted::RunTyped;
use crate::secrets::{Place, READ_ONLY, SECRET, WORKSPACE, run_around};
use crate::workspaces::is_root;
use fore_plan::Cage;
use fore_sandbox::{Cages, Ending, Job, JobCommand, RequiredBuild};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

const THICKNESSES: [RequiredBuild; 2] = [RequiredBuild::Full, RequiredBuild::LandlockOnly];

/// A first run, after which everything is known and watched.
fn first(place: &Place, cages: &Cages) {
    place.put("plain", SECRET);
    assert_eq!(place.read_in(cages, &READ_ONLY, &["plain"]), ["plain"]);
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A file system of its own over a folder, while this lives. Only for root.
struct Mounted(std::ffi::CString);

impl Mounted {
    fn over(folder: &Path) -> Mounted {
        let target = std::ffi::CString::new(folder.as_os_str().as_encoded_bytes()).unwrap();
        // SAFETY: valid C strings; unmounted with this value.
        assert_eq!(unsafe { libc::mount(c"t".as_ptr(), target.as_ptr(), c"tmpfs".as_ptr(), 0, std::ptr::null()) }, 0);
        Mounted(target)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // SAFETY: unmounts what was mounted above, also where something is still open.
        unsafe { libc::umount2(self.0.as_ptr(), libc::MNT_DETACH) };
    }
}

#[test]
fn secrets_on_what_is_mounted_in_the_workspace_later() {
    if !is_root() {
        return;
    }
    for thickness in THICKNESSES {
        let place = Place::new();
        let cages = place.cages(thickness);
        std::fs::create_dir(place.shop.join("vault")).unwrap();
        first(&place, &cages);
        let _mounted = Mounted::over(&place.shop.join("vault"));
        for name in ["vault/.env", "vault/deep/.env"] {
            place.put(name, SECRET);
        }
        assert_eq!(place.read_in(&cages, &READ_ONLY, &["vault/.env", "vault/deep/.env", "plain"]), ["plain"]);
    }
}

#[test]
fn secrets_of_a_workspace_that_is_another_folder_by_the_same_name() {
    for thickness in THICKNESSES {
        let place = Place::new();
        let cages = place.cages(thickness);
        first(&place, &cages);
        // The workspace itself, and a folder above it.
        let above = place.shop.parent().unwrap();
        std::fs::rename(&place.shop, above.join("old")).unwrap();
        place.put("conf/.env", SECRET);
        place.put("plain", SECRET);
        assert_eq!(place.read_in(&cages, &READ_ONLY, &["conf/.env", "plain"]), ["plain"]);
        let aside = above.with_extension("aside");
        std::fs::rename(above, &aside).unwrap();
        place.put("other/.env", SECRET);
        place.put("plain", SECRET);
        std::fs::create_dir(&place.home).unwrap();
        let read = place.read_in(&cages, &READ_ONLY, &["other/.env", "plain"]);
        std::fs::remove_dir_all(aside).unwrap();
        assert_eq!(read, ["plain"]);
    }
}

#[test]
fn secrets_in_a_folder_that_was_closed() {
    for thickness in THICKNESSES {
        for mode in [0o000, 0o311] {
            let place = Place::new();
            place.put("locked/.env", SECRET);
            place.put("locked/deep/.env", SECRET);
            let locked = place.shop.join("locked");
            set_mode(&locked, mode);
            let cages = place.cages(thickness);
            first(&place, &cages);
            if mode != 0 || is_root() {
                assert_eq!(place.read_in(&cages, &READ_ONLY, &["locked/.env", "plain"]), ["plain"]);
            }
            set_mode(&locked, 0o755);
            let names = ["locked/.env", "locked/deep/.env", "plain"];
            assert_eq!(place.read_in(&cages, &READ_ONLY, &names), ["plain"], "{thickness:?} {mode:o}");
        }
    }
}

#[test]
fn other_names_of_what_lies_in_a_folder_of_secrets_that_came_later() {
    for thickness in THICKNESSES {
        let place = Place::new();
        let cages = place.cages(thickness);
        first(&place, &cages);
        for folder in [".aws", ".ssh"] {
            std::fs::create_dir(place.home.join(folder)).unwrap();
            std::fs::write(place.home.join(folder).join("key"), SECRET).unwrap();
            std::fs::hard_link(place.home.join(folder).join("key"), place.shop.join(folder)).unwrap();
        }
        // Another one by the same name.
        std::fs::rename(place.home.join(".ssh"), place.home.join("ssh.old")).unwrap();
        assert_eq!(place.read_in(&cages, &READ_ONLY, &[".aws", "plain"]), ["plain"]);
        std::fs::create_dir(place.home.join(".ssh")).unwrap();
        std::fs::write(place.home.join(".ssh/new"), SECRET).unwrap();
        std::fs::hard_link(place.home.join(".ssh/new"), place.shop.join("notes")).unwrap();
        assert_eq!(place.read_in(&cages, &READ_ONLY, &["notes", "plain"]), ["plain"], "{thickness:?}");
    }
}

#[test]
fn what_comes_to_stand_where_a_secret_link_leads_while_a_command_runs() {
    type Change = fn(&Place);
    let changes: [(&str, &str, Change); 3] = [
        ("cat conf.txt", ".env", |place| {
            std::fs::write(place.shop.join("beside"), SECRET).unwrap();
            std::fs::rename(place.shop.join("beside"), place.shop.join("conf.txt")).unwrap();
        }),
        ("cat other.txt", ".env.prod", |place| {
            place.put("other.txt", SECRET);
            symlink("other.txt", place.shop.join("beside.link")).unwrap();
            std::fs::rename(place.shop.join("beside.link"), place.shop.join("middle")).unwrap();
        }),
        ("cat ../data/conf", ".env.test", |place| {
            std::fs::write(place.shop.join("../data/beside"), SECRET).unwrap();
            std::fs::rename(place.shop.join("../data/beside"), place.shop.join("../data/conf")).unwrap();
        }),
    ];
    for (cage, thickness) in
        [(READ_ONLY, RequiredBuild::Full), (READ_ONLY, RequiredBuild::LandlockOnly), (WORKSPACE, RequiredBuild::Full)]
    {
        for (read, link, change) in changes {
            let place = Place::new();
            place.put("conf.txt", "old");
            place.put("third.txt", "old");
            std::fs::create_dir(place.shop.join("../data")).unwrap();
            std::fs::write(place.shop.join("../data/conf"), "old").unwrap();
            for (target, name) in
                [("conf.txt", ".env"), ("middle", ".env.prod"), ("third.txt", "middle"), ("../data/conf", ".env.test")]
            {
                symlink(target, place.shop.join(name)).unwrap();
            }
            let cages = place.cages(thickness);
            let (outcome, text) = run_around(&place, &cages, &cage, read, || change(&place));
            assert!(!text.contains(SECRET), "{read} {cage:?} {thickness:?}: {text}");
            assert_eq!(outcome.ending, Ending::SecretAppeared, "{read} {cage:?} {thickness:?}");
            assert_eq!(outcome.appeared, Some(place.shop.join(link)), "{read} {cage:?} {thickness:?}");
        }
    }
}

#[test]
fn what_gives_orders_in_a_workspace_that_changed_without_a_word_is_held() {
    let plant = "mkdir -p sub/.git/hooks .vscode; echo EVIL >> sub/CLAUDE.md; echo EVIL > sub/.git/hooks/pre-commit; \
                 echo EVIL >> sub/.git/config; echo EVIL > .vscode/tasks.json; true";
    let prepare = |place: &Place, top: &str| {
        for (name, text) in [("sub/CLAUDE.md", "good"), ("sub/.git/config", "[core]\n"), ("sub/.git/HEAD", "ref: x\n")]
        {
            place.put(&format!("{top}{name}"), text);
        }
    };
    let untouched = |place: &Place, top: &str| {
        let read = |name: &str| std::fs::read_to_string(place.shop.join(format!("{top}{name}"))).unwrap_or_default();
        assert_eq!((read("sub/CLAUDE.md").as_str(), read("sub/.git/config").as_str()), ("good", "[core]\n"));
        for name in ["sub/.git/hooks/pre-commit", ".vscode/tasks.json"] {
            assert!(!place.shop.join(format!("{top}{name}")).exists(), "{name}");
        }
    };
    let run = |cages: &Cages, place: &Place, text: String| {
        cages.run_typed(&WORKSPACE, Job::new(JobCommand::Script(text), &place.shop)).unwrap();
    };
    let place = Place::new();
    let cages = place.cages(RequiredBuild::Full);
    first(&place, &cages);
    run(&cages, &place, "true".to_owned());
    std::fs::rename(&place.shop, place.shop.parent().unwrap().join("old")).unwrap();
    prepare(&place, "");
    run(&cages, &place, plant.to_owned());
    untouched(&place, "");
    if is_root() {
        std::fs::create_dir(place.shop.join("vault")).unwrap();
        run(&cages, &place, "true".to_owned());
        let _mounted = Mounted::over(&place.shop.join("vault"));
        prepare(&place, "vault/");
        run(&cages, &place, format!("cd vault; {plant}"));
        untouched(&place, "vault/");
    }
}

#[test]
fn what_a_secret_link_of_the_home_leads_to_in_the_workspace_or_beside_it() {
    for thickness in THICKNESSES {
        let place = Place::new();
        let beside = place.shop.join("../beside");
        std::fs::create_dir_all(beside.join("keys")).unwrap();
        std::fs::write(beside.join("keys/id"), SECRET).unwrap();
        place.put("mynetrc", SECRET);
        place.put("cfg/op/config", SECRET);
        for (target, name) in [("mynetrc", ".netrc"), ("cfg", ".config")] {
            symlink(place.shop.join(target), place.home.join(name)).unwrap();
        }
        symlink(beside.join("keys"), place.home.join(".ssh")).unwrap();
        place.put("kube.yaml", SECRET);
        std::fs::create_dir(place.home.join(".kube")).unwrap();
        symlink(place.shop.join("kube.yaml"), place.home.join(".kube/config")).unwrap();
        let cages = place.cages(thickness);
        first(&place, &cages);
        let names = ["mynetrc", "cfg/op/config", "kube.yaml", "../beside/keys/id", "plain"];
        assert_eq!(place.read_in(&cages, &READ_ONLY, &names), ["plain"], "{thickness:?}");
        let job = Job::new(JobCommand::Script("grep -rs . ../beside . | grep -v plain".into()), &place.shop);
        assert_eq!(cages.run_typed(&READ_ONLY, job).unwrap().stdout.text(), "", "{thickness:?}");
    }
}

#[test]
fn a_key_that_comes_into_a_shown_file_of_the_home_while_a_command_runs() {
    let page = [
        (".bashrc", "alias ll=ls\n", "export OPENAI_API_KEY=swordfish-swordfish-1234\n"),
        (".cargo/config.toml", "[net]\n", "[registry]\ntoken = \"swordfish-swordfish-1234\"\n"),
        (".m2/settings.xml", "<settings/>\n", "<server><password>swordfish</password></server>\n"),
    ];
    for (name, before, after) in page {
        let place = Place::new();
        let file = place.home.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, before).unwrap();
        let cages = place.cages(RequiredBuild::Full);
        let read = format!("cat {}", file.display());
        let (outcome, text) = run_around(&place, &cages, &READ_ONLY, &read, || {
            std::fs::write(&file, format!("{before}{after}")).unwrap();
        });
        assert!(!text.contains(SECRET), "{name}: {text}");
        assert_eq!((outcome.ending, outcome.appeared), (Ending::SecretAppeared, Some(file.clone())), "{name}");
        let again = cages.run_typed(&READ_ONLY, Job::new(JobCommand::Script(read), &place.shop)).unwrap();
        assert!(!again.stdout.text().contains(SECRET), "{name}");
    }
}

#[test]
fn a_secret_that_comes_beside_the_workspace_where_the_command_looks_for_it() {
    type Change = fn(&Path);
    let page: [(&str, &str, Change); 3] = [
        ("cat ../.env", ".env", |top| std::fs::write(top.join(".env"), SECRET).unwrap()),
        ("cat ../app/.env.new", "app/.env.new", |top| std::fs::write(top.join("app/.env.new"), SECRET).unwrap()),
        ("cat ../app/.env", "app/.env", |top| {
            std::fs::write(top.join("app/beside"), SECRET).unwrap();
            std::fs::rename(top.join("app/beside"), top.join("app/.env")).unwrap();
        }),
    ];
    for (read, name, change) in page {
        let place = Place::new();
        let top = place.shop.parent().unwrap().to_owned();
        std::fs::create_dir(top.join("app")).unwrap();
        std::fs::write(top.join("app/.env"), "old").unwrap();
        let cages = place.cages(RequiredBuild::Full);
        let (outcome, text) = run_around(&place, &cages, &READ_ONLY, read, || change(&top));
        assert!(!text.contains(SECRET), "{read}: {text}");
        // A place that looked empty from the beginning shows nothing of it.
        if outcome.ending != Ending::Itself {
            assert_eq!((outcome.ending, outcome.appeared), (Ending::SecretAppeared, Some(top.join(name))), "{read}");
        }
    }
}

#[test]
fn what_its_owner_has_closed_is_not_opened_in_a_rehearsal() {
    let place = Place::new();
    place.put("locked/.env", SECRET);
    place.put(".npmrc", &format!("//r/:_authToken={SECRET}"));
    place.put("server.pem", &format!("-----BEGIN PRIVATE KEY-----\n{SECRET}"));
    for name in ["locked", ".npmrc", "server.pem"] {
        set_mode(&place.shop.join(name), 0);
    }
    let script = "chmod 755 locked; chmod 644 .npmrc server.pem; cat locked/.env .npmrc server.pem; echo done";
    let job = Job::new(JobCommand::Script(script.to_owned()), &place.shop);
    let outcome = place.cages(RequiredBuild::Full).run_typed(&Cage::Rehearsal, job).unwrap();
    set_mode(&place.shop.join("locked"), 0o755);
    assert_eq!(outcome.stdout.text(), "done\n");
}

#[test]
fn logins_of_toolchains_that_every_cage_shows() {
    let place = Place::new();
    let names = [".bundle/config", ".npm/.env", ".config/fish/fish_variables", ".cargo/registry/my.key"];
    for name in names.into_iter().chain([".cargo/config.toml"]) {
        let file = place.home.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("BUNDLE_A__COM: \"me:{SECRET}\"\nSETUVAR API_KEY:{SECRET}\n")).unwrap();
    }
    std::fs::write(place.home.join(".cargo/config.toml"), "[net]\nretry = 3\n").unwrap();
    let cages = place.cages(RequiredBuild::Full);
    for _ in 0..2 {
        let script = format!("grep -rs . {0}/.bundle {0}/.npm {0}/.config {0}/.cargo", place.home.display());
        let text =
            cages.run_typed(&READ_ONLY, Job::new(JobCommand::Script(script), &place.shop)).unwrap().stdout.text();
        assert!(text.contains("retry = 3") && !text.contains(SECRET), "{text}");
    }
}

#[test]
fn secrets_in_a_workspace_that_was_removed_and_made_again() {
    for _ in 0..4 {
        let place = Place::new();
        let cages = place.cages(RequiredBuild::Full);
        first(&place, &cages);
        std::fs::remove_dir_all(&place.shop).unwrap();
        place.put("plain", SECRET);
        place.put("api/.env", SECRET);
        assert_eq!(place.read_in(&cages, &READ_ONLY, &["api/.env", "plain"]), ["plain"]);
    }
}

#[test]
fn secrets_in_a_folder_that_goes_to_and_fro_while_cages_are_built() {
    let place = Place::new();
    place.put("api/.env", SECRET);
    place.put("plain", SECRET);
    let cages = place.cages(RequiredBuild::Full);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (here, there) = (place.shop.join("api"), place.shop.join("away"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for (from, to) in [(&here, &there), (&there, &here)] {
                    std::fs::rename(from, to).unwrap();
                    std::thread::sleep(std::time::Duration::from_micros(700));
                }
            }
        });
        for round in 0..60 {
            let script = JobCommand::Script("cat api/.env away/.env".into());
            let result = cages.run_typed(&READ_ONLY, Job::new(script, &place.shop));
            let text = result.map(|outcome| outcome.stdout.text()).unwrap_or_default();
            if text.contains(SECRET) {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
                panic!("round {round}");
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}
