//! What Edit does to files, and what it refuses, through the real gate.

use super::Edit;
use crate::{
    event::ShownCall,
    tools::{Read, Tool, test_support::Workplace},
};
use serde_json::{Value, json};

const CART: &str = "fn total(cart: &Cart) -> u64 {\n\tlet sum = cart.sum();\n\tsum\n}\n\nfn tax() {\n\tsum\n}\n";

fn shop() -> Workplace {
    let place = Workplace::with(&[("cart.rs", CART)]);
    place.told(&Read, json!({"file_path": "cart.rs"}));
    place
}

fn call(old: &str, new: &str) -> Value {
    json!({"file_path": "cart.rs", "old_string": old, "new_string": new})
}

#[test]
fn an_exact_and_unique_text_is_replaced_and_edits_may_follow_one_another() {
    let place = shop();
    let input = call("cart.sum()", "cart.sum() + 1");
    let shown = ShownCall::diff(
        "cart.rs: +1 −1",
        "cart.rs",
        "@@ -1,5 +1,5 @@\n fn total(cart: &Cart) -> u64 {\n-\tlet sum = cart.sum();\n+\tlet sum = cart.sum() + 1;\n \tsum\n }\n \n",
    );
    assert_eq!(place.preview(&Edit, input.clone()), Ok(shown.clone()));
    assert_eq!(place.get("cart.rs"), CART);
    let output = place.call(&Edit, input).unwrap();
    assert_eq!(output.shown, shown);
    assert_eq!(place.told(&Edit, call("fn tax", "fn vat")), "/t/shop/cart.rs was changed at line 6.");
    assert_eq!(place.get("cart.rs"), CART.replace("cart.sum()", "cart.sum() + 1").replace("fn tax", "fn vat"));
}

#[test]
fn a_text_that_is_there_more_often_is_named_with_its_lines() {
    let place = shop();
    assert_eq!(
        place.trouble(&Edit, call("\tsum\n}", "\t0\n}")),
        "old_string is in /t/shop/cart.rs 2 times, at lines 3, 7. Take more of the lines around the one you mean, or set \
         replace_all to change every one."
    );
    let mut all = call("\tsum\n}", "\t0\n}");
    all["replace_all"] = json!(true);
    assert_eq!(place.told(&Edit, all), "/t/shop/cart.rs was changed at 2 places.");
    assert_eq!(place.get("cart.rs"), CART.replace("\tsum\n}", "\t0\n}"));
}

#[test]
fn what_is_not_found_is_explained_by_what_is_near() {
    let place = shop();
    let page = [
        (
            "    let sum = cart.sum();\n    sum\n",
            "old_string is not in /t/shop/cart.rs. These lines differ from it only in white space (tabs, indentation, line ends); take \
             them as they are:\n     2\t\tlet sum = cart.sum();\n     3\t\tsum",
        ),
        (
            "fn total(cart: &Basket) -> u64 {",
            "old_string is not in /t/shop/cart.rs. The nearest lines are:\n     1\tfn total(cart: &Cart) -> u64 {",
        ),
        (
            "     6\tfn tax() {\n     7\t\tsum",
            "old_string is not in /t/shop/cart.rs. It begins its lines with the numbers that Read adds; leave them and the tab out.",
        ),
        ("class Cart", "old_string is not in /t/shop/cart.rs. Nothing in the file is like it; read the file again."),
        ("{{", "old_string is not in /t/shop/cart.rs. Nothing in the file is like it; read the file again."),
    ];
    for (old, why) in page {
        assert_eq!(place.trouble(&Edit, call(old, "x")), why);
    }
    assert_eq!(place.get("cart.rs"), CART);
}

#[test]
fn nothing_to_change_and_no_old_text_are_refused() {
    let place = shop();
    assert_eq!(
        place.trouble(&Edit, call("sum", "sum")),
        "old_string and new_string are the same; there is nothing to change."
    );
    assert_eq!(
        place.trouble(&Edit, call("", "x")),
        "/t/shop/cart.rs exists, and an empty old_string only makes a new file. Name the text to replace, or use Write."
    );
    let new = json!({"file_path": "src/new.rs", "old_string": "", "new_string": "fn new() {}\n"});
    assert_eq!(place.told(&Edit, new), "/t/shop/src/new.rs was written.");
    assert_eq!(place.get("src/new.rs"), "fn new() {}\n");
    assert_eq!(place.trouble(&Edit, json!({"file_path": "cart.rs", "old_string": "a"})), "`new_string` is missing.");
}

#[test]
fn a_file_has_to_be_read_and_unchanged() {
    let place = Workplace::with(&[("cart.rs", CART)]);
    let input = call("fn tax", "fn vat");
    assert_eq!(
        place.trouble(&Edit, input.clone()),
        "/t/shop/cart.rs has not been read yet. Read it first, then change it."
    );
    place.told(&Read, json!({"file_path": "cart.rs", "offset": 2, "limit": 1}));
    place.put("cart.rs", format!("{CART}// more\n"));
    assert_eq!(
        place.trouble(&Edit, input.clone()),
        "/t/shop/cart.rs has changed since you read it. Read it again, then change it."
    );
    place.told(&Read, json!({"file_path": "cart.rs", "limit": 1}));
    assert_eq!(place.told(&Edit, input), "/t/shop/cart.rs was changed at line 6.");
    assert_eq!(
        place.trouble(&Edit, json!({"file_path": "card.rs", "old_string": "a", "new_string": "b"})),
        "/t/shop/card.rs does not exist. Near names in the same folder: cart.rs."
    );
}

#[test]
#[expect(clippy::disallowed_methods, reason = "looks at what was written")]
fn line_ends_and_bytes_of_other_encodings_stay() {
    let place = Workplace::new();
    let page: [(&[u8], &str, &str, &[u8]); 6] = [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n"),
        (b"a\r\nb\nc\nd\n", "b\nc", "x\ny", b"a\r\nx\ny\nd\n"),
        (b"a\r\nb\nc\n", "a\nb", "x", b"x\nc\n"),
        (b"\xef\xbb\xbfa\nb\n", "a\n", "x\n", b"\xef\xbb\xbfx\nb\n"),
        (b"caf\xe9 one two three\n", "one", "1", b"caf\xe9 1 two three\n"),
    ];
    for (before, old, new, after) in page {
        place.put("file", before);
        place.told(&Read, json!({"file_path": "file"}));
        place.told(&Edit, json!({"file_path": "file", "old_string": old, "new_string": new}));
        assert_eq!(std::fs::read(place.at("file")).unwrap(), after, "{old:?}");
    }
}

#[test]
fn g2_while_planning_only_the_plan_file_is_edited() {
    let place = Workplace::with(&[("cart.rs", CART)]).planning();
    let plan = place.context.plan_file.clone().unwrap();
    place.put(&plan, "# Plan\n\nStep one\n");
    place.told(&Read, json!({"file_path": plan}));
    place.told(&Edit, json!({"file_path": plan, "old_string": "Step one", "new_string": "Step two"}));
    assert_eq!(place.get(&plan), "# Plan\n\nStep two\n");
    place.told(&Read, json!({"file_path": "cart.rs"}));
    assert!(place.call(&Edit, call("fn tax", "fn vat")).is_err());
    assert_eq!((place.get("cart.rs").as_str(), Edit.line(&call("a", "b")).as_str()), (CART, "cart.rs"));
}

#[test]
fn a_secret_cannot_be_edited_because_it_cannot_be_read() {
    let place = Workplace::with(&[(".env", "KEY=1\n")]);
    assert!(place.call(&Read, json!({"file_path": ".env"})).unwrap().is_error);
    let why = place.trouble(&Edit, json!({"file_path": ".env", "old_string": "KEY=2", "new_string": "x"}));
    assert!(why.starts_with("/t/shop/.env is kept secret (setting `cage.secrets`)"), "{why}");
}
