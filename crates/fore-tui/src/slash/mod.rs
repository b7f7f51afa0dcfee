//! The slash commands: their names, what may follow, and what they are for, in one table.

/// One command as help and completion show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlashCommand {
    /// Without the slash.
    pub name: &'static str,
    /// What may follow, as help shows it.
    pub words: &'static str,
    pub about: &'static str,
}

/// Every command, in the order help lists them.
pub const COMMANDS: &[SlashCommand] = &[
    SlashCommand { name: "plan", words: "[task]", about: "plan first: nothing changes until you approve" },
    SlashCommand { name: "plan open", words: "", about: "open the plan in your editor" },
    SlashCommand { name: "plan diff", words: "", about: "what changed since you last saw the plan" },
    SlashCommand { name: "plan export", words: "PATH", about: "save a copy of the plan; nothing is overwritten" },
    SlashCommand { name: "plan off", words: "", about: "leave plan mode without approving" },
    SlashCommand { name: "mode", words: "[MODE]", about: "show or switch the mode" },
    SlashCommand { name: "model", words: "[NAME]", about: "show or choose the model" },
    SlashCommand { name: "status", words: "", about: "model, mode, cages, context, cost, files" },
    SlashCommand { name: "cost", words: "", about: "tokens and cost of this session" },
    SlashCommand { name: "permissions", words: "", about: "which rules hold, and what you allowed" },
    SlashCommand { name: "agents", words: "", about: "the agents there are, and those at work" },
    SlashCommand { name: "clear", words: "", about: "empty what the model sees; the transcript stays" },
    SlashCommand { name: "compact", words: "[what to keep]", about: "summarise the conversation" },
    SlashCommand { name: "resume", words: "[ID]", about: "go on with another session" },
    SlashCommand { name: "fork", words: "", about: "go on in a copy of this session" },
    SlashCommand { name: "export", words: "PATH", about: "save the conversation as Markdown" },
    SlashCommand { name: "trust", words: "", about: "trust this folder" },
    SlashCommand { name: "help", words: "", about: "keys and commands" },
    SlashCommand { name: "quit", words: "", about: "leave; the session is kept" },
];
