//! What the server's words mean: a refusal of ours, something that passes, or a fault to be told.

use super::url::ServerUrl;
use crate::{
    error::TeamError,
    name::{MemberName, TeamName},
    task::TaskId,
};
use std::error::Error as _;
use tokio_postgres::Error;

/// Whether the same call may well succeed a moment later.
pub(super) fn wait_is_worth(error: &Error) -> bool {
    let Some(code) = error.code() else {
        // No word of the server's: it is gone, or a proxy is. What is wrong with the certificate or the login stays wrong.
        return !is_certificate(error) && !error.to_string().contains("authentication");
    };
    let code = code.code();
    // Shutting down, starting up, too many connections, a conflict of two that wrote at once.
    code.starts_with("08") || code.starts_with("57P0") || code.starts_with("40") || code.starts_with("53")
}

fn is_certificate(error: &Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.to_string().contains("certificate") {
            return true;
        }
        cause = inner.source();
    }
    false
}

/// The refusal that a code of ours stands for, or the fault in words.
pub(super) fn refusal(error: &Error, url: &ServerUrl) -> TeamError {
    let fault = |why: String| TeamError::Server { url: url.to_string(), why };
    let Some(told) = error.as_db_error() else { return fault(causes(error)) };
    let about = told.message();
    let member = |about: &str| about.parse::<MemberName>();
    let team = |about: &str| about.parse::<TeamName>();
    let full = |then| TeamError::Full { what: about.to_owned(), max: limit(about), then };
    let named = |make: &dyn Fn(MemberName) -> TeamError| member(about).map_or_else(|error| error, make);
    match told.code().code() {
        "FT001" => team(about).map_or_else(|error| error, |team| TeamError::NoSuchTeam { team, nearest: None }),
        "FT002" => TeamError::NotThisLogin(about.to_owned()),
        "FT003" => named(&TeamError::HasLeft),
        "FT004" => named(&TeamError::PlaceLost),
        "FT005" => named(&TeamError::OpenElsewhere),
        "FT006" => team(about).map_or_else(|error| error, TeamError::TeamExists),
        "FT007" => TeamError::NotForThisLogin(about.to_owned()),
        "FT008" => team(about).map_or_else(|error| error, TeamError::Ended),
        "FT009" => named(&TeamError::UnknownMember),
        "FT010" => TeamError::Full {
            what: format!("the inbox of `{about}`"),
            max: crate::mail::MAX_WAITING,
            then: "it has to read first",
        },
        "FT011" => TeamError::BadId(about.to_owned()),
        "FT012" => named(&TeamError::RequestWaits),
        "FT013" => TeamError::RequestDiffers(about.to_owned()),
        "FT014" => full("end this team and start a new one"),
        "FT015" => named(&TeamError::MemberExists),
        "FT016" => TeamError::LeadStays,
        "FT017" => TeamError::ToItself,
        "FT018" => TeamError::TooLarge {
            what: "a message",
            bytes: about.parse().unwrap_or(0),
            max: crate::mail::MAX_TEXT_BYTES,
        },
        "FT019" => TeamError::NotByHand("record"),
        "FT020" => TeamError::NoSuchTask(TaskId(about.parse().unwrap_or(0))),
        "FT021" => TeamError::TaskOver(TaskId(about.parse().unwrap_or(0))),
        "FT022" => TeamError::OwnRequest,
        "FT023" => TeamError::NoSuchRequest(about.to_owned()),
        "FT024" => TeamError::OtherBytes(about.to_owned()),
        "FT025" => TeamError::OtherRequest(about.to_owned()),
        // No such schema, no such function, no right to it.
        "3F000" | "42883" | "42501" => {
            fault(format!("{about}; the server is not set up for this login, run `fore team serve-check`"))
        }
        _ => fault(about.to_owned()),
    }
}

fn limit(list: &str) -> usize {
    match list {
        "the roster" => crate::roster::MAX_MEMBERS,
        "the list of requests" => crate::request::MAX_REQUESTS,
        _ => crate::task::MAX_TASKS,
    }
}

/// The words of an error with those of its causes.
pub(super) fn causes(error: &Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = inner.source();
    }
    fore_text::cut::ellipsis(&words, 500).into_owned()
}
