//! Servers on one's own machine: who answers is found, who does not is not, and nobody beyond the machine is asked.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::net::SocketAddr;
use std::time::Duration;

use fore_model::{LocalServer, probe};
use fore_testkit::{ModelScript, Server};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

const PATIENCE: Duration = Duration::from_secs(120);

fn address(server: &Server) -> SocketAddr {
    server.origin().trim_start_matches("http://").parse().unwrap()
}

#[tokio::test]
async fn a_server_that_lists_models_is_found_and_a_closed_port_is_not() {
    let server = Server::start(ModelScript::new().model("qwen3").model("llama4")).await.unwrap();
    // Nobody listens there, and nobody else can get the port meanwhile.
    let taken = tokio::net::TcpSocket::new_v4().unwrap();
    taken.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let closed = taken.local_addr().unwrap();
    let found = probe(&[("ollama", address(&server)), ("llamacpp", closed)], PATIENCE).await.unwrap();
    let expected =
        LocalServer { provider: "ollama", address: address(&server), models: vec!["qwen3".into(), "llama4".into()] };
    assert_eq!(found, [expected]);
}

#[tokio::test]
async fn some_other_service_on_the_port_is_not_taken_for_a_model_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let page = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let words = "<h1>It works!</h1>";
        let response =
            format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{words}", words.len());
        stream.write_all(response.as_bytes()).await.unwrap();
    });
    assert_eq!(probe(&[("llamacpp", address)], PATIENCE).await.unwrap(), []);
    page.await.unwrap();
}

#[tokio::test]
async fn addresses_beyond_this_machine_are_not_asked() {
    // A documentation address: nobody answers there, and without the rule this would wait.
    let elsewhere: SocketAddr = "192.0.2.1:11434".parse().unwrap();
    assert_eq!(probe(&[("ollama", elsewhere)], Duration::from_secs(600)).await.unwrap(), []);
}
