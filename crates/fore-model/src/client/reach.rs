//! Why a server could not be reached, in words, with what to do; and whether trying again may help.

/// What stands between this program and a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreached {
    /// Why, in a few words.
    pub(super) why: &'static str,
    /// What a person can do about it.
    pub(super) remedy: &'static str,
    /// Waiting does not help.
    pub(super) hopeless: bool,
}

/// Letters of an error's causes (lower case), and what they mean. The first that fits counts.
const CAUSES: &[(&[&str], Unreached)] = &[
    (
        &["unknownissuer", "unknown issuer", "self-signed", "self signed"],
        Unreached {
            why: "its certificate is signed by an authority that this machine does not know",
            remedy: "If that is your company's, put the file with its certificate into SSL_CERT_FILE.",
            hopeless: true,
        },
    ),
    (
        &["notvalidforname", "not valid for name"],
        Unreached { why: "its certificate is for another name", remedy: "Check the host in baseUrl.", hopeless: true },
    ),
    (
        &["expired"],
        Unreached {
            why: "its certificate has expired",
            remedy: "Whoever runs the server can renew it.",
            hopeless: true,
        },
    ),
    (
        &["invalid peer certificate", "badsignature", "unsupported certificate"],
        Unreached {
            why: "its certificate is not valid",
            remedy: "Whoever runs the server can fix it.",
            hopeless: true,
        },
    ),
    (
        &["invalidcontenttype", "corrupt message", "wrong version number"],
        Unreached {
            why: "it does not speak TLS",
            remedy: "Should baseUrl begin with http:// instead of https://?",
            hopeless: true,
        },
    ),
    (
        &["proxy authorization required", "proxy authentication required", "407"],
        Unreached {
            why: "the proxy wants a login",
            remedy: "Put user and password into HTTPS_PROXY or the setting `proxy`: http://user:password@host:port.",
            hopeless: true,
        },
    ),
    (
        &["dns error", "failed to lookup", "name or service not known"],
        Unreached { why: "DNS lookup failed", remedy: "Are you online?", hopeless: false },
    ),
    (
        &["tunnel error: unsuccessful"],
        Unreached {
            why: "the proxy refused",
            remedy: "It may not let this host through, or not know the login in HTTPS_PROXY or `proxy`.",
            hopeless: false,
        },
    ),
    (
        &["tunnel error", "proxy"],
        Unreached {
            why: "the proxy did not connect",
            remedy: "Check HTTPS_PROXY, NO_PROXY and `proxy`.",
            hopeless: false,
        },
    ),
    (&["connection refused"], Unreached { why: "connection refused", remedy: "", hopeless: false }),
    (&["timed out", "timeout"], Unreached { why: "no connection in time", remedy: "", hopeless: false }),
    (
        &["network is unreachable", "no route to host"],
        Unreached { why: "no network leads to it", remedy: "Are you online?", hopeless: false },
    ),
    (
        &[
            "connection reset",
            "broken pipe",
            "connection closed",
            "unexpected eof",
            "incompletemessage",
            "close_notify",
        ],
        Unreached { why: "the connection broke", remedy: "", hopeless: false },
    ),
];

/// What the causes of an error mean, where that is known.
pub(super) fn cause(described: &str) -> Option<Unreached> {
    let lower = described.to_lowercase();
    CAUSES.iter().find(|(letters, _)| letters.iter().any(|these| lower.contains(these))).map(|(_, means)| *means)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waiting_does_not_help_against_is_known() {
        let page = [
            ("client error (Connect): invalid peer certificate: UnknownIssuer", Some(true)),
            ("invalid peer certificate: certificate not valid for name \"localhost\"", Some(true)),
            ("client error (Connect): tunnel error: proxy authorization required", Some(true)),
            ("received corrupt message of type InvalidContentType", Some(true)),
            ("client error (Connect): tunnel error: unsuccessful", Some(false)),
            ("client error (Connect): dns error: failed to lookup address information", Some(false)),
            ("tcp connect error: Connection refused (os error 111)", Some(false)),
            ("something new", None),
        ];
        for (described, hopeless) in page {
            assert_eq!(cause(described).map(|cause| cause.hopeless), hopeless, "{described}");
        }
    }
}
