//! What a model is asked for: to plan, to act, or to do something small such as exploring.

use std::fmt;

/// What a model is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
    /// To think and write the plan.
    Plan,
    /// To carry it out.
    Act,
    /// To explore, summarise and classify.
    Small,
}

impl fmt::Display for Duty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Plan => "model.plan",
            Self::Act => "model.act",
            Self::Small => "model.small",
        })
    }
}
