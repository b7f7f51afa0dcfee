//! Whom a command talks to, as its row or an option of it says.

use super::{
    grammar::Reaches,
    scanned::{ArgumentScan, GivenValue},
};
use crate::{
    context::JudgeContext,
    finding::{Finding, Reach},
    word::Word,
};

/// What talking to this partner makes of a read.
pub(super) fn reaching(reaches: Reaches, program: &str, word: &Word, context: &JudgeContext<'_>) -> Finding {
    let reach = match reaches {
        Reaches::Inherit | Reaches::Nobody => return Finding::reads(),
        Reaches::Daemon(name) => return Finding::daemon(name),
        Reaches::AnyHost => Reach::AnyHost,
        Reaches::Host(name) => Reach::host(name, 443),
        Reaches::Configured(partner) => {
            let each = context.hosts(partner, context.cwd.as_deref()).into_iter();
            return each.map(|reach| Finding::network(reach, program, word)).fold(Finding::reads(), Finding::and);
        }
    };
    Finding::network(reach, program, word)
}

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
