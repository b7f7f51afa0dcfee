//! The conversation of one agent: what its model has seen, and the blocks of the user message that comes next.
//!
//! Messages are only ever appended, and the next user message counts as said when its answer is there: a question that
//! failed leaves no trace, so roles always alternate.

use super::rebuild::Rebuilt;
use fore_model::{Block, CacheHint, Head, History, Message, Request, Role, TokenCount, ToolResult};
use fore_store::entry::Speaker;
use std::sync::Arc;

/// Words, and whose they are.
pub(crate) type Words = (Speaker, Block);

#[derive(Debug)]
pub(crate) struct Talk {
    head: Arc<Head>,
    history: History,
    /// The history as it was sent, with the pending message at its end.
    asked: Option<History>,
    pending: Vec<Block>,
    /// What of the pending message outlives a cut: words of the person, and what they did.
    words: Vec<Words>,
    /// Groups the requests of one conversation for the provider's cache.
    key: String,
}

impl Talk {
    pub(crate) fn new(head: Arc<Head>, key: String) -> Talk {
        Talk { head, history: History::new(), asked: None, pending: Vec::new(), words: Vec::new(), key }
    }

    /// Goes on with what was said before.
    pub(crate) fn restored(head: Arc<Head>, key: String, rebuilt: Rebuilt) -> Talk {
        let Rebuilt { history, pending, words, unanswered: _ } = rebuilt;
        Talk { pending, history, words, ..Talk::new(head, key) }
    }

    /// Words of the program, which are made anew after a cut.
    pub(crate) fn add_text(&mut self, text: impl Into<String>) {
        self.asked = None;
        self.pending.push(Block::text(text));
    }

    /// Words that stay as they are, whatever becomes of the history before them.
    pub(crate) fn add_words(&mut self, speaker: Speaker, block: Block) {
        self.asked = None;
        self.pending.push(block.clone());
        self.words.push((speaker, block));
    }

    /// Results stand before all other words of their message, as every protocol wants it.
    pub(crate) fn add_result(&mut self, result: ToolResult) {
        self.asked = None;
        let place = self.pending.iter().take_while(|block| matches!(block, Block::ToolResult(_))).count();
        self.pending.insert(place, Block::ToolResult(result));
    }

    pub(crate) fn head(&self) -> &Arc<Head> {
        &self.head
    }

    /// Nothing was said, and nothing waits to be said but what the person did themselves: whoever begins has to be told
    /// what a beginning is told.
    pub(crate) fn is_new(&self) -> bool {
        let is_done = |(speaker, _): &Words| *speaker == Speaker::Program;
        self.history.is_empty() && self.pending.len() == self.words.len() && self.words.iter().all(is_done)
    }

    /// Of all that the model sees it has said nothing itself: the conversation begins, or begins anew.
    pub(crate) fn has_no_answer(&self) -> bool {
        self.history.is_empty()
    }

    /// Everything so far, the pending message included.
    pub(crate) fn whole(&mut self) -> History {
        if let Some(asked) = &self.asked {
            return asked.clone();
        }
        let mut whole = self.history.clone();
        if !self.pending.is_empty() {
            whole.push(Message { role: Role::User, blocks: self.pending.clone() });
        }
        self.asked = Some(whole.clone());
        whole
    }

    pub(crate) fn request(&mut self) -> Request {
        let mut request = Request::new(Arc::clone(&self.head), self.whole());
        request.cache = CacheHint { key: Some(self.key.clone()), ..CacheHint::default() };
        request
    }

    /// The model has answered what was asked last.
    pub(crate) fn commit(&mut self, answer: Message) {
        if let Some(asked) = self.asked.take() {
            self.history = asked;
            self.pending.clear();
            self.words.clear();
        }
        self.history.push(answer);
    }

    /// Starts again with an empty history; gives back the words of the pending message that stay: neither results nor
    /// reminders, which are made anew.
    pub(crate) fn cut(&mut self) -> Vec<Words> {
        self.history = History::new();
        self.asked = None;
        self.pending.clear();
        std::mem::take(&mut self.words)
    }

    pub(crate) fn estimate(&mut self) -> u64 {
        match self.request().estimated_tokens() {
            TokenCount::Estimated { likely, .. } => likely,
            TokenCount::Reported(tokens) => tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_model::{Arguments, ToolUse};

    fn talk() -> Talk {
        Talk::new(Head::new("system", Vec::new()), "key".into())
    }

    fn shape(talk: &mut Talk) -> String {
        let history = talk.whole();
        let words = (0..history.len()).filter_map(|index| history.get(index)).map(|message| {
            let blocks: Vec<&str> = message
                .blocks
                .iter()
                .map(|block| match block {
                    Block::Text(text) => text.text.as_str(),
                    Block::ToolResult(_) => "[result]",
                    Block::ToolUse(_) => "[call]",
                    Block::Image(_) | Block::Reasoning(_) => "[other]",
                })
                .collect();
            format!("{:?}({})", message.role, blocks.join(" "))
        });
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_question_that_failed_leaves_no_trace() {
        let mut talk = talk();
        talk.add_text("first");
        let _ = talk.request();
        talk.add_text("second");
        let _ = talk.request();
        talk.commit(Message::assistant(vec![Block::text("answer")]));
        talk.add_text("third");
        assert_eq!(shape(&mut talk), "User(first second) Assistant(answer) User(third)");
    }

    #[test]
    fn results_stand_before_words() {
        let call = ToolUse {
            id: "1".into(),
            name: "Read".into(),
            arguments: Arguments::Ok(serde_json::json!({})),
            seal: None,
        };
        let mut talk = talk();
        talk.add_text("go");
        let _ = talk.request();
        talk.commit(Message::assistant(vec![Block::ToolUse(call.clone())]));
        talk.add_text("steer");
        talk.add_result(ToolResult::text(&call, "x"));
        assert_eq!(shape(&mut talk), "User(go) Assistant([call]) User([result] steer)");
    }

    #[test]
    fn a_cut_keeps_the_words_that_wait_whatever_they_look_like_and_nothing_of_the_program() {
        let mut talk = talk();
        let said = |text: &str| (Speaker::Human, Block::text(text));
        talk.add_words(Speaker::Human, Block::text("old"));
        let _ = talk.request();
        talk.commit(Message::assistant(vec![Block::text("answer")]));
        talk.add_text("a summary of before");
        talk.add_words(Speaker::Program, Block::text("The person ran `ls` themselves"));
        talk.add_words(Speaker::Human, Block::text("<system-reminder> is what I typed"));
        let kept = talk.cut();
        let ran = (Speaker::Program, Block::text("The person ran `ls` themselves"));
        assert_eq!(kept, [ran, said("<system-reminder> is what I typed")]);
        assert!(talk.is_new() && talk.cut().is_empty());
    }

    #[test]
    fn a_conversation_is_new_until_somebody_says_something() {
        let mut talk = talk();
        talk.add_words(Speaker::Program, Block::text("The person ran `ls` themselves"));
        assert!(talk.is_new());
        talk.add_text("a reminder");
        assert!(!talk.is_new());
    }
}
