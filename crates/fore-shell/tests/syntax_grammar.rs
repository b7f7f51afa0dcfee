//! Holds the grammar to two others: what the judge understands, bash accepts, and brush reads the same commands in it.
//!
//! Bash is asked once for each text, which takes most of the time.
#![expect(
    clippy::disallowed_types,
    clippy::expect_used,
    reason = "bash is the reference that these tests compare with"
)]

use brush_parser::{ParserOptions, ast};
use fore_shell::{CommandKind, Finding, GitFacts, ShellFacts, judge};
use proptest::prelude::*;
use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Stdio},
};

const CORPORA: [&str; 6] = [
    include_str!("../benches/corpus.txt"),
    include_str!("../../fore-commands/corpus/reads.txt"),
    include_str!("../../fore-commands/corpus/writes.txt"),
    include_str!("../../fore-commands/corpus/runs.txt"),
    include_str!("../../fore-commands/corpus/network.txt"),
    include_str!("syntax_hard.txt"),
];

fn judged(text: &str) -> Finding {
    let facts = ShellFacts {
        catalogue: &fore_commands::CATALOGUE,
        cwd: Path::new("/home/ada/project"),
        home: Some(Path::new("/home/ada")),
        plan_file: None,
        vouched: &[],
        repositories: &GitFacts::Quiet,
    };
    judge(text, &facts)
}

fn has_syntax_error(finding: &Finding) -> bool {
    finding.evidence.iter().any(|evidence| evidence.rule == "syntax.error")
}

fn bash_accepts(text: &str) -> bool {
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc", "-n", "-c", text]).env_clear().current_dir("/");
    bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().expect("bash starts").success()
}

type Commands = BTreeSet<Vec<String>>;

/// The marked commands (`echo m1 …`) that the judge met.
fn marked(finding: &Finding) -> Commands {
    let literal = finding.commands.iter().filter_map(|words| words.iter().cloned().collect::<Option<Vec<String>>>());
    literal
        .filter(|words| words.first().is_some_and(|first| first == "echo") && words.iter().all(|word| is_plain(word)))
        .collect()
}

/// Left as it is by bash.
fn is_plain(word: &str) -> bool {
    matches!(word, "{" | "[[") || !word.contains(['$', '`', '*', '?', '[', '{', '~', '<', '>'])
}

/// The marked commands in a text as brush reads it; `None` where it does not accept it.
fn marked_by_brush(text: &str) -> Option<Commands> {
    let tokens = brush_parser::uncached_tokenize_str(text, &ParserOptions::default().tokenizer_options()).ok()?;
    let program = brush_parser::parse_tokens(&tokens, &ParserOptions::default()).ok()?;
    let mut met = Commands::new();
    program.complete_commands.iter().for_each(|list| of_list(list, &mut met));
    Some(met)
}

fn of_list(list: &ast::CompoundList, met: &mut Commands) {
    for ast::CompoundListItem(chain, _) in &list.0 {
        let rest = chain.additional.iter().map(|next| match next {
            ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline) => pipeline,
        });
        for command in std::iter::once(&chain.first).chain(rest).flat_map(|pipeline| &pipeline.seq) {
            of_command(command, met);
        }
    }
}

fn of_command(command: &ast::Command, met: &mut Commands) {
    match command {
        ast::Command::Simple(simple) => {
            let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0).filter_map(|item| match item {
                ast::CommandPrefixOrSuffixItem::Word(word) => Some(word.value.clone()),
                ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => Some(word.value.clone()),
                ast::CommandPrefixOrSuffixItem::IoRedirect(_)
                | ast::CommandPrefixOrSuffixItem::ProcessSubstitution(..) => None,
            });
            let words: Vec<String> = simple.word_or_name.iter().map(|word| word.value.clone()).chain(suffix).collect();
            let expands = words.iter().any(|word| word.contains(['$', '`']));
            let words: Vec<String> = words.iter().map(|word| brush_parser::unquote_str(word)).collect();
            if !expands && words.first().is_some_and(|first| first == "echo") && words.iter().all(|word| is_plain(word))
            {
                met.insert(words);
            }
        }
        ast::Command::Compound(compound, _) => of_compound(compound, met),
        ast::Command::Function(function) => of_compound(&function.body.0, met),
        ast::Command::ExtendedTest(..) => {}
    }
}

fn of_compound(compound: &ast::CompoundCommand, met: &mut Commands) {
    match compound {
        ast::CompoundCommand::Arithmetic(_) | ast::CompoundCommand::Coprocess(_) => {}
        ast::CompoundCommand::ArithmeticForClause(command) => of_list(&command.body.list, met),
        ast::CompoundCommand::BraceGroup(command) => of_list(&command.list, met),
        ast::CompoundCommand::Subshell(command) => of_list(&command.list, met),
        ast::CompoundCommand::ForClause(command) => of_list(&command.body.list, met),
        ast::CompoundCommand::CaseClause(command) => {
            command.cases.iter().filter_map(|case| case.cmd.as_ref()).for_each(|list| of_list(list, met))
        }
        ast::CompoundCommand::IfClause(command) => {
            of_list(&command.condition, met);
            of_list(&command.then, met);
            for part in command.elses.iter().flatten() {
                part.condition.iter().for_each(|list| of_list(list, met));
                of_list(&part.body, met);
            }
        }
        ast::CompoundCommand::WhileClause(ast::WhileOrUntilClauseCommand(condition, body, _))
        | ast::CompoundCommand::UntilClause(ast::WhileOrUntilClauseCommand(condition, body, _)) => {
            of_list(condition, met);
            of_list(&body.list, met);
        }
    }
}

/// A simple command with a mark of its own.
fn simple() -> impl Strategy<Value = String> {
    let argument = prop::sample::select(vec![
        "a", "do", "esac", "fi", "in", "{", "}", "!", "time", "if", "x=1", "[[", "]]", "-n", "src/x.rs", "function",
    ]);
    let redirection =
        prop::sample::select(vec!["", "", "", " 2>&1", " >/dev/null", " </dev/null", " <<< a", " &>/dev/null"]);
    (0u32..100_000, prop::collection::vec(argument, 0..4), redirection).prop_map(|(mark, arguments, redirection)| {
        let mut words = vec![format!("echo m{mark}")];
        words.extend(arguments.into_iter().map(str::to_owned));
        format!("{}{redirection}", words.join(" "))
    })
}

fn condition() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "-f x",
        "-n x",
        "a == b",
        "1 -lt 2",
        "a =~ (b|c)+",
        "a =~ ^x$",
        "-v x",
        "a < b",
        "x",
        "-t 1",
        "a =~ b|c",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left} && {right}")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left} || {right}")),
            inner.clone().prop_map(|inner| format!("! {inner}")),
        ]
    })
}

/// One or more commands; ends so that a keyword may follow.
fn list(command: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> + Clone {
    let joint = prop::sample::select(vec![
        "; ",
        "\n",
        " && ",
        " || ",
        " | ",
        " |& ",
        ";\n",
        " &&\n",
        "\n\n",
        " # it's (\n",
        " \\\n&& ",
    ]);
    let end = prop::sample::select(vec!["; ", "\n", " ;\n", " # fi\n"]);
    (prop::collection::vec((command.clone(), joint), 0..3), command, end)
        .prop_map(|(front, last, end)| {
            let front: String = front.into_iter().map(|(command, joint)| format!("{command}{joint}")).collect();
            format!("{front}{last}{end}").replace("]] |&", "]] |")
        })
        .boxed()
}

/// Well-formed commands of every kind the grammar has, inside of each other.
fn command() -> impl Strategy<Value = String> + Clone {
    simple().boxed().prop_recursive(4, 24, 3, |inner| {
        let list = list(inner.clone());
        let two = (list.clone(), list.clone());
        let three = (list.clone(), list.clone(), list.clone());
        let head = prop::sample::select(vec![" in a b; ", " in a\n", " in; ", "; ", " ", " in *.rs;\n"]);
        let arm = prop::sample::select(vec!["a)", "(a|b)", "*)", "\"x y\")", "(esac)"]);
        let arm_end = prop::sample::select(vec![";;", ";&", ";;&", "\n;;\n"]);
        let function = prop::sample::select(vec!["f()", "function f", "f ()\n", "function f ()"]);
        prop_oneof![
            list.clone().prop_map(|list| format!("{{ {list}}}")),
            list.clone().prop_map(|list| format!("( {list})")),
            two.clone().prop_map(|(condition, body)| format!("if {condition}then {body}fi")),
            three.clone().prop_map(|(one, two, other)| format!("if {one}then {two}else {other}fi")),
            three.prop_map(|(one, two, other)| format!("if {one}then {two}elif {other}then {other}fi")),
            two.clone().prop_map(|(condition, body)| format!("while {condition}do {body}done")),
            two.prop_map(|(condition, body)| format!("until {condition}do {body}done >/dev/null")),
            (head, list.clone()).prop_map(|(head, body)| format!("for x{head}do {body}done")),
            list.clone().prop_map(|body| format!("for ((i=0; i<3; i++)); do {body}done")),
            list.clone().prop_map(|body| format!("for ((; ;)) {{ {body}}}")),
            (arm, list.clone(), arm_end, list.clone())
                .prop_map(|(arm, one, end, two)| format!("case a in {arm} {one}{} b) {two}esac", end_of_arm(end))),
            (function, list.clone()).prop_map(|(function, body)| format!("{function} {{ {body}}}; f")),
            condition().prop_map(|condition| format!("[[ {condition} ]]")),
            (inner.clone(), 1u8..3).prop_map(|(inner, bangs)| format!("{{ {}{inner}\n}}", "! ".repeat(bangs.into()))),
            Just("((1+2))".to_owned()),
            Just("x=(a b\nc)".to_owned()),
            Just("{ cat <<EOF\ntext fi\nEOF\n}".to_owned()),
            Just("{ cat <<-'END' 3<<E |\n\t$(rm x)\n\tEND\nthree\nE\nsort; }".to_owned()),
        ]
    })
}

/// A `;` in front of `;;` would be an empty command.
fn end_of_arm(end: &str) -> String {
    format!("echo m0 {end}")
}

/// A well-formed text with something put in or taken out.
fn broken() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "",
        "(",
        ")",
        "{ ",
        " }",
        "; ",
        " fi ",
        " esac ",
        " done ",
        "'",
        "\"",
        "\\",
        "\n",
        "#",
        "&",
        "|",
        "<",
        ">",
        "`",
        "$",
        " ]] ",
        "[[ ",
        " in ",
        " do ",
        "((",
        "))",
        " ! ",
        "\r",
        " time ",
        ";;",
        "<<EOF\n",
        "coproc ",
        "@(a|b)",
        "select x in ",
        "\\\n",
        "=(",
        "$(",
        "${",
        "<(",
        " then ",
        " else ",
        "function ",
    ]);
    (list(command()), any::<prop::sample::Index>(), piece, 0usize..4).prop_map(|(text, place, piece, length)| {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = place.index(places.len());
        let end = (start + length).min(places.len() - 1);
        format!("{}{piece}{}", &text[..places[start]], &text[places[end]..])
    })
}

/// What is understood bash accepts, and the commands in it are those that brush sees (it rejects more than bash).
fn agree(text: &str) -> Result<(), TestCaseError> {
    let finding = judged(text);
    if finding.kind == CommandKind::Unknown || has_syntax_error(&finding) {
        return Ok(());
    }
    prop_assert!(bash_accepts(text), "bash rejects {text:?}, which is {:?}", finding.kind);
    let Some(brush) = marked_by_brush(text) else { return Ok(()) };
    let ours = marked(&finding);
    prop_assert!(brush.is_subset(&ours), "{text:?}: brush reads {brush:?}, the judge {ours:?}");
    // Commands in substitutions are words to brush.
    let is_flat = !text.contains(['$', '`']) && !text.contains("<(");
    prop_assert!(!is_flat || ours.is_subset(&brush), "{text:?}: brush reads {brush:?}, the judge {ours:?}");
    Ok(())
}

#[test]
fn what_is_understood_in_the_corpora_brush_accepts() {
    let lines =
        CORPORA.iter().flat_map(|corpus| corpus.lines()).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for text in lines.map(|line| line.replace('⏎', "\n")) {
        let finding = judged(&text);
        if !has_syntax_error(&finding) && finding.kind != CommandKind::Unknown {
            assert!(marked_by_brush(&text).is_some(), "brush rejects {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn well_formed_texts_are_parsed_and_read_as_brush_reads_them(text in list(command())) {
        prop_assert!(bash_accepts(&text), "the generator is wrong: {text:?}");
        let finding = judged(&text);
        prop_assert!(!has_syntax_error(&finding), "{text:?} is {:?}", finding.evidence);
        prop_assert!(marked_by_brush(&text).is_some(), "brush rejects {text:?}");
        agree(&text)?;
    }

    #[test]
    fn broken_texts_are_understood_only_where_bash_and_brush_agree(text in broken()) {
        agree(&text)?;
    }
}
