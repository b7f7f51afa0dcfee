sed -i 's/^/  /' src/login.rs README.md
