//! Proxies in front of the server: which ones are trusted, and the client's address that they pass on in a header. The
//! header is ignored if any other peer sends it, since any client can.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// The proxies in front of the server.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ProxyOptions {
    /// The header in which trusted proxies pass on the client's address, such as X-Forwarded-For. Without it, clients
    /// are identified by the address of their connection. Needs --trusted-proxy.
    #[arg(long, env = "KIBITZ_CLIENT_IP_HEADER", value_name = "NAME")]
    pub client_ip_header: Option<HeaderName>,
    /// An address or network (CIDR) of the trusted proxies; give several with commas or repeat the option. Their
    /// connections do not count toward --max-connections-per-address.
    #[arg(long, env = "KIBITZ_TRUSTED_PROXIES", value_name = "CIDR", value_delimiter = ',', value_parser = network)]
    pub trusted_proxy: Vec<IpNet>,
}

impl ProxyOptions {
    /// Checks that the two settings fit together.
    ///
    /// # Errors
    /// A sentence that says what to do.
    pub fn check(&self) -> Result<(), &'static str> {
        match (&self.client_ip_header, self.trusted_proxy.is_empty()) {
            (Some(_), true) => {
                Err("--client-ip-header is only read from trusted proxies: name their addresses with \
                                    --trusted-proxy, for example --trusted-proxy 127.0.0.1")
            }
            (None, false) => {
                Err("--trusted-proxy needs --client-ip-header: name the header in which the proxies pass \
                                  on the client's address, for example --client-ip-header x-forwarded-for")
            }
            _ => Ok(()),
        }
    }

    /// Whether this address is a trusted proxy's.
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxy.iter().any(|network| network.contains(&address))
    }

    /// The client's address. That is the peer's, unless the peer is a trusted proxy. Then the header is read from its
    /// end, where the nearest proxy writes, up to the first address that is not a trusted proxy's. An entry that cannot
    /// be read ends the search; the client is then the last proxy that was found.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let Some(name) = &self.client_ip_header else { return peer };
        let mut client = peer;
        if !self.trusts(peer) {
            return client;
        }
        for value in headers.get_all(name).iter().rev() {
            let Ok(value) = value.to_str() else { return client };
            for text in value.rsplit(',') {
                let Some(address) = address(text.trim()) else { return client };
                client = address;
                if !self.trusts(address) {
                    return client;
                }
            }
        }
        client
    }
}

/// An address, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// A network, or an address alone.
fn network(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let address = text.parse::<IpAddr>().map(IpNet::from);
    text.parse().or(address).map_err(|_| "must be an address or a network such as 10.0.0.0/8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(proxies: &[&str]) -> ProxyOptions {
        ProxyOptions {
            client_ip_header: Some(HeaderName::from_static("x-forwarded-for")),
            trusted_proxy: proxies.iter().map(|text| network(text).unwrap()).collect(),
        }
    }

    fn client(options: &ProxyOptions, peer: &str, values: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        options.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn header_is_read_from_trusted_proxies_only() {
        let options = options(&["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"]);
        let of = |peer: &str, values: &[&str]| client(&options, peer, values);
        assert_eq!(of("192.0.2.9", &["192.0.2.1"]), "192.0.2.9", "any client can send the header");
        assert_eq!(of("127.0.0.1", &["192.0.2.1"]), "192.0.2.1");
        assert_eq!(of("::ffff:127.0.0.1", &["192.0.2.1"]), "192.0.2.1", "IPv4 in IPv6");
        assert_eq!(of("127.0.0.1", &[]), "127.0.0.1");
        assert_eq!(of("127.0.0.1", &["192.0.2.1, 192.0.2.2"]), "192.0.2.2", "the first can be invented");
        assert_eq!(of("127.0.0.1", &["192.0.2.1, 192.0.2.2, 10.1.1.1", "10.2.2.2"]), "192.0.2.2");
        assert_eq!(of("2001:db8::1", &["[2001:db9::1]:9"]), "2001:db9::1", "with a port");
        assert_eq!(of("127.0.0.1", &["10.1.1.1, 10.2.2.2"]), "10.1.1.1", "only proxies: the farthest");
        assert_eq!(of("127.0.0.1", &["192.0.2.1, unknown"]), "127.0.0.1");
        assert_eq!(of("127.0.0.1", &["192.0.2.1, unknown, 10.1.1.1"]), "10.1.1.1");
    }

    #[test]
    fn settings_must_fit_together() {
        assert!(ProxyOptions::default().check().is_ok());
        assert!(options(&["10.0.0.0/8"]).check().is_ok());
        assert!(options(&[]).check().unwrap_err().contains("--trusted-proxy 127.0.0.1"));
        let without = ProxyOptions { client_ip_header: None, ..options(&["10.0.0.0/8"]) };
        assert!(without.check().unwrap_err().contains("--client-ip-header x-forwarded-for"));
        for bad in ["10.0.0.0/33", "proxy", "10.0.0.0-10.0.0.9", ""] {
            assert!(network(bad).is_err(), "{bad}");
        }
    }
}
