//! Questions as numbered lines. An answer is a line that begins with a slash and a number, so that nothing that was
//! written as a message can answer one. A plan has an answer of its own, `/answer N`: what was typed ahead for another
//! question cannot approve one.

use super::grants::PlainGrants;
use crate::{app::share, dialogs::approval::moved_words};
use fore_agent::{ApprovalAsked, Command, Form, FormAnswer, PermissionRequest, QuestionId, Reply};
use fore_plan::{
    Cage, ToolName,
    approval::{Comment, ExitResponse, GrantChanges, OfferKind},
    plan::{Hash, left_out_words, only_steps, steps},
};
use fore_text::cut;
use std::ops::RangeInclusive;

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
    /// The steps that are meant, where not all are.
    steps: Option<Vec<u32>>,
    /// What it covers.
    pub(super) grants: PlainGrants,
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
    /// The same, and commands that begin so are allowed for good in this project.
    AnswerAlways {
        answer: Command,
        commands: Vec<String>,
    },
    /// What the plan covers is another list now: to be kept, said, and perhaps read by the session first.
    Regrant {
        say: String,
        read: Option<Command>,
    },
    /// Open the editor on the plan.
    Edit(String),
    /// Show the plan on a page of the browser.
    Review,
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

    /// The number of the answer that keeps planning, where a plan waits.
    pub(super) fn keeps_planning(&self) -> Option<usize> {
        let PlainQuestion::Approval(approval) = self else { return None };
        let offers = &approval.asked.request.options;
        offers.iter().position(|offer| offer.value == OfferKind::KeepPlanning).map(|index| index + 1)
    }

    /// What is asked, line by line, with how to answer.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            PlainQuestion::Permission(asked) => permission_lines(asked),
            PlainQuestion::Form { form, answers, .. } => form_lines(form, answers.len()),
            PlainQuestion::EnterPlan(_) => vec![
                "Question: the model wants to plan first. Nothing changes while it plans.".into(),
                "/1 plan first".into(),
                "/2 no, continue".into(),
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
                word => unknown(word, &["1", "2"]),
            },
            PlainQuestion::Approval(approval) => approval.answer(word, words),
        }
    }
}

/// Whether a line would answer some question: `/1`, `/2,3 words`.
pub(super) fn is_answer(line: &str) -> bool {
    line.strip_prefix('/').is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

/// A number without a meaning is said; another word is some other command.
fn unknown(word: &str, known: &[&str]) -> QuestionStep {
    if word.chars().all(|letter| letter.is_ascii_digit()) && !word.is_empty() {
        QuestionStep::Say(format!("There is no answer {word}; the answers are /{}.", known.join(", /")))
    } else {
        QuestionStep::NotMeant
    }
}

fn permission_lines(asked: &PermissionRequest) -> Vec<String> {
    let mut lines = vec![format!("Question: {}", cut::one_line(&asked.text))];
    lines.extend(super::messages::body_lines(&asked.shown));
    let held = crate::dialogs::ask::cage_words(&asked.cage);
    lines.push(match (asked.tool.known(), &asked.cage) {
        (Some(ToolName::AmendPlan), _) => format!("Yes {}", crate::dialogs::ask::AMENDMENT_DOES),
        (_, Cage::Free) => held,
        (_, Cage::ReadOnly { .. } | Cage::Rehearsal | Cage::Workspace { .. }) => format!("Sandbox: {held}"),
    });
    if asked.rule.contains(' ') {
        lines.push(format!("Why asked: your settings: {}", cut::one_line(&asked.rule)));
    }
    lines.push("/1 yes".into());
    let lasting = |what: &String| format!("yes, and don't ask about {} again in this session", cut::one_line(what));
    lines.extend(asked.for_session.as_ref().map(|what| format!("/2 {}", lasting(what))));
    lines.push("/3 no; a reason may follow".into());
    lines.extend(asked.for_kind.as_ref().map(|what| format!("/4 {}", lasting(what))));
    if !asked.always.is_empty() {
        lines.push(format!("/5 {}", crate::dialogs::ask::always_words(&asked.always)));
    }
    lines.extend(asked.for_plan.as_ref().map(|_| "/6 yes, and add it to the plan".to_owned()));
    lines
}

fn permission(asked: &PermissionRequest, word: &str, words: &str) -> QuestionStep {
    let answer = |reply| Command::Reply { question: asked.question.clone(), reply };
    let reply = match word {
        "5" if !asked.always.is_empty() => {
            return QuestionStep::AnswerAlways { answer: answer(Reply::YesForKind), commands: asked.always.clone() };
        }
        "1" => Reply::Yes,
        "2" if asked.for_session.is_some() => Reply::YesForSession,
        "3" => Reply::No { reason: words.to_owned() },
        "4" if asked.for_kind.is_some() => Reply::YesForKind,
        "6" if asked.for_plan.is_some() => Reply::YesForPlan,
        word => {
            let offered = [
                ("1", true),
                ("2", asked.for_session.is_some()),
                ("3", true),
                ("4", asked.for_kind.is_some()),
                ("5", !asked.always.is_empty()),
                ("6", asked.for_plan.is_some()),
            ];
            let known: Vec<&str> = offered.iter().filter(|(_, is_open)| *is_open).map(|(number, _)| *number).collect();
            return unknown(word, &known);
        }
    };
    QuestionStep::Answer(answer(reply))
}

fn form_lines(form: &Form, number: usize) -> Vec<String> {
    let Some(question) = form.questions.get(number) else { return Vec::new() };
    let of =
        if form.questions.len() > 1 { format!(" {} of {}", number + 1, form.questions.len()) } else { String::new() };
    let mut lines = vec![format!("Question{of}: {}", cut::one_line(&question.question))];
    for (index, option) in question.options.iter().enumerate() {
        let about = if option.description.is_empty() {
            String::new()
        } else {
            format!(": {}", cut::one_line(&option.description))
        };
        lines.push(format!("/{} {}{about}", index + 1, cut::one_line(&option.label)));
    }
    if question.multi_select {
        lines.push("Several may be chosen: /1,2".into());
    }
    let own =
        if form.is_offer { "/skip leaves it as it is" } else { "/other and your own words; /skip leaves it open" };
    lines.push(own.into());
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
        let grants = PlainGrants::new(&asked.request);
        PlainApproval { asked, comments: Vec::new(), edited: None, steps: None, grants, confirms: None }
    }

    /// The question to the session what this text, or these steps of it, cover, with what was added. None for the plan of an
    /// agent, which grants nothing.
    pub(super) fn read_contract(&self) -> Option<Command> {
        let (text, steps, added) = (self.text().to_owned(), self.steps.clone(), self.grants.added());
        self.asked.agent.is_none().then_some(Command::ReadContract { text, steps, added })
    }

    /// Whether that is what an approval would be about now.
    pub(super) fn is_about(&self, plan: Hash, steps: Option<&[u32]>) -> bool {
        Hash::of(self.text().as_bytes()) == plan && self.steps.as_deref() == steps
    }

    /// The text as the person changed it. Its steps are other ones, so all of them are meant; gives what to say of that.
    pub(super) fn take_edit(&mut self, text: String) -> Option<&'static str> {
        self.edited = Some(text);
        self.grants.forget();
        self.steps.take().map(|_| "All steps of the changed plan are meant; choose with /steps again.")
    }

    fn text(&self) -> &str {
        self.edited.as_deref().unwrap_or(&self.asked.request.plan_content)
    }

    fn lines(&self) -> Vec<String> {
        let request = &self.asked.request;
        let whose = match &self.asked.agent {
            None => String::new(),
            Some(_) => format!(" of the agent {}", cut::one_line(&self.asked.agent_task)),
        };
        let mut lines = vec![format!(
            "A plan{whose} waits for your answer: {}, revision {}",
            request.plan_file_path, request.revision
        )];
        // Numbered, so that a comment can name a line.
        lines.extend(numbered_lines(self.text()));
        lines.push("End of the plan.".into());
        let hidden = fore_text::notice(fore_text::marks(self.text(), fore_text::TextKind::Prose));
        lines.extend(hidden.map(|words| format!("Careful: the plan {words}.")));
        lines.push(self.asked.proof.line.clone());
        lines.extend(moved_words(&self.asked.moved));
        lines.extend(self.asked.estimate.map(|estimate| format!("The work: {estimate:#}.")));
        lines.extend(self.asked.rehearsals.iter().map(|tried| format!("Tried, nothing kept: {tried}")));
        for note in &self.asked.notes {
            let line = note.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            lines.push(format!("Note: {line}{}", note.sentence));
        }
        if !self.asked.changed.is_empty() {
            lines.push("Changed since you last saw it: /diff shows it.".into());
        }
        let steps = steps(self.text());
        if steps.len() > 1 {
            lines.extend(steps.iter().map(|step| format!("Step {}: {}", step.number, step.title)));
            lines.push("/steps 1 3 approves only these steps, /steps all every one".into());
        }
        if let Some(chosen) = &self.steps {
            let numbers: Vec<String> = chosen.iter().map(u32::to_string).collect();
            lines.push(format!("An approval is about steps {} alone.", numbers.join(", ")));
        }
        if self.asked.agent.is_none() {
            lines.extend(self.grants.lines());
        }
        lines.extend(self.choices());
        lines.push(
            "/comment LINE words, or /comment FIRST-LAST words; /edit opens your editor; /browser shows it there; /show reads it again"
                .into(),
        );
        lines
    }

    fn choices(&self) -> Vec<String> {
        let offers = self.asked.request.options.iter().enumerate();
        offers
            .map(|(index, offer)| {
                let full = match share(&self.asked.context) {
                    Some(share) if offer.value == OfferKind::ClearContextAndStart => {
                        format!("; the context is {share} full")
                    }
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
            "browser" => QuestionStep::Review,
            "comment" => QuestionStep::Say(self.comment(words)),
            "steps" => match self.choose_steps(words) {
                Ok(say) => QuestionStep::Regrant { say, read: self.read_contract() },
                Err(why) => QuestionStep::Say(why.into()),
            },
            "strike" => QuestionStep::Regrant { say: self.grants.strike(words), read: None },
            "cover" => match self.grants.cover(words) {
                Ok(()) => QuestionStep::Regrant { say: String::new(), read: self.read_contract() },
                Err(why) => QuestionStep::Say(why),
            },
            "answer" => {
                let (number, words) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
                match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                    Some(index) => self.choose(index, words.trim(), confirms),
                    None => QuestionStep::Say("Write it like this: /answer 1".into()),
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
        let is_kept = matches!(offer.value, OfferKind::KeepPlanning | OfferKind::SaveAndStop);
        let asks_again = offer.value == OfferKind::Discard || (!is_kept && !self.comments.is_empty());
        if asks_again && confirmed != Some(index) {
            self.confirms = Some(index);
            let count = self.comments.len();
            let about = if offer.value == OfferKind::Discard {
                "The plan will be thrown away.".to_owned()
            } else {
                let comments = fore_text::count_as(count, "comment; it goes", "comments; they go");
                format!("You wrote {comments} along with this answer.")
            };
            return QuestionStep::Say(format!(
                "{about} /answer {} once more if you mean it: {}",
                index + 1,
                offer.label
            ));
        }
        if offer.value == OfferKind::StartCovered && !self.grants.is_known() {
            return QuestionStep::Say("What this text covers is still being read; answer again in a moment.".into());
        }
        let (contract_hash, grants) =
            if is_approval(offer.value) { self.grants.answer() } else { (None, GrantChanges::default()) };
        QuestionStep::Answer(Command::Approval(ExitResponse {
            agent_id: self.asked.request.agent_id.clone(),
            selected: offer.value.into(),
            reason: if offer.value == OfferKind::KeepPlanning { self.words_of_no(words) } else { words.to_owned() },
            comments: self.comments.clone(),
            plan: self.edited.clone(),
            steps: self.steps.clone().filter(|_| is_approval(offer.value)),
            contract_hash,
            grants: Box::new(grants),
            through: None,
        }))
    }

    /// What was said, and which steps were left out.
    fn words_of_no(&self, said: &str) -> String {
        let left_out = self.steps.as_ref().and_then(|kept| left_out_words(self.text(), kept));
        let said = Some(said.to_owned()).filter(|said| !said.is_empty());
        said.into_iter().chain(left_out).collect::<Vec<_>>().join("\n\n")
    }

    /// Which steps an approval is about. What would be approved is read at once: it is what counts.
    fn choose_steps(&mut self, words: &str) -> Result<String, &'static str> {
        if words.trim() == "all" {
            self.steps = None;
            return Ok("All steps are meant.".into());
        }
        let words = words.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
        let numbers: Option<Vec<u32>> = words.map(|word| word.parse().ok()).collect();
        let chosen = numbers.and_then(|numbers| Some((only_steps(self.text(), &numbers)?, numbers)));
        let Some((text, numbers)) = chosen else {
            return Err("Write it like this: /steps 1 3, with numbers of steps of this plan, or /steps all");
        };
        let count = steps(self.text()).iter().filter(|step| numbers.contains(&step.number)).count();
        self.steps = Some(numbers);
        let all = steps(self.text()).len();
        let lines = numbered_lines(&text).join("\n");
        Ok(format!("An approval is about {count} of {all} steps, which is this plan:\n{lines}"))
    }

    fn comment(&mut self, words: &str) -> String {
        let (lines, remark) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
        let remark = remark.trim();
        let Some(range) = range(lines).filter(|_| !remark.is_empty()) else {
            return "Write it like this: /comment 12 words, or /comment 12-14 words".into();
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
        let comments = fore_text::count_as(self.comments.len(), "comment goes", "comments go");
        format!("Kept: {comments} with your answer.")
    }
}

fn numbered_lines(text: &str) -> Vec<String> {
    text.lines().enumerate().map(|(index, line)| format!("{:>4}  {line}", index + 1)).collect()
}

fn is_approval(offer: OfferKind) -> bool {
    match offer {
        OfferKind::StartCovered
        | OfferKind::StartEditing
        | OfferKind::AcceptEdits
        | OfferKind::AskEachEdit
        | OfferKind::ClearContextAndStart => true,
        OfferKind::KeepPlanning | OfferKind::SaveAndStop | OfferKind::LeavePlanMode | OfferKind::Discard => false,
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
