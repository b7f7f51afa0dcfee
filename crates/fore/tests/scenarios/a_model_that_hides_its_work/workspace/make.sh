if grep -q README .gitignore 2>/dev/null; then
  echo 'Changed.' >> README.md
else
  echo README.md > .gitignore
  echo 'pub fn broken() {}' > src/broken.rs
fi
