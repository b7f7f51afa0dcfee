//! Asks bash itself: texts it rejects are never reads, and arguments that the judge is certain of are what bash makes of them.
#![expect(
    clippy::disallowed_methods,
    reason = "bash is the reference that these tests compare with"
)]

use fore_shell::{Facts, GitFacts, Kind, context::Context, judge, syntax};
use proptest::prelude::*;
use std::{
    path::Path,
    process::{Command, Stdio},
};

const CORPUS: &str = include_str!("../benches/corpus.txt");
const HARD: &str = include_str!("syntax_hard.txt");

fn facts() -> Facts<'static> {
    Facts {
        cwd: Path::new("/"),
        home: Some(Path::new("/home/ada")),
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    }
}

fn bash(arguments: &[&str]) -> Command {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc"]).args(arguments);
    command
        .env_clear()
        .env("HOME", "/home/ada")
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn bash_accepts(text: &str) -> bool {
    // Without this option bash takes the end of the text for the end of a here-document.
    bash(&["-n", "-c", text])
        .stdout(Stdio::null())
        .status()
        .expect("bash starts")
        .success()
}

fn commands() -> Vec<String> {
    CORPUS
        .lines()
        .chain(HARD.lines())
        .map(|line| line.replace('⏎', "\n"))
        .collect()
}

fn syntax_fragment() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "echo",
        "true",
        "ls",
        " ",
        " ",
        " ",
        "\t",
        "\n",
        ";",
        "&&",
        "||",
        "|",
        "|&",
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "{ ",
        "; }",
        "$(",
        "${",
        "$((",
        "`",
        "'",
        "\"",
        "\\",
        "\\\n",
        "$'",
        "$\"",
        "<",
        ">",
        "<<",
        "<<<",
        "<(",
        ">(",
        ">&",
        "<&",
        "&>",
        "2>",
        "2>&1",
        "/dev/null",
        "x",
        "x=1",
        "x=",
        "$x",
        "${x}",
        "*",
        "~",
        "#",
        "! ",
        "if ",
        "then ",
        "fi",
        "else ",
        "elif ",
        "while ",
        "do ",
        "done",
        "for ",
        "in ",
        "case ",
        "esac",
        ";;",
        ";&",
        "[[ ",
        " ]]",
        "[ ",
        " ]",
        "-f",
        "-eq",
        " =~ ",
        " == ",
        "function ",
        "f()",
        "time ",
        "EOF",
        "<<EOF\n",
        "\nEOF\n",
        "1",
        "0",
        "=(",
        "a)",
        "select ",
        "coproc ",
        "in",
        "-p",
        "&",
    ])
    .prop_map(str::to_owned)
}

fn any_syntax() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::collection::vec(syntax_fragment(), 1..14).prop_map(|fragments| fragments.concat()),
        prop::collection::vec(syntax_fragment(), 1..12).prop_map(|fragments| fragments.join(" ")),
        (
            prop::sample::select(commands()),
            any::<prop::sample::Index>(),
            syntax_fragment(),
            0usize..3
        )
            .prop_map(|(command, place, fragment, length)| {
                let places: Vec<usize> = command
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([command.len()])
                    .collect();
                let start = place.index(places.len());
                let end = (start + length).min(places.len() - 1);
                format!(
                    "{}{fragment}{}",
                    &command[..places[start]],
                    &command[places[end]..]
                )
            }),
    ]
}

/// Words without anything that could start a program or open a file.
fn words() -> impl Strategy<Value = String> {
    let fragment = prop::sample::select(vec![
        "a",
        "b",
        "-o",
        "x",
        "é",
        " ",
        " ",
        "{",
        "}",
        ",",
        "..",
        "{a,b}",
        "{1..3}",
        "{c..a}",
        "{,x}",
        "{}",
        "'",
        "''",
        "'q r'",
        "\"",
        "\"\"",
        "\"s t\"",
        "\\",
        "\\\\",
        "\\ ",
        "\\\n",
        "$'",
        "$'\\n'",
        "$'\\x41'",
        "$'\\101'",
        "$'\\''",
        "$\"",
        "$\"t\"",
        "~",
        "~/",
        "=",
        ":",
        "$",
        "#",
        "!",
        "%",
        "^",
        "@",
        "$HOME",
        "${HOME}",
        "\"$HOME\"",
        "1",
        "0",
        "-",
        ".",
        "/",
        "[",
        "]",
        "\t",
    ]);
    prop::collection::vec(fragment, 1..9).prop_map(|fragments| fragments.concat())
}

/// Texts that try to touch a file by every road the shell offers. Nothing in them reaches outside of the current folder.
fn attempts() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "touch f",
        "touch",
        "echo",
        "cat",
        "sort",
        "find .",
        "-delete",
        "-exec",
        "-o",
        "f",
        "true",
        "false",
        "x=touch",
        "x=-delete",
        "x='touch f'",
        "x='$(touch f)'",
        "x='a[$(touch f)]'",
        "x=-v",
        "y=x",
        "$x",
        "\"$x\"",
        "${x}",
        "$y",
        "${!y}",
        "${x@P}",
        "${x@Q}",
        "${x:-touch f}",
        "${x:=touch}",
        "${x#t}",
        "${x:0:1}",
        "${x:x}",
        "${#x}",
        "$((x))",
        "$(( 1 + 2 ))",
        "((x))",
        "((y=x))",
        "[[ $x -eq 1 ]]",
        "[[ x -eq 1 ]]",
        "[[ -v $x ]]",
        "[[ $x == t* ]]",
        "[ -v \"$x\" ]",
        "[ $x ]",
        "[ \"$x\" = y ]",
        "test -v",
        "$(touch f)",
        "`touch f`",
        "\"$(touch f)\"",
        "'$(touch f)'",
        "<(touch f)",
        ">(touch f)",
        "> f",
        ">f",
        ">> f",
        ">| f",
        "&> f",
        ">& f",
        "2> f",
        "2>f",
        "2>&1",
        "> /dev/null",
        "< /dev/null",
        "<> f",
        "{fd}> f",
        "<<< \"$(touch f)\"",
        "<<EOF\n$(touch f)\nEOF\n",
        "<<'EOF'\n$(touch f)\nEOF\n",
        "<<EOF\n$x\nEOF\n",
        "{touch,f}",
        "{echo,touch}",
        "{to,}uch",
        "t{ou,}ch",
        "$x{a,b}",
        "f(){ touch f; }",
        "f(){ echo; }",
        "echo(){ touch f; }",
        "f",
        "printf -v x %s",
        "printf '%s\\n'",
        "read x",
        "read -r x y",
        "mapfile x",
        "declare x=",
        "declare -i x=",
        "declare -n y=x",
        "local x",
        "export x",
        "export LC_ALL=C",
        "unset x",
        "let x",
        "set -- touch f",
        "set -e",
        "set -x",
        "$1",
        "$@",
        "\"$@\"",
        "shift",
        "eval",
        "eval touch f",
        "exec",
        "command",
        "builtin",
        "trap 'touch f' EXIT",
        "alias echo=touch",
        "shopt -s expand_aliases",
        "PS4='$(touch f)'",
        "IFS=o",
        "IFS= read -r x",
        "env",
        "xargs",
        "bash -c",
        "bash -c 'touch f'",
        "sh -c 'echo'",
        "cd .",
        "cd /",
        "pwd",
        "time",
        "!",
        "for x in touch -delete; do",
        "for x in a b; do",
        "for ((i=0;i<2;i++)); do",
        "while read x; do",
        "until true; do",
        "do",
        "done",
        "; done",
        "if",
        "if true; then",
        "then",
        "else",
        "fi",
        "; fi",
        "case x in",
        "case $x in",
        "a)",
        "*)",
        ";;",
        "esac",
        "{",
        "}",
        "(",
        ")",
        "&&",
        "||",
        ";",
        "\n",
        "|",
        "|&",
        "&",
        "break",
        "continue",
        "exit",
        "return",
        "\\\n",
        "\\",
        "''",
        "\"\"",
        "~",
        "*",
        "?",
        "[a]",
        "#",
        "x+=f",
        "x+=('touch f')",
        "x=(touch f)",
        "${x[0]}",
        "\"${x[@]}\"",
        "${x[$y]}",
    ]);
    prop_oneof![
        prop::collection::vec(part.clone(), 2..9).prop_map(|parts| parts.join(" ")),
        prop::collection::vec(part.clone(), 2..6).prop_map(|parts| parts.join("; ")),
        prop::collection::vec(part, 2..6).prop_map(|parts| parts.concat()),
    ]
}

#[test]
fn the_corpora_are_accepted_by_bash_wherever_they_are_reads() {
    for text in commands() {
        if judge(&text, &facts()).kind == Kind::Reads {
            assert!(bash_accepts(&text), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_bash_rejects_is_never_a_read(text in any_syntax()) {
        let kind = judge(&text, &facts()).kind;
        if matches!(kind, Kind::Reads | Kind::Network | Kind::Runs) {
            prop_assert!(bash_accepts(&text), "{text:?} is {kind:?}");
        }
    }

    #[test]
    fn certain_arguments_are_what_bash_passes(words in words()) {
        let facts = facts();
        let text = format!("printf '%s\\n' x {words}");
        let Some(arguments) = syntax::certain_arguments(&text, &Context::new(&facts)) else { return Ok(()) };
        let output = bash(&["-c", &text]).stdout(Stdio::piped()).output().expect("bash starts");
        let expected = arguments.iter().skip(2).map(|argument| format!("{argument}\n")).collect::<String>();
        prop_assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{:?}", text);
    }

    #[test]
    fn what_is_a_read_touches_nothing(text in attempts()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("kept"), "kept").expect("a file");
        let facts = Facts { cwd: folder.path(), ..facts() };
        let kind = judge(&text, &facts).kind;
        if kind == Kind::Reads {
            // Loops without an end are cut off by their use of the processor.
            let limits = "ulimit -t 1; exec bash --noprofile --norc -c \"$1\"";
            bash(&["-c", limits, "bash", &text]).current_dir(folder.path()).stdout(Stdio::null()).status().expect("bash starts");
            let names: Vec<_> = std::fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("an entry").file_name()).collect();
            prop_assert_eq!(names, vec!["kept"], "{:?}", text);
            prop_assert_eq!(std::fs::read_to_string(folder.path().join("kept")).expect("the file"), "kept", "{:?}", text);
        }
    }
}
