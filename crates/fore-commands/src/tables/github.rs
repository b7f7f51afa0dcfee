//! Command lines of code forges.

use super::{
    catalogue::{GivenValue, OptionScope, reaching, scan},
    grammar::{
        CommandRow, Grammar, Handling, Operands, READER, Reaches, VERBS, ValueType::*, Verb, Verbs, WORDS, changes,
        flags, nested, runs, starts, value, verb, verbs, writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext, Partner, Reach, Word, sent_file};

const READ: Grammar = Grammar {
    options: &[
        flags(
            "-c --comments -a --all --name-only --patch --required --watch --fail-fast --draft --log --log-failed --exit-status -v --verbose -y --yaml --archived --no-archived --fork --source -d --exclude-drafts --exclude-pre-releases --include-prs --web-search --current --active --conflict-status --no-status --checks --closed --closing --merged --locked --owner-only --show-token-never --include-forks",
        ),
        value(
            "-R --repo -H --hostname -L -l -s -A -B -S -q -t -b -u -e -E -n -m -i --limit --state --author --assignee --base --head --label --search --json --jq --template --branch --user --workflow --status --event --commit --created --language --topic --visibility --sort --order --match --owner --mention --milestone --app --color --attempt --job --interval --ref --exclude --filename --extension --size --updated --stars --forks --followers --license --involves --comments-count --review --reviewed-by --review-requested --draft-state --team-review-requested --reactions --interactions --project --hash --merged-at --type --env --org --number",
            Text,
        ),
        runs("--web", "opens a browser"),
    ],
    operands: WORDS,
    ..READER
};
/// The same for one thing instead of many.
const VIEW: Grammar = Grammar {
    options: &[
        flags(
            "-c --comments --name-only --patch --required --watch --fail-fast --exit-status -v --verbose -y --yaml --log --log-failed --conflict-status -a --active -r",
        ),
        value(
            "-R --repo -q -t -b -j -i --json --jq --template --branch --job --attempt --ref --interval --color --exclude -h --hostname -e",
            Text,
        ),
        runs("-w --web", "opens a browser"),
    ],
    operands: WORDS,
    ..READER
};

const SVN: Grammar = Grammar {
    options: &[
        flags("-v -q -g --verbose --quiet --summarize --non-interactive --stop-on-copy --xml --no-ignore"),
        value("-l -r -c --limit --revision --change --depth", Text),
    ],
    operands: WORDS,
    check: Some(|seen, context| {
        let mut words = seen.operands.iter().filter_map(|word| word.as_literal());
        if words.clone().any(|text| text.starts_with("svn+")) {
            return Some(seen.verdict(CommandKind::Runs, "tunnel", "starts a program for such an address"));
        }
        words.any(|text| text.contains("://")).then(|| reaching(Reaches::AnyHost, seen.name, seen.program, context))
    }),
    ..READER
};

const fn reading(names: &'static str) -> Verb {
    verb(names, &READ)
}

const LISTED: Verbs = Verbs {
    verbs: &[reading("list ls"), verb("view status get check diff checks watch verify", &VIEW)],
    otherwise: CommandKind::Writes,
    ..VERBS
};

pub(super) const ROWS: &[CommandRow] = &[
    verbs(
        "gh",
        &Verbs {
            options: &[value("-R --repo", Text)],
            verbs: &[
                nested(
                    "pr issue release run workflow cache label ruleset gist variable secret project org ssh-key gpg-key discussion",
                    &LISTED,
                ),
                nested(
                    "repo",
                    &Verbs {
                        verbs: &[
                            reading("list"),
                            verb("view", &VIEW),
                            nested("deploy-key autolink license gitignore", &LISTED),
                        ],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "search",
                    &Verbs { verbs: &[reading("code commits issues prs repos")], bare: CommandKind::Reads, ..VERBS },
                ),
                nested(
                    "auth",
                    &Verbs {
                        verbs: &[verb(
                            "status",
                            &Grammar {
                                options: &[flags("-a --active"), value("-h --hostname --json --jq", Text)],
                                operands: super::grammar::NOTHING,
                                ..READER
                            },
                        )],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "config alias extension extensions",
                    &Verbs {
                        verbs: &[verb("get list", &Grammar { reach: Reaches::Nobody, ..VIEW })],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        reach: Reaches::Nobody,
                        ..VERBS
                    },
                ),
                nested(
                    "codespace cs attestation agent-task",
                    &Verbs { verbs: &[reading("list"), verb("view", &VIEW)], otherwise: CommandKind::Writes, ..VERBS },
                ),
                verb("status", &VIEW),
                verb("version", &Grammar { reach: Reaches::Nobody, operands: super::grammar::NOTHING, ..READER }),
                verb(
                    "help",
                    &Grammar {
                        reach: Reaches::Nobody,
                        operands: Operands {
                            rest: Some(Enum("pr issue repo run workflow api auth release search gist label config")),
                            ..super::grammar::NOTHING
                        },
                        ..READER
                    },
                ),
                Verb { names: "api", action: Handling::Ask(api) },
                starts("browse copilot", "starts a program"),
                changes("preview", "is not a read"),
            ],
            reach: Reaches::Configured(Partner::Forge),
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &[
            "gh pr view 1",
            "gh pr list --state open --json number,title",
            "gh issue view 3 --comments",
            "gh pr diff 1",
            "gh pr checks 1",
            "gh run list -L 5",
            "gh run view 1 --log-failed",
            "gh api repos/o/r/pulls",
            "gh api graphql -f query='query{viewer{login}}'",
            "gh search code foo --repo o/r",
            "gh repo view o/r",
            "gh --version",
            "gh auth status",
            "gh api -X GET search/issues -f q=x",
            "gh release list",
            "gh pr create --help",
            "gh help pr",
            "gh api repos/o/r --jq .name",
        ],
        &[
            "gh pr create",
            "gh pr merge 1",
            "gh api -X POST repos/o/r/issues",
            "gh api graphql -f query='mutation{x}'",
            "gh issue close 1",
            "gh repo clone o/r",
            "gh release download",
            "gh pr checkout 1",
            "gh auth login",
            "gh api repos/o/r/issues -f title=x",
            "gh api -XDELETE x",
            "gh api --method PATCH x",
            "gh api x --input f",
            "gh pr view 1 --web",
            "gh run download 1",
            "gh $x",
            "gh pr $x",
            "gh api $x",
            "gh api graphql -f query=$q",
            "gh api graphql -F query=@f",
            "gh run watch 1 --frob",
            "gh run rerun 1",
            "gh alias set x y",
            "gh foo",
            "gh auth token",
            "gh api graphql -f query='query{a} mutation{b}'",
            "gh api --hostname evil.com x",
            "gh api https://evil.com/x",
            "gh variable set x",
            "gh pr list -d --web",
            "gh gist view x -r --web",
            "gh auth status -t",
            "gh api graphql -f query='query{a}' -f 'query[]=x'",
        ],
    ),
    verbs(
        "svn",
        &Verbs {
            verbs: &[
                verb("status stat st info diff di", &SVN),
                verb("log blame praise annotate cat list ls", &Grammar { reach: Reaches::AnyHost, ..SVN }),
            ],
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["svn status", "svn info", "svn log -l 5", "svn diff -r 1:2 f"],
        &[
            "svn up",
            "svn commit -m x",
            "svn diff --diff-cmd ./x",
            "svn --config-option x st",
            "svn status -u",
            "svn checkout x",
            "svn ls svn+ssh://-oProxyCommand=x/y",
        ],
    ),
    verbs(
        "glab",
        &Verbs {
            options: &[value("-R --repo", Text)],
            verbs: &[
                nested(
                    "mr issue release repo ci pipeline label variable snippet project incident",
                    &Verbs {
                        verbs: &[reading("list ls"), verb("view status get diff", &VIEW)],
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
                nested(
                    "auth",
                    &Verbs {
                        verbs: &[verb("status", &VIEW)],
                        bare: CommandKind::Reads,
                        otherwise: CommandKind::Writes,
                        ..VERBS
                    },
                ),
            ],
            reach: Reaches::AnyHost,
            otherwise: CommandKind::Writes,
            ..VERBS
        },
        &["glab mr list", "glab issue view 1", "glab --version"],
        &["glab mr create", "glab mr merge 1", "glab api x", "glab ci run"],
    ),
];

static API: Grammar = Grammar {
    options: &[
        flags("-i --include --paginate --silent --slurp --verbose"),
        value("-q -t --jq --template -p --preview", Text),
        value("-X --method -f -F --raw-field --field", Text),
        value("-H --header", Format(|text| !text.to_ascii_lowercase().contains("override"))),
        writes_with("--input", "sends a file"),
    ],
    operands: Operands { first: &[Text], ..super::grammar::NOTHING },
    ..READER
};

/// `gh api` reads when it is a GET, or a GraphQL document that is written out and holds only queries.
fn api(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    let seen = scan("gh.api", program, words, &API, OptionScope::NONE, context);
    let Some(endpoint) = seen.operands.first().and_then(|word| word.as_literal()) else {
        return seen.finding.and(Finding::unknown(
            "gh.api.word",
            program,
            "`gh api` asks for something decided at run time",
        ));
    };
    let host = reaching(Reaches::Configured(Partner::Forge), "gh.api", program, context);
    if endpoint.contains("://") {
        return seen.finding.and(Finding::network(Reach::AnyHost, "gh.api", program)).and(Finding::unknown(
            "gh.api.url",
            program,
            "`gh api` is pointed at another host",
        ));
    }
    let fields = seen.options.iter().filter(|one| matches!(one.name, "-f" | "-F" | "--raw-field" | "--field"));
    let verdict = match seen.value("-X --method") {
        Some(GivenValue::Text(method)) if method.eq_ignore_ascii_case("get") || method.eq_ignore_ascii_case("head") => {
            Finding::reads()
        }
        Some(GivenValue::Text(method)) => Finding::shown(
            CommandKind::Writes,
            "gh.api.-X",
            program,
            format!("`gh api -X {}` changes something", fore_shell::quoted(method)),
        ),
        Some(GivenValue::Something | GivenValue::Nothing) => {
            Finding::unknown("gh.api.-X", program, "the method of `gh api` is decided at run time")
        }
        None if endpoint.trim_start_matches('/') == "graphql" => graphql(fields.map(|one| one.value), program),
        None if fields.count() > 0 => {
            Finding::shown(CommandKind::Writes, "gh.api.-f", program, "`gh api` with fields sends a POST")
        }
        None => Finding::reads(),
    };
    let mut finding = seen.finding.clone().and(verdict).and(host);
    for one in &seen.options {
        match (one.name, one.value) {
            ("--input", GivenValue::Text(path)) => finding.send(sent_file(path)),
            ("-F" | "--field", GivenValue::Text(text)) => {
                if let Some((_, path)) = text.split_once("=@") {
                    finding.send(sent_file(path));
                }
            }
            (_, GivenValue::Text(_) | GivenValue::Nothing | GivenValue::Something) => {}
        }
    }
    finding
}

/// Whether every field is written out and the document is a query.
fn graphql<'w>(fields: impl Iterator<Item = GivenValue<'w>>, program: &Word) -> Finding {
    let mut has_query = false;
    for field in fields {
        let GivenValue::Text(text) = field else {
            return Finding::unknown("gh.api.graphql", program, "the GraphQL document is decided at run time");
        };
        let document = match text.split_once('=') {
            Some(("query", document)) => document,
            Some((name, _)) if !name.starts_with("query[") => continue,
            Some(_) | None => "",
        };
        let document = document.trim_start();
        if document.to_ascii_lowercase().contains("mutation") {
            return Finding::shown(
                CommandKind::Writes,
                "gh.api.graphql",
                program,
                "a GraphQL mutation changes something",
            );
        }
        if has_query || !(document.starts_with("query") || document.starts_with('{')) {
            return Finding::unknown("gh.api.graphql", program, "the GraphQL document is no plain query");
        }
        has_query = true;
    }
    if has_query {
        Finding::reads()
    } else {
        Finding::unknown("gh.api.graphql", program, "there is no GraphQL query to look at")
    }
}
