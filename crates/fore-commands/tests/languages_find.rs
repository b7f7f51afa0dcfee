//! Pages of find commands and what they would do.

mod languages_support;
use fore_shell::GitFacts;
use languages_support::{check, judge_words, words};

#[test]
fn searches_that_only_print_are_reads() {
    check(include_str!("languages_pages/find_reads.txt"));
}

#[test]
fn searches_that_write_or_delete_are_found() {
    check(include_str!("languages_pages/find_harm.txt"));
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(include_str!("languages_pages/find_unknown.txt"));
}

#[test]
fn start_points_are_named_as_paths() {
    let finding = judge_words(&words("find src /etc -newer Cargo.toml"), &GitFacts::Quiet);
    assert_eq!(finding.paths, ["/project/src", "/etc", "/project/Cargo.toml"]);
}
