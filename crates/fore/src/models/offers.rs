//! The models that a person can choose now, and why each is known: settings, keys, servers on this machine, the scout. No key is looked at.

use super::{SCOUT, local, origin, usual};
use crate::settings::Settings;
use fore_model::Duty;

/// Models of one server on this machine that are offered.
const MOST_OF_A_SERVER: usize = 20;

/// A model by the name that `--model` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) name: String,
    pub(crate) why: String,
}

/// What can be chosen, the most likely first. Servers on this machine are asked, so it takes a moment.
pub(crate) fn offers(settings: &Settings) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    let mut add = |name: String, why: String| {
        if offers.iter().all(|known| known.name != name) {
            offers.push(Offer { name, why });
        }
    };
    let model = &settings.written.model;
    for (duty, name) in [(Duty::Act, &model.act), (Duty::Plan, &model.plan), (Duty::Small, &model.small)] {
        if let Some(name) = name {
            add(name.clone(), origin(settings, duty));
        }
    }
    for (row, variable) in usual::with_a_key(&|name| std::env::var(name).ok()) {
        let Some(usual) = usual::of(row.id) else { continue };
        for name in [Some(usual.act), usual.small].into_iter().flatten() {
            add(format!("{}/{name}", row.id), format!("{variable} is set"));
        }
    }
    for id in model.providers.iter().filter(|(_, is)| is.api_key_command.is_some()).map(|(id, _)| id) {
        let Some(usual) = usual::of(id) else { continue };
        for name in [Some(usual.act), usual.small].into_iter().flatten() {
            add(format!("{id}/{name}"), "by its key command".into());
        }
    }
    for server in local::find(settings) {
        for model in local::talking(&server).take(MOST_OF_A_SERVER) {
            add(format!("{}/{model}", server.provider), format!("found on {}", server.address));
        }
    }
    add(SCOUT.into(), "built in, needs no key".into());
    offers
}

/// The small model that goes with a model, where one is usual.
pub(crate) fn small_beside(name: &str) -> Option<String> {
    let (provider, model) = name.split_once('/')?;
    let usual = usual::of(provider).filter(|usual| usual.act == model)?;
    Some(format!("{provider}/{}", usual.small?))
}
