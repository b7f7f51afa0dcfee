//! Whom a package manager's option names as the place where packages come from.

use super::catalogue::{ArgumentScan, GivenValue};
use fore_shell::{Finding, Reach};

/// Whom an option names as the registry, besides the one that the configuration names.
pub(super) fn registry_of(options: &str, seen: &ArgumentScan<'_>) -> Option<Finding> {
    let named = match seen.value(options)? {
        GivenValue::Text(url) => url
            .trim_start_matches("sparse+")
            .strip_prefix("https://")
            .map(|rest| Reach::authority(rest.split(['/', '?', '#']).next().unwrap_or_default(), 443)),
        GivenValue::Nothing | GivenValue::Something => None,
    };
    Some(Finding::network(named.unwrap_or(Reach::AnyHost), seen.name, seen.program))
}
