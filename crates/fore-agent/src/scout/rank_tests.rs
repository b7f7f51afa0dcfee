//! What was found about files, and the order in which they come.

use super::super::evidence::{Definition, ScoutEvidence, TermTrace};
use super::super::request::TaskRequest;
use super::super::tool_output::CoChanges;
use super::rank;

/// Lines that mention a term by file, and files with a name they define.
type Seen<'a> = (&'a [(&'a str, u64)], &'a [(&'a str, &'a str)]);

/// The files in their order for a request whose terms were seen like this.
fn order(request: &str, traces: &[Seen<'_>], more: &[&str]) -> Vec<String> {
    order_with(request, traces, more, ScoutEvidence::default())
}

fn order_with(request: &str, traces: &[Seen<'_>], more: &[&str], mut evidence: ScoutEvidence) -> Vec<String> {
    let request = TaskRequest::read(&[request.to_owned()]);
    for (term, (counts, definitions)) in request.terms.iter().zip(traces) {
        let definition = |(path, name): &(&str, &str)| Definition {
            path: (*path).to_owned(),
            line: 1,
            name: (*name).to_owned(),
            text: String::new(),
        };
        let counts = counts.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect();
        let definitions = definitions.iter().map(definition).collect();
        evidence.traces.push(TermTrace { term: term.clone(), counts, definitions, was_searched: true });
    }
    let mentioned = evidence.traces.iter().flat_map(|trace| trace.counts.keys().cloned()).collect::<Vec<_>>();
    evidence.known.extend(mentioned);
    evidence.known.extend(more.iter().map(|&path| path.to_owned()));
    rank(&request, &evidence).into_iter().map(|candidate| candidate.path).collect()
}

#[test]
fn the_file_of_that_name_comes_before_files_that_mention_it_more_often() {
    let counts: &[(&str, u64)] = &[("src/cart.rs", 5), ("src/order.rs", 60)];
    assert_eq!(order("cart", &[(counts, &[])], &[]), ["src/cart.rs", "src/order.rs"]);
}

#[test]
fn where_something_is_defined_comes_before_where_it_is_used() {
    let counts: &[(&str, u64)] = &[("src/a.rs", 3), ("src/b.rs", 9), ("src/c.rs", 3)];
    assert_eq!(order("cart", &[(counts, &[("src/c.rs", "Cart")])], &[]), ["src/c.rs", "src/b.rs", "src/a.rs"]);
}

#[test]
fn code_comes_before_tests_documentation_and_what_is_generated() {
    let counts: &[(&str, u64)] =
        &[("Cargo.lock", 9), ("docs/a.md", 9), ("src/a.rs", 9), ("tests/a.rs", 9), ("vendor/a.rs", 9)];
    let code = ["src/a.rs", "tests/a.rs", "docs/a.md", "Cargo.lock", "vendor/a.rs"];
    assert_eq!(order("cart", &[(counts, &[])], &[]), code);
    let more: &[(&str, u64)] = &[("src/a.rs", 9), ("tests/a.rs", 12)];
    assert_eq!(order("the cart", &[(more, &[])], &[]), ["src/a.rs", "tests/a.rs"]);
    assert_eq!(order("tests for the cart", &[(more, &[])], &[]), ["tests/a.rs", "src/a.rs"]);
}

#[test]
fn a_rare_word_says_more_than_a_common_one() {
    let common: Vec<(String, u64)> = (0..50).map(|n| (format!("src/f{n:02}.rs"), 4)).collect();
    let mut common: Vec<(&str, u64)> = common.iter().map(|(path, count)| (path.as_str(), *count)).collect();
    common.push(("src/both.rs", 1));
    let rare: &[(&str, u64)] = &[("src/both.rs", 3), ("src/rare.rs", 4)];
    let order = order("request discounts", &[(&common, &[]), (rare, &[])], &[]);
    assert_eq!(order.get(..3).unwrap(), ["src/both.rs", "src/rare.rs", "src/f00.rs"]);
}

#[test]
fn a_path_in_the_request_comes_before_everything() {
    let counts: &[(&str, u64)] = &[("src/cart.rs", 90)];
    let traces: [Seen<'_>; 3] = [(&[], &[]), (&[], &[]), (counts, &[("src/cart.rs", "Cart")])];
    let order = order("src/zebra.rs: the cart", &traces, &["src/zebra.rs", "src/lib.rs"]);
    assert_eq!(order, ["src/zebra.rs", "src/cart.rs"]);
}

#[test]
fn what_changed_together_with_the_best_file_follows_it() {
    let together =
        CoChanges { commits: 4, others: [("src/price.rs".to_owned(), 3), ("src/once.rs".to_owned(), 1)].into() };
    let evidence =
        ScoutEvidence { together: [("src/cart.rs".to_owned(), together)].into(), ..ScoutEvidence::default() };
    let counts: &[(&str, u64)] = &[("src/cart.rs", 5), ("src/order.rs", 1)];
    let order = order_with("cart", &[(counts, &[("src/cart.rs", "Cart")])], &[], evidence);
    assert_eq!(order, ["src/cart.rs", "src/price.rs", "src/order.rs"]);
}

#[test]
fn equals_are_ordered_by_their_paths() {
    let counts: &[(&str, u64)] = &[("src/b.rs", 2), ("src/a.rs", 2), ("src/c.rs", 2)];
    assert_eq!(order("cart", &[(counts, &[])], &[]), ["src/a.rs", "src/b.rs", "src/c.rs"]);
}
