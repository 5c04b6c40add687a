//! The connection to NATS: its address, its secrets and its state. It must not know what messages mean.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use percent_encoding::percent_decode_str;
use tokio::sync::watch;

use crate::domain::token;
use crate::metrics::{Metrics, NatsReading};

/// How often the connection is checked. It counts as lost when two checks are unanswered.
const CHECK: Duration = Duration::from_secs(1);

/// The longest pause between attempts to connect.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// The URL of a NATS server. It may hold a secret, so its text appears nowhere.
#[derive(Clone, PartialEq, Eq)]
pub struct NatsUrl(String);

impl FromStr for NatsUrl {
    type Err = Infallible;

    // Checked by `connect`: a message about a wrong argument would quote the secret.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for NatsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NatsUrl(..)")
    }
}

/// A URL without its secrets, and the secrets.
struct ParsedUrl {
    address: ServerAddr,
    credentials: Credentials,
}

#[derive(Debug, PartialEq, Eq)]
enum Credentials {
    None,
    Password(String, String),
    Token(String),
}

impl NatsUrl {
    fn parse(&self) -> std::io::Result<ParsedUrl> {
        let wrong = || {
            let what = "--workers: a URL of NATS is nats://HOST:PORT or tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@ \
                        before the host if NATS asks for it";
            std::io::Error::new(std::io::ErrorKind::InvalidInput, what)
        };
        let whole: ServerAddr = self.0.parse().map_err(|_| wrong())?;
        if whole.host().is_empty() || whole.is_websocket() {
            return Err(wrong());
        }
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let credentials = match (whole.username(), whole.password()) {
            (Some(user), Some(password)) => Credentials::Password(decoded(user), decoded(password)),
            (Some(token), None) => Credentials::Token(decoded(token)),
            (None, _) => Credentials::None,
        };
        let host =
            if whole.host().contains(':') { format!("[{}]", whole.host()) } else { whole.host().to_owned() };
        let address = format!("{}://{host}:{}", whole.scheme(), whole.port()).parse().map_err(|_| wrong())?;
        Ok(ParsedUrl { address, credentials })
    }
}

/// A random key of a node or a worker, new with every start. It begins with `kind`, a letter, so that it is no number.
///
/// # Errors
/// If the system gives no random bytes.
pub(crate) fn random_key(kind: char) -> std::io::Result<String> {
    let bytes = token::random().map_err(std::io::Error::other)?;
    Ok(format!("{kind}{}", token::hex(&bytes[..8])))
}

/// A connection that is made again whenever it is lost.
#[derive(Clone)]
pub(crate) struct Broker {
    /// Publishes and subscribes; subscriptions outlast the connection.
    pub client: Client,
    /// Whether this process is connected now.
    pub connected: watch::Receiver<bool>,
}

impl Broker {
    /// Connects in the background, for as long as it takes. The secrets of the first URL are used for all.
    ///
    /// # Errors
    /// If a URL is wrong: the text says how it must look and does not quote it.
    pub(crate) async fn connect(urls: &[NatsUrl]) -> std::io::Result<Self> {
        let parsed: Vec<ParsedUrl> = urls.iter().map(NatsUrl::parse).collect::<Result<_, _>>()?;
        let names: Vec<String> =
            parsed.iter().map(|url| format!("{}:{}", url.address.host(), url.address.port())).collect();
        let (up, connected) = watch::channel(false);
        let log = Arc::new(ConnectionLog { names: names.join(","), last: Mutex::default() });
        let mut options = ConnectOptions::new()
            .name("kibitz")
            .retry_on_initial_connect()
            .ping_interval(CHECK)
            .connection_timeout(2 * CHECK)
            .reconnect_delay_callback(|attempts| {
                LONGEST_PAUSE.min(Duration::from_millis(20) * u32::try_from(attempts).unwrap_or(u32::MAX))
            })
            .event_callback(move |event| {
                match event {
                    Event::Connected => up.send_replace(true),
                    Event::Disconnected => up.send_replace(false),
                    _ => false,
                };
                log.event(&event);
                std::future::ready(())
            });
        options = match parsed.first().map(|url| &url.credentials) {
            Some(Credentials::Password(user, password)) => {
                options.user_and_password(user.clone(), password.clone())
            }
            Some(Credentials::Token(token)) => options.token(token.clone()),
            Some(Credentials::None) | None => options,
        };
        let addresses: Vec<ServerAddr> = parsed.into_iter().map(|url| url.address).collect();
        let client = options.connect(addresses).await.map_err(std::io::Error::other)?;
        Ok(Self { client, connected })
    }

    /// Shows the counts of this connection in the metrics. `purpose`: what it carries.
    pub(crate) fn count(&self, metrics: &Metrics, purpose: &'static str) {
        let (counts, connected) = (self.client.statistics(), self.connected.clone());
        metrics.nats(purpose, move || NatsReading {
            connected: *connected.borrow(),
            connects: counts.connects.load(Ordering::Relaxed),
            messages: [&counts.in_messages, &counts.out_messages].map(|count| count.load(Ordering::Relaxed)),
            bytes: [&counts.in_bytes, &counts.out_bytes].map(|count| count.load(Ordering::Relaxed)),
        });
    }

    /// Whether this process is connected now.
    pub(crate) fn is_connected(&self) -> bool {
        *self.connected.borrow()
    }
}

/// Logs the events of a connection, and the same failure only once.
struct ConnectionLog {
    names: String,
    last: Mutex<String>,
}

impl ConnectionLog {
    fn event(&self, event: &Event) {
        let nats = self.names.as_str();
        let text = event.to_string();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last == text {
            return;
        }
        match event {
            Event::Connected => tracing::info!(nats, "connected to NATS"),
            Event::Disconnected => tracing::warn!(nats, "the connection to NATS is lost"),
            Event::ClientError(_) | Event::ServerError(_) | Event::SlowConsumer(_) => {
                tracing::warn!(nats, error = text, "NATS reports an error, or cannot be reached");
            }
            Event::LameDuckMode | Event::Draining | Event::Closed => {
                tracing::info!(nats, event = text, "the connection to NATS");
            }
        }
        *last = text;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> (String, Credentials) {
        let parsed = url.parse::<NatsUrl>().unwrap().parse().unwrap();
        (parsed.address.as_url_str().to_owned(), parsed.credentials)
    }

    #[test]
    fn secrets_of_a_url_are_taken_out() {
        let password = Credentials::Password("ann".to_owned(), "p@ss".to_owned());
        assert_eq!(parsed("nats://ann:p%40ss@nats:4223"), ("nats://nats:4223".to_owned(), password));
        assert_eq!(
            parsed("s3cret@nats"),
            ("nats://nats:4222".to_owned(), Credentials::Token("s3cret".to_owned()))
        );
        assert_eq!(parsed("tls://[::1]:4222"), ("tls://[::1]:4222".to_owned(), Credentials::None));
    }

    #[test]
    fn wrong_url_is_not_quoted() {
        for url in
            ["http://ann:secret@nats", "nats://ann:secret@", "ws://secret@nats", "nats://secret@nats:port"]
        {
            let url: NatsUrl = url.parse().unwrap();
            let message = url.parse().err().unwrap().to_string();
            assert!(message.contains("nats://HOST:PORT") && !message.contains("secret"), "{message}");
            assert!(!format!("{url:?}").contains("secret"));
        }
    }
}
