//! The hosts that the usual package managers talk to when nobody has told them otherwise. Data only.

use crate::host::{Host, HostPattern};

/// What each package manager needs to look packages up and to fetch them, all over https.
const NPM: [&str; 2] = ["registry.npmjs.org", "registry.yarnpkg.com"];
const CARGO: [&str; 3] = ["index.crates.io", "static.crates.io", "crates.io"];
const PIP: [&str; 2] = ["pypi.org", "files.pythonhosted.org"];
const GO: [&str; 2] = ["proxy.golang.org", "sum.golang.org"];
const OTHERS: [&str; 9] = [
    "rubygems.org",
    "index.rubygems.org",
    "repo.maven.apache.org",
    "repo1.maven.org",
    "plugins.gradle.org",
    "repo.packagist.org",
    "api.nuget.org",
    "hex.pm",
    "repo.hex.pm",
];

/// The hosts of one registry, if nothing else is configured.
pub fn usual_hosts(registry: fore_shell::Registry) -> &'static [&'static str] {
    match registry {
        fore_shell::Registry::Npm => &NPM,
        fore_shell::Registry::Cargo => &CARGO,
        fore_shell::Registry::Pip => &PIP,
        fore_shell::Registry::Go => &GO,
    }
}

/// All of them. No code forge is among them: who can push there can carry anything out.
pub fn usual_registries() -> Vec<HostPattern> {
    let all = NPM.iter().chain(&CARGO).chain(&PIP).chain(&GO).chain(&OTHERS);
    all.filter_map(|name| Host::new(name, 443)).map(HostPattern::One).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_registry_is_a_host() {
        assert_eq!(usual_registries().len(), 2 + 3 + 2 + 2 + 9);
    }
}
