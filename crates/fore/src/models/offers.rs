//! The models that a person can choose now, and why each is known: settings, keys, servers on this machine, the scout. No key is looked at.

use super::{SCOUT, defaults, local, origin};
use crate::settings::{EnvironmentLookup, Settings};
use fore_model::{Duty, LocalServer, PROVIDERS};
use fore_tui::{ModelRow, SetupHint};

/// Models of one server on this machine that are offered.
const MAX_MODELS_PER_SERVER: usize = 20;

const BUILT_IN: &str = "built in, needs no key";

/// What can be chosen, the most likely first. Servers on this machine are asked, so it takes a moment.
pub(crate) fn offers(settings: &Settings) -> Vec<ModelRow> {
    let mut offers: Vec<ModelRow> = Vec::new();
    let mut add = |name: String, why: String| {
        if offers.iter().all(|known| known.name != name) {
            offers.push(ModelRow { name, why });
        }
    };
    let model = &settings.written.model;
    for (duty, name) in [(Duty::Act, &model.act), (Duty::Plan, &model.plan), (Duty::Small, &model.small)] {
        if let Some(name) = name {
            add(name.clone(), origin(settings, duty));
        }
    }
    for (row, variable) in defaults::with_a_key(&super::variable) {
        let Some(usual) = defaults::of(row.id) else { continue };
        for name in [Some(usual.act), usual.small].into_iter().flatten() {
            add(format!("{}/{name}", row.id), format!("{variable} is set"));
        }
    }
    for id in model.providers.iter().filter(|(_, is)| is.api_key_command.is_some()).map(|(id, _)| id) {
        let Some(usual) = defaults::of(id) else { continue };
        for name in [Some(usual.act), usual.small].into_iter().flatten() {
            add(format!("{id}/{name}"), "by its key command".into());
        }
    }
    for (name, why) in super::check::of_own_servers(settings) {
        add(name, why);
    }
    let (chosen, others) = local::to_offer(settings);
    let add_server = |server: &LocalServer, add: &mut dyn FnMut(String, String)| {
        for model in local::chat_models(server).take(MAX_MODELS_PER_SERVER) {
            add(format!("{}/{model}", server.provider), format!("found on {}", server.address));
        }
    };
    chosen.iter().for_each(|server| add_server(server, &mut add));
    // Whoever listens on a usual port is offered and never comes first: nobody chose it yet.
    add(SCOUT.into(), BUILT_IN.into());
    others.iter().for_each(|server| add_server(server, &mut add));
    offers
}

/// The small model that goes with a model, where one is usual.
pub(crate) fn small_beside(name: &str) -> Option<String> {
    let (provider, model) = name.split_once('/')?;
    let usual = defaults::of(provider).filter(|usual| usual.act == model)?;
    Some(format!("{provider}/{}", usual.small?))
}

/// Whether a model is the scout, for want of any other. Written down, that would outlive the want: a key that is set
/// tomorrow would not count.
pub(crate) fn is_used_anyway(name: &str, offers: &[ModelRow]) -> bool {
    name == SCOUT && offers.iter().all(|offer| offer.name == SCOUT && offer.why == BUILT_IN)
}

/// What would make more models known, as far as can be told without asking anybody.
pub(crate) fn missing(variable: EnvironmentLookup<'_>) -> Vec<SetupHint> {
    let found: Vec<&str> = defaults::with_a_key(variable).into_iter().map(|(row, _)| row.id).collect();
    let rows = PROVIDERS.iter().filter(|row| defaults::of(row.id).is_some() && !found.contains(&row.id));
    let keys = rows.filter_map(|row| {
        let words = format!("{}: set {}", row.id, row.key_variables.first()?.0);
        Some(SetupHint { providers: vec![row.id.to_owned()], words })
    });
    let server = SetupHint {
        providers: local::usual().map(|row| row.id.to_owned()).collect(),
        words: "ollama, llama.cpp, LM Studio or vLLM: start it on this machine".to_owned(),
    };
    [server].into_iter().chain(keys).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_variable() {
        let variables = |name: &str| (name == "OPENAI_API_KEY").then(|| "k".to_owned());
        assert_eq!(
            missing(&variables).into_iter().map(|missing| missing.words).collect::<Vec<_>>(),
            [
                "ollama, llama.cpp, LM Studio or vLLM: start it on this machine",
                "anthropic: set ANTHROPIC_API_KEY",
                "google: set GEMINI_API_KEY",
                "deepseek: set DEEPSEEK_API_KEY",
                "qwen: set DASHSCOPE_API_KEY",
                "mistral: set MISTRAL_API_KEY",
            ]
        );
    }

    #[test]
    fn the_scout_is_written_down_only_where_there_was_a_choice() {
        let offer = |name: &str, why: &str| ModelRow { name: name.into(), why: why.into() };
        let scout = offer("scout", BUILT_IN);
        assert!(is_used_anyway("scout", std::slice::from_ref(&scout)));
        assert!(!is_used_anyway("scout", &[offer("ollama/qwen3", "found on 127.0.0.1:11434"), scout.clone()]));
        assert!(!is_used_anyway("scout", &[offer("scout", "model.act in ~/.forethought/settings.json:1")]));
        assert!(!is_used_anyway("ollama/qwen3", &[scout]));
    }

    #[test]
    fn a_model_brings_the_small_one_that_goes_with_it() {
        let page = [
            ("anthropic/claude-sonnet-5-5", Some("anthropic/claude-haiku-5-5")),
            ("anthropic/other", None),
            ("google/gemini-3.8-flash", None),
            ("scout", None),
        ];
        for (name, small) in page {
            assert_eq!(small_beside(name).as_deref(), small, "{name}");
        }
    }
}
