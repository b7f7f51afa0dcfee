//! Who says what next, as pages of events and the commands that follow.

use super::{Beginning, CommandQueue, HostInput, InputState, RunScript};
use crate::headless::listen::HostLine;
use fore_agent::{Command, Event, NoticeLevel, PromptTiming, QuestionId, TurnOutcome};

fn talk(prompts: &[&str], beginning: Beginning) -> CommandQueue {
    let prompts = prompts.iter().map(|text| (*text).to_owned()).collect();
    CommandQueue::new(RunScript { prompts, host: HostInput::Nobody, beginning })
}

/// What is sent now, as the names of the commands.
fn sent(talk: &mut CommandQueue, input: InputState) -> Vec<String> {
    talk.settle(input);
    let name = |command: Command| {
        let value = serde_json::to_value(command).unwrap();
        value["command"].as_str().unwrap_or_default().to_owned()
    };
    talk.pending.drain(..).map(name).collect()
}

fn taken(text: &str) -> Event {
    Event::PromptTaken { text: text.into() }
}

fn ended() -> Event {
    Event::TurnEnded { outcome: TurnOutcome::Done }
}

#[test]
fn l2_a_prompt_is_sent_its_turn_is_waited_for_and_then_the_session_is_closed() {
    let mut talk = talk(&["hello"], Beginning::WithAPrompt);
    assert_eq!(sent(&mut talk, InputState::Over), ["prompt"]);
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0], "the prompt is on its way");
    talk.heard(&taken("hello"));
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0], "its turn follows");
    talk.heard(&Event::TurnStarted);
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0]);
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, InputState::Over), ["close"]);
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0], "once");
}

#[test]
fn m9_a_session_that_begins_by_itself_is_waited_for() {
    let mut talk = talk(&[], Beginning::ByItself);
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0]);
    talk.heard(&Event::TurnStarted);
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, InputState::Over), ["close"]);
}

#[test]
fn l2_while_a_host_may_speak_nothing_is_taken_back_and_when_it_has_left_questions_are() {
    let mut talk =
        CommandQueue::new(RunScript { prompts: Vec::new(), host: HostInput::Lines, beginning: Beginning::WithAPrompt });
    talk.heard(&Event::TurnStarted);
    talk.heard(&Event::EnterPlanAsked { question: QuestionId("q".into()) });
    assert_eq!(sent(&mut talk, InputState::Open), [""; 0]);
    assert_eq!(sent(&mut talk, InputState::Over), ["detach"]);
    assert_eq!(sent(&mut talk, InputState::Over), [""; 0], "once");
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, InputState::Over), ["close"]);
}

#[test]
fn an_empty_prompt_is_not_waited_for() {
    let mut talk = talk(&[" "], Beginning::WithAPrompt);
    assert_eq!(sent(&mut talk, InputState::Over), ["prompt"]);
    assert_eq!(sent(&mut talk, InputState::Over), ["close"]);
}

#[test]
fn a_line_that_is_not_understood_is_an_event_and_changes_nothing() {
    let mut talk = talk(&[], Beginning::WithAPrompt);
    let trouble = |event: Option<Event>| match event {
        Some(Event::Notice { level: NoticeLevel::Error, text }) => text,
        other => panic!("{other:?}"),
    };
    let text = trouble(talk.line(HostLine::Text("no json".into())));
    assert!(text.starts_with("input: this line is not JSON"), "{text}");
    let text = trouble(talk.line(HostLine::Text(r#"{"command":"fly"}"#.into())));
    assert!(text.starts_with("input: not a command: unknown variant `fly`"), "{text}");
    assert!(talk.pending.is_empty());
    assert_eq!(talk.line(HostLine::Text(r#"{"command":"prompt","text":"go"}"#.into())), None);
    assert_eq!(talk.pending, [Command::Prompt { text: "go".into(), when: PromptTiming::Queue }]);
}

#[test]
fn a_stop_drops_what_waits_interrupts_and_closes() {
    let mut talk = talk(&["one", "two"], Beginning::WithAPrompt);
    talk.stop();
    assert_eq!(sent(&mut talk, InputState::Over), ["interrupt", "close"]);
}
