//! Requests and what is read of them.

use super::{MAX_TERMS, Renaming, TaskRequest, Term, TermKind, WorkKind, parts};

fn read(text: &str) -> TaskRequest {
    TaskRequest::read(&[text.to_owned()])
}

/// Kind and words of every term that is told.
fn page(text: &str) -> Vec<String> {
    let term = |term: &Term| {
        let kind = match term.kind {
            TermKind::Path => "path",
            TermKind::Name => "name",
            TermKind::Quoted => "quoted",
            TermKind::Pair => "pair",
            TermKind::Word => "word",
        };
        format!("{kind} {}", term.said)
    };
    read(text).told().map(term).collect()
}

#[test]
fn words_that_say_where_to_look_are_kept() {
    assert_eq!(page("Please add discounts to the cart."), ["word discounts", "word cart"]);
    assert_eq!(page("retries, caching and the user's queries"), ["word retries", "word caching", "word queries"]);
    let request = read("the connection pool is slow");
    let stems: Vec<String> = request.terms.iter().map(|term| term.stems.join(" ")).collect();
    assert_eq!(stems, ["connect", "pool", "slow", "connect pool"]);
    assert_eq!(request.terms.first().unwrap().alike, ["conn"]);
}

#[test]
fn paths_names_and_quoted_text_come_first() {
    assert_eq!(
        page("In src/cart.rs:12 fix apply_discount and Cart::total, see README.md; it says \"no such item\""),
        ["path src/cart.rs", "path README.md", "name Cart", "name apply_discount", "name total", "quoted no such item",]
    );
    assert_eq!(page("`applyDiscount()` is never called"), ["name applyDiscount", "word called"]);
}

#[test]
fn code_within_a_sentence_is_names() {
    for (text, names) in [
        ("verify=False is ignored", vec!["name verify", "word ignored"]),
        ("Table(highlight=True) does nothing", vec!["name Table", "name highlight"]),
        ("pass --extra-files", vec!["name extra-files", "word pass"]),
        ("no-useless-assignment misses loops", vec!["name no-useless-assignment", "word misses", "word loops"]),
        ("GIT_CONFIG_NOSYSTEM=1 is read", vec!["name GIT_CONFIG_NOSYSTEM", "word read"]),
    ] {
        assert_eq!(page(text), names, "{text}");
    }
}

#[test]
fn a_stack_trace_is_its_files_and_functions() {
    let trace = "Traceback (most recent call last):\n  File \"shop/cart.py\", line 12, in apply_discount\n    total()\n\
                 TypeError: unsupported operand";
    let told = page(trace);
    for wanted in ["path shop/cart.py", "name apply_discount"] {
        assert!(told.iter().any(|held| held == wanted), "{wanted} {told:?}");
    }
    // Neither its first line nor what the language itself raises says where to look.
    for unwanted in ["word Traceback", "word recent", "name TypeError"] {
        assert!(!told.iter().any(|held| held == unwanted), "{unwanted} {told:?}");
    }
    let told = page("at Cart.applyDiscount (src/cart.js:12:7)");
    assert!(
        told.contains(&"path src/cart.js".to_owned()) && told.contains(&"name applyDiscount".to_owned()),
        "{told:?}"
    );
}

#[test]
fn what_only_looks_like_a_path_is_a_word() {
    assert_eq!(
        page("read/write in Node.js, e.g. https://example.com/a.html v1.2 and/or"),
        ["word read", "word Node", "word js", "word v1"]
    );
    for text in ["don't", "", "/", "`//`", "**/", "`` \"\""] {
        assert_eq!(page(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn names_have_the_same_parts_in_every_spelling() {
    for name in
        ["applyDiscount", "apply_discount", "ApplyDiscount", "apply-discount", "APPLY_DISCOUNT", "apply.discount"]
    {
        assert_eq!(parts(name), ["apply", "discount"], "{name}");
    }
    assert_eq!(parts("HTTPRequest2"), ["http", "request2"]);
    assert_eq!(parts("größeÄndern"), ["größe", "ändern"]);
    assert_eq!(parts("__"), Vec::<String>::new());
}

#[test]
fn a_path_from_the_root_keeps_its_slash_and_a_status_is_a_word() {
    assert_eq!(page("fails on /etc/clock"), ["path /etc/clock", "word clock"]);
    let said: Vec<String> = read("redirects with 307 or 12").terms.into_iter().map(|term| term.said).collect();
    assert_eq!(said, ["redirects", "307"]);
}

#[test]
fn what_tells_how_counts_less_than_what_tells_where() {
    let request = read("it quietly loses the Voucher of a cart");
    let weight = |said: &str| request.terms.iter().find(|term| term.said == said).map(Term::telling).unwrap();
    assert!(weight("quietly") < weight("cart") && weight("loses") < weight("cart"));
    assert!(weight("cart") < weight("Voucher"));
    assert!(request.terms.iter().any(|term| term.said == "Voucher" && term.is_proper));
}

#[test]
fn the_verb_tells_the_kind_of_work() {
    for (text, work) in [
        ("add discounts", WorkKind::Add),
        ("The cart crashes on empty input", WorkKind::Fix),
        ("rename Cart to Basket", WorkKind::Rename),
        ("drop the old API", WorkKind::Remove),
        ("deprecate get_connection", WorkKind::Deprecate),
        ("speed up the search", WorkKind::Speed),
        ("more tests for the cart", WorkKind::Test),
        ("document the cart", WorkKind::Document),
        ("split the cart in two", WorkKind::Restructure),
        ("upgrade to Django 5", WorkKind::Upgrade),
        ("the cart", WorkKind::Other),
        ("the cart throws", WorkKind::Fix),
        ("thread 'main' panicked at 'cannot add to the cart', src/cart.rs:3:1", WorkKind::Fix),
    ] {
        assert_eq!(read(text).work, work, "{text}");
    }
}

#[test]
fn a_renaming_has_two_names_and_searches_for_the_old_one() {
    let request = read("rename the jsonify function to json_response but keep the old name working");
    let renaming = Renaming { from: "jsonify".into(), to: "json_response".into(), keeps_old: true };
    assert_eq!((request.work, request.renaming.as_ref()), (WorkKind::Rename, Some(&renaming)));
    let told: Vec<&str> = request.told().map(|term| term.said.as_str()).collect();
    assert_eq!(told, ["jsonify"]);
    let plain = read("Rename `Cart` to `Basket`.").renaming.unwrap();
    assert_eq!((plain.from.as_str(), plain.to.as_str(), plain.keeps_old), ("Cart", "Basket", false));
    assert_eq!(read("rename it").renaming, None);
    let method = read("rename Session.mount to attach").renaming.unwrap();
    assert_eq!((method.from.as_str(), method.to.as_str()), ("mount", "attach"));
    assert_eq!(read("rename cart.py to basket.py").renaming, None, "files are found as such");
}

#[test]
fn a_question_asks_for_an_answer_and_a_request_for_a_change() {
    for text in [
        "why is the search slow?",
        "Where is Cart defined?",
        "where is Cart defined",
        "what calls apply_discount",
        "How does the cart compute its total?",
        "Is there a cache?",
        "can you tell me where the cart is?",
        "Tell me how the cart works",
        "explain the cart",
        "show me where discounts are applied",
    ] {
        assert!(read(text).is_question, "{text}");
    }
    for text in [
        "add discounts to the cart",
        "can you add discounts to the cart?",
        "Could you please fix the total?",
        "Why is the total wrong? Fix it.",
        "the total is wrong",
        "show the total in the cart",
        "The cart is lost. Also tell users clearly when that happens.",
        "When the cart is empty, the total is NaN.",
        "should we split the cart?",
        "",
    ] {
        assert!(!read(text).is_question, "{text}");
    }
}

#[test]
fn remarks_add_to_what_is_looked_for() {
    let request = TaskRequest::read(&["add discounts".into(), "look at the checkout too".into()]);
    let said: Vec<&str> = request.told().map(|term| term.said.as_str()).collect();
    assert_eq!((request.work, said), (WorkKind::Add, vec!["checkout", "discounts"]));
}

#[test]
fn the_number_of_terms_is_bounded() {
    let long: String = (0..500).map(|n| format!("word{n} src/a{n}.rs `name_{n}` \"text {n}\" ")).collect();
    assert!(read(&long).terms.len() <= MAX_TERMS);
}
