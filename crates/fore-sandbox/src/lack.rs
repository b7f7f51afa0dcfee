//! Why a cage could not be built, told apart: what this machine does not have, and what only went wrong this time.

use crate::error::CageError;
use fore_plan::gate::table::Lack;

/// Whether the same try would fail again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LackDuration {
    Yes,
    No,
}

/// The kernel says that it does not do this, or not for this person. Everything else is an accident.
pub(crate) fn is_forbidden(errno: i32) -> bool {
    match errno {
        libc::EPERM | libc::EACCES | libc::ENOSYS | libc::EINVAL | libc::EOPNOTSUPP => true,
        // So many namespaces are there already; or none may be made at all.
        libc::ENOSPC | libc::EUSERS => namespaces_are_switched_off(),
        _ => false,
    }
}

fn namespaces_are_switched_off() -> bool {
    std::fs::read_to_string("/proc/sys/user/max_user_namespaces").is_ok_and(|most| most.trim() == "0")
}

/// What is missing, in words, and whether it stays so.
pub(crate) fn of(error: &CageError) -> (Lack, LackDuration) {
    let (errno, advice, lasts) = match error {
        CageError::Layer { layer, errno, .. } => {
            let lasts = if errno.is_some_and(is_forbidden) { LackDuration::Yes } else { LackDuration::No };
            (*errno, layer.advice(), lasts)
        }
        CageError::Io(error) => (error.raw_os_error(), TRY_AGAIN, LackDuration::No),
        CageError::Setup { .. } | CageError::SetupMissing => (None, INSTALL, LackDuration::No),
        CageError::TempFolder { .. } => (None, TEMP, LackDuration::No),
        CageError::Unusable { .. }
        | CageError::CommittedSecret { .. }
        | CageError::NotPermitted
        | CageError::NotStarted { .. }
        | CageError::Lost(_) => (None, TRY_AGAIN, LackDuration::No),
    };
    let remedy = remedy(errno, advice);
    (Lack { reason: error.reason().into(), remedy: format!("{}.", remedy.trim_end_matches('.')).into() }, lasts)
}

const TRY_AGAIN: &str = "It is tried again with the next command; `fore doctor` tells more";
pub(crate) const DOCTOR: &str = "Run `fore doctor` to see what this machine can hold";
pub(crate) const INSTALL: &str =
    "Install this program again: its set-up program is missing, or belongs to another version";
pub(crate) const TEMP: &str = "Let TMPDIR name a folder that exists, is writable and has room";

/// What to do: about what this machine has run out of, if it has, or else what is said of the layer.
pub(crate) fn remedy(errno: Option<i32>, advice: &'static str) -> &'static str {
    errno.and_then(shortage).unwrap_or(advice)
}

/// What to do when this machine has run out of something.
fn shortage(errno: i32) -> Option<&'static str> {
    match errno {
        libc::EMFILE => Some("Raise the limit of open files (`ulimit -n 1024`) and start again"),
        libc::ENFILE => Some("Too many files are open on this machine: close some programs"),
        libc::ENOMEM => Some("There is not enough free memory: close some programs"),
        libc::EAGAIN => Some("Too many processes run already: close some, or raise the limit (`ulimit -u`)"),
        libc::ENOSPC | libc::EDQUOT => Some("There is no room left: free some space, or some namespaces"),
        libc::EROFS => Some("The disk is read-only there: let TMPDIR name a folder that can be written"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protection::Layer;

    #[test]
    fn what_this_machine_lacks_lasts_and_what_it_ran_out_of_does_not() {
        let layer = |errno| CageError::Layer { layer: Layer::Namespaces, errno, reason: "it said no".into() };
        let io = |errno| CageError::Io(std::io::Error::from_raw_os_error(errno));
        let page = [
            (layer(Some(libc::EPERM)), LackDuration::Yes, "Allow unprivileged user namespaces"),
            (layer(Some(libc::ENOSYS)), LackDuration::Yes, "Allow unprivileged user namespaces"),
            (layer(Some(libc::ENOMEM)), LackDuration::No, "There is not enough free memory"),
            (layer(Some(libc::EMFILE)), LackDuration::No, "Raise the limit of open files"),
            (layer(None), LackDuration::No, "Allow unprivileged user namespaces"),
            (io(libc::EMFILE), LackDuration::No, "Raise the limit of open files"),
            (io(libc::EAGAIN), LackDuration::No, "Too many processes"),
            (CageError::SetupMissing, LackDuration::No, "Install this program again"),
            (CageError::Lost("gone".into()), LackDuration::No, "It is tried again"),
        ];
        for (error, lasts, remedy) in page {
            let (lack, found) = of(&error);
            assert_eq!(found, lasts, "{error}");
            assert!(lack.remedy.starts_with(remedy), "{lack:?}");
            assert!(!lack.reason.ends_with('.'), "{lack:?}");
        }
    }
}
