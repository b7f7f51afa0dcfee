//! Where the prompts of the visible conversation begin, so that the last one can be taken back. Costs a few bytes a message.

use crate::entry::{EntryId, Rewind, StoredMessage};
use fore_plan::{
    Change, Decision, State,
    reminder::{Notice, ToldMode},
};

/// Marks in a conversation; belongs to exactly that conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptMarks {
    /// The entry of each message.
    ids: Vec<EntryId>,
    turns: Vec<PromptMark>,
}

/// A prompt of the person, with the reminders before it and all that came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PromptMark {
    /// Messages before it.
    start: usize,
    /// What the model had been told about planning.
    told: ToldMode,
    /// What it was told since.
    notices: Vec<Notice>,
}

impl PromptMarks {
    /// A message was added to the conversation.
    pub(crate) fn add_message(&mut self, id: EntryId) {
        self.ids.push(id);
    }

    /// The conversation starts again.
    pub(crate) fn cut(&mut self) {
        *self = PromptMarks::default();
    }

    /// Notes a change; `state` may be the one before or after it.
    pub(crate) fn note(&mut self, change: &Change, state: &State) {
        match (change, self.turns.last_mut()) {
            (Change::HumanTurn, _) => {
                let told = state.counters().told();
                self.turns.push(PromptMark { start: self.ids.len(), told, notices: Vec::new() });
            }
            (Change::Told { notices }, Some(turn)) => notices.iter().for_each(|notice| turn.add_notice(*notice)),
            // Results told the model what was approved.
            (Change::Decided { decision: Decision::Approved { .. }, .. }, Some(turn)) => {
                turn.add_notice(Notice::PlanReference);
            }
            // What was said of the plan before is void.
            (Change::PlanNamed { .. }, Some(_)) => {
                let is_void = |notice: &Notice| matches!(notice, Notice::PlanReference | Notice::PlanChanged);
                self.turns.iter_mut().for_each(|turn| turn.notices.retain(|notice| !is_void(notice)));
            }
            _ => {}
        }
    }

    /// What taking back the last prompt of the conversation would say; none if it has none since the last cut.
    pub(crate) fn rewind(&self, conversation: &[StoredMessage]) -> Option<Rewind> {
        let after = |turn: &PromptMark| conversation.get(turn.start..).unwrap_or_default();
        let last = self.turns.iter().rposition(|turn| after(turn).iter().any(StoredMessage::is_prompt))?;
        let (turn, rest) = self.turns.get(last..)?.split_first()?;
        let mut whole = turn.clone();
        rest.iter().flat_map(|turn| &turn.notices).for_each(|notice| whole.add_notice(*notice));
        Some(Rewind { from: *self.ids.get(turn.start)?, told: turn.told, unheard: whole.notices })
    }

    /// Goes back to before that message; gives how many messages stay. If its entry was lost to damage, the first one
    /// after it counts.
    pub(crate) fn go_back(&mut self, from: EntryId) -> usize {
        let exact = self.ids.iter().position(|id| *id == from);
        let stay = exact.or_else(|| self.ids.iter().position(|id| *id > from)).unwrap_or(self.ids.len());
        self.ids.truncate(stay);
        self.turns.retain(|turn| turn.start < stay);
        stay
    }
}

impl PromptMark {
    fn add_notice(&mut self, notice: Notice) {
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }
}
