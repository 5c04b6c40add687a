//! The files of the pages in the content codings of HTTP: Brotli, which browsers take over TLS and from their own machine,
//! and gzip.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{HeaderMap, header};
use brotli::enc::BrotliEncoderParams;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The bytes of a file in the codings that make them smaller, each made when it is first asked for.
#[derive(Default)]
pub(in crate::web) struct CompressedFile {
    gzip: OnceLock<Option<Bytes>>,
    brotli: OnceLock<Option<Bytes>>,
    /// Whether the Brotli form is being made or was made.
    brotli_begun: AtomicBool,
}

impl CompressedFile {
    /// The form of these bytes in the best coding that the client takes, with the coding's name. The Brotli form takes a
    /// moment to make, so the first clients get gzip.
    pub(in crate::web) fn smallest(
        self: &Arc<Self>,
        bytes: &Bytes,
        headers: &HeaderMap,
    ) -> Option<(&'static str, Bytes)> {
        if takes("br", headers) {
            if let Some(Some(packed)) = self.brotli.get() {
                return Some(("br", packed.clone()));
            }
            if bytes.len() <= MOST_BROTLI && !self.brotli_begun.swap(true, Ordering::Relaxed) {
                let (packed, bytes) = (Arc::clone(self), bytes.clone());
                tokio::task::spawn_blocking(move || packed.brotli.set(in_brotli(&bytes)));
            }
        }
        let gzip = takes("gzip", headers).then(|| self.gzip.get_or_init(|| in_gzip(bytes)).clone());
        Some(("gzip", gzip??))
    }
}

/// The largest file that is sent in Brotli, in bytes. Without optimization a large one takes seconds to make.
const MOST_BROTLI: usize = if cfg!(debug_assertions) { 4_096 } else { usize::MAX };

/// The bytes in Brotli at its best, if that is smaller: some 0.3 s for the largest file, which becomes 15% smaller than in
/// gzip.
fn in_brotli(bytes: &[u8]) -> Option<Bytes> {
    let best = BrotliEncoderParams { size_hint: bytes.len(), ..Default::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &best).ok()?;
    (packed.len() < bytes.len()).then(|| packed.into())
}

/// The bytes in gzip at its best, if that is smaller.
fn in_gzip(bytes: &[u8]) -> Option<Bytes> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).ok()?;
    let gzip = gzip.finish().ok()?;
    (gzip.len() < bytes.len()).then(|| gzip.into())
}

/// Whether the client takes this content coding.
fn takes(coding: &str, headers: &HeaderMap) -> bool {
    let taken = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    taken.flat_map(|value| value.split(',')).any(|taken| {
        let (name, weight) = taken.split_once(';').unwrap_or((taken, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case(coding) && !refused
    })
}
