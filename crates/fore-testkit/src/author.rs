//! The way tests write scripts: short functions for parts and turns, chained on `Script` and `Turn`.

use serde_json::Value;

use crate::expect::{Expect, ResultExpect, ValueExpect};
use crate::script::{
    Chunking, CutAt, CutHow, FailureKind, Fault, HistoryRule, ModelScript, Noise, ProviderFailure, RetryAfter,
    ScriptedCall, ScriptedConversation, ScriptedStop, ScriptedTurn, ScriptedUsage, TurnPart, UnusedTurns,
};

/// A turn that says words.
pub fn text(words: impl Into<String>) -> ScriptedTurn {
    ScriptedTurn::default().text(words)
}

/// A turn that thinks; chain what it says after it.
pub fn reasoning(words: impl Into<String>) -> ScriptedTurn {
    ScriptedTurn::default().reasoning(words)
}

/// A turn that calls a tool; chain more for parallel calls.
pub fn call(name: impl Into<String>, arguments: Value) -> ScriptedTurn {
    ScriptedTurn::default().call(name, arguments)
}

/// A turn that calls a tool with arguments that are literally this text.
pub fn call_raw(name: impl Into<String>, arguments: impl Into<String>) -> ScriptedTurn {
    ScriptedTurn::default().call_raw(name, arguments)
}

/// A turn that fails with the provider's own error.
pub fn failure(kind: FailureKind) -> ScriptedTurn {
    ScriptedTurn::default().fault(Fault::Status(ProviderFailure::new(kind)))
}

/// A turn that fails with 429 and `retry-after` in seconds.
pub fn rate_limited(seconds: u64) -> ScriptedTurn {
    let failure = ProviderFailure {
        retry_after: Some(RetryAfter::Seconds(seconds)),
        ..ProviderFailure::new(FailureKind::RateLimit)
    };
    ScriptedTurn::default().fault(Fault::Status(failure))
}

/// A turn in which the connection closes before the first byte.
pub fn hang_up() -> ScriptedTurn {
    ScriptedTurn::default().fault(Fault::HangUp)
}

impl ModelScript {
    /// A script without turns.
    pub fn new() -> ModelScript {
        ModelScript::default()
    }

    /// Adds a turn to the main conversation.
    #[must_use]
    pub fn turn(mut self, turn: ScriptedTurn) -> ModelScript {
        self.turns.push(turn);
        self
    }

    /// Adds a conversation for requests whose system prompt or first user message contains `key`.
    #[must_use]
    pub fn conversation(
        mut self,
        name: impl Into<String>,
        key: impl Into<String>,
        turns: impl IntoIterator<Item = ScriptedTurn>,
    ) -> ModelScript {
        self.conversations.push(ScriptedConversation {
            name: name.into(),
            key: key.into(),
            turns: turns.into_iter().collect(),
        });
        self
    }

    /// Names a model that exists; from then on no other does.
    #[must_use]
    pub fn model(mut self, name: impl Into<String>) -> ModelScript {
        self.models.push(name.into());
        self
    }

    /// Accepts only this key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> ModelScript {
        self.key = Some(key.into());
        self
    }

    /// Accepts calls and signatures in the history that this server did not make.
    #[must_use]
    pub fn foreign_history(mut self) -> ModelScript {
        self.history = HistoryRule::Foreign;
        self
    }

    /// Lets `finish` accept turns that nobody asked for.
    #[must_use]
    pub fn allow_unused_turns(mut self) -> ModelScript {
        self.unused_turns = UnusedTurns::Allow;
        self
    }
}

impl ScriptedTurn {
    /// Says words.
    #[must_use]
    pub fn text(mut self, words: impl Into<String>) -> ScriptedTurn {
        self.say.push(TurnPart::Text(words.into()));
        self
    }

    /// Thinks.
    #[must_use]
    pub fn reasoning(mut self, words: impl Into<String>) -> ScriptedTurn {
        self.say.push(TurnPart::Reasoning(words.into()));
        self
    }

    /// Calls a tool.
    #[must_use]
    pub fn call(mut self, name: impl Into<String>, arguments: Value) -> ScriptedTurn {
        self.say.push(TurnPart::Call(ScriptedCall {
            name: name.into(),
            arguments: Some(arguments),
            raw_arguments: None,
            id: None,
        }));
        self
    }

    /// Calls a tool with arguments that are literally this text.
    #[must_use]
    pub(crate) fn call_raw(mut self, name: impl Into<String>, arguments: impl Into<String>) -> ScriptedTurn {
        self.say.push(TurnPart::Call(ScriptedCall {
            name: name.into(),
            arguments: None,
            raw_arguments: Some(arguments.into()),
            id: None,
        }));
        self
    }

    /// Sets the token counts.
    #[must_use]
    pub fn usage(mut self, usage: ScriptedUsage) -> ScriptedTurn {
        self.usage = Some(usage);
        self
    }

    /// Sets why the answer ends.
    #[must_use]
    pub fn stop_because(mut self, stop: ScriptedStop) -> ScriptedTurn {
        self.stop = Some(stop);
        self
    }

    /// Sets what goes wrong.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> ScriptedTurn {
        self.fault = Some(fault);
        self
    }

    /// Breaks the connection at this place.
    #[must_use]
    pub fn cut(self, at: CutAt) -> ScriptedTurn {
        self.fault(Fault::Cut { at, how: CutHow::Break })
    }

    /// Ends the response properly at this place, without the protocol's last events.
    #[must_use]
    pub fn end_early(self, at: CutAt) -> ScriptedTurn {
        self.fault(Fault::Cut { at, how: CutHow::End })
    }

    /// Sends nothing more after so many events, until the client closes.
    #[must_use]
    pub fn stall(self, after_event: usize) -> ScriptedTurn {
        self.fault(Fault::Stall { after_event })
    }

    /// Adds something that a client has to bear.
    #[must_use]
    pub fn noise(mut self, noise: Noise) -> ScriptedTurn {
        self.noise.push(noise);
        self
    }

    /// Sets how content and bytes are cut.
    #[must_use]
    pub fn chunking(mut self, pace: Chunking) -> ScriptedTurn {
        self.pace = pace;
        self
    }

    /// Streams so many pieces of this many characters a second.
    #[must_use]
    pub fn rate(mut self, per_second: u32, piece_chars: usize) -> ScriptedTurn {
        self.rate = Some(per_second);
        self.pace.piece_chars = piece_chars;
        self
    }

    /// The last user message must contain this.
    #[must_use]
    pub fn expect_user(mut self, part: impl Into<String>) -> ScriptedTurn {
        self.expectation().last_user_contains = Some(part.into());
        self
    }

    /// The system prompt must contain this.
    #[must_use]
    pub fn expect_system(mut self, part: impl Into<String>) -> ScriptedTurn {
        self.expectation().system_contains = Some(part.into());
        self
    }

    /// The last message must hold a result of this tool that contains this text.
    #[must_use]
    pub fn expect_result(mut self, tool: impl Into<String>, part: impl Into<String>) -> ScriptedTurn {
        let result = ResultExpect { tool: tool.into(), contains: Some(part.into()), lacks: None, is_error: None };
        self.expectation().results.push(result);
        self
    }

    /// The request must offer this tool.
    #[must_use]
    pub fn expect_tool(mut self, name: impl Into<String>) -> ScriptedTurn {
        self.expectation().tools.push(name.into());
        self
    }

    /// The request body must fulfil this.
    #[must_use]
    pub fn expect_value(mut self, value: ValueExpect) -> ScriptedTurn {
        self.expectation().values.push(value);
        self
    }

    fn expectation(&mut self) -> &mut Expect {
        self.expect.get_or_insert_with(Expect::default)
    }
}
