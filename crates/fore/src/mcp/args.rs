//! The command line of `fore mcp`, as data.

use clap::{Args as ClapArgs, Subcommand};
use fore_plan::plan::Hash;
use std::path::PathBuf;

#[derive(Debug, ClapArgs)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// List the servers that are set up here, and whether they may start.
    List {
        /// Print JSON instead of words.
        #[arg(long)]
        json: bool,
    },
    /// Show one server: how it is started, and what you vouched for.
    Get {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Set a server up in your own settings.
    ///
    ///   fore mcp add git -- mcp-server-git --repository .
    ///   fore mcp add docs --url https://docs.example/mcp
    #[command(verbatim_doc_comment)]
    #[allow(rustdoc::bare_urls, reason = "people read this as help, where a link has no brackets")]
    Add(AddServerArgs),
    /// Take a server out of your own settings.
    Remove {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Take servers over from a file of another program, such as .vscode/mcp.json or a claude_desktop_config.json.
    Import {
        /// The file; without one, .vscode/mcp.json of this project.
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
        /// Take them without asking.
        #[arg(long)]
        yes: bool,
    },
    /// Start a server, list its tools, and end it again.
    ///
    /// It runs in the read-only sandbox, as it would while planning.
    #[command(verbatim_doc_comment)]
    Test {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
        /// Start it without a sandbox, as when not planning.
        #[arg(long)]
        free: bool,
        /// Show the descriptions of the tools, too.
        #[arg(long)]
        verbose: bool,
    },
    /// Log in to a server behind an address, in your browser.
    ///
    /// What it gives is kept in your keyring or, without one, in ~/.forethought/logins.json, which nobody but you can read, and goes to
    /// this address alone.
    #[command(verbatim_doc_comment)]
    Login {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Forget the login of a server.
    Logout {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Let a server of this project start: its entry as it is now, shown whole.
    Trust {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
        /// The hash of the entry; then nothing is asked.
        #[arg(long, value_name = "HASH")]
        hash: Option<Hash>,
    },
    /// Let it start no longer.
    Untrust {
        /// The server.
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Vouch that a tool only reads, as it is defined now, so that it may run while planning.
    Vouch {
        /// The server.
        #[arg(value_name = "SERVER")]
        server: String,
        /// Its tool.
        #[arg(value_name = "TOOL")]
        tool: String,
        /// The hash of the definition; then nothing is asked.
        #[arg(long, value_name = "HASH")]
        hash: Option<Hash>,
    },
    /// Take such a word back.
    Unvouch {
        /// The server.
        #[arg(value_name = "SERVER")]
        server: String,
        /// Its tool.
        #[arg(value_name = "TOOL")]
        tool: String,
    },
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AddServerArgs {
    /// A name of your choice.
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// The address, for a server elsewhere.
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,
    /// The server speaks the old protocol with two channels.
    #[arg(long, requires = "url")]
    pub(crate) sse: bool,
    /// A header, as NAME: VALUE. May be given several times.
    #[arg(long, value_name = "HEADER", requires = "url")]
    pub(crate) header: Vec<String>,
    /// A variable for the program, as NAME=VALUE; ${NAME} stands for one of yours. May be given several times.
    #[arg(long, value_name = "VARIABLE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// A host that the program may reach from its sandbox. May be given several times.
    #[arg(long, value_name = "HOST", conflicts_with = "url")]
    pub(crate) host: Vec<String>,
    /// Put it in the place of a server that has this name already.
    #[arg(long)]
    pub(crate) replace: bool,
    /// The program and its arguments.
    #[arg(last = true, value_name = "CMD", required_unless_present = "url")]
    pub(crate) command: Vec<String>,
}
