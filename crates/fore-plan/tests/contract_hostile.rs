//! Plans that try to smuggle grants: whatever is granted is a plain path of the project, or a command that can be read, and shown.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken page fails the test")]

use fore_plan::{
    contract::{
        Contract, ContractGround, Coverage, FileCover, MAX_GRANTS, NotGrantedReason, PathShape, PlannedChange,
        ProjectTree,
    },
    gate::{Ground, Rules, table::TableSettings},
};
use fore_shell::{Finding, GitFacts};
use proptest::prelude::*;
use std::path::Path;

const PROJECT: &str = "/projects/shop";
const TREE: [&str; 14] = [
    "Cargo.toml",
    "README.md",
    "AGENTS.md",
    ".github/workflows/ci.yml",
    ".github/ISSUE_TEMPLATE/bug.md",
    "src/cart.rs",
    "src/lib.rs",
    "src/pay/card.rs",
    "src/pay/mod.rs",
    "tests/cart.rs",
    "web/index.html",
    "web/app.js",
    "docs/a.md",
    "docs/b.md",
];

fn ground<T>(ask: impl FnOnce(&ContractGround<'_>) -> T) -> T {
    let tree = ProjectTree::new(TREE.map(str::to_owned));
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let gate = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    ask(&ContractGround { gate: &gate, tree: &tree })
}

fn read(plan: &str) -> Contract {
    ground(|ground| Contract::read(plan, ground))
}

fn coverage(plan: &str) -> Coverage {
    Coverage::new(read(plan), Path::new(PROJECT))
}

/// The reasons why nothing is granted.
#[track_caller]
fn refused(plan: &str) -> Vec<NotGrantedReason> {
    let contract = read(plan);
    assert!(contract.is_empty(), "{plan}\n{contract:?}");
    contract.not_granted.iter().map(|refused| refused.why).collect()
}

#[test]
fn nothing_outside_the_project_is_granted_however_it_is_spelled() {
    let page = [
        "/etc/passwd",
        "/home/x/.ssh/config",
        "~/.bashrc",
        "~root/x.sh",
        "$HOME/.profile",
        "$HOME/x.rs",
        "${HOME}/x.rs",
        "%USERPROFILE%\\x.rs",
        "../other/x.rs",
        "src/../../x.rs",
        "src/../lib.rs",
        "./../x.rs",
        "src/./../x.rs",
        "C:\\x\\y.rs",
        "C:/x/y.rs",
        "\\\\server\\share\\x.rs",
        "src\\cart.rs",
        "..\\x.rs",
        "/projects/shop2/src/cart.rs",
        "/projects/shop/../other/x.rs",
        "/var/log/x.log",
        "src/..",
        "../",
        "..",
        "/",
        "/projects/",
        "~",
        "file:///etc/passwd",
        "https://example.com/src/cart.rs",
        "example.com/src/cart.rs",
        "git@host:x/y.rs",
    ];
    for path in page {
        for plan in [format!("Modify `{path}`."), format!("- Create: [{path}]({path})"), format!("Modify {path} now")] {
            let contract = read(&plan);
            assert!(contract.files.is_empty(), "{plan}: {:?}", contract.files);
        }
    }
}

#[test]
fn the_project_folder_may_be_spelled_out() {
    let contract = read("Modify `/projects/shop/src/cart.rs:3`.");
    assert_eq!(contract.files.iter().map(|grant| grant.path.as_str()).collect::<Vec<_>>(), ["src/cart.rs"]);
}

#[test]
fn what_nobody_sees_grants_nothing() {
    use NotGrantedReason::{Hidden, OutOfScope};
    assert_eq!(refused("<!-- Modify `src/cart.rs` -->"), [Hidden]);
    assert_eq!(refused("text <!-- src/cart.rs --> text"), [Hidden]);
    assert_eq!(refused("<!--\n\n- `src/cart.rs`\n\n## Files\n\n- `web/app.js`\n"), [Hidden, Hidden]);
    assert_eq!(refused("<div data-file=\"src/cart.rs\">\nsrc/lib.rs\n</div>"), [Hidden, Hidden]);
    assert_eq!(refused("Modify `src/\u{200b}cart.rs`."), [Hidden]);
    assert_eq!(refused("Modify `src/cart\u{202e}sr.rs`."), [Hidden]);
    assert_eq!(refused("Modify `src/cart.rs\u{e0041}`."), [Hidden]);
    assert_eq!(refused("Modify ~~`src/cart.rs`~~."), [OutOfScope]);
    assert_eq!(refused("```sh\ncargo\u{a0}test\n```"), [Hidden]);
    assert_eq!(refused("Run: `cargo test\u{200b}`"), [Hidden]);
    assert_eq!(refused("[src/cart.rs]: web/app.js"), []);
    assert_eq!(refused("![src/cart.rs](src/cart.rs)"), []);
}

#[test]
fn a_link_grants_only_what_it_shows() {
    use NotGrantedReason::LinkDiffers;
    assert_eq!(refused("Modify [src/cart.rs](web/app.js)."), [LinkDiffers, LinkDiffers]);
    assert_eq!(refused("Modify [`src/cart.rs`](web/app.js)."), [LinkDiffers, LinkDiffers]);
    assert_eq!(refused("Modify [the cart](src/cart.rs)."), [LinkDiffers]);
    assert_eq!(refused("Modify [cart.rs](src/pay/card.rs)."), [LinkDiffers, LinkDiffers]);
    assert_eq!(refused("Modify [src/cart.rs](https://example.com/src/cart.rs)."), [LinkDiffers]);
    for same in [
        "[src/cart.rs](src/cart.rs)",
        "[`src/cart.rs:4`](src/cart.rs#L4)",
        "[cart.rs](src/cart.rs)",
        "[x.rs](./src/x.rs)",
    ] {
        assert_eq!(read(&format!("Modify {same}.")).files.len(), 1, "{same}");
    }
}

#[test]
fn a_heading_with_odd_letters_turns_no_grant_on() {
    let page = [
        "Out of scope",
        "OUT OF SCOPE",
        "**Out of scope**",
        "2. Out-of-scope",
        "🚫 Out of scope",
        "Out of scope (for now)",
        "Оut of scope",
        "Out оf ѕсоре",
        "𝐎𝐮𝐭 𝐨𝐟 𝐬𝐜𝐨𝐩𝐞",
        "Ｏｕｔ ｏｆ ｓｃｏｐｅ",
        "Out\u{200b} of sco\u{ad}pe",
        "Оᴜt оf ѕсορе",
        "Oüt of scöpe",
        "Out of ꜱᴄᴏᴘᴇ",
        "Not changed",
        "Νot сhanged",
        "Unchanged",
        "Do not touch",
        "Don't touch",
        "Don’t modify these",
        "Non-goals",
        "Reuse",
        "Rеuse",
        "Background",
        "Вackground",
        "Context",
        "References",
        "Alternatives considered",
        "Risks",
        "Existing patterns to follow",
        "What was found",
        "What was asked",
        "Deferred",
        "Nicht im Umfang",
        "Hors périmètre",
        "不在范围内",
        "Kontext",
    ];
    for heading in page {
        let plans = [
            format!(
                "# Plan\n\n## {heading}\n\n- `src/cart.rs`\n\n### More\n\n1. Modify `web/app.js`\n\n```sh\ncargo test\n```\n"
            ),
            format!("# Plan\n\n{heading}\n---\n\n- `src/cart.rs`\n"),
            format!("1. Do it\n\n2. {heading}\n\n- `src/cart.rs`\n\n- Modify: `web/app.js`\n"),
            format!("{heading}\n\n* `src/cart.rs`\n"),
            format!("{heading}:\n\n- `src/cart.rs`\n  - Modify: `web/app.js`\n"),
            format!("- {heading}:\n  - `src/cart.rs`\n  - Modify: `web/app.js`\n"),
            format!("{heading}: `src/cart.rs`,\n`web/app.js`\n"),
        ];
        for plan in plans {
            assert!(!refused(&plan).is_empty(), "{plan}");
        }
    }
}

#[test]
fn a_heading_that_is_not_clearly_out_of_scope_shows_its_grants() {
    for heading in [
        "Scope",
        "In scope",
        "Steps",
        "Out and about",
        "Файлы",
        "範囲",
        "Reuse the cart in the shop",
        "Add a context menu",
        "Risk engine",
        "What changes",
        "What was missing",
    ] {
        let contract = read(&format!("# Plan\n\n## {heading}\n\n- `src/cart.rs`\n"));
        assert_eq!(contract.files.iter().map(|grant| grant.line).collect::<Vec<_>>(), [5], "{heading}");
    }
}

#[test]
fn steps_that_were_not_approved_grant_nothing() {
    let plan = "# Plan\n\n1. Modify `src/cart.rs`\n2. Modify `web/app.js` and run `cargo test`\n3. Delete `docs/`\n";
    let approved = fore_plan::plan::only_steps(plan, &[1]).unwrap();
    let contract = read(&approved);
    assert_eq!(
        contract.files.iter().map(|grant| grant.path.as_str()).collect::<Vec<_>>(),
        ["src/cart.rs"],
        "{approved}"
    );
    assert_eq!(contract.commands, []);
}

#[test]
fn a_section_ends_where_the_next_one_begins() {
    let contract = read(
        "## Out of scope\n\n- `web/app.js`\n\n## Changes\n\n- `src/cart.rs`\n\nNot changed: `docs/a.md`\n\nThen edit `docs/b.md`.\n",
    );
    let granted: Vec<&str> = contract.files.iter().map(|grant| grant.path.as_str()).collect();
    assert_eq!(granted, ["src/cart.rs", "docs/b.md"]);
}

#[test]
fn everything_is_too_much() {
    use NotGrantedReason::TooBroad;
    for all in ["*", "**", "**/*", "*/**", "./", "**/*.*", "./**", "/projects/shop/", "/projects/shop", "."] {
        let contract = read(&format!("Modify `{all}`."));
        assert!(contract.is_empty(), "{all}: {contract:?}");
    }
    assert_eq!(refused("Modify `**/*`."), [TooBroad]);
    assert_eq!(refused("Modify `./`."), [TooBroad]);
    let contract = read("Modify `src/**` and `docs/`.");
    assert_eq!(
        contract.files.iter().map(|grant| grant.shape).collect::<Vec<_>>(),
        [PathShape::Glob, PathShape::Folder]
    );
}

#[test]
fn what_gives_orders_is_never_covered() {
    use NotGrantedReason::GivesOrders;
    for order in [
        "AGENTS.md",
        ".github/workflows/ci.yml",
        ".git/hooks/pre-commit",
        ".claude/settings.json",
        ".vscode/tasks.json",
        "src/.envrc",
        ".GitHub/Workflows/x.yml",
    ] {
        let why = refused(&format!("Create and modify `{order}`."));
        assert_eq!(why, [GivesOrders], "{order}");
    }
    let coverage = coverage("Modify `.github/`, `src/**` and `.github/ISSUE_TEMPLATE/bug.md`.");
    assert!(matches!(coverage.file(".github/ISSUE_TEMPLATE/new.md"), FileCover::Named { .. }));
    assert!(matches!(coverage.file("src/pay/new.rs"), FileCover::Named { .. }));
    for order in
        [".github/workflows/ci.yml", ".github/workflows/new.yml", "src/.git/config", "src/AGENTS.md", "src/pay/.envrc"]
    {
        assert_eq!(coverage.file(order), FileCover::No, "{order}");
    }
}

#[test]
fn what_is_left_alone_is_not_near() {
    let coverage = coverage(
        "Modify `src/cart.rs` and `web/`.\n\n## Out of scope\n\n- `src/lib.rs`\n- `src/pay/`\n- `web/app.js`\n- `docs/*.md`\n",
    );
    assert_eq!(coverage.file("src/cart.rs"), FileCover::Named { line: 1 });
    assert!(matches!(coverage.file("src/other.rs"), FileCover::Near { .. }));
    for path in
        ["src/lib.rs", "src/pay/card.rs", "web/app.js", "docs/a.md", "README.md", "Makefile", ".env", "src/.env"]
    {
        assert_eq!(coverage.file(path), FileCover::No, "{path}");
    }
    for path in [
        "",
        "src",
        "../src/cart.rs",
        "/projects/shop/src/cart.rs",
        "src/../src/cart.rs",
        "./src/cart.rs",
        "src//cart.rs",
        "SRC/cart.rs",
        "src/cart.rs/",
    ] {
        assert_eq!(coverage.file(path), FileCover::No, "{path}");
    }
}

/// Whoever says to leave something alone need not spell out where it lies.
#[test]
fn what_is_left_alone_by_a_name_that_means_several_files_or_none_is_left_wherever_it_is() {
    let files = ["web/a/index.ts", "web/b/index.ts", "web/a/x.ts", "web/b/y.ts", "web/c.ts", "web/d.ts"];
    let more = ["web/e.ts", "web/f.ts", "web/g.ts", "web/h.ts", "web/i.ts", "web/j.ts"];
    let tree = ProjectTree::new(files.into_iter().chain(more).map(str::to_owned));
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let gate = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let coverage = |plan: &str| {
        Coverage::new(Contract::read(plan, &ContractGround { gate: &gate, tree: &tree }), Path::new(PROJECT))
    };
    let page = [
        // Several files are called so, in granted folders and beside granted files.
        ("Change `web/a/`. Do not touch `index.ts`.", "web/a/index.ts", "web/a/x.ts"),
        ("Change `web/b/y.ts`.\n\n## Out of scope\n\n- `index.ts`\n", "web/b/index.ts", "web/b/y.ts"),
        ("Change `web/b/*.ts` except `index.ts`.", "web/b/index.ts", "web/b/y.ts"),
        // Nothing is called so yet.
        ("Change `web/a/x.ts`. Do not create `helpers.ts`.", "web/a/helpers.ts", "web/a/other.ts"),
        // Nearly everything lies in it.
        ("Change `web/a/x.ts`. Do not change anything else in `web/`.", "web/a/other.ts", "web/a/x.ts"),
        ("Change `web/a/x.ts`.\n\nNot changed: `./`\n", "web/a/other.ts", "web/a/x.ts"),
    ];
    for (plan, left, covered) in page {
        let coverage = coverage(plan);
        assert_eq!(coverage.file(left), FileCover::No, "{plan}\n{:?}", coverage.contract());
        assert_ne!(coverage.file(covered), FileCover::No, "{plan}\n{:?}", coverage.contract());
    }
    // What the plan says to change in so many words is changed, whatever else has its name.
    let both = coverage("Change `web/a/index.ts`. Do not touch any other `index.ts`.");
    assert!(matches!(both.file("web/a/index.ts"), FileCover::Named { .. }));
    assert_eq!(both.file("web/b/index.ts"), FileCover::No);
}

#[test]
fn a_file_is_not_moved_to_where_others_obey_it() {
    let plan = "1. Move `docs/copilot-instructions.md` to `.github/`.\n2. Rename `docs/b.md` to `docs/AGENTS.md`.\n";
    let contract = read(plan);
    assert!(
        contract.files.iter().all(|grant| grant.change == PlannedChange::Change || grant.change == PlannedChange::New)
    );
    let orders = contract.not_granted.iter().filter(|refused| refused.why == NotGrantedReason::GivesOrders);
    let orders: Vec<&str> = orders.map(|refused| refused.named.as_str()).collect();
    assert_eq!(orders, [".github/copilot-instructions.md", "docs/AGENTS.md"], "{contract:?}");
}

#[test]
fn what_is_only_changed_may_not_be_deleted() {
    let coverage = coverage(
        "- Modify `src/cart.rs`\n- Delete `web/app.js`\n- Create `src/new.rs`\n- Rename `docs/a.md` to `docs/c.md`\n",
    );
    assert_eq!(coverage.contract().files[3].change, PlannedChange::Move { to: "docs/c.md".into() });
    let page = [
        ("src/cart.rs", false),
        ("web/app.js", true),
        ("src/new.rs", true),
        ("docs/a.md", true),
        ("docs/c.md", true),
        ("src/lib.rs", false),
    ];
    for (path, goes) in page {
        assert_eq!(matches!(coverage.removal(path), FileCover::Named { .. }), goes, "{path}");
    }
}

#[test]
fn a_command_that_is_not_to_be_run_is_not_covered_by_one_like_it() {
    let plan = "1. Change `src/cart.rs`, `src/lib.rs` and `web/app.js`.\n\nRun `python3 src/cart.rs`.\n\n## Out of scope\n\n\
         - Do not run `python3 src/lib.rs`.\n";
    let mut contract = read(plan);
    let covers = |contract: &Contract, command: &str| {
        let finding = Finding { kind: fore_shell::CommandKind::Runs, ..Finding::reads() };
        Coverage::new(contract.clone(), Path::new(PROJECT)).command(command, "", &finding).is_some()
    };
    let page = [
        ("python3 src/cart.rs", true),
        ("python3 web/app.js", true),
        ("python3 src/lib.rs", false),
        ("python3 ./src/lib.rs", false),
        ("python3 'src/lib.rs' web/app.js", false),
        ("python3 src/lib.rs::x", false),
        ("python3", false),
    ];
    for (command, is_covered) in page {
        assert_eq!(covers(&contract, command), is_covered, "{command}");
    }
    contract.strike("python3 src/cart.rs");
    assert!(!covers(&contract, "python3 src/cart.rs"));
}

#[test]
fn what_is_struck_through_or_denied_in_other_words_is_not_granted() {
    let plan = "1. Change `src/cart.rs`.\n2. ~~Run `make deploy`.~~\n3. Nobody should edit `src/lib.rs`.\n4. Refrain from touching \
         `web/app.js`.\n5. Rather than editing `docs/a.md`, change nothing else.\n";
    let contract = read(plan);
    assert_eq!(contract.commands, []);
    let files: Vec<&str> = contract.files.iter().map(|grant| grant.path.as_str()).collect();
    assert_eq!(files, ["src/cart.rs"]);
    let left: Vec<&str> = contract.not_granted.iter().map(|refused| refused.named.as_str()).collect();
    assert_eq!(left, ["make deploy", "src/lib.rs", "web/app.js", "docs/a.md"]);
}

/// Read one by one, what was meant for another folder would run in the project.
#[test]
fn commands_behind_a_change_to_an_unknown_folder_are_not_granted() {
    let plan = "## Verify\n\n```sh\nmake one\ncd web/a\nmake two\ncd ..\nmake three\ncd ..\nmake four\ncd /tmp/scratch\nmake \
         five\ncd web\nmake six\ncd /projects/shop/web\nmake inside\n```\n\n```sh\ncd docs && make seven\nmake eight\npushd web\nmake nine\n```\n";
    let contract = read(plan);
    let commands: Vec<&str> = contract.commands.iter().map(|grant| grant.command.as_str()).collect();
    let granted = [
        "make one",
        "cd web/a && make two",
        "cd web && make three",
        "make four",
        "cd web && make inside",
        "cd docs && make seven",
        "make eight",
    ];
    assert_eq!(commands, granted);
    for named in ["make five", "make nine"] {
        assert!(
            contract.not_granted.iter().any(|refused| refused.named == named),
            "{named}: {:?}",
            contract.not_granted
        );
    }
}

#[test]
fn what_was_there_before_does_not_go_with_what_is_new() {
    let plan = "1. Create tests in `tests/*_new.rs`.\n2. Move `web/` to `docs/`.\n";
    let coverage = coverage(plan);
    for path in ["tests/cart_new.rs", "docs/a.md"] {
        assert!(matches!(coverage.file(path), FileCover::Named { .. }), "{path}: {:?}", coverage.contract());
        assert_eq!(coverage.removal(path), FileCover::No, "{path}");
    }
    assert!(matches!(coverage.removal("web/app.js"), FileCover::Named { .. }));
}

#[test]
fn a_command_is_covered_by_its_text_or_by_files_of_the_plan() {
    let plan = "Modify `tests/cart.rs`, `src/cart.rs` and `docs/`.\n\n## Verify\n\n```sh\npytest -q tests/cart.rs\ncargo test\nnpm test && npm run lint\necho $(date) > docs/x.md\ngrep -n x src/cart.rs | head\nrm src/cart.rs\ncd web\nnpm run build\n```\n";
    let coverage = coverage(plan);
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let gate = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    let finding = |command: &str| -> Finding {
        let facts = fore_shell::ShellFacts {
            catalogue: gate.catalogue,
            cwd: Path::new(PROJECT),
            home: None,
            plan_file: None,
            vouched: &[],
            repositories: &GitFacts::Quiet,
        };
        fore_shell::judge(command, &facts)
    };
    let page = [
        ("pytest -q tests/cart.rs", "", true),
        ("  pytest -q tests/cart.rs\n", "", true),
        ("pytest -q tests/cart.rs::test_total", "", true),
        ("pytest -q 'tests/cart.rs'", "", true),
        ("pytest -q docs/new.py", "", true),
        // Without a file it would be everything.
        ("pytest -q", "", false),
        ("pytest tests/cart.rs", "", false),
        ("pytest -q -x tests/cart.rs", "", false),
        ("pytest -q web/app.js", "", false),
        ("pytest -q ../tests/cart.rs", "", false),
        ("pytest -q /projects/shop/tests/cart.rs", "", false),
        ("pytest -q tests/cart.rs; curl evil.example", "", false),
        ("pytest -q tests/cart.rs && cargo test", "", false),
        ("pytest -q $(echo tests/cart.rs)", "", false),
        ("pytest -q tests/cart.rs > src/cart.rs", "", false),
        ("X=1 pytest -q tests/cart.rs", "", false),
        ("pytest -q tests/*.rs", "", false),
        ("pytest -q tests/cart.rs\ncurl evil.example", "", false),
        ("cargo test", "", true),
        ("cargo test --all", "", false),
        ("cargo  test", "", true),
        ("cargo test", "web", false),
        ("cargo test # and more", "", true),
        ("npm test && npm run lint", "", true),
        ("npm run lint && npm test", "", false),
        ("npm run lint", "", false),
        ("rm src/cart.rs", "", true),
        ("rm tests/cart.rs", "", false),
        ("cd web && npm run build", "", true),
        ("npm run build", "web", true),
        ("npm run build", "", false),
        ("cd web && npm run build && rm x", "", false),
    ];
    for (command, folder, covered) in page {
        assert_eq!(
            coverage.command(command, folder, &finding(command)).is_some(),
            covered,
            "{command:?} in {folder:?}\n{:?}",
            coverage.contract().commands
        );
    }
}

#[test]
fn commands_that_cannot_be_read_or_kept_are_not_granted() {
    use NotGrantedReason::{AnyHost, OutOfScope, Service, Unreadable};
    assert_eq!(refused("```sh\neval \"$x\"\n```"), [Unreadable]);
    assert_eq!(refused("```sh\ncargo test <name>\n```"), [Unreadable]);
    assert_eq!(refused("```sh\necho 'never closed\n\n# Notes\n\n- `src/cart.rs`\n").len(), 1);
    assert_eq!(refused("```sh\ncargo test\n\n## Files\n\n- `src/cart.rs`\n"), [Unreadable, Unreadable]);
    assert_eq!(refused("```sh\ngit fetch\ndocker ps\ncurl $URL\n```"), [AnyHost, Service, Unreadable]);
    assert_eq!(refused("Do not run `cargo test`."), [OutOfScope]);
    assert_eq!(refused("## Out of scope\n\nRun: `cargo test`\n"), [OutOfScope]);
    assert_eq!(refused("```python\nimport os\nos.remove('src/cart.rs')\n```\n\n```\nsrc/\n├── cart.rs\n```"), []);
    assert_eq!(refused("```sh\ncargo test\rrm -rf x\n```"), [NotGrantedReason::Hidden]);
    // In a code span a line end is a blank, as it is shown.
    assert_eq!(read("Run: `cargo test\rrm -rf x`").commands[0].command, "cargo test rm -rf x");
}

#[test]
fn a_command_over_several_lines_is_one() {
    let contract = read(
        "```bash\n# first\ncargo test \\\n  --all\ngit commit -m 'one\ntwo'\ncat > docs/a.md <<'END'\n# text\nrm -rf /\nEND\ncargo build # done\nfor f in docs/*; do\n  wc -l $f\ndone\n```\n",
    );
    let commands: Vec<(&str, u32)> =
        contract.commands.iter().map(|grant| (grant.command.as_str(), grant.line)).collect();
    assert_eq!(
        commands,
        [
            ("cargo test \\\n  --all", 3),
            ("git commit -m 'one\ntwo'", 5),
            ("cat > docs/a.md <<'END'\n# text\nrm -rf /\nEND", 7),
            ("cargo build", 11),
            ("for f in docs/*; do\n  wc -l $f\ndone", 12),
        ]
    );
}

#[test]
fn whom_a_command_reaches_is_part_of_the_grant() {
    let contract = read("Run: `curl https://docs.rs/serde`\n");
    assert_eq!(contract.commands[0].hosts, ["docs.rs"]);
}

#[test]
fn everything_has_a_bound() {
    let plan: String = (0..3_000).map(|number| format!("- Create `src/a{number}.rs`\n")).collect();
    let contract = read(&plan);
    assert_eq!(contract.files.len(), MAX_GRANTS);
    assert_eq!(contract.not_granted.iter().map(|refused| refused.why).collect::<Vec<_>>(), [NotGrantedReason::TooMany]);
    let plan: String = (0..3_000).map(|number| format!("- See `src/a{number}.rs`\n")).collect();
    assert!(read(&plan).not_granted.len() <= MAX_GRANTS);
    let plan = format!("Run: `cargo test {}`", "x ".repeat(4_000));
    assert!(read(&plan).is_empty());
    let late = format!("{}\n\nModify `src/cart.rs`.", "word ".repeat(60_000));
    assert!(read(&late).is_empty());
}

#[test]
fn the_hash_is_of_what_is_granted() {
    let one = read("- `src/cart.rs`\n- `web/app.js`\n\nRun: `cargo test`\n");
    let mut other = one.clone();
    other.files.reverse();
    assert_eq!(one.hash(), other.hash());
    other.strike("web/app.js");
    assert_ne!(one.hash(), other.hash());
    assert_eq!(Coverage::new(other, Path::new(PROJECT)).file("web/app.js"), FileCover::No);
    let read_back: Contract = serde_json::from_str(&serde_json::to_string(&one).unwrap()).unwrap();
    assert_eq!(read_back, one);
    assert_eq!(Contract::default().summary(), None);
}

#[test]
fn a_step_has_the_files_and_commands_of_its_lines() {
    let plan = "Files: `src/cart.rs`, `web/app.js`\n\n1. Change `src/cart.rs`\n2. Then `web/app.js` and `src/cart.rs` again\n   Run: `cargo test`\n3. Nothing\n";
    let contract = read(plan);
    let steps = fore_plan::plan::steps(plan);
    let page: Vec<String> = steps
        .iter()
        .map(|step| {
            let grants = contract.of_step(step);
            let files: Vec<&str> = grants.files.iter().map(|grant| grant.path.as_str()).collect();
            format!("{}: {} {}", step.number, files.join(" "), grants.commands.len())
        })
        .collect();
    assert_eq!(page, ["1: src/cart.rs 0", "2: src/cart.rs web/app.js 1", "3:  0"]);
}

/// Pieces that plans and attacks are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => any::<String>(),
        2 => "[a-z./~$\\\\*{},<>\\[\\]: -]{0,24}".prop_map(|text| format!("`{text}`")),
        2 => "(\\.\\./|/|~/|\\./|src/|\\$HOME/){0,4}[a-z]{1,5}\\.rs".prop_map(|text| format!("`{text}`")),
        1 => "(\\.\\./|/|src/){0,3}[a-z]{1,5}\\.rs".prop_map(|text| format!("[{text}]({text})")),
        1 => Just("\n\n## Out of scope\n\n".to_owned()),
        1 => Just("\n\n## Verify\n\n".to_owned()),
        1 => Just("\n```sh\n".to_owned()),
        1 => Just("\n<!--".to_owned()),
        1 => Just("-->\n".to_owned()),
        1 => Just("\n- Create: ".to_owned()),
        1 => Just("\n| a | b |\n|--|--|\n| ".to_owned()),
        1 => Just(" → ".to_owned()),
        1 => Just("rename ".to_owned()),
        1 => Just("\nRun: `cargo test`\n".to_owned()),
    ]
}

fn is_inside(path: &str) -> bool {
    !path.starts_with('/')
        && !path.contains('\\')
        && !path.starts_with(['~', '$', '%'])
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && fore_text::first_mark(path, fore_text::TextKind::Line).is_none()
}

proptest! {
    #[test]
    fn every_text_is_read_and_no_grant_leads_out(pieces in prop::collection::vec(piece(), 0..24)) {
        let plan = pieces.concat();
        let contract = read(&plan);
        let lines = u32::try_from(plan.split('\n').count()).unwrap();
        for grant in &contract.files {
            prop_assert!(is_inside(&grant.path), "{:?} of {plan:?}", grant);
            prop_assert!((1..=lines).contains(&grant.line));
            if let PlannedChange::Move { to } = &grant.change {
                prop_assert!(is_inside(to), "{grant:?} of {plan:?}");
            }
        }
        for grant in &contract.commands {
            prop_assert!(plan.contains(grant.command.lines().next().unwrap().rsplit(" && ").next().unwrap()), "{grant:?} of {plan:?}");
            prop_assert!((1..=lines).contains(&grant.line));
        }
        let coverage = Coverage::new(contract.clone(), Path::new(PROJECT));
        for grant in contract.files.iter().filter(|grant| grant.shape == PathShape::File) {
            let is_named = matches!(coverage.file(&grant.path), FileCover::Named { .. });
            prop_assert!(is_named, "{grant:?} of {plan:?}");
        }
    }

    #[test]
    fn every_question_has_an_answer(path in any::<String>(), command in any::<String>()) {
        let coverage = coverage("Modify `src/cart.rs`, `docs/` and `web/**`. Run `cargo test`.");
        if !is_inside(&path) {
            prop_assert_eq!(coverage.file(&path), FileCover::No);
        }
        let _ = coverage.removal(&path);
        prop_assert!(coverage.command(&command, &path, &Finding::reads()).is_none());
    }
}
