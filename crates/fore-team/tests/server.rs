//! A team on a PostgreSQL server: the same stories as on one machine, and what a member with a login of its own tries past the program.
#![expect(clippy::disallowed_methods, reason = "tests start a server")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use fore_plan::{
    Level, Mode,
    approval::{Decider, RequestId, Timestamp},
    plan::Hash,
    team::PlanApprovalRequest,
};
use fore_team::{
    DecisionDraft, DecisionOutcome, MailBody, MemberActivity, MemberName, MemberRole, MemberStatus, Membership,
    NewMember, NewTask, Outgoing, RequestVerdict, SendOutcome, TeamName, TeamStore, TeamTaskState, check_server,
    server_setup_sql,
};
use std::{
    sync::{Arc, Mutex, Weak},
    time::Duration,
};
use support::{CutProxy, PostgresServer};

/// One server for all tests that leave it running; it ends with the last of them.
fn server() -> Arc<PostgresServer> {
    static SERVER: Mutex<Weak<PostgresServer>> = Mutex::new(Weak::new());
    let mut shared = SERVER.lock().unwrap();
    shared.upgrade().unwrap_or_else(|| {
        let started = Arc::new(PostgresServer::start());
        *shared = Arc::downgrade(&started);
        started
    })
}

/// Each test has a team of its own; logins are named after it.
struct Ground {
    server: Arc<PostgresServer>,
    team: TeamName,
}

impl Ground {
    async fn new(team: &str) -> (Ground, [Membership; 3]) {
        let logins = ["lead", "ada", "bob", "eve"].map(|name| format!("{team}_{name}"));
        let server = server();
        server.set_up(&logins.each_ref().map(String::as_str)).await;
        let ground = Ground { server, team: team.parse().unwrap() };
        let lead = ground.store("lead").start(&ground.team, &name("lead")).await.unwrap();
        for (member, role) in [("ada", MemberRole::Required), ("bob", MemberRole::Voluntary)] {
            lead.add_member(NewMember { name: name(member), role, login: None }).await.unwrap();
        }
        let [ada, bob] = [ground.open("ada").await, ground.open("bob").await];
        (ground, [lead, ada, bob])
    }

    fn store(&self, member: &str) -> TeamStore {
        TeamStore::on_server(self.server.parsed(&format!("{}_{member}", self.team)))
    }

    async fn open(&self, member: &str) -> Membership {
        self.store(member).open(&self.team, &name(member)).await.unwrap()
    }

    /// What a member's login is told when it speaks with the server itself.
    async fn sql(&self, member: &str, sql: &str) -> String {
        let sql = sql.replace("TEAM", self.team.as_str());
        match self.server.sql(&format!("{}_{member}", self.team), &sql).await {
            Ok(answer) => format!("passed: {answer}"),
            Err(words) => words,
        }
    }
}

fn name(text: &str) -> MemberName {
    text.parse().unwrap()
}

fn words(to: &str, text: &str) -> Outgoing {
    Outgoing::new(name(to), MailBody::Text(text.to_owned()))
}

fn plan(id: &str, text: &str) -> PlanApprovalRequest {
    PlanApprovalRequest {
        from: "lead".to_owned(),
        timestamp: Timestamp(1),
        plan_file_path: "plans/cart.md".to_owned(),
        plan_content: text.to_owned(),
        plan_hash: fore_plan::plan::Hash::of(text.as_bytes()),
        request_id: RequestId(id.to_owned()),
    }
}

fn yes(request: &str, text: &str) -> DecisionDraft {
    DecisionDraft {
        request: RequestId(request.to_owned()),
        hash: Hash::of(text.as_bytes()),
        verdict: RequestVerdict::Approved { mode: Mode::At(Level::Default), feedback: "go".to_owned() },
        by: Decider::Person { via: "terminal".to_owned() },
    }
}

async fn claimed(member: &Membership) -> Vec<MailBody> {
    let mail = member.claim(100).await.unwrap();
    assert_eq!(mail.set_aside, []);
    for message in &mail.messages {
        member.done(message.id).await.unwrap();
    }
    mail.messages.into_iter().map(|message| message.body).collect()
}

fn error<T: std::fmt::Debug>(outcome: Result<T, fore_team::TeamError>) -> String {
    outcome.unwrap_err().to_string()
}

#[tokio::test]
async fn j4_a_message_on_a_server_is_handed_out_until_its_effect_is_on_record() {
    let (ground, [lead, ada, _bob]) = Ground::new("mail").await;
    let (first, second) = (words("ada", "one"), words("ada", "two"));
    assert_eq!(lead.send(first.clone()).await.unwrap(), SendOutcome::Sent);
    assert_eq!(lead.send(second).await.unwrap(), SendOutcome::Sent);
    assert_eq!(lead.send(first.clone()).await.unwrap(), SendOutcome::Already);
    assert!(ada.wait_for_mail(Duration::from_secs(60)).await.unwrap());
    let mail = ada.claim(1).await.unwrap();
    assert_eq!((mail.messages[0].id, &mail.messages[0].from), (first.id, &name("lead")));
    ada.close().await.unwrap();

    let ada = ground.open("ada").await;
    let again = ada.claim(10).await.unwrap().messages;
    assert_eq!(
        again.iter().map(|message| message.body.clone()).collect::<Vec<_>>(),
        [MailBody::Text("one".to_owned()), MailBody::Text("two".to_owned())]
    );
    assert_eq!(ada.claim(10).await.unwrap().messages, []);
    for message in again {
        ada.done(message.id).await.unwrap();
    }
    assert_eq!(lead.send(first).await.unwrap(), SendOutcome::Already, "also when it is done");
    ada.close().await.unwrap();
    assert_eq!(ground.open("ada").await.claim(10).await.unwrap().messages, []);
    assert!(error(lead.send(words("adda", "x")).await).contains("did you mean `ada`?"));
    assert_eq!(error(lead.send(words("lead", "x")).await), "a member cannot write to itself");
}

#[tokio::test]
async fn a_reader_of_a_server_is_called() {
    let (_ground, [lead, ada, _bob]) = Ground::new("called").await;
    let waiting = async { ada.wait_for_mail(Duration::from_secs(60)).await.unwrap() };
    let sending = async { lead.send(words("ada", "hello")).await.unwrap() };
    let (woken, _) = tokio::join!(waiting, sending);
    assert!(woken);
    assert_eq!(claimed(&ada).await, [MailBody::Text("hello".to_owned())]);
}

#[tokio::test]
async fn j3_a_request_on_a_server_is_decided_once_and_for_the_bytes_that_were_shown() {
    let (_ground, [lead, ada, bob]) = Ground::new("plans").await;
    let asked = ada.ask_approval(plan("r1", "# Cart")).await.unwrap();
    assert_eq!((asked.from.as_str(), asked.hash), ("ada", Hash::of(b"# Cart")));
    assert_eq!(ada.ask_approval(plan("r1", "# Cart")).await.unwrap(), asked);
    assert!(error(ada.ask_approval(plan("r1", "# Other")).await).contains("a changed plan is a new request"));
    assert!(error(ada.ask_approval(plan("r2", "# More")).await).contains("waits for another decision already"));
    let told = claimed(&lead).await;
    assert!(matches!(&told[..], [MailBody::PlanRequest(told)] if told.from == "ada" && told.plan_content == "# Cart"));
    assert_eq!(error(ada.decide(yes("r1", "# Cart")).await), "only the lead can decide about a plan");
    assert_eq!(error(bob.decide(yes("r1", "# Cart")).await), "only the lead can decide about a plan");
    assert!(error(lead.decide(yes("r1", "# Cart!")).await).contains("about other bytes"));
    let DecisionOutcome::Counts(decision) = lead.decide(yes("r1", "# Cart")).await.unwrap() else { unreachable!() };
    assert_eq!(lead.decide(yes("r1", "# Cart")).await.unwrap(), DecisionOutcome::Counts(decision.clone()));
    let no = DecisionDraft { verdict: RequestVerdict::Rejected { feedback: "no".to_owned() }, ..yes("r1", "# Cart") };
    assert_eq!(lead.decide(no).await.unwrap(), DecisionOutcome::TooLate(decision.clone()));
    assert_eq!(ada.withdraw(&asked.request).await.unwrap(), DecisionOutcome::TooLate(decision.clone()));
    assert_eq!(ada.decision(&asked.request).await.unwrap(), Some(decision));
    let told = claimed(&ada).await;
    assert!(matches!(&told[..], [MailBody::PlanResponse(answer)]
        if answer.approved && answer.mode.as_deref() == Some("default") && answer.feedback == "go"));
    ada.ask_approval(plan("r2", "# More")).await.unwrap();
    assert!(matches!(ada.withdraw(&RequestId("r2".to_owned())).await.unwrap(), DecisionOutcome::Counts(_)));
    assert!(matches!(lead.decide(yes("r2", "# More")).await.unwrap(), DecisionOutcome::TooLate(_)));
    let told = claimed(&lead).await;
    assert!(matches!(&told[..], [MailBody::PlanRequest(_), MailBody::PlanWithdrawn(_)]), "{told:?}");
}

#[tokio::test]
async fn a_task_on_a_server_is_claimed_by_exactly_one() {
    let (_ground, [lead, ada, bob]) = Ground::new("tasks").await;
    let task = NewTask::new("Price", "Change the price.");
    let first = lead.add_task(task.clone()).await.unwrap();
    assert_eq!(lead.add_task(task).await.unwrap(), first);
    let second = NewTask { needs: vec![first.id], ..NewTask::new("Page", "Show it.") };
    let second = lead.add_task(second).await.unwrap();
    let (one, other) = tokio::join!(ada.claim_task(first.id), bob.claim_task(first.id));
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    let (winner, loser) = if one.is_ok() { (&ada, &bob) } else { (&bob, &ada) };
    assert_eq!(error(loser.claim_task(first.id).await), format!("task 1 belongs to `{}`", winner.name()));
    assert_eq!(error(loser.claim_task(second.id).await), "task 2 waits for task 1");
    winner.set_task_state(first.id, TeamTaskState::Done).await.unwrap();
    assert_eq!(loser.claim_task(second.id).await.unwrap().state, TeamTaskState::InProgress);
    lead.remove_member(loser.name()).await.unwrap();
    assert_eq!(lead.tasks().await.unwrap()[1].owner, None);
    lead.assign_task(second.id, Some(winner.name().clone())).await.unwrap();
    assert_eq!(claimed(winner).await, [MailBody::TaskAssigned(second.id)]);
}

#[tokio::test]
async fn the_overview_of_a_server_shows_who_is_there() {
    let (ground, [lead, ada, bob]) = Ground::new("seen").await;
    let status = MemberStatus { activity: MemberActivity::Working, tokens: 7, ..MemberStatus::default() };
    ada.set_status(status.clone()).await.unwrap();
    lead.send(words("bob", "x")).await.unwrap();
    bob.close().await.unwrap();
    let seen = ground.store("ada").overview(&ground.team).await.unwrap();
    let rows: Vec<_> = seen.members.iter().map(|row| (row.name.as_str(), row.is_open, row.waiting_mail)).collect();
    assert_eq!(rows, [("ada", true, 0), ("bob", false, 1), ("lead", true, 0)]);
    assert_eq!(seen.members[0].status, status);
    assert_eq!(ground.store("bob").teams().await.unwrap(), std::slice::from_ref(&ground.team));
    lead.end_team().await.unwrap();
    assert!(error(ada.send(words("lead", "x")).await).contains("has ended"));
}

#[tokio::test]
async fn a_login_can_do_nothing_in_another_name() {
    let (ground, [lead, ada, bob]) = Ground::new("hostile").await;
    ada.ask_approval(plan("r1", "# Cart")).await.unwrap();
    lead.send(words("bob", "for bob alone")).await.unwrap();
    let holder = ground
        .server
        .sql("admin", "select holder from fore_team.members where team = 'hostile' and name = 'lead'")
        .await
        .unwrap();
    let own = ground
        .server
        .sql("admin", "select holder from fore_team.members where team = 'hostile' and name = 'ada'")
        .await
        .unwrap();
    let hash = Hash::of(b"# Cart").to_string();
    let page = [
        // Tables are closed, functions that nobody has to call as well.
        ("select * from fore_team.mail", "permission denied"),
        ("insert into fore_team.decisions values ('TEAM', 'r1', '', '{}', null, 'lead')", "permission denied"),
        ("update fore_team.members set role = 'lead'", "permission denied"),
        ("select fore_team.deliver('TEAM', gen_random_uuid(), 'lead', 'bob', '{}')", "permission denied"),
        ("select fore_team.record('TEAM', 'r1', '{}', null, 'lead')", "permission denied"),
        ("set role TEAM_lead", "permission denied"),
        ("set session authorization TEAM_lead", "permission denied"),
        // Its own place, with the words of another.
        ("select fore_team.decide('TEAM', 'OWN', 'r1', 'HASH', '{\"is\":\"approved\"}', '{}')", "decide about a plan"),
        ("select fore_team.send('TEAM', 'OWN', gen_random_uuid(), 'bob', '{\"kind\":\"plan_response\"}')", "request"),
        (
            "select fore_team.send('TEAM', 'OWN', gen_random_uuid(), 'bob', '{\"kind\":\"shutdown_request\"}')",
            "ask somebody to end",
        ),
        ("select fore_team.send('TEAM', 'OWN', gen_random_uuid(), '../bob', '{\"kind\":\"text\"}')", "../bob"),
        ("select fore_team.send('TEAM', 'OWN', gen_random_uuid(), 'bob', '{}')", "request"),
        ("select fore_team.add_member('TEAM', 'OWN', 'eve', 'voluntary', 'TEAM_eve')", "put somebody on the roster"),
        ("select fore_team.start_team('../x', 'ada', gen_random_uuid(), 9)", "check constraint"),
        // Another's place, with the name of its process.
        ("select fore_team.decide('TEAM', 'HOLDER', 'r1', 'HASH', '{\"is\":\"approved\"}', '{}')", "ada"),
        ("select fore_team.claim('TEAM', 'HOLDER', '{}', 9)", "ada"),
        ("select fore_team.open_place('TEAM', 'lead', gen_random_uuid(), 9)", "hostile_ada"),
    ];
    for (sql, words) in page {
        let said = ground.sql("ada", &sql.replace("HOLDER", &holder).replace("OWN", &own).replace("HASH", &hash)).await;
        assert!(!said.starts_with("passed") && said.contains(words), "{sql}: {said}");
    }
    let said = ground.sql("ada", &format!("select count(*) from fore_team.claim('TEAM', '{own}', '{{}}', 9)")).await;
    assert_eq!(said, "passed: 0", "the mail of others is not handed out");
    for sql in [
        "select fore_team.overview('TEAM')",
        "select fore_team.open_requests('TEAM')",
        "select fore_team.tasks('TEAM')",
    ] {
        let said = ground.sql("eve", sql).await;
        assert!(said.contains("hostile_eve"), "who is not on the roster sees nothing: {said}");
    }
    assert_eq!(claimed(&bob).await, [MailBody::Text("for bob alone".to_owned())]);
    assert_eq!(lead.open_requests().await.unwrap().len(), 1);
    assert!(
        error(ground.store("eve").open(&ground.team, &name("ada")).await).contains("`hostile_eve` is not this member")
    );
}

#[tokio::test]
async fn a_second_lead_by_mistake_is_refused_and_the_first_one_knows_when_its_place_is_lost() {
    let (ground, [lead, ..]) = Ground::new("leads").await;
    // What a machine that is gone looks like: no connection, and its time is over.
    let take = "update fore_team.members set held_until = '-infinity' where team = 'leads' and name = 'lead'";
    ground.server.sql("admin", take).await.unwrap();
    let second = ground.open("lead").await;
    assert!(second.is_lead());
    let lost = error(lead.send(words("ada", "x")).await);
    assert!(lost.contains("another process has taken the place of `lead`"), "{lost}");
    assert!(error(lead.claim(1).await).contains("taken the place"));
    assert_eq!(second.send(words("ada", "x")).await.unwrap(), SendOutcome::Sent);
    let opened =
        tokio::time::timeout(Duration::from_secs(120), ground.store("lead").open(&ground.team, &name("lead"))).await;
    assert!(error(opened.expect("it ends by itself")).contains("is open in another process"));
}

#[tokio::test]
async fn a_check_says_what_is_missing_and_the_sql_that_it_names_mends_it() {
    let own = PostgresServer::start();
    let check = async |login: &str| check_server(&own.parsed(login)).await;
    let nobody = check("newcomer").await;
    assert_eq!(nobody.len(), 1);
    assert!(nobody[0].text.contains("role \"newcomer\" does not exist"), "{nobody:?}");
    own.sql("admin", nobody[0].sql.as_ref().unwrap()).await.unwrap();
    let missing = check("newcomer").await.pop().unwrap();
    assert_eq!((missing.is_fine, missing.text.contains("there is no schema")), (false, true), "{missing:?}");
    own.sql("admin", &missing.sql.unwrap()).await.unwrap();
    let fine = check("newcomer").await;
    assert!(fine.iter().all(|finding| finding.is_fine), "{fine:?}");
    assert_eq!(fine.len(), 4);
    own.sql("admin", "create role late login").await.unwrap();
    let late = check("late").await.pop().unwrap();
    own.sql("admin", &late.sql.unwrap()).await.unwrap();
    assert!(check("late").await.iter().all(|finding| finding.is_fine));
    assert!(check("admin").await.iter().any(|finding| finding.text.contains("superuser")));
    own.set_up(&["late", "more"]).await;
    assert!(check("more").await.iter().all(|finding| finding.is_fine), "setting up twice does no harm");
    let odd = server_setup_sql(&["a$make$ drop \"b\" 'c'"]);
    assert_eq!(odd.matches("$make$").count(), 4, "a login's name is a name");
    own.kill();
    let gone = check("late").await;
    assert!(gone[0].text.contains("no connection") && gone.len() == 1, "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_works_on_after_a_cut_and_after_a_restart_of_the_server() {
    let own = PostgresServer::start();
    own.set_up(&["w_lead", "w_ada"]).await;
    let proxy = CutProxy::to(own.port);
    let store =
        |login: &str, port: u16| TeamStore::on_server(fore_team::ServerUrl::parse(&own.url_at(login, port)).unwrap());
    let team: TeamName = "w".parse().unwrap();
    let lead = store("w_lead", own.port).start(&team, &name("lead")).await.unwrap();
    lead.add_member(NewMember { name: name("ada"), role: MemberRole::Required, login: None }).await.unwrap();
    let ada = store("w_ada", proxy.port).open(&team, &name("ada")).await.unwrap();
    lead.send(words("ada", "before")).await.unwrap();
    assert_eq!(claimed(&ada).await.len(), 1);

    proxy.cut();
    lead.send(words("ada", "while it was cut")).await.unwrap();
    let mended = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.mend();
    };
    let (woken, ()) = tokio::join!(ada.wait_for_mail(Duration::from_secs(60)), mended);
    assert!(woken.unwrap());
    assert_eq!(claimed(&ada).await, [MailBody::Text("while it was cut".to_owned())]);

    own.kill();
    let again = async {
        tokio::task::block_in_place(|| own.run());
    };
    let (sent, ()) = tokio::join!(lead.send(words("ada", "after")), again);
    assert_eq!(sent.unwrap(), SendOutcome::Sent);
    assert!(ada.wait_for_mail(Duration::from_secs(60)).await.unwrap());
    assert_eq!(claimed(&ada).await, [MailBody::Text("after".to_owned())]);
}

#[tokio::test]
async fn tls_is_spoken_with_whom_the_authority_vouches_for_and_with_nobody_else() {
    let own = PostgresServer::start();
    own.sql("admin", "create role ada login password 'secret'").await.unwrap();
    let strict = "local all all trust\nhostssl all ada all scram-sha-256\nhost all admin all trust\n";
    let authority = own.secure();
    own.kill();
    std::fs::write(own.data().join("pg_hba.conf"), strict).unwrap();
    own.run();
    let authority = authority.display();
    let page = [
        (format!("localhost:{}/postgres?sslmode=require&sslrootcert={authority}", own.port), "with TLS"),
        (format!("localhost:{}/postgres?sslmode=verify-full&sslrootcert={authority}", own.port), "with TLS"),
        (
            format!("127.0.0.1:{}/postgres?sslmode=require&sslrootcert={authority}", own.port),
            "certificate not valid for name",
        ),
        (format!("localhost:{}/postgres?sslmode=require", own.port), "certificate"),
        (format!("localhost:{}/postgres", own.port), "no encryption"),
    ];
    for (address, expected) in page {
        let url = fore_team::ServerUrl::parse(&format!("postgres://ada:secret@{address}")).unwrap();
        let first = check_server(&url).await.remove(0);
        assert_eq!(first.is_fine, expected == "with TLS", "{address}: {first:?}");
        assert!(first.text.contains(expected) && !first.text.contains("secret"), "{address}: {first:?}");
    }
    let wrong = format!("postgres://ada:wrong@localhost:{}/postgres?sslmode=require&sslrootcert={authority}", own.port);
    let first = check_server(&fore_team::ServerUrl::parse(&wrong).unwrap()).await.remove(0);
    assert!(first.text.contains("password authentication failed"), "{first:?}");
    let store = TeamStore::on_server(fore_team::ServerUrl::parse(&wrong).unwrap());
    let told = tokio::time::timeout(Duration::from_secs(30), store.teams())
        .await
        .expect("a wrong password is not tried again");
    assert!(error(told).contains("password authentication failed"));
}
