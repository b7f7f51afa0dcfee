//! What answers came to, in tokens and in money: a fold over [`crate::Event::Usage`] for every front end alike.

use crate::budget::BudgetAmount;
use fore_model::{ModelName, Price, Usage};
use fore_store::UsageLine;
use fore_text::count;
use serde::Serialize;
use std::{collections::BTreeMap, fmt};

/// Tokens and cost of the answers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: Cost,
    /// Answers whose tokens the server did not count.
    pub uncounted: u32,
}

/// What the answers cost, as far as all prices are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cost {
    /// No answer cost anything.
    #[default]
    Nothing,
    /// The sum.
    Dollars(f64),
    /// This much and more: an answer came without a known price or without a count.
    AtLeast(f64),
}

/// What a session has spent ([`crate::Command::Spending`]).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SpendingReport {
    /// In the turn that runs or was the last.
    pub turn: Spent,
    /// In this session, also before it was resumed.
    pub session: Spent,
    /// By all sessions of this day, which begins at midnight UTC.
    pub day: Spent,
    /// On the current plan, by all sessions of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Spent>,
    /// What the plan is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_name: Option<String>,
    /// In this session, by model.
    pub models: BTreeMap<String, Spent>,
    /// In this session, by who asked: the main conversation, kinds of subagents.
    pub askers: BTreeMap<String, Spent>,
    /// What counts against each cap, and the cap, by its setting.
    pub caps: BTreeMap<&'static str, [BudgetAmount; 2]>,
    /// Answers in this session for which the server read anew what it should have had in its cache.
    pub cache_misses: u32,
    /// Tokens that were read anew because of that.
    pub read_anew: u64,
}

/// What the work on a plan may come to, by what the work on earlier plans came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkEstimate {
    /// Read and written.
    pub tokens: u64,
    /// Money; none where no price was known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// From so many plans.
    pub plans: u32,
    /// With so many steps.
    pub steps: u32,
}

/// `about 40,000 tokens ($0.12)`; the other form says where that is from.
impl fmt::Display for WorkEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "about {}", BudgetAmount::Tokens(rounded(self.tokens)))?;
        if let Some(dollars) = self.dollars {
            write!(f, " ({})", BudgetAmount::Dollars(dollars))?;
        }
        if f.alternate() {
            let (steps, plans) = (count(self.steps, "step"), count(self.plans, "earlier plan"));
            write!(f, " to implement, going by {steps} of {plans}")?;
        }
        Ok(())
    }
}

/// Two digits say as much as a guess knows.
fn rounded(tokens: u64) -> u64 {
    let unit = 10_u64.pow(tokens.checked_ilog10().unwrap_or(0).saturating_sub(1));
    tokens.div_ceil(unit).saturating_mul(unit)
}

impl Spent {
    /// One more answer of this model, at this price.
    pub fn add(&mut self, model: &ModelName, answer: Option<&Usage>, price: Option<Price>) {
        // The scout is part of this program.
        if *model != crate::scout::name() {
            self.add_answer(answer, price);
        }
    }

    fn add_answer(&mut self, answer: Option<&Usage>, price: Option<Price>) {
        match answer {
            Some(answer) => self.usage = self.usage.plus(answer),
            None => self.uncounted = self.uncounted.saturating_add(1),
        }
        let dollars = price.and_then(|price| match answer {
            Some(answer) => Some(price.dollars(answer)),
            // What costs nothing needs no count.
            None => (price.input <= 0.0 && price.output <= 0.0).then_some(0.0),
        });
        self.cost = match (self.cost, dollars) {
            (Cost::Nothing, None) => Cost::AtLeast(0.0),
            (Cost::Dollars(before) | Cost::AtLeast(before), None) => Cost::AtLeast(before),
            (Cost::AtLeast(before), Some(dollars)) => Cost::AtLeast(before + dollars),
            // A server on a machine of one's own.
            (Cost::Nothing, Some(dollars)) if dollars <= 0.0 => Cost::Nothing,
            (Cost::Nothing, Some(dollars)) => Cost::Dollars(dollars),
            (Cost::Dollars(before), Some(dollars)) => Cost::Dollars(before + dollars),
        };
    }
}

/// Answers as the journal keeps them.
impl<'a> Extend<&'a UsageLine> for Spent {
    fn extend<T: IntoIterator<Item = &'a UsageLine>>(&mut self, lines: T) {
        for line in lines {
            let [input, output, cached_read, cached_write, reasoning] = line.tokens;
            let usage = Usage { input, output, cached_read, cached_write, reasoning };
            let price = line.price.map(|[input, output, cached_read, cached_write]| Price {
                input,
                output,
                cached_read,
                cached_write,
            });
            self.add_answer((!line.is_estimate).then_some(&usage), price);
        }
    }
}

impl Cost {
    /// In dollars, to a millionth; none where that is not the whole sum.
    pub fn dollars(self) -> Option<f64> {
        match self {
            Cost::Dollars(dollars) => Some((dollars * 1e6).round() / 1e6),
            Cost::Nothing | Cost::AtLeast(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_says_no_more_than_it_knows() {
        let estimate = WorkEstimate { tokens: 41_234, dollars: Some(0.1234), plans: 1, steps: 12 };
        assert_eq!(estimate.to_string(), "about 42,000 tokens ($0.1234)");
        let words = "about 42,000 tokens ($0.1234) to implement, going by 12 steps of 1 earlier plan";
        assert_eq!(format!("{estimate:#}"), words);
        let cheap = WorkEstimate { tokens: 7, dollars: None, plans: 2, steps: 2 };
        assert_eq!(cheap.to_string(), "about 7 tokens");
    }
}
