//! One hook: when it runs, what it runs, for how long, and what becomes of a call when it does not work.

use crate::{event::HookEvent, matcher::HookMatcher, script};
use fore_plan::plan::Hash;
use fore_text::cut;
use std::{fmt, fmt::Write as _, path::Path, time::Duration};

/// Letters of a command in a hook's name.
const MAX_NAME_CHARS: usize = 60;

/// One hook.
#[derive(Clone, PartialEq)]
pub struct Hook {
    /// When it runs.
    pub event: HookEvent,
    /// For which calls, sources or agents.
    pub matcher: HookMatcher,
    /// What it runs.
    pub runner: HookRunner,
    /// How long it may run.
    pub timeout: Duration,
    /// What follows when it does not work.
    pub on_failure: OnFailure,
    /// Nobody waits for it, and it decides nothing.
    pub is_async: bool,
    /// Who set it up.
    pub origin: HookOrigin,
}

/// What a hook runs.
#[derive(Clone, PartialEq, Eq)]
pub enum HookRunner {
    /// A text for the shell.
    Shell {
        /// As it is written.
        command: String,
    },
    /// A program, started directly.
    Program {
        /// The program.
        command: String,
        /// What follows.
        args: Vec<String>,
    },
    /// An address that is sent the same JSON.
    Http {
        /// Where.
        url: String,
        /// With these headers; `$NAME` in a value stands for a variable that is listed.
        headers: Vec<(String, String)>,
        /// The variables that headers may hold.
        allowed_variables: Vec<String>,
    },
}

/// What follows when a hook is missing, late, killed or not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// Where it may be a guard, the call is not made.
    Block,
    /// As if it were not there, as in other agents.
    Continue,
}

/// Where a hook is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookOrigin {
    /// The file, as people know it.
    pub file: String,
    /// Somebody else may have written it: it comes with the folder one works in.
    pub is_of_repository: bool,
}

impl Hook {
    /// What it is called in messages: its command, shortened.
    pub fn name(&self) -> String {
        fore_text::line(&cut::ellipsis(&cut::one_line(&self.runner.text()), MAX_NAME_CHARS)).into_owned()
    }

    /// Whether both do the same at the same event: such hooks run once. One that nobody waits for, or whose failure lets a call pass, does
    /// not do what a guard does.
    pub fn is_same_as(&self, other: &Hook) -> bool {
        let own = (self.event, &self.runner, self.is_async, self.on_failure);
        own == (other.event, &other.runner, other.is_async, other.on_failure)
    }

    /// Whether a failure keeps the call from being made.
    pub(crate) fn blocks_on_failure(&self) -> bool {
        self.event.fails_closed() && self.on_failure == OnFailure::Block
    }

    /// What a person vouches for, to the letter: event, matcher, command, arguments and the hash of every file of the project that
    /// it names. `hash_of` reads such a file; none where there is none.
    pub fn content(&self, project: &Path, hash_of: &dyn Fn(&Path) -> Option<Hash>) -> String {
        let mut text = format!("event {}\nmatcher {}\n", self.event.name(), quoted(self.matcher.text()));
        match &self.runner {
            HookRunner::Shell { command } => _ = writeln!(text, "command {}", quoted(command)),
            HookRunner::Program { command, args } => {
                _ = writeln!(text, "program {}", quoted(command));
                args.iter().for_each(|arg| _ = writeln!(text, "arg {}", quoted(arg)));
            }
            HookRunner::Http { url, headers, allowed_variables } => {
                _ = writeln!(text, "url {}", quoted(url));
                headers
                    .iter()
                    .for_each(|(name, value)| _ = writeln!(text, "header {}", quoted(&format!("{name}: {value}"))));
                allowed_variables.iter().for_each(|name| _ = writeln!(text, "variable {}", quoted(name)));
            }
        }
        // What takes the strength of a guard is part of it, too.
        if self.is_async {
            text.push_str("async\n");
        }
        if self.on_failure == OnFailure::Continue {
            text.push_str("on failure continue\n");
        }
        for path in script::named(&self.runner, project, self.origin.is_of_repository).unwrap_or_default() {
            if let Some(hash) = hash_of(&project.join(&path)) {
                _ = writeln!(text, "file {} sha256 {hash}", quoted(&path));
            }
        }
        text
    }

    /// Whether it must be vouched for before it runs: a repository wrote it, or a file of the project is part of it.
    pub fn needs_vouch(&self, project: &Path, hash_of: &dyn Fn(&Path) -> Option<Hash>) -> bool {
        self.origin.is_of_repository
            || script::named(&self.runner, project, false)
                .is_ok_and(|paths| paths.iter().any(|path| hash_of(&project.join(path)).is_some()))
    }

    /// Whether its command names more files than are looked at: then nobody can vouch for their bytes, and it is not run.
    pub fn names_too_much(&self, project: &Path) -> bool {
        script::named(&self.runner, project, self.origin.is_of_repository).is_err()
    }

    /// Under which name a vouch for it is kept: what it does, without the bytes of its files, so that a change of those is seen as one.
    pub fn vouch_name(&self) -> String {
        let place = format!("{} {}", self.event.name(), self.matcher.text().trim());
        format!("{} {}", place.trim(), self.runner.text())
    }
}

impl HookRunner {
    /// What is run, in one text.
    pub fn text(&self) -> String {
        match self {
            HookRunner::Shell { command } => command.clone(),
            HookRunner::Program { command, args } => {
                std::iter::once(command.as_str()).chain(args.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
            }
            HookRunner::Http { url, .. } => url.clone(),
        }
    }
}

/// As JSON writes it: no line end of a command can pass for the end of a line.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// People put keys into headers and commands.
impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("event", &self.event).field("origin", &self.origin).finish_non_exhaustive()
    }
}

impl fmt::Debug for HookRunner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HookRunner")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(runner: HookRunner, is_of_repository: bool) -> Hook {
        Hook {
            event: HookEvent::PreToolUse,
            matcher: HookMatcher::new("Bash"),
            runner,
            timeout: Duration::from_secs(1),
            on_failure: OnFailure::Block,
            is_async: false,
            origin: HookOrigin { file: ".claude/settings.json".into(), is_of_repository },
        }
    }

    #[test]
    fn what_is_vouched_for_is_the_hook_and_the_bytes_of_its_files() {
        let project = Path::new("/projects/shop");
        let script = project.join(".claude/check.sh");
        let there = |path: &Path| (path == script).then(|| Hash::of(b"one"));
        let changed = |path: &Path| (path == script).then(|| Hash::of(b"two"));
        let own =
            hook(HookRunner::Shell { command: "\"$CLAUDE_PROJECT_DIR\"/.claude/check.sh --fast\nx".into() }, true);
        let expected = format!(
            "event PreToolUse\nmatcher \"Bash\"\ncommand \"\\\"$CLAUDE_PROJECT_DIR\\\"/.claude/check.sh --fast\\nx\"\nfile \".claude/check.sh\" sha256 {}\n",
            Hash::of(b"one")
        );
        assert_eq!(own.content(project, &there), expected);
        assert_ne!(own.content(project, &there), own.content(project, &changed), "other bytes are another hook");
        assert_ne!(own.content(project, &there), own.content(project, &|_| None), "a file that is gone is, too");
        for weaker in [Hook { is_async: true, ..own.clone() }, Hook { on_failure: OnFailure::Continue, ..own.clone() }]
        {
            assert_ne!(
                weaker.content(project, &there),
                own.content(project, &there),
                "a guard that guards less is another hook"
            );
            assert!(!weaker.is_same_as(&own), "and does not stand for one that guards");
        }
        let args = |args: &[&str]| HookRunner::Program {
            command: "node".into(),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        };
        let (one, two) = (hook(args(&["a b"]), true), hook(args(&["a", "b"]), true));
        assert_ne!(one.content(project, &|_| None), two.content(project, &|_| None), "arguments are not joined");
    }

    #[test]
    fn a_hook_needs_a_vouch_if_a_repository_wrote_it_or_its_script() {
        let project = Path::new("/projects/shop");
        let there = |path: &Path| path.starts_with(project).then(|| Hash::of(b"x"));
        let shell = |command: &str| HookRunner::Shell { command: command.into() };
        let page = [
            (hook(shell("true"), true), true),
            (hook(shell("/opt/guard"), false), false),
            (hook(shell("./scripts/guard.sh"), false), true),
            (hook(shell("python3 scripts/guard.py"), false), true),
            (hook(shell("/projects/shop/guard.sh"), false), true),
            (hook(shell("cat"), false), false),
        ];
        for (hook, expected) in page {
            assert_eq!(hook.needs_vouch(project, &there), expected, "{}", hook.runner.text());
        }
    }
}
