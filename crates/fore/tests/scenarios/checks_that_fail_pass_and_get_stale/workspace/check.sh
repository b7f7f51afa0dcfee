grep -q by_name src/login.rs && echo good
