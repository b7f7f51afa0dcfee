test -f src/sign_in.rs && echo there
