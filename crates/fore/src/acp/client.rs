//! The client on the other side: what it is called, what it can show, and what its yes to a plan is worth.

use crate::settings::AcpApproval;
use agent_client_protocol::v1::schema::{ClientCapabilities, InitializeRequest};
use std::time::Duration;

/// Letters of a client's name and version that are kept.
const MAX_LETTERS: usize = 60;
/// Nobody has read a plan so soon.
const FIRST_MOMENT: Duration = Duration::from_secs(1);
/// Clients that answer by themselves when they are told to.
const AUTOMATIC: &[&str] = &["acpx"];

/// Who it is and what it can do.
#[derive(Clone, Debug)]
pub(super) struct EditorClient {
    /// Name and version, for receipts.
    pub(super) shown: String,
    name: String,
    /// Plans by an id of their own, as Markdown.
    pub(super) shows_plans: bool,
    /// Forms.
    pub(super) has_forms: bool,
    /// Notices beside the conversation.
    pub(super) has_notices: bool,
    /// Files as it shows them, with what is not saved.
    pub(super) reads_files: bool,
}

/// What a yes to a plan is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum YesVerdict {
    Counts,
    /// It came before anybody could have read the plan.
    TooSoon,
    /// The client answers by itself.
    Automatic,
}

impl EditorClient {
    pub(super) fn new(request: &InitializeRequest) -> EditorClient {
        let info = request.client_info.as_ref();
        let word = |text: &str| {
            let line = fore_text::cut::one_line(text);
            fore_text::line(fore_text::cut::chars(&line, MAX_LETTERS)).trim().to_owned()
        };
        let name = info.map(|info| word(&info.name)).filter(|name| !name.is_empty());
        let version = info.map(|info| word(&info.version)).unwrap_or_default();
        let name = name.unwrap_or_else(|| "an ACP client".to_owned());
        let ClientCapabilities { plan, elicitation, session, fs, .. } = &request.client_capabilities;
        EditorClient {
            shown: format!("{name} {version}").trim_end().to_owned(),
            name,
            shows_plans: plan.is_some(),
            has_forms: elicitation.as_ref().is_some_and(|forms| forms.supports_form()),
            has_notices: session.as_ref().is_some_and(|session| session.notices.is_some()),
            reads_files: fs.read_text_file,
        }
    }

    /// What its yes to a plan is worth, if it came after this time.
    pub(super) fn verdict(&self, approval: AcpApproval, took: Duration) -> YesVerdict {
        match approval {
            AcpApproval::Client => YesVerdict::Counts,
            AcpApproval::Person | AcpApproval::Form => {
                if AUTOMATIC.iter().any(|name| self.name.eq_ignore_ascii_case(name)) {
                    YesVerdict::Automatic
                } else if took < FIRST_MOMENT {
                    YesVerdict::TooSoon
                } else {
                    YesVerdict::Counts
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_client_protocol::{schema::ProtocolVersion, v1::schema::Implementation};

    fn client(name: &str, version: &str) -> EditorClient {
        let info = Implementation::new(name, version);
        EditorClient::new(&InitializeRequest::new(ProtocolVersion::V1).client_info(info))
    }

    #[test]
    fn a_client_is_named_by_what_it_says_of_itself_and_hides_nothing() {
        assert_eq!(client("zed", "0.230.1").shown, "zed 0.230.1");
        assert_eq!(client(" ", "").shown, "an ACP client");
        assert_eq!(client("two\nlines", "1\u{1b}[2J").shown, "two lines 1\\u{1b}[2J");
        assert_eq!(client(&"x".repeat(500), "1").shown.len(), MAX_LETTERS + 2);
        assert_eq!(EditorClient::new(&InitializeRequest::new(ProtocolVersion::V1)).shown, "an ACP client");
    }

    #[test]
    fn only_a_person_approves_unless_their_settings_say_otherwise() {
        let (soon, later) = (Duration::from_millis(999), Duration::from_secs(1));
        let page = [
            ("zed", AcpApproval::Person, soon, YesVerdict::TooSoon),
            ("zed", AcpApproval::Person, later, YesVerdict::Counts),
            ("zed", AcpApproval::Form, soon, YesVerdict::TooSoon),
            ("zed", AcpApproval::Client, soon, YesVerdict::Counts),
            ("acpx", AcpApproval::Person, later, YesVerdict::Automatic),
            ("ACPX", AcpApproval::Form, later, YesVerdict::Automatic),
            ("acpx", AcpApproval::Client, soon, YesVerdict::Counts),
        ];
        for (name, approval, took, expected) in page {
            assert_eq!(client(name, "1").verdict(approval, took), expected, "{name} {approval:?} {took:?}");
        }
    }
}
