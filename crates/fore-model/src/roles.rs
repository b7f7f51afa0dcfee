//! Which model does what: one for planning, one for doing, a small one for exploring. Data only; nothing is replaced silently.

use std::fmt;

use crate::event::ModelName;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Duty {
    Plan,
    Act,
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

/// The settings `model.plan`, `model.act` and `model.small`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyModels {
    pub act: ModelName,
    pub plan: Option<ModelName>,
    pub small: Option<ModelName>,
}

/// The model for a duty, and whose setting it is: where none is set for the duty, it is the acting model's, and that is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DutyModel {
    pub model: ModelName,
    pub duty: Duty,
    pub from: Duty,
}

impl DutyModels {
    #[must_use]
    pub fn one(model: ModelName) -> Self {
        Self { act: model, plan: None, small: None }
    }

    #[must_use]
    pub fn assign(&self, duty: Duty) -> DutyModel {
        let own = match duty {
            Duty::Plan => self.plan.as_ref(),
            Duty::Act => Some(&self.act),
            Duty::Small => self.small.as_ref(),
        };
        match own {
            Some(model) => DutyModel { model: model.clone(), duty, from: duty },
            None => DutyModel { model: self.act.clone(), duty, from: Duty::Act },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duty_without_a_model_uses_the_acting_one_and_says_so() {
        let (act, plan) = (ModelName::new("a", "doer"), ModelName::new("b", "planner"));
        let models = DutyModels { act: act.clone(), plan: Some(plan.clone()), small: None };
        assert_eq!(models.assign(Duty::Plan), DutyModel { model: plan, duty: Duty::Plan, from: Duty::Plan });
        assert_eq!(models.assign(Duty::Small), DutyModel { model: act.clone(), duty: Duty::Small, from: Duty::Act });
        assert_eq!(models.assign(Duty::Act), DutyModel { model: act, duty: Duty::Act, from: Duty::Act });
    }
}
