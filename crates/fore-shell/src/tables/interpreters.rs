//! Shells, interpreters and compilers: asking for the version reads, a literal script of a shell is judged itself, the rest runs code.

use super::{
    grammar::{Row, ask},
    verdict::{because, unknown},
};
use crate::{
    context::Context,
    finding::{Finding, Kind},
    word::{Value, Word},
};

pub(super) const ROWS: &[Row] = &[
    ask(
        "bash sh dash",
        shell,
        &["bash --version", "bash -n x.sh", "bash -c 'ls -la'", "sh -c 'cat a | head'", "bash -ec 'ls'", "bash -c 'echo hi' name arg"],
        &["bash", "bash x.sh", "sh -c 'rm x'", "bash -c $x", "bash -lc 'ls'", "bash -i", "sh -", "bash -c", "bash --rcfile x -c ls", "bash -c 'ls' > f", "bash -O extglob -c ls", "sh -s", "bash -n -c 'rm x'"],
    ),
    ask(
        "zsh fish ksh csh tcsh nu pwsh powershell elvish xonsh osh ash",
        |argv, _| versioned(argv, &["--version"], Kind::Runs, "runs a script in a shell that is not analysed"),
        &["zsh --version", "fish --version"],
        &["zsh -c ls", "fish x.fish", "pwsh -c x", "zsh"],
    ),
    ask(
        "perl ruby php lua luajit Rscript R julia irb elixir erl iex scala kotlin groovy racket guile sbcl clojure clj bb ocaml octave tclsh expect osascript raku dart jshell deno-run crystal nim zig",
        |argv, _| versioned(argv, &["--version", "-v", "-V", "-version", "version"], Kind::Runs, "runs code"),
        &["perl -v", "ruby --version", "php -v", "zig version", "elixir --version", "lua -v"],
        &["perl -e 1", "ruby x.rb", "php -r 1", "perl -i -pe s/a/b/ f", "perl -Ilib script.pl", "osascript -e x", "ruby -v x.rb", "perl"],
    ),
    ask(
        "java javac kotlinc scalac groovyc jps jstack jmap jcmd javap",
        |argv, _| versioned(argv, &["-version", "--version", "-fullversion"], Kind::Runs, "compiles or runs code"),
        &["java -version", "javac -version", "java --version"],
        &["java -jar x.jar", "javac A.java", "javac -version -processorpath x A.java", "java Main"],
    ),
    ask(
        "gcc g++ cc c++ clang clang++ gfortran ld lld as ghc ocamlc tcc emcc nvcc swiftc gdc ldc2 dmd fpc vala valac nasm yasm rust-analyzer gopls clangd cpp",
        |argv, _| versioned(argv, &["--version", "-v", "-V", "-dumpversion", "-dumpmachine", "-dumpfullversion", "--help", "-print-search-dirs", "-print-resource-dir", "--print-search-dirs", "-dumpspecs"], Kind::Runs, "compiles"),
        &["gcc --version", "clang -v", "gcc -dumpmachine", "ghc --version"],
        &["gcc a.c", "gcc -o x a.c", "clang -c a.c", "gcc --version a.c", "gcc -wrapper x a.c"],
    ),
    ask(
        "vim vi nvim nano emacs emacsclient ed ex pico micro hx kak joe code subl gedit open xdg-open start cursor zed idea",
        |argv, _| versioned(argv, &["--version"], Kind::Writes, "opens files for editing or starts another program"),
        &["vim --version", "code --version", "emacs --version", "nvim --version"],
        &["vim x", "nano x", "ed x", "code .", "open x", "emacs --batch --eval x", "vim -es x"],
    ),
];

/// Programs that run what they are given, except when asked who they are.
fn versioned(argv: &[Word], questions: &[&str], kind: Kind, why: &str) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    if let [only] = words
        && only.as_literal().is_some_and(|text| questions.contains(&text))
    {
        return Finding::reads();
    }
    let name = program.as_literal().unwrap_or_default();
    because(kind, name.rsplit('/').next().unwrap_or(name).to_string(), program, format!("`{name}` {why}"))
}

/// `bash -c TEXT` is judged by its text; a script file is code of somebody else.
fn shell(argv: &[Word], context: &Context<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else { return Finding::reads() };
    let name = program.as_literal().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_string();
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "--help"))) {
        return Finding::reads();
    }
    let runs = || because(Kind::Runs, name.clone(), program, format!("`{name}` runs a script"));
    let mut command = false;
    let mut checks = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Value::Literal(text) = &word.value else {
            return unknown(format!("{name}.word"), word, format!("what `{name}` runs is decided at run time"));
        };
        match text.as_str() {
            "-o" => match words.next().and_then(Word::as_literal) {
                Some("errexit" | "nounset" | "pipefail" | "xtrace") => {}
                Some(_) | None => return runs(),
            },
            "--norc" | "--noprofile" => {}
            option if option.len() > 1 && option.starts_with('-') && option.bytes().skip(1).all(|b| b"ceuxn".contains(&b)) => {
                command |= option.contains('c');
                checks |= option.contains('n');
            }
            option if option.starts_with('-') || option.starts_with('+') => return runs(),
            script => {
                return match (command, checks) {
                    (true, false) => match context.deeper() {
                        Some(deeper) => crate::syntax::judge_text(script, &deeper),
                        None => unknown(format!("{name}.depth"), word, "too deeply nested to judge".into()),
                    },
                    // Only its syntax is checked.
                    (false, true) => {
                        let mut finding = Finding::reads();
                        super::verdict::read_path(&mut finding, script, context);
                        finding
                    }
                    (true, true) | (false, false) => runs(),
                };
            }
        }
    }
    runs()
}
