//! Mode, model and thinking as options of a session. The modes are told the old way, too, and both always say the same.

use agent_client_protocol::v1::schema::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption, SessionMode, SessionModeState,
};
use fore_model::{Effort, Thinking};
use fore_plan::{Level, Mode};

pub(super) const MODE: &str = "mode";
pub(super) const MODEL: &str = "model";
pub(super) const THINKING: &str = "thinking";

/// Models that are offered.
const MAX_MODELS: usize = 100;

/// What can be chosen in a session, and what is.
#[derive(Clone, Debug)]
pub(super) struct SessionChoices {
    pub(super) mode: Mode,
    /// Those that are open.
    pub(super) modes: Vec<Mode>,
    /// The one that plans and the one that acts.
    pub(super) plan_model: String,
    pub(super) act_model: String,
    /// By name, with the reason why it is known.
    pub(super) models: Vec<(String, String)>,
    pub(super) thinking: ThinkingChoice,
}

/// How much the model reasons, as far as it was chosen here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ThinkingChoice {
    /// As the settings say.
    #[default]
    Usual,
    Off,
    Low,
    Medium,
    High,
}

impl ThinkingChoice {
    const ALL: [ThinkingChoice; 5] =
        [ThinkingChoice::Usual, ThinkingChoice::Off, ThinkingChoice::Low, ThinkingChoice::Medium, ThinkingChoice::High];

    fn word(self) -> &'static str {
        match self {
            ThinkingChoice::Usual => "usual",
            ThinkingChoice::Off => "off",
            ThinkingChoice::Low => "low",
            ThinkingChoice::Medium => "medium",
            ThinkingChoice::High => "high",
        }
    }

    fn about(self) -> &'static str {
        match self {
            ThinkingChoice::Usual => "As your settings say",
            ThinkingChoice::Off => "As little as possible",
            ThinkingChoice::Low => "A little",
            ThinkingChoice::Medium => "Some",
            ThinkingChoice::High => "A lot",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<ThinkingChoice> {
        ThinkingChoice::ALL.into_iter().find(|choice| choice.word() == word)
    }

    /// What is asked of the model; none: whatever was set up.
    pub(super) fn asked(self) -> Option<Thinking> {
        match self {
            ThinkingChoice::Usual => None,
            ThinkingChoice::Off => Some(Thinking::Off),
            ThinkingChoice::Low => Some(Thinking::Effort(Effort::Low)),
            ThinkingChoice::Medium => Some(Thinking::Effort(Effort::Medium)),
            ThinkingChoice::High => Some(Thinking::Effort(Effort::High)),
        }
    }
}

/// The mode of this id.
pub(super) fn mode_of(id: &str) -> Option<Mode> {
    Mode::ALL.into_iter().find(|mode| mode.name() == id)
}

fn mode_words(mode: Mode) -> (&'static str, &'static str) {
    match mode {
        Mode::Plan => ("Plan", "Read and plan: nothing changes until you approve"),
        Mode::At(Level::Default) => ("Default", "Asks before each change"),
        Mode::At(Level::AcceptEdits) => ("Accept edits", "Edits in the project are not asked about"),
        Mode::At(Level::Auto) => ("Auto", "A model judges each call"),
        Mode::At(Level::BypassPermissions) => ("Bypass permissions", "Nothing is asked"),
    }
}

impl SessionChoices {
    /// The model that answers now.
    pub(super) fn model(&self) -> &str {
        match self.mode {
            Mode::Plan => &self.plan_model,
            Mode::At(_) => &self.act_model,
        }
    }

    pub(super) fn mode_state(&self) -> SessionModeState {
        let mode = |mode: &Mode| {
            let (name, about) = mode_words(*mode);
            SessionMode::new(mode.name(), name).description(about.to_owned())
        };
        SessionModeState::new(self.mode.name(), self.shown_modes().iter().map(mode).collect())
    }

    /// All options, in the order in which they matter.
    pub(super) fn options(&self) -> Vec<SessionConfigOption> {
        let row = |value: &str, name: &str, about: &str| {
            SessionConfigSelectOption::new(value.to_owned(), name.to_owned()).description(about.to_owned())
        };
        let modes: Vec<_> = self
            .shown_modes()
            .iter()
            .map(|mode| {
                let (name, about) = mode_words(*mode);
                row(mode.name(), name, about)
            })
            .collect();
        let line = |text: &str| fore_text::line(text).into_owned();
        let mut models: Vec<_> =
            self.models.iter().take(MAX_MODELS).map(|(name, why)| row(name, &line(name), &line(why))).collect();
        if self.models.iter().take(MAX_MODELS).all(|(name, _)| name != self.model()) {
            models.insert(0, row(self.model(), &line(self.model()), "in use"));
        }
        let thinking: Vec<_> = ThinkingChoice::ALL.iter().map(|one| row(one.word(), one.about(), "")).collect();
        vec![
            SessionConfigOption::select(MODE, "Mode", self.mode.name(), modes)
                .category(SessionConfigOptionCategory::Mode),
            SessionConfigOption::select(MODEL, "Model", self.model().to_owned(), models)
                .category(SessionConfigOptionCategory::Model),
            SessionConfigOption::select(THINKING, "Thinking", self.thinking.word(), thinking)
                .category(SessionConfigOptionCategory::ThoughtLevel),
        ]
    }

    /// The open ones, and the one that is set in any case.
    fn shown_modes(&self) -> Vec<Mode> {
        Mode::ALL.into_iter().filter(|mode| self.modes.contains(mode) || *mode == self.mode).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_the_option_for_them_say_the_same() {
        let choices = SessionChoices {
            mode: Mode::Plan,
            modes: vec![Mode::Plan, Mode::At(Level::Default)],
            plan_model: "a/plan".into(),
            act_model: "a/act".into(),
            models: vec![("a/act".into(), "a key".into())],
            thinking: ThinkingChoice::Usual,
        };
        let modes = serde_json::to_value(choices.mode_state()).unwrap();
        let options = serde_json::to_value(choices.options()).unwrap();
        assert_eq!(modes["currentModeId"], options[0]["currentValue"]);
        let names = |list: &serde_json::Value, key: &str| {
            list.as_array().unwrap().iter().map(|one| one[key].clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&modes["availableModes"], "id"), names(&options[0]["options"], "value"));
        assert_eq!(options[1]["currentValue"], "a/plan", "the one that answers now is among them");
        assert_eq!(names(&options[1]["options"], "value"), ["a/plan", "a/act"]);
        assert_eq!(options[2]["category"], "thought_level");
    }
}
