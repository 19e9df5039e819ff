//! Which IP addresses are on the open web.

// `core::net` has the addresses and no sockets.
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is anything but a place on the open web: this machine, a private or local network, a metadata
/// service, a range with a special purpose. Source: the special-purpose registries of IANA.
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
        // Carrier-grade NAT, protocol assignments, and the range for benchmarks.
        || matches!(octets, [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18 | 19, ..])
        // The one public address at which a cloud serves its machines' metadata.
        || octets == [168, 63, 129, 16]
}

fn is_special_v6(address: Ipv6Addr) -> bool {
    let v4 = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        // An IPv4 address: mapped, behind NAT64, or as the router of a 6to4 network.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => is_special_v4(v4(high, low)),
        // Protocol assignments, Teredo among them, and documentation.
        [0x2001, 0..0x200 | 0xdb8, ..] => true,
        // Nothing else has been given out for the open web than 2000::/3.
        [first, ..] => first & 0xe000 != 0x2000,
    }
}
