//! The user's own settings, read from the user's own folder. Nothing in a repository is asked here.

use anyhow::{Context, bail};
use fore_plan::gate::{
    Effect, Roots, Rules,
    table::{PlanNetwork, TableSettings, Unproven},
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The largest settings file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// What the settings mean, ready to use.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    pub(crate) home: Option<PathBuf>,
    pub(crate) table: TableSettings,
    pub(crate) read_only_commands: Vec<Vec<String>>,
    pub(crate) servers: Vec<String>,
    /// More paths that nobody in a cage may read.
    pub(crate) secrets: Vec<PathBuf>,
    permissions: Permissions,
    file: PathBuf,
}

/// The file as people write it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Written {
    #[serde(rename = "$schema")]
    _schema: Option<String>,
    permissions: Permissions,
    plan: Plan,
    cage: Cage,
    mcp: Mcp,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Permissions {
    allow: Vec<String>,
    ask: Vec<String>,
    deny: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Plan {
    unproven: Option<Unproven>,
    network: Option<PlanNetwork>,
    read_only_commands: Vec<Prefix>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Cage {
    secrets: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
struct Mcp {
    read_only_servers: Vec<String>,
}

/// The first words of a command that only reads: `"ib get"` or `["python3", "/opt/query.py"]`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Prefix {
    Line(String),
    Words(Vec<String>),
}

impl Settings {
    /// Reads the user's settings; a missing file means the defaults.
    pub(crate) fn load() -> anyhow::Result<Settings> {
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let folder = std::env::var_os("FORETHOUGHT_HOME")
            .filter(|folder| !folder.is_empty())
            .map(PathBuf::from)
            .or_else(|| home.as_ref().map(|home| home.join(".forethought")));
        if let Some(folder) = folder.as_ref().filter(|folder| !folder.is_absolute()) {
            bail!("FORETHOUGHT_HOME is `{}`, which is no absolute path; set it to one or unset it", folder.display());
        }
        let Some(folder) = folder else { return Ok(Settings { home, ..Settings::default() }) };
        let file = folder.join("settings.json");
        match file.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Settings { home, ..Settings::default() }),
            Err(error) => Err(error).with_context(|| format!("the settings {} cannot be read", file.display())),
            Ok(found) if found.len() > MOST_BYTES => bail!("the settings {} are larger than 1 MiB", file.display()),
            Ok(_) => {
                let text = std::fs::read_to_string(&file)
                    .with_context(|| format!("the settings {} cannot be read", file.display()))?;
                Settings::parse(&text, file, home)
            }
        }
    }

    fn parse(text: &str, file: PathBuf, home: Option<PathBuf>) -> anyhow::Result<Settings> {
        let written: Written = serde_json::from_str(&without_comments(text))
            .with_context(|| format!("the settings {} are not understood", file.display()))?;
        let defaults = TableSettings::default();
        let words = |prefix: Prefix| match prefix {
            Prefix::Line(line) => line.split_whitespace().map(str::to_owned).collect(),
            Prefix::Words(words) => words,
        };
        let read_only_commands: Vec<Vec<String>> = written.plan.read_only_commands.into_iter().map(words).collect();
        if read_only_commands.iter().any(Vec::is_empty) {
            bail!("{}: plan.readOnlyCommands holds an empty command, which would vouch for everything", file.display());
        }
        Ok(Settings {
            home,
            table: TableSettings {
                unproven: written.plan.unproven.unwrap_or(defaults.unproven),
                network: written.plan.network.unwrap_or(defaults.network),
                ..defaults
            },
            read_only_commands,
            servers: written.mcp.read_only_servers,
            secrets: written.cage.secrets,
            permissions: written.permissions,
            file,
        })
    }

    /// What all cages share: the usual secrets and the user's own.
    pub(crate) fn cages(&self) -> fore_sandbox::Settings {
        let mut settings = fore_sandbox::Settings::default();
        settings.secrets.extend(self.secrets.iter().cloned());
        settings
    }

    /// The user's rules, with patterns relative to this project.
    pub(crate) fn rules(&self, project: &Path) -> anyhow::Result<Rules> {
        let mut rules = Rules::default();
        // Commands name the home folder as it is spelled, files are found under its real path: `~` means both.
        let real_home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        let mut all_roots = vec![Roots { project, home: self.home.as_deref() }];
        if real_home.is_some() && real_home != self.home {
            all_roots.push(Roots { project, home: real_home.as_deref() });
        }
        let Permissions { allow, ask, deny } = &self.permissions;
        for (effect, texts) in [(Effect::Allow, allow), (Effect::Ask, ask), (Effect::Deny, deny)] {
            for text in texts {
                for roots in &all_roots {
                    rules
                        .add(effect, text, *roots)
                        .with_context(|| format!("a rule in {} is not understood", self.file.display()))?;
                }
            }
        }
        Ok(rules)
    }
}

/// The text with `//` and `/* */` comments turned into spaces, so that lines and columns in errors stay right.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    let mut in_string = false;
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(_)) if in_string => {
                out.push(letter);
                out.extend(letters.next());
            }
            ('"', _) => {
                in_string = !in_string;
                out.push(letter);
            }
            ('/', Some('/')) if !in_string => {
                out.push(' ');
                while let Some(inside) = letters.next_if(|next| *next != '\n') {
                    out.extend(std::iter::repeat_n(' ', inside.len_utf8()));
                }
            }
            ('/', Some('*')) if !in_string => {
                letters.next();
                out.push_str("  ");
                let mut before = ' ';
                for inside in letters.by_ref() {
                    let blank = if inside == '\n' { '\n' } else { ' ' };
                    out.extend(std::iter::repeat_n(blank, inside.len_utf8()));
                    if before == '*' && inside == '/' {
                        break;
                    }
                    before = inside;
                }
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, String> {
        let words = |error: anyhow::Error| error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": ");
        Settings::parse(text, "/home/ada/.forethought/settings.json".into(), None).map_err(words)
    }

    #[test]
    fn comments_are_allowed_and_leave_lines_and_columns_as_they_are() {
        let page = [
            ("{} // end", "{}       "),
            ("{/* a */}", "{       }"),
            ("{/*/ x */}", "{        }"),
            (r#"{"a": "http://x"}"#, r#"{"a": "http://x"}"#),
            (r#"{"a": "\"// x"}"#, r#"{"a": "\"// x"}"#),
            ("/* a\nb */{}", "    \n    {}"),
        ];
        for (text, expected) in page {
            assert_eq!(without_comments(text), expected, "{text}");
        }
    }

    #[test]
    fn settings_say_what_they_mean() {
        let settings = parse(
            r#"{
                // quiet
                "plan": { "unproven": "refuse", "network": "never", "readOnlyCommands": ["ib get", ["python3", "/q.py"]] }
            }"#,
        )
        .unwrap();
        assert_eq!((settings.table.unproven, settings.table.network), (Unproven::Refuse, PlanNetwork::Never));
        assert_eq!(settings.read_only_commands, [vec!["ib", "get"], vec!["python3", "/q.py"]]);
    }

    #[test]
    fn what_is_wrong_is_said_with_file_line_and_the_names_that_exist() {
        assert_eq!(
            parse("{\n  \"plan\": { \"unprovn\": \"ask\" }\n}").unwrap_err(),
            "the settings /home/ada/.forethought/settings.json are not understood: unknown field `unprovn`, \
             expected one of `unproven`, `network`, `readOnlyCommands` at line 2 column 21"
        );
        assert!(parse(r#"{"plan": {"readOnlyCommands": [""]}}"#).unwrap_err().contains("vouch for everything"));
    }

    #[test]
    fn a_rule_that_is_not_understood_is_an_error() {
        let settings = parse(r#"{"permissions": {"deny": ["Bash(rm"]}}"#).unwrap();
        let error = settings.rules(Path::new("/projects")).unwrap_err();
        assert_eq!(error.to_string(), "a rule in /home/ada/.forethought/settings.json is not understood");
    }
}
