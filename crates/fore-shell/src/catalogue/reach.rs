//! Whom a command talks to, as its row says.

use super::grammar::Reaches;
use crate::{
    context::JudgeContext,
    finding::{Finding, Reach},
    word::Word,
};

/// What talking to this partner makes of a read.
pub fn reaching(reaches: Reaches, program: &str, word: &Word, context: &JudgeContext<'_>) -> Finding {
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
