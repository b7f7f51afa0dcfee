//! Pages from a small server on loopback, fetched through the real gate.

use super::WebFetch;
use crate::{
    event::ShownCall,
    tools::{
        Tool,
        test_support::{Workplace, text_of},
    },
};
use serde_json::json;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// A server that answers each path with what a page of this file says; it counts the requests.
struct Server {
    port: u16,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<AtomicUsize> = Arc::default();
        let count = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                std::thread::spawn(move || answer(stream, port));
            }
        });
        Server { port, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn answer(mut stream: TcpStream, port: u16) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    reader.read_line(&mut first).unwrap();
    let path = first.strip_prefix("GET ").unwrap().split(' ').next().unwrap().to_owned();
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap() > 2 {
        line.clear();
    }
    let moved =
        |to: String| format!("HTTP/1.1 302 Found\r\nconnection: close\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
    let page = |kind: &str, text: &str| {
        format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        )
    };
    let said = match path.as_str() {
        "/page" => page("text/html", "<nav>menu</nav><h1>Carts</h1><p>They <em>hold</em> items.</p>"),
        "/json" => page("application/json", "{\"items\":3}"),
        "/image" => page("image/png", "x"),
        "/here" => moved("/page".into()),
        "/there" => moved(format!("http://localhost:{port}/page")),
        "/odd" => moved("ftp://127.0.0.1/x".into()),
        "/round" => moved("/round".into()),
        "/long" => page("text/plain", &"0123456789\n".repeat(6000)),
        "/endless" => {
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n".to_owned() + &"x".repeat(6 << 20)
        }
        "/silent" => {
            // Waits until the other side has hung up.
            let _ = reader.read(&mut [0]);
            return;
        }
        _ => "HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".to_owned(),
    };
    let _ = stream.write_all(said.as_bytes());
    let _ = stream.shutdown(Shutdown::Write);
    let _ = reader.read(&mut [0]);
}

/// A workplace whose runtime is driven, as that of a session is.
fn workplace() -> Workplace {
    let mut place = Workplace::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        sender.send(runtime.handle().clone()).unwrap();
        runtime.block_on(std::future::pending::<()>());
    });
    place.context.runtime = receiver.recv().unwrap();
    place
}

#[test]
fn a_page_comes_as_text_and_is_remembered() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let wanted = json!({ "url": server.url("/page#top"), "prompt": "what carts hold" });
    let output = place.call(&tool, wanted).unwrap();
    assert_eq!(text_of(&output), "looked for: what carts hold\n\n# Carts\n\nThey *hold* items.");
    assert_eq!(output.shown, ShownCall::text("3 lines", "# Carts\n\nThey *hold* items."));
    assert_eq!(place.told(&tool, json!({ "url": server.url("/page") })), "# Carts\n\nThey *hold* items.");
    assert_eq!(server.asked(), 1);
    let by_name = server.url("/json").replace("127.0.0.1", "localhost");
    assert_eq!(place.told(&tool, json!({ "url": by_name })), "{\"items\":3}");
}

#[test]
fn a_redirect_is_followed_on_the_same_host_only() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let told = |path: &str| place.told(&tool, json!({ "url": server.url(path) }));
    let page = server.url("/page");
    assert_eq!(told("/here"), format!("(from {page})\n\n# Carts\n\nThey *hold* items."));
    let asked = server.asked();
    let elsewhere = format!("http://localhost:{}/page", server.port);
    let there = server.url("/there");
    assert_eq!(
        told("/there"),
        format!("{there} moved to {elsewhere}, which is another host; call again with that address")
    );
    assert_eq!(server.asked(), asked + 1);
    assert!(told("/odd").contains("moved to ftp://127.0.0.1/x"));
    let round = server.url("/round");
    let trouble = place.trouble(&tool, json!({ "url": round }));
    assert_eq!(trouble, format!("{round} redirects more than 5 times"));
}

#[test]
fn what_went_wrong_is_said() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let trouble = |path: &str| place.trouble(&tool, json!({ "url": server.url(path) }));
    assert_eq!(trouble("/nothing"), format!("{} answered 404 Not Found", server.url("/nothing")));
    let image = server.url("/image");
    assert_eq!(trouble("/image"), format!("{image} is not shown: it is `image/png`, which is not text"));
    let nobody = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let refused = place.trouble(&tool, json!({ "url": format!("http://{nobody}/") }));
    assert!(refused.contains("could not be fetched") && refused.contains("Connection refused"), "{refused}");
}

#[test]
fn long_pages_are_cut_and_name_the_file_with_all_of_it() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let text = place.told(&tool, json!({ "url": server.url("/long") }));
    assert!(text.starts_with("0123456789\n") && text.len() < super::MAX_TEXT_BYTES + 300);
    assert!(text.contains("\n[6000 bytes left out here; the full text is in /t/home/.forethought/outputs/"), "{text}");
    let endless = place.told(&tool, json!({ "url": server.url("/endless") }));
    let left_out = super::fetch::MAX_BODY_BYTES - super::MAX_TEXT_BYTES + 42;
    assert!(endless.contains(&format!("[{left_out} bytes left out here")), "{}", &endless[60_000..]);
}

#[test]
fn an_interrupt_does_not_wait_for_the_server() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let (cancel, asked) = (place.context.cancel.clone(), Arc::clone(&server.asked));
    std::thread::spawn(move || {
        while asked.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        cancel.cancel();
    });
    assert_eq!(place.trouble(&tool, json!({ "url": server.url("/silent") })), "interrupted");
}

#[test]
fn plain_http_becomes_https_except_on_private_hosts() {
    let page = [
        ("http://docs.rs/tokio#top", "docs.rs", Ok("https://docs.rs/tokio")),
        ("http://docs.rs:80/", "docs.rs", Ok("https://docs.rs/")),
        ("https://docs.rs/a?b=c", "docs.rs", Ok("https://docs.rs/a?b=c")),
        ("http://localhost:3000/x", "localhost:3000", Ok("http://localhost:3000/x")),
        ("http://10.0.0.7/", "10.0.0.7", Ok("http://10.0.0.7/")),
        (
            "https://evil.example/",
            "docs.rs",
            Err("`https://evil.example/` is not an address on docs.rs, which this call may fetch from"),
        ),
        (
            "https://ada@docs.rs/",
            "docs.rs",
            Err("`https://ada@docs.rs/` is not an address on docs.rs, which this call may fetch from"),
        ),
        ("ftp://docs.rs/", "docs.rs", Err("`ftp://docs.rs/` is not an http address")),
        ("docs.rs", "docs.rs", Err("`docs.rs` is not an address: relative URL without a base")),
    ];
    for (asked, host, expected) in page {
        let found = super::fetch::address(asked, &super::PermittedHost::new(host).unwrap()).map(String::from);
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{asked}");
    }
}

#[test]
fn an_address_that_the_gate_cannot_read_is_refused_before_anything_is_asked() {
    let (server, place, tool) = (Server::start(), workplace(), WebFetch::default());
    let odd = format!("http://user@127.0.0.1:{}/page", server.port);
    assert!(place.call(&tool, json!({ "url": odd })).is_err());
    assert_eq!((server.asked(), tool.line(&json!({ "url": odd }))), (0, odd));
}
