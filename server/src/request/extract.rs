//! The parts of a request that handlers read: the game in the path, the body, the query. All refusals are problems.

use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use futures_util::FutureExt;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::app::App;
use crate::domain::MAX_MODULE_BYTES;
use crate::error::{Code, Error};
use crate::limits::quotas::{QuotaGuard, Quotas};
use crate::request::origin::Origin;
use crate::request::place::wrong_field;

/// A body of at most this size, in bytes, that arrives together with its request is not counted toward the memory for
/// bodies. The limit on connections bounds these too, and counting costs as much as answering a short request.
const MAX_UNCOUNTED: usize = 4 << 10;

/// How long the rest of a body may take after the server has begun to stop.
const LAST_BYTES: Duration = Duration::from_millis(300);

/// How long a body may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The same for the module of a program.
const MODULE_TIMEOUT: Duration = Duration::from_secs(300);

/// The media types of the module of a program.
const MODULES: [&str; 2] = ["application/wasm", "application/octet-stream"];

/// How many bytes of a refused body are read and thrown away, and for how long. Many clients read the answer only after
/// they have sent the whole body.
const MAX_DRAINED: usize = 16 << 20;
const DRAIN_TIMEOUT: Duration = Duration::from_secs(3);

/// A body and its media type.
pub(crate) struct Payload {
    /// The time at which the request arrived.
    pub arrived: Instant,
    /// The media type that the header `Content-Type` names.
    pub media_type: MediaType,
    /// The body.
    pub bytes: Bytes,
    /// Counts the bytes as long as they are in memory.
    _held: Option<QuotaGuard>,
}

/// The media type of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    Json,
    /// Text in UTF-8.
    Text,
    /// The request has no `Content-Type`.
    Missing,
    /// Any other, as the header writes it.
    Other(String),
}

impl MediaType {
    fn of(headers: &HeaderMap) -> Self {
        let Some(value) = headers.get(header::CONTENT_TYPE) else { return Self::Missing };
        let other = || Self::Other(String::from_utf8_lossy(value.as_bytes()).chars().take(100).collect());
        let Ok(text) = value.to_str() else { return other() };
        let mut parts = text.split(';').map(str::trim);
        let essence = parts.next().unwrap_or("").to_ascii_lowercase();
        let utf8 = parts.filter_map(|p| p.split_once('=')).all(|(name, value)| {
            let value = value.trim_matches('"');
            !name.eq_ignore_ascii_case("charset")
                || ["utf-8", "utf8", "us-ascii"].iter().any(|c| value.eq_ignore_ascii_case(c))
        });
        match essence.as_str() {
            _ if !utf8 => other(),
            "application/json" => Self::Json,
            "text/plain" => Self::Text,
            json if json.starts_with("application/") && json.ends_with("+json") => Self::Json,
            _ => other(),
        }
    }

    /// The refusal of this media type; `expected`: those that the path takes.
    pub(crate) fn refuse(&self, expected: &str) -> Error {
        let detail = match self {
            Self::Missing => format!("the request has no Content-Type; this path takes {expected}"),
            Self::Other(other) => {
                format!("this path does not take Content-Type {other:?}, only {expected} (in UTF-8)")
            }
            Self::Json => format!("this path does not take JSON, only {expected}"),
            Self::Text => format!("this path does not take text, only {expected}"),
        };
        Error::new(Code::UnsupportedMediaType, detail)
    }
}

impl Payload {
    /// Parses the body as JSON of this type.
    ///
    /// # Errors
    /// `unsupported_media_type`, `bad_json`, `not_utf8`, `bad_field`.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self.media_type {
            MediaType::Json => json(&self.bytes),
            MediaType::Missing if self.bytes.is_empty() => json(b"{}"),
            _ => Err(self.media_type.refuse("application/json")),
        }
    }

    /// Checks that the body is empty, or an object without fields.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub(crate) fn nothing(&self) -> Result<(), Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Nothing {}
        self.json_if_any::<Nothing>().map(|_| ())
    }

    /// As [`Self::json`], but the body is optional: an empty one, of any media type, and `null` are an empty object.
    ///
    /// # Errors
    /// As [`Self::json`].
    pub(crate) fn json_if_any<T: DeserializeOwned>(&self) -> Result<T, Error> {
        match self.bytes.trim_ascii() {
            b"" | b"null" => json(b"{}"),
            _ => self.json(),
        }
    }

    /// The body as text.
    ///
    /// # Errors
    /// `not_utf8`, with the place.
    pub(crate) fn text(&self) -> Result<&str, Error> {
        str::from_utf8(&self.bytes).map_err(not_utf8)
    }
}

/// What a body may cost.
struct BodyBounds {
    /// Its most bytes.
    bytes: usize,
    /// How long it may take to arrive.
    time: Duration,
    /// Counts its bytes.
    quota: &'static Quotas,
}

impl FromRequest<&'static App> for Payload {
    type Rejection = Error;

    async fn from_request(request: Request, app: &&'static App) -> Result<Self, Error> {
        let bounds = BodyBounds { bytes: app.limits.max_body, time: BODY_TIMEOUT, quota: app.bodies };
        Self::within(request, app, bounds).await
    }
}

/// A body that is the module of a program.
pub(crate) struct ModulePayload(pub Bytes, #[expect(dead_code, reason = "counts the bytes")] Payload);

impl FromRequest<&'static App> for ModulePayload {
    type Rejection = Error;

    async fn from_request(request: Request, app: &&'static App) -> Result<Self, Error> {
        let bounds = BodyBounds { bytes: MAX_MODULE_BYTES, time: MODULE_TIMEOUT, quota: app.modules };
        let payload = Payload::within(request, app, bounds).await?;
        let is_module = match &payload.media_type {
            MediaType::Other(kind) => MODULES.iter().any(|known| kind.eq_ignore_ascii_case(known)),
            _ => false,
        };
        if !is_module {
            return Err(payload.media_type.refuse(&MODULES.join(" or ")));
        }
        Ok(Self(payload.bytes.clone(), payload))
    }
}

impl Payload {
    async fn within(request: Request, app: &'static App, bounds: BodyBounds) -> Result<Self, Error> {
        let arrived = Instant::now();
        let (parts, mut body) = request.into_parts();
        let media_type = MediaType::of(&parts.headers);
        let first = already_here(&mut body)?;
        if hyper::body::Body::is_end_stream(&body) && first.len() <= MAX_UNCOUNTED.min(bounds.bytes) {
            return Ok(Self { arrived, media_type, bytes: first, _held: None });
        }
        let network = Origin::of(&parts.extensions, &parts.headers, app).network();
        let mut held = bounds.quota.take(Some(network), 0)?;
        let bytes = tokio::select! {
            biased;
            bytes = read(first, body, &bounds, &mut held) => bytes?,
            () = async {
                app.stopping.cancelled().await;
                tokio::time::sleep(LAST_BYTES).await;
            } => return Err(Error::stopping()),
        };
        Ok(Self { arrived, media_type, bytes, _held: Some(held) })
    }
}

/// The part of a body that has already arrived, with its request.
fn already_here(body: &mut Body) -> Result<Bytes, Error> {
    match body.frame().now_or_never().flatten() {
        Some(frame) => Ok(frame.map_err(broke_off)?.into_data().unwrap_or_default()),
        None => Ok(Bytes::new()),
    }
}

fn broke_off(e: axum::Error) -> Error {
    Error::new(Code::BadBody, format!("the body broke off: {e}"))
}

/// Reads the rest of a body of which `first` has arrived.
async fn read(
    mut first: Bytes,
    mut body: Body,
    bounds: &BodyBounds,
    held: &mut QuotaGuard,
) -> Result<Bytes, Error> {
    let limit = bounds.bytes;
    let too_large = || {
        Error::new(
            Code::BodyTooLarge,
            format!("the body has more than {limit} bytes, which is this server's limit"),
        )
    };
    let all = async {
        let mut rest = Vec::new();
        // If the length is known from the start, a body that is too large is refused at once.
        let left = usize::try_from(hyper::body::Body::size_hint(&body).lower()).unwrap_or(usize::MAX);
        if left.saturating_add(first.len()) > limit {
            return Ok(Err(too_large()));
        }
        if let Err(full) = held.grow(first.len()) {
            return Ok(Err(full));
        }
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(broke_off)?;
            let Ok(data) = frame.into_data() else { continue };
            if first.len() + rest.len() + data.len() > limit {
                return Ok(Err(too_large()));
            }
            if let Err(full) = held.grow(data.len()) {
                return Ok(Err(full));
            }
            if first.is_empty() {
                first = data;
            } else {
                rest.extend_from_slice(&data);
            }
        }
        let whole = if rest.is_empty() { first } else { [&*first, &rest].concat().into() };
        Ok::<_, Error>(Ok(whole))
    };
    let Ok(read) = tokio::time::timeout(bounds.time, all).await else {
        let detail = format!("the body did not arrive within {} s", bounds.time.as_secs());
        return Err(Error::new(Code::BodyTooSlow, detail));
    };
    let refused = match read? {
        Ok(bytes) => return Ok(bytes),
        Err(refused) => refused,
    };
    let drain = async {
        let mut drained = 0;
        while let Some(Ok(frame)) = body.frame().await {
            drained += frame.data_ref().map_or(0, Bytes::len);
            if drained > MAX_DRAINED {
                break;
            }
        }
    };
    // It is no error if the time runs out: reading on is only a courtesy.
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, drain).await;
    Err(refused)
}

fn not_utf8(e: std::str::Utf8Error) -> Error {
    Error::new(Code::NotUtf8, format!("the body is not UTF-8 from byte {} on", e.valid_up_to()))
}

/// Parses these bytes as JSON of this type.
///
/// # Errors
/// `bad_json`, `not_utf8`, `bad_field`.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let e = match serde_json::from_slice(bytes) {
        // The library also reads a structure from a list, by the order of its fields.
        Ok(_) if !is_object(bytes) => {
            return Err(Error::new(Code::BadField, "the body is not a JSON object"));
        }
        Ok(value) => return Ok(value),
        Err(e) => e,
    };
    if let Err(e) = str::from_utf8(bytes) {
        return Err(not_utf8(e));
    }
    if matches!(e.classify(), Category::Syntax | Category::Eof) {
        return Err(Error::new(Code::BadJson, e.to_string()));
    }
    if !is_object(bytes) {
        return Err(Error::new(Code::BadField, "the body is not a JSON object"));
    }
    let detail = wrong_field::<T>(bytes).map_or(e.to_string(), |path| format!("{path}: {e}"));
    Err(Error::new(Code::BadField, detail))
}

/// Whether this JSON is an object.
fn is_object(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().first() == Some(&b'{')
}

/// The parameters of the query. Each name occurs once.
pub(crate) struct UrlQuery(pub Vec<(String, String)>);

impl FromRequestParts<&'static App> for UrlQuery {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &&'static App) -> Result<Self, Error> {
        let query = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|e| Error::new(Code::BadQuery, e.body_text()))?;
        let mut names: Vec<&str> = query.0.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        match names.windows(2).find(|two| two[0] == two[1]) {
            Some(two) => Err(Error::new(Code::BadQuery, format!("{} occurs twice", two[0]))),
            None => Ok(Self(query.0)),
        }
    }
}

/// The refusal of an unknown parameter; `known`: the names of those that the path takes.
pub(crate) fn unknown(name: &str, known: &str) -> Error {
    let name: String = name.chars().take(40).collect();
    Error::new(Code::BadQuery, format!("{name:?} is not a parameter of this path, which takes {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::quotas::Limit;

    #[test]
    fn content_type_header_decides_the_media_type() {
        let kind = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, text.parse().unwrap());
            MediaType::of(&headers)
        };
        assert_eq!(kind("application/json"), MediaType::Json);
        assert_eq!(kind("Application/JSON; charset=UTF-8"), MediaType::Json);
        assert_eq!(kind("application/problem+json"), MediaType::Json);
        assert_eq!(kind("text/plain;charset=\"utf-8\""), MediaType::Text);
        assert!(matches!(kind("text/plain; charset=latin1"), MediaType::Other(_)));
        assert!(matches!(kind("text/html"), MediaType::Other(_)));
        assert_eq!(MediaType::of(&HeaderMap::new()), MediaType::Missing);
    }

    #[test]
    fn empty_body_of_any_media_type_counts_as_an_empty_object() {
        for media_type in [
            MediaType::Json,
            MediaType::Missing,
            MediaType::Other("application/x-www-form-urlencoded".to_owned()),
        ] {
            let shares = Quotas::new("bytes", Limit { most: 0, setting: "--none" });
            let held = shares.take(None, 0).unwrap();
            let payload =
                Payload { arrived: Instant::now(), media_type, bytes: Bytes::new(), _held: Some(held) };
            assert!(payload.nothing().is_ok());
            #[derive(serde::Deserialize)]
            struct SeatBody {
                seat: Option<u8>,
            }
            assert!(payload.json_if_any::<SeatBody>().is_ok_and(|body| body.seat.is_none()));
        }
    }

    #[test]
    fn json_errors_name_the_place() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Outer {
            #[serde(rename = "list")]
            _list: Vec<u8>,
        }
        let fails = |bytes: &[u8]| json::<Outer>(bytes).unwrap_err();
        let e = fails(b"{\"list\": [1,\n 300]}");
        assert!(e.code() == Code::BadField && e.detail().starts_with("list[1]: "), "{e}");
        let e = fails(b"{\"list\": [1,\n}");
        assert!(e.code() == Code::BadJson && e.detail().contains("line 2 column 1"), "{e}");
        let e = fails(b"{\"list\": [1], \"lost\": 1}");
        assert!(e.code() == Code::BadField && e.detail().contains("lost"), "{e}");
        assert_eq!(fails(b"{\"list\": \"\xff\"}").code(), Code::NotUtf8);
        assert_eq!(fails(b"").code(), Code::BadJson);
        assert_eq!(fails(b"{\"list\": []} 1").code(), Code::BadJson);
        assert_eq!(fails("[".repeat(100_000).as_bytes()).code(), Code::BadField);
    }
}
