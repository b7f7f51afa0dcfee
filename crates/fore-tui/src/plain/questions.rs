//! Questions as numbered lines. An answer is a line that begins with a slash and a number, so that nothing that was
//! written as a message can answer one. A plan has an answer of its own, `/answer N`: what was typed ahead for another
//! question cannot approve one.

use crate::app::share;
use fore_agent::{
    Command,
    command::{FormAnswer, QuestionId, Reply},
    event::{ApprovalAsked, PermissionRequest},
    form::Form,
};
use fore_plan::approval::{Comment, ExitResponse};
use std::ops::RangeInclusive;

/// The answer that empties the context.
const CLEARS: &str = "clearContextAndStart";
/// Comments that one answer may have.
pub(super) const MAX_COMMENTS: usize = 100;

/// One question that waits.
#[derive(Clone, Debug)]
pub(super) enum PlainQuestion {
    Permission(Box<PermissionRequest>),
    /// The answers given so far, one for each question.
    Form {
        question: QuestionId,
        form: Form,
        answers: Vec<FormAnswer>,
    },
    EnterPlan(QuestionId),
    Approval(Box<PlainApproval>),
}

/// A plan that waits, with what the person wrote about it.
#[derive(Clone, Debug)]
pub(super) struct PlainApproval {
    pub(super) asked: ApprovalAsked,
    pub(super) comments: Vec<Comment>,
    /// The plan as the person changed it.
    pub(super) edited: Option<String>,
    /// The choice that has to be made once more.
    confirms: Option<usize>,
}

/// What a line led to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QuestionStep {
    /// It was no answer.
    NotMeant,
    Say(String),
    /// The answer; the question is over for us.
    Answer(Command),
    /// Open the editor on the plan.
    Edit(String),
}

impl PlainQuestion {
    pub(super) fn permission(asked: PermissionRequest) -> PlainQuestion {
        PlainQuestion::Permission(Box::new(asked))
    }

    pub(super) fn form(question: QuestionId, form: Form) -> PlainQuestion {
        PlainQuestion::Form { question, form, answers: Vec::new() }
    }

    /// Whether this is the question with that id.
    pub(super) fn is(&self, id: &QuestionId) -> bool {
        match self {
            PlainQuestion::Permission(asked) => asked.question == *id,
            PlainQuestion::Form { question, .. } | PlainQuestion::EnterPlan(question) => question == id,
            PlainQuestion::Approval(approval) => approval.asked.request.agent_id == id.0,
        }
    }

    /// Which question it is.
    pub(super) fn name(&self) -> QuestionId {
        match self {
            PlainQuestion::Permission(asked) => asked.question.clone(),
            PlainQuestion::Form { question, .. } | PlainQuestion::EnterPlan(question) => question.clone(),
            PlainQuestion::Approval(approval) => QuestionId(approval.asked.request.agent_id.clone()),
        }
    }

    /// What is asked, line by line, with how to answer.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            PlainQuestion::Permission(asked) => permission_lines(asked),
            PlainQuestion::Form { form, answers, .. } => form_lines(form, answers.len()),
            PlainQuestion::EnterPlan(_) => vec![
                "Question: the model wants to plan first. Nothing changes while it plans.".into(),
                "/1 plan first".into(),
                "/2 no, go on".into(),
            ],
            PlainQuestion::Approval(approval) => approval.lines(),
        }
    }

    /// A line without a slash answers nothing. A number alone was meant to: it is said how.
    fn bare(&self, line: &str) -> QuestionStep {
        if line.is_empty() || !line.chars().all(|letter| letter.is_ascii_digit()) {
            return QuestionStep::NotMeant;
        }
        let (what, answer) = match self {
            PlainQuestion::Approval(_) => ("A plan waits", "/answer "),
            PlainQuestion::Permission(_) | PlainQuestion::Form { .. } | PlainQuestion::EnterPlan(_) => {
                ("A question waits", "/")
            }
        };
        QuestionStep::Say(format!("{what}: {answer}{line} answers with {line}. Nothing was sent."))
    }

    /// A line of the person.
    pub(super) fn answer(&mut self, line: &str) -> QuestionStep {
        let Some(rest) = line.strip_prefix('/') else { return self.bare(line) };
        let (word, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let words = words.trim();
        match self {
            PlainQuestion::Permission(asked) => permission(asked, word, words),
            PlainQuestion::Form { question, form, answers } => fill(question, form, answers, word, words),
            PlainQuestion::EnterPlan(question) => match word {
                "1" => QuestionStep::Answer(Command::ConfirmPlanning { question: question.clone(), yes: true }),
                "2" => QuestionStep::Answer(Command::ConfirmPlanning { question: question.clone(), yes: false }),
                word => unknown(word, 2),
            },
            PlainQuestion::Approval(approval) => approval.answer(word, words),
        }
    }
}

/// Whether a line would answer some question: `/1`, `/2,3 words`.
pub(super) fn is_answer(line: &str) -> bool {
    line.strip_prefix('/').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// Words of the model in one line, so that they cannot pass for lines of ours.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number without a meaning is said; another word is some other command.
fn unknown(word: &str, most: usize) -> QuestionStep {
    if word.chars().all(|letter| letter.is_ascii_digit()) && !word.is_empty() {
        QuestionStep::Say(format!("There is no answer {word}; choose /1 to /{most}."))
    } else {
        QuestionStep::NotMeant
    }
}

fn permission_lines(asked: &PermissionRequest) -> Vec<String> {
    let mut lines = vec![format!("Question: {}", one_line(&asked.text))];
    lines.extend(super::messages::body_lines(&asked.shown));
    lines.push(format!("Asked because of: {}", one_line(&asked.rule)));
    lines.push("/1 yes".into());
    if let Some(what) = &asked.for_session {
        lines.push(format!("/2 yes, and do not ask about {} again in this session", one_line(what)));
    }
    lines.push("/3 no; a reason may follow".into());
    lines
}

fn permission(asked: &PermissionRequest, word: &str, words: &str) -> QuestionStep {
    let reply = match word {
        "1" => Reply::Yes,
        "2" if asked.for_session.is_some() => Reply::YesForSession,
        "3" => Reply::No { reason: words.to_owned() },
        word => return unknown(word, 3),
    };
    QuestionStep::Answer(Command::Reply { question: asked.question.clone(), reply })
}

fn form_lines(form: &Form, number: usize) -> Vec<String> {
    let Some(question) = form.questions.get(number) else { return Vec::new() };
    let of =
        if form.questions.len() > 1 { format!(" {} of {}", number + 1, form.questions.len()) } else { String::new() };
    let mut lines = vec![format!("Question{of}: {}", one_line(&question.question))];
    for (index, option) in question.options.iter().enumerate() {
        let about =
            if option.description.is_empty() { String::new() } else { format!(": {}", one_line(&option.description)) };
        lines.push(format!("/{} {}{about}", index + 1, one_line(&option.label)));
    }
    if question.multi_select {
        lines.push("Several may be chosen: /1,2".into());
    }
    lines.push("/other and your own words; /skip leaves it open".into());
    lines
}

fn fill(question: &QuestionId, form: &Form, answers: &mut Vec<FormAnswer>, word: &str, words: &str) -> QuestionStep {
    let Some(asked) = form.questions.get(answers.len()) else { return QuestionStep::NotMeant };
    let answer = match word {
        "other" if words.is_empty() => return QuestionStep::Say("Write your words behind /other.".into()),
        "other" => FormAnswer { chosen: Vec::new(), text: words.to_owned() },
        "skip" => FormAnswer::default(),
        numbers if numbers.chars().all(|letter| letter.is_ascii_digit() || letter == ',') && !numbers.is_empty() => {
            let chosen: Option<Vec<String>> = numbers
                .split(',')
                .map(|number| number.parse::<usize>().ok()?.checked_sub(1))
                .map(|index| Some(asked.options.get(index?)?.label.clone()))
                .collect();
            match chosen {
                Some(chosen) if chosen.len() == 1 || asked.multi_select => {
                    FormAnswer { chosen, text: words.to_owned() }
                }
                Some(_) => return QuestionStep::Say("Only one may be chosen.".into()),
                None => return QuestionStep::Say(format!("There is no answer {numbers}.")),
            }
        }
        _ => return QuestionStep::NotMeant,
    };
    answers.push(answer);
    if answers.len() < form.questions.len() {
        return QuestionStep::Say(form_lines(form, answers.len()).join("\n"));
    }
    QuestionStep::Answer(Command::FillForm { question: question.clone(), answers: std::mem::take(answers) })
}

impl PlainApproval {
    pub(super) fn new(asked: ApprovalAsked) -> PlainApproval {
        PlainApproval { asked, comments: Vec::new(), edited: None, confirms: None }
    }

    fn text(&self) -> &str {
        self.edited.as_deref().unwrap_or(&self.asked.request.plan_content)
    }

    fn lines(&self) -> Vec<String> {
        let request = &self.asked.request;
        let mut lines =
            vec![format!("A plan waits for your answer: {}, revision {}", request.plan_file_path, request.revision)];
        // Numbered, so that a comment can name a line.
        lines.extend(self.text().lines().enumerate().map(|(index, line)| format!("{:>4}  {line}", index + 1)));
        lines.push("End of the plan.".into());
        let hidden = fore_text::notice(fore_text::marks(self.text(), fore_text::TextKind::Prose));
        lines.extend(hidden.map(|words| format!("Careful: the plan {words}.")));
        lines.push(self.asked.proof.line.clone());
        for note in &self.asked.notes {
            let line = note.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            lines.push(format!("Note: {line}{}", note.sentence));
        }
        if !self.asked.changed.is_empty() {
            lines.push("Changed since you last saw it: /diff shows it.".into());
        }
        lines.extend(self.choices());
        lines.push(
            "/comment LINE words, or /comment FIRST-LAST words; /edit opens your editor; /show reads it again".into(),
        );
        lines
    }

    fn choices(&self) -> Vec<String> {
        let offers = self.asked.request.options.iter().enumerate();
        offers
            .map(|(index, offer)| {
                let full = match share(&self.asked.context) {
                    Some(share) if offer.value == CLEARS => format!("; the context is {share} full"),
                    Some(_) | None => String::new(),
                };
                format!("/answer {} {} (mode {}{full})", index + 1, offer.label, offer.leads_to)
            })
            .collect()
    }

    fn answer(&mut self, word: &str, words: &str) -> QuestionStep {
        let confirms = self.confirms.take();
        match word {
            "show" => QuestionStep::Say(self.lines().join("\n")),
            "diff" if self.asked.changed.is_empty() => {
                QuestionStep::Say("Nothing changed since you last saw it.".into())
            }
            "diff" => QuestionStep::Say(self.asked.changed.clone()),
            "edit" => QuestionStep::Edit(self.text().to_owned()),
            "comment" => QuestionStep::Say(self.comment(words)),
            "answer" => {
                let (number, words) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
                match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                    Some(index) => self.choose(index, words.trim(), confirms),
                    None => QuestionStep::Say("Write it so: /answer 1".into()),
                }
            }
            number if number.starts_with(|first: char| first.is_ascii_digit()) => {
                QuestionStep::Say("A plan waits; it is answered with /answer and a number.".into())
            }
            _ => QuestionStep::NotMeant,
        }
    }

    /// Approving asks once more when comments wait, and throwing away always does.
    fn choose(&mut self, index: usize, words: &str, confirmed: Option<usize>) -> QuestionStep {
        let Some(offer) = self.asked.request.options.get(index) else {
            return QuestionStep::Say(format!(
                "There is no answer {}; choose /answer 1 to /answer {}.",
                index + 1,
                self.asked.request.options.len()
            ));
        };
        let is_kept = ["keepPlanning", "saveAndStop"].contains(&offer.value.as_str());
        let asks_again = offer.value == "discard" || (!is_kept && !self.comments.is_empty());
        if asks_again && confirmed != Some(index) {
            self.confirms = Some(index);
            let count = self.comments.len();
            let about = if offer.value == "discard" {
                "The plan will be thrown away.".to_owned()
            } else {
                match count {
                    1 => "You wrote 1 comment; it goes along with this answer.".to_owned(),
                    count => format!("You wrote {count} comments; they go along with this answer."),
                }
            };
            return QuestionStep::Say(format!(
                "{about} /answer {} once more if you mean it: {}",
                index + 1,
                offer.label
            ));
        }
        QuestionStep::Answer(Command::Approval(ExitResponse {
            agent_id: self.asked.request.agent_id.clone(),
            selected: offer.value.clone(),
            reason: words.to_owned(),
            comments: self.comments.clone(),
            plan: self.edited.clone(),
        }))
    }

    fn comment(&mut self, words: &str) -> String {
        let (lines, remark) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let remark = remark.trim();
        let Some(range) = range(lines).filter(|_| !remark.is_empty()) else {
            return "Write it so: /comment 12 words, or /comment 12-14 words".into();
        };
        if self.comments.len() >= MAX_COMMENTS {
            return format!("There are {MAX_COMMENTS} comments already.");
        }
        let text = self.text();
        let quote: Vec<&str> =
            text.lines().skip(*range.start() as usize - 1).take((range.end() - range.start() + 1) as usize).collect();
        if quote.is_empty() {
            return format!("The plan has {} lines.", text.lines().count());
        }
        let last_line = range.start() + u32::try_from(quote.len()).unwrap_or(1) - 1;
        let quote = quote.join("\n");
        self.comments.push(Comment { first_line: *range.start(), last_line, quote, remark: remark.to_owned() });
        match self.comments.len() {
            1 => "Kept: 1 comment goes with your answer.".to_owned(),
            count => format!("Kept: {count} comments go with your answer."),
        }
    }
}

fn range(word: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
    (first >= 1 && last >= first).then_some(first..=last)
}

#[cfg(test)]
#[path = "questions_tests.rs"]
mod tests;
