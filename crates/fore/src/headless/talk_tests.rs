//! Who says what next, as pages of events and the commands that follow.

use super::{Beginning, Host, Input, Script, Talk};
use crate::headless::listen::HostLine;
use fore_agent::{
    Command, Event,
    command::{QuestionId, When},
    event::{NoticeLevel, TurnOutcome},
};

fn talk(prompts: &[&str], beginning: Beginning) -> Talk {
    let prompts = prompts.iter().map(|text| (*text).to_owned()).collect();
    Talk::new(Script { prompts, host: Host::Nobody, beginning })
}

/// What is sent now, as the names of the commands.
fn sent(talk: &mut Talk, input: Input) -> Vec<String> {
    talk.settle(input);
    let name = |command: Command| {
        let value = serde_json::to_value(command).unwrap();
        value["command"].as_str().unwrap_or_default().to_owned()
    };
    talk.queue.drain(..).map(name).collect()
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
    assert_eq!(sent(&mut talk, Input::Over), ["prompt"]);
    assert_eq!(sent(&mut talk, Input::Over), [""; 0], "the prompt is on its way");
    talk.heard(&taken("hello"));
    assert_eq!(sent(&mut talk, Input::Over), [""; 0], "its turn follows");
    talk.heard(&Event::TurnStarted);
    assert_eq!(sent(&mut talk, Input::Over), [""; 0]);
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, Input::Over), ["close"]);
    assert_eq!(sent(&mut talk, Input::Over), [""; 0], "once");
}

#[test]
fn m9_a_session_that_begins_by_itself_is_waited_for() {
    let mut talk = talk(&[], Beginning::ByItself);
    assert_eq!(sent(&mut talk, Input::Over), [""; 0]);
    talk.heard(&Event::TurnStarted);
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, Input::Over), ["close"]);
}

#[test]
fn l2_while_a_host_may_speak_nothing_is_taken_back_and_when_it_has_left_questions_are() {
    let mut talk = Talk::new(Script { prompts: Vec::new(), host: Host::Lines, beginning: Beginning::WithAPrompt });
    talk.heard(&Event::TurnStarted);
    talk.heard(&Event::EnterPlanAsked { question: QuestionId("q".into()) });
    assert_eq!(sent(&mut talk, Input::Open), [""; 0]);
    assert_eq!(sent(&mut talk, Input::Over), ["detach"]);
    assert_eq!(sent(&mut talk, Input::Over), [""; 0], "once");
    talk.heard(&ended());
    assert_eq!(sent(&mut talk, Input::Over), ["close"]);
}

#[test]
fn an_empty_prompt_is_not_waited_for() {
    let mut talk = talk(&[" "], Beginning::WithAPrompt);
    assert_eq!(sent(&mut talk, Input::Over), ["prompt"]);
    assert_eq!(sent(&mut talk, Input::Over), ["close"]);
}

#[test]
fn a_line_that_is_not_understood_is_an_event_and_changes_nothing() {
    let mut talk = talk(&[], Beginning::WithAPrompt);
    let trouble = |event: Option<Event>| match event {
        Some(Event::Notice { level: NoticeLevel::Error, text }) => text,
        other => panic!("{other:?}"),
    };
    let text = trouble(talk.line(HostLine::Text("no json".into())));
    assert!(text.starts_with("input: this line is no JSON"), "{text}");
    let text = trouble(talk.line(HostLine::Text(r#"{"command":"fly"}"#.into())));
    assert!(text.starts_with("input: no command: unknown variant `fly`"), "{text}");
    assert!(talk.queue.is_empty());
    assert_eq!(talk.line(HostLine::Text(r#"{"command":"prompt","text":"go"}"#.into())), None);
    assert_eq!(talk.queue, [Command::Prompt { text: "go".into(), when: When::Queue }]);
}

#[test]
fn a_stop_drops_what_waits_interrupts_and_closes() {
    let mut talk = talk(&["one", "two"], Beginning::WithAPrompt);
    talk.stop();
    assert_eq!(sent(&mut talk, Input::Over), ["interrupt", "close"]);
}
