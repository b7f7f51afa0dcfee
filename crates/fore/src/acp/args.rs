//! The command line of `fore acp`.

use crate::headless::args::RunArgs;
use clap::{Args as ClapArgs, ValueEnum};
use fore_plan::Mode;

#[derive(Debug, ClapArgs)]
pub(crate) struct AcpArgs {
    /// Print what to put into this editor's settings, and stop.
    #[arg(long, value_name = "EDITOR")]
    pub(crate) print_config: Option<EditorName>,
    /// The mode that new sessions start in: plan, default, acceptEdits, auto or bypassPermissions.
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// An editor that speaks the protocol, or has a plugin that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EditorName {
    Zed,
    Neovim,
    Emacs,
    Jetbrains,
}
