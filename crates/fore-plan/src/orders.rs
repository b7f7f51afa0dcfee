//! Which files of a project give orders: what git, agents, editors, build tools and build servers later do by themselves because
//! it says so. One list, for the gate and for the workspace cage.
//!
//! The line: held is what takes effect without anybody running the project (opening it, a commit, a push, a `cd`, starting a
//! tool or a debugger). Not held is what acts only when the project itself is built or run: `package.json` and its scripts,
//! `Makefile`, `build.rs`, `.pnp.cjs`, `node_modules/.bin`, sources. Commands change those all the time (`npm install`, `cargo
//! add`), and who builds a project runs its code. `.gitattributes` only chooses among drivers, and those are defined in git's
//! configuration, which is held.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// Relative to any folder of a project, or with a slash in front to its top only; a star in front stands for any beginning of a
/// name. What lies beneath one of them belongs to it.
pub const GIVES_ORDERS: &[&str] = &[
    // Version control; of `.git` a cage holds only the parts in `GIT_ORDERS`, because people commit.
    ".git",
    ".gitmodules",
    ".hg/hgrc",
    ".hg/hgrc-not-shared",
    ".hg/requires",
    ".hg/sharedpath",
    ".sl/config",
    ".jj/repo/config.toml",
    // Agents, ours first.
    ".forethought",
    ".claude",
    ".codex",
    ".gemini",
    ".qwen",
    ".opencode",
    ".kiro",
    ".roo",
    ".continue",
    ".windsurf",
    ".cursor",
    ".cline",
    ".augment",
    ".amazonq",
    ".junie",
    ".trae",
    ".crush",
    ".factory",
    ".agents",
    ".goose",
    ".mcp.json",
    "opencode.json",
    "opencode.jsonc",
    "crush.json",
    ".crush.json",
    ".aider.conf.yml",
    "AGENTS.md",
    "AGENTS.override.md",
    "AGENT.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    "QWEN.md",
    "WARP.md",
    ".clinerules",
    ".cursorrules",
    ".windsurfrules",
    ".roorules",
    ".goosehints",
    ".rules",
    ".github/copilot-instructions.md",
    ".github/instructions",
    ".github/prompts",
    ".github/agents",
    ".github/chatmodes",
    ".github/hooks",
    // Editors and debuggers.
    ".vscode",
    "*.code-workspace",
    "*.sublime-project",
    ".idea",
    ".zed",
    ".helix",
    ".fleet",
    ".devcontainer",
    ".devcontainer.json",
    ".gitpod.yml",
    ".replit",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    ".lvimrc",
    ".gdbinit",
    ".lldbinit",
    ".pdbrc",
    ".pdbrc.py",
    // Build servers.
    ".github/workflows",
    ".github/actions",
    ".gitea/workflows",
    ".forgejo/workflows",
    ".gitlab-ci.yml",
    ".gitlab",
    ".circleci",
    ".travis.yml",
    ".cirrus.yml",
    ".cirrus.star",
    ".drone.yml",
    ".drone.jsonnet",
    ".drone.star",
    ".woodpecker",
    ".woodpecker.yml",
    ".woodpecker.yaml",
    ".buildkite",
    ".teamcity",
    ".semaphore",
    ".tekton",
    ".build.yml",
    ".builds",
    ".appveyor.yml",
    "appveyor.yml",
    ".azure-pipelines",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    "codemagic.yaml",
    "Jenkinsfile",
    "netlify.toml",
    // Programs that run at a commit.
    ".husky",
    ".githooks",
    ".lefthook",
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.toml",
    "lefthook.json",
    ".lefthook.yml",
    ".lefthook.yaml",
    "lefthook-local.yml",
    "lefthook-local.yaml",
    ".overcommit.yml",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    ".lintstagedrc",
    ".lintstagedrc.json",
    ".lintstagedrc.yaml",
    ".lintstagedrc.yml",
    ".lintstagedrc.js",
    ".lintstagedrc.cjs",
    ".lintstagedrc.mjs",
    "lint-staged.config.js",
    "lint-staged.config.cjs",
    "lint-staged.config.mjs",
    ".simple-git-hooks.json",
    ".simple-git-hooks.js",
    ".simple-git-hooks.cjs",
    // Shells and tools that look here before they do anything, and may be told to start another program.
    ".envrc",
    ".direnv",
    ".autoenv.zsh",
    ".mise",
    ".mise.toml",
    ".mise.local.toml",
    "mise.toml",
    "mise.local.toml",
    "mise/config.toml",
    ".config/mise",
    ".config/mise.toml",
    ".rtx.toml",
    ".tool-versions",
    ".cargo/config",
    ".cargo/config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".mvn",
    ".bazelrc",
    ".bazeliskrc",
    ".npmrc",
    ".pnpmfile.cjs",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/plugins",
    ".yarn/releases",
    "bunfig.toml",
    ".Rprofile",
    ".Renviron",
    ".irbrc",
    ".pryrc",
    ".iex.exs",
    ".ghci",
    ".ocamlinit",
    // The person's own, where the project is their home or keeps these files for it.
    "/.profile",
    "/.bashrc",
    "/.bash_profile",
    "/.bash_login",
    "/.bash_logout",
    "/.bash_aliases",
    "/.zshrc",
    "/.zshenv",
    "/.zprofile",
    "/.zlogin",
    "/.zlogout",
    "/.oh-my-zsh",
    "/.kshrc",
    "/.cshrc",
    "/.tcshrc",
    "/.login",
    "/.inputrc",
    "/.pam_environment",
    "/.xprofile",
    "/.xinitrc",
    "/.xsession",
    "/.xsessionrc",
    "/.gitconfig",
    "/.hgrc",
    "/.ssh",
    "/.gnupg",
    "/.vim",
    "/.emacs",
    "/.emacs.el",
    "/.emacs.d",
    "/.tmux.conf",
    "/.screenrc",
    "/.pythonrc",
    "/.psqlrc",
    "/.sqliterc",
    "/.curlrc",
    "/.wgetrc",
    "/.terraformrc",
    "/.forward",
    "/.procmailrc",
    "/.aws/config",
    "/.kube/config",
    "/.docker/config.json",
    "/.docker/cli-plugins",
    "/.m2/settings.xml",
    "/.gradle/init.gradle",
    "/.gradle/init.d",
    "/.cargo/env",
    "/.cargo/bin",
    "/.local/bin",
    "/.local/share/applications",
    "/.local/share/dbus-1",
    "/.local/share/systemd",
    "/.config/autostart",
    "/.config/systemd",
    "/.config/environment.d",
    "/.config/fish",
    "/.config/zsh",
    "/.config/git",
    "/.config/hg",
    "/.config/jj",
    "/.config/nvim",
    "/.config/emacs",
    "/.config/helix",
    "/.config/tmux",
    "/.config/direnv",
    "/.config/pip",
    "/.config/i3",
    "/.config/sway",
    "/.config/hypr",
];

/// What in a git folder makes git run programs or read its orders elsewhere.
pub const GIT_ORDERS: &[&str] = &["hooks", "config", "config.worktree", "commondir", "info/attributes"];

/// Whether a path inside a project is one of these, lies beneath one, or is one but for upper and lower case.
pub fn gives_orders(inside: &Path) -> bool {
    let parts: Vec<&OsStr> = inside.components().map(Component::as_os_str).collect();
    GIVES_ORDERS.iter().any(|order| {
        let (order, places) = match order.strip_prefix('/') {
            Some(order) => (order, 1),
            None => (*order, usize::MAX),
        };
        let length = order.split('/').count();
        let is_order = |found: &[&OsStr]| found.iter().zip(order.split('/')).all(|(name, part)| is_meant(part, name));
        parts.windows(length).take(places).any(is_order)
    })
}

/// Whether one part of an entry means this name.
fn is_meant(part: &str, name: &OsStr) -> bool {
    match part.strip_prefix('*') {
        Some(end) => {
            let name = name.as_encoded_bytes();
            let at = name.len().checked_sub(end.len()).and_then(|at| name.get(at..));
            at.is_some_and(|found| found.eq_ignore_ascii_case(end.as_bytes()))
        }
        None => name.eq_ignore_ascii_case(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gives_orders_does_so_at_every_depth_and_in_every_case() {
        let page = [
            (".git/hooks/pre-commit", true),
            ("vendor/lib/.git/config", true),
            (".Claude/settings.json", true),
            ("packages/web/.forethought/settings.local.json", true),
            (".github/workflows/ci.yml", true),
            (".GitHub/Workflows/ci.yml", true),
            ("docs/agents.md", true),
            ("crates/a/.cargo/config.toml", true),
            ("rust-toolchain.toml", true),
            (".github/ISSUE_TEMPLATE/bug.md", false),
            ("workflows/ci.yml", false),
            (".cargo/registry", false),
            (".gitignore", false),
            (".gitattributes", false),
            ("package.json", false),
            ("src/main.rs", false),
            ("", false),
            (".hg/hgrc", true),
            (".hg/store/x", false),
            ("lib/x.code-workspace", true),
            ("x.Code-Workspace", true),
            ("code-workspace", false),
            (".config/mise/config.toml", true),
            (".bashrc", true),
            (".config/autostart/x.desktop", true),
            ("src/.bashrc", false),
            ("etc/.config/autostart", false),
            (".config/app.toml", false),
        ];
        for (path, expected) in page {
            assert_eq!(gives_orders(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn every_entry_is_a_plain_relative_path_and_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in GIVES_ORDERS {
            let path = Path::new(entry.trim_start_matches('/'));
            let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            let has_one_star = entry.rfind('*').is_none_or(|at| at == 0 && !entry.contains('/'));
            assert!(is_plain && has_one_star && gives_orders(path) && seen.insert(entry), "{entry}");
        }
    }
}
