//! Plans as people and models write them, and what each of them grants.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken page fails the test")]

use fore_plan::{
    contract::{Contract, ContractGround, Coverage, FileCover, FileGrant, PathShape, PlannedChange, ProjectTree},
    gate::{Ground, Rules, table::TableSettings},
};
use fore_shell::GitFacts;
use std::{fmt::Write as _, path::Path};

const PROJECT: &str = "/projects/shop";

fn tree(files: &str) -> ProjectTree {
    ProjectTree::new(files.split_whitespace().map(str::to_owned))
}

fn read(plan: &str, tree: &ProjectTree) -> Contract {
    let (rules, settings) = (Rules::default(), TableSettings::default());
    let gate = Ground::new(&rules, &settings, Path::new(PROJECT), &GitFacts::Quiet, &fore_commands::CATALOGUE);
    Contract::read(plan, &ContractGround { gate: &gate, tree })
}

/// The contract as a page: one line for each grant.
fn page(contract: &Contract) -> String {
    let mut lines = Vec::new();
    for grant in &contract.files {
        let shape = match grant.shape {
            PathShape::File => "",
            PathShape::Folder => "/",
            PathShape::Glob => " (pattern)",
        };
        let change = match &grant.change {
            PlannedChange::New => "new".to_owned(),
            PlannedChange::Change => "change".to_owned(),
            PlannedChange::Delete => "delete".to_owned(),
            PlannedChange::Move { to } => format!("move to {to}:"),
        };
        lines.push(format!("{}: {change} {}{shape}", grant.line, grant.path));
    }
    for grant in &contract.commands {
        let hosts = if grant.hosts.is_empty() { String::new() } else { format!(" [{}]", grant.hosts.join(" ")) };
        lines.push(format!("{}: run {}{hosts}", grant.line, grant.command));
    }
    for refused in &contract.not_granted {
        lines.push(format!("{}: not {} ({})", refused.line, refused.named, refused.why.words()));
    }
    lines.join("\n")
}

/// A plan with the project before it, and what its work really changed.
struct WorkedPlan {
    name: &'static str,
    page: &'static str,
}

impl WorkedPlan {
    fn part(&self, name: &str) -> &'static str {
        let begin = format!("=== {name}\n");
        let part =
            self.page.split_once(&begin).map(|(_, rest)| rest).unwrap_or_else(|| panic!("{}: {name}", self.name));
        part.split("\n=== ").next().unwrap()
    }

    fn contract(&self) -> Contract {
        read(self.part("plan"), &tree(self.part("tree")))
    }
}

macro_rules! worked_plans {
    ($($name:literal)*) => {
        [$(WorkedPlan { name: $name, page: include_str!(concat!("plans/", $name, ".md")) }),*]
    };
}

const PLANS: [WorkedPlan; 30] = worked_plans![
    "awkward-indented"
    "awkward-no-files"
    "awkward-quoted-code"
    "claude-code-python-bug"
    "claude-code-rust-cache"
    "claude-code-ts-rename"
    "codex-short"
    "codex-steps"
    "cursor-todos"
    "data-science"
    "delete-feature"
    "follow-up-large"
    "gemini-phases"
    "german-plan"
    "infra-terraform"
    "kiro-design"
    "kiro-tasks"
    "messy-notes"
    "migration-globs"
    "monorepo-endings"
    "openspec-change"
    "prose-only"
    "qwen-code-settings"
    "shell-and-docs"
    "spec-kit-plan"
    "spec-kit-tasks"
    "superpowers-ts"
    "superpowers-writing-plans"
    "weak-model-plain"
    "weak-model-table"
];

#[test]
fn what_thirty_plans_grant() {
    let pages: Vec<String> =
        PLANS.iter().map(|plan| format!("## {}\n\n{}\n", plan.name, page(&plan.contract()))).collect();
    insta::assert_snapshot!(pages.join("\n"));
}

/// Whether a grant is about something that the work changed.
fn is_right(grant: &FileGrant, touched: &[&str]) -> bool {
    let contract = Contract { files: vec![grant.clone()], ..Contract::default() };
    let coverage = Coverage::new(contract, Path::new(PROJECT));
    touched.iter().any(|path| matches!(coverage.file(path), FileCover::Named { .. }))
}

/// As measured on plans of others: three of four named files are changed, and what is near them is nearly all of the rest.
#[test]
fn most_of_what_is_granted_is_changed_and_nearly_all_that_is_changed_is_covered() {
    let (mut right, mut granted, mut named, mut covered, mut changed) = (0, 0, 0, 0, 0);
    let mut table = String::new();
    for plan in &PLANS {
        let touched: Vec<&str> = plan.part("touched").split_whitespace().collect();
        let contract = plan.contract();
        let good = contract.files.iter().filter(|grant| is_right(grant, &touched)).count();
        let wrong: Vec<&str> =
            contract.files.iter().filter(|grant| !is_right(grant, &touched)).map(|grant| grant.path.as_str()).collect();
        let grants = contract.files.len();
        let coverage = Coverage::new(contract.clone(), Path::new(PROJECT));
        let is_named = |path: &&&str| matches!(coverage.file(path), FileCover::Named { .. });
        let missed: Vec<&&str> = touched.iter().filter(|path| coverage.file(path) == FileCover::No).collect();
        (right, granted) = (right + good, granted + grants);
        named += touched.iter().filter(is_named).count();
        (covered, changed) = (covered + touched.len() - missed.len(), changed + touched.len());
        writeln!(table, "{}: {good}/{grants} right, not {wrong:?}; missed {missed:?}", plan.name).unwrap();
    }
    let percent = |part: usize, whole: usize| part * 100 / whole;
    let line = format!(
        "{}% of the grants are right, {}% of the changes are named, {}% are named or near",
        percent(right, granted),
        percent(named, changed),
        percent(covered, changed)
    );
    println!("{table}{line}");
    assert!(percent(right, granted) >= 75 && percent(covered, changed) >= 90, "{table}{line}");
}

#[test]
fn a_plan_in_the_usual_words() {
    let tree = tree(
        "src/cart.rs src/lib.rs src/price.rs src/money.rs Cargo.toml tests/cart.rs docs/prices.md README.md src/old.rs a/b.rs",
    );
    let plan = "# Faster carts

## Context

`src/money.rs` rounds half to even.

## Changes

1. Modify `src/cart.rs:10-20`: keep the total.
2. Create `src/total.rs` following the pattern in `src/price.rs`.
3. Delete `src/old.rs`.
4. Rename `a/b.rs` to `a/c.rs`.

## Out of scope

- `README.md`

## Verification

```sh
$ cargo test --all   # everything
cargo clippy
```

- Run `cargo test cart`.
";
    let contract = read(plan, &tree);
    assert_eq!(
        page(&contract),
        "9: change src/cart.rs
10: new src/total.rs
11: delete src/old.rs
12: move to a/c.rs: a/b.rs
21: run cargo test --all
25: run cargo test cart
5: not src/money.rs (only a reference)
10: not src/price.rs (only a reference)
16: not README.md (the plan leaves it alone)"
    );
    assert_eq!(contract.summary().as_deref(), Some("4 files, 2 commands"));
    let coverage = Coverage::new(contract, Path::new(PROJECT));
    assert_eq!(coverage.file("src/cart.rs"), FileCover::Named { line: 9 });
    assert_eq!(coverage.file("README.md"), FileCover::No);
}

#[test]
fn a_name_alone_means_the_folder_before_it() {
    let tree = tree("web/index.ts api/index.ts api/users.ts api/routes.ts lib/a.ts");
    let contract = read("**Files:** `api/users.ts`, `index.ts`, `posts.ts`, `a.ts`\n\nAlso `index.ts`.\n", &tree);
    assert_eq!(
        page(&contract),
        "1: change api/users.ts
1: change api/index.ts
1: new api/posts.ts
1: change lib/a.ts
3: not index.ts (several files match)"
    );
}

/// The page for people says what the program does.
#[test]
fn the_documented_example_is_true() {
    let docs = include_str!("../../../docs/contract.md");
    let example = docs.split("```markdown\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let contract = read(example, &tree("Cargo.toml src/cart.rs src/money.rs src/price.rs src/old.rs tests/cart.rs"));
    let table: Vec<String> = docs
        .split("| line | granted |\n|---|---|\n")
        .nth(1)
        .unwrap()
        .lines()
        .map_while(|row| row.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .map(|(line, granted)| format!("{line}: {}", granted.replace('`', "")))
        .collect();
    let granted: Vec<String> =
        page(&contract).lines().filter(|line| !line.contains(": not ")).map(str::to_owned).collect();
    assert_eq!(granted, table);
    let refused: Vec<&str> = contract.not_granted.iter().map(|refused| refused.named.as_str()).collect();
    assert_eq!(refused, ["src/money.rs", "src/price.rs"]);
    let coverage = Coverage::new(contract, Path::new(PROJECT));
    for path in ["tests/cart.rs", "Cargo.toml", "src/lib.rs"] {
        assert!(matches!(coverage.file(path), FileCover::Near { .. }), "{path}");
    }
}

#[test]
fn a_name_alone_is_a_new_file_where_the_plan_says_that_it_is_made() {
    let tree = tree("src/cart.rs src/api/users.ts docs/guide.md");
    let page_of = |plan: &str| page(&read(plan, &tree)).replace('\n', "; ");
    for plan in [
        "Write `hello.txt`.",
        "Create `hello.txt` with a greeting.",
        "Add `hello.txt`",
        "Add a file `hello.txt`.",
        "A new file `hello.txt` says hi.",
        "Generate `hello.txt` by hand.",
        "Touch `hello.txt`.",
        "Save it as `hello.txt`.",
        "1. Writing `hello.txt`",
        "- **Create:** `hello.txt`",
        "`hello.txt` (new)",
        "`hello.txt` is created.",
        "`hello.txt` will be written.",
        "`hello.txt`: a new file with a greeting",
        "- `hello.txt` — new",
        "Create hello.txt with a greeting.",
        "Create a file called hello.txt that says hi",
        "Write hello.txt.",
        "- Create: hello.txt",
    ] {
        assert_eq!(page_of(plan), "1: new hello.txt", "{plan}");
    }
    for heading in ["## Files to create", "## New files", "**Create:**", "### Added", "Files to add:"] {
        assert_eq!(page_of(&format!("{heading}\n\n- `hello.txt`\n")), "3: new hello.txt", "{heading}");
    }
    let page = [
        ("Update `hello.txt`.", "1: not hello.txt (no such file)"),
        ("Do not write `hello.txt`.", "1: not **/hello.txt (the plan leaves it alone)"),
        ("Never create hello.txt.", "1: not **/hello.txt (the plan leaves it alone)"),
        ("See how `cart.rs` is written.", "1: not src/cart.rs (only a reference)"),
        ("Follow `cart.rs` and create `hello.txt`.", "1: new src/hello.txt; 1: not src/cart.rs (only a reference)"),
        ("## Out of scope\n\nWrite `hello.txt`.\n", "3: not **/hello.txt (the plan leaves it alone)"),
        ("Write `AGENTS.md`.", "1: not AGENTS.md (steers git, agents, editors or builds)"),
        ("Write `../hello.txt`.", "1: not ../hello.txt (outside the project)"),
        // What is there is meant.
        ("Write `users.ts`.", "1: change src/api/users.ts"),
        // Products, not files.
        ("Add Node.js support.", ""),
        ("Create a Next.js app.", ""),
        ("Add vue.js to the project.", ""),
        ("Write it in plain TypeScript, not in node.js", ""),
    ];
    for (plan, granted) in page {
        assert_eq!(page_of(plan), granted, "{plan}");
    }
}
