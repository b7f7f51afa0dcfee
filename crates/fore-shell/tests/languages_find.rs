//! Pages of find commands and what they would do.

mod languages_support;
use fore_shell::GitFacts;
use languages_support::{check, judge_words, words};

#[test]
fn searches_that_only_print_are_reads() {
    check(
        r"
        reads: find
        reads: find .
        reads: find . -name *.rs
        reads: find . -name '*.rs' -not -path './target/*'
        reads: find src tests -type f -newer Cargo.toml -mtime -3
        reads: find . -maxdepth 2 -type d -empty -print0
        reads: find -L . -iname x -o -name y -prune
        reads: find . ( -name a -o -name b ) ! -user root -ls
        reads: find . -name -delete
        reads: find . -path -exec -printf '%p %s\n'
        reads: find . -fprint /dev/stdout
        reads: find . -fprintf /dev/null '%p'
        reads: find . -newermt 2024-01-01 -size +10k -perm -u+x
        reads: find . -regextype posix-extended -regex '.*\.(c|h)' -quit
        reads: find src/* -type f
        reads: find . -depth 2
        reads: find -x . -depth
        reads: find -O3 -D stat . -true
        reads: find --help
        ",
    );
}

#[test]
fn searches_that_write_or_delete_are_found() {
    check(
        r"
        writes find.-delete: find . -delete
        writes find.-delete: find . -name x -delete
        writes find.-delete: find . -name -delete -delete
        writes find.-fprint: find . -fprint out
        writes find.-fprint: find . -fprint --help
        writes find.-fprint0: find . -fprint0 out
        writes find.-fls: find . -fls out
        writes find.-fprintf: find . -fprintf out '%p'
        writes find.-delete: find . -fprintf /dev/null -delete -delete
        writes find.-delete: find . -fprint /dev/null -delete
        ",
    );
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(
        r#"
        unknown find.option: find . -bogus
        unknown find.option: find . -del
        unknown find.option: find $x
        unknown find.option: find . $x
        unknown find.option: find . "$x"
        unknown find.option: find *
        unknown find.option: find . -name $x
        unknown find.option: find . -name
        unknown find.option: find . -print extra
        unknown find.-exec: find . -exec ls {}
        unknown find.-exec: find . -exec ;
        unknown find.-ok: find . -ok ls {} +
        "#,
    );
}

#[test]
fn start_points_are_named_as_paths() {
    let finding = judge_words(&words("find src /etc -newer Cargo.toml"), &GitFacts::Quiet);
    assert_eq!(
        finding.paths,
        ["/project/src", "/etc", "/project/Cargo.toml"]
    );
}
