//! IP addresses that are not on the open web.

// Addresses come from `core::net`, because pure modules may not use `std::net`, which has sockets.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns true if the address is not on the open web: it belongs to this machine, a private or local network, a
/// metadata service, or a range with a special purpose. Source: the special-purpose registries of IANA.
pub(super) fn is_special(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_special_v4(v4),
        IpAddr::V6(v6) => is_special_v6(v6),
    }
}

fn is_special_v4(address: Ipv4Addr) -> bool {
    let octets = address.octets();
    address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_multicast()
        || matches!(octets, [0 | 240..=255, ..])
        // In this order: carrier-grade NAT, protocol assignments, and the range for benchmarks.
        || matches!(octets, [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18 | 19, ..])
        // The one public address at which a cloud serves its machines' metadata.
        || octets == [168, 63, 129, 16]
}

fn is_special_v6(address: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // IPv4 addresses written as IPv6 addresses: mapped, NAT64, 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => is_special_v4(v4(high, low)),
        // Protocol assignments (Teredo among them) and documentation.
        [0x2001, 0..0x200 | 0xdb8, ..] => true,
        // Only 2000::/3 has been assigned for the open web.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}
