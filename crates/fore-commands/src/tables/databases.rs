//! Databases and their clients.

use super::{
    catalogue::{OptionScope, scan},
    grammar::{CommandRow, Grammar, Operands, ValueType::*, ask, flags, runs, runs_with, value},
};
use fore_shell::{CommandKind, Finding, JudgeContext, Word};

pub(super) const ROWS: &[CommandRow] = &[
    ask(
        "sqlite3",
        sqlite,
        &[
            "sqlite3 -readonly a.db 'select * from t'",
            "sqlite3 -readonly a.db .tables",
            "sqlite3 --version",
            "sqlite3 -readonly -header -column a.db 'SELECT 1;'",
        ],
        &[
            "sqlite3 a.db",
            "sqlite3 a.db 'drop table t'",
            "sqlite3 -readonly a.db 'select writefile(1,2)'",
            "sqlite3 a.db 'select 1'",
            "sqlite3 -readonly a.db '.shell rm x'",
            "sqlite3 -readonly a.db 'select 1; drop table t'",
            "sqlite3 -readonly -cmd '.output x' a.db 'select 1'",
            "sqlite3 -readonly a.db",
            "sqlite3 -readonly a.db 'with a as (select 1) insert into t select * from a'",
            "sqlite3 -readonly a.db \"select sha3_query('select wri'||'tefile(''x'',1)')\"",
            "sqlite3 -readonly a.db '.schema' '.once f' 'select 1'",
        ],
    ),
    ask(
        "psql mysql mariadb mongosh mongo redis-cli clickhouse-client duckdb sqlplus",
        database,
        &["psql --version", "mysql --version"],
        &["psql -c 'select 1'", "psql -c 'drop table x'", "redis-cli flushall", "duckdb x.db"],
    ),
];

static SQLITE: Grammar = Grammar {
    options: &[
        flags(
            "-readonly -header -noheader -csv -json -column -line -list -html -markdown -table -box -quote -tabs -batch -bail -safe -ascii -version",
        ),
        value("-separator -nullvalue -newline -mode", Text),
        runs_with("-cmd -init -vfs", "runs commands"),
        runs("-interactive -deserialize -unsafe-testing", "is not only a query"),
    ],
    operands: Operands {
        first: &[ReadPath, Format(is_query)],
        rest: None,
        surplus: (CommandKind::Unknown, "takes more commands"),
    },
    ..super::grammar::DASHED
};

/// A read-only database is still no guard: SQL functions of the shell write files and run editors.
fn sqlite(argv: &[Word], context: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-version" | "--help" | "-help"))) {
        return Finding::reads();
    }
    let seen = scan("sqlite3", program, words, &SQLITE, OptionScope::NONE, context);
    let text = seen.operands.get(1).and_then(|word| word.as_literal()).unwrap_or_default();
    if writes_sql(text) {
        return Finding::shown(CommandKind::Writes, "sqlite3.sql", program, "`sqlite3` is told to change the database");
    }
    if !seen.has("-readonly") || seen.operands.len() != 2 {
        let why = "`sqlite3` without `-readonly` and one query may create or change the database";
        return seen.finding.and(Finding::unknown("sqlite3.readonly", program, why));
    }
    seen.finding
}

/// One statement that only asks, without the functions that reach files.
fn is_query(text: &str) -> bool {
    let lower = text.trim().to_ascii_lowercase();
    let one = lower.strip_suffix(';').unwrap_or(&lower);
    if one.contains(';') || one.contains('\n') && one.contains("\n.") {
        return false;
    }
    if let Some(command) = one.strip_prefix('.') {
        if command.contains('\n') {
            return false;
        }
        let mut words = command.split_whitespace();
        let known =
            matches!(words.next(), Some("tables" | "schema" | "indexes" | "indices" | "databases" | "fullschema"));
        return known && words.all(|word| word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '%' | '-')));
    }
    let starts = [
        "select ",
        "select\n",
        "explain ",
        "with ",
        "pragma table_info",
        "pragma index_list",
        "pragma foreign_key_list",
    ];
    let reaches = [
        "writefile",
        "edit",
        "load_extension",
        "readfile",
        "fts3_tokenizer",
        "attach",
        "lsdir",
        "fsdir",
        "zipfile",
        "shell",
        // They run the SQL in a text, which may be put together so that no name is seen.
        "_query",
        "eval",
    ];
    let changes = ["insert", "update", "delete", "replace into"];
    let changing = one.starts_with("with ") && changes.iter().any(|word| one.contains(word));
    !changing && starts.iter().any(|start| one.starts_with(start)) && !reaches.iter().any(|name| one.contains(name))
}

fn writes_sql(text: &str) -> bool {
    let lower = text.trim_start().to_ascii_lowercase();
    [
        "insert ",
        "update ",
        "delete ",
        "drop ",
        "create ",
        "alter ",
        "truncate ",
        "replace ",
        "vacuum",
        "grant ",
        "revoke ",
    ]
    .iter()
    .any(|word| lower.starts_with(word) || lower.contains(&format!("; {word}")) || lower.contains(&format!(";{word}")))
}

/// Clients of database servers: what they change is not on this disk, and nothing here can prove a statement harmless.
fn database(argv: &[Word], _: &JudgeContext<'_>) -> Finding {
    let Some((program, words)) = argv.split_first() else {
        return Finding::reads();
    };
    if matches!(words, [only] if matches!(only.as_literal(), Some("--version" | "-V" | "--help"))) {
        return Finding::reads();
    }
    let name = &program.source;
    let clear = |text: &str| {
        writes_sql(text)
            || matches!(text.to_ascii_lowercase().as_str(), "flushall" | "flushdb" | "set" | "del" | "shutdown")
    };
    match words.iter().find(|word| word.as_literal().is_some_and(clear)) {
        Some(word) => Finding::shown(
            CommandKind::Writes,
            "database.statement",
            word,
            format!("`{name}` is told to change a database"),
        ),
        None => Finding::unknown("database", program, format!("`{name}` runs statements in a database")),
    }
}
