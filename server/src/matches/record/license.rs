//! The licence of the records of a server.

use std::fmt;
use std::str::FromStr;

/// The address of a licence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LicenseUrl(String);

impl fmt::Display for LicenseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for LicenseUrl {
    type Err = &'static str;

    fn from_str(url: &str) -> Result<Self, &'static str> {
        let is_url = ["https://", "http://"].iter().any(|scheme| url.starts_with(scheme))
            && url.bytes().all(|b| b.is_ascii_graphic() && !b"<>\"".contains(&b));
        match is_url {
            true => Ok(Self(url.to_owned())),
            false => {
                Err("must be the address of a licence, as https://creativecommons.org/publicdomain/zero/1.0/")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licence_is_an_address() {
        let url = "https://creativecommons.org/publicdomain/zero/1.0/";
        assert_eq!(url.parse::<LicenseUrl>().unwrap().to_string(), url);
        for wrong in ["", "CC0-1.0", "https://a>b", "https://a b", "ftp://a", "https://ă"] {
            assert!(wrong.parse::<LicenseUrl>().is_err(), "{wrong}");
        }
    }
}
