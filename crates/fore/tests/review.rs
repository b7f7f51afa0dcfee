//! The page of a plan, over real HTTP against the real program: what is refused, and a review from a comment to the work.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "prepares the workspace of the program under test")]

#[path = "support/model.rs"]
#[allow(dead_code, reason = "the other test files use more of it")]
mod model;
#[path = "review/page.rs"]
mod page;
mod support;

use fore_testkit::{ModelScript, call, text};
use model::Scene;
use page::{Answered, Page};
use serde_json::{Value, json};

const PLAN: &str = "# Greeting\n\nWrite it.\n\n## Files\n\n- `hello.txt` new\n\n## Steps\n\n1. Read\n2. Write\n\n## Verification\n\n`cat hello.txt`\n";

fn asks() -> ModelScript {
    ModelScript::new().turn(call("ExitPlanMode", json!({"plan": PLAN})))
}

/// A plan that waits on its page.
fn waits(script: ModelScript) -> (Scene, Page) {
    let scene = Scene::new(script);
    let page = Page::of(&scene, &["plan", "--review", "add a greeting"]);
    (scene, page)
}

#[test]
fn a_comment_brings_another_plan_and_a_yes_begins_the_work() {
    let second = PLAN.replace("Write it.", "Write it twice.");
    let (scene, mut page) = waits(
        asks()
            .turn(
                call("ExitPlanMode", json!({"plan": second}))
                    .expect_result("ExitPlanMode", "Where?")
                    .expect_result("ExitPlanMode", "Write it.")
                    .expect_result("ExitPlanMode", "Shorter, please."),
            )
            .turn(text("Done as planned.").expect_result("ExitPlanMode", "Write it twice.")),
    );
    let view = page.view();
    assert_eq!((&view["revision"], &view["steps"][1]["title"]), (&json!(1), &json!("Write")));
    assert!(view["html"].as_str().unwrap().contains("<p id=\"L3\" data-l=\"3\" data-e=\"3\""), "{view}");
    let draft = page.post("comment", &json!({"first": 3, "last": 3, "text": "Where?"})).json();
    assert_eq!(draft["comments"][0]["quote"], "Write it.");
    page.post("note", &json!({"text": "Shorter, please."})).json();
    assert_eq!(page.answer("keepPlanning", &json!({})).status, 200);

    let old = page.address.clone();
    page.next();
    assert_eq!(page.get_with("page", &old).status, 401, "the address from before is dead");
    let view = page.view();
    assert_eq!((&view["revision"], &view["earlier"][0]["remark"]), (&json!(2), &json!("Where?")));
    assert_eq!(view["earlier"][0]["now"], Value::Null, "its line has changed");
    assert_eq!((&view["changed"]["added"], &view["changed"]["removed"]), (&json!(1), &json!(1)));
    let between = page.post("difference", &json!({"from": 1, "to": 2}));
    assert!(between.body.contains("+Write it twice."), "{}", between.body);
    assert_eq!(view["draft"]["comments"], json!([]), "what was sent is not a draft any more");

    assert_eq!(page.answer("startCovered", &json!({})).status, 200);
    let (code, out, err) = page.end();
    assert!(out.contains("Done as planned."), "{out} {err}");
    assert_eq!(code, Some(9), "its check was not run: {err}");
    let transcripts = scene.place.folder("home").join("sessions");
    let all: String = std::fs::read_dir(transcripts)
        .unwrap()
        .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
        .collect();
    assert!(all.contains("\"via\":\"browser\""), "the receipt says where the yes came from");
    scene.finish();
}

#[test]
fn what_is_not_asked_by_our_own_page_is_refused() {
    let (scene, page) = waits(asks());
    let view = page.view();
    let body = page.answer_body(&view, "startEditing", &json!({})).to_string();
    let port = page.port();
    let token = page.token();
    let base = |host: &str, origin: &str, kind: &str| {
        format!("Host: {host}\r\n{origin}Content-Type: {kind}\r\nx-fore-token: {token}\r\n")
    };
    let own = format!("127.0.0.1:{port}");
    let (origin, json) = (format!("Origin: http://{own}\r\n"), "application/json");
    let good = base(&own, &origin, json);
    let rows: Vec<(&str, String, u16)> = vec![
        ("another name", base("evil.example", &origin, json), 421),
        ("the name without a port", base("127.0.0.1", &origin, json), 421),
        ("another port", base("127.0.0.1:1", &origin, json), 421),
        ("another address of this machine", base(&format!("127.0.0.2:{port}"), &origin, json), 421),
        ("two names", format!("Host: evil.example\r\n{good}"), 421),
        ("no name", good.replace(&format!("Host: {own}\r\n"), ""), 421),
        ("no origin", base(&own, "", json), 403),
        ("another origin", base(&own, "Origin: http://evil.example\r\n", json), 403),
        ("an origin of nobody", base(&own, "Origin: null\r\n", json), 403),
        ("an origin by TLS", base(&own, &format!("Origin: https://{own}\r\n"), json), 403),
        ("the origin of another name", base(&own, &format!("Origin: http://localhost:{port}\r\n"), json), 403),
        ("two origins", format!("{origin}{good}"), 403),
        ("another site", format!("{good}Sec-Fetch-Site: cross-site\r\n"), 403),
        ("a site beside it", format!("{good}Sec-Fetch-Site: same-site\r\n"), 403),
        ("typed by hand", format!("{good}Sec-Fetch-Site: none\r\n"), 403),
        ("text", base(&own, &origin, "text/plain"), 415),
        ("a form", base(&own, &origin, "application/x-www-form-urlencoded"), 415),
        ("no content type", good.replace(&format!("Content-Type: {json}\r\n"), ""), 415),
        ("no token", good.replace(&format!("x-fore-token: {token}\r\n"), ""), 401),
        ("a wrong token", good.replace(token, &"0".repeat(64)), 401),
        ("a shorter token", good.replace(token, &token[..63]), 401),
        ("two tokens", format!("x-fore-token: {token}\r\n{good}"), 401),
        ("a cookie", format!("{}Cookie: x-fore-token={token}\r\n", good.replace("x-fore-token: ", "x-other: ")), 401),
    ];
    for (name, headers, status) in rows {
        let answered = page.raw("POST /api/answer", &headers, &body);
        assert_eq!(answered.status, status, "{name}: {}", answered.body);
        require_sealed(&answered, name);
    }
    for (line, status) in [
        ("PUT /api/answer", 405),
        ("OPTIONS /api/answer", 405),
        ("POST /", 405),
        ("POST /api/answer?x=1", 400),
        ("POST http://evil.example/api/answer", 400),
        ("POST /api/nothing", 404),
    ] {
        let answered = page.raw(line, &good, &body);
        assert_eq!(answered.status, status, "{line}: {}", answered.body);
        require_sealed(&answered, line);
    }
    let after = page.view();
    assert_eq!((&after["textHash"], &after["draft"]["version"]), (&view["textHash"], &view["draft"]["version"]));
    page.stop();
    drop(scene);
}

fn require_sealed(answered: &Answered, name: &str) {
    let policy = "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                  img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
    for header in [
        policy,
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "cross-origin-resource-policy: same-origin",
    ] {
        assert!(answered.head.contains(header), "{name}: {header} is missing in {}", answered.head);
    }
    assert!(!answered.head.contains("access-control"), "{name}: {}", answered.head);
}

#[test]
fn the_page_is_a_page_and_nothing_that_others_can_load() {
    let (scene, page) = waits(asks());
    let own = format!("Host: 127.0.0.1:{}\r\n", page.port());
    for (path, headers, status) in [
        // The page itself; with this status browsers do not keep its address, in which the token is.
        ("/", "", 404),
        ("/", "Sec-Fetch-Site: none\r\nSec-Fetch-Dest: document\r\n", 404),
        ("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\n", 404),
        ("/", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe\r\n", 403),
        ("/", "Sec-Fetch-Site: cross-site\r\n", 403),
        ("/page.js", "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Dest: script\r\n", 200),
        ("/page.js", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: script\r\n", 403),
        ("/page.css", "", 200),
        ("/api/page", "", 401),
        ("/api/page", "Sec-Fetch-Site: cross-site\r\n", 403),
        ("/../../etc/passwd", "", 404),
    ] {
        let answered = page.raw(&format!("GET {path}"), &format!("{own}{headers}"), "");
        assert_eq!(answered.status, status, "{path} {headers}");
        assert_eq!(answered.body.contains("<title>Plan review"), path == "/" && status == 404, "{path} {headers}");
        assert!(!answered.body.contains("Greeting") && !answered.body.contains(page.token()), "{path}");
        require_sealed(&answered, path);
    }
    page.stop();
    drop(scene);
}

#[test]
fn an_answer_is_about_what_was_shown_and_offered_or_it_is_not_sent() {
    let (scene, page) = waits(asks().turn(text("Done.")));
    let view = page.view();
    let good = page.answer_body(&view, "startEditing", &json!({}));
    let other = "0".repeat(64);
    for (name, changes, status) in [
        ("another request", json!({"agentId": "main"}), 409),
        ("another text", json!({"textHash": other}), 409),
        ("another contract", json!({"contractHash": other}), 409),
        ("comments that nobody saw here", json!({"draft": 99}), 409),
        ("comments of no version", json!({"draft": null}), 400),
        ("another level", json!({"leadsTo": "bypassPermissions"}), 409),
        ("the level of another offer", json!({"leadsTo": "plan"}), 409),
        ("a level that nobody knows", json!({"leadsTo": "root"}), 400),
        ("a word that nobody offers", json!({"selected": "approve"}), 409),
        ("a word of other hosts", json!({"selected": "ProceedAlways"}), 409),
        ("an offer that is closed here", json!({"selected": "acceptEdits", "leadsTo": "bypassPermissions"}), 409),
        ("steps that are not there", json!({"steps": [7]}), 409),
        ("no steps", json!({"steps": []}), 409),
        ("what is covered without having seen it", json!({"selected": "startCovered", "contractHash": null}), 409),
        ("a field of another kind", json!({"permissionMode": "bypassPermissions"}), 400),
        ("no JSON object", json!(null), 400),
    ] {
        let mut body = good.clone();
        match changes.as_object() {
            Some(fields) => fields.iter().for_each(|(key, value)| body[key] = value.clone()),
            None => body = changes,
        }
        let answered = page.post("answer", &body);
        assert_eq!(answered.status, status, "{name}: {}", answered.body);
    }
    page.post("comment", &json!({"first": 1, "last": 1, "text": "Hm"})).json();
    // Written elsewhere while the question was open here: neither sent nor thrown away unseen.
    for words in ["send", "drop"] {
        let mut unseen = good.clone();
        unseen["words"] = json!(words);
        let answered = page.post("answer", &unseen);
        assert_eq!(answered.status, 409, "{}", answered.body);
        assert!(answered.body.contains("Your comments have changed"), "{}", answered.body);
    }
    let answered = page.answer("startEditing", &json!({}));
    assert_eq!(
        (answered.status, &answered.json()["unsent"]),
        (409, &json!("1 comment")),
        "unsent comments ask once more"
    );
    assert_eq!(scene.place.names(), [""; 0], "nothing has begun");
    assert_eq!(page.answer("startEditing", &json!({"words": "send"})).status, 200);
    let (_, out, _) = page.end();
    assert!(out.contains("Done."), "{out}");
}

#[test]
fn a_closed_tab_is_not_an_answer_and_the_plan_is_reviewed_later_with_its_comments() {
    let scene = Scene::new(asks().turn(text("Done.").expect_result("ExitPlanMode", "Mind the name")));
    let ran = scene.fore(&["plan", "add a greeting"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = Page::of(&scene, &["review"]);
    page.post("comment", &json!({"first": 1, "last": 1, "text": "Mind the name"})).json();
    page.wait_for_draft("Mind the name", &scene);
    page.stop();
    let page = Page::of(&scene, &["review", "add-greeting"]);
    let view = page.view();
    assert_eq!(view["draft"]["comments"][0]["text"], "Mind the name");
    assert_eq!(page.answer("startEditing", &json!({"words": "send"})).status, 200);
    let (_, out, err) = page.end();
    assert!(out.contains("Done."), "{out} {err}");
    let again = scene.fore(&["review", "add-greeting"]);
    assert_eq!(again.code, Some(2), "{}", again.err);
    assert!(again.err.contains("does not await approval"), "{}", again.err);
    scene.finish();
}

#[test]
fn a_plan_is_edited_struck_and_approved_in_part_on_the_page() {
    let (scene, page) = waits(asks().turn(text("Done.").expect_result("ExitPlanMode", "Write it well.")));
    let view = page.view();
    let edited = PLAN.replace("Write it.", "Write it well.");
    let edit = json!({"text": edited, "textHash": "0".repeat(64)});
    assert_eq!(page.post("edit", &edit).status, 409, "another text was edited");
    page.post("edit", &json!({"text": edited, "textHash": view["textHash"]})).json();
    let view = page.wait_until(|view| view["contract"]["isCurrent"] == json!(true));
    assert_eq!(view["draft"]["edited"], json!({"added": 1, "removed": 1}));
    page.post("grants", &json!({"struckFiles": ["hello.txt"], "addedFiles": ["bye.txt"]})).json();
    let view = page.wait_until(|view| view["contract"]["added"][0]["text"] != Value::Null);
    assert_eq!(
        (&view["contract"]["files"][0]["struck"], &view["contract"]["added"][0]["entry"]),
        (&json!(true), &json!("bye.txt"))
    );
    assert_eq!(page.answer("startCovered", &json!({"steps": [2]})).status, 200);
    let (_, out, err) = page.end();
    assert!(out.contains("Done."), "{out} {err}");
    let plan = scene.place.fore(&["plans", "show", "add-greeting", "--raw"]).out;
    assert!(plan.contains("Write it well.") && plan.contains("2. Write") && !plan.contains("\n1. Read"), "{plan}");
}

#[test]
fn whoever_says_nothing_in_time_or_too_much_stops_nobody() {
    let (scene, page) = waits(asks());
    let large = json!({"first": 1, "last": 1, "text": "x".repeat(3 << 20)});
    assert_eq!(page.post("comment", &large).status, 413);
    let headers = format!("{}x-long: {}\r\n", page.own_headers(), "x".repeat(32 << 10));
    assert_eq!(page.raw("GET /api/page", &headers, "").status, 431);
    let quiet: Vec<std::net::TcpStream> = (0..30).map(|_| page.connect()).collect();
    assert_eq!(page.view()["revision"], 1, "silent connections do not keep others out");
    drop(quiet);
    page.stop();
    drop(scene);
}

#[test]
fn over_ssh_the_way_is_told_and_without_a_plan_so_is_that() {
    let scene = Scene::new(asks());
    let none = scene.fore(&["review"]);
    assert_eq!(none.code, Some(2), "{}", none.err);
    assert!(none.err.contains("no plan awaits your approval here"), "{}", none.err);
    let mut command = scene.command(&["plan", "--review", "add a greeting"]);
    command.env("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22");
    let page = Page::by(command);
    let line = format!("  ssh -N -L {0}:127.0.0.1:{0} 192.0.2.1", page.port());
    assert!(page.told.contains(&line), "{}", page.told);
    page.stop();
}

#[test]
fn an_exported_plan_is_one_file_and_its_comments_come_back_as_comments() {
    let scene = Scene::new(asks());
    assert_eq!(scene.fore(&["plan", "add a greeting"]).code, Some(0));
    let ran = scene.place.fore(&["plans", "export", "add-greeting", "--html"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let html = scene.place.read("add-greeting.html").unwrap();
    assert!(html.contains("default-src 'none'") && html.contains("<p id=\"L3\"") && !html.contains(" src="), "{html}");
    let again = scene.place.fore(&["plans", "export", "add-greeting", "--html"]);
    assert_ne!(again.code, Some(0), "nothing is overwritten");
    let hash = fore_plan::plan::Hash::of(PLAN.as_bytes());
    let comments = json!({
        "format": "fore-comments", "plan": hash, "by": "Ada",
        "comments": [{"firstLine": 3, "lastLine": 3, "quote": "Write it.", "remark": "Where to?"}],
        "selected": "startEditing",
    });
    scene.place.file("comments.json", &comments.to_string());
    let ran = scene.place.fore(&["review", "import", "comments.json"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(ran.err.starts_with("1 comment is taken in; nothing is sent or approved by that."), "{}", ran.err);
    let page = Page::of(&scene, &["review"]);
    assert_eq!(page.view()["draft"]["comments"][0]["text"], "Ada: Where to?");
    page.stop();
    for (name, text) in
        [("broken.json", "{"), ("other.json", &comments.to_string().replace(&hash.to_string(), &"0".repeat(64)))]
    {
        scene.place.file(name, text);
        let ran = scene.place.fore(&["review", "import", name]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
    }
}

#[test]
fn of_many_answers_at_once_one_is_taken() {
    let (scene, page) = waits(asks().turn(text("Done.")));
    let view = page.view();
    let body = page.answer_body(&view, "startEditing", &json!({}));
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let posts: Vec<_> = (0..8).map(|_| scope.spawn(|| page.post("answer", &body).status)).collect();
        posts.into_iter().map(|post| post.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    // The others came too late: while it was on its way, when the page was over, or when the program had ended.
    assert!(statuses.iter().all(|status| [200, 409, 410, 0].contains(status)), "{statuses:?}");
    let (_, out, err) = page.end();
    assert!(out.contains("Done."), "{out} {err}");
    scene.finish();
}

#[test]
fn a_file_of_comments_is_taken_in_on_the_page_that_is_open_and_not_behind_it() {
    let (scene, page) = waits(asks());
    let view = page.view();
    let file = |plan: &Value, first: u32| {
        json!({
            "format": "fore-comments", "plan": plan, "by": "Ada", "selected": "startEditing",
            "comments": [{"firstLine": first, "lastLine": first, "quote": "Approved by everybody.", "remark": "Where to?"}],
        })
        .to_string()
    };
    let good = file(&view["textHash"], 3);
    for (name, text) in [
        ("another plan", file(&json!("0".repeat(64)), 3)),
        ("lines that are not there", file(&view["textHash"], 99)),
        ("no comments", "{}".to_owned()),
    ] {
        assert_eq!(page.post("import", &json!({ "file": text })).status, 409, "{name}");
    }
    let draft = page.post("import", &json!({ "file": good })).json();
    let comment = &draft["comments"][0];
    assert_eq!((&comment["text"], &comment["quote"]), (&json!("Ada: Where to?"), &json!("Write it.")), "{draft}");
    assert_eq!(page.post("import", &json!({ "file": good })).status, 409, "it comes in once");
    scene.place.file("comments.json", &good);
    let ran = scene.place.fore(&["review", "import", "comments.json"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is open in `fore`"), "{}", ran.err);
    assert_eq!(scene.place.names(), ["comments.json"], "nothing has begun");
    page.stop();
}

#[test]
fn everything_of_a_project_is_read_and_nothing_answered() {
    let scene = Scene::new(asks());
    assert_eq!(scene.fore(&["plan", "add a greeting"]).code, Some(0));
    let page = Page::by(scene.place.command(&["review", "--all"]));
    let view = page.view();
    let kinds: Vec<&str> =
        view["entries"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!((view["kind"].as_str(), kinds), (Some("library"), vec!["plan", "session"]));
    for entry in view["entries"].as_array().unwrap() {
        let text = page.post("read", &json!({"id": entry["id"]})).json();
        assert!(
            text["html"].as_str().unwrap().contains("add a greeting")
                || text["html"].as_str().unwrap().contains("Write it."),
            "{text}"
        );
    }
    for id in ["plan:../../etc/passwd", "session:../x", "file:/etc/passwd", "plan:", ""] {
        assert_eq!(page.post("read", &json!({"id": id})).status, 404, "{id}");
    }
    for (what, body) in [
        ("comment", json!({"first": 1, "last": 1, "text": "x"})),
        ("edit", json!({"text": "x", "textHash": "0".repeat(64)})),
    ] {
        assert_eq!(page.post(what, &body).status, 403, "{what}");
    }
    assert_eq!(page.get("draft").status, 403);
    page.stop();
}
