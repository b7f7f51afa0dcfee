//! Interpreters, compilers and editors: asking for the version reads, the rest runs code or changes files.

use super::{
    grammar::{Row, ask},
    verdict::because,
};
use crate::{
    finding::{Finding, Kind},
    word::Word,
};

pub(super) const ROWS: &[Row] = &[
    ask(
        "zsh fish ksh csh tcsh nu pwsh powershell elvish xonsh osh ash",
        |argv, _| versioned(argv, &["--version"], Kind::Runs, "runs a script in a shell that is not analysed"),
        &["zsh --version", "fish --version"],
        &["zsh -c ls", "fish x.fish", "pwsh -c x", "zsh"],
    ),
    ask(
        "php",
        |argv, _| {
            let shows = ["--version", "-v", "-m", "-i", "--ini"];
            versioned(argv, &shows, Kind::Runs, "runs code")
        },
        &["php -v", "php -m", "php --ini", "php -i"],
        &["php -r 1", "php -m x.php", "php -i -d a=b", "php -S x:1", "php"],
    ),
    ask(
        "perl ruby lua luajit raku",
        |argv, _| versioned(argv, &["--version", "-v"], Kind::Runs, "runs code"),
        &["perl -v", "ruby --version", "lua -v"],
        &[
            "perl -e 1",
            "ruby x.rb",
            "perl -i -pe s/a/b/ f",
            "perl -Ilib script.pl",
            "ruby -v x.rb",
            "perl",
            "perl version",
        ],
    ),
    ask(
        "Rscript R julia irb elixir iex scala kotlin groovy racket guile sbcl clojure clj bb ocaml octave osascript dart jshell crystal nim",
        |argv, _| versioned(argv, &["--version"], Kind::Runs, "runs code"),
        &["elixir --version", "julia --version"],
        &["osascript -e x", "julia x.jl", "R -e 1"],
    ),
    ask(
        // They know no `--version` and run what comes on their input.
        "tclsh wish expect erl",
        |argv, _| versioned(argv, &[], Kind::Runs, "runs code"),
        &[],
        &["tclsh -v", "tclsh --version", "expect --version", "erl --version"],
    ),
    ask(
        "zig",
        |argv, _| versioned(argv, &["version", "env", "--help"], Kind::Runs, "compiles or runs code"),
        &["zig version"],
        &["zig build", "zig run x.zig"],
    ),
    ask(
        "java javac kotlinc scalac groovyc jps jstack jmap jcmd javap",
        |argv, _| versioned(argv, &["-version", "--version", "-fullversion"], Kind::Runs, "compiles or runs code"),
        &["java -version", "javac -version", "java --version"],
        &["java -jar x.jar", "javac A.java", "javac -version -processorpath x A.java", "java Main"],
    ),
    ask(
        "gcc g++ cc c++ clang clang++ gfortran ghc ocamlc tcc emcc nvcc swiftc gdc ldc2 dmd fpc vala valac nasm yasm",
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
                Kind::Runs,
                "compiles",
            )
        },
        &["gcc --version", "clang -v", "gcc -dumpmachine", "ghc --version"],
        &["gcc a.c", "gcc -o x a.c", "clang -c a.c", "gcc --version a.c", "gcc -wrapper x a.c"],
    ),
    ask(
        // With any other option they serve requests from their input.
        "rust-analyzer gopls clangd",
        |argv, _| {
            versioned(
                argv,
                &["--version", "--help"],
                Kind::Runs,
                "loads the project and does what it is asked on its input",
            )
        },
        &["rust-analyzer --version", "clangd --version"],
        &["rust-analyzer -v", "gopls -v", "gopls", "clangd"],
    ),
    ask(
        "make gmake mvn gradle",
        |argv, _| versioned(argv, &["--version", "-v"], Kind::Runs, "runs what the project's build files say"),
        &["make --version", "make -v", "mvn -v"],
        &["make", "make -n", "make --dry-run all", "mvn dependency:tree", "gradle tasks", "make --help", "make -v all"],
    ),
    ask(
        "nginx apache2 caddy postgres",
        |argv, _| versioned(argv, &["--version", "-v", "-V"], Kind::Unknown, "starts a server"),
        &["nginx -v", "nginx -V"],
        &["nginx", "nginx -t", "nginx -s reload"],
    ),
    ask(
        // Here `-v` may mean to say more while serving.
        "httpd mysqld redis-server mongod sshd",
        |argv, _| versioned(argv, &["--version", "-V"], Kind::Unknown, "starts a server"),
        &["redis-server --version", "httpd -V"],
        &["redis-server", "httpd -v", "mongod -v", "mysqld -v"],
    ),
    ask(
        "as ld lld cpp",
        |argv, _| versioned(argv, &["--version", "--help"], Kind::Runs, "compiles"),
        &["ld --version"],
        &["as -v", "as x.s", "ld a.o"],
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
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if let [only] = words
        && only.as_literal().is_some_and(|text| questions.contains(&text))
    {
        return Finding::reads();
    }
    let name = program.as_literal().unwrap_or_default();
    because(kind, name.rsplit('/').next().unwrap_or(name).to_string(), program, format!("`{name}` {why}"))
}
