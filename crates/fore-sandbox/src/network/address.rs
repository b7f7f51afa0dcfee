//! Which addresses are public servers, and where a name that was approved may lead. Decides by numbers only; looks up nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ends of names that no public server can have.
const PRIVATE_ENDS: [&str; 5] = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];

/// A name that means this machine or a private network to everybody, so that whoever says yes to it means that.
pub fn is_private_name(name: &str) -> bool {
    name.parse::<IpAddr>().is_err() && (!name.contains('.') || PRIVATE_ENDS.iter().any(|end| name.ends_with(end)))
}

/// Whether a host that was approved by this name may lead to the address. Services that hand out a machine's credentials listen
/// on link-local addresses, so no name leads there: whoever wants one of them names the address.
pub fn may_lead_to(name: &str, address: IpAddr) -> bool {
    match name.parse::<IpAddr>() {
        Ok(named) => named == address,
        Err(_) if is_private_name(name) => !is_link_local(address) && !is_metadata(address),
        Err(_) => !is_inward(address),
    }
}

/// Everything but public servers: this machine, private networks, and addresses that stand for nobody.
pub fn is_inward(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_inward_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => is_inward_v4(inner),
            None => {
                let segments = address.segments();
                let [first, second, ..] = segments;
                // Global addresses begin with 001; of those some ranges are for examples, tunnels and tests.
                first & 0xe000 != 0x2000
                    || (first == 0x2001 && (second < 0x200 || second == 0xdb8))
                    || (first == 0x3fff && second < 0x1000)
            }
        },
    }
}

fn is_inward_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match a {
        0 | 127 | 224.. => true,
        100 => (64..128).contains(&b),
        192 => (b == 0 && (c == 0 || c == 2)) || (b == 88 && c == 99),
        198 => b == 18 || b == 19 || (b == 51 && c == 100),
        203 => b == 0 && c == 113,
        _ => false,
    };
    is_special || address.is_private() || address.is_link_local()
}

fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => inner.is_link_local(),
            None => address.is_unicast_link_local(),
        },
    }
}

/// Addresses outside the link-local range at which clouds hand out credentials.
fn is_metadata(address: IpAddr) -> bool {
    const KNOWN: [IpAddr; 3] = [
        IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
        IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
        IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    ];
    KNOWN.contains(&address)
}

/// The old address in a new one, where a gateway would take it out again.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [s0, s1, s2, s3, s4, s5, s6, s7] = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match (s0, s1, s2, s3, s4, s5) {
        (0, 0, 0, 0, 0, 0xffff) | (0, 0, 0, 0, 0xffff, 0) | (0x64, 0xff9b, 0, 0, 0, 0) => Some(of(s6, s7)),
        (0x2002, high, low, ..) => Some(of(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_public_name_never_leads_inwards() {
        let inward = [
            "127.0.0.1",
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "::ffff:127.0.0.1",
            "::ffff:0:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "::7f00:1",
        ];
        for text in inward {
            assert!(!may_lead_to("docs.rs", address(text)), "{text}");
        }
        for text in ["93.184.215.14", "2606:4700::1", "::ffff:93.184.215.14"] {
            assert!(may_lead_to("docs.rs", address(text)), "{text}");
        }
    }

    #[test]
    fn a_private_name_leads_inwards_but_never_to_credentials() {
        for name in ["localhost", "wiki", "printer.local", "metadata.google.internal", "shop.localhost"] {
            assert!(is_private_name(name), "{name}");
            assert!(may_lead_to(name, address("127.0.0.1")) && may_lead_to(name, address("::1")));
            for text in ["169.254.169.254", "fe80::1", "fd00:ec2::254", "100.100.100.200", "::ffff:169.254.169.254"] {
                assert!(!may_lead_to(name, address(text)), "{name} {text}");
            }
        }
        assert!(!is_private_name("127.0.0.1") && !is_private_name("::1") && !is_private_name("localhost.example"));
    }

    #[test]
    fn an_address_leads_to_itself_alone() {
        assert!(may_lead_to("169.254.169.254", address("169.254.169.254")));
        assert!(!may_lead_to("127.0.0.1", address("127.0.0.2")));
        assert!(!may_lead_to("127.0.0.1", address("::1")));
    }
}
