//! Values of git's options that decide more than how something looks.

use crate::grammar::ValueType;
use fore_shell::{
    CommandKind,
    git::{checks_signatures, is_signature_field},
};

/// What a value does besides being read, and why; `None` where it is harmless.
type ValueProblem = Option<(CommandKind, &'static str)>;

/// A format string, which may ask for a signature check.
pub(super) const FORMAT: ValueType = ValueType::Judged(format);
/// A field to sort by.
pub(super) const SORT_FIELD: ValueType = ValueType::Judged(sort_field);
/// How merges are shown.
pub(super) const MERGES: ValueType = ValueType::Judged(merges);
/// How submodules are shown.
pub(super) const SUBMODULES: ValueType = ValueType::Judged(submodules);
/// Any text, but it must stand there.
pub(super) const CERTAIN: ValueType = ValueType::Judged(certain);

const RUN_TIME_FORMAT: ValueProblem =
    Some((CommandKind::Unknown, "this format is decided at run time and may run gpg"));

fn format(value: Option<&str>) -> ValueProblem {
    match value {
        None => RUN_TIME_FORMAT,
        Some(format) if checks_signatures(format) => {
            Some((CommandKind::Runs, "this format checks signatures, which runs gpg"))
        }
        Some(_) => None,
    }
}

fn sort_field(value: Option<&str>) -> ValueProblem {
    match value {
        None => RUN_TIME_FORMAT,
        Some(field) if is_signature_field(field) => Some((CommandKind::Runs, "sorting by signature runs gpg")),
        Some(_) => None,
    }
}

fn merges(value: Option<&str>) -> ValueProblem {
    match value {
        Some("r" | "remerge") | None => {
            Some((CommandKind::Writes, "this writes temporary objects into the repository"))
        }
        Some(way) if "remerge".starts_with(way) => Some((CommandKind::Unknown, "not a known way to show merges")),
        Some(_) => None,
    }
}

fn submodules(value: Option<&str>) -> ValueProblem {
    match value {
        Some("short" | "log") => None,
        Some(_) | None => {
            Some((CommandKind::Unknown, "this runs git inside submodules, whose settings were not looked at"))
        }
    }
}

fn certain(value: Option<&str>) -> ValueProblem {
    value.is_none().then_some((CommandKind::Unknown, "this is decided at run time"))
}
