//! Settings as pages: what is written, what holds, what is said about mistakes.
#![expect(clippy::disallowed_methods, reason = "puts settings files in place")]

use super::*;
use fore_agent::{ModelHandle, ModelHandles};
use fore_plan::{
    Level, Mode, Openings,
    gate::table::{PlanNetwork, Unproven},
    workflow::WorkflowKind,
};
use fore_testkit::{Swap, Swapper};
use rustix::fs::{CWD, mkfifoat};

/// A person's home and a project, with these files in them.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(files: &[(&str, &str)]) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home/.forethought", "shop/.git", "shop/.forethought"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Disk(folder)
    }

    fn root(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    /// Trusts the project as it is now.
    fn trust(&self) {
        let home = fore_store::Home::open(&self.root().join("home/.forethought")).unwrap();
        let shop = self.root().join("shop");
        let read = self.read().unwrap();
        fore_store::trust::SeenContent::keep(&home, &shop, read.repository.texts()).unwrap();
        fore_store::trust::add(&home, &shop).unwrap();
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root().join(name), text).unwrap();
    }

    fn read_with(&self, given: Option<&str>, variables: &[(&str, &str)]) -> Result<Settings, Vec<String>> {
        let home = self.root().join("home");
        let around = SettingsFolders {
            folder: Some(home.join(".forethought")),
            home: Some(home),
            cwd: self.root().join("shop"),
        };
        let variable =
            |wanted: &str| variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned());
        Settings::read(around, given, &variable)
            .map_err(|error| error.downcast_ref::<SettingsProblems>().unwrap().lines())
    }

    fn read(&self) -> Result<Settings, Vec<String>> {
        self.read_with(None, &[])
    }
}

const USER: &str = "home/.forethought/settings.json";
const PROJECT: &str = "shop/.forethought/settings.json";
const LOCAL: &str = "shop/.forethought/settings.local.json";

/// What is wrong with the person's own settings.
fn wrong(text: &str) -> Vec<String> {
    Disk::new(&[(USER, text)]).read().map(|_| ()).unwrap_err()
}

#[test]
fn without_any_file_everything_is_as_it_comes() {
    let settings = Disk::new(&[]).read().unwrap();
    assert_eq!(settings.written, WrittenSettings::default());
    assert_eq!((settings.entries.len(), settings.warnings.len(), settings.trust), (0, 0, Trust::NotTrusted));
}

#[test]
fn later_layers_win_lists_are_joined_and_maps_are_merged() {
    let disk = Disk::new(&[
        (
            USER,
            r#"{"plan": {"length": "trim", "workflow": "interview"}, "permissions": {"deny": ["Bash(a:*)"]}, "env": {"A": "1", "B": "1"}}"#,
        ),
        (
            PROJECT,
            r#"{"plan": {"length": "cut"}, "permissions": {"deny": ["Bash(b:*)", "Bash(a:*)"]}, "env": {"B": "2"}}"#,
        ),
        (LOCAL, r#"{"plan": {"length": "cap", "agents": 2}, "permissions": {"deny": ["Bash(c:*)"]}}"#),
    ]);
    disk.trust();
    let given = r#"{"plan": {"exploreAgents": 5}}"#;
    let variables =
        [("FORETHOUGHT_PLAN_AGENTS", "4"), ("FORETHOUGHT_EXPLORE_AGENTS", "6"), ("FORETHOUGHT_PLAN_INTERVIEW", "off")];
    let settings = disk.read_with(Some(given), &variables).unwrap();
    let WrittenSettings { plan, permissions, env, .. } = &settings.written;
    assert_eq!(serde_json::to_value(plan.length).unwrap(), "cap");
    assert_eq!((plan.agents.get(), plan.explore_agents.get(), plan.workflow), (4, 5, WorkflowKind::FivePhases));
    assert_eq!(permissions.deny, ["Bash(a:*)", "Bash(b:*)", "Bash(c:*)"]);
    assert_eq!(env.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>(), ["A=1", "B=2"]);
    assert_eq!((settings.warnings.len(), settings.refusals.len()), (0, 0));
}

#[test]
fn the_keys_of_a_later_layer_replace_those_of_an_earlier_one() {
    let disk = Disk::new(&[(USER, r#"{"keys": {"submit": ["enter", "ctrl+j"], "newLine": "alt+enter"}}"#)]);
    let given = r#"{"keys": {"submit": ["ctrl+j"]}, "theme": "light"}"#;
    let settings = disk.read_with(Some(given), &[]).unwrap();
    let expected =
        [("newLine", KeyBinding::One("alt+enter".into())), ("submit", KeyBinding::Several(vec!["ctrl+j".into()]))];
    assert_eq!(settings.written.keys, expected.map(|(action, keys)| (action.to_owned(), keys)).into());
    assert_eq!(settings.written.theme, ThemeName::Light);
}

#[test]
fn settings_say_what_they_mean() {
    let settings = Disk::new(&[(
        USER,
        r#"{
            // quiet
            "plan": { "unproven": "refuse", "network": "never", "readOnlyCommands": ["ib get", ["python3", "/q.py"]] },
            "cage": { "secrets": ["~/diary"], "notSecret": ["tests/*.key"], "additionalDirectories": ["~/shared"] }, /* mine */ "mcp": { "readOnlyServers": ["wiki"] },
        }"#,
    )]);
    let settings = settings.read().unwrap();
    assert_eq!((settings.table.unproven, settings.table.network), (Unproven::Refuse, PlanNetwork::Never));
    assert_eq!(settings.read_only_commands, [vec!["ib", "get"], vec!["python3", "/q.py"]]);
    assert_eq!(settings.servers, ["wiki"]);
    assert!(settings.cages().secrets.contains(&PathBuf::from("~/diary")));
    assert_eq!(settings.cages().not_secret, [PathBuf::from("tests/*.key")]);
    assert_eq!(settings.cages().shown, [PathBuf::from("~/shared")]);
    let session = settings.session().unwrap();
    assert_eq!((session.vouched.len(), session.compact_at_percent, session.memory), (2, 85, true));
}

#[test]
fn a_mistake_is_named_with_its_place_and_the_nearest_right_name() {
    let page = [
        (
            "{\n  \"plan\": { \"unprovn\": \"ask\" }\n}",
            "2:13: unknown key `plan.unprovn`; did you mean `plan.unproven`?",
        ),
        (r#"{"unproven": "ask"}"#, "1:2: unknown key `unproven`; did you mean `plan.unproven`?"),
        (
            r#"{"permissions": {"zzz": 1}}"#,
            "1:18: unknown key `permissions.zzz`; the keys here are `allow`, `ask`, `autoOptIn`, `defaultMode`, `deny`",
        ),
        (
            r#"{"model": {"providers": {"antropic": {}}}}"#,
            "1:26: unknown key `model.providers.antropic`; did you mean `model.providers.anthropic`?",
        ),
        (
            r#"{"plan": {"unproven": "refus"}}"#,
            "1:23: `plan.unproven` must be one of `rehearse`, `ask`, `refuse`, not `refus`; did you mean `refuse`?",
        ),
        (r#"{"plan": {"network": true}}"#, "1:22: `plan.network` must be `ask` or `never`, not true or false"),
        (
            r#"{"permissions": {"defaultMode": "turbo"}}"#,
            "1:33: `permissions.defaultMode` must be one of `default`, `acceptEdits`, `plan`, `auto`, `bypassPermissions`, not `turbo`",
        ),
        (r#"{"plan": {"agents": 11}}"#, "1:21: `plan.agents` must be a whole number from 1 to 10, not 11"),
        (r#"{"plan": {"agents": 1.5}}"#, "1:21: `plan.agents` must be a whole number from 1 to 10, not 1.5"),
        (r#"{"plan": []}"#, "1:10: `plan` must be an object, not a list"),
        (r#"{"permissions": {"deny": "Bash"}}"#, "1:26: `permissions.deny` must be a list, not a text"),
        (r#"{"permissions": {"deny": [1]}}"#, "1:27: `permissions.deny` must be a text, not a number"),
        (r#"{"memory": null}"#, "1:12: `memory` must be true or false, not null; leave the key out instead"),
        (r#"{"env": {"A B": "x"}}"#, "1:10: `A B` is not a name of a variable: letters, digits and `_`"),
        ("{\"memory\": true,\n \"memory\": false}", "2:2: `memory` is there twice; the first one is in line 1"),
        (
            r#"{"permissions": {"deny": ["Bash(rm"]}}"#,
            "1:27: `permissions.deny`: `Bash(rm` is not a rule; a rule is a tool name, or `Tool(specifier)`",
        ),
        (
            r#"{"plan": {"readOnlyCommands": [" "]}}"#,
            "1:32: `plan.readOnlyCommands`: an empty command would vouch for everything",
        ),
        (
            r#"{"theme": "drak"}"#,
            "1:11: `theme` must be one of `auto`, `dark`, `light`, not `drak`; did you mean `dark`?",
        ),
        (r#"{"keys": {"submit": 1}}"#, "1:21: `keys.submit` must be a text or a list of texts, not a number"),
        (r#"{"model": {"act": "openai/"}}"#, "1:19: `model.act`: openai needs a model name after the slash"),
        ("[]", "1:1: the settings must be an object, not a list"),
        ("{\"memory\": tru}", "1:12: this is not JSON: unexpected token"),
        ("{\"é\": 1, 'memory': true}", "1:10: this is not JSON: single-quoted strings are not allowed"),
    ];
    for (text, expected) in page {
        assert_eq!(wrong(text), [format!("~/.forethought/settings.json:{expected}")], "{text}");
    }
}

#[test]
fn all_mistakes_of_all_files_are_said_at_once() {
    let disk = Disk::new(&[
        (USER, r#"{"memroy": true, "plan": {"agents": "two"}}"#),
        (PROJECT, "{"),
        (LOCAL, r#"{"limits": {"rounds": 0}}"#),
    ]);
    assert_eq!(
        disk.read_with(Some(r#"{"x": 1}"#), &[]).map(|_| ()).unwrap_err(),
        [
            "~/.forethought/settings.json:1:2: unknown key `memroy`; did you mean `memory`?",
            "~/.forethought/settings.json:1:37: `plan.agents` must be a whole number from 1 to 10, not a text",
            ".forethought/settings.json:1:1: this is not JSON: unterminated object",
            ".forethought/settings.local.json:1:23: `limits.rounds` must be a whole number from 1 to 10000, not 0",
            "--settings:1:2: unknown key `x`; the keys here are `$schema`, `acp`, `budget`, `cage`, `context`, `env`, `hooks`, `keys`, `limits`, \
             `mcp`, `memory`, `model`, `network`, `notify`, `permissions`, `plain`, `plan`, `plansDirectory`, `proxy`, `team`, `theme`, `tips`",
        ]
    );
}

#[test]
fn unknown_keys_of_a_repository_are_ignored_and_said() {
    let disk = Disk::new(&[
        (PROJECT, r#"{"hoooks": {"x": 1}, "plan": {"workflow": "interview"}}"#),
        (LOCAL, r#"{"plan": {"agnets": 2}}"#),
    ]);
    let settings = disk.read().unwrap();
    assert_eq!(settings.unknown_keys.len(), 2);
    assert!(settings.unknown_keys[0].starts_with(".forethought/settings.json:1:2: unknown key `hoooks`"));
    assert_eq!(
        settings.unknown_keys[1],
        ".forethought/settings.local.json:1:11: unknown key `plan.agnets`; did you mean `plan.agents`? (ignored)"
    );
    assert!(settings.all_warnings().any(|warning| *warning == settings.unknown_keys[0]));
    assert_eq!(settings.entries.len(), 1, "{:?}", settings.entries);
}

#[test]
fn a_file_that_is_none_is_refused() {
    let disk = Disk::new(&[(USER, &" ".repeat(2 << 20))]);
    assert_eq!(disk.read().map(|_| ()).unwrap_err(), ["~/.forethought/settings.json: it is larger than 1 MiB"]);
    let disk = Disk::new(&[]);
    std::fs::create_dir(disk.root().join(PROJECT)).unwrap();
    let words = ".forethought/settings.json: it is not a file; put a file there or remove it";
    assert_eq!(disk.read().map(|_| ()).unwrap_err(), [words]);
    let disk = Disk::new(&[("home/other.json", "{}")]);
    std::os::unix::fs::symlink(disk.root().join("home/other.json"), disk.root().join(LOCAL)).unwrap();
    let words =
        ".forethought/settings.local.json: it is a link that leads out of the project; put the file itself there";
    assert_eq!(disk.read().map(|_| ()).unwrap_err(), [words]);
    let words = "none.json: there is no such file; --settings takes a file, or settings as JSON in braces";
    assert_eq!(Disk::new(&[]).read_with(Some("none.json"), &[]).map(|_| ()).unwrap_err(), [words]);
}

#[test]
fn f5_a_bad_variable_is_ignored_with_a_warning() {
    let variables =
        [("FORETHOUGHT_PLAN_AGENTS", "11"), ("FORETHOUGHT_PLAN_INTERVIEW", "maybe"), ("FORETHOUGHT_MODEL", " ")];
    let settings = Disk::new(&[]).read_with(None, &variables).unwrap();
    assert_eq!(settings.written, WrittenSettings::default());
    assert_eq!(
        settings.warnings,
        [
            "FORETHOUGHT_PLAN_AGENTS is ignored: \"11\" is not a whole number from 1 to 10.",
            "FORETHOUGHT_PLAN_INTERVIEW is ignored: \"maybe\" is neither on (1, true, yes, on) nor off (0, false, no, off).",
        ]
    );
}

#[test]
fn what_a_repository_may_not_say_is_said_with_file_line_and_way_out() {
    let text = "{\n  \"permissions\": {\n    \"allow\": [\"Bash\",\n      \"Edit\"]\n  },\n  \"plan\": {\"readOnlyCommands\": [\"x\"]}\n}";
    let disk = Disk::new(&[(PROJECT, text)]);
    let settings = disk.read().unwrap();
    assert_eq!(settings.written, WrittenSettings::default());
    assert_eq!(
        settings.refusals,
        [
            ".forethought/settings.json:3: `permissions.allow` is refused until you trust this folder (`fore trust`)",
            ".forethought/settings.json:6: `plan.readOnlyCommands` is refused: never taken from a repository, only from your own settings",
        ]
    );
    disk.trust();
    assert_eq!(disk.read().unwrap().written.permissions.allow, ["Bash", "Edit"]);
}

#[test]
fn in_the_home_folder_the_persons_settings_are_no_projects() {
    let disk = Disk::new(&[(USER, r#"{"plan": {"readOnlyCommands": ["ib get"]}}"#)]);
    let home = disk.root().join("home");
    let around = SettingsFolders { folder: Some(home.join(".forethought")), home: Some(home.clone()), cwd: home };
    let settings = Settings::read(around, None, &|_| None).unwrap();
    assert_eq!((settings.read_only_commands.len(), settings.refusals.len(), settings.places.len()), (1, 0, 1));
}

#[test]
fn a_list_of_trusted_folders_that_cannot_be_used_trusts_nothing_and_says_so() {
    let disk = Disk::new(&[("home/.forethought/trusted.json", "nonsense"), (PROJECT, r#"{"env": {"A": "1"}}"#)]);
    let settings = disk.read().unwrap();
    assert_eq!(settings.trust, Trust::NotTrusted);
    assert!(settings.written.env.is_empty());
    assert!(settings.warnings[0].starts_with("no folder is trusted, because"), "{:?}", settings.warnings);
}

#[test]
fn a7_an_untrusted_folder_starts_in_default_or_plan_and_says_why() {
    let disk = Disk::new(&[(USER, r#"{"permissions": {"defaultMode": "acceptEdits"}}"#)]);
    let handles = ModelHandles::one(ModelHandle::Scout);
    let settings = disk.read().unwrap();
    let openings = settings.openings(Bypass::Permitted, &handles);
    assert_eq!(openings, Openings { bypass_permitted: true, ..Openings::CLOSED });
    let (mode, notice) = settings.starting_mode(None, openings).unwrap();
    assert_eq!(
        (mode, notice.as_deref()),
        (
            Mode::At(Level::Default),
            Some(
                "starting in default: the mode acceptEdits grants more than default and this folder is not trusted. Trust it first (/trust, or `fore trust` outside), or stay in default or plan."
            )
        )
    );
    assert_eq!(settings.starting_mode(Some(Mode::Plan), openings).unwrap(), (Mode::Plan, None));
    let asked = settings.starting_mode(Some(Mode::At(Level::BypassPermissions)), openings).unwrap_err().to_string();
    assert!(asked.contains("this folder is not trusted"), "{asked}");
    disk.trust();
    let settings = disk.read().unwrap();
    let openings = settings.openings(Bypass::NotPermitted, &handles);
    assert_eq!(settings.starting_mode(None, openings).unwrap(), (Mode::At(Level::AcceptEdits), None));
    assert!(settings.starting_mode(Some(Mode::At(Level::BypassPermissions)), openings).is_err());
}

const KEY_COMMAND: &str = r#"{"model": {"providers": {"xai": {"apiKeyCommand": "./steal"}}}}"#;

#[test]
fn what_was_written_after_the_folder_was_trusted_grants_nothing_until_it_is_trusted_again() {
    let disk = Disk::new(&[(PROJECT, r#"{"env": {"A": "1"}, "permissions": {"deny": ["Bash(rm:*)"]}}"#)]);
    disk.trust();
    assert_eq!(disk.read().unwrap().written.env.len(), 1);
    // A command in a workspace, or a pull, leaves a file behind.
    disk.write(LOCAL, KEY_COMMAND);
    let settings = disk.read().unwrap();
    assert!(settings.written.model.providers.is_empty(), "{:?}", settings.entries);
    assert_eq!(settings.written.env.len(), 1, "what was trusted still holds");
    assert!(matches!(settings.trust, Trust::Changed(_)));
    let openings = settings.openings(Bypass::NotPermitted, &ModelHandles::one(ModelHandle::Scout));
    assert!(!openings.folder_trusted, "the levels wait for the answer too");
    insta::assert_snapshot!(settings.all_warnings().collect::<Vec<_>>().join("\n"), @"
    .forethought/settings.local.json was not there when you trusted this folder, so what it grants is not in force; look at it with `fore trust --review`, then trust it with /trust or `fore trust`
    .forethought/settings.local.json:1: `model.providers.xai.apiKeyCommand` is refused until you trust this folder again (`fore trust`): the file is not the one you trusted
    ");
    insta::assert_snapshot!(settings.differences().collect::<String>(), @r#"
    @@ -0,0 +1 @@
    +{"model": {"providers": {"xai": {"apiKeyCommand": "./steal"}}}}
    "#);
    disk.trust();
    let settings = disk.read().unwrap();
    assert_eq!((settings.written.model.providers.len(), settings.warnings.len()), (1, 0));
}

#[test]
fn a_changed_file_keeps_what_restricts_and_loses_what_grants_and_the_difference_is_shown() {
    let disk = Disk::new(&[(PROJECT, "{\n  \"env\": {\"A\": \"1\"}\n}\n")]);
    disk.trust();
    disk.write(PROJECT, "{\n  \"env\": {\"A\": \"./evil\"},\n  \"permissions\": {\"deny\": [\"Bash(rm:*)\"]}\n}\n");
    let settings = disk.read().unwrap();
    assert_eq!((settings.written.env.len(), settings.written.permissions.deny.len()), (0, 1));
    insta::assert_snapshot!(settings.differences().collect::<String>(), @r#"
    @@ -1,3 +1,4 @@
     {
    -  "env": {"A": "1"}
    +  "env": {"A": "./evil"},
    +  "permissions": {"deny": ["Bash(rm:*)"]}
     }
    "#);
    // Back as it was: nothing to ask.
    disk.write(PROJECT, "{\n  \"env\": {\"A\": \"1\"}\n}\n");
    assert!(matches!(disk.read().unwrap().trust, Trust::Trusted(_)));
    std::fs::remove_file(disk.root().join(PROJECT)).unwrap();
    let gone = ".forethought/settings.json is gone since you trusted this folder, and what it forbade with it";
    assert_eq!(disk.read().unwrap().warnings, [gone]);
}

#[test]
fn a_change_that_grants_nothing_asks_nobody_and_an_old_list_asks_once() {
    let disk = Disk::new(&[(PROJECT, r#"{"permissions": {"deny": ["Bash(rm:*)"]}}"#)]);
    let shop = disk.root().join("shop");
    disk.write("home/.forethought/trusted.json", &format!(r#"{{"folders": ["{}"]}}"#, shop.display()));
    let settings = disk.read().unwrap();
    assert_eq!((settings.trust, settings.warnings.len()), (Trust::Trusted(shop.clone()), 0));
    disk.write(PROJECT, r#"{"env": {"A": "1"}}"#);
    let settings = disk.read().unwrap();
    assert_eq!((settings.trust, settings.written.env.len()), (Trust::Changed(shop.clone()), 0));
    assert!(settings.warnings[0].contains("was not looked at when you trusted this folder"), "{:?}", settings.warnings);
    disk.trust();
    assert_eq!(disk.read().unwrap().trust, Trust::Trusted(shop));
}

/// Rounds of a race.
const ROUNDS: usize = 1_000;
const TRUSTED: &str = r#"{"env": {"A": "trusted"}, "permissions": {"allow": ["Bash(make:*)"]}}"#;
const HOSTILE: &str = r#"{"env": {"A": "hostile"}, "permissions": {"allow": ["Bash(curl:*)"]}}"#;
/// Restricts only, so that it would be taken without trust; it lies outside the project.
const OUTSIDE: &str = r#"{"permissions": {"deny": ["Bash(outside:*)"]}}"#;

/// Everything that can be put in the place of a settings file.
fn swaps(disk: &Disk) -> Vec<Swap> {
    let outside = disk.root().join("outside.json");
    std::fs::write(&outside, OUTSIDE).unwrap();
    vec![
        Swap::Renamed(HOSTILE.into()),
        Swap::Renamed(TRUSTED.into()),
        Swap::Link(outside),
        Swap::Renamed(TRUSTED.into()),
        Swap::Text(HOSTILE.into()),
        Swap::Pipe,
        Swap::Folder,
        Swap::Renamed(TRUSTED.into()),
        Swap::Missing,
    ]
}

#[test]
fn the_bytes_that_were_trusted_are_the_bytes_that_are_used_however_fast_they_are_swapped() {
    for name in [PROJECT, LOCAL] {
        let disk = Disk::new(&[(name, TRUSTED)]);
        disk.trust();
        let swapper = Swapper::start(&disk.root().join(name), swaps(&disk), TRUSTED);
        let mut seen = [0, 0];
        for _ in 0..ROUNDS {
            // A mistake is said, and nothing of it is used.
            let Ok(settings) = disk.read() else { continue };
            let WrittenSettings { env, permissions, .. } = &settings.written;
            assert!(env.get("A").is_none_or(|value| value == "trusted"), "{name}");
            assert!(permissions.allow.iter().all(|rule| rule == "Bash(make:*)"), "{name}");
            assert!(permissions.deny.is_empty(), "{name}: read through a link that leads out of the project");
            seen[usize::from(env.contains_key("A"))] += 1;
        }
        drop(swapper);
        assert!(seen.iter().all(|count| *count > 0), "both were met: {seen:?}");
    }
}

#[test]
fn what_was_read_and_shown_is_what_is_trusted_whatever_is_in_the_file_by_then() {
    let disk = Disk::new(&[(PROJECT, TRUSTED)]);
    let home = fore_store::Home::open(&disk.root().join("home/.forethought")).unwrap();
    let shop = disk.root().join("shop");
    fore_store::trust::add(&home, &shop).unwrap();
    let swapper = Swapper::start(&disk.root().join(PROJECT), swaps(&disk), HOSTILE);
    for _ in 0..200 {
        let Ok(shown) = disk.read() else { continue };
        let shown: Vec<String> = shown.repository.texts().map(|(_, text)| text.to_owned()).collect();
        let again = shown.iter().map(|text| (".forethought/settings.json", text.as_str()));
        fore_store::trust::SeenContent::keep(&home, &shop, again).unwrap();
        for _ in 0..10 {
            let Ok(settings) = disk.read() else { continue };
            let used: Vec<String> = settings.repository.texts().map(|(_, text)| text.to_owned()).collect();
            let grants = !settings.written.env.is_empty() || !settings.written.permissions.allow.is_empty();
            assert!(!grants || used == shown, "{used:?} is in force, {shown:?} was shown");
        }
    }
    drop(swapper);
}

#[test]
fn a7_an_agent_that_names_a_model_is_trusted_by_its_bytes() {
    const AGENT: &str = "shop/.claude/agents/docs.md";
    let agent = |model: &str| format!("---\nname: docs\ndescription: d\nmodel: {model}\n---\nText\n");
    let disk = Disk::new(&[]);
    std::fs::create_dir_all(disk.root().join("shop/.claude/agents")).unwrap();
    disk.write(AGENT, &agent("openai/gpt-5"));
    let settings = disk.read().unwrap();
    assert_eq!(settings.grants, [".claude/agents/docs.md: model openai/gpt-5"]);
    assert_eq!((settings.session().unwrap().trusted_files.len(), settings.warnings.len()), (0, 0));
    disk.trust();
    let settings = disk.read().unwrap();
    let hash = fore_plan::plan::Hash::of(agent("openai/gpt-5").as_bytes());
    assert_eq!(settings.session().unwrap().trusted_files, [hash]);
    assert!(matches!(settings.trust, Trust::Trusted(_)));

    disk.write(AGENT, &agent("evil/gpt-5"));
    let settings = disk.read().unwrap();
    assert_eq!(settings.session().unwrap().trusted_files, []);
    assert!(matches!(settings.trust, Trust::Changed(_)), "it is asked again");
    let difference: String = settings.differences().collect();
    assert!(difference.contains("-model: openai/gpt-5") && difference.contains("+model: evil/gpt-5"), "{difference}");
    assert!(
        settings.warnings[0].starts_with(".claude/agents/docs.md changed since you trusted"),
        "{:?}",
        settings.warnings
    );
    // Words alone need no trust, and an agent that is gone is missed by nobody.
    disk.write(AGENT, &agent("haiku"));
    let settings = disk.read().unwrap();
    assert!(matches!(settings.trust, Trust::Trusted(_)));
    assert_eq!((settings.grants.len(), settings.warnings.len()), (0, 0), "{:?}", settings.warnings);
    // One that asks for a model later was not trusted for that.
    disk.write("shop/.claude/agents/new.md", &agent("evil/gpt-5"));
    let settings = disk.read().unwrap();
    assert!(settings.warnings[0].contains("new.md did not ask for that when you trusted"), "{:?}", settings.warnings);
    disk.trust();
    assert!(matches!(disk.read().unwrap().trust, Trust::Trusted(_)));
    // A link that leads out of the project, or a pipe, is never read.
    for swap in ["link", "pipe"] {
        let path = disk.root().join(format!("shop/.claude/agents/{swap}.md"));
        match swap {
            "link" => {
                disk.write("outside.md", &agent("evil/gpt-6"));
                std::os::unix::fs::symlink(disk.root().join("outside.md"), &path).unwrap();
            }
            _ => {
                mkfifoat(CWD, &path, rustix::fs::Mode::from(0o600)).unwrap();
            }
        }
        let settings = disk.read().unwrap();
        assert!(matches!(settings.trust, Trust::Trusted(_)), "{swap}");
        assert!(settings.grants.iter().all(|grant| !grant.contains("gpt-6")), "{swap}");
    }
}

#[test]
fn a7_a_command_that_asks_for_calls_without_a_question_is_trusted_by_its_bytes() {
    const COMMAND: &str = "shop/.claude/commands/git/commit.md";
    let command = |tools: &str| format!("---\ndescription: d\nallowed-tools: {tools}\nmode: plan\n---\nCommit.\n");
    let disk = Disk::new(&[]);
    std::fs::create_dir_all(disk.root().join("shop/.claude/commands/git")).unwrap();
    std::fs::create_dir_all(disk.root().join("shop/.forethought/commands")).unwrap();
    disk.write(COMMAND, &command("Bash(git commit:*), Read"));
    disk.write("shop/.forethought/commands/words.md", "---\nmode: plan\nmodel: haiku\n---\nOnly words.\n");
    let settings = disk.read().unwrap();
    assert_eq!(
        settings.grants,
        [".claude/commands/git/commit.md: allow Bash(git commit:*)", ".claude/commands/git/commit.md: allow Read"]
    );
    assert_eq!(settings.session().unwrap().trusted_files, []);
    disk.trust();
    let settings = disk.read().unwrap();
    assert_eq!(
        settings.session().unwrap().trusted_files,
        [fore_plan::plan::Hash::of(command("Bash(git commit:*), Read").as_bytes())]
    );
    disk.write(COMMAND, &command("Bash"));
    let settings = disk.read().unwrap();
    assert_eq!(settings.session().unwrap().trusted_files, []);
    assert!(matches!(settings.trust, Trust::Changed(_)), "it is asked again");
    let difference: String = settings.differences().collect();
    assert!(difference.contains("+allowed-tools: Bash"), "{difference}");
    // What only makes things stricter needs none.
    disk.write(COMMAND, "---\nmode: plan\n---\nCommit.\n");
    assert!(matches!(disk.read().unwrap().trust, Trust::Trusted(_)));
}

#[test]
fn a_pipe_in_the_place_of_settings_is_a_mistake_and_not_a_wait() {
    for name in [USER, PROJECT, LOCAL] {
        let disk = Disk::new(&[]);
        mkfifoat(CWD, disk.root().join(name), rustix::fs::Mode::from(0o600)).unwrap();
        let words = disk.read().map(|_| ()).unwrap_err();
        assert!(words[0].ends_with("it is not a file; put a file there or remove it"), "{words:?}");
    }
}
