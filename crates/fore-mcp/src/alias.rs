//! The one name that a server's tool has for models, rules and hooks: short, plain and the same tomorrow.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What providers accept at most.
const MAX_ALIAS: usize = 64;
/// Digits of the hash that tells names apart which would otherwise look alike.
const HASH_DIGITS: usize = 12;
const PREFIX: &str = "mcp__";

/// `mcp__server__tool`, of letters, digits, `_` and `-`, at most 64 letters long. Where a name had to be changed or cut, or could be
/// read as another server's, it ends with a hash of the true names, so no two tools share an alias.
pub fn tool_alias(server: &str, tool: &str) -> String {
    let plain = format!("{PREFIX}{server}__{tool}");
    if is_plain(server) && is_plain(tool) && plain.len() <= MAX_ALIAS && is_one_way(server) && !ends_like_hash(&plain) {
        return plain;
    }
    let room = MAX_ALIAS - PREFIX.len() - "__".len() - "_".len() - HASH_DIGITS;
    // The tool says more than the server.
    let (server_part, tool_part) = (spelled(server), spelled(tool));
    let server_room = server_part.len().min((room - tool_part.len().min(room)).max(room / 3));
    let server_part = server_part.get(..server_room).unwrap_or_default().trim_end_matches('_');
    let tool_room = tool_part.len().min(room - server_part.len());
    let tool_part = tool_part.get(..tool_room).unwrap_or_default();
    format!("{PREFIX}{server_part}__{tool_part}_{}", hash(server, tool))
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_plain_letter)
}

fn is_plain_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// Whether the first `__` behind the prefix is the one that parts server and tool.
fn is_one_way(server: &str) -> bool {
    !server.contains("__") && !server.ends_with('_')
}

fn ends_like_hash(name: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(_, end)| {
        end.len() == HASH_DIGITS && end.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Only plain letters, so that bytes and characters are the same.
fn spelled(name: &str) -> String {
    let letters = name.chars().map(|letter| if is_plain_letter(letter) { letter } else { '_' });
    letters.take(MAX_ALIAS).collect()
}

fn hash(server: &str, tool: &str) -> String {
    let mut hasher = Sha256::new();
    hasher.update((server.len() as u64).to_le_bytes());
    hasher.update(server.as_bytes());
    hasher.update(tool.as_bytes());
    let mut digits = String::new();
    for byte in hasher.finalize().iter().take(HASH_DIGITS / 2) {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_plain_name_stays_as_it_is() {
        assert_eq!(tool_alias("git", "git_status"), "mcp__git__git_status");
        assert_eq!(tool_alias("a", "_b"), "mcp__a___b");
    }

    #[test]
    fn every_alias_is_short_plain_and_stable() {
        let long = "x".repeat(300);
        for (server, tool) in
            [("my server", "do it"), (&long, "tool"), ("s", &long), (&long, &long), ("", ""), ("日本", "語\u{202e}")]
        {
            let alias = tool_alias(server, tool);
            assert!(alias.len() <= MAX_ALIAS && alias.chars().all(is_plain_letter), "{alias}");
            assert!(alias.starts_with(PREFIX) && ends_like_hash(&alias), "{alias}");
            assert_eq!(alias, tool_alias(server, tool));
        }
        assert_eq!(tool_alias("my server", "do it"), "mcp__my_server__do_it_101a16ddddda");
    }

    #[test]
    fn no_two_tools_share_an_alias() {
        let pairs = [
            ("a__b", "c"),
            ("a", "b__c"),
            ("a_", "b"),
            ("a", "_b"),
            ("a b", "c"),
            ("a_b", "c"),
            ("a.b", "c"),
            ("a", "b c"),
            ("a", "b_c"),
            ("a", &tool_alias("a", "b c")["mcp__a__".len()..]),
            ("a", &"x".repeat(200)),
            ("a", &"x".repeat(201)),
        ];
        let aliases: BTreeSet<String> = pairs.iter().map(|(server, tool)| tool_alias(server, tool)).collect();
        assert_eq!(aliases.len(), pairs.len(), "{aliases:#?}");
    }
}
