//! A server's address, and the request target of a dialogue on it. Pure: it must not look up names.

use std::fmt::{self, Write};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    /// Whether to use TLS.
    pub tls: bool,
    /// Host name or IP address, an IPv6 address without its brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Path in front of the API's own paths, without a slash at its end.
    base: String,
}

impl ServerAddress {
    /// Reads `http://host:port/base`; also `https`, `ws` and `wss`.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let wrong = |what: &str| format!("the server {url:?} {what}; write it like http://127.0.0.1:8080");
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| wrong("does not begin with http:// or https://"))?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => return Err(wrong("is neither http nor https")),
        };
        if rest.contains(['?', '#', '@']) || rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(wrong("must have only a host, a port and a path"));
        }
        let (authority, base) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        let (host, port) = match authority.strip_prefix('[') {
            Some(address) => address.split_once(']').ok_or_else(|| wrong("lacks a ]"))?,
            None => authority.find(':').map_or((authority, ""), |colon| authority.split_at(colon)),
        };
        let port = match port.strip_prefix(':') {
            Some(port) => port.parse().ok().filter(|&port| port > 0),
            None if port.is_empty() => Some(if tls { 443 } else { 80 }),
            None => None,
        };
        let port = port.ok_or_else(|| wrong("has an invalid port"))?;
        if host.is_empty() {
            return Err(wrong("has no host"));
        }
        Ok(Self { tls, host: host.to_owned(), port, base: encoded_path(base.trim_end_matches('/')) })
    }

    /// The `Host` header, with the port unless it is the scheme's default.
    pub(crate) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        let default = if self.tls { 443 } else { 80 };
        if self.port == default { host } else { format!("{host}:{}", self.port) }
    }

    /// Path in front of the API's own paths, without a slash at its end.
    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// This server, with another path after its own.
    pub(crate) fn with_path(&self, path: &str) -> Self {
        Self { base: format!("{}{}", self.base, encoded_path(path)), ..self.clone() }
    }

    /// Path and query of a dialogue's WebSocket.
    pub(crate) fn session_path(&self, game: &str, parameters: &[(String, String)]) -> String {
        format!("{}/v1/games/{}/stdio{}", self.base, encoded(game), query(parameters))
    }

    /// Path and query of the programs of a bot, or of one of them.
    pub(crate) fn bot_programs(&self, bot: &str, number: Option<u64>, parameters: &[(&str, &str)]) -> String {
        let one = number.map_or_else(String::new, |number| format!("/{number}"));
        let owned: Vec<(String, String)> =
            parameters.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        format!("{}/v1/me/bots/{}/programs{one}{}", self.base, encoded(bot), query(&owned))
    }
}

/// The query of these parameters, with its question mark; empty without parameters.
pub(crate) fn query(parameters: &[(String, String)]) -> String {
    let mut query = String::new();
    for (key, value) in parameters {
        let separator = if query.is_empty() { '?' } else { '&' };
        // Writing to a string cannot fail.
        let _ = write!(query, "{separator}{}={}", encoded(key), encoded(value));
    }
    query
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.base)
    }
}

/// A path segment, key or value with all but the unreserved characters percent-encoded.
fn encoded(text: &str) -> String {
    encode(text, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

/// A path from the user, who may have percent-encoded parts of it already.
fn encoded_path(text: &str) -> String {
    encode(text, |byte| byte.is_ascii_graphic())
}

fn encode(text: &str, plain: impl Fn(u8) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for &byte in text.as_bytes() {
        if plain(byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepted_forms_are_parsed() {
        for (url, tls, host, port, base) in [
            ("http://127.0.0.1:8080", false, "127.0.0.1", 8080, ""),
            ("https://play.example/", true, "play.example", 443, ""),
            ("ws://h/kibitz/", false, "h", 80, "/kibitz"),
            ("WSS://[::1]:9/a/b%20c", true, "::1", 9, "/a/b%20c"),
            ("http://[fe80::1]", false, "fe80::1", 80, ""),
        ] {
            let expected = ServerAddress { tls, host: host.into(), port, base: base.into() };
            assert_eq!(ServerAddress::parse(url), Ok(expected), "{url}");
        }
    }

    #[test]
    fn other_forms_are_refused_in_one_line() {
        for url in [
            "",
            "localhost:8080",
            "ftp://h",
            "http://",
            "http://h:0",
            "http://h:99999",
            "http://[::1",
            "http://[::1]9",
            "http://h/?x",
            "http://u@h",
            "http://h h",
        ] {
            let sentence = ServerAddress::parse(url).expect_err(url);
            assert!(!sentence.contains('\n'), "{sentence}");
        }
    }

    #[test]
    fn session_path_is_encoded() {
        let server = ServerAddress::parse("http://[::1]:8080/base").unwrap();
        assert_eq!(server.authority(), "[::1]:8080");
        assert_eq!(server.to_string(), "http://[::1]:8080/base");
        assert_eq!(server.session_path("chess", &[]), "/base/v1/games/chess/stdio");
        let parameters = [("think_ms".to_owned(), "500".to_owned()), ("a b".to_owned(), "1&2=♠/".to_owned())];
        assert_eq!(
            server.session_path("../x", &parameters),
            "/base/v1/games/..%2Fx/stdio?think_ms=500&a%20b=1%262%3D%E2%99%A0%2F"
        );
    }
}
