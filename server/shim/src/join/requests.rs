//! The HTTP requests for a bot's seat: join, connect, leave, abort. Pure.

use super::options::JoinOptions;
use crate::network::address::query;
use crate::network::http::{HttpMethod, HttpRequest};

/// The step of taking or giving back a seat, which decides the next request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JoinStep {
    /// Join the match.
    Joining,
    /// Open the dialogue of the seat.
    Seated,
    /// Give back a seat that is not for bots.
    Leaving,
    /// Give it back after the match has begun, by aborting the match.
    Aborting,
}

/// The request of a step. `join_key`: the idempotency key of all attempts to join.
pub(super) fn request(options: &JoinOptions, step: JoinStep, join_key: &str) -> HttpRequest {
    let seat = options.seat.map(|seat| seat.to_string());
    let path = match step {
        JoinStep::Joining => "/join".to_owned(),
        JoinStep::Leaving => "/leave".to_owned(),
        JoinStep::Aborting => "/abort".to_owned(),
        JoinStep::Seated => {
            let version =
                options.bot_version.iter().map(|version| ("bot_version".to_owned(), version.clone()));
            let parameters: Vec<_> = options.referee.iter().cloned().chain(version).collect();
            format!("/seats/{}/stdio{}", seat.as_deref().unwrap_or("me"), query(&parameters))
        }
    };
    let mut headers = Vec::new();
    headers.extend(options.token.as_ref().map(|token| ("Authorization", format!("Bearer {token}"))));
    headers.extend(options.key.as_ref().map(|key| ("Match-Key", key.clone())));
    let method = match step {
        JoinStep::Seated => HttpMethod::WebSocket,
        JoinStep::Leaving | JoinStep::Aborting => HttpMethod::Post(String::new()),
        JoinStep::Joining => {
            headers.push(("Idempotency-Key", join_key.to_owned()));
            let seat = seat.map(|seat| format!("\"seat\":{seat}"));
            let name = options.name.as_ref().map(|name| format!("\"name\":{}", json(name)));
            let mirror = options.referee.iter().any(|(name, value)| name == "mirror" && value == "yes");
            let mirror = mirror.then(|| "\"mirror\":true".to_owned());
            let bot = std::iter::once("\"bot\":true".to_owned());
            let fields: Vec<String> = bot.chain(mirror).chain(seat).chain(name).collect();
            HttpMethod::Post(format!("{{{}}}", fields.join(",")))
        }
    };
    HttpRequest { path: format!("{}{path}", options.match_address.base()), headers, method }
}

/// A text as a JSON string.
pub(crate) fn json(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            control if control < ' ' => out += &format!("\\u{:04x}", u32::from(control)),
            plain => out.push(plain),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_json() {
        assert_eq!(json("a \"b\"\\\n♠"), "\"a \\\"b\\\"\\\\\\u000a♠\"");
    }
}
