//! Which files of a project give orders: what git, agents, editors, build tools and build servers later do by themselves because
//! it says so. One list, for the gate and for the workspace cage.
//!
//! The line: held is what takes effect without anybody running the project (opening it, a commit, a push, a `cd`, starting a
//! tool). Not held is what acts only when the project itself is built or run: `package.json` and its scripts, `Makefile`,
//! `build.rs`, sources. Commands change those all the time (`npm install`, `cargo add`), and who builds a project runs its code.
//! `.gitattributes` only chooses among drivers, and those are defined in git's configuration, which is held.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// Relative to any folder of a project; what lies beneath one of them belongs to it.
pub const GIVES_ORDERS: &[&str] = &[
    // Git; for a cage only the parts in `GIT_ORDERS`, because people commit.
    ".git",
    ".gitmodules",
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
    ".mcp.json",
    "opencode.json",
    ".aider.conf.yml",
    "AGENTS.md",
    "AGENTS.override.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "GEMINI.md",
    ".clinerules",
    ".cursorrules",
    ".windsurfrules",
    ".github/copilot-instructions.md",
    // Editors.
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".devcontainer",
    ".devcontainer.json",
    ".dir-locals.el",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vimrc",
    // Build servers.
    ".github/workflows",
    ".github/actions",
    ".gitea/workflows",
    ".forgejo/workflows",
    ".gitlab-ci.yml",
    ".circleci",
    ".travis.yml",
    ".cirrus.yml",
    ".drone.yml",
    ".woodpecker",
    ".woodpecker.yml",
    ".buildkite",
    ".teamcity",
    ".appveyor.yml",
    "appveyor.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
    "Jenkinsfile",
    // Programs that run at a commit.
    ".husky",
    ".githooks",
    ".lefthook",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    "lefthook-local.yml",
    ".overcommit.yml",
    ".pre-commit-config.yaml",
    // Shells and tools that look here before they do anything, and may be told to start another program.
    ".envrc",
    ".mise",
    ".mise.toml",
    "mise.toml",
    ".tool-versions",
    ".cargo/config",
    ".cargo/config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".npmrc",
    ".pnpmfile.cjs",
    ".yarnrc",
    ".yarnrc.yml",
    ".yarn/plugins",
    ".yarn/releases",
];

/// What in a git folder makes git run programs or read its orders elsewhere.
pub const GIT_ORDERS: &[&str] = &["hooks", "config", "config.worktree", "commondir", "info/attributes"];

/// Whether a path inside a project is one of these, lies beneath one, or is one but for upper and lower case.
pub fn gives_orders(inside: &Path) -> bool {
    let parts: Vec<&OsStr> = inside.components().map(Component::as_os_str).collect();
    GIVES_ORDERS.iter().any(|order| {
        let length = order.split('/').count();
        let is_order = |found: &[&OsStr]| found.iter().zip(order.split('/')).all(|(a, b)| a.eq_ignore_ascii_case(b));
        parts.windows(length).any(is_order)
    })
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
        ];
        for (path, expected) in page {
            assert_eq!(gives_orders(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn every_entry_is_a_plain_relative_path_and_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in GIVES_ORDERS {
            let is_plain = Path::new(entry).components().all(|part| matches!(part, Component::Normal(_)));
            assert!(is_plain && gives_orders(Path::new(entry)) && seen.insert(entry), "{entry}");
        }
    }
}
