//! The files that the server hands out to authors of bots: their list, and each of them.

use std::future::ready;

use axum::body::Body;
use axum::extract::{RawPathParams, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::TryStreamExt;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::openapi;
use crate::offered_files::{OfferedFile, OfferedFileKind};
use crate::request::caller::Anyone;
use crate::request::json::Json;

/// The files to download.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OfferedFileList {
    /// The files, by name.
    files: Vec<OfferedFile>,
}

/// The content of a file.
#[derive(JsonSchema)]
#[schemars(extend("format" = "binary"))]
pub(crate) struct OfferedContent(#[expect(dead_code, reason = "only its schema is used")] String);

/// List the files that the server hands out: `kibitz-shim`, the Python package.
#[utoipa::path(get, path = "/v1/downloads", operation_id = "listDownloads", tag = "operations",
    responses((status = 200, description = "The files.", body = OfferedFileList), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, _: Anyone) -> Result<Response, Error> {
    let files = app.offered.list().await?;
    Ok(Json(OfferedFileList { files }).into_response())
}

/// Download a file that the server hands out. Its `ETag` is its SHA-256.
#[utoipa::path(get, path = "/downloads/{file}", operation_id = "download", tag = "operations",
    params(openapi::OfferedFilePath),
    responses((status = 200, description = "The file.", content_type = "application/octet-stream", body = OfferedContent),
              openapi::Refusals))]
pub(crate) async fn content(
    State(app): State<&'static App>,
    caller: Anyone,
    params: RawPathParams,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let name = params.iter().find(|(name, _)| *name == "file").map_or("", |(_, value)| value).to_owned();
    let (file, parts) = app.offered.find(name).await?;
    let tag = format!("\"{}\"", file.sha256);
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let same = known.flat_map(|value| value.split(',')).map(|one| one.trim().trim_start_matches("W/"));
    let (status, body) = match same.into_iter().any(|one| one == tag || one == "*") {
        true => (StatusCode::NOT_MODIFIED, Body::empty()),
        false => {
            // It counts as an open stream for as long as it lasts.
            let admitted =
                ConnectionPermit::new(app, app.metrics.streams("file"), caller.network, caller.token)?;
            let parts = parts.map_err(|e| Error::new(Code::Internal, format!("a download: {e}")));
            let parts = parts.and_then(move |part| {
                let may_go_on =
                    if app.stopping.is_cancelled() { Err(Error::stopping()) } else { admitted.check() };
                ready(may_go_on.map(|()| part))
            });
            (StatusCode::OK, Body::from_stream(parts))
        }
    };
    let mut response = (status, body).into_response();
    let answer = response.headers_mut();
    let kind = match file.kind {
        OfferedFileKind::Python => "application/zip",
        OfferedFileKind::Shim | OfferedFileKind::Other => "application/octet-stream",
    };
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let mut put = |name, value: String| {
        answer.insert(name, HeaderValue::from_str(&value).expect("names of files and hashes are plain text"));
    };
    put(header::ETAG, tag);
    put(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{}\"", file.name));
    if status == StatusCode::OK {
        put(header::CONTENT_LENGTH, file.size.to_string());
    }
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}
