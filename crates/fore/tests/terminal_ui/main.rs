//! The program in a real terminal: what people see, and what is on disk afterwards.

mod accidents;
mod appearance;
mod away;
mod browser;
mod controls;
mod first_run;
mod flood;
mod grants;
mod headless;
mod keys;
mod modes;
mod past;
mod pictures;
mod plain;
mod planning;
mod screens;
mod slash_plan;
mod stable;
mod stage;
mod steps;
mod transcript;
mod undo;
mod unsent;
mod window;

use fore_testkit::{ModelScript, terminal::Exit, text};
use stage::{Person, Stage, WIDE};

#[test]
fn a_story_leaves_the_same_transcript_whenever_it_is_told() {
    for story in ["keep_planning_with_reason_and_comments", "whole_planning_story"] {
        let transcripts = [(); 2].map(|()| {
            let stage = Stage::of(story);
            headless::play(&stage, story);
            let transcript = stage.transcript();
            stage.finish();
            transcript
        });
        let [first, second] = transcripts.each_ref().map(|text| text.lines().collect::<Vec<_>>());
        assert!(
            first.iter().any(|line| line.contains("/home/ada/.forethought/plans/brave-quiet-fox.md")),
            "{first:#?}"
        );
        assert_eq!(first, second, "{story}");
    }
}

#[test]
fn a_screen_is_the_same_whenever_and_wherever_it_is_drawn() {
    let stage = Stage::new(ModelScript::new().turn(text("Hello.")), Person::Known);
    let terminal = stage.start(&["-p", "Hi"], WIDE);
    assert_eq!(terminal.wait_exit(), Exit::Code(0));
    let expected = "· session 00000001-0000-7000-8000-000000000000 · mode default · model anthropic/scripted-1\nHello.";
    assert_eq!(stage.stable(&terminal.screen()).text(), expected);
    assert!(terminal.screen().modes.are_at_rest());
    assert_eq!(stage.left_running(), Vec::<String>::new());
    stage.finish();
}
