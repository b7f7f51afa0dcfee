//! Pages of sed commands and what they would do.

mod languages_support;
use languages_support::check;

#[test]
fn scripts_that_only_print_are_reads() {
    check(
        r"
        reads: sed s/old/new/ file
        reads: sed 's/old/new/' file
        reads: sed -n '/x/p' file
        reads: sed -n 1,20p file
        reads: sed -n '10,$p;20q' file
        reads: sed -ne '5p' -e '7p' file
        reads: sed -n -e 5p file
        reads: sed --quiet --expression=5p file
        reads: sed -E 's/(a|b)+/\1/g;s/w/e/I' file
        reads: sed 's/wer/rew/gp;s,/,e,w /dev/stdout' file
        reads: sed -n 'w /dev/stderr' file
        reads: sed -n '/a/w /dev/null' file
        reads: sed '/^#/d;/^$/d' file
        reads: sed ':a;N;$!ba;s/\n/ /g' file
        reads: sed '1!G;h;$!d' file
        reads: sed '$!N;P;D' file
        reads: sed -e :a -e '/\\$/N;s/\\\n//;ta' file
        reads: sed '1~2d;0,/x/s//y/;2,+3p;2,~4p' file
        reads: sed 'a hello; w out' file
        reads: sed 'a\⏎w out' file
        reads: sed 'i\⏎one\⏎w out' file
        reads: sed 'a text \⏎w out' file
        reads: sed -e 'a\' -e 'w out' file
        reads: sed '/start/,/end/{/x/!d;s/a/b/}' file
        reads: sed 'y/abc/wer/' file
        reads: sed '# w out⏎p' file
        reads: sed 's/[/]/_/g' file
        reads: sed 's/[^/]*$//' file
        reads: sed 's/[]/]w out/x/' file
        reads: sed 's/[[:space:]/]*w//' file
        reads: sed 's|a\|w out|b|' file
        reads: sed '\,x,Id' file
        reads: sed 'r other' file
        reads: sed '$r /dev/stdin' file
        reads: sed 'l 5;=;F;z;x;q3' file
        reads: sed -s -n '$=' a b
        reads: sed -z 's/\n/,/g' file
        reads: sed -u -l 80 -n l file
        reads: sed --posix --debug -n p file
        reads: sed --sandbox p file
        reads: sed -n p -- -i
        reads: sed --version
        reads: sed p src/*
        reads: sed -n p -- $x
        reads: sed 's/a/b/w/dev/stdout' file
        ",
    );
}

#[test]
fn scripts_that_write_or_run_are_found_wherever_they_hide() {
    check(
        r"
        writes sed.-i: sed -i s/a/b/ file
        writes sed.-i: sed -i.bak s/a/b/ file
        writes sed.-i: sed -ni p file
        writes sed.-i: sed -Ei s/a/b/ file
        writes sed.-i: sed s/a/b/ file -i
        writes sed.-i: sed --in-place s/a/b/ file
        writes sed.-i: sed --in-place=.bak s/a/b/ file
        writes sed.-i: sed --in-pl s/a/b/ file
        writes sed.-i: sed --i s/a/b/ file
        writes sed.-i: sed -I '' s/a/b/ file
        writes sed.w: sed 'w out' file
        writes sed.w: sed -n '1w out' file
        writes sed.w: sed -n 1p -ewFILE
        writes sed.w: sed -ne1wFILE file
        writes sed.w: sed --expression=wout file
        writes sed.w: sed --expression 'w out' file
        writes sed.W: sed 'W out' file
        writes sed.s.w: sed 's/a/b/w out' file
        writes sed.s.w: sed 's/a/b/gpw out' file
        writes sed.s.w: sed 's/a/b/ w out' file
        writes sed.s.w: sed 's,a,b,w out' file
        writes sed.s.w: sed 's/a/b/w /dev/stdoutx' file
        writes sed.w: sed '/x/{p;w out⏎}' file
        writes sed.w: sed ':a;w out' file
        writes sed.w: sed 'ba;w out' file
        writes sed.w: sed '1!w out' file
        writes sed.w: sed '1 ! w out' file
        writes sed.w: sed 'a\ ⏎w out' file
        writes sed.w: sed 'a\⏎⏎w out' file
        writes sed.w: sed 'a text⏎w out' file
        writes sed.w: sed '# comment⏎w out' file
        writes sed.w: sed 's/[/]/x/;w out' file
        writes sed.s.w: sed 's/[/]/x/w out/' file
        writes sed.s.w: sed 's/[\]/]/x/w out' file
        writes sed.w: sed '/x/I,/y/Mw out' file
        writes sed.w: sed '\xaxw out' file
        writes sed.w: sed p -e 'w out' file
        writes sed.w: sed 'w out' -e p
        runs sed.e: sed 'e touch x' file
        runs sed.e: sed '1e' file
        runs sed.s.e: sed 's/a/b/e' file
        runs sed.s.e: sed 's/a/touch x/gep' file
        ",
    );
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(
        r#"
        unknown sed.-f: sed -f script file
        unknown sed.-f: sed -nf script file
        unknown sed.-f: sed --file=script file
        unknown sed.option: sed --exp=p file
        unknown sed.option: sed --bogus p file
        unknown sed.option: sed -k p file
        unknown sed.-l: sed -l 'w out' p
        unknown sed.-l: sed -ln p
        unknown sed.script: sed 'k' file
        unknown sed.script: sed 's/a/b' file
        unknown sed.script: sed '{p' file
        unknown sed.script: sed 'p}' file
        unknown sed.script: sed 'pw out' file
        unknown sed.script: sed 'sxaxb' file
        unknown sed.script: sed 'a' file
        unknown sed.script: sed
        unknown sed.option: sed $x file
        unknown sed.option: sed "$x" file
        unknown sed.-e: sed -e "$x" file
        unknown sed.option: sed p *
        unknown sed.option: sed --expression="$x" file
        unknown sed.script: sed src/* file
        "#,
    );
}
