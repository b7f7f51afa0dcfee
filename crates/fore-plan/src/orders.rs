//! Which files of a project give orders: what git, agents, editors, build tools and build servers later do by themselves because
//! it says so. One list, for the gate and for the workspace cage.
//!
//! The line: held is what takes effect without anybody running the project (opening it, a commit, a push, a `cd`, starting a
//! tool or a debugger). Not held is what acts only when the project itself is built or run: `package.json` and its scripts,
//! `Makefile`, `build.rs`, `.pnp.cjs`, `node_modules/.bin`, sources. Commands change those all the time (`npm install`, `cargo
//! add`), and who builds a project runs its code. `.gitattributes` only chooses among drivers, and those are defined in git's
//! configuration, which is held.

mod list;

pub use list::{GIT_ORDERS, GIVES_ORDERS};

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path};
use std::sync::OnceLock;

/// The entries by their first part, in small letters, so that a path is compared with few of them.
struct OrderIndex {
    by_first: HashMap<OsString, Vec<OrderParts>>,
    /// Those whose first part has a star, by what it begins with: a small letter or sign, or nothing where that is the star.
    starred: BTreeMap<Option<u8>, Vec<OrderParts>>,
}

/// One entry, part by part.
struct OrderParts {
    parts: Vec<&'static str>,
    /// Means the top of a project only.
    is_top: bool,
}

fn index() -> &'static OrderIndex {
    static INDEX: OnceLock<OrderIndex> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = OrderIndex { by_first: HashMap::new(), starred: BTreeMap::new() };
        for order in GIVES_ORDERS {
            let rooted = order.strip_prefix('/');
            let parts: Vec<&str> = rooted.unwrap_or(order).split('/').collect();
            let first = parts.first().copied().unwrap_or_default();
            let entries = match first.contains('*') {
                true => index.starred.entry(head(first.as_bytes()).filter(|head| *head != b'*')).or_default(),
                false => index.by_first.entry(OsString::from(first.to_ascii_lowercase())).or_default(),
            };
            entries.push(OrderParts { parts, is_top: rooted.is_some() });
        }
        index
    })
}

/// The first byte of a name, as a small letter.
fn head(name: &[u8]) -> Option<u8> {
    name.first().map(u8::to_ascii_lowercase)
}

/// Whether a path inside a project is one of these, lies beneath one, or is one but for upper and lower case.
pub(crate) fn gives_orders(inside: &Path) -> bool {
    let index = index();
    let names: Vec<&OsStr> = inside.components().map(Component::as_os_str).collect();
    names.iter().enumerate().any(|(at, name)| {
        let rest = names.get(at..).unwrap_or_default();
        let named = index.by_first.get(&name.to_ascii_lowercase());
        let starred = head(name.as_encoded_bytes()).and_then(|head| index.starred.get(&Some(head)));
        let candidates = [named, starred, index.starred.get(&None)];
        candidates.into_iter().flatten().flatten().any(|order| {
            (at == 0 || !order.is_top)
                && rest.len() >= order.parts.len()
                && order.parts.iter().zip(rest).all(|(part, name)| is_meant(part, name))
        })
    })
}

/// The same for a path in a project that may itself lie in a folder that gives orders, or in one that is the beginning of an entry.
pub(crate) fn gives_orders_in(project: &Path, inside: &Path) -> bool {
    let parts: Vec<&OsStr> = inside.components().map(Component::as_os_str).collect();
    let begins =
        |rest: &[&str]| parts.len() >= rest.len() && rest.iter().zip(&parts).all(|(part, name)| is_meant(part, name));
    // Only a folder whose name begins with a dot can be the beginning of an entry.
    let may_begin = own_way(project).iter().any(|name| name.as_encoded_bytes().starts_with(b"."));
    gives_orders(inside)
        || may_begin && GIVES_ORDERS.iter().any(|order| rests(order, project).iter().any(|rest| begins(rest)))
}

/// What is left of an entry whose beginning is how the way to a folder ends; nothing is left where the folder lies in what the
/// entry names. Only of names that begin with a dot: any other may be what somebody calls their project.
pub fn rests<'a>(order: &'a str, folder: &Path) -> Vec<Vec<&'a str>> {
    let order: Vec<&str> = order.split('/').collect();
    let way = own_way(folder);
    let is_meant_by =
        |names: &[&OsStr], parts: &[&str]| names.iter().zip(parts).all(|(name, part)| is_meant(part, name));
    let ends_with = |parts: &[&str]| {
        let end = way.len().checked_sub(parts.len()).and_then(|at| way.get(at..));
        end.is_some_and(|names| is_meant_by(names, parts))
    };
    if !order.first().is_some_and(|first| first.starts_with('.')) {
        return Vec::new();
    }
    let whole = way.windows(order.len()).any(|names| is_meant_by(names, &order)).then(Vec::new);
    let halves = (1..order.len()).map(|at| order.split_at(at)).filter(|(begun, _)| ends_with(begun));
    whole.into_iter().chain(halves.map(|(_, rest)| rest.to_vec())).collect()
}

/// The folders on the way that count. A tool keeps work trees beneath its own folder (`.claude/worktrees/…`), and those are projects;
/// git's own folder of that name is none.
fn own_way(folder: &Path) -> Vec<&OsStr> {
    let way: Vec<&OsStr> = folder.components().map(Component::as_os_str).collect();
    let is_folder_of_a_tool =
        |pair: &[&OsStr]| matches!(pair, [above, name] if *name == "worktrees" && !above.eq_ignore_ascii_case(".git"));
    let from = way.windows(2).rposition(is_folder_of_a_tool).map_or(0, |at| at + 2);
    way.into_iter().skip(from).collect()
}

/// Whether one part of an entry means this name.
fn is_meant(part: &str, name: &OsStr) -> bool {
    let Some((begin, end)) = part.split_once('*') else { return name.eq_ignore_ascii_case(part) };
    let name = name.as_encoded_bytes();
    let begins = name.get(..begin.len()).is_some_and(|found| found.eq_ignore_ascii_case(begin.as_bytes()));
    let rest = name.get(begin.len()..).unwrap_or_default();
    let at = rest.len().checked_sub(end.len()).and_then(|at| rest.get(at..));
    begins && at.is_some_and(|found| found.eq_ignore_ascii_case(end.as_bytes()))
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

    /// The index leaves nothing out: every entry is found, at its place, beneath, and in other letters.
    #[test]
    fn every_entry_is_found_by_the_index() {
        for entry in GIVES_ORDERS {
            let path = entry.trim_start_matches('/').replace('*', "x");
            assert!(gives_orders(Path::new(&path)), "{entry}");
            assert!(gives_orders(Path::new(&format!("{}/beneath", path.to_ascii_uppercase()))), "{entry}");
            let is_anywhere = gives_orders(Path::new(&format!("a/b/{path}")));
            assert!(is_anywhere || entry.starts_with('/'), "{entry}");
        }
    }

    #[test]
    fn every_entry_is_a_plain_relative_path_and_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for entry in GIVES_ORDERS {
            let path = Path::new(entry.trim_start_matches('/'));
            let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
            // What is put aside keeps its name and gets an ending, so no entry may end with a star.
            let has_one_star = entry.matches('*').count() < 2 && !entry.ends_with('*');
            let is_in_one_part = !entry.contains('*') || !entry.contains('/');
            assert!(is_plain && has_one_star && is_in_one_part && gives_orders(path) && seen.insert(entry), "{entry}");
        }
    }

    #[test]
    fn the_families_of_tools_are_known_in_all_their_spellings() {
        let page = "
            .lefthook-local.yml .lefthook.toml .lefthook.json lefthook-local.toml lefthook-local.json lefthook.yml
            .lintstagedrc .lintstagedrc.js .lintstagedrc.ts .lintstagedrc.mts .lintstagedrc.json lint-staged.config.ts
            lint-staged.config.mts lint-staged.config.cjs .huskyrc .huskyrc.js .huskyrc.json husky.config.js .husky/pre-commit
            .simple-git-hooks.mjs simple-git-hooks.js simple-git-hooks.cjs simple-git-hooks.json prek.toml hk.pkl
            .rusty-hook.toml captainhook.json grumphp.yml commitlint.config.js .git-hooks/x .gitlint
            mise.production.toml .mise.production.toml mise.local.toml mise/conf.d/x.toml .autoenv .autoenv_leave.zsh
            .shadowenv.d/x .envrc.local .rvmrc
            .externalToolBuilders/x.launch .project x.ipr x.iws .vs/x .nova/x sub/.vim/coc-settings.json .nexrc _exrc
            .gdbearlyinit .neoconf.json .kateproject .bsp/x.json .idx/dev.nix .codesandbox/tasks.json .ona/automations.yaml
            .readthedocs.yaml bitrise.yml bamboo-specs/x amplify.yml .azure-pipelines.yml .azuredevops/x .zuul.yaml
            .zuul.d/x screwdriver.yaml .prow.yaml .vela.yml wercker.yml circle.yml .onedev-buildspec.yml .harness/x
            .ebextensions/x .platform/hooks/x cloudbuild.json buildspec.yaml heroku.yml
            .openhands/setup.sh .kilocode/x .roomodes .agent/x .pi/extensions/x.ts .amp/x .vibe/x .rovodev/x .grok/x
            .copilot/x .iflow/x .codebuddy/x .claude-plugin/x .jules/x .tabnine/x .github/copilot/x
            .jj/repo/workspace-config.toml .jj/config.toml .buckconfig.local tools/bazel .bazelversion .pnpmfile.mjs
            .prototools .octaverc global.json
            .local/lib/python3.11/site-packages/x.pth .bash_completion .local/share/bash-completion/completions/git
            .bashrc.d/x .fzf.bash .p10k.zsh .nvm/nvm.sh .sdkman/bin/sdkman-init.sh .local/share/nvim/site/plugin/x.lua
            .config/Code/User/tasks.json .config/plasma-workspace/env/x.sh .config/openbox/autostart .config/awesome/rc.lua
            .config/qtile/x .config/bspwm/x .config/river/x .config/labwc/x .xmonad/x .vnc/xstartup
            .ipython/profile_default/startup/x.py .wezterm.lua .config/kitty/kitty.conf .mailcap .config/gdb/gdbinit
            .config/nushell/x .xonshrc .config/elvish/x .gradle/init.gradle.kts .julia/config/startup.jl .jjconfig.toml
            .tigrc .gvimrc .claude.json .rustup/settings.toml .config/starship.toml .mozilla/native-messaging-hosts/x";
        for path in page.split_whitespace() {
            assert!(gives_orders(Path::new(path)), "{path}");
        }
        let ordinary =
            "mise.rs misery.toml mise.toml.md lefthook.rs .lintstagedrc.planted-1 lint-staged.config.md circle.rs
            src/tools/bazel .nvm/versions/x commitlint.md x.iprx buildspec.rs .venv/bin/x .local/share/x .config/x";
        for path in ordinary.split_whitespace() {
            assert!(!gives_orders(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn the_folders_above_a_project_count() {
        let page = [
            ("/r/.github", "workflows/x.yml", true),
            ("/r/.GitHub", "Workflows/x.yml", true),
            ("/r/.github", "ISSUE_TEMPLATE/x.md", false),
            ("/r/.vscode", "tasks.json", true),
            ("/r/.claude/skills/x", "SKILL.md", true),
            ("/r/.git/worktrees/x", "config", true),
            ("/r/.claude/worktrees/x", "src/main.rs", false),
            ("/r/.claude/worktrees/x/.vscode", "tasks.json", true),
            ("/r/.github/x", "workflows/x.yml", false),
            ("/r/rust-toolchain", "action.yml", false),
            ("/r/mise", "config.toml", false),
            ("/home/.bashrc", "x", false),
            ("/r", ".vscode/tasks.json", true),
            ("/r", "src/main.rs", false),
        ];
        for (project, inside, expected) in page {
            assert_eq!(gives_orders_in(Path::new(project), Path::new(inside)), expected, "{project} {inside}");
        }
    }
}
