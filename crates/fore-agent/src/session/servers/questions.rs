//! A server's question to the person: drawn as the server's, never an approval; where nobody can answer it is cancelled.

use crate::{
    cancel::Cancel,
    command::{FormAnswer, QuestionId},
    event::{Event, NoticeLevel},
    form::{Form, FormOption, FormQuestion, MAX_OPTIONS, MAX_QUESTIONS},
    session::{
        person::pending_questions::{AnswerKind, GivenAnswer},
        session_context::SessionContext,
    },
};
use fore_mcp::{Elicitation, ElicitationAnswer, ElicitationHandler, FormField, FormFieldKind};
use fore_plan::approval::Reachable;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Weak};

const YES: &str = "Yes";
const NO: &str = "No";
const VISITED: &str = "Done, I opened it";
const LEAVE_OUT: &str = "Leave it out";
const USE_DEFAULT: &str = "As it is";
const DECLINE: &str = "Do not answer this server";

/// Brings the questions of one server to the person.
struct ServerQuestions {
    session: Weak<SessionContext>,
    server: String,
}

impl SessionContext {
    /// None where nobody could answer: then the protocol says that the question was cancelled.
    pub(super) fn questions_of(self: &Arc<Self>, server: &str) -> Option<Arc<dyn ElicitationHandler>> {
        match self.person.reachable() {
            Reachable::Nobody => None,
            Reachable::Approver => {
                Some(Arc::new(ServerQuestions { session: Arc::downgrade(self), server: server.to_owned() }))
            }
        }
    }
}

impl ElicitationHandler for ServerQuestions {
    fn ask(&self, question: Elicitation) -> BoxFuture<'_, ElicitationAnswer> {
        Box::pin(async move {
            let Some(context) = self.session.upgrade() else { return ElicitationAnswer::Cancel };
            match question {
                Elicitation::Form { message, fields } => self.form(&context, &message, &fields).await,
                Elicitation::Url { message, url } => {
                    let question = format!("{} asks you to open this page: {url}\n{message}", self.speaker());
                    let form = one_question("page", question, &[VISITED, DECLINE]);
                    match self.answers(&context, form).await.as_deref() {
                        Some([answer]) if answer == VISITED => ElicitationAnswer::Accept(Map::new()),
                        Some(_) => ElicitationAnswer::Decline,
                        None => ElicitationAnswer::Cancel,
                    }
                }
            }
        })
    }
}

impl ServerQuestions {
    fn speaker(&self) -> String {
        format!("The MCP server {} (not the agent)", self.server)
    }

    async fn form(&self, context: &Arc<SessionContext>, message: &str, fields: &[FormField]) -> ElicitationAnswer {
        if fields.len() > MAX_QUESTIONS {
            let text = format!(
                "{} asked for {} values at once, which is more than is shown here.",
                self.speaker(),
                fields.len()
            );
            context.person.notice(NoticeLevel::Warning, text);
            return ElicitationAnswer::Cancel;
        }
        let intro = format!("{} asks: {message}", self.speaker());
        if fields.is_empty() {
            return match self.answers(context, one_question("server", intro, &[YES, DECLINE])).await.as_deref() {
                Some([answer]) if answer == YES => ElicitationAnswer::Accept(Map::new()),
                Some(_) => ElicitationAnswer::Decline,
                None => ElicitationAnswer::Cancel,
            };
        }
        let questions = fields.iter().enumerate().map(|(at, field)| {
            let words = if at == 0 { format!("{intro}\n{}", about(field)) } else { about(field) };
            FormQuestion {
                header: fore_text::cut::ellipsis(&field.title, 20).into_owned(),
                question: words,
                multi_select: matches!(field.kind, FormFieldKind::Choice { several: true, .. }),
                options: options(field)
                    .into_iter()
                    .map(|label| FormOption { label, description: String::new() })
                    .collect(),
            }
        });
        let form = Form { questions: questions.collect(), is_offer: false };
        let Some(answers) = self.chosen(context, form).await else { return ElicitationAnswer::Cancel };
        let mut values = Map::new();
        for (field, answer) in fields.iter().zip(answers) {
            if answer.iter().any(|word| word == DECLINE) {
                return ElicitationAnswer::Decline;
            }
            match value(field, &answer) {
                Ok(Some(value)) => drop(values.insert(field.name.clone(), value)),
                Ok(None) if !field.required => {}
                Ok(None) => return ElicitationAnswer::Decline,
                Err(why) => {
                    let text = format!("Your answer to {} was not sent: {why}.", self.server);
                    context.person.notice(NoticeLevel::Warning, text);
                    return ElicitationAnswer::Cancel;
                }
            }
        }
        ElicitationAnswer::Accept(values)
    }

    async fn answers(&self, context: &Arc<SessionContext>, form: Form) -> Option<Vec<String>> {
        self.chosen(context, form).await.map(|answers| answers.into_iter().flatten().collect())
    }

    /// What the person chose or wrote, for each question; none where they did not answer.
    async fn chosen(&self, context: &Arc<SessionContext>, form: Form) -> Option<Vec<Vec<String>>> {
        let id = QuestionId(format!("server-{}", context.work.next_call().0));
        let receiver = context.person.questions.open(id.clone(), AnswerKind::Form)?;
        context.person.events.send(Event::FormAsked { question: id.clone(), form: form.clone() });
        let given = context.person.questions.answer(&id, receiver, &Cancel::default()).await;
        context.person.events.send(Event::QuestionClosed { question: id });
        match given {
            Some(GivenAnswer::Form(answers)) if answers.len() == form.questions.len() => {
                Some(answers.into_iter().map(words_of).collect())
            }
            Some(
                GivenAnswer::Form(_) | GivenAnswer::Reply(_) | GivenAnswer::Confirmed(_) | GivenAnswer::Approval(_),
            )
            | None => None,
        }
    }
}

fn one_question(header: &str, question: String, options: &[&str]) -> Form {
    let option = |label: &&str| FormOption { label: (*label).to_owned(), description: String::new() };
    let options = options.iter().map(option).collect();
    Form {
        questions: vec![FormQuestion { header: header.into(), question, multi_select: false, options }],
        is_offer: false,
    }
}

/// What was chosen, and what was written besides.
fn words_of(answer: FormAnswer) -> Vec<String> {
    let text = answer.text.trim().to_owned();
    answer.chosen.into_iter().chain((!text.is_empty()).then_some(text)).collect()
}

/// What a field is, in words.
fn about(field: &FormField) -> String {
    let must = if field.required { "" } else { " (not required)" };
    let described = if field.description.is_empty() { String::new() } else { format!(": {}", field.description) };
    let kind = match &field.kind {
        FormFieldKind::Text { format: Some(format), .. } => format!(" [{format}]"),
        FormFieldKind::Number { whole: true, .. } => " [a whole number]".to_owned(),
        FormFieldKind::Number { whole: false, .. } => " [a number]".to_owned(),
        FormFieldKind::Choice { options, .. } if options.len() >= MAX_OPTIONS => {
            let labels: Vec<&str> = options.iter().map(|(_, label)| label.as_str()).collect();
            format!(" [one of: {}]", fore_text::cut::ellipsis(&labels.join(", "), 600))
        }
        FormFieldKind::Text { .. } | FormFieldKind::Boolean | FormFieldKind::Choice { .. } => String::new(),
    };
    format!("{}{must}{described}{kind}", field.title)
}

/// What can be chosen without writing; to answer nothing at all is always there.
fn options(field: &FormField) -> Vec<String> {
    let mut labels: Vec<String> = match &field.kind {
        FormFieldKind::Boolean => vec![YES.into(), NO.into()],
        FormFieldKind::Choice { options, .. } => options.iter().map(|(_, label)| label.clone()).collect(),
        FormFieldKind::Text { .. } | FormFieldKind::Number { .. } => {
            field.default.iter().map(|default| format!("{USE_DEFAULT}: {}", plain(default))).collect()
        }
    };
    labels.truncate(MAX_OPTIONS - 2);
    if !field.required {
        labels.push(LEAVE_OUT.into());
    }
    labels.push(DECLINE.into());
    labels
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The value that the person's words are; none where they left it out. The error says why they are no such value.
fn value(field: &FormField, answer: &[String]) -> Result<Option<Value>, String> {
    if answer.iter().any(|word| word == LEAVE_OUT) {
        return Ok(None);
    }
    let words = answer.join(", ");
    if words.is_empty() {
        return Ok(None);
    }
    if let (Some(default), true) = (&field.default, words.starts_with(USE_DEFAULT)) {
        return Ok(Some(default.clone()));
    }
    let title = &field.title;
    match &field.kind {
        FormFieldKind::Text { .. } => Ok(Some(json!(words))),
        FormFieldKind::Boolean => match words.to_lowercase().as_str() {
            "yes" | "y" | "true" => Ok(Some(json!(true))),
            "no" | "n" | "false" => Ok(Some(json!(false))),
            _ => Err(format!("{title} is yes or no")),
        },
        FormFieldKind::Number { whole: true, .. } => words
            .trim()
            .parse::<i64>()
            .map(|number| Some(json!(number)))
            .map_err(|_| format!("{title} is a whole number")),
        FormFieldKind::Number { whole: false, .. } => {
            let number = words.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            number.map(|number| Some(json!(number))).ok_or_else(|| format!("{title} is a number"))
        }
        FormFieldKind::Choice { options, several, .. } => {
            let known = |word: &str| {
                let found = options.iter().find(|(value, label)| label == word || value == word);
                found.map(|(value, _)| value.clone()).ok_or_else(|| format!("{title} has no choice of that name"))
            };
            let parts =
                || answer.iter().flat_map(|words| words.split(',')).map(str::trim).filter(|word| !word.is_empty());
            match several {
                true => parts().map(known).collect::<Result<Vec<_>, _>>().map(|values| Some(json!(values))),
                false => known(words.trim()).map(|value| Some(json!(value))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: FormFieldKind, required: bool, default: Option<Value>) -> FormField {
        FormField { name: "f".into(), title: "Field".into(), description: String::new(), required, kind, default }
    }

    fn read(field: &FormField, answer: &[&str]) -> Result<Option<Value>, String> {
        value(field, &answer.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_a_person_writes_is_the_value_that_the_field_asks_for_or_is_not_sent() {
        let text = field(FormFieldKind::Text { min: None, max: None, format: None }, true, Some(json!("main")));
        assert_eq!(options(&text), ["As it is: main", DECLINE]);
        assert_eq!(read(&text, &["dev"]), Ok(Some(json!("dev"))));
        assert_eq!(read(&text, &["As it is: main"]), Ok(Some(json!("main"))));
        let number = field(FormFieldKind::Number { whole: true, min: None, max: None }, false, None);
        assert_eq!(options(&number), [LEAVE_OUT, DECLINE]);
        assert_eq!(read(&number, &["7"]), Ok(Some(json!(7))));
        assert_eq!(read(&number, &[LEAVE_OUT]), Ok(None));
        assert_eq!(read(&number, &["many"]), Err("Field is a whole number".into()));
        let boolean = field(FormFieldKind::Boolean, true, None);
        assert_eq!(options(&boolean), [YES, NO, DECLINE]);
        assert_eq!(
            (read(&boolean, &[NO]), read(&boolean, &["perhaps"])),
            (Ok(Some(json!(false))), Err("Field is yes or no".into()))
        );
        let values = ["a", "b", "c", "d"].map(|letter| (letter.to_owned(), letter.to_uppercase())).to_vec();
        let choice = field(FormFieldKind::Choice { options: values, several: true, min: None, max: None }, true, None);
        assert_eq!(options(&choice), ["A", "B", DECLINE], "the others are written");
        assert_eq!(read(&choice, &["A", "D, c"]), Ok(Some(json!(["a", "d", "c"]))));
        assert_eq!(read(&choice, &["E"]), Err("Field has no choice of that name".into()));
        assert_eq!(read(&choice, &["A", "D"]), Ok(Some(json!(["a", "d"]))));
    }
}
