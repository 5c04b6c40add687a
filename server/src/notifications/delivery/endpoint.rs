//! The address of a subscription, and the machines that this server may connect to for one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use axum::http::Uri;
use axum::http::uri::{Authority, Scheme};
use ipnet::{Ipv4Net, Ipv6Net};

use crate::error::{Code, Error};
use crate::notifications::subscriptions::MAX_ENDPOINT;

/// The networks of IPv4 that are no part of the public internet (the special-purpose registry of IANA).
static NOT_PUBLIC: LazyLock<Vec<Ipv4Net>> = LazyLock::new(|| {
    let all = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 \
               192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3";
    all.split_whitespace().filter_map(|network| network.parse().ok()).collect()
});

/// The part of IPv6 that is given out, and what of it is no part of the public internet or leads into IPv4.
static GIVEN_OUT: LazyLock<(Vec<Ipv6Net>, Vec<Ipv6Net>)> = LazyLock::new(|| {
    let read = |all: &str| all.split_whitespace().filter_map(|network| network.parse().ok()).collect();
    (read("2000::/3"), read("2001::/23 2001:db8::/32 2002::/16 3fff::/20"))
});

/// The machines that this server may connect to for a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::notifications) enum Reach {
    /// Those of the public internet, over TLS.
    Public,
    /// All, also over plain HTTP.
    Everything,
}

impl Reach {
    /// Whether this address is one of them.
    pub(super) fn has(self, address: IpAddr) -> bool {
        self == Self::Everything
            || match address {
                IpAddr::V4(address) => is_public_v4(address),
                IpAddr::V6(address) => is_public_v6(address),
            }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC.iter().any(|network| network.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = address.to_ipv4_mapped() {
        return is_public_v4(inner);
    }
    let (given_out, special) = &*GIVEN_OUT;
    let within = |networks: &[Ipv6Net]| networks.iter().any(|network| network.contains(&address));
    within(given_out) && !within(special)
}

/// The address of a subscription at a push service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::notifications) struct Endpoint {
    authority: Authority,
    path: String,
    /// Whether the connection uses TLS.
    pub(super) tls: bool,
}

impl Endpoint {
    /// Reads an address.
    ///
    /// # Errors
    /// `bad_field`: it is no address of a push service that this server may connect to.
    pub(super) fn read(text: &str, reach: Reach) -> Result<Self, Error> {
        let bad = |what: &str| Error::new(Code::BadField, format!("endpoint: {what}"));
        if text.len() > MAX_ENDPOINT {
            return Err(bad(&format!("must have at most {MAX_ENDPOINT} characters")));
        }
        let uri: Uri = text.parse().map_err(|_| bad("must be an address that begins with https://"))?;
        let tls = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP && reach == Reach::Everything => false,
            _ => return Err(bad("must begin with https://")),
        };
        let authority = uri.authority().filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or_else(|| bad("must name a host"))?.clone();
        if authority.as_str().contains('@') {
            return Err(bad("must contain no name and password"));
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let endpoint = Self { authority, path, tls };
        match endpoint.address() {
            Some(address) if !reach.has(address) => Err(bad("must not be in a private network")),
            _ => Ok(endpoint),
        }
    }

    /// The host name, or the address of the machine, without brackets.
    pub(super) fn host(&self) -> &str {
        self.authority.host().trim_start_matches('[').trim_end_matches(']')
    }

    /// The address of the machine, if it is named by that.
    fn address(&self) -> Option<IpAddr> {
        self.host().parse().ok()
    }

    pub(super) fn port(&self) -> u16 {
        self.authority.port_u16().unwrap_or(if self.tls { 443 } else { 80 })
    }

    /// Host and port, as the header `Host` has them.
    pub(super) fn authority(&self) -> &str {
        self.authority.as_str()
    }

    /// The path with the query.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Scheme, host and port.
    pub(in crate::notifications) fn origin(&self) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_public_internet_is_reached() {
        for public in
            ["1.1.1.1", "142.250.74.10", "2606:4700::1111", "2a00:1450:4001:80b::200a", "::ffff:8.8.8.8"]
        {
            assert!(Reach::Public.has(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.100.1.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.0.1",
            "192.168.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
            "2001:db8::1",
            "2002:7f00:1::",
        ] {
            assert!(!Reach::Public.has(private.parse().unwrap()), "{private}");
            assert!(Reach::Everything.has(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn endpoint_is_an_address_over_tls() {
        let read = |text: &str| Endpoint::read(text, Reach::Public);
        let endpoint = read("https://push.example:8443/send/a?b=c").unwrap();
        assert_eq!(
            (endpoint.host(), endpoint.port(), endpoint.path()),
            ("push.example", 8443, "/send/a?b=c")
        );
        assert_eq!(endpoint.origin(), "https://push.example:8443");
        assert_eq!(read("https://push.example").unwrap().port(), 443);
        assert_eq!(read("https://[2606:4700::1111]/x").unwrap().host(), "2606:4700::1111");
        let long = format!("https://push.example/{}", "x".repeat(MAX_ENDPOINT));
        for bad in [
            "",
            "push.example",
            "http://push.example/x",
            "ftp://push.example/x",
            "https:///x",
            "https://a:b@push.example/x",
            "https://127.0.0.1/x",
            "https://[::1]:9000/x",
            "https://10.0.0.1/x",
            &long,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        assert!(Endpoint::read("http://127.0.0.1:9000/x", Reach::Everything).is_ok());
    }
}
