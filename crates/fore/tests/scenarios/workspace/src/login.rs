pub fn login(name: &str) -> bool {
    users().iter().any(|user| user == name)
}
