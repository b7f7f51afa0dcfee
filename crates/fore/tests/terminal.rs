//! What a person meets at the edges: other locales, full disks, help on a narrow screen, names that would move the cursor.
#![allow(clippy::unwrap_used, reason = "a test that cannot read an answer has failed")]
#![allow(clippy::disallowed_methods, reason = "starts the program under test and prepares its workspace")]

mod support;

use support::Place;

#[test]
fn l4_without_a_utf8_locale_the_signs_are_plain() {
    let place = Place::new();
    let ran = place.fore_where(&[("LC_ALL", "C".as_ref())], &["gate", "--", "rm x"], b"");
    assert!(ran.out.is_ascii(), "{}", ran.out);
    assert!(ran.out.starts_with("x refused - mode plan - writes\n"), "{}", ran.out);
    assert!(place.fore(&["gate", "--", "rm x"]).out.starts_with("✗ refused · mode plan · writes\n"));
}

#[test]
fn a_full_disk_behind_the_output_is_an_error_in_words() {
    let place = Place::new();
    for arguments in [&["gate", "--", "ls"][..], &["gate", "--json", "--", "ls"], &["doctor"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(arguments).stdout(full).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), words.as_str()), (Some(2), "error: No space left on device (os error 28)\n"));
    }
}

#[test]
fn a_cage_keeps_the_exit_code_when_nobody_can_be_told() {
    let place = Place::new();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place.command(&["cage", "--rehearse", "--", "sh", "-c", "touch new; exit 3"]).stderr(full).output();
    assert_eq!(output.unwrap().status.code(), Some(3));
}

#[test]
fn a_file_name_cannot_write_on_the_persons_terminal() {
    let place = Place::new();
    let ran = place.fore(&["cage", "--rehearse", "--", "sh", "-c", r#"touch "$(printf 'a\033[2Jb')""#]);
    assert!(ran.err.contains("[2Jb"), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}'), "{}", ran.err);
}

#[test]
fn g8_in_a_folder_of_the_project_rules_mean_the_same_paths_for_cage_and_gate() {
    let place = Place::new();
    let sub = place.project().join("sub");
    for folder in [place.project().join(".git"), sub.clone()] {
        std::fs::create_dir_all(folder).unwrap();
    }
    place.file("secret.txt", "hidden");
    place.settings(r#"{"permissions": {"deny": ["Read(/secret.txt)"]}}"#);
    for arguments in [&["cage", "--", "cat", "../secret.txt"][..], &["gate", "--json", "--", "cat ../secret.txt"]] {
        let output = place.command(arguments).current_dir(&sub).output().unwrap();
        let words = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(words.contains("deny Read(/secret.txt)") && !words.contains("hidden"), "{words}");
    }
}

#[test]
fn help_fits_on_eighty_columns_and_names_the_exit_codes() {
    let place = Place::new();
    for command in ["gate", "cage", "doctor", "config", "trust"] {
        let ran = place.fore_where(&[("COLUMNS", "80".as_ref())], &[command, "--help"], b"");
        assert!(ran.out.contains("Exit codes"), "{}", ran.out);
        let longest = ran.out.lines().max_by_key(|line| line.chars().count()).unwrap();
        assert!(longest.chars().count() <= 80, "{longest}");
    }
}
