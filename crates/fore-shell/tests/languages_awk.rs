//! Pages of awk commands and what they would do.

mod languages_support;
use languages_support::check;

#[test]
fn programs_that_compute_and_print_are_reads() {
    check(
        r#"
        reads: awk '{print $1}' inplace-notes.txt
        reads: awk '$3 > 5' file
        reads: awk '$3 > 5 {print $1}' file
        reads: awk '{ if ($1 > 2) print }' file
        reads: awk '{print ($1 > 2)}' file
        reads: awk '{print ($1 > 2) ? "a" : "b"}' file
        reads: awk -F: '{print $1, $NF}' /etc/passwd
        reads: awk -F ',' -v n=3 'NR==n {print; exit}' file
        reads: awk -vn=3 'NR==n' file
        reads: awk 'BEGIN { while (i < 3) i++; print i > "/dev/stderr" }'
        reads: awk '{print > "/dev/stdout"}' file
        reads: awk '{printf "%s\n", $1 >> "/dev/null"; next}' file
        reads: awk '/a|b/ {n++} END {print n/NR, n / 2}' file
        reads: awk '$0 ~ /system(x)/ || /a > b/' file
        reads: awk '{s = "print > \"x\" | system()"; print s}' file
        reads: awk '{ print } # | "sh"' file
        reads: awk '/[^/]+\.c$/ {print FILENAME}' file
        reads: awk '/[/]/ {print}' file
        reads: awk 'NR==FNR {a[$1]=$2; next} $1 in a {print a[$1]}' a b
        reads: awk 'BEGIN { getline; print; getline line; print line }' file
        reads: awk 'BEGIN { while ((getline line < "other") > 0) print line }'
        reads: awk 'BEGIN { while ((getline line < ARGV[1]) > 0) n++; print n }' file
        reads: awk -v f=other 'BEGIN { getline x < f; print x }'
        reads: awk 'function f(x) { return x > 1 } { print f($1) }' file
        reads: awk '{ n = split($0, p, "/"); print p[n], length($0), length / 2 }' file
        reads: awk '{ close("x"); fflush() } END { print ENVIRON["HOME"] }' file
        reads: awk '{ print $1 (x) "y" }' file
        reads: awk '{ print $1,⏎ $2 }' file
        reads: awk '{ print $1⏎ x = $2 > 3 }' file
        reads: awk 'a || b && !c { x = y ? 1 : 2 }' FS=: file
        reads: awk '{print}' $x
        reads: awk -- '{print}' -f
        reads: awk -v n="$x" 'NR==n' file
        reads: awk -F '\t' '{ sum += $2 } END { printf "%.2f\n", sum/NR }' file
        reads: awk '!seen[$0]++' file
        reads: awk --version
        "#,
    );
}

#[test]
fn programs_that_write_or_run_are_found() {
    check(
        r#"
        writes awk.print: awk '{print > "out"}' file
        writes awk.print: awk '{print>"out"}' file
        writes awk.print: awk '{print $1 > $2}' file
        writes awk.print: awk '{print $1 > 5}' file
        writes awk.print: awk '{printf("%s", $1) > "out"}' file
        writes awk.print: awk '{print ($1 > 2) > "out"}' file
        writes awk.print: awk '{print(1)(2) > "out"}' file
        writes awk.print: awk '{print $1,⏎ $2 > "out"}' file
        writes awk.print: awk '{print $1 \⏎ > "out"}' file
        writes awk.print: awk '{print >> "out"}' file
        writes awk.print: awk '{print > "/dev/null" "x"}' file
        writes awk.print: awk '{print > "/dev/stdout" x}' file
        writes awk.print: awk '{ if (1) print > "out"; else x }' file
        writes awk.print: awk 'BEGIN { print a[1] > "out" }'
        writes awk.print: awk '/[/ {print > "out"} #]/' file
        runs awk.system: awk 'BEGIN{system("touch x")}'
        runs awk.system: awk 'BEGIN{system ("touch x")}'
        runs awk.system: gawk 'BEGIN{awk::system("touch x")}'
        runs awk.pipe: awk '{print | "sh"}' file
        runs awk.pipe: awk '{print |& "sh"}' file
        runs awk.pipe: awk 'BEGIN { "date" | getline d }'
        runs awk.pipe: awk 'BEGIN { cmd | getline }'
        writes awk.-i: gawk -i inplace '{print}' file
        writes awk.-i: gawk -iinplace '{print}' file
        writes awk.-i: gawk --include=inplace '{print}' file
        writes awk.-o: gawk -o '{print}' file
        writes awk.-o: gawk -oout '{print}' file
        writes awk.-o: gawk --pretty-print=out '{print}' file
        writes awk.-o: gawk -pout '{print}' file
        writes awk.-o: gawk --dump-variables=out '{print}' file
        network awk.inet: gawk 'BEGIN { getline x < "/inet/tcp/0/example.com/80" }'
        network awk.inet: gawk '{print}' /inet/tcp/0/example.com/80
        "#,
    );
}

#[test]
fn what_is_not_understood_is_unknown() {
    check(
        r#"
        unknown awk.-f: awk -f prog.awk file
        unknown awk.-f: gawk -E prog.awk
        unknown awk.option: gawk -e '{print}' file
        unknown awk.option: gawk -l filefuncs '{print}'
        unknown awk.option: gawk -D '{print}'
        unknown awk.-f: awk --file prog
        unknown awk.program: gawk '@load "filefuncs"; {print}'
        unknown awk.program: gawk '@include "x"'
        unknown awk.program: gawk 'BEGIN { f = "system"; @f("touch x") }'
        unknown awk.program: awk 'BEGIN { getline x < (y z) }'
        unknown awk.program: awk 'BEGIN { getline x < y }'
        unknown awk.program: awk 'BEGIN { ARGV[1] = "/in" "et" } {print}'
        unknown awk.program: gawk 'BEGIN { SYMTAB["x"] = 1 }'
        unknown awk.program: awk '{ print x++ /2; system("y") #/ }'
        unknown awk.program: awk '{ print length /2; system("y") #/ }'
        unknown awk.program: awk '{ if (x) /2; system("y") #/ }'
        unknown awk.program: awk '{ chmod("x", 0) }'
        unknown awk.program: awk '{ print "x }'
        unknown awk.program: awk '{ print'
        unknown awk.program: awk $x file
        unknown awk.program: awk "$x" file
        unknown awk.option: awk -v $x '{print}'
        unknown awk.program: awk
        unknown awk.program: awk -F:
        "#,
    );
}
