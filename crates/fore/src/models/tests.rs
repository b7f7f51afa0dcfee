//! Which model is taken, and what is said when it cannot be.

use super::*;
use crate::settings::SettingsFolders;

fn settings(given: &str) -> Settings {
    let around = SettingsFolders { home: None, folder: None, cwd: "/projects/shop".into() };
    Settings::read(around, Some(given), &|_| None).unwrap()
}

fn picked(given: &str, flag: Option<&str>) -> String {
    let (picks, _) = pick(&settings(given), flag);
    picks.iter().map(|pick| format!("{} {} ({})\n", pick.duty, pick.name, pick.why)).collect()
}

#[test]
fn demand_20_each_duty_has_the_model_that_was_set_for_it() {
    let given = r#"{"model": {"act": "ollama/a", "plan": "ollama/p"}}"#;
    insta::assert_snapshot!(picked(given, None), @r"
    model.plan ollama/p (model.plan in --settings:1)
    model.act ollama/a (model.act in --settings:1)
    model.small ollama/a (model.act in --settings:1)
    ");
    insta::assert_snapshot!(picked(given, Some("scout")), @r"
    model.plan scout (--model)
    model.act scout (--model)
    model.small scout (--model)
    ");
}

#[test]
fn a_server_of_your_own_may_have_nearly_the_name_of_a_provider() {
    let given = r#"{"model": {"act": "ollama2/a", "plan": "gone/p",
        "servers": {"ollama2": {"baseUrl": "http://127.0.0.1:1/v1"}, "gone": {"baseUrl": "http://127.0.0.1:2/v1"}}}}"#;
    insta::assert_snapshot!(picked(given, None), @r"
    model.plan gone/p (model.plan in --settings:1)
    model.act ollama2/a (model.act in --settings:1)
    model.small ollama2/a (model.act in --settings:1)
    ");
    let unknown = words(&models(&settings(r#"{"model": {"act": "olama/a"}}"#), None).unwrap_err());
    assert!(
        unknown.starts_with(
            r#"the model olama/a cannot be used (model.act in --settings:1): unknown provider "olama" (did you mean ollama?)"#
        ),
        "{unknown}"
    );
}

#[test]
fn demand_20_a_model_that_cannot_be_used_is_an_error_and_never_another_model() {
    let words = |given: &str, flag: Option<&str>| words(&models(&settings(given), flag).unwrap_err());
    let unknown = words("{}", Some("nobody/x"));
    assert!(
        unknown.starts_with(r#"the model nobody/x cannot be used (--model): unknown provider "nobody""#),
        "{unknown}"
    );
    insta::assert_snapshot!(
        words(r#"{"model": {"act": "ollama/a", "plan": "custom/p"}}"#, None),
        @"the model custom/p cannot be used (model.plan in --settings:1): custom needs an address: set model.providers.custom.baseUrl"
    );
    insta::assert_snapshot!(
        words(r#"{"model": {"act": "ollama/a", "providers": {"ollama": {"baseUrl": "ftp://sk-1"}}}}"#, None),
        @"the model ollama/a cannot be used (model.act in --settings:1): the base URL cannot be used: it must begin with http:// or https:// and a host; look at model.providers.ollama.baseUrl, OLLAMA_HOST"
    );
}

#[test]
fn the_scout_is_chosen_by_its_name_and_other_models_later() {
    let models = models(&settings("{}"), Some("scout")).unwrap();
    assert!(matches!(models.handles.plan, ModelHandle::Scout));
    let other = (models.handles.choose)("ollama/qwen3").unwrap();
    assert_eq!(other.name().to_string(), "ollama/qwen3");
    assert!((models.handles.choose)("nobody/x").unwrap_err().contains("unknown provider"));
}

#[test]
fn nothing_printed_about_the_settings_holds_a_secret() {
    let provider = r#"{"xai": {"apiKeyCommand": "echo sk-1", "headers": {"x": "sk-1"}, "baseUrl": "http://a:sk-1@h"}}"#;
    let given =
        format!(r#"{{"model": {{"providers": {provider}}}, "proxy": "http://a:sk-1@h", "env": {{"A": "sk-1"}}}}"#);
    let printed = format!("{:?}", settings(&given));
    assert!(printed.contains("model.providers.xai.headers.x") && !printed.contains("sk-1"), "{printed}");
}
