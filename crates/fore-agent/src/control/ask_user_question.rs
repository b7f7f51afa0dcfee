//! `AskUserQuestion`: a small form for the person (F6), and its answers in words for the model.

use super::InputError;
use crate::{
    command::FormAnswer,
    form::{Form, MAX_OPTIONS, MAX_QUESTIONS, MIN_OPTIONS},
    tools::input,
};
use fore_model::ToolSchema;
use fore_plan::ToolName;
use serde_json::Value;

const MAX_TEXT_CHARS: usize = 2_000;
const MAX_ANSWER_CHARS: usize = 16_000;

pub(crate) const NOBODY: &str = "Nobody can answer questions in this run. Decide by what the code and the request say, \
     choose the most careful option where they do not, and name the open question and your assumption in your answer or plan.";
pub(crate) const DISMISSED: &str =
    "The person closed the questions without answering. Do not ask the same again; wait for what they say next.";

pub(crate) fn schema() -> ToolSchema {
    ToolSchema {
        name: ToolName::AskUserQuestion.name().into(),
        description: include_str!("ask_user_question.md").trim_end().into(),
        parameters: input::schema::<Form>(),
    }
}

/// Reads the form; numbers of questions and options are held to F6.
pub(crate) fn parse(input: &Value) -> Result<Form, InputError> {
    let mut form: Form = input::read(input, &[]).map_err(|why| why.to_string())?;
    if form.questions.is_empty() || form.questions.len() > MAX_QUESTIONS {
        return Err(format!("ask one to {MAX_QUESTIONS} questions, not {}", form.questions.len()));
    }
    let cut = |text: &mut String| *text = text.chars().take(MAX_TEXT_CHARS).collect();
    for (index, question) in form.questions.iter_mut().enumerate() {
        let count = question.options.len();
        if !(MIN_OPTIONS..=MAX_OPTIONS).contains(&count) {
            let number = index + 1;
            return Err(format!("question {number} has {count} options; {MIN_OPTIONS} to {MAX_OPTIONS} are right"));
        }
        if question.question.trim().is_empty() {
            return Err(format!("question {} is empty", index + 1));
        }
        cut(&mut question.question);
        cut(&mut question.header);
        for option in &mut question.options {
            cut(&mut option.label);
            cut(&mut option.description);
        }
    }
    Ok(form)
}

/// The answers as the model reads them; the error says why they do not fit the form.
pub(crate) fn answers(form: &Form, answers: &[FormAnswer]) -> Result<String, InputError> {
    if answers.len() != form.questions.len() {
        return Err(format!("the form has {} questions, {} were answered", form.questions.len(), answers.len()));
    }
    let mut words = vec!["The person answered:".to_owned()];
    for (question, answer) in form.questions.iter().zip(answers) {
        if !question.multi_select && answer.chosen.len() > 1 {
            return Err(format!("`{}` takes one answer", question.question));
        }
        let unknown = answer.chosen.iter().find(|label| question.options.iter().all(|option| option.label != **label));
        if let Some(label) = unknown {
            return Err(format!("`{label}` is not an option of `{}`", question.question));
        }
        let free: String = answer.text.trim().chars().take(MAX_ANSWER_CHARS).collect();
        let said = match (answer.chosen.is_empty(), free.is_empty()) {
            (true, true) => "(no answer)".to_owned(),
            (true, false) => free,
            (false, true) => answer.chosen.join(", "),
            (false, false) => format!("{}; {free}", answer.chosen.join(", ")),
        };
        words.push(format!("- {} {said}", question.question));
    }
    Ok(words.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn form(options: usize, multi: bool) -> Value {
        let options: Vec<Value> = (0..options).map(|number| json!({"label": format!("o{number}")})).collect();
        json!({"questions": [{"question": "Which?", "multiSelect": multi, "options": options}]})
    }

    #[test]
    fn f6_a_form_has_one_to_four_questions_with_two_to_four_options() {
        assert!(parse(&form(2, false)).is_ok() && parse(&form(4, true)).is_ok());
        assert_eq!(parse(&form(1, false)).unwrap_err(), "question 1 has 1 options; 2 to 4 are right");
        assert_eq!(parse(&form(5, false)).unwrap_err(), "question 1 has 5 options; 2 to 4 are right");
        assert_eq!(parse(&json!({"questions": []})).unwrap_err(), "ask one to 4 questions, not 0");
        let one = form(2, false)["questions"][0].clone();
        let five = json!({"questions": vec![one; 5]});
        assert_eq!(parse(&five).unwrap_err(), "ask one to 4 questions, not 5");
    }

    #[test]
    fn f6_there_is_always_a_free_answer_and_only_known_options_count() {
        let form = parse(&form(2, false)).unwrap();
        let answer = |chosen: &[&str], text: &str| {
            let chosen = chosen.iter().map(|label| (*label).to_owned()).collect();
            answers(&form, &[FormAnswer { chosen, text: text.into() }])
        };
        assert_eq!(answer(&["o1"], "").unwrap(), "The person answered:\n- Which? o1");
        assert_eq!(answer(&[], "neither, because x").unwrap(), "The person answered:\n- Which? neither, because x");
        assert_eq!(answer(&["o1"], "but small").unwrap(), "The person answered:\n- Which? o1; but small");
        assert_eq!(answer(&[], " ").unwrap(), "The person answered:\n- Which? (no answer)");
        assert_eq!(answer(&["o0", "o1"], "").unwrap_err(), "`Which?` takes one answer");
        assert_eq!(answer(&["Do it"], "").unwrap_err(), "`Do it` is not an option of `Which?`");
        assert_eq!(answers(&form, &[]).unwrap_err(), "the form has 1 questions, 0 were answered");
    }
}
