//! How long a message takes to its reader: a hundred members on one machine, and a thousand messages a second through PostgreSQL.
//!
//! `cargo bench -p fore-team --bench mail` prints the times of 19 of 20 messages and whether one was lost; `FORE_TEST_PART=server` or `machine` runs one part.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a benchmark that fails shall stop, and it starts a server"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use fore_store::Home;
use fore_team::{MailBody, MemberName, MemberRole, Membership, NewMember, Outgoing, TeamName, TeamStore};
use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};
use support::PostgresServer;

const MEMBERS: usize = 100;
const MESSAGES: usize = 10_000;
/// Between two messages of the first part, as fast as a busy team talks.
const PACE: Duration = Duration::from_millis(10);
const A_SECOND: usize = 1_000;
const SECONDS: usize = 10;
const PAIRS: usize = 20;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let part = std::env::var("FORE_TEST_PART").unwrap_or_default();
    if part != "server" {
        runtime.block_on(one_machine());
    }
    if part != "machine" {
        runtime.block_on(server());
    }
}

fn name(at: usize) -> MemberName {
    format!("m{at}").parse().unwrap()
}

fn team() -> TeamName {
    "bench".parse().unwrap()
}

/// Reads until so many have come, and gives when each came.
async fn read(member: Membership, most: usize) -> Vec<(String, Instant)> {
    let mut came = Vec::with_capacity(most);
    while came.len() < most {
        if !member.wait_for_mail(Duration::from_secs(60)).await.unwrap() {
            break;
        }
        let mail = member.claim(256).await.unwrap();
        let now = Instant::now();
        for message in mail.messages {
            let MailBody::Text(text) = message.body else { continue };
            came.push((text, now));
            member.done(message.id).await.unwrap();
        }
    }
    came
}

/// The time that 19 of 20 took at most, in milliseconds, after checking that each came once.
fn report(what: &str, sent: &[(String, Instant)], came: &[(String, Instant)]) {
    let names: BTreeSet<&String> = came.iter().map(|(text, _)| text).collect();
    assert_eq!((names.len(), came.len()), (sent.len(), sent.len()), "{what}: lost or doubled");
    let began: std::collections::BTreeMap<_, _> = sent.iter().map(|(text, at)| (text, *at)).collect();
    let mut took: Vec<f64> =
        came.iter().map(|(text, at)| at.duration_since(began[text]).as_secs_f64() * 1000.0).collect();
    took.sort_by(f64::total_cmp);
    let at = |part: usize| took[(took.len() * part / 100).min(took.len() - 1)];
    println!(
        "{what}: {} messages, none lost; half within {:.1} ms, 19 of 20 within {:.1} ms",
        took.len(),
        at(50),
        at(95)
    );
}

async fn one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let store = TeamStore::one_machine(Arc::new(Home::open(&folder.path().join("home")).unwrap()));
    let lead = Arc::new(store.start(&team(), &"lead".parse().unwrap()).await.unwrap());
    let mut readers = Vec::new();
    for at in 0..MEMBERS {
        lead.add_member(NewMember { name: name(at), role: MemberRole::Voluntary, login: None }).await.unwrap();
        let member = store.open(&team(), &name(at)).await.unwrap();
        readers.push(tokio::spawn(read(member, MESSAGES / MEMBERS)));
    }
    let (mut sent, began) = (Vec::with_capacity(MESSAGES), Instant::now());
    for at in 0..MESSAGES {
        let pause = (began + PACE * u32::try_from(at).unwrap()).saturating_duration_since(Instant::now());
        tokio::time::sleep(pause).await;
        let text = at.to_string();
        sent.push((text.clone(), Instant::now()));
        lead.send(Outgoing::new(name(at % MEMBERS), MailBody::Text(text))).await.unwrap();
    }
    let mut came = Vec::new();
    for reader in readers {
        came.extend(reader.await.unwrap());
    }
    report("one machine, 100 members", &sent, &came);
    println!("    sent and read within {:.1} s", began.elapsed().as_secs_f64());
}

/// Pairs of a writer and a reader, each with connections of their own, send a thousand messages a second altogether.
async fn server() {
    let server = PostgresServer::start();
    let logins: Vec<String> = (0..PAIRS * 2).map(|at| format!("bench_m{at}")).chain(["bench_lead".into()]).collect();
    server.set_up(&logins.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let store = |login: &str| TeamStore::on_server(server.parsed(login));
    let lead = store("bench_lead").start(&team(), &"lead".parse().unwrap()).await.unwrap();
    let mut members = Vec::new();
    for (at, login) in logins.iter().enumerate().take(PAIRS * 2) {
        lead.add_member(NewMember { name: name(at), role: MemberRole::Voluntary, login: None }).await.unwrap();
        members.push(store(login).open(&team(), &name(at)).await.unwrap());
    }
    let readers = members.split_off(PAIRS);
    let each = A_SECOND * SECONDS / PAIRS;
    let reading: Vec<_> = readers.into_iter().map(|reader| tokio::spawn(read(reader, each))).collect();
    let began = Instant::now();
    let writing = members.into_iter().enumerate().map(|(pair, writer)| {
        tokio::spawn(async move {
            let mut sent = Vec::with_capacity(each);
            for at in 0..each {
                let due = began + Duration::from_secs_f64(at as f64 * PAIRS as f64 / A_SECOND as f64);
                tokio::time::sleep(due.saturating_duration_since(Instant::now())).await;
                let text = format!("{pair}:{at}");
                sent.push((text.clone(), Instant::now()));
                writer.send(Outgoing::new(name(PAIRS + pair), MailBody::Text(text))).await.unwrap();
            }
            sent
        })
    });
    let (mut sent, mut came) = (Vec::new(), Vec::new());
    for writer in writing.collect::<Vec<_>>() {
        sent.extend(writer.await.unwrap());
    }
    let pace = sent.len() as f64 / began.elapsed().as_secs_f64();
    for reader in reading {
        came.extend(reader.await.unwrap());
    }
    report("PostgreSQL, 20 writers and 20 readers", &sent, &came);
    println!("    {pace:.0} messages a second were taken");
}
