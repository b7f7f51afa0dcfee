//! The tool `Skill`: gives the model the text of a skill, its folder and its files. It runs nothing of them.

use super::{ToolContext, TypedTool, input::FieldAlias};
use crate::{
    event::ShownCall,
    output::Output,
    skills::{NotLoaded, Skills},
};
use fore_plan::{
    ToolName,
    gate::{Action, Presented},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Loads the skills that were found when the session began.
#[derive(Clone, Debug)]
pub(crate) struct Skill {
    skills: Arc<Skills>,
    description: String,
}

impl Skill {
    pub(crate) fn new(skills: Arc<Skills>) -> Skill {
        let description = format!("{}\nSkills:\n{}", include_str!("skill.md"), skills.listing());
        Skill { skills, description }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct SkillInput {
    /// The name of the skill.
    skill: String,
    /// What it should work on.
    arguments: Option<String>,
}

impl TypedTool for Skill {
    type Input = SkillInput;

    const NAME: ToolName = ToolName::Skill;

    const UNSAID: &'static str = "";
    const ALIASES: &'static [FieldAlias] = &[("skill", &["name"])];

    fn description(&self) -> &str {
        &self.description
    }

    fn line(&self, input: &SkillInput) -> String {
        input.skill.chars().filter(|c| !c.is_control()).take(80).collect()
    }

    fn run(&self, permit: Presented, input: SkillInput, context: &ToolContext) -> Output {
        let Action::Skill { name } = permit.action() else {
            return Output::error("The permit is not for a skill, so nothing was loaded.");
        };
        let arguments = input.arguments.as_deref().unwrap_or_default();
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
    use crate::tools::{
        Tool,
        test_support::{Workplace, opener},
    };
    use fore_model::ResultPart;
    use fore_testkit::Workspace;
    use serde_json::json;

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
                fact: None,
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
        let description = Tool::description(&tool);
        assert!(description.ends_with("\nSkills:\n- review: Reviews.\n"), "{description}");
        assert_eq!(Tool::line(&tool, &json!({"skill": "review\u{1b}[31m"})), "review[31m");
    }
}
