//! The tool `Skill`: gives the model the text of a skill, its folder and its files. It runs nothing of them.

use super::{Tool, ToolContext};
use crate::{
    event::ShownCall,
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

    fn run(&self, permit: Presented, input: &Value, context: &ToolContext) -> Output {
        let Action::Skill { name } = permit.action() else {
            return Output::error("The permit is not for a skill, so nothing was loaded.");
        };
        let arguments = input.get("arguments").and_then(Value::as_str).unwrap_or_default();
        match self.skills.load(name, arguments, &context.opener().for_many()) {
            Ok(loaded) => Output::text(loaded.model_text(), ShownCall::text(format!("loaded {name}"), loaded.text)),
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
    use crate::tools::test_support::{Workplace, opener};
    use fore_model::ResultPart;
    use fore_testkit::Workspace;

    #[test]
    fn a_skill_is_loaded_while_planning_by_the_name_in_the_permit() {
        let text = "---\nname: review\ndescription: Reviews.\n---\nLook twice.";
        let place = Workplace::with(&[(".claude/skills/review/SKILL.md", text)]).planning();
        let tool = Skill::new(Arc::new(Skills::find(&place.context.opener(), place.project(), None).0));
        let folder = place.at(".claude/skills/review");
        let output = place.call(&tool, json!({"skill": "review", "arguments": "src"})).unwrap();
        let expected = format!("Skill `review`, in `{}`\n\nLook twice.\n\nArguments: src\n", folder.display());
        assert_eq!(
            output,
            Output {
                model: vec![ResultPart::Text(expected)],
                is_error: false,
                shown: ShownCall::text("loaded review", "Look twice.\n\nArguments: src"),
            }
        );
        let output = place.call(&tool, json!({"skill": "deploy"})).unwrap();
        assert_eq!(output, Output::error("There is no skill of that name. There are: review."));
    }

    #[test]
    fn the_description_lists_the_skills() {
        let text = "---\nname: review\ndescription: Reviews.\n---\nLook twice.";
        let made = Workspace::new().unwrap().file(".claude/skills/review/SKILL.md", text).unwrap();
        let root = made.path().canonicalize().unwrap();
        let tool = Skill::new(Arc::new(Skills::find(&opener(&root), &root, None).0));
        assert!(tool.description().ends_with("\nSkills:\n- review: Reviews.\n"), "{}", tool.description());
        assert_eq!(tool.line(&json!({"skill": "review\u{1b}[31m"})), "review[31m");
    }
}
