//! Pages of jq commands and what they would do.

mod languages_support;
use fore_shell::GitFacts;
use languages_support::{check, judge_words, words};

#[test]
fn every_program_is_a_read_because_jq_can_do_nothing_else() {
    check(
        r#"
        reads: jq . file.json
        reads: jq -r '.scripts | keys[]' package.json
        reads: jq -rc --arg a b '.[$a]' file
        reads: jq --argjson a 1 --slurpfile s x.json --rawfile r y . file
        reads: jq -n --args '$ARGS' a b
        reads: jq --tab --stream --seq -S . file
        reads: jq --indent 4 . file
        reads: jq -f prog.jq file
        reads: jq -L lib 'import "a" as a; a::f' file
        reads: jq "$x" file
        reads: jq . $x
        reads: jq -- . file
        reads: jq --version
        unknown jq.option: jq -i . file
        unknown jq.option: jq --in-place . file
        unknown jq.option: jq --run-tests x
        "#,
    );
}

#[test]
fn files_are_named_as_paths() {
    let finding = judge_words(
        &words("jq --slurpfile s x.json -f prog.jq /etc/a.json b.json"),
        &GitFacts::Quiet,
    );
    assert_eq!(
        finding.paths,
        [
            "/project/x.json",
            "/project/prog.jq",
            "/etc/a.json",
            "/project/b.json"
        ]
    );
}
