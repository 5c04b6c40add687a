//! `POST /v1/games/{game}/files`: the matches of a file, with each position. Nothing is stored.

use axum::extract::State;
use engines::arena::{Recording, ShownRecording, positions};
use engines::erased::{AnyGame, AnyMove, AnyPosition, MoveText};
use engines::game::Seat;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::domain::{MatchId, schema};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::matches::record::match_file::{FoundContent, FoundMatch, MatchFile, UnreadableFile, unpacked};
use crate::recovery::catch_panic::catch_panic;
use crate::request::client::Client;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::path::GameOf;

/// The largest file, unpacked, in bytes. Packed, it is a body as others.
const LARGEST: u64 = 8 << 20;

/// The most matches of a file that are listed.
const MOST_LISTED: usize = 1_000;

/// The matches of a file, and one of them turn by turn.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileAnswer {
    /// A name for each match, or for the dialogue of each bot; at most 1,000.
    matches: Vec<String>,
    /// The number of the one that is shown, from 0.
    shown: usize,
    /// The id of its match, if the file is a record; `null`: it has none. A server that has the match shows its replay.
    #[schemars(with = "Option<schema::MatchId>")]
    id: Option<String>,
    /// The names of its seats; empty where the file has none.
    names: Vec<String>,
    /// Its turns, in order.
    turns: Vec<FileTurn>,
    /// The position after the match, if the file has it to its end.
    end: Option<FileEnd>,
    /// What was left out of the file, one sentence each.
    notes: Vec<String>,
}

/// A turn of a match in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct FileTurn {
    /// Moves made before it; in the dialogue of one bot, which does not say how many, its answers before it.
    ply: u32,
    /// The seat to move.
    seat: Seat,
    /// The position as this seat saw it.
    #[schemars(with = "AnyPosition")]
    position: Value,
    /// The move that was made, by the player or as a penalty; `null`: none.
    played: Option<PlayedMove>,
    /// The mistake that was made, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

/// A move in both its forms.
#[derive(Debug, Serialize, JsonSchema)]
struct PlayedMove {
    #[serde(rename = "move")]
    #[schemars(with = "AnyMove")]
    mv: Value,
    notation: String,
}

impl From<MoveText> for PlayedMove {
    fn from(MoveText { mv, notation }: MoveText) -> Self {
        Self { mv, notation }
    }
}

/// The end of a match in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct FileEnd {
    /// The position as a spectator sees it.
    #[schemars(with = "AnyPosition")]
    position: Value,
    /// The game's own points, by seat.
    points: Vec<i32>,
}

/// Read a file of finished matches, and show one of them turn by turn.
///
/// The body is the file, as it is: a record, a download of records, a file of `kibitz arena --moves --json`, a transcript, or a file
/// of the contest's own harness, as `kibitz replay` reads them. It may be packed with gzip, and have any media type. The query
/// parameter `match` chooses one of several matches. A file that cannot be read is refused with the line and the column
/// (`bad_file`). Nothing is stored, and no engine is asked.
#[utoipa::path(post, path = "/v1/games/{game}/files", operation_id = "readFile", tag = "games",
    params(openapi::GamePath, openapi::FileQuery),
    request_body(content((String = "text/plain"))),
    responses((status = 200, description = "The match.", body = FileAnswer), openapi::Refusals))]
pub(crate) async fn read(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: UrlQuery,
    payload: Payload,
) -> Result<Json<FileAnswer>, Error> {
    let mut wanted = 0;
    for (name, value) in query.0 {
        match name.as_str() {
            "match" => {
                let bad = || Error::new(Code::BadQuery, "match: must be the number of a match, from 0");
                wanted = value.parse().map_err(|_| bad())?;
            }
            _ => return Err(unknown(&name, "match")),
        }
    }
    let game = offer.game;
    let work = move || catch_panic(|| shown(game, &payload.bytes, wanted))?;
    app.side_work.run(client.network(), work).await?.map(Json)
}

fn bad(detail: impl Into<String>) -> Error {
    Error::new(Code::BadFile, detail)
}

fn shown(game: &'static dyn AnyGame, bytes: &[u8], wanted: usize) -> Result<FileAnswer, Error> {
    let bytes = unpacked(bytes, LARGEST).map_err(|e| bad(e.to_string()))?;
    let read = MatchFile::read(&bytes, "", Some(game));
    let MatchFile { matches, notes } = read.map_err(|e| match e {
        UnreadableFile::Unknown(e) | UnreadableFile::Damaged(e) => bad(e.to_string()),
    })?;
    if let Some(other) = matches.iter().find(|found| found.game.info().slug != game.info().slug) {
        let title = other.game.info().title;
        return Err(bad(format!("this is a match of {title}: open it on the analysis page of {title}")));
    }
    let mut all: Vec<FileMatch> = matches.into_iter().flat_map(recordings).collect();
    let listed = all.iter().take(MOST_LISTED).map(|found| found.label.clone()).collect();
    if wanted >= all.len() {
        return Err(bad(format!("the file has {} matches; there is no match {wanted}", all.len())));
    }
    let FileMatch { id, names, recording, .. } = all.swap_remove(wanted);
    let ShownRecording { turns, end } = positions(game, &recording).map_err(bad)?;
    let turns = turns.into_iter().map(|turn| FileTurn {
        ply: turn.ply,
        seat: turn.seat,
        position: turn.view,
        played: turn.played.map(PlayedMove::from),
        fault: turn.fault,
    });
    let end = end.map(|(position, points)| FileEnd { position, points });
    // An id from elsewhere is no address of this server.
    let id = MatchId::parse(&id).map(|id| id.to_string());
    Ok(FileAnswer { matches: listed, shown: wanted, id, names, turns: turns.collect(), end, notes })
}

/// A match or a dialogue in a file.
struct FileMatch {
    label: String,
    /// See [`FoundMatch::id`].
    id: String,
    names: Vec<String>,
    recording: Recording,
}

/// The matches and dialogues of a found match.
fn recordings(found: FoundMatch) -> Vec<FileMatch> {
    let FoundMatch { label, id, content, .. } = found;
    let label = label.trim_start_matches(", ").to_owned();
    match content {
        FoundContent::Match(recorded) => {
            let names = recorded.seats.iter().map(|seat| seat.name.clone()).collect();
            vec![FileMatch { label, id, names, recording: Recording::Match(recorded) }]
        }
        FoundContent::Dialogues(all) => {
            let named = |dialogue: engines::harness_file::BotDialogue| FileMatch {
                label: if dialogue.name.is_empty() { label.clone() } else { dialogue.name.clone() },
                id: id.clone(),
                names: Vec::new(),
                recording: Recording::Dialogue(dialogue),
            };
            all.into_iter().map(named).collect()
        }
    }
}
