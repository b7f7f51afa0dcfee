//! A prompt that is made before it is sent: from the file of a command, by a server, or with resources that the words name. Whatever goes
//! wrong is said, and nothing is sent then.

use super::{
    caller::CallerContext,
    custom_turn::{CalledCommand, CommandCalls, INTRODUCTION, NoCommand, TurnWishes},
    servers::{CalledPrompt, MAX_MENTIONS, ResourceMention},
    session_context::SessionContext,
    toolbox::Toolbox,
};
use fore_plan::ToolName;
use serde_json::{Value, json};
use std::sync::Arc;

/// The longest prompt that is made.
pub(super) const MAX_PROMPT_BYTES: usize = 512 * 1024;

/// What a prompt is made from.
#[derive(Debug)]
pub(super) enum MadePrompt {
    /// A command's file, or a skill.
    Command(Box<CalledCommand>),
    /// A prompt of a server.
    OfServer(CalledPrompt),
    /// The person's words, with what they name.
    Mentioning { text: String, resources: Vec<ResourceMention> },
}

impl SessionContext {
    /// What a line calls.
    pub(super) fn called_line(&self, line: &str) -> Result<MadePrompt, NoCommand> {
        match self.called_prompt(line) {
            Some(called) => called.map(MadePrompt::OfServer).map_err(NoCommand::Refused),
            None => self.called_command(line).map(|command| MadePrompt::Command(Box::new(command))),
        }
    }

    /// The person's words, where they name resources.
    pub(super) fn mentioning(&self, text: &str) -> Option<MadePrompt> {
        let resources = self.mentioned_resources(text);
        (!resources.is_empty()).then(|| MadePrompt::Mentioning { text: text.to_owned(), resources })
    }
}

impl MadePrompt {
    /// As the person calls it.
    pub(super) fn name(&self) -> String {
        match self {
            MadePrompt::Command(command) => command.name(),
            MadePrompt::OfServer(prompt) => format!("/{}", prompt.name),
            MadePrompt::Mentioning { .. } => "Your prompt".to_owned(),
        }
    }

    /// What the person typed.
    pub(super) fn line(&self) -> &str {
        match self {
            MadePrompt::Command(command) => &command.line,
            MadePrompt::OfServer(prompt) => &prompt.line,
            MadePrompt::Mentioning { text, .. } => text,
        }
    }

    /// What of it the person says: attached resources are not their words.
    pub(super) fn spoken<'p>(&'p self, prompt: &'p str) -> &'p str {
        match self {
            MadePrompt::Command(_) | MadePrompt::OfServer(_) => prompt,
            MadePrompt::Mentioning { text, .. } => text,
        }
    }

    /// The whole prompt, and what it wishes of its turn; the error is why there is none.
    pub(super) async fn make(
        &self,
        context: &Arc<SessionContext>,
        caller: &Arc<CallerContext>,
        toolbox: &Arc<Toolbox>,
    ) -> Result<(TurnWishes, String), String> {
        let calls = CommandCalls { context, caller, toolbox };
        match self {
            MadePrompt::Command(command) => {
                let wishes = command.grant(context).await;
                Ok((wishes, command.prompt(&calls).await?))
            }
            MadePrompt::OfServer(prompt) => {
                let text = prompt.text(context, caller).await?;
                let introduction = INTRODUCTION.trim().replace("{from}", &prompt.from());
                Ok((TurnWishes::default(), format!("{}\n\n{introduction}\n\n{}", prompt.line, text.trim())))
            }
            MadePrompt::Mentioning { text, resources } => {
                if resources.len() > MAX_MENTIONS {
                    return Err(format!("it names more than {MAX_MENTIONS} resources."));
                }
                let mut whole = text.clone();
                for mention in resources {
                    whole.push_str(&calls.resource(mention).await?);
                }
                match whole.len() <= MAX_PROMPT_BYTES {
                    true => Ok((TurnWishes::default(), whole)),
                    false => Err(format!("with its resources it is longer than {} KiB.", MAX_PROMPT_BYTES / 1024)),
                }
            }
        }
    }
}

impl CommandCalls<'_> {
    /// A resource, as it stands behind a prompt.
    pub(super) async fn resource(&self, mention: &ResourceMention) -> Result<String, String> {
        let ResourceMention { server, uri } = mention;
        let named = format!("`@{server}:{}`", fore_text::line(uri));
        let told = self.make(ToolName::McpRead, json!({ "server": server, "uri": uri })).await;
        let told = told.map_err(|stop| stop.words(&named))?;
        if told.failed {
            return Err(format!("{named} could not be read. {}", told.text.trim()));
        }
        // Its end is ours to say.
        let text = told.text.replace("</resource", "‹/resource");
        let (server, uri) = (Value::from(server.as_str()), Value::from(uri.as_str()));
        Ok(format!("\n\n<resource server={server} uri={uri}>\n{}\n</resource>", text.trim_end()))
    }
}
