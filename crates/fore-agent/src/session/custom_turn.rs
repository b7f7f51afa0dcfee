//! A custom command becomes a prompt: its files are read and its `!` commands are run by ordinary calls, through the gate like those of
//! a model. Whatever is refused is said, and nothing is sent then: a prompt goes out whole or not at all.

use super::{
    call, caller::CallerContext, made_prompt::MAX_PROMPT_BYTES, session_context::SessionContext, toolbox::Toolbox,
};
use crate::{
    custom::{
        self, CommandArguments, CommandHead, CommandModel, CommandOrigin, CommandPlaces, CommandTemplate,
        CustomCommand, CustomCommandRow, CustomCommands, MAX_CALLS, TemplatePiece, called,
    },
    disk::Disk,
    event::{CallOutcome, Event, NoticeLevel},
    lock::lock,
    model_handle::ModelHandle,
    skills::Skills,
    turn::Slot,
};
use fore_model::{Arguments, Duty, ResultPart, ToolUse};
use fore_plan::{
    Mode, ModeReason, ModeTarget, ToolName,
    gate::{PatternRoots, RuleEffect, Rules},
    plan::Hash,
    reminder::defuse_str,
};
use fore_text::spelling::nearest;
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};

/// Commands that a session lists.
const MAX_ROWS: usize = 500;
/// Stands between what the person typed and the text of the command.
pub(super) const INTRODUCTION: &str = include_str!("../custom/introduction.md");

/// A command that was called and read.
#[derive(Debug)]
pub(super) struct CalledCommand {
    command: CustomCommand,
    head: CommandHead,
    template: CommandTemplate,
    arguments: CommandArguments,
    /// What the person typed.
    pub(super) line: String,
    /// What it says to the program counts.
    is_trusted: bool,
}

/// Why a line is no command that can run.
#[derive(Debug)]
pub(super) enum NoCommand {
    /// Nothing has this name.
    Unknown(String),
    Refused(String),
}

/// What a command wishes of its turn, as far as it may.
#[derive(Debug, Default)]
pub(super) struct TurnWishes {
    pub(super) model: Option<(ModelHandle, Duty)>,
}

impl SessionContext {
    /// All that can be called now, with warnings.
    pub(super) fn custom_commands(&self) -> (CustomCommands, Vec<String>) {
        let opener = self.setup.opener(&self.ledger.state());
        let (skills, _) = Skills::find(&opener, &self.setup.project, Some(self.setup.home.path()));
        let places = CommandPlaces {
            project: &self.setup.project,
            own: self.setup.home.path(),
            user_home: self.setup.user_home.as_deref(),
        };
        CustomCommands::find(&opener, &places, &skills)
    }

    /// The commands of files, then the prompts of servers.
    fn command_rows(&self, commands: &CustomCommands) -> Vec<CustomCommandRow> {
        let mut rows = commands.rows(MAX_ROWS);
        rows.extend(self.prompt_rows());
        rows
    }

    /// The same for a list, which is what the person is told of from now on.
    pub(super) fn told_commands(&self, commands: &CustomCommands) -> Vec<CustomCommandRow> {
        let rows = self.command_rows(commands);
        lock(&self.work.commands_told).clone_from(&rows);
        rows
    }

    /// Tells the commands where they are others than were told.
    pub(crate) fn tell_commands(&self) {
        let (commands, _) = self.custom_commands();
        let rows = self.command_rows(&commands);
        let mut told = lock(&self.work.commands_told);
        if *told != rows {
            told.clone_from(&rows);
            self.person.events.send(Event::CommandsListed { commands: rows });
        }
    }

    /// The command that a line calls, as its file is now.
    pub(super) fn called_command(&self, line: &str) -> Result<CalledCommand, NoCommand> {
        let line = line.trim();
        let Some((name, written)) = called(line) else {
            return Err(NoCommand::Unknown("This is not a command: one begins with `/` and a name.".to_owned()));
        };
        let (commands, _) = self.custom_commands();
        let Some(command) = commands.get(name).cloned() else {
            return Err(unknown(name, &self.command_rows(&commands)));
        };
        let refused = |why: String| NoCommand::Refused(format!("/{name} was not sent: {why}"));
        let arguments = CommandArguments::new(written).map_err(|why| refused(why.to_owned()))?;
        let line = line.to_owned();
        if command.origin == CommandOrigin::Skill {
            let (head, template) = (CommandHead::default(), CommandTemplate::default());
            return Ok(CalledCommand { command, head, template, arguments, line, is_trusted: false });
        }
        let opener = self.setup.opener(&self.ledger.state());
        let from = &command.row.from;
        let document =
            custom::text_of(&opener, &command.path, &command.root).map_err(|why| refused(format!("{from} {why}.")))?;
        let (head, body) = CommandHead::read(&document.text)
            .map_err(|wrong| refused(format!("{from}, line {}: {}.", wrong.line, wrong.why)))?;
        // By the text that was just read, not by its name. A file of the project is the person's own for nobody: work may change it.
        let is_of_project = document.path.starts_with(&self.setup.project);
        let is_known = || self.setup.live().settings.trusted_files.contains(&Hash::of(document.text.as_bytes()));
        let is_trusted = match command.origin {
            CommandOrigin::Person => !is_of_project || is_known(),
            CommandOrigin::Project => is_known(),
            CommandOrigin::Skill => false,
        };
        let template = CommandTemplate::read(body.trim());
        if template.calls() > MAX_CALLS {
            return Err(refused(format!("it names more than {MAX_CALLS} files and commands.")));
        }
        Ok(CalledCommand { command, head, template, arguments, line, is_trusted })
    }
}

fn unknown(name: &str, rows: &[CustomCommandRow]) -> NoCommand {
    let names = rows.iter().map(|row| row.name.as_str()).chain(custom::BUILT_IN.iter().copied());
    NoCommand::Unknown(match nearest(name, names, 1).first() {
        Some(near) => format!("There is no command /{name}. Did you mean /{near}?"),
        None => format!("There is no command /{name}."),
    })
}

impl CalledCommand {
    /// As the person calls it.
    pub(super) fn name(&self) -> String {
        format!("/{}", self.command.row.name)
    }

    /// Does what it wishes of the program, as far as that is stricter or trusted. What is left out is said.
    pub(super) async fn grant(&self, context: &Arc<SessionContext>) -> TurnWishes {
        let from = &self.command.row.from;
        let warn = |words: String| context.person.notice(NoticeLevel::Warning, words);
        self.head.notes.iter().for_each(|note| warn(format!("{from}, {note}")));
        let untrusted = |what: String| {
            warn(format!("{from} asks for {what}, which does not count until you trust this file (`fore trust`)"));
        };
        self.switch(context, &untrusted);
        match self.head.allowed.as_slice() {
            [] => {}
            rules if !self.is_trusted => {
                untrusted(format!("calls without a question ({})", fore_text::line(&rules.join(", "))));
            }
            _ if context.ledger.is_planning() => {
                let words = format!("{from}: `allowed-tools` does not count while planning.");
                context.person.notice(NoticeLevel::Info, words);
            }
            rules => {
                let wrong = self.wrong_rules(context);
                wrong.into_iter().for_each(|why| warn(format!("{from}, `allowed-tools`: {why}")));
                context.setup.held.allow_for_turn(rules.to_vec());
            }
        }
        let duty = context.duty();
        let model = match &self.head.model {
            None => None,
            Some(CommandModel::Small) => Some((context.work.model(Duty::Small), duty)),
            Some(CommandModel::Named(name)) if !self.is_trusted => {
                untrusted(format!("the model `{}`", fore_text::line(name)));
                None
            }
            Some(CommandModel::Named(name)) => {
                let (there, wanted) = (Arc::clone(context), name.clone());
                let found = context.setup.runtime.spawn_blocking(move || there.work.find_model(&wanted)).await;
                match found {
                    Ok(Ok(model)) => Some((model, duty)),
                    Ok(Err(why)) => {
                        warn(format!("{from}: {why} The session's own model answers."));
                        None
                    }
                    Err(_) => None,
                }
            }
        };
        TurnWishes { model }
    }

    /// A mode that is stricter is always taken; one that asks less only of a file that is trusted; and none ends planning.
    fn switch(&self, context: &SessionContext, untrusted: &dyn Fn(String)) {
        let (now, Some(wanted)) = (context.ledger.state().mode(), self.head.mode) else { return };
        let is_taken = match (now, wanted) {
            (now, wanted) if now == wanted => return,
            (_, Mode::Plan) => true,
            (Mode::Plan, Mode::At(_)) => {
                let words = format!("Plan mode stays on: a command such as {} does not end it.", self.command.row.from);
                return context.person.notice(NoticeLevel::Info, words);
            }
            (Mode::At(now), Mode::At(wanted)) => wanted < now || self.is_trusted,
        };
        if !is_taken {
            return untrusted(format!("the mode {wanted}"));
        }
        if let Err(refusal) = context.switch(ModeTarget::from(wanted), ModeReason::Chosen) {
            let (why, way_out) = refusal.for_person();
            context.person.notice(NoticeLevel::Warning, format!("{why} {way_out}"));
        }
    }

    /// What of its rules is not understood: it grants nothing.
    fn wrong_rules(&self, context: &SessionContext) -> Vec<String> {
        let roots = PatternRoots { project: &context.setup.project, home: context.setup.user_home.as_deref() };
        let wrong = |rule: &String| Rules::default().add(RuleEffect::Allow, rule, roots).err();
        self.head.allowed.iter().filter_map(wrong).map(|error| error.to_string()).collect()
    }

    /// The whole prompt; the error is why there is none.
    pub(super) async fn prompt(&self, calls: &CommandCalls<'_>) -> Result<String, String> {
        let from = &self.command.row.from;
        let introduction = INTRODUCTION.trim().replace("{from}", from);
        let body = match self.command.origin {
            CommandOrigin::Skill => {
                let input = json!({ "skill": self.command.row.name, "arguments": self.arguments.whole() });
                let told = calls.make(ToolName::Skill, input).await.map_err(|stop| stop.words("the skill"))?;
                if told.failed { Err(first_sentence(&told.text)) } else { Ok(told.text) }?
            }
            CommandOrigin::Person | CommandOrigin::Project => self.body(calls).await?,
        };
        let prompt = format!("{}\n\n{introduction}\n\n{}", self.line, body.trim());
        match prompt.len() <= MAX_PROMPT_BYTES {
            true => Ok(prompt),
            false => Err(format!("with its files and outputs it is longer than {} KiB.", MAX_PROMPT_BYTES / 1024)),
        }
    }

    async fn body(&self, calls: &CommandCalls<'_>) -> Result<String, String> {
        let (mut body, mut attached) = (String::new(), String::new());
        for piece in &self.template.pieces {
            match piece {
                TemplatePiece::Words(words) => body.push_str(&self.arguments.put_into(&defuse_str(words))),
                TemplatePiece::Shell(command) => {
                    let command = self.arguments.put_into(command);
                    let told = calls.make(ToolName::Bash, json!({ "command": command })).await;
                    let told = told.map_err(|stop| stop.words(&format!("`{}`", fore_text::line(&command))))?;
                    body.push_str(told.text.trim_end());
                }
                TemplatePiece::File(written) => {
                    let asked = self.arguments.put_into(written);
                    body.push('@');
                    body.push_str(&asked);
                    if let Some(mention) = calls.context.resource_named(&asked) {
                        attached.push_str(&calls.resource(&mention).await?);
                    } else if let Some(path) = calls.file(&asked, asked != *written)? {
                        let told = calls.make(ToolName::Read, json!({ "file_path": path })).await;
                        let told = told.map_err(|stop| stop.words(&format!("`@{}`", fore_text::line(&asked))))?;
                        if told.failed {
                            return Err(first_sentence(&told.text));
                        }
                        let text = told.text.replace("</file", "‹/file");
                        attached.push_str(&format!(
                            "\n\n<file path={}>\n{}\n</file>",
                            Value::from(asked),
                            text.trim_end()
                        ));
                    }
                }
            }
            if body.len() + attached.len() > MAX_PROMPT_BYTES {
                return Err(format!("with its files and outputs it is longer than {} KiB.", MAX_PROMPT_BYTES / 1024));
            }
        }
        if !self.template.takes_arguments() && !self.arguments.whole().is_empty() {
            body.push_str(&format!("\n\nArguments: {}", self.arguments.whole()));
        }
        Ok(format!("{}{attached}", body.trim_end()))
    }
}

/// What is wrong; what follows that is for the model.
fn first_sentence(text: &str) -> String {
    let first = text.split_once(". ").map_or(text, |(first, _)| first);
    format!("{}.", fore_text::line(first.trim_end().trim_end_matches('.')))
}

/// Makes the calls of a command, one after the other, as a turn makes those of a model.
pub(super) struct CommandCalls<'a> {
    pub(super) context: &'a Arc<SessionContext>,
    pub(super) caller: &'a Arc<CallerContext>,
    pub(super) toolbox: &'a Arc<Toolbox>,
}

/// What a call gave.
pub(super) struct CommandOutput {
    pub(super) text: String,
    pub(super) failed: bool,
}

/// Why a call gave nothing.
pub(super) enum CallStop {
    Refused(String),
    Interrupted,
    Picture,
}

impl CallStop {
    pub(super) fn words(self, what: &str) -> String {
        match self {
            CallStop::Refused(why) => format!("{what} was refused. {why}"),
            CallStop::Interrupted => "it was interrupted.".to_owned(),
            CallStop::Picture => format!("{what} is a picture, and a prompt takes text alone."),
        }
    }
}

impl CommandCalls<'_> {
    pub(super) async fn make(&self, tool: ToolName, input: Value) -> Result<CommandOutput, CallStop> {
        if self.caller.cancel.is_cancelled() {
            return Err(CallStop::Interrupted);
        }
        let id = self.context.work.next_call();
        let call = ToolUse {
            id: format!("command-{}", id.0),
            name: tool.name().to_owned(),
            arguments: Arguments::Ok(input),
            seal: None,
        };
        let there = (Arc::clone(self.context), Arc::clone(self.caller), Arc::clone(self.toolbox));
        let done = call::run(there.0, there.1, there.2, id, (Slot { slot: 0, call }, None)).await;
        let failed = match done.record.outcome {
            CallOutcome::Done => false,
            CallOutcome::Failed => true,
            CallOutcome::Refused { refusal } => {
                let (why, way_out) = refusal.for_person();
                return Err(CallStop::Refused(format!("{why} {way_out}").trim_end().to_owned()));
            }
            CallOutcome::Interrupted => return Err(CallStop::Interrupted),
        };
        let mut texts = Vec::new();
        for part in done.result.content {
            match part {
                ResultPart::Text(text) => texts.push(text),
                ResultPart::Image(_) => return Err(CallStop::Picture),
            }
        }
        Ok(CommandOutput { text: texts.join("\n"), failed })
    }

    /// The file that `@` names. None for what stays a word: a folder, and what is no file and was never meant as one.
    fn file(&self, asked: &str, is_argument: bool) -> Result<Option<String>, String> {
        let setup = &self.context.setup;
        let disk = Disk::new(&setup.project, setup.user_home.as_deref());
        let target = fore_plan::gate::Paths::resolve(&disk, asked);
        match (target.names > 0 || target.is_link, is_argument) {
            (true, _) if Path::new(&target.real).is_dir() => Ok(None),
            (true, _) => Ok(Some(target.real)),
            (false, true) => Err(format!("`@{}` is not there.", fore_text::line(asked))),
            (false, false) => {
                let words = format!("`@{}` is not a file here, so it is sent as written.", fore_text::line(asked));
                self.context.person.notice(NoticeLevel::Info, words);
                Ok(None)
            }
        }
    }
}
