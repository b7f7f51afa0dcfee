//! Pages of awk commands and what they would do.

mod languages_support;
use languages_support::check;

#[test]
fn programs_that_compute_and_print_are_reads() {
    check(include_str!("languages_pages/awk_reads.txt"));
}

#[test]
fn programs_that_write_or_run_are_found() {
    check(include_str!("languages_pages/awk_harm.txt"));
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(include_str!("languages_pages/awk_unknown.txt"));
}
