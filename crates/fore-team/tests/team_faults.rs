//! What `kill -9` of writer, reader and PostgreSQL, and a line that is cut, do to mail and decisions. Starts itself again as writer and reader.
//!
//! `FORE_TEST_KILLS` says how often something is killed on each store; `tests/team-faults` has it 200 times.
#![expect(clippy::disallowed_methods, reason = "tests start processes and look at files by hand")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod support;

use fore_plan::{
    Level, Mode,
    approval::{Decider, RequestId, Timestamp},
    plan::Hash,
    team::PlanApprovalRequest,
};
use fore_store::Home;
use fore_team::{
    DecisionDraft, MailBody, MemberName, MemberRole, Membership, MessageId, NewMember, Outgoing, RequestVerdict,
    ServerUrl, TeamName, TeamStore,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::OpenOptions,
    io::Write,
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};
use support::{CutProxy, PostgresServer};

const USUAL_KILLS: usize = 8;
/// Messages that are sent for each kill.
const MESSAGES_A_KILL: usize = 12;
/// One in so many asks for a decision as well.
const ASKS: usize = 10;
const TESTS: &[(&str, fn())] = &[
    ("j4_kill_9_on_one_machine_loses_nothing_and_doubles_nothing", on_one_machine),
    ("j4_kill_9_of_server_and_members_and_cuts_lose_nothing_and_double_nothing", on_a_server),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let ["worker", kind, place, folder, most] = words.as_slice() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        return runtime.block_on(work(kind, place, Path::new(folder), most.parse().unwrap()));
    }
    if words.contains(&"--list") {
        TESTS.iter().for_each(|(name, _)| println!("{name}: test"));
        return;
    }
    let is_exact = words.contains(&"--exact");
    let filters: Vec<&&str> = words.iter().filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| {
        filters.is_empty()
            || filters.iter().any(|filter| if is_exact { name == **filter } else { name.contains(**filter) })
    };
    let mut passed = 0;
    for (name, test) in TESTS.iter().filter(|(name, _)| is_wanted(name)) {
        // A panic ends the program with an error, which is all that cargo needs to know.
        print!("test {name} ... ");
        std::io::stdout().flush().unwrap();
        test();
        println!("ok");
        passed += 1;
    }
    println!("\ntest result: ok. {passed} passed; 0 failed");
}

fn name(text: &str) -> MemberName {
    text.parse().unwrap()
}

fn team() -> TeamName {
    "faults".parse().unwrap()
}

fn store(place: &str) -> TeamStore {
    if place.starts_with("postgres://") {
        return TeamStore::on_server(ServerUrl::parse(place).unwrap());
    }
    TeamStore::one_machine(Arc::new(Home::open(Path::new(place)).unwrap()))
}

// What the processes do.

/// One line in a file of this process's own, on disk before this returns.
fn record(folder: &Path, file: &str, line: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(folder.join(file)).unwrap();
    // One write: a line is there or not.
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
    file.sync_data().unwrap();
}

fn recorded(folder: &Path, file: &str) -> Vec<String> {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default().lines().map(str::to_owned).collect()
}

async fn work(kind: &str, place: &str, folder: &Path, most: usize) {
    let member = name(if kind == "read" { "lead" } else { "writer" });
    // Whoever was killed before may still seem to be there for a moment.
    let started = Instant::now();
    let open = loop {
        match store(place).open(&team(), &member).await {
            Ok(open) => break open,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(60), "{error}"),
        }
    };
    println!("open");
    match kind {
        "read" => read(&open, folder, most).await,
        "write" => write(&open, folder, most).await,
        other => panic!("no such worker: {other}"),
    }
}

/// Sends numbered messages. What it is about to send is on its own record first, so that it sends the same after a crash.
async fn write(open: &Membership, folder: &Path, most: usize) {
    let planned = recorded(folder, "planned");
    let sent: BTreeSet<String> = recorded(folder, "sent").into_iter().collect();
    for number in 0..most {
        let id: MessageId = match planned.get(number) {
            Some(line) => line.parse().unwrap(),
            None => {
                let id = MessageId::fresh();
                record(folder, "planned", &id.to_string());
                id
            }
        };
        if sent.contains(&number.to_string()) {
            continue;
        }
        open.send(Outgoing { id, to: name("lead"), body: MailBody::Text(number.to_string()) }).await.unwrap();
        if number % ASKS == 0 {
            let text = format!("# Plan {number}");
            let asked = PlanApprovalRequest {
                from: String::new(),
                timestamp: Timestamp(0),
                plan_file_path: "plan.md".to_owned(),
                plan_hash: fore_plan::plan::Hash::of(text.as_bytes()),
                plan_content: text,
                request_id: RequestId(format!("r{number}")),
            };
            let asked = open.ask_approval(asked).await.unwrap();
            let decision = loop {
                if let Some(decision) = open.decision(&asked.request).await.unwrap() {
                    break decision;
                }
                let mail = open.claim(10).await.unwrap();
                for message in mail.messages {
                    open.done(message.id).await.unwrap();
                }
                open.wait_for_mail(Duration::from_millis(200)).await.unwrap();
            };
            record(folder, "decided", &format!("r{number} {}", serde_json::to_string(&decision.verdict).unwrap()));
        }
        record(folder, "sent", &number.to_string());
    }
}

/// Acts on messages: the effect is a line under the id, once; another process of it would decide otherwise.
async fn read(open: &Membership, folder: &Path, most: usize) {
    let mut known: BTreeSet<String> =
        recorded(folder, "effects").iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    loop {
        let mail = open.claim(7).await.unwrap();
        assert_eq!(mail.set_aside, []);
        for message in mail.messages {
            let effect = match &message.body {
                MailBody::Text(text) => text.clone(),
                MailBody::PlanRequest(asked) => {
                    let feedback = std::process::id().to_string();
                    let draft = DecisionDraft {
                        request: asked.request_id.clone(),
                        hash: Hash::of(asked.plan_content.as_bytes()),
                        verdict: RequestVerdict::Approved { mode: Mode::At(Level::Default), feedback },
                        by: Decider::Lead { name: "lead".to_owned() },
                    };
                    open.decide(draft).await.unwrap();
                    asked.request_id.0.clone()
                }
                other => panic!("{other:?}"),
            };
            if known.insert(message.id.to_string()) {
                record(folder, "effects", &format!("{} {effect}", message.id));
            }
            open.done(message.id).await.unwrap();
        }
        if known.len() >= most + most.div_ceil(ASKS) && recorded(folder, "sent").len() >= most {
            return;
        }
        open.wait_for_mail(Duration::from_millis(300)).await.unwrap();
    }
}

// What is done to them.

/// A row of numbers that look like chance, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

fn kills() -> usize {
    std::env::var("FORE_TEST_KILLS").ok().and_then(|number| number.parse().ok()).unwrap_or(USUAL_KILLS)
}

fn worker(kind: &str, place: &str, folder: &Path, most: usize) -> Child {
    let log = OpenOptions::new().append(true).create(true).open(folder.join(format!("{kind}.log"))).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["worker", kind, place, folder.to_str().unwrap(), &most.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Kills one thing after the other while both work, then lets them come to an end.
fn play(places: [&str; 2], folder: &Path, mut kill_other: impl FnMut(u64)) {
    let (rounds, mut chance) = (kills(), Chance(20_260_101));
    let most = rounds * MESSAGES_A_KILL;
    let kinds = ["write", "read"];
    let mut running = [0, 1].map(|at| worker(kinds[at], places[at], folder, most));
    for _ in 0..rounds {
        std::thread::sleep(Duration::from_millis(20 + chance.below(180)));
        match chance.below(5) {
            what @ 0..=3 => {
                let at = usize::from(what % 2 == 1);
                let _ = running[at].kill();
                running[at].wait().unwrap();
                running[at] = worker(kinds[at], places[at], folder, most);
            }
            _ => kill_other(chance.below(2)),
        }
    }
    let started = Instant::now();
    for (at, process) in running.iter_mut().enumerate() {
        while process.try_wait().unwrap().is_none() {
            let log = || std::fs::read_to_string(folder.join(format!("{}.log", kinds[at]))).unwrap();
            assert!(started.elapsed() < Duration::from_secs(300), "{} does not end: {}", kinds[at], log());
            std::thread::sleep(Duration::from_millis(20));
        }
        let log = std::fs::read_to_string(folder.join(format!("{}.log", kinds[at]))).unwrap();
        assert!(process.wait().unwrap().success(), "{}: {log}", kinds[at]);
    }
    check(folder, most);
}

/// Nothing lost, nothing twice, and every decision the one that both sides know.
fn check(folder: &Path, most: usize) {
    let mut effects: BTreeMap<String, usize> = BTreeMap::new();
    for line in recorded(folder, "effects") {
        *effects.entry(line.split_once(' ').unwrap().1.to_owned()).or_default() += 1;
    }
    let requests = (0..most).step_by(ASKS).map(|number| format!("r{number}"));
    let expected: BTreeMap<String, usize> =
        (0..most).map(|number| number.to_string()).chain(requests).map(|effect| (effect, 1)).collect();
    assert_eq!(effects, expected);
    let mut decided: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in recorded(folder, "decided") {
        let (request, verdict) = line.split_once(' ').unwrap();
        decided.entry(request.to_owned()).or_default().insert(verdict.to_owned());
    }
    assert_eq!(decided.len(), most.div_ceil(ASKS));
    assert!(decided.values().all(|verdicts| verdicts.len() == 1), "{decided:?}");
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(work)
}

async fn start(store: TeamStore, login: Option<&str>) {
    let lead = store.start(&team(), &name("lead")).await.unwrap();
    let login = login.map(str::to_owned);
    lead.add_member(NewMember { name: name("writer"), role: MemberRole::Required, login }).await.unwrap();
    lead.close().await.unwrap();
}

fn on_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    block_on(start(store(home.to_str().unwrap()), None));
    let place = home.to_str().unwrap();
    // There is no third one to kill.
    play([place, place], folder.path(), |_| {});
}

fn on_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let server = PostgresServer::start();
    let proxy = CutProxy::to(server.port);
    block_on(async {
        server.set_up(&["faults_lead", "faults_writer"]).await;
        start(TeamStore::on_server(server.parsed("faults_lead")), Some("faults_writer")).await;
    });
    let places = [server.url_at("faults_writer", proxy.port), server.url_at("faults_lead", proxy.port)];
    play([&places[0], &places[1]], folder.path(), |what| match what {
        0 => {
            server.kill();
            server.run();
        }
        _ => {
            proxy.cut();
            std::thread::sleep(Duration::from_millis(100));
            proxy.mend();
        }
    });
}
