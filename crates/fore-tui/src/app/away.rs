//! Whether the person looks elsewhere, and what then calls for them; whoever looks at the terminal is told nothing.

use fore_agent::Event;
use std::time::{Duration, Instant};

/// Where the terminal does not say whether it is in front, whoever pressed no key for so long looks elsewhere.
const UNTOUCHED: Duration = Duration::from_secs(30);

/// Why somebody who looks elsewhere is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotifyReason {
    /// A plan waits for its approval.
    Plan,
    /// A question waits.
    Question,
    /// A turn that took a while is over.
    TurnEnded,
}

impl NotifyReason {
    /// What they are told. It has no word of a model or a repository.
    pub fn text(self) -> &'static str {
        match self {
            NotifyReason::Plan => "A plan is waiting for your approval.",
            NotifyReason::Question => "A question is waiting for you.",
            NotifyReason::TurnEnded => "The turn is over.",
        }
    }
}

/// What is known of where the person looks.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    /// What the terminal said last; many say nothing.
    in_front: Option<bool>,
    /// The newest key, or the beginning.
    touched: Option<Instant>,
    turn_began: Option<Instant>,
}

impl Attention {
    pub(crate) fn focused(&mut self, is_in_front: bool, now: Instant) {
        self.in_front = Some(is_in_front);
        self.touch(now);
    }

    pub(crate) fn touch(&mut self, now: Instant) {
        self.touched = Some(now);
    }

    /// What this event calls somebody for who looks elsewhere. `long_turn` is how long a turn takes whose end is told.
    pub(crate) fn event(&mut self, event: &Event, long_turn: Duration, now: Instant) -> Option<NotifyReason> {
        let why = match event {
            Event::Started(_) => {
                self.touched.get_or_insert(now);
                return None;
            }
            Event::TurnStarted => {
                self.turn_began = Some(now);
                return None;
            }
            Event::ApprovalAsked(_) => NotifyReason::Plan,
            Event::Asked(_) | Event::FormAsked { .. } | Event::EnterPlanAsked { .. } => NotifyReason::Question,
            Event::TurnEnded { .. } => {
                let began = self.turn_began.take()?;
                Some(NotifyReason::TurnEnded).filter(|_| now.duration_since(began) >= long_turn)?
            }
            _ => return None,
        };
        Some(why).filter(|_| self.is_away(now))
    }

    fn is_away(&self, now: Instant) -> bool {
        match (self.in_front, self.touched) {
            (Some(is_in_front), _) => !is_in_front,
            (None, Some(touched)) => now.duration_since(touched) >= UNTOUCHED,
            (None, None) => false,
        }
    }
}
