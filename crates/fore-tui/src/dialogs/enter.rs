//! The model wants to plan first. Only an explicit choice answers; Esc declines.

use super::{
    Dialog, DialogStep, Focus,
    choices::{ChoiceRow, ChoiceStep, Choices, TypedLetters},
    layout::{DialogLayout, Scroll},
    text::paragraph,
};
use crate::{
    theme::TextRole,
    view::{Space, View},
};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind};
use fore_agent::{Command, QuestionId};

/// Whether the model may enter plan mode.
#[derive(Debug)]
pub(crate) struct EnterDialog {
    question: QuestionId,
    choices: Choices,
    typed: TypedLetters,
    scroll: Scroll,
}

impl EnterDialog {
    pub(crate) fn new(question: QuestionId) -> EnterDialog {
        let rows = vec![
            ChoiceRow::new("Plan first").letter('y').detail("it reads, writes a plan, and asks you before any change"),
            ChoiceRow::new("No, continue").letter('n').detail("it works in the mode you are in"),
        ];
        EnterDialog { question, choices: Choices::new(rows), typed: TypedLetters::default(), scroll: Scroll::default() }
    }

    fn confirm(&self, yes: bool) -> DialogStep {
        DialogStep::Send(Command::ConfirmPlanning { question: self.question.clone(), yes })
    }
}

impl Dialog for EnterDialog {
    fn key(&mut self, key: KeyEvent) -> DialogStep {
        if key.kind == KeyEventKind::Press && key.code == KeyCode::Esc {
            return self.confirm(false);
        }
        let chosen = self.choices.key(&key);
        if let Some(text) = self.typed.written(&key, chosen) {
            return DialogStep::Written(text);
        }
        match chosen {
            ChoiceStep::Row(row) => self.confirm(row == 0),
            ChoiceStep::Moved | ChoiceStep::Nothing => {
                self.scroll.key(&key);
                DialogStep::Stay
            }
        }
    }

    fn paste(&mut self, _text: &str) {}

    fn left(&mut self) {
        self.typed.clear();
        self.choices.unselect();
    }

    fn view(&mut self, space: Space, focus: Focus) -> View {
        let words = "The model wants to plan first. Nothing changes while it plans.";
        let body = paragraph(words, space.theme.style(TextRole::Plain), space.width);
        let choices = self.choices.draw(space.width, usize::from(space.height).saturating_sub(4), &space.theme);
        let select = self.choices.select_keys();
        let keys: &[(&str, &str)] = match self.choices.selected() {
            None => &[(&select, "select"), ("Esc", "no, continue")],
            Some(_) => &[("Enter", "confirms"), ("Esc", "no, continue")],
        };
        let layout = DialogLayout { title: "Plan first?", body: &body, choices, cursor: None, keys };
        layout.draw(&mut self.scroll, space, focus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialogs::test_support::{any_keys, any_spaces, live, press, shown};
    use proptest::prelude::*;

    fn dialog() -> EnterDialog {
        EnterDialog::new(QuestionId("enter-1".into()))
    }

    fn confirms(yes: bool) -> DialogStep {
        DialogStep::Send(Command::ConfirmPlanning { question: QuestionId("enter-1".into()), yes })
    }

    #[test]
    fn c3_the_person_confirms_that_the_model_plans_first() {
        insta::assert_snapshot!(shown(&mut dialog(), 80, 20), @r"
        ── Plan first? ─────────────────────────────────────────────────────────────────
        The model wants to plan first. Nothing changes while it plans.

          1. Plan first
             it reads, writes a plan, and asks you before any change
          2. No, continue
             it works in the mode you are in
        1-2 or arrows select • Esc no, continue
        ");
        insta::assert_snapshot!(shown(&mut dialog(), 40, 8), @r"
        ── Plan first? ─────────────────────────
        The model wants to plan first. Nothing
        changes while it plans.

          1. Plan first
          2. No, continue
        1-2 or arrows select • Esc no, continue
        ");
        let page = [
            ("enter enter", DialogStep::Stay),
            ("1 enter", confirms(true)),
            ("y enter", confirms(true)),
            ("down enter", confirms(true)),
            ("n enter", confirms(false)),
            ("up enter", confirms(false)),
            ("esc", confirms(false)),
        ];
        for (keys, step) in page {
            assert_eq!(press(&mut dialog(), keys), step, "{keys}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_keys_draw_inside_the_space(keys in any_keys(), spaces in any_spaces()) {
            live(&mut dialog(), &keys, &spaces);
        }
    }
}
