mkdir -p api && printf 'one\ntwo\n' > api/names.txt && rm -f src/scratch.rs
