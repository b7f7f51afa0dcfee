//! Caps: before each request what was spent is held against them, the person decides at one, and agents side by side do not go past it.

use crate::support::{Show, Stage};
use fore_agent::{Begin, BudgetAmount, Command, Event, FormAnswer, Launch, SpendingReport};
use fore_plan::{Mode, approval::Reachable};
use fore_testkit::{ModelScript, ScriptedTurn, ScriptedUsage, call, text};
use serde_json::json;

fn of(input: u64, output: u64) -> ScriptedUsage {
    ScriptedUsage { input, output, ..ScriptedUsage::default() }
}

fn read(input: u64) -> ScriptedTurn {
    call("Read", json!({"file_path": "notes.txt"})).usage(of(input, 10))
}

fn launch(stage: &Stage, reachable: Reachable) -> Launch {
    stage.write("notes.txt", "one\n");
    stage.launch(Begin::Fresh { mode: Mode::At(fore_plan::Level::Default) }, reachable)
}

/// Answers the question about a cap, and gives what was asked.
async fn answer(show: &mut Show, label: &str) -> String {
    loop {
        if let Event::FormAsked { question, form } = show.next().await.unwrap() {
            let asked = &form.questions[0];
            let labels: Vec<&str> = asked.options.iter().map(|option| option.label.as_str()).collect();
            let words = format!("{} [{}]", asked.question, labels.join(" / "));
            let chosen = if label.is_empty() { Vec::new() } else { vec![label.to_owned()] };
            let answers = vec![FormAnswer { chosen, text: String::new() }];
            show.send(Command::FillForm { question, answers }).await;
            return words;
        }
    }
}

async fn spending(show: &mut Show) -> SpendingReport {
    show.send(Command::Spending).await;
    loop {
        if let Event::Spending(report) = show.next().await.unwrap() {
            return *report;
        }
    }
}

fn budget_notices(show: &Show) -> Vec<&String> {
    show.lines.iter().filter(|line| line.contains("budget.")).collect()
}

#[tokio::test(flavor = "current_thread")]
async fn at_a_cap_the_person_is_asked_and_a_yes_raises_it_for_this_turn() {
    let script = ModelScript::new().turn(read(850)).turn(read(300)).turn(text("Done.").usage(of(100, 10)));
    let stage = Stage::new(script.turn(text("Again.").usage(of(50, 5))));
    let mut launch = launch(&stage, Reachable::Approver);
    launch.settings.cap_per_turn = Some(BudgetAmount::Tokens(1_000));
    let mut show = stage.go(launch).await;
    show.prompt("Look.").await;
    let asked = answer(&mut show, "Continue, up to 2,000 tokens").await;
    assert_eq!(
        asked,
        "This turn has used 1,170 tokens, and your cap is 1,000 tokens (budget.perTurn). Continue? [Continue, up to 2,000 tokens / Stop here]"
    );
    assert_eq!(show.until("ended").await, "ended");
    assert_eq!(budget_notices(&show), ["notice: This turn has used 860 tokens of 1,000 tokens (budget.perTurn)."]);
    let report = spending(&mut show).await;
    assert_eq!((report.turn.usage.input, report.turn.usage.output), (1_250, 30));
    assert_eq!(report.caps["budget.perTurn"], [BudgetAmount::Tokens(1_280), BudgetAmount::Tokens(2_000)]);
    // What was added holds for that turn alone, and a new one begins with nothing.
    show.prompt("Again.").await;
    assert_eq!(show.until("ended").await, "ended");
    let report = spending(&mut show).await;
    assert_eq!(report.caps["budget.perTurn"], [BudgetAmount::Tokens(55), BudgetAmount::Tokens(1_000)]);
    assert_eq!(report.session.usage.input, 1_300);
    show.close().await;
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_no_and_an_answer_that_is_none_send_nothing_and_say_why() {
    for label in ["Stop here", ""] {
        let stage = Stage::new(ModelScript::new().turn(read(1_000)));
        let mut launch = launch(&stage, Reachable::Approver);
        launch.settings.cap_per_session = Some(BudgetAmount::Tokens(1_000));
        let mut show = stage.go(launch).await;
        show.prompt("Look.").await;
        answer(&mut show, label).await;
        assert_eq!(show.until("ended").await, "ended OverBudget", "{label:?}");
        show.close().await;
        stage.server.finish().unwrap();
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_session_that_goes_on_and_one_of_the_same_day_know_what_was_spent_before() {
    let stage = Stage::new(ModelScript::new().turn(text("One.").usage(of(900, 150))));
    let mut show = stage.go(launch(&stage, Reachable::Nobody)).await;
    show.prompt("One.").await;
    show.until("ended").await;
    let session = show.session.unwrap();
    show.close().await;
    let mut again = stage.launch(Begin::Resume { session, mode: None }, Reachable::Nobody);
    again.settings.cap_per_session = Some(BudgetAmount::Tokens(1_000));
    let mut other = launch(&stage, Reachable::Nobody);
    other.settings.cap_per_day = Some(BudgetAmount::Tokens(1_000));
    let mut reports = Vec::new();
    for launch in [again, other] {
        let mut show = stage.go(launch).await;
        show.prompt("Two.").await;
        assert_eq!(show.until("ended").await, "ended OverBudget");
        reports.push(spending(&mut show).await);
        show.close().await;
    }
    assert_eq!(reports.iter().map(|report| report.session.usage.input).collect::<Vec<_>>(), [900, 0]);
    assert_eq!(reports.iter().map(|report| report.day.usage.input).collect::<Vec<_>>(), [900, 900]);
    stage.server.finish().unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_cap_in_money_is_not_held_for_a_model_without_a_price_but_by_a_yes() {
    let stage = Stage::new(ModelScript::new().turn(text("Done.").usage(of(10, 1))));
    let mut launch = launch(&stage, Reachable::Approver);
    launch.settings.cap_per_day = Some(BudgetAmount::Dollars(1.0));
    let mut show = stage.go(launch).await;
    show.prompt("One.").await;
    let asked = answer(&mut show, "Continue without this cap").await;
    assert!(
        asked.starts_with("What anthropic/scripted costs is not known, so budget.perDay cannot be held"),
        "{asked}"
    );
    assert_eq!(show.until("ended").await, "ended");
    show.close().await;
    stage.server.finish().unwrap();
}

/// Eight agents at once, each of which would take a fifth of what is left: together they go over by less than one answer.
#[tokio::test(flavor = "current_thread")]
async fn agents_side_by_side_never_go_over_a_cap_by_more_than_one_answer() {
    const AGENTS: usize = 8;
    const ANSWER: u64 = 2_000;
    let task = |number: usize| json!({"subagent_type": "Explore", "description": "look", "prompt": format!("CHILD-{number}: look")});
    let all = (1..AGENTS).fold(call("Agent", task(0)), |turn, number| turn.call("Agent", task(number)));
    let mut script = ModelScript::new().turn(all.usage(of(100, 10)));
    for number in 0..AGENTS {
        let words = [text("Seen.").usage(of(ANSWER - 10, 10))];
        script = script.conversation(format!("child {number}"), format!("CHILD-{number}"), words);
    }
    let stage = Stage::new(script);
    let mut launch = launch(&stage, Reachable::Nobody);
    launch.settings.cap_per_turn = Some(BudgetAmount::Tokens(5 * ANSWER));
    let mut show = stage.go(launch).await;
    show.prompt("Look around.").await;
    assert_eq!(show.until("ended").await, "ended OverBudget");
    let report = spending(&mut show).await;
    let used = report.turn.usage.total();
    assert!((5 * ANSWER..6 * ANSWER).contains(&used), "{used}");
    assert_eq!(report.askers.keys().collect::<Vec<_>>(), ["Explore", "main conversation"]);
    show.close().await;
    let unasked = stage.server.finish().unwrap_err().to_string();
    assert_eq!(unasked.matches("never asked for").count(), 3, "{unasked}");
}
