//! Interpreters, compilers and editors: asking for the version reads, the rest runs code or changes files.

use super::grammar::{CommandRow, always, ask, steered};
use fore_shell::{CommandKind, Finding, Word};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "zsh fish ksh csh tcsh nu pwsh powershell elvish xonsh osh ash",
        |argv, _| versioned(argv, &["--version"], CommandKind::Runs, "runs a script in a shell that is not analysed"),
        &["zsh --version", "fish --version"],
        &["zsh -c ls", "fish x.fish", "pwsh -c x", "zsh"],
    ),
    steered(
        "`.php-version` and version managers",
        always("php", CommandKind::Runs, "runs code", &["php -v", "php -m", "php -r 1", "php -S x:1", "php"]),
    ),
    ask(
        "perl lua luajit raku",
        |argv, _| versioned(argv, &["--version", "-v"], CommandKind::Runs, "runs code"),
        &["perl -v", "lua -v"],
        &["perl -e 1", "perl -i -pe s/a/b/ f", "perl -Ilib script.pl", "perl -v x.pl", "perl", "perl version"],
    ),
    ask(
        "Rscript R racket guile sbcl ocaml octave osascript jshell",
        |argv, _| versioned(argv, &["--version"], CommandKind::Runs, "runs code"),
        &["R --version", "octave --version"],
        &["osascript -e x", "R -e 1", "Rscript x.R"],
    ),
    steered(
        "version files and settings",
        always(
            "ruby irb erb julia elixir iex scala kotlin groovy clojure clj bb dart crystal nim nimble ghc ghci swiftc emcc",
            CommandKind::Runs,
            "runs code",
            &[
                "ruby --version",
                "ruby -v",
                "ruby x.rb",
                "julia --version",
                "elixir --version",
                "swiftc --version",
                "ghc x.hs",
            ],
        ),
    ),
    ask(
        // They know no `--version` and run what comes on their input.
        "tclsh wish expect erl",
        |argv, _| versioned(argv, &[], CommandKind::Runs, "runs code"),
        &[],
        &["tclsh -v", "tclsh --version", "expect --version", "erl --version"],
    ),
    steered(
        "`build.zig.zon` and version managers",
        always("zig", CommandKind::Runs, "compiles or runs code", &["zig version", "zig build", "zig run x.zig"]),
    ),
    ask(
        "java javac kotlinc scalac groovyc jps jstack jmap jcmd javap",
        |argv, _| {
            versioned(argv, &["-version", "--version", "-fullversion"], CommandKind::Runs, "compiles or runs code")
        },
        &["java -version", "javac -version", "java --version"],
        &["java -jar x.jar", "javac A.java", "javac -version -processorpath x A.java", "java Main"],
    ),
    ask(
        "gcc g++ cc c++ clang clang++ gfortran ocamlc tcc nvcc gdc ldc2 dmd fpc vala valac nasm yasm",
        |argv, _| {
            versioned(
                argv,
                &[
                    "--version",
                    "-v",
                    "-V",
                    "-dumpversion",
                    "-dumpmachine",
                    "-dumpfullversion",
                    "--help",
                    "-print-search-dirs",
                    "-print-resource-dir",
                    "--print-search-dirs",
                    "-dumpspecs",
                ],
                CommandKind::Runs,
                "compiles",
            )
        },
        &["gcc --version", "clang -v", "gcc -dumpmachine", "gfortran --version"],
        &["gcc a.c", "gcc -o x a.c", "clang -c a.c", "gcc --version a.c", "gcc -wrapper x a.c"],
    ),
    steered(
        "toolchain and project files",
        always(
            "rust-analyzer gopls clangd pyright-langserver pylsp typescript-language-server jdtls solargraph ruby-lsp lua-language-server zls metals omnisharp",
            CommandKind::Runs,
            "loads the project and does what it is asked on its input",
            &["rust-analyzer --version", "gopls", "clangd --version"],
        ),
    ),
    steered(
        "build files, wrappers and `.mvn`",
        always(
            "make gmake bmake mvn mvnd gradle",
            CommandKind::Runs,
            "runs what the project's build files say",
            &["make --version", "make -n", "make", "mvn -v", "mvn dependency:tree", "gradle --version", "gradle tasks"],
        ),
    ),
    ask(
        "nginx apache2 caddy postgres",
        |argv, _| versioned(argv, &["--version", "-v", "-V"], CommandKind::Unknown, "starts a server"),
        &["nginx -v", "nginx -V"],
        &["nginx", "nginx -t", "nginx -s reload"],
    ),
    ask(
        // Here `-v` may mean to say more while serving.
        "httpd mysqld redis-server mongod sshd",
        |argv, _| versioned(argv, &["--version", "-V"], CommandKind::Unknown, "starts a server"),
        &["redis-server --version", "httpd -V"],
        &["redis-server", "httpd -v", "mongod -v", "mysqld -v"],
    ),
    ask(
        "as ld lld cpp",
        |argv, _| versioned(argv, &["--version", "--help"], CommandKind::Runs, "compiles"),
        &["ld --version"],
        &["as -v", "as x.s", "ld a.o"],
    ),
    ask(
        "vim vi nvim nano emacs emacsclient ed ex pico micro hx kak joe code subl gedit open xdg-open start cursor zed idea",
        |argv, _| {
            versioned(argv, &["--version"], CommandKind::Writes, "opens files for editing or starts another program")
        },
        &["vim --version", "code --version", "emacs --version", "nvim --version"],
        &["vim x", "nano x", "ed x", "code .", "open x", "emacs --batch --eval x", "vim -es x"],
    ),
];

/// Programs that run what they are given, except when asked who they are.
fn versioned(argv: &[Word], questions: &[&str], kind: CommandKind, why: &str) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if let [only] = words
        && only.as_literal().is_some_and(|text| questions.contains(&text))
    {
        return Finding::reads();
    }
    let name = program.as_literal().unwrap_or_default();
    Finding::shown(kind, name.rsplit('/').next().unwrap_or(name).to_string(), program, format!("`{name}` {why}"))
}
