//! Pages of jq commands and what they would do.

mod languages_support;
use fore_shell::GitFacts;
use languages_support::{check, judge_words, words};

#[test]
fn every_program_is_a_read_because_jq_can_do_nothing_else() {
    check(include_str!("languages_pages/jq_reads.txt"));
}

#[test]
fn files_are_named_as_paths() {
    let finding = judge_words(&words("jq --slurpfile s x.json -f prog.jq /etc/a.json b.json"), &GitFacts::Quiet);
    assert_eq!(finding.paths, ["/project/x.json", "/project/prog.jq", "/etc/a.json", "/project/b.json"]);
}
