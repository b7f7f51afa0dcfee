echo 'names: no such module' >&2; exit 1
