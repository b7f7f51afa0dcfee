//! What answers came to, in tokens and in money: a fold over [`crate::Event::Usage`] for every front end alike.

use fore_model::{ModelName, Usage};

/// Tokens and cost of the answers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    pub usage: Usage,
    pub cost: Cost,
}

/// What the answers cost, as far as all prices are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cost {
    #[default]
    Nothing,
    Dollars(f64),
    /// One of the models has no known price, so no sum is right.
    Unknown,
}

impl Spent {
    /// One more answer of this model.
    pub fn add(&mut self, model: &ModelName, answer: &Usage) {
        self.usage = Usage {
            input: self.usage.input.saturating_add(answer.input),
            output: self.usage.output.saturating_add(answer.output),
            cached_read: self.usage.cached_read.saturating_add(answer.cached_read),
            cached_write: self.usage.cached_write.saturating_add(answer.cached_write),
            reasoning: self.usage.reasoning.saturating_add(answer.reasoning),
        };
        // The scout is part of this program.
        if *model == crate::scout::name() {
            return;
        }
        let price = fore_model::facts(model.provider(), model.name()).and_then(|facts| facts.price);
        self.cost = match (self.cost, price) {
            (Cost::Unknown, _) | (_, None) => Cost::Unknown,
            (Cost::Nothing, Some(price)) => Cost::Dollars(price.dollars(answer)),
            (Cost::Dollars(before), Some(price)) => Cost::Dollars(before + price.dollars(answer)),
        };
    }
}

impl Cost {
    /// In dollars, to a millionth.
    pub fn dollars(self) -> Option<f64> {
        match self {
            Cost::Dollars(dollars) => Some((dollars * 1e6).round() / 1e6),
            Cost::Nothing | Cost::Unknown => None,
        }
    }
}
