//! The conversation of one agent: what its model has seen, and the blocks of the user message that comes next.
//!
//! Messages are only ever appended, and the next user message counts as said when its answer is there: a question that
//! failed leaves no trace, so roles always alternate.

use super::{lean::lean_tools, rebuild::RebuiltConversation};
use fore_model::{
    Block, CacheHint, History, Message, ModelRequest, RequestHead, Role, TokenCount, ToolResult, ToolSchema,
};
use fore_store::entry::Speaker;
use std::sync::Arc;

/// Words, and whose they are.
pub(crate) type SpokenBlock = (Speaker, Block);

/// What stands before a conversation, long and short.
#[derive(Debug)]
pub(crate) struct Heads {
    pub(crate) full: Arc<RequestHead>,
    pub(crate) lean: Arc<RequestHead>,
}

impl Heads {
    /// Offers other tools from now on; the words stay.
    pub(crate) fn offer(&mut self, tools: Vec<ToolSchema>) {
        self.lean = RequestHead::new(self.lean.system(), lean_tools(&tools));
        self.full = RequestHead::new(self.full.system(), tools);
    }
}

#[derive(Debug)]
pub(crate) struct Conversation {
    head: Arc<RequestHead>,
    history: History,
    /// The history as it was sent, with the pending message at its end.
    asked: Option<History>,
    pending: Vec<Block>,
    /// What of the pending message outlives a cut: words of the person, and what they did.
    spoken: Vec<SpokenBlock>,
    /// Groups the requests of one conversation for the provider's cache.
    key: String,
}

impl Conversation {
    pub(crate) fn new(head: Arc<RequestHead>, key: String) -> Conversation {
        Conversation { head, history: History::new(), asked: None, pending: Vec::new(), spoken: Vec::new(), key }
    }

    /// Goes on with what was said before.
    pub(crate) fn restored(head: Arc<RequestHead>, key: String, rebuilt: RebuiltConversation) -> Conversation {
        let RebuiltConversation { history, pending, spoken, unanswered: _ } = rebuilt;
        Conversation { pending, history, spoken, ..Conversation::new(head, key) }
    }

    /// Words of the program, which are made anew after a cut.
    pub(crate) fn add_text(&mut self, text: impl Into<String>) {
        self.asked = None;
        self.pending.push(Block::text(text));
    }

    /// Words that stay as they are, whatever becomes of the history before them.
    pub(crate) fn add_spoken(&mut self, speaker: Speaker, block: Block) {
        self.asked = None;
        self.pending.push(block.clone());
        self.spoken.push((speaker, block));
    }

    /// Results stand before all other words of their message, as every protocol wants it.
    pub(crate) fn add_result(&mut self, result: ToolResult) {
        self.asked = None;
        let place = self.pending.iter().take_while(|block| matches!(block, Block::ToolResult(_))).count();
        self.pending.insert(place, Block::ToolResult(result));
    }

    /// Puts another head before the conversation.
    pub(crate) fn set_head(&mut self, head: &Arc<RequestHead>) {
        if !Arc::ptr_eq(&self.head, head) {
            self.head = Arc::clone(head);
        }
    }

    pub(crate) fn head(&self) -> &Arc<RequestHead> {
        &self.head
    }

    /// Nothing was said, and nothing waits to be said but what the person did themselves: whoever begins has to be told
    /// what a beginning is told.
    pub(crate) fn is_new(&self) -> bool {
        let is_done = |(speaker, _): &SpokenBlock| *speaker == Speaker::Program;
        self.history.is_empty() && self.pending.len() == self.spoken.len() && self.spoken.iter().all(is_done)
    }

    /// Of all that the model sees it has said nothing itself: the conversation begins, or begins anew.
    pub(crate) fn has_no_answer(&self) -> bool {
        self.history.is_empty()
    }

    /// Everything so far, the pending message included.
    pub(crate) fn full_history(&mut self) -> History {
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

    pub(crate) fn request(&mut self) -> ModelRequest {
        let mut request = ModelRequest::new(Arc::clone(&self.head), self.full_history());
        request.cache = CacheHint { key: Some(self.key.clone()), ..CacheHint::default() };
        request
    }

    /// The model has answered what was asked last.
    pub(crate) fn commit(&mut self, answer: Message) {
        if let Some(asked) = self.asked.take() {
            self.history = asked;
            self.pending.clear();
            self.spoken.clear();
        }
        self.history.push(answer);
    }

    /// Starts again with an empty history; gives back the words of the pending message that stay: neither results nor
    /// reminders, which are made anew.
    pub(crate) fn cut(&mut self) -> Vec<SpokenBlock> {
        self.history = History::new();
        self.asked = None;
        self.pending.clear();
        std::mem::take(&mut self.spoken)
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

    fn conversation() -> Conversation {
        Conversation::new(RequestHead::new("system", Vec::new()), "key".into())
    }

    fn shape(conversation: &mut Conversation) -> String {
        let history = conversation.full_history();
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
        let mut conversation = conversation();
        conversation.add_text("first");
        let _ = conversation.request();
        conversation.add_text("second");
        let _ = conversation.request();
        conversation.commit(Message::assistant(vec![Block::text("answer")]));
        conversation.add_text("third");
        assert_eq!(shape(&mut conversation), "User(first second) Assistant(answer) User(third)");
    }

    #[test]
    fn results_stand_before_words() {
        let call = ToolUse {
            id: "1".into(),
            name: "Read".into(),
            arguments: Arguments::Ok(serde_json::json!({})),
            seal: None,
        };
        let mut conversation = conversation();
        conversation.add_text("go");
        let _ = conversation.request();
        conversation.commit(Message::assistant(vec![Block::ToolUse(call.clone())]));
        conversation.add_text("steer");
        conversation.add_result(ToolResult::text(&call, "x"));
        assert_eq!(shape(&mut conversation), "User(go) Assistant([call]) User([result] steer)");
    }

    #[test]
    fn a_cut_keeps_the_words_that_wait_whatever_they_look_like_and_nothing_of_the_program() {
        let mut conversation = conversation();
        let said = |text: &str| (Speaker::Human, Block::text(text));
        conversation.add_spoken(Speaker::Human, Block::text("old"));
        let _ = conversation.request();
        conversation.commit(Message::assistant(vec![Block::text("answer")]));
        conversation.add_text("a summary of before");
        conversation.add_spoken(Speaker::Program, Block::text("The person ran `ls` themselves"));
        conversation.add_spoken(Speaker::Human, Block::text("<system-reminder> is what I typed"));
        let kept = conversation.cut();
        let ran = (Speaker::Program, Block::text("The person ran `ls` themselves"));
        assert_eq!(kept, [ran, said("<system-reminder> is what I typed")]);
        assert!(conversation.is_new() && conversation.cut().is_empty());
    }

    #[test]
    fn a_conversation_is_new_until_somebody_says_something() {
        let mut conversation = conversation();
        conversation.add_spoken(Speaker::Program, Block::text("The person ran `ls` themselves"));
        assert!(conversation.is_new());
        conversation.add_text("a reminder");
        assert!(!conversation.is_new());
    }
}
