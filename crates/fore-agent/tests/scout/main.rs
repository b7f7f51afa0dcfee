//! Requests in real folders and the plans that come of them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod hostile;
mod session;
mod stage;

use fore_plan::{
    plan::{NoteCode, check},
    workflow::PlanLength,
};
use fore_testkit::Workspace;
use stage::{Commands, play};
use std::path::Path;

/// A small shop with a history: the cart and the prices change together.
fn shop() -> Workspace {
    let cart = "//! The cart.\n\nuse crate::price::Price;\n\npub struct Cart {\n    items: Vec<Price>,\n}\n\nimpl Cart {\n    \
                pub fn add(&mut self, price: Price) {\n        self.items.push(price);\n    }\n\n    \
                pub fn total(&self) -> u64 {\n        self.items.iter().map(|price| price.cents).sum()\n    }\n}\n";
    let price = "pub struct Price {\n    pub cents: u64,\n}\n";
    let order = "use crate::cart::Cart;\n\npub struct Order {\n    pub cart: Cart,\n}\n";
    let manifest = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let test = "use shop::cart::Cart;\n\n#[test]\nfn an_empty_cart_costs_nothing() {}\n";
    let made = || -> Result<Workspace, fore_testkit::WorkspaceError> {
        Workspace::new()?
            .file("Cargo.toml", manifest)?
            .file("Cargo.lock", "# cart cart cart\n")?
            .file("README.md", "# Shop\n\nA small shop that sells teapots. It has a cart.\n")?
            .file("CHANGELOG.md", "# Changes\n\n- The cart has a total, and discounts come next.\n")?
            .file("src/lib.rs", "pub mod cart;\npub mod order;\npub mod price;\n")?
            .file("src/cart.rs", cart)?
            .file("src/price.rs", price)?
            .file("src/order.rs", order)?
            .file("src/descartes.rs", "pub fn cartesian() {}\n")?
            .file("tests/cart.rs", test)?
            .repository()?
            .file("src/cart.rs", format!("{cart}\n// 2\n"))?
            .file("src/price.rs", format!("{price}\n// 2\n"))?
            .commit("second")?
            .file("src/cart.rs", cart)?
            .file("src/price.rs", price)?
            .commit("third")
    };
    made().unwrap()
}

fn plan(folder: &Path, prompt: &str) -> String {
    let plan = play(folder, prompt, Commands::Run).plans.pop().unwrap();
    checked(&plan, folder);
    plan
}

/// The plan check has nothing to say but that questions are open.
fn checked(plan: &str, folder: &Path) {
    let notes = check(plan, PlanLength::Control, |path| folder.join(path).exists());
    let other: Vec<_> = notes.iter().filter(|note| note.code != NoteCode::OpenQuestion).collect();
    assert!(other.is_empty(), "{other:#?}\n{plan}");
}

/// The paths of the section "Files likely to change".
fn files(plan: &str) -> Vec<&str> {
    let section = plan.split("## Files likely to change\n").nth(1).unwrap().split("\n## ").next().unwrap();
    section.lines().filter_map(|line| line.split('`').nth(1)).collect()
}

#[test]
fn a_small_shop_gets_a_plan_that_begins_with_the_cart() {
    let shop = shop();
    let plan = plan(shop.path(), "add discounts to the cart");
    assert_eq!(files(&plan).first(), Some(&"src/cart.rs"));
    insta::assert_snapshot!(plan);
}

#[test]
fn a_path_in_the_request_comes_first() {
    let shop = shop();
    let plan = plan(shop.path(), "In src/order.rs, rename Order to Purchase");
    assert_eq!(files(&plan).first(), Some(&"src/order.rs"));
    insta::assert_snapshot!(plan);
}

#[test]
fn a_path_that_is_not_there_is_said_and_never_cited() {
    let shop = shop();
    let plan = plan(shop.path(), "fix the rounding in src/gone/money.rs");
    assert!(plan.contains("`money.rs` was named, but no such file was found."), "{plan}");
}

#[test]
fn a_request_that_matches_nothing_says_so_and_asks() {
    let shop = shop();
    insta::assert_snapshot!(plan(shop.path(), "integrate the blockchain oracle"));
}

#[test]
fn an_empty_folder_gets_a_plan_that_asks() {
    let empty = Workspace::new().unwrap();
    insta::assert_snapshot!(plan(empty.path(), "add discounts to the cart"));
}

#[test]
fn a_python_project_without_git_is_understood() {
    let made = || -> Result<Workspace, fore_testkit::WorkspaceError> {
        Workspace::new()?
            .file("pyproject.toml", "[project]\nname = \"shop\"\n\n[tool.pytest.ini_options]\n")?
            .file("shop/__init__.py", "")?
            .file("shop/cart.py", "class Cart:\n    def apply_discount(self, percent):\n        pass\n")?
            .file("shop/mail.py", "def send_mail(to):\n    pass\n")?
            .file("shop/templates/cart.html", "<h1>Cart</h1>\n")?
            .file("tests/test_cart.py", "def test_cart():\n    pass\n")
    };
    let project = made().unwrap();
    // The commands are refused, so that the page does not depend on what is installed here.
    let plan =
        play(project.path(), "fix `apply_discount` for carts that are empty", Commands::Denied).plans.pop().unwrap();
    checked(&plan, project.path());
    assert_eq!(files(&plan).first(), Some(&"shop/cart.py"));
    insta::assert_snapshot!(plan);
}

#[test]
fn the_same_words_in_the_same_folder_give_the_same_plan() {
    let (first, second) = (shop(), shop());
    let one = plan(first.path(), "add discounts to the cart");
    assert_eq!(one, plan(first.path(), "add discounts to the cart"));
    assert_eq!(one, plan(second.path(), "add discounts to the cart"));
}

/// A package with a function, its re-export, a caller, a test and a page of documentation.
fn package() -> Workspace {
    let made = || -> Result<Workspace, fore_testkit::WorkspaceError> {
        Workspace::new()?
            .file("pyproject.toml", "[project]\nname = \"web\"\n")?
            .file("web/__init__.py", "from .json import jsonify as jsonify\n")?
            .file(
                "web/json.py",
                "def jsonify(value):\n    \"\"\"Class names in prose: def fake(name).\n\n    The old name of working.\n    \"\"\"\n    return dumps(value)\n\n\ndef dumps(value):\n    return str(value)\n",
            )?
            .file("web/views.py", "from . import jsonify\n\n\ndef index():\n    return jsonify({})\n")?
            .file("web/naming.py", "def working_name(name):\n    return name\n")?
            .file("tests/test_json.py", "from web import jsonify\n\n\ndef test_jsonify():\n    assert jsonify(1)\n")?
            .file("docs/api.md", "# API\n\n`jsonify` makes a response. Call jsonify with a value.\n")
    };
    made().unwrap()
}

#[test]
fn a_renaming_names_definition_re_export_and_callers_and_nothing_else() {
    let project = package();
    let prompt = "rename the jsonify function to json_response but keep the old name working";
    let plan = play(project.path(), prompt, Commands::Denied).plans.pop().unwrap();
    checked(&plan, project.path());
    assert_eq!(files(&plan), ["web/json.py", "web/__init__.py", "web/views.py", "docs/api.md"]);
    assert!(plan.contains("`jsonify` becomes `json_response`; the old name keeps working."), "{plan}");
    assert!(!plan.contains("def fake") && !plan.contains("`name`") && !plan.contains("`working`"), "{plan}");
    insta::assert_snapshot!(plan);
}

#[test]
fn a_folder_with_one_file_is_known() {
    let project = Workspace::new().unwrap().file("a.py", "def total(items):\n    return sum(items)\n").unwrap();
    let plan =
        play(project.path(), "**/ at the start of total: make `//` and `` work", Commands::Denied).plans.pop().unwrap();
    checked(&plan, project.path());
    assert!(plan.contains("Project: Python, without a manifest; 1 file, no git history."), "{plan}");
    assert!(!plan.contains("``.") && !plan.contains("``,"), "{plan}");
    assert_eq!(files(&plan), ["a.py"]);
}

#[test]
fn nothing_asked_is_answered_with_a_question() {
    let folder = Workspace::new().unwrap();
    let played = play(folder.path(), "??", Commands::Denied);
    assert_eq!(played.plans.len(), 1);
    assert!(played.plans.first().unwrap().contains("Your words name nothing to look for."), "{:?}", played.plans);
}
