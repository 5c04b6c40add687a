//! Access to what only operators may read: for requests from the same private network, and for requests with the admin token.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, header};

use crate::app::App;
use crate::error::Error;
use crate::limits::proxies::ProxyOptions;
use crate::request::admin::AdminToken;
use crate::request::origin::Peer;

/// The headers with which proxies and browsers tell that they make a request for someone else.
const PASSED_ON: [HeaderName; 5] = [
    header::FORWARDED,
    header::VIA,
    header::ORIGIN,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
];

/// Extractor that accepts requests that come from a private address without a proxy between, and requests with the admin token.
pub(crate) struct Monitor;

impl FromRequestParts<&'static App> for Monitor {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let peer = parts.extensions.get::<Peer>().map(|peer| peer.address.ip());
        if peer.is_some_and(|peer| is_direct(peer, &parts.headers, &app.limits.proxies)) {
            return Ok(Self);
        }
        AdminToken::from_request_parts(parts, app).await.map(|_| Self)
    }
}

/// Whether a request with these headers comes from the private network itself.
fn is_direct(peer: IpAddr, headers: &HeaderMap, proxies: &ProxyOptions) -> bool {
    let passed_on = PASSED_ON.iter().chain(&proxies.client_ip_header).any(|name| headers.contains_key(name));
    is_private(peer) && !passed_on
}

/// Whether the address is of this machine or of a private network (RFC 1918, RFC 3927, RFC 4193, RFC 4291).
fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_loopback() || address.is_private() || address.is_link_local(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(peer: &str, names: &[&'static str], proxies: &ProxyOptions) -> bool {
        let mut headers = HeaderMap::new();
        for name in names {
            headers.insert(HeaderName::from_static(name), "192.0.2.1".parse().unwrap());
        }
        is_direct(peer.parse().unwrap(), &headers, proxies)
    }

    #[test]
    fn only_the_private_network_is_direct() {
        let plain = ProxyOptions::default();
        for private in
            ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1"]
        {
            assert!(direct(private, &[], &plain), "{private}");
        }
        for public in ["192.0.2.1", "8.8.8.8", "172.32.0.1", "2001:db8::1", "::ffff:8.8.8.8"] {
            assert!(!direct(public, &[], &plain), "{public}");
        }
    }

    #[test]
    fn what_a_proxy_or_a_page_asks_for_is_not_direct() {
        let plain = ProxyOptions::default();
        for name in ["forwarded", "via", "origin", "x-forwarded-for", "x-real-ip"] {
            assert!(!direct("127.0.0.1", &[name], &plain), "{name}");
        }
        assert!(direct("127.0.0.1", &["x-client"], &plain));
        let named = ProxyOptions { client_ip_header: Some(HeaderName::from_static("x-client")), ..plain };
        assert!(!direct("127.0.0.1", &["x-client"], &named));
    }
}
