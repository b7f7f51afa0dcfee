//! What servers ask of us: questions to the person, roots, our model.

use crate::fake::{Fake, Person, connected, discovered_connection, object, options};
use fore_mcp::{
    CallFate, CallOptions, Elicitation, ElicitationAnswer, FormFieldKind, McpContent, McpEvent, McpFaultKind,
};
use serde_json::{Value, json};

fn form(properties: Value) -> Value {
    json!({"mode": "form", "message": "Who are\u{200b} you?", "requestedSchema": {"type": "object", "properties": properties, "required": ["name"]}})
}

/// Asks within a call, as servers do, and gives the answer.
async fn asks(fake: &mut Fake, method: &str, params: Value) -> Value {
    let request = fake.hears("tools/call").await;
    fake.says(json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params})).await;
    let answer = fake.hear().await;
    assert_eq!(answer["id"], "q");
    fake.answers(&request, json!({"content": []})).await;
    answer
}

#[tokio::test]
async fn a_form_is_asked_and_its_answer_goes_back() {
    let person =
        Person::who_answers(ElicitationAnswer::Accept(object(json!({"name": "Ada", "colour": "red", "age": 36}))));
    let (connection, mut fake) = connected(person.options()).await;
    let properties = json!({
        "name": {"type": "string", "title": "Your name", "minLength": 1},
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "age": {"type": "integer", "minimum": 0},
    });
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (_, answer) = tokio::join!(call, asks(&mut fake, "elicitation/create", form(properties)));
    assert_eq!(answer["result"], json!({"action": "accept", "content": {"name": "Ada", "colour": "red", "age": 36}}));
    let seen = person.seen.lock().unwrap().clone();
    let [Elicitation::Form { message, fields }] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(message, "Who are\\u{200b} you?");
    let name = fields.iter().find(|field| field.name == "name").unwrap();
    assert_eq!((name.title.as_str(), name.required), ("Your name", true));
    let colour = fields.iter().find(|field| field.name == "colour").unwrap();
    let both = vec![("red".to_owned(), "red".to_owned()), ("blue".to_owned(), "blue".to_owned())];
    assert_eq!(colour.kind, FormFieldKind::Choice { options: both, several: false, min: None, max: None });
}

#[tokio::test]
async fn a_no_is_declined_and_a_closed_question_cancelled() {
    for (answer, action) in [(ElicitationAnswer::Decline, "decline"), (ElicitationAnswer::Cancel, "cancel")] {
        let person = Person::who_answers(answer);
        let (connection, mut fake) = connected(person.options()).await;
        let url = json!({"mode": "url", "message": "Log in", "url": "https://example.com/x", "elicitationId": "1"});
        let call = connection.call("t", object(json!({})), CallOptions::default());
        let (_, answer) = tokio::join!(call, asks(&mut fake, "elicitation/create", url));
        assert_eq!(answer["result"], json!({"action": action}));
        let expected = Elicitation::Url { message: "Log in".into(), url: "https://example.com/x".into() };
        assert_eq!(*person.seen.lock().unwrap(), [expected]);
    }
}

#[tokio::test]
async fn what_must_not_be_asked_is_cancelled_unseen() {
    let person = Person::who_answers(ElicitationAnswer::Accept(object(json!({"name": "x"}))));
    let (connection, mut fake) = connected(person.options()).await;
    let mut events = connection.events();
    for (params, reason) in [
        (form(json!({"name": {"type": "string", "title": "API key"}})), "its form asks for a secret (name)"),
        (
            form(json!({"name": {"type": "string"}, "accessToken": {"type": "string"}})),
            "its form asks for a secret (accessToken)",
        ),
        (
            json!({"mode": "url", "message": "m", "url": "javascript:alert(1)", "elicitationId": "1"}),
            "the page it names is not a web address",
        ),
    ] {
        let call = connection.call("t", object(json!({})), CallOptions::default());
        let (_, answer) = tokio::join!(call, asks(&mut fake, "elicitation/create", params));
        assert_eq!(answer["result"], json!({"action": "cancel"}));
        let told = format!("a question to you was cancelled: {reason}");
        assert_eq!(events.next().await, Some(McpEvent::Refused(told)));
    }
    assert!(person.seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_not_sent() {
    let properties = json!({"name": {"type": "string", "maxLength": 3}, "sure": {"type": "boolean"}});
    for values in
        [json!({"name": "much too long"}), json!({"sure": true}), json!({"name": "x", "other": 1}), json!({"name": 7})]
    {
        let person = Person::who_answers(ElicitationAnswer::Accept(object(values)));
        let (connection, mut fake) = connected(person.options()).await;
        let call = connection.call("t", object(json!({})), CallOptions::default());
        let (_, answer) = tokio::join!(call, asks(&mut fake, "elicitation/create", form(properties.clone())));
        assert_eq!(answer["result"], json!({"action": "cancel"}));
    }
}

#[tokio::test]
async fn where_nobody_is_there_a_question_is_cancelled() {
    let (connection, mut fake) = connected(options()).await;
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let params = form(json!({"name": {"type": "string"}}));
    let (_, answer) = tokio::join!(call, asks(&mut fake, "elicitation/create", params));
    assert_eq!(answer["result"], json!({"action": "cancel"}));
}

#[tokio::test]
async fn roots_are_the_workspace_and_our_model_is_nobodys() {
    let (connection, mut fake) = connected(options()).await;
    let mut events = connection.events();
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (_, answer) = tokio::join!(call, asks(&mut fake, "roots/list", json!({})));
    assert_eq!(answer["result"], json!({"roots": [{"uri": "file:///work/my%20project", "name": "my project"}]}));
    let sampling = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9});
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (_, answer) = tokio::join!(call, asks(&mut fake, "sampling/createMessage", sampling));
    assert_eq!(answer["error"]["code"], -32601);
    let told = "it asked for your model (sampling), which no server gets";
    assert_eq!(events.next().await, Some(McpEvent::Refused(told.into())));
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (_, answer) = tokio::join!(call, asks(&mut fake, "made/up", json!({})));
    assert_eq!(answer["error"]["code"], -32601);
}

fn asks_back(requests: Value, state: &str) -> Value {
    json!({"resultType": "input_required", "inputRequests": requests, "requestState": state})
}

#[tokio::test]
async fn a_new_server_asks_back_and_the_call_is_made_again_with_the_answer() {
    let person = Person::who_answers(ElicitationAnswer::Accept(object(json!({"name": "Ada"}))));
    let (connection, mut fake) = discovered_connection(person.options(), json!({"tools": {}})).await;
    let question = json!({"method": "elicitation/create", "params": form(json!({"name": {"type": "string"}}))});
    let server = async {
        fake.gives("tools/call", asks_back(json!({"who": question}), "s1")).await;
        let again = fake.hears("tools/call").await;
        assert_eq!(again["params"]["arguments"], json!({"a": 1}));
        assert_eq!(again["params"]["requestState"], "s1");
        assert_eq!(again["params"]["inputResponses"], json!({"who": {"action": "accept", "content": {"name": "Ada"}}}));
        fake.answers(&again, json!({"resultType": "complete", "content": [{"type": "text", "text": "Hello Ada"}]}))
            .await;
    };
    let call = connection.call("t", object(json!({"a": 1})), CallOptions::default());
    let (got, ()) = tokio::join!(call, server);
    assert_eq!(got.unwrap().content, [McpContent::Text("Hello Ada".into())]);
}

#[tokio::test(start_paused = true)]
async fn a_new_server_that_asks_back_for_ever_or_for_our_model_gets_nothing() {
    let person = Person::who_answers(ElicitationAnswer::Decline);
    let (connection, mut fake) = discovered_connection(person.options(), json!({"tools": {}})).await;
    let server = async {
        for _ in 0..8 {
            fake.gives("tools/call", json!({"resultType": "input_required", "requestState": "s"})).await;
        }
    };
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (got, ()) = tokio::join!(call, server);
    let fault = got.unwrap_err();
    assert_eq!((fault.kind, fault.fate), (McpFaultKind::Unusable, CallFate::MayHaveHappened));
    assert_eq!(fault.message, "it asked back too often");
    let messages = json!([{"role": "user", "content": {"type": "text", "text": "hi"}}]);
    let sampling = json!({"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 9}});
    let call = connection.call("t", object(json!({})), CallOptions::default());
    let (got, _) = tokio::join!(call, fake.gives("tools/call", asks_back(json!({"m": sampling}), "s")));
    assert_eq!(got.unwrap_err().kind, McpFaultKind::Refused);
}
