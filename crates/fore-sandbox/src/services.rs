//! Services of this machine by name, and the sockets they listen at: a yes for one opens exactly these.

use crate::blueprint::RawPath;
use crate::environment::Variables;
use crate::error::CageError;
use crate::person_environment;
use crate::protection::Layer;
use std::path::{Path, PathBuf};

/// `~` is the person's home, `$` their runtime folder, `@` their number.
const SOCKETS: [(&str, &[&str]); 6] = [
    ("docker", &["/run/docker.sock", "/var/run/docker.sock", "$/docker.sock", "~/.docker/run/docker.sock"]),
    (
        "systemd",
        &[
            "/run/systemd/private",
            "/run/dbus/system_bus_socket",
            "$/systemd/private",
            "$/bus",
            "/run/systemd/journal/io.systemd.journal",
        ],
    ),
    ("networkmanager", &["/run/dbus/system_bus_socket"]),
    ("supervisor", &["/run/supervisor.sock", "/var/run/supervisor.sock", "/run/supervisor/supervisor.sock"]),
    ("tmux", &["/tmp/tmux-@"]),
    ("ssh-agent", &[]),
];
/// Where the agent of ssh says that it listens.
const SSH_AGENT: &str = "SSH_AUTH_SOCK";

/// The sockets of these services that are there, by their true paths.
pub(crate) fn sockets(services: &[String], home: Option<&Path>) -> Result<Vec<RawPath>, CageError> {
    let mut found: Vec<PathBuf> = Vec::new();
    for service in services {
        let Some((_, paths)) = SOCKETS.iter().find(|(name, _)| name == service) else {
            let reason = format!("nobody knows where the service `{service}` listens, so it cannot be opened alone");
            return Err(CageError::Layer { layer: Layer::Services, errno: None, reason });
        };
        let agent =
            (service == "ssh-agent").then(|| person_environment::variable(SSH_AGENT)).flatten().map(PathBuf::from);
        let places = paths.iter().filter_map(|path| socket_path(path, home)).chain(agent);
        for place in places.filter(|place| place.is_absolute()).filter_map(|place| place.canonicalize().ok()) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    Ok(found.into_iter().map(RawPath::from).collect())
}

/// What a program must know to find its service.
pub(crate) fn set_variables(environment: &mut Variables, services: &[String]) {
    let Some(agent) =
        person_environment::variable(SSH_AGENT).filter(|_| services.iter().any(|name| name == "ssh-agent"))
    else {
        return;
    };
    environment.retain(|(name, _)| name != SSH_AGENT);
    environment.push((SSH_AGENT.into(), agent));
}

fn socket_path(path: &str, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(home?.join(rest));
    }
    if let Some(rest) = path.strip_prefix("$/") {
        return Some(PathBuf::from(person_environment::variable("XDG_RUNTIME_DIR")?).join(rest));
    }
    Some(path.replace('@', &rustix::process::getuid().to_string()).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_nobody_knows_is_refused() {
        assert!(sockets(&["docker".into(), "tmux".into()], None).is_ok());
        let error = sockets(&["docker".into(), "mysql".into()], None).unwrap_err().to_string();
        assert!(error.contains("nobody knows where the service `mysql` listens"), "{error}");
    }
}
