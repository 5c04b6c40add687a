//! The address at which people open the pages. A passkey is bound to its host name.

use std::str::FromStr;

use webauthn_rs::prelude::{Url, Webauthn, WebauthnBuilder};

/// The host name for which passkeys are made without a public address: browsers trust it without TLS.
const LOCAL: &str = "localhost";

/// The address at which people open the pages: scheme, host name and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl(Url);

impl FromStr for PublicUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| "must be an address such as https://games.example.org")?;
        let host = url.domain().ok_or("must have a host name, not the address of a machine")?;
        let is_local = host == LOCAL || host.ends_with(".localhost");
        match url.scheme() {
            "https" => {}
            "http" if is_local => {}
            _ => {
                return Err(
                    "must begin with https://; browsers make passkeys over http:// only for localhost",
                );
            }
        }
        let is_origin = url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if is_origin { Ok(Self(url)) } else { Err("must end after the host name or the port") }
    }
}

/// The site for which passkeys are made.
pub(in crate::accounts) struct PasskeySite {
    /// The rules by which answers are checked.
    pub webauthn: Webauthn,
    /// The host name of the site.
    pub host: String,
    /// Where the pages are opened for passkeys; `None`: at any port of this machine's own name.
    pub origin: Option<String>,
}

impl PasskeySite {
    /// The site at this address; without one, that of a server on the visitor's own machine.
    pub(in crate::accounts) fn new(public: Option<&PublicUrl>) -> Self {
        let local = || Url::parse("http://localhost").expect("this is an address");
        let url = public.map_or_else(local, |PublicUrl(url)| url.clone());
        let host = url.domain().unwrap_or(LOCAL).to_owned();
        let builder = WebauthnBuilder::new(&host, &url).expect("the address has this host name");
        let builder = builder.rp_name("kibitz").allow_any_port(public.is_none());
        let webauthn = builder.build().expect("nothing of it can be wrong");
        let origin = public.map(|PublicUrl(url)| url.origin().ascii_serialization());
        Self { webauthn, host, origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_address_is_an_origin_that_browsers_trust() {
        for good in
            ["https://a.example", "https://a.example:8443/", "http://localhost:8080", "http://a.localhost"]
        {
            let site = PasskeySite::new(Some(&good.parse().unwrap()));
            assert_eq!(site.origin.as_deref(), Some(good.trim_end_matches('/')));
        }
        for bad in [
            "",
            "a.example",
            "http://a.example",
            "https://10.0.0.1",
            "http://127.0.0.1:8080",
            "https://[::1]",
            "https://a.example/path",
            "https://a.example/?q",
            "https://ann@a.example",
            "ftp://a.example",
        ] {
            assert!(bad.parse::<PublicUrl>().is_err(), "{bad}");
        }
        let site = PasskeySite::new(None);
        assert_eq!((site.host.as_str(), site.origin), ("localhost", None));
    }
}
