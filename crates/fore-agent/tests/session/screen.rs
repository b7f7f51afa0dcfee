//! What a screen needs to be true: the plan with what changed, the lists of a session, and the mode that is enforced.

#![expect(clippy::disallowed_methods, reason = "lays out the files that the tests need")]

use crate::support::Stage;
use fore_agent::Command;
use fore_testkit::{Script, call};
use serde_json::json;

const PLAN: &str = "# Plan\n\n1. Fix it.\n\n## Verification\nRun the tests.\n";

#[tokio::test(flavor = "current_thread")]
async fn b7_the_plan_comes_with_what_changed_since_the_person_was_asked() {
    let script = Script::new()
        .turn(call("ExitPlanMode", json!({"plan": PLAN})))
        .turn(call("ExitPlanMode", json!({"plan": PLAN.replace("Fix it", "Mend it")})));
    let stage = Stage::new(script);
    let mut show = stage.start("plan").await;
    show.send(Command::ShowPlan).await;
    assert_eq!(show.until("plan, changed").await, "plan, changed: ", "nobody was asked yet");
    show.prompt("fix it").await;
    show.until("approval of revision 1").await;
    show.send(Command::ShowPlan).await;
    assert_eq!(show.until("plan, changed").await, "plan, changed: ", "it is what was just shown");
    show.answer("keepPlanning").await;
    show.until("approval of revision 2").await;
    show.send(Command::Interrupt).await;
    show.until("ended").await;
    let plan = show.plan_file();
    std::fs::write(&plan, PLAN.replace("Fix it", "Repair it")).unwrap();
    show.send(Command::ShowPlan).await;
    assert_eq!(
        show.until("plan, changed").await,
        "plan, changed: @@ -1,6 +1,6 @@\n # Plan\n \n-1. Mend it.\n+1. Repair it.\n \n ## Verification\n Run the tests.\n"
    );
    show.close().await;
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_begins_with_its_agents_skills_and_plan() {
    let stage = Stage::new(Script::new());
    let skill = stage.project.join(".forethought/skills/release");
    std::fs::create_dir_all(&skill).unwrap();
    std::fs::write(skill.join("SKILL.md"), "---\nname: release\ndescription: How to\n---\nDo it.\n").unwrap();
    let agents = stage.project.join(".forethought/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("tester.md"), "---\nname: tester\ndescription: Tests.\n---\nTest it.\n").unwrap();
    let mut show = stage.start("default").await;
    show.until("started").await;
    let started = show.started.clone().unwrap();
    let agents: Vec<(&str, bool)> = started.agents.iter().map(|agent| (agent.name.as_str(), agent.read_only)).collect();
    assert_eq!(agents, [("Explore", true), ("Plan", true), ("general", false), ("tester", false)]);
    let skills: Vec<(&str, &str)> =
        started.skills.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())).collect();
    assert_eq!(skills, [("release", "How to")]);
    assert_eq!(started.plan, None, "nothing is planned yet");
    show.close().await;
}
