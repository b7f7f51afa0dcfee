//! Pages of sed commands and what they would do.

mod languages_support;
use languages_support::check;

#[test]
fn scripts_that_only_print_are_reads() {
    check(include_str!("languages_pages/sed_reads.txt"));
}

#[test]
fn scripts_that_write_or_run_are_found_wherever_they_hide() {
    check(include_str!("languages_pages/sed_harm.txt"));
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(include_str!("languages_pages/sed_unknown.txt"));
}
