//! A cage with network: the approved hosts through the proxy, and nobody else in any way.

use crate::permitted::RunTyped;
use crate::workspaces::workspace;
use fore_plan::{Cage, Contacts, Outside};
use fore_sandbox::{CageError, CageSettings, Cages, GitProbe, Job, JobCommand, Layer, RequiredBuild, RunOutcome};
use fore_shell::{Partner, Reach, RemoteDirection, Repositories};
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SETUP: &str = env!("CARGO_BIN_EXE_fore-cage-setup");

fn cages(thickness: RequiredBuild) -> Cages {
    Cages::new(
        CageSettings { setup: Some(SETUP.into()), required_build: thickness, ..crate::permitted::usual_settings() },
        &fore_commands::CATALOGUE,
    )
}

fn run(outside: Outside, text: &str, folder: &Path) -> RunOutcome {
    let job = Job::new(JobCommand::Script(text.to_owned()), folder);
    cages(RequiredBuild::Full).run_typed(&Cage::ReadOnly { outside }, job).unwrap()
}

/// A web server that sends everybody elsewhere when asked for `/away`; it counts who came.
struct Server {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Server {
    fn start(elsewhere: &str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let came = Arc::new(AtomicUsize::new(0));
        let (counted, elsewhere) = (Arc::clone(&came), elsewhere.to_owned());
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let mut client = client;
                let mut buffer = [0; 4096];
                let count = client.read(&mut buffer).unwrap_or(0);
                let answer = if buffer[..count].starts_with(b"GET /away") {
                    format!("HTTP/1.1 302 Found\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n")
                } else {
                    "HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nhello\n".to_owned()
                };
                let _ = client.write_all(answer.as_bytes());
            }
        });
        Server { port, came }
    }

    fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn outside(&self) -> Outside {
        Outside::hosts([self.host().parse().unwrap()])
    }

    fn came(&self) -> usize {
        self.came.load(Ordering::SeqCst)
    }
}

/// Sends lines to the proxy, as a program without curl would.
fn through_proxy(request: &str) -> String {
    format!("exec 3<>/dev/tcp/127.0.0.1/3128 && printf '{request}' >&3 && cat <&3")
}

#[test]
fn a_yes_for_one_host_opens_that_host_and_no_other() {
    let folder = workspace();
    let other = Server::start("");
    let server = Server::start(&format!("http://{}/", other.host()));
    let get = |host: &str, path: &str| {
        through_proxy(&format!("GET http://{host}{path} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n"))
    };
    let text = [get(&server.host(), "/"), get(&other.host(), "/"), get(&server.host(), "/away")].join("; ");
    let outcome = run(server.outside(), &text, folder.path());
    let said = outcome.stdout.text();
    assert!(said.contains("hello\n"), "{said}");
    let refusal = format!("fore: not allowed: {} was not part of what was approved\n", other.host());
    assert!(said.contains("HTTP/1.1 403 Forbidden") && said.contains(&refusal), "{said}");
    assert!(said.contains("302 Found"), "redirects are the program's to follow, and are then asked about: {said}");
    assert_eq!((server.came(), other.came()), (2, 0));
    let list: Vec<_> = outcome.connections.iter().map(|one| (one.host.clone(), one.refused.is_some())).collect();
    assert_eq!(list, [(server.host(), false), (other.host(), true), (server.host(), false)]);
    assert!(outcome.connections.iter().all(|one| one.refused.is_some() || one.received_bytes > 0));
}

#[test]
fn the_usual_variables_lead_to_the_proxy() {
    let folder = workspace();
    let text =
        "echo $http_proxy $https_proxy $HTTPS_PROXY $npm_config_proxy $CARGO_HTTP_PROXY; echo \"[$no_proxy$NO_PROXY]\"";
    let outcome = run(Outside::any_public(), text, folder.path());
    let url = "http://127.0.0.1:3128";
    assert_eq!(outcome.stdout.text(), format!("{url} {url} {url} {url} {url}\n[]\n"));
    let closed =
        run(Outside::Closed, "echo $CARGO_HTTP_PROXY; exec 3<>/dev/tcp/127.0.0.1/3128 || echo closed", folder.path());
    assert_eq!(closed.stdout.text(), "\nclosed\n");
}

#[test]
fn past_the_proxy_there_is_nobody() {
    let folder = workspace();
    let server = Server::start("");
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_nonblocking(true).unwrap();
    let name = format!("fore-test-{}", std::process::id());
    let abstract_socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    abstract_socket.set_nonblocking(true).unwrap();
    let path = folder.path().join("socket");
    let unix = UnixListener::bind(&path).unwrap();
    unix.set_nonblocking(true).unwrap();
    let unix_connect = |address: &str| {
        format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 3; connect(S, pack_sockaddr_un({address})) and exit 4; exit 5'; echo unix $?"
        )
    };
    let text = [
        format!("(exec 3<>/dev/tcp/127.0.0.1/{}) 2>/dev/null && echo tcp", server.port),
        "(exec 3<>/dev/tcp/192.0.2.1/80) 2>/dev/null && echo far".to_owned(),
        format!("(echo x > /dev/udp/127.0.0.1/{}) 2>/dev/null; true", udp.local_addr().unwrap().port()),
        unix_connect(&format!("\"\\0{name}\"")),
        unix_connect("\"socket\""),
        "cat /proc/net/dev | grep -c :".to_owned(),
    ]
    .join("; ");
    let outcome = run(Outside::any_public(), &text, folder.path());
    assert_eq!(outcome.stdout.text(), "unix 3\nunix 3\n1\n");
    assert_eq!(server.came(), 0);
    assert!(udp.recv_from(&mut [0; 8]).is_err() && abstract_socket.accept().is_err() && unix.accept().is_err());
}

#[test]
fn this_machine_is_not_a_public_host() {
    let folder = workspace();
    let server = Server::start("");
    let names = [server.host(), format!("localhost:{}", server.port), format!("[::ffff:127.0.0.1]:{}", server.port)];
    for name in names {
        let text = through_proxy(&format!("CONNECT {name} HTTP/1.1\\r\\n\\r\\n"));
        let outcome = run(Outside::any_public(), &text, folder.path());
        assert!(outcome.stdout.text().starts_with("HTTP/1.1 403 "), "{name}: {}", outcome.stdout.text());
    }
    assert_eq!(server.came(), 0);
}

#[test]
fn without_namespaces_a_command_with_network_does_not_run() {
    let folder = workspace();
    let docker = Outside::named(Contacts { hosts: Vec::new(), services: vec!["docker".into()] });
    for outside in [Outside::any_public(), docker] {
        let job = Job::new(JobCommand::Script("touch ran".to_owned()), folder.path());
        let result = cages(RequiredBuild::LandlockOnly).run_typed(&Cage::ReadOnly { outside }, job);
        assert!(matches!(result, Err(CageError::Layer { layer: Layer::Namespaces, .. })), "{result:?}");
        assert!(!folder.path().join("ran").exists());
    }
}

#[test]
fn a_service_opens_its_own_socket_and_nothing_else() {
    let folder = workspace();
    let server = Server::start("");
    let docker = Outside::named(Contacts { hosts: Vec::new(), services: vec!["docker".into()] });
    let text = format!(
        "(exec 3<>/dev/tcp/127.0.0.1/{}) 2>/dev/null && echo tcp; (exec 3<>/dev/tcp/127.0.0.1/3128) 2>/dev/null && echo proxy; \
         ls /run | grep -v -e '^systemd$' -e '^docker.sock$' -e '^NetworkManager$' -e '^resolvconf$' -e '-system$' -e '^opengl-driver$' -e '^user$'; echo $https_proxy",
        server.port
    );
    let outcome = run(docker, &text, folder.path());
    assert_eq!((outcome.stdout.text().trim(), server.came()), ("", 0), "{}", outcome.stderr.text());
    let unknown = Outside::named(Contacts { hosts: Vec::new(), services: vec!["mysql".into()] });
    let job = Job::new(JobCommand::Script("true".to_owned()), folder.path());
    let result = cages(RequiredBuild::Best).run_typed(&Cage::ReadOnly { outside: unknown }, job);
    assert!(matches!(result, Err(CageError::Layer { layer: Layer::Services, .. })), "{result:?}");
}

#[test]
fn who_does_not_use_the_proxy_is_told_so() {
    let folder = workspace();
    let outcome = run(Outside::any_public(), "echo 'curl: (6) Could not resolve host: x' >&2; false", folder.path());
    let told =
        "the network: only the approved hosts can be reached, and only by programs that use the proxy in https_proxy";
    assert_eq!(outcome.blocked, [told]);
}

/// A folder as a git server without any code of its own would show it.
fn git_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut buffer = [0; 4096];
            let count = client.read(&mut buffer).unwrap_or(0);
            let asked = String::from_utf8_lossy(&buffer[..count]).into_owned();
            let body = if asked.contains("/info/refs") {
                format!("{}\trefs/heads/main\n", "1".repeat(40))
            } else {
                String::new()
            };
            let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status}\r\ncontent-type: text/plain\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            let _ = client.write_all(answer.as_bytes());
        }
    });
    port
}

#[test]
fn git_talks_to_the_approved_host_alone() {
    let folder = workspace();
    let (port, other) = (git_server(), Server::start(""));
    let outside = Outside::hosts([format!("127.0.0.1:{port}").parse().unwrap()]);
    let text = format!("git ls-remote http://127.0.0.1:{port}/a.git; git ls-remote http://{}/a.git", other.host());
    let outcome = run(outside, &text, folder.path());
    assert_eq!(outcome.stdout.text(), format!("{}\trefs/heads/main\n", "1".repeat(40)), "{}", outcome.stderr.text());
    assert!(outcome.stderr.text().contains("403"), "{}", outcome.stderr.text());
    assert_eq!(other.came(), 0);
    let refused: Vec<_> =
        outcome.connections.iter().filter(|one| one.refused.is_some()).map(|one| one.host.clone()).collect();
    assert_eq!(refused, [other.host()]);
}

#[test]
fn curl_follows_no_redirect_to_a_host_that_was_not_approved() {
    let folder = workspace();
    let other = Server::start("");
    let server = Server::start(&format!("http://{}/", other.host()));
    let text = format!(
        "curl -sS http://{0}/; curl -sSL http://{0}/away; curl -sS --noproxy '*' http://{0}/ || true",
        server.host()
    );
    let outcome = run(server.outside(), &text, folder.path());
    let refusal = format!("fore: not allowed: {} was not part of what was approved\n", other.host());
    assert_eq!(outcome.stdout.text(), format!("hello\n{refusal}"), "{}", outcome.stderr.text());
    assert_eq!((server.came(), other.came()), (2, 0));
}

#[test]
fn the_persons_own_proxy_is_gone_through_and_named() {
    let folder = workspace();
    // It answers whatever it is asked for, and so stands for the world outside.
    let upstream = Server::start("");
    let settings = CageSettings {
        setup: Some(SETUP.into()),
        proxy: Some(format!("http://ada:pw@{}", upstream.host())),
        ..crate::permitted::usual_settings()
    };
    let outside = Outside::hosts(["docs.example:80".parse().unwrap()]);
    let get = |host: &str| through_proxy(&format!("GET http://{host}/ HTTP/1.1\\r\\n\\r\\n"));
    let text = [get("docs.example"), get("other.example"), get("10.0.0.1")].join("; ");
    let job = Job::new(JobCommand::Script(text), folder.path());
    let outcome = Cages::new(settings, &fore_commands::CATALOGUE).run_typed(&Cage::ReadOnly { outside }, job).unwrap();
    assert!(outcome.stdout.text().contains("hello\n"), "{}", outcome.stdout.text());
    assert_eq!(upstream.came(), 1);
    let through: Vec<_> = outcome.connections.iter().map(|one| (one.through.clone(), one.refused.is_some())).collect();
    assert_eq!(through, [(Some(upstream.host()), false), (None, true), (None, true)]);
}

#[test]
fn a_remote_is_the_host_that_git_itself_says() {
    let folder = workspace();
    let git = |words: &[&str]| {
        let done = std::process::Command::new("git").arg("-C").arg(folder.path()).args(words).output().unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["remote", "add", "origin", "corp:team/shop.git"]);
    git(&["config", "url.https://git.corp.example:8443/.insteadOf", "corp:"]);
    git(&["remote", "set-url", "--push", "origin", "git@push.corp.example:team/shop.git"]);
    let all = cages(RequiredBuild::Best);
    let probe = GitProbe::new(&all);
    let hosts = |name, direction| probe.hosts(Partner::Remote { name, direction }, folder.path());
    let host = |text: &str| vec![Reach::Host(text.to_owned())];
    assert_eq!(hosts(Some("origin"), RemoteDirection::Fetch), host("git.corp.example:8443"));
    assert_eq!(hosts(None, RemoteDirection::Fetch), host("git.corp.example:8443"));
    assert_eq!(hosts(Some("origin"), RemoteDirection::Push), host("push.corp.example:22"));
    assert_eq!(hosts(None, RemoteDirection::Push), host("push.corp.example:22"));
    assert_eq!(hosts(Some("nobody"), RemoteDirection::Fetch), []);
    git(&["remote", "add", "other", "../somewhere"]);
    assert_eq!(hosts(Some("other"), RemoteDirection::Fetch), []);
    assert_eq!(hosts(None, RemoteDirection::Push), [], "one of two remotes");
    git(&["remote", "set-url", "origin", "ext::sh -c evil"]);
    assert_eq!(hosts(Some("origin"), RemoteDirection::Fetch), []);
}
