//! Questions as forms for clients that have them, and what was filled in. Pure. A form never asks for a secret.

use super::plan_card;
use agent_client_protocol::v1::schema::{
    ElicitationContentValue, ElicitationSchema, EnumOption, MultiSelectPropertySchema, StringPropertySchema,
};
use fore_agent::{Form, FormAnswer, FormQuestion};
use fore_plan::approval::ExitRequest;
use std::{collections::BTreeMap, fmt::Write as _};

/// The field of a reason.
pub(super) const REASON: &str = "reason";
const CHOICE: &str = "choice";

/// A question and what its options mean, as text.
pub(super) fn words(question: &FormQuestion) -> String {
    let mut page = format!("{}\n", question.question);
    for option in &question.options {
        let about = if option.description.is_empty() { String::new() } else { format!(": {}", option.description) };
        let _ = write!(page, "\n- {}{about}", option.label);
    }
    page
}

/// The form of the model's questions. Each has a field for words of one's own beside its options.
pub(super) fn schema(form: &Form) -> (String, ElicitationSchema) {
    let mut schema = ElicitationSchema::new();
    for (number, question) in form.questions.iter().enumerate() {
        let options: Vec<EnumOption> = question
            .options
            .iter()
            .enumerate()
            .map(|(at, option)| {
                let about = (!option.description.is_empty()).then(|| line(&option.description));
                EnumOption::new(at.to_string(), line(&option.label)).description(about)
            })
            .collect();
        let title = line(&question.question);
        schema = if question.multi_select {
            schema.property(chosen(number), MultiSelectPropertySchema::titled(options).title(title), false)
        } else {
            schema.property(chosen(number), StringPropertySchema::new().title(title).one_of(options), false)
        };
        if !form.is_offer {
            let own = StringPropertySchema::new().title("Something else, in your words".to_owned());
            schema = schema.property(written(number), own, false);
        }
    }
    let message = form.questions.iter().map(words).collect::<Vec<_>>().join("\n\n");
    (message, schema)
}

/// What was filled in, question by question.
pub(super) fn answers(form: &Form, content: &BTreeMap<String, ElicitationContentValue>) -> Vec<FormAnswer> {
    let answer = |(number, question): (usize, &FormQuestion)| {
        let label = |id: &String| {
            id.parse::<usize>().ok().and_then(|at| question.options.get(at)).map(|option| option.label.clone())
        };
        let chosen = match content.get(&chosen(number)) {
            Some(ElicitationContentValue::String(id)) => label(id).into_iter().collect(),
            Some(ElicitationContentValue::StringArray(ids)) if question.multi_select => {
                ids.iter().filter_map(label).collect()
            }
            _ => Vec::new(),
        };
        let text = match content.get(&written(number)) {
            Some(ElicitationContentValue::String(text)) if !form.is_offer => text.trim().to_owned(),
            _ => String::new(),
        };
        FormAnswer { chosen, text }
    };
    form.questions.iter().enumerate().map(answer).collect()
}

/// The answers to a plan with a field for words.
pub(super) fn plan_schema(request: &ExitRequest) -> ElicitationSchema {
    let options = plan_card::offered(request)
        .into_iter()
        .map(|kind| EnumOption::new(kind.word(), line(&plan_card::label(request, kind))))
        .collect::<Vec<_>>();
    let choice = StringPropertySchema::new().title("Your answer".to_owned()).one_of(options);
    ElicitationSchema::new().property(CHOICE, choice, true).property(REASON, reason_field(), false)
}

/// What was answered to a plan: the word, and the words.
pub(super) fn plan_answer(content: &BTreeMap<String, ElicitationContentValue>) -> (String, String) {
    let text = |key: &str| match content.get(key) {
        Some(ElicitationContentValue::String(text)) => text.trim().to_owned(),
        _ => String::new(),
    };
    (text(CHOICE), text(REASON))
}

/// The reason to plan on.
pub(super) fn reason_schema() -> ElicitationSchema {
    ElicitationSchema::new().property(REASON, reason_field(), false)
}

fn reason_field() -> StringPropertySchema {
    StringPropertySchema::new().title("What should be different?".to_owned())
}

fn chosen(number: usize) -> String {
    format!("answer{}", number + 1)
}

fn written(number: usize) -> String {
    format!("words{}", number + 1)
}

fn line(text: &str) -> String {
    fore_text::line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fore_agent::FormOption;
    use serde_json::json;

    #[test]
    fn a_form_comes_back_as_the_answers_to_its_questions() {
        let option = |label: &str| FormOption { label: label.into(), description: String::new() };
        let question = |multi_select| FormQuestion {
            header: String::new(),
            question: "Which?".into(),
            multi_select,
            options: vec![option("a"), option("b")],
        };
        let form = Form { questions: vec![question(false), question(true)], is_offer: false };
        let shown = serde_json::to_value(schema(&form).1).unwrap();
        let names: Vec<&String> = shown["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["answer1", "answer2", "words1", "words2"]);
        let content = |value| serde_json::from_value(value).unwrap();
        let filled = answers(&form, &content(json!({"answer1": "1", "answer2": ["0", "7"], "words2": " c "})));
        let expected = [
            FormAnswer { chosen: vec!["b".into()], text: String::new() },
            FormAnswer { chosen: vec!["a".into()], text: "c".into() },
        ];
        assert_eq!(filled, expected);
        assert_eq!(
            answers(&form, &content(json!({"answer1": 3}))),
            vec![FormAnswer::default(); 2],
            "what was not offered is nothing"
        );
    }
}
