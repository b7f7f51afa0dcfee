//! The commands that can be typed in a client: a few of the program's own, and those of the person's files.

use super::plan_terms::TermsWish;
use agent_client_protocol::v1::schema::{AvailableCommand, AvailableCommandInput, UnstructuredCommandInput};
use fore_agent::{Command, McpWish, PromptTiming, custom::CustomCommandRow};

/// Commands that are listed.
const MAX_LISTED: usize = 200;

/// Name, what may follow, what it is for.
const OWN: &[(&str, &str, &str)] = &[
    ("plan", "[task]", "plan first; alone: show the plan, and ask again if it waits for approval"),
    ("strike", "NUMBER", "while a plan waits: take an entry off what it covers, or back"),
    ("cover", "PATH or $ COMMAND", "while a plan waits: let it cover more"),
    ("steps", "NUMBERS or all", "while a plan waits: approve only these steps"),
    ("report", "", "what became of the approved plan so far"),
    ("compact", "[what to keep]", "summarise the conversation"),
    ("clear", "", "empty what the model sees"),
    ("mcp", "[trust SERVER | vouch SERVER TOOL]", "MCP servers and their tools; let one start, or run while planning"),
];

/// What a prompt asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Typed {
    /// Words for the model, a custom command, or something that ends with an event of its own.
    Send(Command, EndsWith),
    /// Planning begins with these words.
    PlanTask(String),
    /// The plan, and the question about it once more.
    ShowPlan,
    /// What would be approved of a plan that waits; where none does, the line is as any other.
    Terms(TermsWish, String),
    /// It cannot be done so.
    Wrong(String),
}

/// What ends a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndsWith {
    /// Its turn.
    Turn,
    Report,
    Cut,
    Plan,
    Servers,
    /// A look at what a vouch would be for, which is then asked about.
    Vouch,
}

/// Reads a prompt.
pub(super) fn read(text: String) -> Typed {
    let Some(line) = text.strip_prefix('/') else {
        return Typed::Send(Command::Prompt { text, when: PromptTiming::Queue }, EndsWith::Turn);
    };
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let words = words.trim();
    match name {
        "plan" if words.is_empty() => Typed::ShowPlan,
        "plan" => Typed::PlanTask(words.to_owned()),
        "strike" => Typed::Terms(TermsWish::Strike(words.to_owned()), text),
        "cover" => Typed::Terms(TermsWish::Cover(words.to_owned()), text),
        "steps" => Typed::Terms(TermsWish::Steps(words.to_owned()), text),
        "report" => Typed::Send(Command::Report, EndsWith::Report),
        "compact" => Typed::Send(Command::Compact { keep: words.to_owned() }, EndsWith::Cut),
        "clear" => Typed::Send(Command::Clear, EndsWith::Cut),
        "mcp" => mcp(words),
        _ => Typed::Send(Command::Custom { line: text, or_words: true }, EndsWith::Turn),
    }
}

fn mcp(words: &str) -> Typed {
    let look = |server: &str, tool: Option<&str>| {
        let wish = McpWish::LookAt { server: server.to_owned(), tool: tool.map(str::to_owned) };
        Typed::Send(Command::Mcp { wish }, EndsWith::Vouch)
    };
    match words.split_whitespace().collect::<Vec<_>>().as_slice() {
        [] => Typed::Send(Command::Mcp { wish: McpWish::List { server: None } }, EndsWith::Servers),
        ["trust", server] => look(server, None),
        ["vouch", server, tool] => look(server, Some(tool)),
        _ => Typed::Wrong("Write /mcp, /mcp trust SERVER or /mcp vouch SERVER TOOL.".into()),
    }
}

/// All of them, for the client.
pub(super) fn available(custom: &[CustomCommandRow]) -> Vec<AvailableCommand> {
    let command = |name: &str, words: &str, about: &str| {
        let hint = (!words.is_empty()).then(|| {
            AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(fore_text::line(words).into_owned()))
        });
        AvailableCommand::new(fore_text::line(name).into_owned(), fore_text::line(about).into_owned()).input(hint)
    };
    let own = OWN.iter().map(|(name, words, about)| command(name, words, about));
    let custom = custom.iter().map(|row| command(&row.name, &row.arguments, &row.description));
    own.chain(custom).take(MAX_LISTED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_a_command_of_the_program_a_custom_one_or_words() {
        let prompt = |text: &str| Command::Prompt { text: text.into(), when: PromptTiming::Queue };
        let custom = |line: &str| Command::Custom { line: line.into(), or_words: true };
        let page = [
            ("mend it", Typed::Send(prompt("mend it"), EndsWith::Turn)),
            ("/plan", Typed::ShowPlan),
            ("/plan add a cart", Typed::PlanTask("add a cart".into())),
            ("/compact the names", Typed::Send(Command::Compact { keep: "the names".into() }, EndsWith::Cut)),
            ("/git:commit x", Typed::Send(custom("/git:commit x"), EndsWith::Turn)),
            ("/etc/passwd is what?", Typed::Send(custom("/etc/passwd is what?"), EndsWith::Turn)),
        ];
        for (text, expected) in page {
            assert_eq!(read(text.into()), expected, "{text}");
        }
        assert!(matches!(read("/mcp trust".into()), Typed::Wrong(_)));
        assert_eq!(available(&[]).len(), OWN.len());
    }
}
