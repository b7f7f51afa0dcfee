//! Adds up what answers came to: for the turn, the session, the day and each plan, by model and by who asked. It only counts; caps are kept
//! elsewhere.

use crate::{
    budget::BudgetAmount,
    spent::{Spent, WorkEstimate},
};
use fore_store::{SessionId, UsageLine};
use std::collections::BTreeMap;

/// Models, askers and plans that are told apart; what comes beyond counts into the sums alone.
const MAX_NAMES: usize = 256;
/// The main conversation, where answers are told apart by who asked.
const MAIN: &str = "main conversation";

/// What a bill says, and what counts against a cap: there an answer that the server did not count is estimated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    pub(super) spent: Spent,
    pub(super) charge: Charge,
}

/// What counts against caps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Charge {
    pub(super) tokens: u64,
    pub(super) dollars: f64,
}

/// Everything that is known of what was spent.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    pub(super) turn: Account,
    pub(super) session: Account,
    pub(super) day: Account,
    pub(super) models: BTreeMap<String, Account>,
    pub(super) askers: BTreeMap<String, Account>,
    /// By project and name.
    pub(super) plans: BTreeMap<(String, String), Account>,
    /// What carrying out came to, by project and plan, with the steps of the plan.
    works: BTreeMap<(String, String), (Account, u32)>,
}

impl Charge {
    pub(super) fn plus(self, other: Charge) -> Charge {
        Charge { tokens: self.tokens.saturating_add(other.tokens), dollars: self.dollars + other.dollars }
    }

    /// In the unit of a cap.
    pub(super) fn in_unit_of(self, cap: BudgetAmount) -> BudgetAmount {
        match cap {
            BudgetAmount::Dollars(_) => BudgetAmount::Dollars(self.dollars),
            BudgetAmount::Tokens(_) => BudgetAmount::Tokens(self.tokens),
        }
    }
}

impl Account {
    pub(super) fn add(&mut self, line: &UsageLine) {
        self.spent.extend([line]);
        let [read, written, cached_read, cached_write, _] = line.tokens;
        let fresh = read.saturating_sub(cached_read.saturating_add(cached_write));
        let parts = [fresh, written, cached_read, cached_write];
        let dollars = line.price.map_or(0.0, |price| {
            price.iter().zip(parts).map(|(price, tokens)| price * tokens as f64).sum::<f64>() / 1_000_000.0
        });
        self.charge = self.charge.plus(Charge { tokens: read.saturating_add(written), dollars });
    }
}

impl Accounts {
    /// Adds an answer of whatever session. The turn is told by itself.
    pub(super) fn add(&mut self, line: &UsageLine, own: SessionId, is_of_today: bool) {
        if is_of_today {
            self.day.add(line);
        }
        if line.session == own {
            self.session.add(line);
            add_named(&mut self.models, line.model.clone(), line);
            add_named(&mut self.askers, line.agent.clone().unwrap_or_else(|| MAIN.to_owned()), line);
        }
        let Some(plan) = &line.plan else { return };
        let key = (line.project.clone(), plan.clone());
        add_named(&mut self.plans, key.clone(), line);
        if let Some(steps) = line.steps
            && (self.works.contains_key(&key) || self.works.len() < MAX_NAMES)
        {
            let work = self.works.entry(key).or_default();
            work.0.add(line);
            work.1 = work.1.max(steps);
        }
    }

    /// What so many steps may come to, by what steps of other plans came to: those of this project, else of all.
    pub(super) fn estimate(&self, project: &str, plan: Option<&str>, steps: u32) -> Option<WorkEstimate> {
        let others = self
            .works
            .iter()
            .filter(|((of, name), (_, steps))| *steps > 0 && !(of == project && plan == Some(name.as_str())));
        let (here, elsewhere): (Vec<_>, Vec<_>) = others.partition(|((of, _), _)| of == project);
        let known = if here.is_empty() { elsewhere } else { here };
        let counted: u32 = known.iter().map(|(_, (_, steps))| steps).sum();
        let middle = |of: &dyn Fn(&Account) -> f64| {
            let mut per_step: Vec<f64> =
                known.iter().map(|(_, (account, steps))| of(account) / f64::from(*steps)).collect();
            per_step.sort_by(f64::total_cmp);
            per_step.get(per_step.len() / 2).copied()
        };
        let tokens = middle(&|account| account.charge.tokens as f64)? * f64::from(steps);
        let dollars = middle(&|account| account.charge.dollars).map(|dollars| dollars * f64::from(steps));
        Some(WorkEstimate {
            tokens: tokens.round() as u64,
            dollars: dollars.filter(|dollars| *dollars > 0.0),
            plans: u32::try_from(known.len()).unwrap_or(u32::MAX),
            steps: counted,
        })
    }
}

fn add_named<K: Ord>(accounts: &mut BTreeMap<K, Account>, name: K, line: &UsageLine) {
    if accounts.contains_key(&name) || accounts.len() < MAX_NAMES {
        accounts.entry(name).or_default().add(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spent::Cost;

    fn line(session: SessionId, plan: Option<(&str, Option<u32>)>, read: u64) -> UsageLine {
        UsageLine {
            at: 0,
            session,
            project: "/shop".into(),
            plan: plan.map(|(name, _)| name.to_owned()),
            steps: plan.and_then(|(_, steps)| steps),
            agent: None,
            model: "a/one".into(),
            tokens: [read, 0, 0, 0, 0],
            is_estimate: false,
            price: Some([1.0, 2.0, 0.1, 1.25]),
        }
    }

    #[test]
    fn an_answer_counts_for_its_session_its_day_and_its_plan() {
        let (own, other) = (SessionId::fresh(), SessionId::fresh());
        let mut accounts = Accounts::default();
        accounts.add(&line(own, Some(("cart", None)), 1_000_000), own, true);
        accounts.add(&line(other, Some(("cart", Some(2))), 500_000), own, true);
        accounts.add(&line(own, None, 7), own, false);
        let read = |account: &Account| account.spent.usage.input;
        assert_eq!((read(&accounts.session), read(&accounts.day)), (1_000_007, 1_500_000));
        assert_eq!(read(&accounts.plans[&("/shop".into(), "cart".into())]), 1_500_000);
        assert_eq!(accounts.day.spent.cost, Cost::Dollars(1.5));
    }

    #[test]
    fn cached_tokens_are_charged_at_their_own_price_and_an_estimate_counts_against_caps_alone() {
        let own = SessionId::fresh();
        let cached = UsageLine { tokens: [1_000_000, 100_000, 500_000, 400_000, 9], ..line(own, None, 0) };
        let mut account = Account::default();
        account.add(&cached);
        assert!((account.charge.dollars - (0.1 + 0.2 + 0.05 + 0.5)).abs() < 1e-9, "{account:?}");
        assert_eq!(account.spent.cost.dollars(), Some(0.85));
        account.add(&UsageLine { is_estimate: true, ..line(own, None, 1_000) });
        assert_eq!((account.charge.tokens, account.spent.usage.input), (1_101_000, 1_000_000));
        assert_eq!((account.spent.uncounted, account.spent.cost), (1, Cost::AtLeast(0.85)));
    }

    #[test]
    fn an_estimate_is_the_middle_of_what_steps_came_to_here_before_elsewhere() {
        let own = SessionId::fresh();
        let mut accounts = Accounts::default();
        assert_eq!(accounts.estimate("/shop", None, 3), None, "nothing is known yet");
        accounts.add(
            &UsageLine { project: "/blog".into(), ..line(own, Some(("post", Some(2))), 2_000_000) },
            own,
            true,
        );
        let elsewhere = WorkEstimate { tokens: 3_000_000, dollars: Some(3.0), plans: 1, steps: 2 };
        assert_eq!(accounts.estimate("/shop", None, 3), Some(elsewhere));
        for (plan, read) in [("a", 400), ("b", 100), ("c", 9_000)] {
            accounts.add(&line(own, Some((plan, Some(2))), read), own, true);
        }
        let here = accounts.estimate("/shop", None, 3).unwrap();
        assert_eq!((here.tokens, here.plans, here.steps), (600, 3, 6));
        let without_itself = accounts.estimate("/shop", Some("c"), 2).unwrap();
        assert_eq!((without_itself.tokens, without_itself.plans), (400, 2));
        accounts.add(&line(own, Some(("planned only", None)), 1), own, true);
        assert_eq!(accounts.estimate("/shop", None, 3).unwrap().plans, 3, "planning is no carrying out");
    }
}
