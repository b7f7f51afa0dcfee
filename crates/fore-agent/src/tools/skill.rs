//! The tool `Skill`: gives the model the text of a skill, its folder and its files. It runs nothing of them.

use super::{Hands, Tool};
use crate::{
    event::Shown,
    output::Output,
    skills::{NotLoaded, Skills},
};
use fore_plan::gate::{Action, Presented};
use serde_json::{Value, json};
use std::sync::Arc;

/// Loads the skills that were found when the session began.
#[derive(Clone, Debug)]
pub struct Skill {
    skills: Arc<Skills>,
    description: String,
}

impl Skill {
    pub fn new(skills: Arc<Skills>) -> Skill {
        let description = format!("{}\nSkills:\n{}", include_str!("skill.md"), skills.listing());
        Skill { skills, description }
    }
}

impl Tool for Skill {
    fn name(&self) -> &'static str {
        "Skill"
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": {
                "skill": { "type": "string", "description": "The name of the skill." },
                "arguments": { "type": "string", "description": "What it should work on." }
            },
            "required": ["skill"],
            "additionalProperties": false
        })
    }

    fn line(&self, input: &Value) -> String {
        let name = ["skill", "name"].iter().find_map(|key| input.get(*key)?.as_str()).unwrap_or_default();
        name.chars().filter(|c| !c.is_control()).take(80).collect()
    }

    fn run(&self, permit: Presented, input: &Value, hands: &Hands) -> Output {
        let Action::Skill { name } = permit.action() else {
            return Output::error("The permit is not for a skill, so nothing was loaded.");
        };
        let arguments = input.get("arguments").and_then(Value::as_str).unwrap_or_default();
        match self.skills.load(name, arguments, &|path| hands.is_denied(path)) {
            Ok(loaded) => Output::text(loaded.words(), Shown::text(format!("loaded {name}"), loaded.text)),
            Err(NotLoaded::Refused(why)) => Output::error(format!("The skill was not loaded: {why}.")),
            Err(NotLoaded::Unknown { known }) if known.is_empty() => {
                Output::error("There are no skills here, so none was loaded. Go on without.")
            }
            Err(NotLoaded::Unknown { known }) => {
                Output::error(format!("There is no skill of that name. There are: {}.", known.join(", ")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cancel::Cancel,
        disk::Disk,
        tools::{SeenFiles, WorkingFolder},
    };
    use fore_model::Piece;
    use fore_plan::{
        Change, Level, Openings, Role, State,
        gate::{Ground, Rules, Verdict, judge, table::TableSettings},
    };
    use fore_sandbox::{Cages, Probe};
    use fore_testkit::Workspace;

    /// Judges a call while planning and runs the tool with the permit.
    async fn called(made: &Workspace, input: Value) -> Output {
        let project = made.path().canonicalize().unwrap();
        let openings = Openings::CLOSED;
        let started = Change::Started { level: Level::Default, planning: true, openings, role: Role::Main };
        let state = State::fold_all([&started]);
        let cages = Arc::new(Cages::new(fore_sandbox::Settings::default()));
        let probe = Arc::new(Probe::new(Arc::clone(&cages)));
        let (rules, settings) = (Rules::default(), TableSettings::default());
        let ground = Ground::new(&rules, &settings, &project, &*probe);
        let action = Action::from_call("Skill", &input, &Disk::new(&project, None));
        let Verdict::Allow(permit) = judge(&state, &ground, action).verdict else { panic!("loading is a read") };
        let (skills, _) = Skills::find(&project, None);
        let hands = Hands {
            project: project.clone(),
            home: None,
            folder: Arc::new(WorkingFolder::new(project)),
            cages,
            probe,
            rules: Arc::new(rules),
            plan_file: None,
            seen: Arc::new(SeenFiles::default()),
            variables: Arc::default(),
            cancel: Cancel::default(),
            on_output: Arc::new(|_: &str| {}),
            runtime: tokio::runtime::Handle::current(),
        };
        Skill::new(Arc::new(skills)).run(permit.present(&state).unwrap(), &input, &hands)
    }

    #[tokio::test(flavor = "current_thread")]
    async fn a_skill_is_loaded_while_planning_by_the_name_in_the_permit() {
        let text = "---\nname: review\ndescription: Reviews.\n---\nLook twice.";
        let made = Workspace::new().unwrap().file(".claude/skills/review/SKILL.md", text).unwrap();
        let folder = made.path().canonicalize().unwrap().join(".claude/skills/review");
        let output = called(&made, json!({"skill": "review", "arguments": "src"})).await;
        let expected = format!("Skill `review`, in `{}`\n\nLook twice.\n\nArguments: src\n", folder.display());
        assert_eq!(
            output,
            Output {
                model: vec![Piece::Text(expected)],
                is_error: false,
                shown: Shown::text("loaded review", "Look twice.\n\nArguments: src"),
            }
        );
        let output = called(&made, json!({"skill": "deploy"})).await;
        assert_eq!(output, Output::error("There is no skill of that name. There are: review."));
    }

    #[test]
    fn the_description_lists_the_skills() {
        let text = "---\nname: review\ndescription: Reviews.\n---\nLook twice.";
        let made = Workspace::new().unwrap().file(".claude/skills/review/SKILL.md", text).unwrap();
        let tool = Skill::new(Arc::new(Skills::find(&made.path().canonicalize().unwrap(), None).0));
        assert!(tool.description().ends_with("\nSkills:\n- review: Reviews.\n"), "{}", tool.description());
        assert_eq!(tool.line(&json!({"skill": "review\u{1b}[31m"})), "review[31m");
    }
}
