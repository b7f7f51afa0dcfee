//! Programs that fetch from the web. A fetch that keeps nothing is a network read; sending or saving is a write.

use super::{
    catalogue::{ArgumentScan, GivenValue, OptionScope, scan},
    grammar::{
        CommandRow, Grammar, READER, Reaches, ValueType::*, WORDS, ask, flags, output, parse, runs_with, value, writes,
        writes_with,
    },
};
use fore_shell::{CommandKind, Finding, JudgeContext, Reach, Value, Word, sent_file};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "curl",
        curl,
        &[
            "curl -s https://example.org/x",
            "curl -I https://a.b",
            "curl -sSL https://a.b/c",
            "curl https://a.b -o /dev/null -w '%{http_code}'",
            "curl -X GET https://a.b",
            "curl -H 'Accept: x' https://a.b",
            "curl -G --data-urlencode q=x https://a.b",
            "curl --version",
            "curl --proto '=https' --tlsv1.2 -sSf https://a.b",
            "curl localhost:8080/health",
            "curl -s -H \"Authorization: Bearer $TOKEN\" https://a.b",
            "curl -fsSL a.b/c",
            "curl -s \"https://a.b/$x\"",
            "curl -o - https://a.b",
            "curl -sSLo /dev/null https://a.b",
        ],
        &[
            "curl -o f https://a.b",
            "curl -O https://a.b/f",
            "curl -d x https://a.b",
            "curl -X POST https://a.b",
            "curl -T f https://a.b",
            "curl -F a=b https://a.b",
            "curl -K f",
            "curl -sO https://a.b/f",
            "curl --output f https://a.b",
            "curl -of https://a.b",
            "curl -w '%output{x}' https://a.b",
            "curl file:///etc/passwd",
            "curl $x",
            "curl --unix-socket /var/run/docker.sock http://x/y",
            "curl -XDELETE https://a.b",
            "curl --json '{}' https://a.b",
            "curl -c jar https://a.b",
            "curl -D f https://a.b",
            "curl --trace f https://a.b",
            "curl -H @f https://a.b",
            "curl --data-urlencode q=x https://a.b",
            "curl gopher://a.b",
            "curl -Q 'DELE x' ftp://a.b",
            "curl --outp f https://a.b",
            "curl -G -d @secret https://a.b",
            "curl --next https://a.b",
            "curl --libcurl f https://a.b",
            "curl gopher:/a.b:6379/_FLUSHALL",
            "curl '{gopher:/a.b:6379/_FLUSHALL,x}'",
            "curl --url @addresses",
            "curl -H \"$x\" https://a.b",
            "curl -H X:$x https://a.b",
            "curl -H \"X-HTTP-Method-Override: $x\" https://a.b",
            "curl -A -H \"x: $x\"",
            "curl -L --proto-redir =gopher https://a.b",
            "curl --url-query @secret https://a.b",
        ],
    ),
    ask(
        "wget",
        wget,
        &[
            "wget -qO- https://a.b",
            "wget -O - https://a.b",
            "wget --spider https://a.b",
            "wget --version",
            "wget -q -O /dev/null https://a.b",
            "wget -nv -O- https://a.b",
        ],
        &[
            "wget https://a.b",
            "wget -O f https://a.b",
            "wget -q https://a.b",
            "wget -r --spider https://a.b -P x",
            "wget -i f",
            "wget -O- -o log https://a.b",
            "wget -e x=y -O- a",
            "wget --post-data=x -O- a",
            "wget --use-askpass=x -O- a",
            "wget $x",
            "wget -nc a",
            "wget -O- a -O f",
        ],
    ),
    parse(
        "http https xh xhs",
        &Grammar {
            options: &[
                flags("-h -b -v -F --headers --body --verbose --follow --ignore-stdin"),
                value("--pretty --print -p --timeout", Text),
                output("-o --output"),
                writes("-d --download -f --form -m --multipart", "sends or saves something"),
            ],
            operands: WORDS,
            check: Some(httpie),
            reach: Reaches::AnyHost,
            ..READER
        },
        &["http GET https://a.b", "http --ignore-stdin a.b/c", "http GET a.b q==x"],
        &[
            "http POST a.b",
            "http a.b",
            "http a.b x=y",
            "http --download a.b",
            "http a.b x:=1",
            "http -f a.b",
            "http a.b f@x",
            "http --ignore-stdin a.b x:=1==2",
            "http --ignore-stdin a.b x=1==2",
            "http $x",
        ],
    ),
];

static CURL: Grammar = Grammar {
    options: &[
        flags(
            "-s -S -L -I -i -k -f -v -g -G -N -4 -6 -0 -# -j -n -l -Z -1 --silent --show-error --location --head --include --insecure --fail --fail-with-body --verbose --get --no-buffer --compressed",
        ),
        flags(
            "--ssl-reqd --tlsv1.2 --tlsv1.3 --ipv4 --ipv6 --globoff --no-progress-meter --progress-bar --path-as-is --http1.0 --http1.1 --http2 --http3 --raw --retry-connrefused --retry-all-errors --no-keepalive --fail-early --location-trusted --netrc --disable -q --parallel --no-location --tcp-nodelay --basic --digest",
        ),
        value(
            "-m -A -e -r -u -z -y -Y --max-time --connect-timeout --user-agent --referer --range --user --retry --retry-delay --retry-max-time --max-redirs --max-filesize --limit-rate --oauth2-bearer --speed-limit --speed-time --time-cond --tls-max --ciphers --parallel-max --rate",
            Text,
        ),
        value("-H --header", Format(|text| !text.starts_with('@') && !text.to_ascii_lowercase().contains("override"))),
        value("-b --cookie", Format(|text| text.contains('='))),
        value("-w --write-out", Format(|text| !text.starts_with('@') && !text.contains("%output"))),
        value(
            "--proto --proto-redir",
            Format(|text| {
                text.split(',').all(|one| {
                    let name = one.trim_start_matches(['=', '+', '-']);
                    matches!(name, "http" | "https") || one.starts_with('-')
                })
            }),
        ),
        value("--cacert --capath", ReadPath),
        value("-X --request", Text),
        value("--url", Text),
        value("-d --data --data-urlencode --data-raw --data-ascii --url-query", Text),
        value("-o --output -D --dump-header", Text),
        writes(
            "-O -J --remote-name --remote-name-all --remote-header-name --create-dirs --ftp-create-dirs --append -a",
            "writes a file",
        ),
        writes_with(
            "-c --cookie-jar --trace --trace-ascii --stderr --libcurl --hsts --alt-svc --etag-save --output-dir",
            "writes a file",
        ),
        writes_with(
            "-T -F --upload-file --form --form-string --json --data-binary --mail-from -Q --quote --telnet-option -t",
            "sends something",
        ),
        runs_with(
            "-K --config --unix-socket --abstract-unix-socket -x --proxy --preproxy --engine --resolve --connect-to --interface",
            "steers where it goes",
        ),
    ],
    operands: WORDS,
    ..READER
};

/// `curl` reads when it is a GET or HEAD over HTTP whose answer goes nowhere but to standard output.
fn curl(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "--help" | "--manual"))) {
        return Finding::reads();
    }
    let words = with_known_headers(words);
    let mut seen = scan("curl", program, &words, &CURL, OptionScope::NONE, context);
    let mut finding = std::mem::replace(&mut seen.finding, Finding::reads());
    for one in &seen.options {
        finding = finding.and(match (one.name, one.value) {
            ("-X" | "--request", GivenValue::Text("GET" | "HEAD" | "OPTIONS")) => Finding::reads(),
            ("-X" | "--request", GivenValue::Text(method)) => Finding::shown(
                CommandKind::Writes,
                "curl.-X",
                program,
                format!("`curl -X {}` changes something", fore_shell::quoted(method)),
            ),
            ("-o" | "--output" | "-D" | "--dump-header", given) => saved(given, context).unwrap_or_else(|| {
                let why = format!("`curl {}` writes a file", one.name);
                Finding::shown(CommandKind::Writes, format!("curl.{}", one.name), program, why)
            }),
            ("-d" | "--data" | "--data-urlencode" | "--data-raw" | "--data-ascii", GivenValue::Text(text))
                if seen.has("-G --get") && !text.contains('@') =>
            {
                Finding::reads()
            }
            ("-d" | "--data" | "--data-urlencode" | "--data-raw" | "--data-ascii", _) => {
                Finding::shown(CommandKind::Writes, "curl.-d", program, "`curl -d` sends data")
            }
            ("-X" | "--request" | "--url-query", GivenValue::Something | GivenValue::Nothing) => {
                Finding::unknown("curl.-X", program, "what `curl` sends is decided at run time")
            }
            ("--url-query", GivenValue::Text(text)) if text.contains('@') => {
                Finding::unknown("curl.--url-query", program, "`curl --url-query` sends what is in a file")
            }
            ("--url", GivenValue::Text(url)) => reach(url, true, "curl", program),
            ("--url", _) => Finding::unknown("curl.--url", program, "where `curl` goes is decided at run time"),
            _ => Finding::reads(),
        });
    }
    for word in &seen.operands {
        finding = finding.and(match &word.value {
            Value::Literal(url) => reach(url, true, "curl", word),
            Value::Opaque(opaque) => reach(&opaque.prefix, false, "curl", word),
        });
    }
    for sent in sent_files(&seen) {
        finding.send(sent);
    }
    if seen.operands.is_empty() && !seen.has("--url") {
        finding = finding.and(Finding::unknown("curl.url", program, "`curl` is given no address"));
    }
    finding
}

/// Options whose value is a file that is sent, and options whose value may name one behind `@` or `<`.
const FILES: &str =
    "-T --upload-file -K --config --netrc-file --cert -E --key --post-file --body-file --load-cookies -i --input-file";
const PERHAPS: &str =
    "-d --data --data-binary --data-urlencode --data-ascii --json --url-query -F --form -H --header -b --cookie";

/// The files that a request carries, in words.
fn sent_files(seen: &ArgumentScan<'_>) -> Vec<String> {
    let is = |list: &str, name: &str| list.split(' ').any(|one| one == name);
    let file = |one: &super::catalogue::SeenOption<'_>| match (one.name, one.value) {
        ("-n" | "--netrc", _) if seen.name == "curl" => Some("a password of yours from `.netrc`".to_owned()),
        ("-i", _) if seen.name == "curl" => None,
        (name, GivenValue::Text(path)) if is(FILES, name) => Some(sent_file(path)),
        ("-b" | "--cookie", GivenValue::Text(text)) if !text.contains('=') => Some(sent_file(text)),
        (name, GivenValue::Text(text)) if is(PERHAPS, name) => {
            let at = text.find(['@', '<'])?;
            // A header or a cookie may hold an `@` of its own; only in front does it name a file.
            let is_file = at == 0 || !matches!(name, "-H" | "--header" | "-b" | "--cookie");
            is_file.then(|| sent_file(text.get(at + 1..).unwrap_or_default()))
        }
        (_, GivenValue::Text(_) | GivenValue::Nothing | GivenValue::Something) => None,
    };
    seen.options.iter().filter_map(file).collect()
}

/// A header whose name is written out is judged by what is known of it: `-H "Authorization: Bearer $TOKEN"`.
fn with_known_headers(words: &[Word]) -> Vec<Word> {
    let mut known = words.to_vec();
    for (word, before) in known.iter_mut().skip(1).zip(words) {
        let Value::Opaque(opaque) = &word.value else {
            continue;
        };
        let is_header = before.as_literal().is_some_and(|text| {
            text == "--header" || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('H'))
        });
        let has_name = opaque.prefix.split_once(':').is_some_and(|(name, value)| {
            !name.is_empty() && !value.starts_with('/') && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        });
        if is_header && has_name && !opaque.may_split && !opaque.may_be_empty {
            word.value = Value::Literal(format!("{} …", opaque.prefix));
        }
    }
    known
}

/// What saving there does where that changes nothing but the plan.
fn saved(given: GivenValue<'_>, context: &JudgeContext<'_>) -> Option<Finding> {
    match given {
        GivenValue::Text("-") => Some(Finding::reads()),
        GivenValue::Text(path) => fore_shell::paths::written(path, context),
        GivenValue::Nothing | GivenValue::Something => None,
    }
}

/// The host of an address; other protocols than HTTP are not judged. `whole` says that nothing follows at run time.
fn reach(url: &str, whole: bool, name: &str, word: &Word) -> Finding {
    let (scheme, rest) = url.split_once("://").map_or(("", url), |(scheme, rest)| (scheme, rest));
    if !matches!(scheme.to_ascii_lowercase().as_str(), "" | "http" | "https") {
        return Finding::unknown(format!("{name}.scheme"), word, format!("`{name}` is only judged for http and https"));
    }
    // curl takes one slash for two, chooses among `{…,…}`, and reads addresses from `@file`.
    let hidden = url.contains(":/") || url.contains(['{', '}', ' ']) || url.starts_with('@');
    if scheme.is_empty() && whole && hidden {
        return Finding::unknown(
            format!("{name}.scheme"),
            word,
            format!("`{name}` is only judged for plain addresses"),
        );
    }
    if scheme.is_empty() && !whole {
        // Without a literal scheme the run-time part could choose `file:` or `gopher:`.
        return Finding::unknown(format!("{name}.url"), word, format!("where `{name}` goes is decided at run time"));
    }
    let end = rest.find(['/', '?', '#']);
    let authority = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
    let usual = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
    let reach = if whole || end.is_some() { Reach::authority(authority, usual) } else { Reach::AnyHost };
    Finding::network(reach, name, word)
}

static WGET: Grammar = Grammar {
    options: &[
        flags(
            "-q -v -S -4 -6 -d --quiet --verbose --no-verbose --server-response --spider --no-check-certificate --inet4-only --inet6-only --content-on-error --no-hsts --no-cache --https-only --no-cookies --show-progress",
        ),
        value("-n", Enum("v")),
        value(
            "-T -t -U -w --timeout --tries --user-agent --header --max-redirect --referer --waitretry --read-timeout --connect-timeout --dns-timeout --wait --progress",
            Text,
        ),
        value("-O --output-document", Text),
        writes(
            "-r -m -p -N -c -b -x -k -K -H --recursive --mirror --page-requisites --timestamping --continue --background",
            "saves files",
        ),
        writes_with(
            "-o -a -P -i --output-file --append-output --directory-prefix --input-file --save-cookies --post-data --post-file --body-data --body-file --method --warc-file --hsts-file --rejected-log",
            "saves or sends something",
        ),
        runs_with("-e --execute --use-askpass --config --proxy", "steers what it does"),
    ],
    operands: WORDS,
    ..READER
};

/// `wget` saves what it fetches unless told to print it or only to look.
fn wget(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "--help"))) {
        return Finding::reads();
    }
    let seen = scan("wget", program, words, &WGET, OptionScope::NONE, context);
    let outputs = seen.options.iter().filter(|one| matches!(one.name, "-O" | "--output-document"));
    let outputs: Vec<Option<Finding>> = outputs.map(|one| saved(one.value, context)).collect();
    let saved = match outputs.into_iter().collect::<Option<Vec<Finding>>>() {
        Some(outputs) if !outputs.is_empty() || seen.has("--spider") => {
            outputs.into_iter().fold(Finding::reads(), Finding::and)
        }
        Some(_) | None => Finding::shown(CommandKind::Writes, "wget.save", program, "`wget` saves what it fetches"),
    };
    let mut so_far = seen.finding.clone().and(saved);
    for sent in sent_files(&seen) {
        so_far.send(sent);
    }
    seen.operands.iter().fold(so_far, |finding, word| {
        finding.and(match &word.value {
            Value::Literal(url) => reach(url, true, "wget", word),
            Value::Opaque(opaque) => reach(&opaque.prefix, false, "wget", word),
        })
    })
}

/// Without a method it posts whatever is on its input, be it nothing.
/// An item with a single `=`, `:=` or `@` makes HTTPie send data; so does any method but GET and HEAD.
fn httpie(seen: &ArgumentScan<'_>, _: &JudgeContext<'_>) -> Option<Finding> {
    let mut words = seen.operands.iter();
    let mut first = words.next()?.as_literal();
    let mut is_get = seen.has("--ignore-stdin");
    if matches!(first, Some("GET" | "HEAD")) {
        is_get = true;
        first = words.next()?.as_literal();
    }
    let plain_url = first.is_some_and(|url| !url.contains(['=', '@']) && url.contains(['.', ':', '/']));
    let only_queries = words.all(|word| {
        word.as_literal()
            .and_then(|item| item.split_once("=="))
            .is_some_and(|(name, value)| !name.contains([':', '=', '@', ';']) && !value.contains('@'))
    });
    (!is_get || !plain_url || !only_queries).then(|| {
        let mut finding = seen.verdict(CommandKind::Writes, "item", "may send data");
        for item in seen.operands.iter().skip(1).filter_map(|word| word.as_literal()) {
            if let Some((_, path)) = item.split_once('@').filter(|_| !item.contains("://")) {
                finding.send(sent_file(path));
            }
        }
        finding
    })
}
