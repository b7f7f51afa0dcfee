//! Whose server listens on an address of this machine: a model server of another user would read every prompt. It only looks.

use std::net::{IpAddr, SocketAddr};

/// Users below this number belong to the system: services, not people.
const FIRST_PERSON: u32 = 1000;
/// The state of a socket that listens, as the kernel writes it.
const LISTENS: &str = "0A";

/// Who has a listening socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketOwner {
    /// This user, or the system.
    Ours,
    /// Another user of this machine.
    Other(u32),
    /// It listens, and the system does not say whose it is.
    Unknown,
}

/// Who listens there. Somebody does: the caller has knocked.
pub(super) fn owner(address: SocketAddr) -> SocketOwner {
    if !cfg!(target_os = "linux") {
        // Other systems do not tell; they are rarely shared.
        return SocketOwner::Ours;
    }
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    owner_in(&tables.concat(), address, rustix::process::geteuid().as_raw())
}

/// Reads the kernel's tables. With several that could answer, all have to be ours.
fn owner_in(tables: &str, address: SocketAddr, me: u32) -> SocketOwner {
    let mut found = tables.lines().filter_map(|line| listener(line, address));
    let Some(first) = found.next() else { return SocketOwner::Unknown };
    let others = std::iter::once(first).chain(found).find(|user| *user != me && *user >= FIRST_PERSON);
    others.map_or(SocketOwner::Ours, SocketOwner::Other)
}

/// The user of a row that listens on the address, or on every address with its port.
fn listener(row: &str, address: SocketAddr) -> Option<u32> {
    let columns: Vec<&str> = row.split_whitespace().collect();
    let [_, local, _, state, _, _, _, user, ..] = columns.as_slice() else { return None };
    let (ip, port) = local.split_once(':')?;
    let is_there = u16::from_str_radix(port, 16).ok()? == address.port() && *state == LISTENS;
    let ip = ip_of(ip)?.to_canonical();
    let fits = ip == address.ip().to_canonical() || ip.is_unspecified();
    if is_there && fits { user.parse().ok() } else { None }
}

/// Addresses are written as words of four bytes, each in the order of the machine.
fn ip_of(text: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(text.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    match text.len() {
        8 => Some(IpAddr::from(word(0)?)),
        32 => {
            let words = [word(0)?, word(8)?, word(16)?, word(24)?];
            let mut bytes = [0; 16];
            bytes.iter_mut().zip(words.iter().flatten()).for_each(|(to, from)| *to = *from);
            Some(IpAddr::from(bytes))
        }
        _ => None,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn row(local: &str, state: &str, user: u32) -> String {
        format!("   0: {local} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  {user}        0 1234 1\n")
    }

    fn hex(ip: &str, port: u16) -> String {
        let words: String = match ip.parse().unwrap_or(IpAddr::from([0; 4])) {
            IpAddr::V4(ip) => format!("{:08X}", u32::from_ne_bytes(ip.octets())),
            IpAddr::V6(ip) => {
                let words =
                    ip.octets().chunks(4).map(|w| u32::from_ne_bytes([w[0], w[1], w[2], w[3]])).collect::<Vec<_>>();
                words.iter().map(|word| format!("{word:08X}")).collect()
            }
        };
        format!("{words}:{port:04X}")
    }

    #[test]
    fn a_socket_of_another_person_is_not_ours_and_one_of_the_system_is() {
        let address: SocketAddr = "127.0.0.1:11434".parse().unwrap();
        let page = [
            (row(&hex("127.0.0.1", 11434), "0A", 1000), SocketOwner::Ours),
            (row(&hex("127.0.0.1", 11434), "0A", 0), SocketOwner::Ours),
            (row(&hex("127.0.0.1", 11434), "0A", 998), SocketOwner::Ours),
            (row(&hex("127.0.0.1", 11434), "0A", 1001), SocketOwner::Other(1001)),
            (row(&hex("0.0.0.0", 11434), "0A", 65534), SocketOwner::Other(65534)),
            (row(&hex("::", 11434), "0A", 1001), SocketOwner::Other(1001)),
            (row(&hex("::ffff:127.0.0.1", 11434), "0A", 1001), SocketOwner::Other(1001)),
            (row(&hex("127.0.0.1", 11434), "01", 1000), SocketOwner::Unknown),
            (row(&hex("127.0.0.1", 11435), "0A", 1000), SocketOwner::Unknown),
            (row(&hex("127.0.0.2", 11434), "0A", 1000), SocketOwner::Unknown),
            (row(&hex("127.0.0.1", 11434), "0A", 1000) + &row(&hex("::", 11434), "0A", 1001), SocketOwner::Other(1001)),
            (String::new(), SocketOwner::Unknown),
        ];
        for (tables, expected) in page {
            assert_eq!(owner_in(&tables, address, 1000), expected, "{tables}");
        }
    }

    #[test]
    fn a_socket_of_this_program_is_ours() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert_eq!(owner(listener.local_addr().unwrap()), SocketOwner::Ours);
    }
}
