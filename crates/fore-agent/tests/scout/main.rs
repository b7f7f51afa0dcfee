//! Requests in real folders and the plans that come of them.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod hostile;
mod session;
mod stage;

use fore_agent::scout;
use fore_model::{Answer, Block, Duty, History, Message, StopReason, ToolResult};
use fore_plan::{approval::text, plan::check, workflow::PlanLength};
use fore_testkit::Workspace;
use stage::{Played, Tools, play, play_on};
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
    let played = play(folder, prompt, Tools::All);
    assert!(played.rounds.len() <= 5, "{}", played.rounds.len());
    let plan = played.plan.unwrap();
    checked(&plan, folder);
    plan
}

/// The plan check has nothing to say but that questions are open.
fn checked(plan: &str, folder: &Path) {
    let notes = check::check(plan, PlanLength::Control, |path| folder.join(path).exists());
    let other: Vec<_> = notes.iter().filter(|note| note.code != check::NoteCode::OpenQuestion).collect();
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
    let played = play(project.path(), "fix `apply_discount` for carts that are empty", Tools::NoBash);
    let plan = played.plan.unwrap();
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

#[test]
fn without_any_tool_there_is_still_an_honest_plan() {
    let shop = shop();
    let played = play(shop.path(), "add discounts to the cart", Tools::None);
    let plan = played.plan.unwrap();
    checked(&plan, shop.path());
    assert!(plan.contains("`cart` could not be searched for."), "{plan}");
}

#[test]
fn what_the_person_says_about_a_plan_is_looked_for_and_quoted() {
    let shop = shop();
    let first = play(shop.path(), "add discounts to the cart", Tools::All);
    let said =
        text::Rejected { path: "/plans/a.md", reason: Some("not the cart, the Order"), comments: &[], changed: None };
    let again = play_on(shop.path(), answered(&first, &text::rejected(&said)), Tools::All);
    let plan = again.plan.unwrap();
    checked(&plan, shop.path());
    assert!(plan.contains("Said about it since:\n\n```text\nnot the cart, the Order\n```"), "{plan}");
    assert!(files(&plan).contains(&"src/order.rs"), "{plan}");
}

#[test]
fn a_plan_that_was_answered_without_words_ends_the_turn() {
    let shop = shop();
    let first = play(shop.path(), "add discounts to the cart", Tools::All);
    let no_words = text::rejected(&text::Rejected { path: "/plans/a.md", reason: None, comments: &[], changed: None });
    for answer in [no_words, text::discarded(), text::nobody_can_approve("/plans/a.md")] {
        let last = play_on(shop.path(), answered(&first, &answer), Tools::All);
        assert_eq!((last.plan, last.rounds.len()), (None, 0));
        assert!(!last.said.is_empty());
    }
}

/// The history with an answer to the plan that was handed in.
fn answered(played: &Played, answer: &str) -> History {
    let mut history = played.history.clone();
    let last = history.get(history.len() - 1).unwrap();
    let calls = last.blocks.iter().filter_map(|block| match block {
        Block::ToolUse(call) => Some(ToolResult::text(call, answer)),
        _ => None,
    });
    history.push(Message::results(calls.collect()));
    history
}

#[test]
fn outside_of_planning_it_says_what_is_missing_and_stops() {
    let history: History = [Message::user("add discounts to the cart")].into_iter().collect();
    let mut answer = Answer::default();
    for event in scout::answer(&history, Duty::Act) {
        answer.apply(&event);
    }
    assert_eq!((answer.stop.clone(), answer.tool_calls().count()), (Some(StopReason::EndTurn), 0));
    insta::assert_snapshot!(answer.text());
}

#[test]
fn nothing_asked_is_answered_with_a_question() {
    let folder = Workspace::new().unwrap();
    for history in [History::new(), [Message::user("  ")].into_iter().collect()] {
        let played = play_on(folder.path(), history, Tools::All);
        assert_eq!((played.plan, played.rounds.len()), (None, 0));
    }
}
