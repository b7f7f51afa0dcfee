//! Requests and what is looked for, as pages.

use super::{TaskRequest, TermKind, WorkKind, parts};

/// Kind, words and stems of every term.
fn page(text: &str) -> Vec<String> {
    let term = |term: &super::Term| {
        let kind = match term.kind {
            TermKind::Path => "path",
            TermKind::Name => "name",
            TermKind::Quoted => "quoted",
            TermKind::Pair => "pair",
            TermKind::Word => "word",
        };
        format!("{kind} {} [{}]", term.said, term.stems.join(" "))
    };
    TaskRequest::read(&[text.to_owned()]).terms.iter().map(term).collect()
}

#[test]
fn words_lose_their_endings_and_neighbours_make_a_pair() {
    assert_eq!(page("Please add discounts to the cart."), ["word discounts [discount]", "word cart [cart]"]);
    assert_eq!(
        page("the connection pool is slow"),
        ["word connection [connect]", "word pool [pool]", "pair connection pool [connect pool]"]
    );
    assert_eq!(
        page("retries, caching and the user's queries"),
        ["word retries [retr]", "word caching [cach]", "word queries [quer]"]
    );
}

#[test]
fn paths_names_and_quoted_text_come_first() {
    assert_eq!(
        page("In src/cart.rs:12 rename apply_discount and Cart::total, see README.md; it says \"no such item\""),
        [
            "path src/cart.rs []",
            "path README.md []",
            "name Cart [cart]",
            "name apply_discount [apply discount]",
            "name total [total]",
            "quoted no such item []",
        ]
    );
    assert_eq!(
        page("it says \"no such item\" in `applyDiscount()`"),
        ["name applyDiscount [apply discount]", "quoted no such item []",]
    );
}

#[test]
fn what_only_looks_like_a_path_is_a_word() {
    assert_eq!(
        page("read/write in Node.js, e.g. https://example.com/a.html v1.2 and/or"),
        ["word read [read]", "word Node [node]", "word js [js]", "word v1 [v1]", "pair Node js [node js]",]
    );
    assert_eq!(page("don't"), Vec::<String>::new());
    assert_eq!(page(""), Vec::<String>::new());
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
fn the_verb_tells_the_kind_of_work() {
    for (text, work) in [
        ("add discounts", WorkKind::Add),
        ("The cart crashes on empty input", WorkKind::Fix),
        ("rename Cart to Basket", WorkKind::Rename),
        ("drop the old API", WorkKind::Remove),
        ("speed up the search", WorkKind::Speed),
        ("more tests for the cart", WorkKind::Test),
        ("document the cart", WorkKind::Document),
        ("split the cart in two", WorkKind::Restructure),
        ("upgrade to Django 5", WorkKind::Upgrade),
        ("the cart", WorkKind::Other),
    ] {
        assert_eq!(TaskRequest::read(&[text.to_owned()]).work, work, "{text}");
    }
}

#[test]
fn remarks_add_to_what_is_looked_for() {
    let request = TaskRequest::read(&["add discounts".into(), "look at the checkout too".into()]);
    let said: Vec<&str> = request.terms.iter().map(|term| term.said.as_str()).collect();
    assert_eq!((request.work, said), (WorkKind::Add, vec!["checkout", "discounts"]));
}

#[test]
fn the_number_of_terms_is_bounded() {
    let long: String = (0..500).map(|n| format!("word{n} src/a{n}.rs `name_{n}` ")).collect();
    assert_eq!(TaskRequest::read(&[long]).terms.len(), super::MAX_TERMS);
}

/// Which names a word finds by its pattern and in paths.
#[test]
fn a_short_word_is_found_as_a_whole_part_and_a_long_one_at_the_beginning() {
    let request = TaskRequest::read(&["cart discounts".into()]);
    let (cart, discounts) = (request.terms.first().unwrap(), request.terms.get(1).unwrap());
    for (term, name, is_found) in [
        (cart, "cart", true),
        (cart, "my_cart", true),
        (cart, "CartItem", true),
        (cart, "CARTS", true),
        (cart, "cartesian", false),
        (cart, "descartes", false),
        (discounts, "discount", true),
        (discounts, "discountable", true),
        (discounts, "DiscountRule", true),
        (discounts, "undiscounted", false),
    ] {
        use grep_matcher::Matcher as _;
        let matcher = grep_regex::RegexMatcher::new_line_matcher(&term.pattern().unwrap()).unwrap();
        assert_eq!(matcher.is_match(name.as_bytes()).unwrap(), is_found, "{} in {name}", term.said);
        assert_eq!(term.is_in(&parts(name)), is_found, "{} in {name}", term.said);
    }
}

#[test]
fn every_pattern_is_a_regular_expression_and_a_glob() {
    let odd = "a.b*c `x[0]{1}` \"(?:\\ $^|\" “größe+”  日本語 foo\\bar [[ !@#% src/[x]/a.rs 'it''s' <b> &amp; a-b--c";
    for term in TaskRequest::read(&[odd.to_owned()]).terms {
        for pattern in [term.pattern(), term.definition()].into_iter().flatten() {
            grep_regex::RegexMatcher::new_line_matcher(&pattern).unwrap();
        }
        if let Some(glob) = term.glob() {
            globset::Glob::new(&glob).unwrap();
        }
    }
}
