//! Whether a server can keep teams, and what an administrator has to run so that it can.

use super::{
    MEMBER_ROLE, SCHEMA, SCHEMA_VERSION,
    refused::causes,
    url::{ATTEMPT, ServerUrl},
};
use crate::error::{TeamError, TeamResult};
use std::time::Duration;
use tokio_postgres::{AsyncMessage, Client, error::SqlState};

/// The oldest server that is known to do: it makes ids by itself.
const MIN_VERSION: i32 = 130_000;
/// How long the server has to call us.
const MAX_CALL_BACK: Duration = Duration::from_secs(5);
/// Makes a second administrator wait who sets up at the same time.
const SET_UP_LOCK: i64 = 0x666f_7265;

/// One thing about a server, with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerFinding {
    /// Whether it is as it must be.
    pub is_fine: bool,
    /// What was looked at, and what was found.
    pub text: String,
    /// What an administrator can run where it is not.
    pub sql: Option<String>,
}

impl ServerFinding {
    fn fine(text: impl Into<String>) -> ServerFinding {
        ServerFinding { is_fine: true, text: text.into(), sql: None }
    }

    fn wrong(text: impl Into<String>, sql: Option<String>) -> ServerFinding {
        ServerFinding { is_fine: false, text: text.into(), sql }
    }
}

/// Looks whether teams can be kept there with this login. Changes nothing. Looks no further after what makes the rest impossible.
pub async fn check_server(url: &ServerUrl) -> Vec<ServerFinding> {
    let connected = tokio::time::timeout(ATTEMPT, url.config().connect(url.tls())).await;
    let (client, mut connection) = match connected {
        Ok(Ok(both)) => both,
        Ok(Err(error)) => {
            let is_unknown = error.code() == Some(&SqlState::INVALID_AUTHORIZATION_SPECIFICATION);
            let sql =
                is_unknown.then(|| format!("create role {} login; -- and give it a password", quoted(url.login())));
            return vec![ServerFinding::wrong(format!("no connection to {url}: {}", causes(&error)), sql)];
        }
        Err(_) => {
            let text = format!("no connection to {url}: no answer for {} seconds", ATTEMPT.as_secs());
            return vec![ServerFinding::wrong(text, None)];
        }
    };
    let called = std::sync::Arc::new(tokio::sync::Notify::new());
    let calls = std::sync::Arc::clone(&called);
    tokio::spawn(async move {
        while let Some(Ok(message)) = std::future::poll_fn(|context| connection.poll_message(context)).await {
            if matches!(message, AsyncMessage::Notification(_)) {
                calls.notify_one();
            }
        }
    });
    let secured = if url.has_tls() { "with TLS" } else { "on this machine" };
    let mut findings = vec![ServerFinding::fine(format!("{url} answers, {secured}"))];
    match look(&client, url, &called).await {
        Ok(more) => findings.extend(more),
        Err(error) => {
            findings.push(ServerFinding::wrong(format!("the server stopped answering: {}", causes(&error)), None))
        }
    }
    findings
}

async fn look(
    client: &Client,
    url: &ServerUrl,
    called: &tokio::sync::Notify,
) -> Result<Vec<ServerFinding>, tokio_postgres::Error> {
    let mut findings = Vec::new();
    let row = client.query_one("select current_setting('server_version_num')::int, current_setting('server_version'), usesuper from pg_user where usename = session_user", &[]).await?;
    let (version, name): (i32, String) = (row.get(0), row.get(1));
    findings.push(if version >= MIN_VERSION {
        ServerFinding::fine(format!("PostgreSQL {name}"))
    } else {
        ServerFinding::wrong(format!("PostgreSQL {name} is too old; 13 is the oldest that works"), None)
    });
    if row.get::<_, bool>(2) {
        let text =
            format!("`{}` is a superuser, who could write as any member; use a login without rights", url.login());
        findings.push(ServerFinding::wrong(
            text,
            Some(format!("create role NAME login password '…' in role {MEMBER_ROLE};")),
        ));
    }
    client.batch_execute("listen fore_team_check; notify fore_team_check").await?;
    let heard = tokio::time::timeout(MAX_CALL_BACK, called.notified()).await.is_ok();
    findings.push(if heard {
        ServerFinding::fine("the server calls when there is mail (LISTEN and NOTIFY)")
    } else {
        let text = "the server does not call (LISTEN and NOTIFY): a pooler is in between; connect to the server itself";
        ServerFinding::wrong(text, None)
    });
    let has_schema = "select exists (select from pg_namespace where nspname = 'fore_team')";
    if !client.query_one(has_schema, &[]).await?.get::<_, bool>(0) {
        let text = "there is no schema `fore_team`: an administrator has to set it up";
        findings.push(ServerFinding::wrong(text, Some(server_setup_sql(&[url.login()]))));
        return Ok(findings);
    }
    let is_member = format!("select pg_has_role(session_user, '{MEMBER_ROLE}', 'member')");
    if !client.query_one(&is_member, &[]).await?.get::<_, bool>(0) {
        let text = format!("`{}` does not have the role `{MEMBER_ROLE}`", url.login());
        findings.push(ServerFinding::wrong(text, Some(format!("grant {MEMBER_ROLE} to {};", quoted(url.login())))));
        return Ok(findings);
    }
    let there: Option<i32> = client.query_one("select fore_team.version()", &[]).await?.get(0);
    findings.push(match there {
        Some(there) if there == SCHEMA_VERSION => ServerFinding::fine(format!("the schema has version {there}")),
        Some(there) if there > SCHEMA_VERSION => {
            let text =
                format!("the schema has version {there}, this program knows {SCHEMA_VERSION}: update the program");
            ServerFinding::wrong(text, None)
        }
        Some(_) | None => {
            let text = format!("the schema is older than version {SCHEMA_VERSION}: set it up again as its owner");
            ServerFinding::wrong(text, None)
        }
    });
    Ok(findings)
}

/// What an administrator runs once in the database: the schema, the role of members, and these logins with it. A login that is not there is made
/// without a password; give it one.
pub fn server_setup_sql(logins: &[&str]) -> String {
    let mut sql = format!("begin;\n{}\n{SCHEMA}\n", role_sql(MEMBER_ROLE, "nologin"));
    for login in logins {
        sql.push_str(&format!("{}\ngrant {MEMBER_ROLE} to {};\n", role_sql(login, "login"), quoted(login)));
    }
    sql.push_str("commit;\n");
    sql
}

/// Sets a server up with an administrator's login: the schema if it is not there, and the role with these logins.
pub async fn set_up_server(administrator: &ServerUrl, logins: &[&str]) -> TeamResult<()> {
    let fault =
        |error: tokio_postgres::Error| TeamError::Server { url: administrator.to_string(), why: causes(&error) };
    let (client, connection) = administrator.config().connect(administrator.tls()).await.map_err(fault)?;
    tokio::spawn(connection);
    client.execute("select pg_advisory_lock($1)", &[&SET_UP_LOCK]).await.map_err(fault)?;
    let has_schema = "select exists (select from pg_namespace where nspname = 'fore_team')";
    let is_there: bool = client.query_one(has_schema, &[]).await.map_err(fault)?.get(0);
    let mut sql = String::from("begin;\n");
    sql.push_str(&role_sql(MEMBER_ROLE, "nologin"));
    if !is_there {
        sql.push_str(SCHEMA);
    }
    for login in logins {
        sql.push_str(&format!("{}\ngrant {MEMBER_ROLE} to {};\n", role_sql(login, "login"), quoted(login)));
    }
    sql.push_str("commit;\n");
    client.batch_execute(&sql).await.map_err(fault)
}

fn role_sql(role: &str, kind: &str) -> String {
    let (literal, name) = (role.replace('\'', "''").replace('$', ""), quoted(role));
    format!(
        "do $make$ begin if not exists (select from pg_roles where rolname = '{literal}') then create role {name} {kind}; end if; end $make$;\n"
    )
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\"").replace('$', ""))
}
