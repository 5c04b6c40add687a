//! The client for which a request is counted. Limits and shares of engine time use this key.

use std::net::{IpAddr, Ipv6Addr};

/// The client for which a request is counted: its network address, and the player whose token it sent.
///
/// The address is always part of the key, because names are free: a caller who registers more players must not get
/// more than one address may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClientId {
    network: IpAddr,
    player: Option<String>,
}

impl ClientId {
    /// The key of a request from this address. `player`: the id of the player whose token was shown; `None` for guests.
    pub fn new(address: IpAddr, player: Option<String>) -> Self {
        let network = match address.to_canonical() {
            ip @ IpAddr::V4(_) => ip,
            // The owner of one IPv6 address usually owns its whole /64.
            IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & !u128::from(u64::MAX))),
        };
        Self { network, player }
    }

    /// The address, for IPv6 the /64 network that contains it.
    pub fn network(&self) -> IpAddr {
        self.network
    }

    /// The id of the player, `None` for guests.
    pub fn player(&self) -> Option<&str> {
        self.player.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_distinguished_by_network_and_player() {
        let guest = |ip: &str| ClientId::new(ip.parse().unwrap(), None);
        assert_eq!(guest("2001:db8::1"), guest("2001:db8::ffff:1"), "one /64 is one client");
        assert_ne!(guest("2001:db8::1"), guest("2001:db8:0:1::1"));
        assert_ne!(guest("10.0.0.1"), guest("10.0.0.2"));
        assert_eq!(guest("::ffff:10.0.0.1"), guest("10.0.0.1"), "an IPv4 address mapped into IPv6");
        let player = ClientId::new("10.0.0.1".parse().unwrap(), Some("ada".to_owned()));
        assert_ne!(player, guest("10.0.0.1"));
        assert_eq!(player.network(), guest("10.0.0.1").network());
    }
}
