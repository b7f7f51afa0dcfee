//! Whether a request may be sent: before each one what was spent and what runs beside it is held against the caps, and the person is asked
//! where one is reached. Without their yes nothing is sent.

use super::{BudgetAmount, CapScope, Charge, Spending};
use crate::{
    cancel::Cancel,
    command::QuestionId,
    event::Event,
    form::{Form, FormOption, FormQuestion},
    model_handle::ModelHandle,
    session::{
        person::pending_questions::{AnswerKind, GivenAnswer},
        session_context::SessionContext,
    },
    settings::SessionSettings,
};
use fore_model::{ModelRequest, TokenCount};
use fore_plan::approval::Reachable;
use std::sync::Arc;

/// The most that a model writes whose limit is not known: more than is ever asked for.
const UNKNOWN_OUTPUT: u64 = 128_000;
/// Times that a request is held against the caps anew, each after somebody else's has ended or a question was answered.
const MAX_ROUNDS: u32 = 10_000;

/// The right to send one request. What it may cost at most is reserved until it is dropped, after its answer was counted.
#[derive(Debug)]
pub(crate) struct Admission {
    reserved: Option<(Arc<SessionContext>, u64)>,
}

/// Why a request is not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotAdmitted {
    OverBudget { why: String },
    Interrupted,
}

/// Whether the person is asked at a cap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asking {
    AtCap,
    Never,
}

/// What stands in the way of a request.
#[derive(Clone, Debug, PartialEq)]
enum Barrier {
    Reached {
        scope: CapScope,
        used: BudgetAmount,
        cap: BudgetAmount,
    },
    /// What this model costs is not known, so no cap in money can be held.
    NoPrice {
        model: String,
        scope: CapScope,
    },
    /// What others have spent today cannot be read.
    Unreadable {
        why: String,
    },
}

#[derive(Debug)]
enum Standing {
    May(u64),
    /// Others run, and together with this one they might go over a cap.
    Wait,
    Stopped(Barrier),
}

impl Drop for Admission {
    fn drop(&mut self) {
        if let Some((context, number)) = self.reserved.take() {
            context.work.spending.books().reserved.remove(&number);
            context.work.spending.changed.notify_waiters();
        }
    }
}

impl Barrier {
    fn why(&self) -> String {
        match self {
            Barrier::Reached { scope, used, cap } => {
                format!("{} used {used}, and your cap is {cap} ({})", scope.subject(), scope.setting())
            }
            Barrier::NoPrice { model, scope } => format!(
                "what {model} costs is not known, so {} cannot be held; set its price in model.prices, or a cap in tokens",
                scope.setting()
            ),
            Barrier::Unreadable { why } => {
                format!("what was spent today cannot be read, so {} cannot be held: {why}", CapScope::Day.setting())
            }
        }
    }

    /// What the person is asked, and what a yes says.
    fn question(&self, settings: &SessionSettings) -> Option<(String, String)> {
        match self {
            Barrier::Reached { scope, used, .. } => {
                let (amount, times) = next_cap(*used, scope.cap(settings)?);
                let cap = amount.times(times);
                Some((format!("{}. Continue?", self.why()), format!("Continue, up to {cap}")))
            }
            Barrier::NoPrice { model, scope } => Some((
                format!("What {model} costs is not known, so {} cannot be held for it. Continue?", scope.setting()),
                "Continue without this cap".to_owned(),
            )),
            Barrier::Unreadable { .. } => None,
        }
    }
}

/// The next multiple of an amount that is more than what was used, as a factor.
fn next_cap(used: BudgetAmount, amount: BudgetAmount) -> (BudgetAmount, u32) {
    let factor = match (used, amount) {
        (BudgetAmount::Dollars(used), BudgetAmount::Dollars(amount)) => (used / amount).floor() + 1.0,
        (BudgetAmount::Tokens(used), BudgetAmount::Tokens(amount)) => (used / amount.max(1)) as f64 + 1.0,
        (BudgetAmount::Dollars(_), BudgetAmount::Tokens(_)) | (BudgetAmount::Tokens(_), BudgetAmount::Dollars(_)) => {
            1.0
        }
    };
    (amount, factor.clamp(1.0, f64::from(u32::MAX)) as u32)
}

/// The most that a request and its answer can come to.
fn most(model: &ModelHandle, request: &ModelRequest) -> Charge {
    let read = match request.estimated_tokens() {
        TokenCount::Reported(tokens) => tokens,
        TokenCount::Estimated { at_most, .. } => at_most,
    };
    let ModelHandle::Remote(remote) = model else { return Charge::default() };
    let known = remote.chosen.facts.and_then(|facts| facts.output_limit);
    let limit = remote.chosen.options.output_limit.or(known).map_or(UNKNOWN_OUTPUT, u64::from);
    let written = request.max_output_tokens.map_or(limit, |asked| limit.min(u64::from(asked)));
    let dollars = model.price().map_or(0.0, |price| {
        let dearest = price.input.max(price.cached_write).max(price.cached_read);
        (dearest * read as f64 + price.output * written as f64) / 1_000_000.0
    });
    Charge { tokens: read.saturating_add(written), dollars }
}

impl Spending {
    fn standing(&self, settings: &SessionSettings, model: &ModelHandle, most: Charge) -> Standing {
        let mut books = self.books();
        let in_flight = books.reserved.values().fold(Charge::default(), |sum, one| sum.plus(*one));
        let mut waits = false;
        for scope in CapScope::ALL {
            let Some(cap) = books.cap(scope, settings) else { continue };
            let name = model.name().to_string();
            if matches!(cap, BudgetAmount::Dollars(_)) && model.price().is_none() && !books.unpriced.contains(&name) {
                return Standing::Stopped(Barrier::NoPrice { model: name, scope });
            }
            let used = books.used(scope);
            let (now, cap) = (used.in_unit_of(cap), cap);
            if now.reaches(100, cap) {
                return Standing::Stopped(Barrier::Reached { scope, used: now, cap });
            }
            let together = used.plus(in_flight).plus(most).in_unit_of(cap);
            waits |= !books.reserved.is_empty() && together.reaches(100, cap);
        }
        if waits {
            return Standing::Wait;
        }
        let number = books.next_reservation;
        books.next_reservation += 1;
        books.reserved.insert(number, most);
        Standing::May(number)
    }

    /// The person's word about a barrier.
    fn decide(&self, barrier: &Barrier, settings: &SessionSettings, goes_on: bool) {
        let mut books = self.books();
        match barrier {
            _ if !goes_on => books.is_refused = true,
            Barrier::Reached { scope, used, .. } => {
                if let Some(amount) = scope.cap(settings) {
                    let (_, times) = next_cap(*used, amount);
                    books.raised.insert(*scope, times.saturating_sub(1));
                    books.told.remove(scope);
                }
            }
            Barrier::NoPrice { model, .. } => {
                books.unpriced.insert(model.clone());
            }
            Barrier::Unreadable { .. } => books.is_refused = true,
        }
        drop(books);
        self.changed.notify_waiters();
    }
}

impl SessionContext {
    /// Waits until a request may be sent, and asks the person where a cap is reached.
    pub(crate) async fn admit(
        self: &Arc<Self>,
        cancel: &Cancel,
        (model, request): (&ModelHandle, &ModelRequest),
        asking: Asking,
    ) -> Result<Admission, NotAdmitted> {
        let spending = &self.work.spending;
        let most = most(model, request);
        for _ in 0..MAX_ROUNDS {
            let live = self.setup.live();
            let settings = &live.settings;
            let has_caps = CapScope::ALL.into_iter().any(|scope| scope.cap(settings).is_some());
            if matches!(model, ModelHandle::Scout) || !has_caps {
                return Ok(Admission { reserved: None });
            }
            let ended = spending.changed.notified();
            tokio::pin!(ended);
            ended.as_mut().enable();
            let there = Arc::clone(self);
            let read = tokio::task::spawn_blocking(move || there.work.spending.read_journal()).await;
            let standing = match read.unwrap_or_else(|error| Err(error.to_string())) {
                Err(why) if settings.cap_per_day.is_some() => Standing::Stopped(Barrier::Unreadable { why }),
                Ok(()) | Err(_) => spending.standing(settings, model, most),
            };
            match standing {
                Standing::May(number) => {
                    let reserved = Some((Arc::clone(self), number));
                    return Ok(Admission { reserved });
                }
                Standing::Wait => tokio::select! {
                    biased;
                    () = cancel.cancelled() => return Err(NotAdmitted::Interrupted),
                    () = &mut ended => {}
                },
                Standing::Stopped(barrier) => {
                    if asking == Asking::Never || spending.is_refused() {
                        return Err(NotAdmitted::OverBudget { why: barrier.why() });
                    }
                    self.ask_about(&barrier, cancel).await?;
                }
            }
        }
        Err(NotAdmitted::OverBudget { why: "others used up what was left, again and again".to_owned() })
    }

    /// Asks the person whether it goes on. Several that meet the same barrier ask once.
    async fn ask_about(&self, barrier: &Barrier, cancel: &Cancel) -> Result<(), NotAdmitted> {
        let spending = &self.work.spending;
        let over = || NotAdmitted::OverBudget { why: barrier.why() };
        let _turn = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(NotAdmitted::Interrupted),
            turn = spending.asking.lock() => turn,
        };
        let live = self.setup.live();
        let settings = &live.settings;
        if spending.is_refused() {
            return Err(over());
        }
        if let Barrier::Reached { scope, cap, .. } = barrier
            && spending.books().cap(*scope, settings) != Some(*cap)
        {
            // Somebody else has asked meanwhile.
            return Ok(());
        }
        if let Barrier::NoPrice { model, .. } = barrier
            && spending.books().unpriced.contains(model)
        {
            return Ok(());
        }
        let asked = barrier.question(settings).filter(|_| self.person.reachable() == Reachable::Approver);
        let Some((question, goes_on)) = asked else {
            spending.decide(barrier, settings, false);
            return Err(over());
        };
        let id = QuestionId(format!("budget-{}", self.work.next_call().0));
        let Some(receiver) = self.person.questions.open(id.clone(), AnswerKind::Form) else { return Err(over()) };
        let option = |label: &str| FormOption { label: label.to_owned(), description: String::new() };
        let question = FormQuestion {
            header: "Budget".into(),
            question,
            multi_select: false,
            options: vec![option(&goes_on), option("Stop here")],
        };
        let form = Form { questions: vec![question], is_offer: true };
        self.person.events.send(Event::FormAsked { question: id.clone(), form });
        let given = self.person.questions.answer(&id, receiver, cancel).await;
        self.person.events.send(Event::QuestionClosed { question: id });
        if cancel.is_cancelled() {
            return Err(NotAdmitted::Interrupted);
        }
        let is_yes = match &given {
            Some(GivenAnswer::Form(answers)) => answers.first().is_some_and(|answer| answer.chosen == [goes_on]),
            Some(GivenAnswer::Reply(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_)) | None => false,
        };
        spending.decide(barrier, settings, is_yes);
        if is_yes { Ok(()) } else { Err(over()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yes_raises_a_cap_above_what_was_used() {
        let (dollars, tokens) = (BudgetAmount::Dollars, BudgetAmount::Tokens);
        let page = [
            (dollars(0.5), dollars(0.5), dollars(1.0)),
            (dollars(1.7), dollars(0.5), dollars(2.0)),
            (tokens(100), tokens(100), tokens(200)),
            (tokens(350), tokens(100), tokens(400)),
        ];
        for (used, amount, expected) in page {
            let (amount, times) = next_cap(used, amount);
            assert_eq!(amount.times(times), expected, "{used}");
            assert!(!used.reaches(100, amount.times(times)));
        }
    }
}
