//! Looks whether a PostgreSQL server can keep teams, and says what is missing: `cargo run -p fore-team --example serve_check -- URL`.
//!
//! With `--set-up LOGIN…` behind the address of an administrator it sets the server up for these logins.

use fore_team::{ServerUrl, TeamResult, check_server, set_up_server};
use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [url] => check(url).await,
        [url, "--set-up", logins @ ..] => set_up(url, logins).await,
        _ => {
            eprintln!("serve_check postgres://LOGIN@HOST/DATABASE [--set-up LOGIN…]");
            return ExitCode::from(2);
        }
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

async fn check(url: &str) -> TeamResult<ExitCode> {
    let mut all_fine = true;
    for finding in check_server(&ServerUrl::parse(url)?).await {
        all_fine &= finding.is_fine;
        println!("{} {}", if finding.is_fine { "✓" } else { "✗" }, finding.text);
        if let Some(sql) = finding.sql {
            println!("  An administrator of the database can run:\n\n{sql}");
        }
    }
    Ok(if all_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn set_up(url: &str, logins: &[&str]) -> TeamResult<ExitCode> {
    set_up_server(&ServerUrl::parse(url)?, logins).await?;
    println!("✓ the server keeps teams for {}", logins.join(", "));
    Ok(ExitCode::SUCCESS)
}
