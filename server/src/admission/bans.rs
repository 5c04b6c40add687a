//! The banned networks, as the server keeps them in memory.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};

use ipnet::{IpNet, Ipv6Net};

use crate::domain::time::Millis;
use crate::store::Ban;

/// The networks that are banned, with the time at which each ban ends.
#[derive(Default)]
pub struct Bans {
    some: AtomicBool,
    list: RwLock<Vec<(IpNet, Option<Millis>)>>,
}

impl Bans {
    /// Whether there are no bans, so that requests need no check.
    pub fn is_empty(&self) -> bool {
        !self.some.load(Ordering::Acquire)
    }

    /// Replaces all bans.
    pub fn replace(&self, bans: Vec<Ban>) {
        let parsed = bans.into_iter().filter_map(|ban| Some((ban.network.parse().ok()?, ban.until_ms)));
        let parsed: Vec<_> = parsed.collect();
        self.some.store(!parsed.is_empty(), Ordering::Release);
        // The list stays whole even if a thread panicked while it held the lock.
        *self.list.write().unwrap_or_else(PoisonError::into_inner) = parsed;
    }

    /// Whether this address is banned at this time. For IPv6 addresses, a ban covers at least a /64 network.
    pub fn covers(&self, address: IpAddr, now: Millis) -> bool {
        let list = self.list.read().unwrap_or_else(PoisonError::into_inner);
        list.iter()
            .any(|(network, until)| network.contains(&address) && until.is_none_or(|until| now < until))
    }
}

/// Reads a network in CIDR notation, or an address, into the form that bans use: without host bits, an IPv4 address
/// mapped into IPv6 as IPv4, and at least a /64 for IPv6.
///
/// # Errors
/// A sentence that describes the error in the text.
pub fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let parsed =
        text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(|ip| IpNet::from(ip.to_canonical())));
    let network = parsed.map_err(|_| {
        let shown: String = text.chars().take(60).collect();
        format!("{shown:?} is neither an address nor a network; write 192.0.2.7 or 192.0.2.0/24")
    })?;
    Ok(match network {
        IpNet::V6(v6) if v6.prefix_len() > 64 => Ipv6Net::new_assert(v6.addr(), 64).trunc().into(),
        other => other.trunc(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read_and_widened() {
        for (text, read) in [
            ("192.0.2.7", "192.0.2.7/32"),
            ("192.0.2.7/24", "192.0.2.0/24"),
            ("::ffff:192.0.2.7", "192.0.2.7/32"),
            ("2001:db8::1", "2001:db8::/64"),
            ("2001:db8::/32", "2001:db8::/32"),
        ] {
            assert_eq!(network(text).unwrap().to_string(), read);
        }
        for text in ["", "nowhere", "192.0.2.7/33", "192.0.2"] {
            assert!(network(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bans_cover_their_network_until_they_end() {
        let bans = Bans::default();
        assert!(bans.is_empty());
        let ban = |network: &str, until_ms| Ban {
            network: network.to_owned(),
            reason: String::new(),
            created_ms: 0,
            until_ms,
        };
        bans.replace(vec![ban("192.0.2.0/24", None), ban("2001:db8::/64", Some(10))]);
        let covers = |ip: &str, now| bans.covers(ip.parse().unwrap(), now);
        assert!(covers("192.0.2.200", 99) && !covers("192.0.3.1", 99));
        assert!(covers("2001:db8::", 9) && !covers("2001:db8::", 10));
        bans.replace(Vec::new());
        assert!(bans.is_empty());
    }
}
