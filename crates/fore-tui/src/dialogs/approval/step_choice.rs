//! Some steps of a plan alone: what is left out is taken from the text at once, so that what is seen is what is approved.

use super::{ApprovalDialog, ReviewPage};
use crate::theme::TextRole;
use fore_plan::plan::{PlanStep, left_out_words, only_steps, steps};

/// The plan with all of its steps, and which of them are left out.
#[derive(Debug)]
pub(super) struct LeftOutSteps {
    pub(super) whole: String,
    /// In the order in which they were left out.
    numbers: Vec<u32>,
}

impl LeftOutSteps {
    fn kept(&self) -> Vec<u32> {
        steps(&self.whole).iter().map(|step| step.number).filter(|number| !self.numbers.contains(number)).collect()
    }

    /// The line of the whole plan that this line of the rest is.
    fn line_in_whole(&self, line: u32) -> u32 {
        let out: Vec<PlanStep> =
            steps(&self.whole).into_iter().filter(|step| self.numbers.contains(&step.number)).collect();
        out.iter().fold(line, |line, step| {
            if step.first_line <= line { line.saturating_add(step.last_line - step.first_line + 1) } else { line }
        })
    }
}

impl ApprovalDialog {
    /// The words of a no: what was said, and which steps were left out.
    pub(super) fn words_of_no(&self, said: &str) -> String {
        let left_out = self.left_out.as_ref().and_then(|it| left_out_words(&it.whole, &it.kept()));
        let said = Some(said.trim().to_owned()).filter(|said| !said.is_empty());
        said.into_iter().chain(left_out).collect::<Vec<_>>().join("\n\n")
    }

    /// The numbers of the steps that an approval is about; none if it is about all.
    pub(super) fn chosen_steps(&self) -> Option<Vec<u32>> {
        self.left_out.as_ref().map(LeftOutSteps::kept)
    }

    /// The person's edit without regard to steps.
    pub(super) fn whole_edit(&self) -> Option<String> {
        match &self.left_out {
            Some(left_out) => Some(&left_out.whole).filter(|whole| **whole != self.asked.request.plan_content).cloned(),
            None => self.is_edited().then(|| self.text.clone()),
        }
    }

    /// `2 of 3 steps`; none if all of them are meant.
    pub(super) fn step_words(&self) -> Option<String> {
        let left_out = self.left_out.as_ref()?;
        Some(format!("{} of {} steps", left_out.kept().len(), steps(&left_out.whole).len()))
    }

    /// Leaves the step out that the cursor is in.
    pub(super) fn leave_step_out(&mut self) {
        if self.page != ReviewPage::Plan {
            return;
        }
        let Some(lines) = self.plan_view().chosen() else { return };
        let before = self.left_out.take();
        let whole = before.as_ref().map_or_else(|| self.text.clone(), |before| before.whole.clone());
        let line = before.as_ref().map_or(lines.first, |before| before.line_in_whole(lines.first));
        let numbers = before.as_ref().map(|before| before.numbers.clone()).unwrap_or_default();
        let all = steps(&whole);
        let here = all.iter().find(|step| (step.first_line..=step.last_line).contains(&line));
        match here {
            None => {
                self.left_out = before;
                let words =
                    if all.is_empty() { "This plan has no numbered steps." } else { "This line is in no step." };
                self.say(TextRole::Faint, words);
            }
            Some(_) if numbers.len() + 1 >= all.len() => {
                self.left_out = before;
                self.say(TextRole::Warning, "One step has to stay; to approve none of them, keep planning.");
            }
            Some(step) => {
                let numbers: Vec<u32> = numbers.into_iter().chain([step.number]).collect();
                self.show_steps(LeftOutSteps { whole, numbers });
            }
        }
    }

    /// Takes back the step that was left out last.
    pub(super) fn bring_step_back(&mut self) {
        match self.left_out.take() {
            None => self.say(TextRole::Faint, "No step is left out."),
            Some(mut left_out) => {
                left_out.numbers.pop();
                self.show_steps(left_out);
            }
        }
    }

    fn show_steps(&mut self, left_out: LeftOutSteps) {
        let Some(text) = only_steps(&left_out.whole, &left_out.kept()) else { return };
        let is_whole = left_out.numbers.is_empty();
        self.take_edit(text);
        if is_whole {
            return self.say(TextRole::Person, "All steps again.");
        }
        self.left_out = Some(left_out);
        let words = self.step_words().unwrap_or_default();
        self.say(TextRole::Person, format!("Left out: approving now approves {words}. S brings it back."));
    }
}
