//! The two formats of a stream of JSON frames: server-sent events and lines. It must not know what the frames mean.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StreamFormat {
    /// Server-sent events (HTML standard, section 9.2).
    Sse,
    /// One JSON object per line (NDJSON).
    Ndjson,
}

impl StreamFormat {
    /// The first of the two that the request's `Accept` names, else `usual`.
    pub(crate) fn wanted(headers: &HeaderMap, usual: Self) -> Self {
        let accepts = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let kind = |part: &str| match part.split(';').next().unwrap_or("").trim() {
            kind if kind.eq_ignore_ascii_case("application/x-ndjson") => Some(Self::Ndjson),
            kind if kind.eq_ignore_ascii_case("text/event-stream") => Some(Self::Sse),
            _ => None,
        };
        accepts.flat_map(|value| value.split(',')).find_map(kind).unwrap_or(usual)
    }

    /// The label in the metrics.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sse => "sse",
            Self::Ndjson => "ndjson",
        }
    }

    /// The header `Content-Type`.
    pub(crate) fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Sse => "text/event-stream",
            Self::Ndjson => "application/x-ndjson",
        })
    }

    /// The header that keeps proxies from buffering the stream.
    pub(crate) fn unbuffered() -> (HeaderName, HeaderValue) {
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"))
    }

    /// The first bytes of a stream. For server-sent events they set how many milliseconds a reader waits before it
    /// reconnects: browsers wait some seconds by default, while a clock runs. A server that stops refuses requests for up to
    /// 300 ms before it closes its port, and an `EventSource` that is refused gives up, so it must wait longer than that.
    pub(crate) fn opening(self) -> Option<Bytes> {
        match self {
            Self::Sse => Some(Bytes::from_static(b"retry: 500\n\n")),
            Self::Ndjson => None,
        }
    }

    /// A heartbeat that readers skip.
    pub(crate) fn heartbeat(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Sse => b": \n\n",
            Self::Ndjson => b"\n",
        })
    }

    /// Writes a frame. `id`: the value that a reader sends as `Last-Event-ID` when it reconnects after this frame.
    pub(crate) fn write(self, kind: &str, id: Option<u32>, json: &[u8]) -> Bytes {
        let mut out = Vec::with_capacity(json.len() + 48);
        match self {
            Self::Sse => {
                out.extend_from_slice(b"event: ");
                out.extend_from_slice(kind.as_bytes());
                if let Some(id) = id {
                    out.extend_from_slice(format!("\nid: {id}").as_bytes());
                }
                out.extend_from_slice(b"\ndata: ");
                out.extend_from_slice(json);
                out.extend_from_slice(b"\n\n");
            }
            Self::Ndjson => {
                out.extend_from_slice(json);
                out.push(b'\n');
            }
        }
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_the_first_one_that_accept_names() {
        let wanted = |accept: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in accept {
                headers.append(header::ACCEPT, value.parse().unwrap());
            }
            StreamFormat::wanted(&headers, StreamFormat::Sse)
        };
        assert_eq!(wanted(&[]), StreamFormat::Sse);
        assert_eq!(wanted(&["*/*"]), StreamFormat::Sse);
        assert_eq!(wanted(&["application/json", "Application/X-NDJSON;q=0.9, */*"]), StreamFormat::Ndjson);
        assert_eq!(wanted(&["text/event-stream, application/x-ndjson"]), StreamFormat::Sse);
    }

    #[test]
    fn frames_are_written_as_readers_parse_them() {
        let sse = StreamFormat::Sse.write("moved", Some(12), b"{}");
        assert_eq!(&*sse, b"event: moved\nid: 12\ndata: {}\n\n");
        assert_eq!(&*StreamFormat::Sse.write("match", None, b"{}"), b"event: match\ndata: {}\n\n");
        assert_eq!(&*StreamFormat::Ndjson.write("moved", Some(12), b"{}"), b"{}\n");
        assert_eq!(StreamFormat::Sse.opening().as_deref(), Some(&b"retry: 500\n\n"[..]));
        assert_eq!(StreamFormat::Ndjson.opening(), None);
    }
}
