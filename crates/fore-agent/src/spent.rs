//! What answers came to, in tokens and in money: a fold over [`crate::Event::Usage`] for every front end alike.

use fore_model::{ModelName, Price, Usage};

/// Tokens and cost of the answers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money.
    pub cost: Cost,
    /// Answers whose tokens the server did not count.
    pub uncounted: u32,
}

/// What the answers cost, as far as all prices are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cost {
    /// No answer cost anything.
    #[default]
    Nothing,
    /// The sum.
    Dollars(f64),
    /// An answer came without a known price or without a count, so no sum is right.
    Unknown,
}

impl Spent {
    /// One more answer of this model, at this price.
    pub fn add(&mut self, model: &ModelName, answer: Option<&Usage>, price: Option<Price>) {
        // The scout is part of this program.
        if *model == crate::scout::name() {
            return;
        }
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
            (Cost::Unknown, _) | (_, None) => Cost::Unknown,
            // A server on a machine of one's own.
            (Cost::Nothing, Some(dollars)) if dollars <= 0.0 => Cost::Nothing,
            (Cost::Nothing, Some(dollars)) => Cost::Dollars(dollars),
            (Cost::Dollars(before), Some(dollars)) => Cost::Dollars(before + dollars),
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
