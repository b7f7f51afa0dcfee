//! What a session here would start with: settings, trust, models, servers on this machine, project memory. It only looks.

use crate::{
    environment,
    mcp::is_elsewhere,
    models::{self, Reached, SessionModels, described},
    regular_file,
    settings::{Bypass, LocationState, Settings, Trust},
};
use fore_agent::{McpOrigin, McpServerSetting, Memory, ModelHandle};
use fore_plan::{gate::table::WorkNetwork, plan::DirectoryCandidate, usual_registries};
use fore_sandbox::{Cages, Opener, doctor::ProtectionState, network::Upstream};
use fore_store::{
    Home, PlanFolder,
    vouches::{VouchKind, VouchState, Vouches},
};
use std::{io::Read as _, path::Path, sync::Arc};

/// The most that is read of a file with certificates.
const MAX_CERTIFICATE_BYTES: u64 = 4 << 20;

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
        SetupSection { name: "models", lines: chosen_models(settings, &models) },
        SetupSection { name: "servers", lines: servers(settings) },
        SetupSection { name: "mcp", lines: mcp_servers(settings) },
        SetupSection { name: "network", lines: network(settings) },
        SetupSection { name: "memory", lines: memory(settings, &session, cwd) },
    ])
}

fn files(settings: &Settings) -> Vec<(ProtectionState, String)> {
    let read = settings.places.iter().filter(|place| place.found == LocationState::Settings);
    let mut lines: Vec<(ProtectionState, String)> = read
        .filter(|place| !settings.problems.are_in(&place.source))
        .map(|place| {
            let count = settings.entries.iter().filter(|entry| entry.is_from(&place.source)).count();
            let values = fore_text::count(count, "value");
            (ProtectionState::On, format!("{} ({values})", place.source.name))
        })
        .collect();
    let problems = settings.problems.lines().into_iter().map(|line| (ProtectionState::Off, line));
    lines.extend(problems);
    if lines.is_empty() {
        lines.push((ProtectionState::On, "no settings file: using defaults".into()));
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
            format!("{project} is not trusted: only default and plan mode can be used (`fore trust` enables the rest)"),
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
    [(ProtectionState::On, hosts), (ProtectionState::On, format!("in auto mode they reach {auto}"))]
        .into_iter()
        .chain(through_proxy(settings))
        .chain(own_certificates())
        .collect()
}

/// The proxy that models and commands are reached through, and which hosts are not.
fn through_proxy(settings: &Settings) -> Option<(ProtectionState, String)> {
    let proxies = Upstream::of(settings.written.proxy.as_deref()).names();
    if proxies.is_empty() {
        return None;
    }
    let first = |names: [&str; 2]| names.iter().find_map(|name| environment::text(name).filter(|it| !it.is_empty()));
    // The setting is for everything but this machine.
    let direct = if settings.written.proxy.is_some() { None } else { first(["no_proxy", "NO_PROXY"]) };
    let but = direct.map_or_else(|| "this machine".to_owned(), |hosts| format!("this machine and {hosts} (NO_PROXY)"));
    Some((ProtectionState::On, format!("through your proxy {}, all but {but}", proxies.join(", "))))
}

/// The certificates that count besides or in place of the system's; a file that has none would refuse every server.
fn own_certificates() -> Vec<(ProtectionState, String)> {
    let mut lines = Vec::new();
    if let Some(path) = environment::text("SSL_CERT_FILE").filter(|path| !path.is_empty()) {
        let mut text = String::new();
        let read = regular_file::open(Path::new(&path))
            .and_then(|file| file.take(MAX_CERTIFICATE_BYTES).read_to_string(&mut text));
        let count = text.matches("-----BEGIN CERTIFICATE-----").count();
        lines.push(match read {
            Err(error) => (ProtectionState::Off, format!("SSL_CERT_FILE names {path}, which cannot be read: {error}")),
            Ok(_) if count == 0 => {
                (ProtectionState::Off, format!("SSL_CERT_FILE names {path}, which has no certificate (PEM) in it"))
            }
            Ok(_) => {
                let count = fore_text::count(count, "certificate");
                (ProtectionState::On, format!("servers are trusted by SSL_CERT_FILE, {path} ({count})"))
            }
        });
    }
    if let Some(path) = environment::text("SSL_CERT_DIR").filter(|path| !path.is_empty()) {
        let found = Path::new(&path).is_dir();
        let said = if found { "servers are trusted by SSL_CERT_DIR" } else { "SSL_CERT_DIR names no folder" };
        lines.push((if found { ProtectionState::On } else { ProtectionState::Off }, format!("{said}, {path}")));
    }
    lines
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
fn chosen_models(settings: &Settings, models: &anyhow::Result<SessionModels>) -> Vec<(ProtectionState, String)> {
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
    let said = said.chain(answering_servers(settings, models));
    said.chain(models.notices.iter().map(|notice| (ProtectionState::On, notice.clone()))).collect()
}

/// Whether the servers that the person runs or named answer, and have the models. Providers are not asked: that would send them a key.
fn answering_servers(settings: &Settings, models: &SessionModels) -> Vec<(ProtectionState, String)> {
    let mut asked: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for pick in &models.picks {
        let ModelHandle::Remote(remote) = models.handles.of(pick.duty) else { continue };
        let server = remote.chosen.name.provider();
        let is_named = settings.written.model.providers.get(server).is_some_and(|section| section.base_url.is_some());
        let is_own = is_named || fore_model::provider(server).is_none_or(|row| row.keyless);
        if asked.contains(&pick.name) || !is_own {
            continue;
        }
        asked.push(pick.name.clone());
        lines.push(match models::reached(remote) {
            Reached::Has(Some(window)) => {
                (ProtectionState::On, format!("{}: the server has it, with {window} tokens of context", pick.name))
            }
            Reached::Has(None) => (ProtectionState::On, format!("{}: the server has it", pick.name)),
            Reached::ListsNone => (
                ProtectionState::Partly,
                format!(
                    "{}: the server answers and lists no models; `fore models test {}` asks it",
                    pick.name, pick.name
                ),
            ),
            Reached::Lacks(names) => {
                let shown = names.iter().take(5).cloned().collect::<Vec<_>>().join(", ");
                (ProtectionState::Off, format!("{}: its server has no such model; it has {shown}", pick.name))
            }
            Reached::Not(why) => (ProtectionState::Off, why),
        });
    }
    lines
}

fn servers(settings: &Settings) -> Vec<(ProtectionState, String)> {
    let models::LocalServers { servers, refused } = models::local_servers(settings);
    if servers.is_empty() && refused.is_empty() {
        return vec![(ProtectionState::On, "no model server found on this machine".into())];
    }
    let answered = servers.iter().map(|server| (ProtectionState::On, models::local_server_said(server)));
    // Nothing is wrong with what the person has: a stranger's server is only left alone.
    answered.chain(refused.into_iter().map(|why| (ProtectionState::Partly, why))).collect()
}

/// Which MCP servers are set up, and what is held of them while planning. None is started.
fn mcp_servers(settings: &Settings) -> Vec<(ProtectionState, String)> {
    if settings.mcp.is_empty() {
        return vec![(ProtectionState::On, "no MCP server is set up".into())];
    }
    let vouches = settings.folder.as_deref().map(|folder| Vouches::read(folder, &settings.project));
    let vouches = vouches.and_then(Result::ok).unwrap_or_default();
    let line = |server: &McpServerSetting| {
        let (name, shown) = (&server.entry.name, server.entry.shown());
        let is_trusted = server.origin == McpOrigin::Person
            || vouches.state(VouchKind::McpServer, name, &server.entry.content()) == VouchState::Holds;
        if server.entry.disabled {
            (ProtectionState::On, format!("{name}: off"))
        } else if !is_trusted {
            let how = format!("not trusted, so it does not start (`fore mcp trust {name}`)");
            (ProtectionState::Partly, format!("{name}: {how}: {}", server.entry.shown_whole()))
        } else if is_elsewhere(&server.entry) {
            let held = "while planning only files on this machine are held; what it does elsewhere is its own word";
            (ProtectionState::Partly, format!("{name}: {shown}: {held}"))
        } else {
            (ProtectionState::On, format!("{name}: {shown}: read-only sandbox while planning"))
        }
    };
    settings.mcp.iter().map(line).collect()
}

fn memory(settings: &Settings, session: &fore_agent::SessionSettings, cwd: &Path) -> Vec<(ProtectionState, String)> {
    if !session.memory {
        return vec![(ProtectionState::On, "switched off (`memory` in the settings)".into())];
    }
    let opener = Opener::new(Arc::new(Cages::new(settings.cages(), &fore_commands::CATALOGUE)), &settings.project);
    let found = Memory::find(opener, settings.folder.as_deref(), &settings.project, cwd);
    found.lines().into_iter().map(|line| (ProtectionState::On, line)).collect()
}
