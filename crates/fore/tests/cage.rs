//! `fore cage`, run for real: the exit code comes through, and what was blocked or would have changed is said.

mod support;

use support::Place;

#[test]
fn a_read_only_cage_reads_everything_and_writes_nothing() {
    let place = Place::new();
    place.file("a.txt", "hello\n");
    let ran = place.fore(&["cage", "--", "cat", "a.txt"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "hello\n", ""));
    let ran = place.fore(&["cage", "--", "touch", "new"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("fore: the sandbox seems to have refused: a write to the read-only disk"), "{}", ran.err);
    assert_eq!(place.names(), ["a.txt"]);
}

#[test]
fn the_exit_code_is_the_commands_own() {
    let place = Place::new();
    let page = [("exit 7", 7), ("kill -TERM $$", 143), ("true", 0)];
    for (script, code) in page {
        assert_eq!(place.fore(&["cage", "--", "bash", "-c", script]).code, Some(code), "{script}");
    }
}

#[test]
fn words_reach_the_command_as_they_are() {
    let ran = Place::new().fore(&["cage", "--", "printf", "%s|", "a b", "$HOME", "it's", "*", ""]);
    assert_eq!(ran.out, "a b|$HOME|it's|*||");
}

#[test]
fn a_rehearsal_keeps_nothing_and_lists_what_would_have_changed() {
    let place = Place::new();
    place.file("a.txt", "one\n");
    place.file("b.txt", "two\n");
    let script = "echo more >> a.txt; rm b.txt; mkdir new; echo x > new/c.txt; cat a.txt";
    let ran = place.fore(&["cage", "--rehearse", "--diff", "--", "bash", "-c", script]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "one\nmore\n"));
    insta::assert_snapshot!(ran.err);
    assert_eq!((place.names(), place.read("a.txt").as_deref()), (vec!["a.txt".into(), "b.txt".into()], Some("one\n")));
    let quiet = place.fore(&["cage", "--rehearse", "--", "true"]);
    assert_eq!(quiet.err, "fore: rehearsed; nothing would have changed\n");
}

#[test]
fn a_workspace_cage_writes_here_and_nowhere_else() {
    let place = Place::new();
    let ran = place.fore(&["cage", "--workspace", "--", "bash", "-c", "echo x > here; echo x > ../there"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(place.names(), ["here"]);
    assert!(!place.project().join("../there").exists());
}

#[test]
fn one_more_path_may_be_opened_by_hand() {
    let place = Place::new();
    place.file("log", "");
    place.file("other", "");
    let ran = place.fore(&["cage", "--write", "log", "--", "bash", "-c", "echo x > log; echo x > other"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!((place.read("log").as_deref(), place.read("other").as_deref()), (Some("x\n"), Some("")));
}

#[test]
fn standard_input_is_handed_over_only_when_asked() {
    let place = Place::new();
    assert_eq!(place.fore_with(&["cage", "--stdin", "--", "cat"], b"in\n").out, "in\n");
    assert_eq!(place.fore_with(&["cage", "--", "cat"], b"in\n").out, "");
}

#[test]
fn time_is_bounded() {
    let ran = Place::new().fore(&["cage", "--timeout", "1", "--", "sleep", "60"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(124), "fore: stopped after 1 s, as asked\n"));
}

#[test]
fn a_deny_rule_holds_here_too() {
    let place = Place::new();
    place.settings(r#"{"permissions": {"deny": ["Bash(cat:*)"]}}"#);
    let ran = place.fore(&["cage", "--", "cat", "a.txt"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("your settings deny this: deny Bash(cat:*)"), "{}", ran.err);
}

#[test]
fn choices_that_do_not_go_together_are_refused() {
    let place = Place::new();
    for arguments in [["--rehearse", "--net"], ["--read-only", "--workspace"], ["--diff", "--read-only"]] {
        let arguments: Vec<&str> = ["cage"].into_iter().chain(arguments).chain(["--", "true"]).collect();
        assert_eq!(place.fore(&arguments).code, Some(2), "{arguments:?}");
    }
    assert_eq!(place.fore(&["cage"]).code, Some(2));
}

#[test]
fn the_doctor_says_line_by_line_what_holds() {
    let ran = Place::new().fore(&["doctor"]);
    for name in ["Landlock", "namespaces", "read-only disk", "rehearsal", "system call filter"] {
        assert!(ran.out.contains(name), "{name} is missing in {}", ran.out);
    }
    let json = Place::new().fore(&["doctor", "--json"]);
    assert!(json.out.contains("\"protections\""), "{}", json.out);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "starts the program as somebody who may start next to nothing")]
fn who_may_start_no_threads_is_told_so_and_what_to_do() {
    use std::os::unix::process::CommandExt;
    // Somebody who runs nothing else: the kernel counts all processes of a person, and none of root's.
    const NOBODY_ELSE: u32 = 61_357;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let program = folder.path().join("fore");
    std::fs::hard_link(env!("CARGO_BIN_EXE_fore"), &program).unwrap();
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    // SAFETY: no pointers, cannot fail.
    let is_root = unsafe { libc::geteuid() } == 0;
    for (most, arguments) in [(1, ["cage", "--", "true"]), (3, ["cage", "--", "true"]), (3, ["-p", "hi", "--plain"])] {
        let mut command = std::process::Command::new(&program);
        command.args(arguments).env_clear().env("HOME", folder.path()).env("PATH", "/usr/bin:/bin");
        command.current_dir(folder.path()).stdin(std::process::Stdio::null());
        if is_root {
            command.uid(NOBODY_ELSE).gid(NOBODY_ELSE);
        }
        // SAFETY: only a system call with a local, between fork and exec.
        unsafe {
            command.pre_exec(move || {
                let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(libc::RLIMIT_NPROC, &raw const limit) == 0 {
                    Ok(())
                } else {
                    Err(std::io::Error::last_os_error())
                }
            })
        };
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("No more threads can be started") && told.contains("ulimit -u"), "{most}: {told}");
        assert!(!told.contains("panicked") && !output.status.success(), "{told}");
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "puts programs where an attacker would")]
fn a_set_up_program_that_was_put_beside_fore_is_not_started() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let (own, planted) = (place.project().join("fore"), place.project().join("fore-cage-setup"));
    std::fs::hard_link(env!("CARGO_BIN_EXE_fore"), &own).unwrap();
    std::fs::write(&planted, format!("#!/bin/sh\necho planted > {}/OWNED\n", place.project().display())).unwrap();
    std::fs::set_permissions(&planted, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = std::process::Command::new(&own)
        .args(["cage", "--", "echo", "hi"])
        .current_dir(place.project())
        .env("HOME", place.folder("home"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "hi\n", "{}", String::from_utf8_lossy(&ran.stderr));
    assert!(!place.project().join("OWNED").exists());
}
