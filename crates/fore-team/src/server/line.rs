//! A connection that comes back: after a restart of the server or a cut the same call is made again, for a bounded time. Every call means the
//! same when it is made twice.

use super::{
    refused::{refusal, wait_is_worth},
    url::{ATTEMPT, ServerUrl},
};
use crate::error::{TeamError, TeamResult};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::sync::{Mutex, Notify};
use tokio_postgres::{AsyncMessage, Client, Row, types::ToSql};

/// How long one call tries, with all its attempts.
const MAX_CALL: Duration = Duration::from_secs(40);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(2);

pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// One way to the server. Calls are made one after the other.
#[derive(Debug)]
pub(super) struct ServerLine {
    url: ServerUrl,
    client: Mutex<Option<Client>>,
    /// Told whenever the server says that there is something, and after every reconnection.
    woken: Arc<Notify>,
    /// What every new connection begins with.
    greeting: String,
}

impl ServerLine {
    pub(super) fn new(url: &ServerUrl, greeting: String, woken: Arc<Notify>) -> ServerLine {
        ServerLine { url: url.clone(), client: Mutex::default(), woken, greeting }
    }

    /// Calls the server until it answers, or for as long as that is worth it.
    pub(super) async fn call(&self, sql: &str, values: Values<'_>) -> TeamResult<Vec<Row>> {
        let (started, mut pause) = (Instant::now(), FIRST_PAUSE);
        loop {
            let error = match tokio::time::timeout(ATTEMPT, self.attempt(sql, values)).await {
                Ok(Ok(rows)) => return Ok(rows),
                Ok(Err(error)) if !wait_is_worth(&error) => return Err(refusal(&error, &self.url)),
                Ok(Err(error)) => refusal(&error, &self.url),
                Err(_) => {
                    // Nobody knows what became of it on this connection.
                    *self.client.lock().await = None;
                    let why = format!("no answer for {} seconds", ATTEMPT.as_secs());
                    TeamError::Server { url: self.url.to_string(), why }
                }
            };
            if started.elapsed() + pause >= MAX_CALL {
                return Err(error);
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn attempt(&self, sql: &str, values: Values<'_>) -> Result<Vec<Row>, tokio_postgres::Error> {
        let mut client = self.client.lock().await;
        let open = match client.take().filter(|open| !open.is_closed()) {
            Some(open) => open,
            None => self.connect().await?,
        };
        // It is put back only after an answer: a call that is given up in between leaves no half-read connection.
        let outcome = open.query(sql, values).await;
        *client = Some(open);
        outcome
    }

    async fn connect(&self) -> Result<Client, tokio_postgres::Error> {
        let (client, mut connection) = self.url.config().connect(self.url.tls()).await?;
        let woken = Arc::clone(&self.woken);
        // Ends with its client.
        tokio::spawn(async move {
            while let Some(message) = std::future::poll_fn(|context| connection.poll_message(context)).await {
                match message {
                    Ok(AsyncMessage::Notification(_)) => woken.notify_one(),
                    Ok(_) => {}
                    Err(_) => break,
                }
            }
        });
        client.batch_execute(&self.greeting).await?;
        // What was said while nobody listened is not said again.
        self.woken.notify_one();
        Ok(client)
    }
}
