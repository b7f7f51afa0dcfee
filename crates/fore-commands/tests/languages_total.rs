//! No text makes a parser panic or hang.

mod languages_support;

use fore_shell::{GitFacts, Opaque, Value, Word};
use languages_support::judge_words;
use proptest::prelude::*;

fn any_word() -> impl Strategy<Value = Word> {
    let literal = prop_oneof![
        ".{0,40}",
        "[-a-zA-Z/\\\\\\[\\]{}()|<>\"'$;:,!#@%=~+*\n ]{0,40}",
        prop::sample::select(
            &[
                "-e", "-n", "-f", "--", "-exec", "{}", ";", "+", "-name", "log", "branch", "config", "stash", "-C",
                "-c", "--format", "--arg"
            ][..]
        )
        .prop_map(str::to_owned),
    ];
    let opaque =
        ("[-a-z=/]{0,6}", any::<[bool; 3]>()).prop_map(|(prefix, [may_be_empty, may_split, may_be_option])| Word {
            source: format!("{prefix}$x"),
            value: Value::Opaque(Opaque { prefix, may_be_empty, may_split, may_be_option }),
            span: None,
        });
    prop_oneof![8 => literal.prop_map(Word::literal), 1 => opaque]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_argv_gets_a_finding(
        program in prop::sample::select(&["sed", "awk", "find", "jq", "git"][..]),
        words in prop::collection::vec(any_word(), 0..8),
        repository in prop::sample::select(&[GitFacts::Quiet, GitFacts::Unprobed, GitFacts::NoRepository][..]),
    ) {
        let argv: Vec<Word> = std::iter::once(Word::literal(program)).chain(words).collect();
        let finding = judge_words(&argv, &repository);
        prop_assert_eq!(finding.evidence.is_empty(), finding.kind == fore_shell::CommandKind::Reads);
    }

    /// A variable can be anything, so no verdict may get better when a word becomes uncertain.
    #[test]
    fn an_uncertain_word_is_never_better_than_the_option_it_may_be(
        line in prop::sample::select(&[
            "sed -i p file", "sed p -i", "find . -delete", "git branch -D x", "git diff --output=x", "gawk -i inplace {print} file", "git log --output=x HEAD",
            "git tag -d v1", "git -c core.pager=x log", "find -delete", "git config a.b c", "git remote add a b",
        ][..]),
        position in 1_usize..5,
        quoted: bool,
    ) {
        let mut argv = languages_support::words(line);
        let index = position.min(argv.len() - 1);
        let opaque = Opaque { prefix: String::new(), may_be_empty: !quoted, may_split: !quoted, may_be_option: true };
        if let Some(word) = argv.get_mut(index) {
            word.value = Value::Opaque(opaque);
        }
        prop_assert_ne!(judge_words(&argv, &GitFacts::Quiet).kind, fore_shell::CommandKind::Reads);
    }
}

#[test]
fn long_texts_take_no_longer_than_their_length() {
    let long = [
        "s/[".repeat(2700),
        "[".repeat(8000),
        "{".repeat(8000),
        "(".repeat(8000),
        "a\\\n".repeat(2700),
        "/x/".repeat(2700),
        "[[:".repeat(2700),
        "getline a[".repeat(800),
        "ARGV[".repeat(1600),
        "print > ".repeat(1000),
    ];
    for text in long {
        for program in ["sed", "awk", "find", "jq", "git"] {
            judge_words(&[Word::literal(program), Word::literal(text.clone())], &GitFacts::Quiet);
        }
    }
}
