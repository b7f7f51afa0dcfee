//! What a session here would start with: settings, trust, models, servers on this machine, project memory. It only looks.

use crate::{
    models::{self, SessionModels, described},
    settings::{Bypass, LocationState, Settings, Trust},
};
use fore_agent::memory::Memory;
use fore_plan::{gate::table::WorkNetwork, plan::DirectoryCandidate, registries::usual_registries};
use fore_sandbox::{Cages, Opener, doctor::ProtectionState, network::Upstream};
use fore_store::{Home, PlanFolder};
use std::{path::Path, sync::Arc};

/// One subject with its lines.
#[derive(Debug)]
pub(super) struct SetupSection {
    pub(super) name: &'static str,
    pub(super) lines: Vec<(ProtectionState, String)>,
}

pub(super) fn parts(settings: &Settings, cwd: &Path) -> anyhow::Result<Vec<SetupSection>> {
    let session = settings.session()?;
    let models = models::models(settings, None);
    Ok(vec![
        SetupSection { name: "settings", lines: files(settings) },
        SetupSection { name: "trust", lines: vec![trust(settings)] },
        SetupSection { name: "mode", lines: models.iter().map(|models| mode(settings, models)).collect() },
        SetupSection { name: "models", lines: chosen_models(&models) },
        SetupSection { name: "servers", lines: servers(settings) },
        SetupSection { name: "network", lines: network(settings) },
        SetupSection { name: "memory", lines: memory(settings, &session, cwd) },
    ])
}

fn files(settings: &Settings) -> Vec<(ProtectionState, String)> {
    let read = settings.places.iter().filter(|place| place.found == LocationState::Settings);
    let mut lines: Vec<(ProtectionState, String)> = read
        .map(|place| {
            let count = settings.entries.iter().filter(|entry| entry.is_from(&place.source)).count();
            let values = if count == 1 { "1 value".to_owned() } else { format!("{count} values") };
            (ProtectionState::On, format!("{} ({values})", place.source.name))
        })
        .collect();
    if lines.is_empty() {
        lines.push((ProtectionState::On, "no settings file: everything is as it comes".into()));
    }
    lines.extend(settings.all_warnings().map(|warning| (ProtectionState::Partly, warning.to_owned())));
    lines.extend(plans_refused(settings).map(|why| (ProtectionState::Partly, why)));
    lines
}

/// Why plans do not go where the settings say.
fn plans_refused(settings: &Settings) -> Option<String> {
    let setting = settings.written.plans_directory.as_deref()?;
    if let Err(refused) = DirectoryCandidate::read(setting.as_ref()) {
        return Some(refused.to_string());
    }
    // Nothing is made here: where there is no folder yet, only the words of the setting can be judged.
    let home = Home::open(settings.folder.as_deref().filter(|folder| folder.is_dir())?).ok()?;
    PlanFolder::resolve(&home, &settings.project, Some(setting.as_ref())).refused().map(ToString::to_string)
}

fn trust(settings: &Settings) -> (ProtectionState, String) {
    let project = settings.project.display();
    match &settings.trust {
        Trust::Trusted(by) if *by == settings.project => (ProtectionState::On, format!("{project} is trusted")),
        Trust::Trusted(by) => (ProtectionState::On, format!("{project} is trusted, as part of {}", by.display())),
        Trust::Changed(_) => (
            ProtectionState::Partly,
            format!(
                "{project} was trusted, and its settings are not the ones you trusted: `fore trust --review` shows them"
            ),
        ),
        Trust::NotTrusted => (
            ProtectionState::Partly,
            format!("{project} is not trusted: default and plan are open (`fore trust` opens the rest)"),
        ),
    }
}

/// Whom commands may talk to.
fn network(settings: &Settings) -> Vec<(ProtectionState, String)> {
    let table = &settings.table;
    let names: Vec<String> = table.allowed_hosts.iter().map(ToString::to_string).collect();
    let hosts = match names.as_slice() {
        [] => "commands ask before they talk to a host".to_owned(),
        names => format!("commands ask before they talk to a host other than {}", names.join(", ")),
    };
    let own = table.registries.len().saturating_sub(usual_registries().len());
    let auto = match (table.work_network, own) {
        (WorkNetwork::Named, _) => "the hosts they name".to_owned(),
        (WorkNetwork::Registries, 0) => "the hosts they name and the usual package registries".to_owned(),
        (WorkNetwork::Registries, _) => {
            "the hosts they name, the usual package registries and those of your configuration".to_owned()
        }
        (WorkNetwork::Public, _) => "every public web server".to_owned(),
    };
    let proxies = Upstream::of(settings.written.proxy.as_deref()).names();
    let through =
        (!proxies.is_empty()).then(|| (ProtectionState::On, format!("through your proxy {}", proxies.join(", "))));
    [(ProtectionState::On, hosts), (ProtectionState::On, format!("in auto mode they reach {auto}"))]
        .into_iter()
        .chain(through)
        .collect()
}

/// The mode that a session starts in when none is asked for.
fn mode(settings: &Settings, models: &SessionModels) -> (ProtectionState, String) {
    let openings = settings.openings(Bypass::NotPermitted, &models.handles);
    match settings.starting_mode(None, openings) {
        Ok((mode, None)) => (ProtectionState::On, format!("sessions start in {mode}")),
        Ok((_, Some(notice))) => (ProtectionState::Partly, notice),
        Err(error) => (ProtectionState::Off, error.to_string()),
    }
}

/// One line for each model, with the duties it has.
fn chosen_models(models: &anyhow::Result<SessionModels>) -> Vec<(ProtectionState, String)> {
    let models = match models {
        Ok(models) => models,
        Err(error) => {
            return vec![(ProtectionState::Off, error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": "))];
        }
    };
    let mut lines: Vec<(Vec<String>, String)> = Vec::new();
    for pick in &models.picks {
        let text = format!("{}: {}; {}", pick.name, pick.why, described(models.handles.of(pick.duty)));
        match lines.iter_mut().find(|(_, known)| *known == text) {
            Some((duties, _)) => duties.push(pick.duty.to_string()),
            None => lines.push((vec![pick.duty.to_string()], text)),
        }
    }
    let all = lines.len() == 1;
    let said = lines
        .into_iter()
        .map(|(duties, text)| (ProtectionState::On, if all { text } else { format!("{}: {text}", duties.join(", ")) }));
    said.chain(models.notices.iter().map(|notice| (ProtectionState::On, notice.clone()))).collect()
}

fn servers(settings: &Settings) -> Vec<(ProtectionState, String)> {
    let models::LocalServers { servers, refused } = models::local_servers(settings);
    if servers.is_empty() && refused.is_empty() {
        return vec![(ProtectionState::On, "no model server found on this machine".into())];
    }
    let answered = servers.iter().map(|server| (ProtectionState::On, models::local_server_said(server)));
    answered.chain(refused.into_iter().map(|why| (ProtectionState::Off, why))).collect()
}

fn memory(settings: &Settings, session: &fore_agent::SessionSettings, cwd: &Path) -> Vec<(ProtectionState, String)> {
    if !session.memory {
        return vec![(ProtectionState::On, "switched off (`memory` in the settings)".into())];
    }
    let opener = Opener::new(Arc::new(Cages::new(settings.cages())), &settings.project);
    let found = Memory::find(opener, settings.folder.as_deref(), &settings.project, cwd);
    found.lines().into_iter().map(|line| (ProtectionState::On, line)).collect()
}
