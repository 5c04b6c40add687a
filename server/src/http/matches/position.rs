//! The position of a request to create a match, in each of its forms. Reads it; starts nothing.

use engines::erased::{AnyPosition, StartPosition, read_start};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::{ClientId, MatchId};
use crate::error::{Code, Error};
use crate::http::games::moves;
use crate::matches::event::PositionSource;
use crate::matches::ledger::Caller;
use crate::matches::request::StartFrom;
use crate::recovery::catch_panic::catch_panic;

/// How much longer than a dialogue a file of the contest's harness may be: it has the lines of all seats.
const FILE_TO_DIALOGUE: usize = 4;

/// The position with which a match begins: what a seat knows, in the game's schema (what it does not know is drawn from the
/// seed); or an official text, or a file of the contest's harness; or the position in a match that is over.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(
    dead_code,
    reason = "only its schema is used: an error must name the place in the form that was meant"
)]
pub(super) enum StartRequest {
    /// What a seat knows.
    View(AnyPosition),
    /// An official text or a file of the contest's harness.
    Text(String),
    /// The position in a match that is over, with all cards as they were; what no seat knew is drawn from the seed.
    Match(PositionSource),
}

/// Reads the position.
///
/// # Errors
/// `bad_json`, `bad_field`, `bad_position`, `bad_dialogue`, `position_finished`, `body_too_large`, `too_many`; those of
/// [`crate::matches::service::Matches::log`] for a position in a match.
pub(super) async fn read(
    app: &'static App,
    offer: &'static Offer,
    client: &ClientId,
    caller: &Caller,
    json: &RawValue,
) -> Result<StartFrom, Error> {
    let text = json.get().trim_start();
    if text.starts_with('"') {
        let text =
            serde_json::from_str(text).map_err(|e| Error::new(Code::BadJson, format!("position: {e}")))?;
        return Ok(StartFrom { position: official(app, offer, client, text).await?, of: None });
    }
    if serde_json::from_str::<InMatch>(text).is_ok() {
        let source =
            serde_json::from_str(text).map_err(|e| Error::new(Code::BadField, format!("position: {e}")))?;
        return in_match(app, offer, caller, source).await;
    }
    let view = moves::position(offer, json)?.to_json();
    Ok(StartFrom { position: StartPosition::View { view }, of: None })
}

/// An object that is meant as a [`PositionSource`].
#[derive(Deserialize)]
struct InMatch {
    #[serde(rename = "match")]
    _match: IgnoredAny,
}

/// The position of a text, which is read at the expense of the client.
async fn official(
    app: &'static App,
    offer: &'static Offer,
    client: &ClientId,
    text: String,
) -> Result<StartPosition, Error> {
    let most = FILE_TO_DIALOGUE * offer.info.max_dialogue_bytes;
    if text.len() > most {
        let detail = format!("position: a text of {} has at most {most} bytes", offer.info.title);
        return Err(Error::new(Code::BodyTooLarge, detail));
    }
    let read = move || catch_panic(|| read_start(offer.game, &text));
    let position = app.side_work.run(client.network(), read).await??;
    position.map_err(|refusal| {
        // The states of a file are the caller's, unlike those of the server.
        let detail = format!("position: {}", refusal.detail);
        let code = Error::from(refusal).code();
        Error::new(if code == Code::Internal { Code::BadPosition } else { code }, detail)
    })
}

/// The position in a match that is over.
async fn in_match(
    app: &'static App,
    offer: &'static Offer,
    caller: &Caller,
    source: PositionSource,
) -> Result<StartFrom, Error> {
    let id = MatchId::parse(&source.id)
        .ok_or_else(|| Error::new(Code::NoSuchMatch, "position.match: no match has this id"))?;
    app.matches.position_in(&id, caller, offer.info.slug, source.ply).await
}
