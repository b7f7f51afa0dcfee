//! The proxy on loopback, against servers that a permit names and programs that want more.

use super::hello::tests::hello;
use super::*;
use fore_plan::{Contacts, HostPattern};
use std::io::Read;
use std::sync::mpsc;

/// A server that answers every connection with what it was sent, once the sender waits; it tells how many connections there were.
fn server(answer: &'static str) -> (u16, mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { return };
            let mut buffer = vec![0; 64 << 10];
            let mut count = client.read(&mut buffer).unwrap_or(0);
            // A body may come after its head.
            while buffer.starts_with(b"POST") && !buffer[..count].ends_with(b"abc") {
                count += client.read(&mut buffer[count..]).unwrap_or(0);
            }
            buffer.truncate(count);
            let _ = client.write_all(answer.as_bytes());
            if sender.send(buffer).is_err() {
                return;
            }
        }
    });
    (port, receiver)
}

/// Names as an attacker's name server would have them.
fn rebinding(name: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    let address: IpAddr = match name {
        "mapped.example" => "::ffff:127.0.0.1".parse().unwrap(),
        "metadata.internal" => "169.254.169.254".parse().unwrap(),
        "private.example" => "10.1.2.3".parse().unwrap(),
        "nowhere.example" => return Ok(Vec::new()),
        name => name.parse().unwrap_or(IpAddr::from([127, 0, 0, 1])),
    };
    Ok(vec![SocketAddr::new(address, port)])
}

fn proxy(outside: Outside) -> (u16, Proxy) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    (port, Proxy::start(listener, outside, Upstream::default(), rebinding).unwrap())
}

fn named(hosts: &[String]) -> Outside {
    Outside::hosts(hosts.iter().map(|host| host.parse().unwrap()))
}

/// What comes back for these bytes.
fn ask(port: u16, request: &[u8]) -> String {
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    client.write_all(request).unwrap();
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn connect(host: &str) -> Vec<u8> {
    format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi";

#[test]
fn a_named_host_is_reached_and_counted() {
    let (server, seen) = server(OK);
    let host = format!("127.0.0.1:{server}");
    let (port, proxy) = proxy(named(std::slice::from_ref(&host)));
    let request = format!(
        "POST http://{host}/a HTTP/1.1\r\nHost: {host}\r\nContent-Length: 3\r\n\r\nabcGET http://evil/ HTTP/1.1"
    );
    assert_eq!(ask(port, request.as_bytes()), OK);
    let head = format!("POST /a HTTP/1.1\r\nhost: {host}\r\ncontent-length: 3\r\nconnection: close\r\n\r\n");
    let first = String::from_utf8(seen.recv().unwrap()).unwrap();
    assert_eq!(first, format!("{head}abc"));
    let mut tunnel = connect(&host);
    tunnel.extend_from_slice(b"SSH-2.0-x");
    assert_eq!(ask(port, &tunnel), format!("HTTP/1.1 200 Connection established\r\n\r\n{OK}"));
    assert_eq!(seen.recv().unwrap(), b"SSH-2.0-x");
    let list = proxy.finish();
    let found: Vec<_> =
        list.iter().map(|one| (one.host.as_str(), one.sent_bytes, one.received_bytes, &one.refused)).collect();
    let length = OK.len() as u64;
    assert_eq!(found, [(host.as_str(), head.len() as u64 + 3, length, &None), (host.as_str(), 9, length, &None)]);
    assert_eq!(list.first().unwrap().address, Some([127, 0, 0, 1].into()));
}

#[test]
fn a_tunnel_carries_nothing_that_could_name_others_inside() {
    let (server, seen) = server(OK);
    let host = format!("127.0.0.1:{server}");
    let (port, proxy) = proxy(named(std::slice::from_ref(&host)));
    for words in [
        "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "\r\nGET / HTTP/1.1\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\n",
    ] {
        let mut tunnel = connect(&host);
        tunnel.extend_from_slice(words.as_bytes());
        assert_eq!(ask(port, &tunnel), "HTTP/1.1 200 Connection established\r\n\r\n");
        assert_eq!(seen.recv().unwrap(), b"", "{words}");
    }
    let list = proxy.finish();
    assert!(list.iter().all(|one| one.refused.is_some() && one.sent_bytes == 0), "{list:?}");
}

#[test]
fn everybody_else_is_refused_with_the_reason() {
    let (server, seen) = server(OK);
    let (other, _other_seen) = super::tests::server(OK);
    let hosts = ["docs.rs", "mapped.example", "metadata.internal", "private.example", "localhost"]
        .map(|name| format!("{name}:{server}"));
    let (port, proxy) = proxy(named(&hosts));
    let not = "was not part of what was approved";
    let inside = |address: &str| {
        format!("leads to {address}, which is inside a private network, and that address was not approved")
    };
    let page = [
        // Another port, another host, the address behind a name, other spellings of this machine.
        (format!("localhost:{other}"), not.to_owned()),
        (format!("evil.example:{server}"), not.to_owned()),
        (format!("127.0.0.1:{server}"), not.to_owned()),
        (format!("[::1]:{server}"), not.to_owned()),
        (format!("[::ffff:127.0.0.1]:{server}"), not.to_owned()),
        (format!("sub.localhost:{server}"), not.to_owned()),
        // A public name that leads inwards.
        (format!("docs.rs:{server}"), inside("127.0.0.1")),
        (format!("mapped.example:{server}"), inside("::ffff:127.0.0.1")),
        (format!("metadata.internal:{server}"), inside("169.254.169.254")),
        (format!("private.example:{server}"), inside("10.1.2.3")),
    ];
    for (host, why) in &page {
        let refusal = format!("fore: not allowed: {host} {why}\n");
        for request in [connect(host), format!("GET http://{host}/ HTTP/1.1\r\nHost: {host}\r\n\r\n").into_bytes()] {
            let answer = ask(port, &request);
            assert!(answer.starts_with("HTTP/1.1 403 Forbidden\r\n") && answer.ends_with(&refusal), "{answer}");
        }
    }
    for request in
        ["CONNECT localhost HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "\x16\x03\x01\r\n\r\n"]
    {
        assert!(ask(port, request.as_bytes()).starts_with("HTTP/1.1 400 "), "{request:?}");
    }
    // Upper case and the dot of the root are the same name.
    let spelled = format!("LocalHost.:{server}");
    assert!(ask(port, &[connect(&spelled), b"SSH-2.0-x".to_vec()].concat()).contains("200 Connection established"));
    assert_eq!(seen.recv().unwrap(), b"SSH-2.0-x");
    let list = proxy.finish();
    assert_eq!(list.iter().filter(|one| one.refused.is_some()).count(), page.len() * 2 + 3);
    assert_eq!(list.iter().filter(|one| one.refused.is_none()).count(), 1);
    assert!(seen.try_recv().is_err());
}

#[test]
fn an_address_that_was_named_too_opens_a_private_name() {
    let (server, seen) = server(OK);
    let (port, _proxy) = proxy(named(&[format!("docs.rs:{server}"), format!("127.0.0.1:{server}")]));
    assert!(ask(port, &[connect(&format!("docs.rs:{server}")), b"SSH-2.0-x".to_vec()].concat()).ends_with("hi"));
    assert_eq!(seen.recv().unwrap(), b"SSH-2.0-x");
}

#[test]
fn any_public_host_is_no_private_one() {
    let (server, seen) = server(OK);
    let (port, _proxy) = proxy(Outside::any_public());
    for host in ["localhost", "127.0.0.1", "docs.rs", "10.0.0.1", "169.254.169.254", "wiki", "printer.local", "[::1]"] {
        let answer = ask(port, &connect(&format!("{host}:{server}")));
        assert!(answer.starts_with("HTTP/1.1 403 "), "{host}: {answer}");
    }
    for host in ["localhost", "127.0.0.1", "docs.rs", "mapped.example", "private.example", "metadata.internal", "[::1]"]
    {
        for web in [80, 443] {
            let answer = ask(port, &connect(&format!("{host}:{web}")));
            assert!(answer.starts_with("HTTP/1.1 403 ") && !answer.contains("not a port"), "{host}:{web}: {answer}");
        }
    }
    let answer = ask(port, &connect("93.184.215.14:22"));
    assert!(answer.contains("not allowed: 93.184.215.14:22 is not a port of the web"), "{answer}");
    assert!(ask(port, &connect("nowhere.example:443")).starts_with("HTTP/1.1 502 "));
    assert!(seen.try_recv().is_err());
}

#[test]
fn every_name_under_a_domain_is_open_at_its_port() {
    let (server, seen) = server(OK);
    let named =
        Contacts { hosts: HostPattern::of_text(&format!("*.localhost:{server}")).unwrap(), services: Vec::new() };
    let (port, _proxy) = proxy(Outside::Named(named));
    for host in
        [format!("localhost:{server}"), "shop.localhost:80".to_owned(), format!("shop.localhost.evil.example:{server}")]
    {
        assert!(ask(port, &connect(&host)).starts_with("HTTP/1.1 403 "), "{host}");
    }
    assert!(seen.try_recv().is_err());
    assert!(
        ask(port, &[connect(&format!("Shop.localhost.:{server}")), b"SSH-2.0-x".to_vec()].concat()).ends_with("hi")
    );
    assert_eq!(seen.recv().unwrap(), b"SSH-2.0-x");
}

#[test]
fn a_head_without_end_is_hung_up_on() {
    let (port, proxy) = proxy(Outside::any_public());
    let endless = [b"GET http://docs.rs/ HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 200 << 10]].concat();
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let _ = client.write_all(&endless);
    let mut answer = Vec::new();
    let _ = client.read_to_end(&mut answer);
    assert_eq!(answer, b"");
    assert_eq!(proxy.finish(), []);
}

#[test]
fn tls_for_another_name_is_cut_off() {
    let (server, seen) = server(OK);
    let host = format!("localhost:{server}");
    let (port, proxy) = proxy(named(std::slice::from_ref(&host)));
    let answer = ask(port, &[connect(&host), hello("evil.example")].concat());
    assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\n");
    assert_eq!(seen.recv().unwrap(), b"", "not one byte was sent");
    assert!(ask(port, &[connect(&host), hello("LOCALHOST")].concat()).ends_with("hi"));
    assert_eq!(seen.recv().unwrap(), hello("LOCALHOST"));
    let why: Vec<_> = proxy.finish().into_iter().map(|one| one.refused).collect();
    assert_eq!(why, [Some("was asked, by TLS, to be evil.example, which it is not".into()), None]);
}

#[test]
fn a_thousand_connections_are_served_a_bounded_number_at_a_time() {
    let (server, seen) = server(OK);
    let host = format!("127.0.0.1:{server}");
    let (port, proxy) = proxy(named(std::slice::from_ref(&host)));
    // Those that say nothing are waited for; what is asked behind them is answered when they have gone.
    let silent: Vec<TcpStream> =
        (0..MAX_CONNECTIONS).map(|_| TcpStream::connect(("127.0.0.1", port)).unwrap()).collect();
    while proxy.shared.open.load(Ordering::Acquire) < MAX_CONNECTIONS {
        std::thread::yield_now();
    }
    let waiting = std::thread::spawn(move || {
        (0..1000).filter(|_| ask(port, b"GET http://evil.example/ HTTP/1.1\r\n\r\n").contains("403")).count()
    });
    assert!(proxy.shared.open.load(Ordering::Acquire) <= MAX_CONNECTIONS);
    drop(silent);
    assert_eq!(waiting.join().unwrap(), 1000);
    assert_eq!(proxy.finish().len(), MAX_LISTED + 1);
    assert!(seen.try_recv().is_err());
}

#[test]
fn when_the_run_is_over_everything_is_hung_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
    let (port, proxy) = proxy(named(std::slice::from_ref(&host)));
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client.write_all(&connect(&host)).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    drop(proxy);
    let mut rest = Vec::new();
    let _ = client.read_to_end(&mut rest);
    assert_eq!(server.read(&mut [0]).unwrap_or(0), 0);
}
