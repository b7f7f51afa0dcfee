//! The conversation of one agent: what its model has seen, and the blocks of the user message that comes next.
//!
//! Messages are only ever appended, and the next user message counts as said when its answer is there: a question that
//! failed leaves no trace, so roles always alternate.

use fore_model::{Block, CacheHint, Head, History, Message, Request, Role, TokenCount, ToolResult};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Talk {
    head: Arc<Head>,
    history: History,
    /// The history as it was sent, with the pending message at its end.
    asked: Option<History>,
    pending: Vec<Block>,
    /// Groups the requests of one conversation for the provider's cache.
    key: String,
}

impl Talk {
    pub(crate) fn new(head: Arc<Head>, key: String) -> Talk {
        Talk { head, history: History::new(), asked: None, pending: Vec::new(), key }
    }

    /// Goes on with what was said before.
    pub(crate) fn restored(head: Arc<Head>, key: String, history: History, pending: Vec<Block>) -> Talk {
        Talk { pending, history, ..Talk::new(head, key) }
    }

    pub(crate) fn add_text(&mut self, text: impl Into<String>) {
        self.add_block(Block::text(text));
    }

    pub(crate) fn add_block(&mut self, block: Block) {
        self.asked = None;
        self.pending.push(block);
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

    /// Nothing was said and nothing waits to be said.
    pub(crate) fn is_empty(&self) -> bool {
        self.history.is_empty() && self.pending.is_empty()
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
        }
        self.history.push(answer);
    }

    /// Starts again with an empty history; gives back the person's words of the pending message: neither results nor
    /// reminders, which are made anew.
    pub(crate) fn cut(&mut self) -> Vec<Block> {
        self.history = History::new();
        self.asked = None;
        let is_kept = |block: &Block| match block {
            Block::Text(text) => !text.text.starts_with("<system-reminder>"),
            Block::Image(_) => true,
            Block::ToolResult(_) | Block::ToolUse(_) | Block::Reasoning(_) => false,
        };
        std::mem::take(&mut self.pending).into_iter().filter(is_kept).collect()
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
        assert_eq!(talk.cut(), vec![Block::text("steer")]);
        assert!(talk.is_empty());
    }
}
