//! Plays the person: reads events as they come and takes the next step when its moment is there.

use super::{
    ScenarioError,
    folders::ScenarioFolders,
    format::{Frontend, Scenario, ScenarioRun, ScenarioStep, matches},
    page::ScenarioPage,
    process::ScenarioProcess,
    suite::Suite,
};
use crate::{protocol::WireProtocol, server::Server};
use serde_json::{Value, json};
use std::{collections::VecDeque, path::PathBuf};

pub(crate) struct Player<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) folders: &'a ScenarioFolders,
    pub(crate) server: &'a Server,
    pub(crate) protocol: WireProtocol,
    pub(crate) page: &'a mut ScenarioPage,
}

/// What the person has in front of them.
#[derive(Default)]
struct ShownQuestions {
    question: Value,
    /// The requests for approval, oldest first.
    requests: Vec<Value>,
}

impl Player<'_> {
    /// Plays one run to its end; what is wrong with it, whatever the page says.
    pub(crate) fn run(&mut self, scenario: &Scenario, run: &ScenarioRun) -> Result<Vec<String>, ScenarioError> {
        let arguments: Vec<String> = run.arguments.iter().map(|word| self.word(word)).collect();
        self.page.title(format!("fore {}", run.arguments.join(" ")).trim_end());
        if run.frontend == Frontend::Plain {
            self.prepare(run)?;
        }
        let environment = self.folders.environment(scenario, self.protocol);
        // An optional prompt may follow -p, so it stands last.
        let host = ["--input-format", "stream-json", "--output-format", "stream-json", "-p"].map(str::to_owned);
        let all: Vec<String> = match run.frontend {
            Frontend::Host => arguments.into_iter().chain(host).collect(),
            Frontend::Plain => arguments,
        };
        let mut process = ScenarioProcess::start(&self.suite.program, &all, &self.folders.project(), &environment)?;
        let problems = match run.frontend {
            Frontend::Host => self.converse(&mut process, run)?,
            Frontend::Plain => {
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

    /// What somebody does before a plain run, which nobody talks to.
    fn prepare(&mut self, run: &ScenarioRun) -> Result<(), ScenarioError> {
        for step in &run.person {
            self.page.person(step);
            let file = |name: &str| self.folders.project().join(name);
            if let ScenarioStep::Write { file: name, text } = step {
                self.folders.write(&file(name), text)?;
            } else if let ScenarioStep::Remove(name) = step {
                self.folders.remove(&file(name))?;
            } else {
                return Err("before a plain run files can be written and removed, and nothing else".to_owned());
            }
        }
        Ok(())
    }

    fn converse(&mut self, process: &mut ScenarioProcess, run: &ScenarioRun) -> Result<Vec<String>, ScenarioError> {
        let mut steps: VecDeque<ScenarioStep> = run.person.iter().cloned().collect();
        let mut seen = ShownQuestions::default();
        while let Ok(line) = process.lines.recv() {
            let Ok(event) = serde_json::from_str::<Value>(&line) else {
                self.page.out(&line);
                continue;
            };
            self.page.event(&event);
            seen.note(&event);
            let is_awaited = match steps.front() {
                Some(ScenarioStep::Await(pattern)) => matches(pattern, &event),
                Some(ScenarioStep::AwaitTurn) => matches(&json!({"event": "turn-ended"}), &event),
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
    fn act(
        &mut self,
        process: &mut ScenarioProcess,
        steps: &mut VecDeque<ScenarioStep>,
        seen: &mut ShownQuestions,
    ) -> Result<(), ScenarioError> {
        while let Some(step) = steps.front() {
            if matches!(step, ScenarioStep::Await(_) | ScenarioStep::AwaitTurn) {
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

    fn take(
        &mut self,
        process: &mut ScenarioProcess,
        step: &ScenarioStep,
        seen: &ShownQuestions,
    ) -> Result<(), ScenarioError> {
        let question = &seen.question;
        let command = match step {
            ScenarioStep::Await(_) | ScenarioStep::AwaitTurn => return Ok(()),
            ScenarioStep::AwaitRequests(count) => {
                let came = self.server.wait_requests_blocking(*count);
                return if came { Ok(()) } else { Err(format!("{count} requests never came")) };
            }
            ScenarioStep::Prompt(text) => json!({"command": "prompt", "text": text}),
            ScenarioStep::Steer(text) => json!({"command": "prompt", "text": text, "when": "steer"}),
            ScenarioStep::Mode(mode) => json!({"command": "mode", "to": mode}),
            ScenarioStep::Reply(reply) => json!({"command": "reply", "question": question, "reply": reply}),
            ScenarioStep::Decline(why) => {
                json!({"command": "reply", "question": question, "reply": "no", "reason": why})
            }
            ScenarioStep::Form(answers) => json!({"command": "fill-form", "question": question, "answers": answers}),
            ScenarioStep::Confirm(yes) => json!({"command": "confirm-planning", "question": question, "yes": yes}),
            ScenarioStep::Answer(answer) => response(seen.requests.last(), answer),
            ScenarioStep::AnswerFirst(answer) => response(seen.requests.first(), answer),
            ScenarioStep::Send(command) => command.clone(),
            ScenarioStep::Line(line) => {
                process.write(line);
                return Ok(());
            }
            ScenarioStep::Signal(name) => {
                process.signal(name);
                return Ok(());
            }
            ScenarioStep::CloseInput => {
                process.close_input();
                return Ok(());
            }
            ScenarioStep::Write { file, text } => return self.folders.write(&self.folders.project().join(file), text),
            ScenarioStep::Settings(settings) => return self.folders.save_settings(settings.clone()),
            ScenarioStep::WriteHome { file, text } => return self.folders.write(&self.folders.home().join(file), text),
            ScenarioStep::Remove(file) => return self.folders.remove(&self.folders.project().join(file)),
            ScenarioStep::WritePlan(text) => return self.folders.write(&self.plan()?, text),
            ScenarioStep::RemovePlan => return self.folders.remove(&self.plan()?),
            ScenarioStep::LinkPlan(file) => {
                let plan = self.plan()?;
                self.folders.remove(&plan)?;
                return self.folders.link(&plan, &self.folders.project().join(file));
            }
            ScenarioStep::HardLinkPlan(file) => {
                let plan = self.plan()?;
                self.folders.remove(&plan)?;
                return self.folders.hard_link(&plan, &self.folders.project().join(file));
            }
            ScenarioStep::DamageTranscript(words) => {
                let path = self.transcript();
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                let lines = text.lines().map(|line| if line.contains(words) { "{\"v\":1,\"dam" } else { line });
                return self.folders.write(&path, &lines.map(|line| format!("{line}\n")).collect::<String>());
            }
            ScenarioStep::ForgetRevisions => {
                let revisions = self.folders.fore_home().join("revisions");
                return self.folders.rename(&revisions, &self.folders.fore_home().join("revisions-before"));
            }
            ScenarioStep::BreakPlanFolder => {
                let plans = self.folders.fore_home().join("plans");
                self.folders.rename(&plans, &self.folders.fore_home().join("plans-before"))?;
                return self.folders.write(&plans, "no folder\n");
            }
            ScenarioStep::TearTranscript => {
                let path = self.transcript();
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
                return self.folders.write(&path, &format!("{text}{{\"v\":1,\"torn"));
            }
        };
        process.write(&command.to_string());
        Ok(())
    }

    fn transcript(&self) -> PathBuf {
        let name = format!("sessions/{}.jsonl", self.page.session.as_deref().unwrap_or_default());
        self.folders.fore_home().join(name)
    }

    fn plan(&self) -> Result<PathBuf, ScenarioError> {
        self.page.plan.clone().map(PathBuf::from).ok_or_else(|| "no plan was seen yet".to_owned())
    }

    fn word(&self, word: &str) -> String {
        let plan = self.page.plan.clone().unwrap_or_default();
        let hash = self.page.hash.clone().unwrap_or_default();
        let session = self.page.session.clone().unwrap_or_default();
        let word = word.replace("{{plan}}", &plan).replace("{{hash}}", &hash).replace("{{session}}", &session);
        self.folders.filled(&word)
    }
}

impl ShownQuestions {
    fn note(&mut self, event: &Value) {
        let is_over = matches(&json!({"event": "question-closed"}), event);
        if let Some(question) = event.get("question").filter(|_| !is_over) {
            self.question = question.clone();
        }
        let is_request = matches(&json!({"event": "plan:exit:request"}), event);
        let own = event.get("agentId").filter(|_| is_request);
        if let Some(id) = event.pointer("/request/agentId").or(own) {
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
