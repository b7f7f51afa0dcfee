//! C1, C2 and the first page of the test list: what `/plan` does.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken story fails the test")]

mod support;

use fore_plan::{
    Level, Mode,
    approval::OnDisk,
    slash::{PlanCommand, PlanIntent, meant, opened, plan_command},
};
use support::*;

fn entered(story: &mut Story, words: &str) -> Option<String> {
    match plan_command(&story.state, words, story.on_disk(), None) {
        PlanCommand::Entered { change, prompt } => {
            story.apply(change);
            prompt
        }
        other => panic!("not entered: {other:?}"),
    }
}

#[test]
fn c1_plan_enters_and_sends_nothing() {
    let mut story = Story::at(Level::Default);
    assert_eq!(entered(&mut story, ""), None);
    assert_eq!((story.mode(), story.state.pre_plan_mode().unwrap().name()), ("plan", "default"));
}

#[test]
fn c1_plan_with_a_description_enters_and_sends_it_at_once() {
    let mut story = Story::at(Level::AcceptEdits);
    assert_eq!(entered(&mut story, " rework the login "), Some("rework the login".into()));
    assert_eq!(story.mode(), "plan");
}

#[test]
fn c1_plan_open_outside_plan_mode_only_enters() {
    let mut story = Story::at(Level::Default);
    assert_eq!(entered(&mut story, "open"), None);
    assert_eq!(story.mode(), "plan");
}

#[test]
fn c2_in_plan_mode_without_a_plan_it_says_so() {
    let mut story = Story::at(Level::Default);
    story.enter();
    let said = PlanCommand::Say("Already in plan mode. No plan written yet.".into());
    assert_eq!(plan_command(&story.state, "", OnDisk::Missing, None), said);
    assert_eq!(plan_command(&story.state, "open", OnDisk::Missing, Some("vi")), said);
}

#[test]
fn c2_in_plan_mode_it_shows_title_path_content_and_editor() {
    let story = Story::planning(Level::Default, "# Plan\n");
    assert_eq!(
        plan_command(&story.state, "", story.on_disk(), Some("vim")),
        PlanCommand::Show {
            title: "Current Plan",
            path: PLAN_PATH.into(),
            text: "# Plan\n".into(),
            editor: Some("vim".into())
        }
    );
}

#[test]
fn c2_plan_open_opens_the_file_and_says_whether_that_worked() {
    let story = Story::planning(Level::Default, "# Plan\n");
    let open = plan_command(&story.state, "open", story.on_disk(), Some("vim"));
    assert_eq!(open, PlanCommand::Open { path: PLAN_PATH.into() });
    assert_eq!(opened(PLAN_PATH, Ok(())), format!("Opened plan in editor: {PLAN_PATH}"));
    assert_eq!(opened(PLAN_PATH, Err("no editor is set")), "Failed to open plan in editor: no editor is set");
}

#[test]
fn c2_an_unreadable_plan_is_named_with_the_reason() {
    let story = Story::planning(Level::Default, "# Plan\n");
    let shown = plan_command(&story.state, "", OnDisk::Unreadable { why: "permission denied" }, None);
    assert_eq!(shown, PlanCommand::Say(format!("The plan {PLAN_PATH} cannot be read: permission denied")));
}

#[test]
fn plan_off_leaves_by_the_persons_own_hand() {
    let mut story = Story::planning(Level::AcceptEdits, "# Plan\n");
    let PlanCommand::Left { change } = plan_command(&story.state, "off", story.on_disk(), None) else { panic!() };
    story.apply(change);
    assert_eq!(story.mode(), "acceptEdits");
    let again = plan_command(&story.state, "off", story.on_disk(), None);
    assert_eq!(again, PlanCommand::Say("Plan mode is not on.".into()));
}

#[test]
fn plan_diff_compares_with_what_the_person_last_saw() {
    let mut story = Story::planning(Level::Default, "# One\n");
    let nothing = plan_command(&story.state, "diff", story.on_disk(), None);
    assert_eq!(
        nothing,
        PlanCommand::Say("This plan has not been shown before, so there is nothing to compare.".into())
    );
    let proposal = story.propose();
    story.answer(&proposal, keep_planning("more"));
    story.disk = Some("# Two\n".into());
    let diff = plan_command(&story.state, "diff", story.on_disk(), None);
    assert_eq!(diff, PlanCommand::Diff { before: "# One\n".into(), after: "# Two\n".into() });
}

#[test]
fn c1_c2_what_the_words_mean_depends_on_the_mode() {
    let prompt = |words: &str| PlanIntent::Prompt(words.into());
    let enter = |words: Option<&str>| PlanIntent::Enter { prompt: words.map(str::to_owned) };
    let export = |to: Option<&str>| PlanIntent::Export { to: to.map(str::to_owned) };
    // words, in another mode, in plan mode
    let page = [
        ("", enter(None), PlanIntent::Show),
        ("open", enter(None), PlanIntent::Open),
        ("off", PlanIntent::NotOn, PlanIntent::Leave),
        ("diff", PlanIntent::Diff, PlanIntent::Diff),
        ("export", export(None), export(None)),
        ("export notes/plan.md", export(Some("notes/plan.md")), export(Some("notes/plan.md"))),
        ("rework the login", enter(Some("rework the login")), prompt("rework the login")),
        ("open the door", enter(Some("open the door")), prompt("open the door")),
        ("off by one in the pager", enter(Some("off by one in the pager")), prompt("off by one in the pager")),
    ];
    for (words, elsewhere, planning) in page {
        assert_eq!(meant(Mode::At(Level::AcceptEdits), words), elsewhere, "{words}");
        assert_eq!(meant(Mode::Plan, words), planning, "{words}");
    }
}

#[test]
fn plan_export_gives_the_text_and_never_a_wish_without_a_path() {
    let story = Story::planning(Level::Default, "# Discounts\n");
    let export = |words| plan_command(&story.state, words, story.on_disk(), None);
    assert_eq!(export("export a.md"), PlanCommand::Export { to: "a.md".into(), text: "# Discounts\n".into() });
    assert_eq!(export("export"), PlanCommand::Say("Where to? /plan export PATH".into()));
}
