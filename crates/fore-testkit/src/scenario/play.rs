//! Plays the person: reads events as they come and takes the next step when its moment is there.

use super::{
    Trouble,
    format::{Face, Run, Scenario, Step, matches},
    page::Page,
    place::Place,
    process::Process,
    suite::Suite,
};
use crate::{protocol::Protocol, server::Server};
use serde_json::{Value, json};
use std::{collections::VecDeque, path::PathBuf};

pub(crate) struct Player<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) place: &'a Place,
    pub(crate) server: &'a Server,
    pub(crate) protocol: Protocol,
    pub(crate) page: &'a mut Page,
}

/// What the person has in front of them.
#[derive(Default)]
struct Seen {
    question: Value,
    /// The requests for approval, oldest first.
    requests: Vec<Value>,
}

impl Player<'_> {
    /// Plays one run to its end; what is wrong with it, whatever the page says.
    pub(crate) fn run(&mut self, scenario: &Scenario, run: &Run) -> Result<Vec<String>, Trouble> {
        let arguments: Vec<String> = run.arguments.iter().map(|word| self.word(word)).collect();
        self.page.title(format!("fore {}", run.arguments.join(" ")).trim_end());
        let environment = self.place.environment(scenario, self.protocol);
        // An optional prompt may follow -p, so it stands last.
        let host = ["--input-format", "stream-json", "--output-format", "stream-json", "-p"].map(str::to_owned);
        let all: Vec<String> = match run.face {
            Face::Host => arguments.into_iter().chain(host).collect(),
            Face::Plain => arguments,
        };
        let mut process = Process::start(&self.suite.program, &all, &self.place.project(), &environment)?;
        let problems = match run.face {
            Face::Host => self.talk(&mut process, run)?,
            Face::Plain => {
                process.write(&run.input);
                process.close_input();
                while let Ok(line) = process.lines.recv() {
                    self.page.out(&line);
                }
                Vec::new()
            }
        };
        let ended = process.end();
        self.page.flush();
        self.page.errors(&ended.errors);
        self.page.line(&format!("({})", ended.code));
        let hung = ended.hung.then(|| "it did not end by itself".to_owned());
        Ok(problems.into_iter().chain(hung).collect())
    }

    fn talk(&mut self, process: &mut Process, run: &Run) -> Result<Vec<String>, Trouble> {
        let mut steps: VecDeque<Step> = run.person.iter().cloned().collect();
        let mut seen = Seen::default();
        while let Ok(line) = process.lines.recv() {
            let Ok(event) = serde_json::from_str::<Value>(&line) else {
                self.page.out(&line);
                continue;
            };
            self.page.event(&event);
            seen.note(&event);
            let is_awaited = match steps.front() {
                Some(Step::Await(pattern)) => matches(pattern, &event),
                Some(Step::AwaitTurn) => matches(&json!({"event": "turn-ended"}), &event),
                _ => false,
            };
            let begins = matches(&json!({"event": "started"}), &event);
            if is_awaited {
                steps.pop_front();
            }
            if is_awaited || begins {
                self.act(process, &mut steps, &mut seen)?;
            }
        }
        Ok(steps.into_iter().map(|step| format!("it never came to this: {step:?}")).collect())
    }

    /// Takes all steps that wait for nothing.
    fn act(&mut self, process: &mut Process, steps: &mut VecDeque<Step>, seen: &mut Seen) -> Result<(), Trouble> {
        while let Some(step) = steps.front() {
            if matches!(step, Step::Await(_) | Step::AwaitTurn) {
                return Ok(());
            }
            let step = step.clone();
            steps.pop_front();
            self.page.person(&step);
            self.take(process, &step, seen)?;
        }
        process.close_input();
        Ok(())
    }

    fn take(&mut self, process: &mut Process, step: &Step, seen: &Seen) -> Result<(), Trouble> {
        let question = &seen.question;
        let command = match step {
            Step::Await(_) | Step::AwaitTurn => return Ok(()),
            Step::AwaitRequests(count) => {
                let came = self.server.wait_requests_blocking(*count);
                return if came { Ok(()) } else { Err(format!("{count} requests never came")) };
            }
            Step::Prompt(text) => json!({"command": "prompt", "text": text}),
            Step::Steer(text) => json!({"command": "prompt", "text": text, "when": "steer"}),
            Step::Mode(mode) => json!({"command": "mode", "to": mode}),
            Step::Reply(reply) => json!({"command": "reply", "question": question, "reply": reply}),
            Step::Decline(why) => json!({"command": "reply", "question": question, "reply": "no", "reason": why}),
            Step::Form(answers) => json!({"command": "fill-form", "question": question, "answers": answers}),
            Step::Confirm(yes) => json!({"command": "confirm-planning", "question": question, "yes": yes}),
            Step::Answer(answer) => response(seen.requests.last(), answer),
            Step::AnswerFirst(answer) => response(seen.requests.first(), answer),
            Step::Send(command) => command.clone(),
            Step::Line(line) => {
                process.write(line);
                return Ok(());
            }
            Step::Signal(name) => {
                process.signal(name);
                return Ok(());
            }
            Step::CloseInput => {
                process.close_input();
                return Ok(());
            }
            Step::Write { file, text } => return self.place.write(&self.place.project().join(file), text),
            Step::Remove(file) => return self.place.remove(&self.place.project().join(file)),
            Step::WritePlan(text) => return self.place.write(&self.plan()?, text),
            Step::RemovePlan => return self.place.remove(&self.plan()?),
            Step::LinkPlan(file) => {
                let plan = self.plan()?;
                self.place.remove(&plan)?;
                return self.place.link(&plan, &self.place.project().join(file));
            }
            Step::BreakPlanFolder => {
                let plans = self.place.fore_home().join("plans");
                self.place.rename(&plans, &self.place.fore_home().join("plans-before"))?;
                return self.place.write(&plans, "no folder\n");
            }
            Step::TearTranscript => {
                let name = format!("sessions/{}.jsonl", self.page.session.as_deref().unwrap_or_default());
                let path = self.place.fore_home().join(name);
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                return self.place.write(&path, &format!("{text}{{\"v\":1,\"torn"));
            }
        };
        process.write(&command.to_string());
        Ok(())
    }

    fn plan(&self) -> Result<PathBuf, Trouble> {
        self.page.plan.clone().map(PathBuf::from).ok_or_else(|| "no plan was seen yet".to_owned())
    }

    fn word(&self, word: &str) -> String {
        let plan = self.page.plan.clone().unwrap_or_default();
        let hash = self.page.hash.clone().unwrap_or_default();
        let session = self.page.session.clone().unwrap_or_default();
        let word = word.replace("{{plan}}", &plan).replace("{{hash}}", &hash).replace("{{session}}", &session);
        self.place.filled(&word)
    }
}

impl Seen {
    fn note(&mut self, event: &Value) {
        let is_over = matches(&json!({"event": "question-closed"}), event);
        if let Some(question) = event.get("question").filter(|_| !is_over) {
            self.question = question.clone();
        }
        if let Some(id) = event.pointer("/request/agentId") {
            self.requests.push(id.clone());
        }
    }
}

fn response(request: Option<&Value>, answer: &Value) -> Value {
    let mut response = json!({"event": "plan:exit:response", "agentId": request});
    if let (Some(response), Some(answer)) = (response.as_object_mut(), answer.as_object()) {
        response.extend(answer.clone());
    }
    response
}
