pub fn users() -> Vec<String> {
    vec!["ada".into()]
}
