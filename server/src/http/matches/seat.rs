//! `GET /v1/matches/{id}/seats/{seat}/stdio`: the official referee's dialogue for a bot that runs elsewhere. Its state
//! is the log of the match and the client's transcript, so that any server can continue it.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use engines::dialogue::knows_mirror;
use engines::erased::Refusal;
use engines::game::{Process, Seat};
use engines::protocol::{Entry, Settings};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{sleep, sleep_until};

use crate::app::App;
use crate::catalogue::no_bot_seat;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::http::live::close::{
    CloseReason as End, DONE, GOING_AWAY, TAKEN_OVER, TOO_LARGE, close_with as end,
};
use crate::http::live::socket;
use crate::http::live::socket::{SocketMessage, TextSocket};
use crate::http::matches::seat_path::SeatOf;
use crate::http::openapi;
use crate::matches::bots::bot_check::CheckReport;
use crate::matches::bots::bot_output::OutputKeeper;
use crate::matches::bots::bot_seat::{BotSeat, Claim, check_start, checked_settings, program_ended};
use crate::matches::bots::seat_holders::SeatHold;
use crate::matches::event::{Created, Event, LoggedEvent};
use crate::matches::ledger::Caller;
use crate::matches::request::{SeatAction, SubmittedMove};
use crate::matches::service::{RefereeStream, SeatConnection};
use crate::recovery::backoff::Backoff;
use crate::recovery::catch_panic;
use crate::request::caller::{Plays, SUBPROTOCOL};
use crate::request::extract::UrlQuery;
use crate::request::meter::SocketSource;
use crate::request::path::MatchOf;

/// Close code: the bot's dialogue contradicts the log, so the bot must be restarted.
const START_AGAIN: u16 = 4409;

/// The parameter of the query that names the version of the bot.
const BOT_VERSION: &str = "bot_version";

/// The most lines, and bytes, of a bot that wait for its turn.
const MAX_WAITING: usize = 100_000;
const MAX_WAITING_BYTES: usize = 4 << 20;

/// The most entries of a transcript.
const MAX_TRANSCRIPT: usize = 1_000_000;

/// The pauses between attempts to send a claim to the match while the database or the match fails.
const CLAIM_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(20), Duration::from_secs(1));

/// The delay before a match whose channel closed is asked again.
const BREATHER: Duration = Duration::from_millis(50);

/// Play a seat with a bot that speaks its official protocol.
///
/// The server is the official referee of the game. It sends lines of a transcript: `< TEXT` is a line for the bot to
/// read, `.` is the end of its input, `# TEXT` a remark. The client sends `> TEXT` for each line that the bot prints.
/// The token of the seat is in the header `Authorization`, or in the subprotocol `token.TOKEN` beside `kibitz`. The
/// seat may be `me`.
///
/// The client speaks first. Its first message is a remark if the bot has just started, else the whole transcript of the
/// bot so far. The server continues from there; it accepts a last line that it has never received.
///
/// The query names settings of the referee's side, such as `base=0` in Splendor; the game's README lists them. They hold
/// for this seat and become an event of the match (`referee_set`); without them the defaults hold. `bot_version`, at most 40
/// characters, is no setting: it replaces the version in the description of the bot, which its faults name from here on.
///
/// Some remarks have a meaning. From the server: `# process per_match` or `# process per_move` comes first and says how
/// long a program of the bot lives; with `per_move` each prompt ends with `.` and is for a new program. `# turn PLY MS`
/// precedes the prompt of each decision, with the time left if it is limited, and belongs to the transcript. `# foul:
/// ...`, `# late: ...`, `# hint: ...`, `# over: ...` and `# check: ...` (the report of a check match) are for people.
/// From the client: `# ended HOW` says that the program of the bot has ended, and belongs to the transcript: with
/// `per_move` before the first line of the next program; with `per_match` no program follows. `# err PLY MS TEXT` is a line
/// that the bot wrote to standard error in the turn `PLY`, `MS` milliseconds after the turn began. `# cut PLY` says that the bot
/// wrote more in this turn than is sent. `# used PLY CPU_MS MEMORY_KIB` says what its processes have used in this turn; a memory
/// of 0 is not known. The server keeps these three for the bot's owner (`GET /v1/matches/{id}/seats/{seat}/output`); they are no part of the transcript, but a client
/// that resumes may send those of the last turn again.
///
/// Close codes: 1000 the match is over for the seat; 1001 the server is stopping; 1011 and 1013 the server fails for
/// now; 4400 a message is wrong; 4403 the caller no longer holds the seat; 4409 the transcript contradicts the match:
/// restart the bot, which then gets the whole dialogue again, while its answers at past turns do not count; 4410 a newer
/// connection has taken the dialogue over, so do not come back; 4413 the bot writes too much.
#[utoipa::path(get, path = "/v1/matches/{id}/seats/{seat}/stdio", operation_id = "openSeatDialogue", tag = "matches",
    security(("token" = ["play"])),
    params(openapi::MatchPath, openapi::SeatPath),
    responses((status = 101, description = "The WebSocket is open."), openapi::Refusals))]
pub(crate) async fn stdio(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
    seat: SeatOf,
    Plays(caller): Plays,
    query: UrlQuery,
    source: SocketSource,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    if caller.seat_key.is_none() && caller.player.is_none() {
        return Err(Error::new(
            Code::TokenNeeded,
            "the token of the seat is needed: Authorization: Bearer TOKEN",
        ));
    }
    let seat = seat.of(app, &id, &caller).await?;
    let follow = app.matches.follow(&id, &caller, seat).await?;
    let game = app.games.find(&split(&follow)?.0.game)?.game;
    let (versions, settings): (Vec<_>, Vec<_>) =
        query.0.into_iter().partition(|(name, _)| name == BOT_VERSION);
    let settings = checked_settings(game, settings).map_err(|e| Error::new(Code::BadQuery, e.detail))?;
    if !game.info().bot_can_hold(seat.0, knows_mirror(&Settings(settings.clone()))) {
        let advice = "play this seat through the API, or with mirror=yes if the bot knows that dialogue";
        return Err(no_bot_seat(game.info(), advice));
    }
    check_start(game, split(&follow)?.0, seat)?;
    app.matches.set_referee(&id, &caller, seat, settings).await?;
    if let Some((_, version)) = versions.into_iter().next_back() {
        let nobody =
            || Error::new(Code::NotABot, format!("{BOT_VERSION}: only the account of a bot has a version"));
        app.accounts.change_version(caller.player.as_ref().ok_or_else(nobody)?, version).await?;
    }
    let upgrade = upgrade.map(|upgrade| upgrade.protocols([SUBPROTOCOL]));
    let token = caller.token;
    socket::open(app, source, token, upgrade, move |wire| {
        let held = app.seat_holders.take(app.matches, id.clone(), seat);
        let output = OutputKeeper::new(app.matches, id.clone(), seat, 0);
        hold(Sitting { app, id, caller, seat, wire, held, output })
    })
}

/// How a match was created, and the rest of its log.
fn split(follow: &RefereeStream) -> Result<(&Created, &[Arc<LoggedEvent>]), Error> {
    let Some((first, rest)) = follow.log.split_first() else {
        return Err(Error::new(Code::Internal, "a match has no log"));
    };
    let Event::Created(created) = &first.event else {
        return Err(Error::new(Code::Internal, "a log does not begin with the creation"));
    };
    Ok((created, rest))
}

/// The referee of a seat, built from the log, before any line of the bot.
fn referee(app: &'static App, follow: &RefereeStream) -> Result<BotSeat, Error> {
    let (created, rest) = split(follow)?;
    let game = app.games.find(&created.game)?.game;
    let mut bot = BotSeat::new(game, created, follow.seat).map_err(bad_log)?;
    // The last ones hold for the whole dialogue, which begins again with every program.
    let set = rest.iter().rev().find_map(|stamped| match &stamped.event {
        Event::RefereeSet { seat, settings } if *seat == follow.seat => Some(settings),
        _ => None,
    });
    bot.set_referee(set.cloned().unwrap_or_default());
    rest.iter().try_for_each(|stamped| bot.happened(stamped)).map_err(bad_log)?;
    Ok(bot)
}

fn bad_log(e: Refusal) -> Error {
    Error::new(Code::Internal, format!("a log contradicts its game: {}: {}", e.code, e.detail))
}

/// A connection and its caller.
struct Sitting {
    app: &'static App,
    id: MatchId,
    caller: Caller,
    seat: Seat,
    wire: TextSocket,
    held: SeatHold,
    output: OutputKeeper,
}

/// A dialogue in progress.
struct SeatDialogue {
    bot: BotSeat,
    live: Option<Receiver<Arc<LoggedEvent>>>,
    /// The bot counts as connected while it exists.
    connection: Option<SeatConnection>,
    /// The place of the next event.
    next: u32,
    claim: Option<(u32, Claiming)>,
    /// Whether it is a check match, whose report the bot's author gets.
    is_check: bool,
}

type Claiming = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// The next input of the dialogue.
enum News {
    Stopping,
    TakenOver,
    Came(SocketMessage),
    Happened(Result<Arc<LoggedEvent>, RecvError>),
    Claimed(Result<(), Error>),
    Settled,
}

async fn hold(mut sitting: Sitting) {
    let Err(end) = sitting.converse().await;
    sitting.output.finish().await;
    sitting.wire.close(end).await;
}

impl Sitting {
    async fn converse(&mut self) -> Result<std::convert::Infallible, End> {
        let mut dialogue = self.begin().await?;
        loop {
            let advanced = catch_panic(|| dialogue.bot.advance(self.app.matches.now().ms()));
            self.or_end(advanced).await?;
            self.tell(&mut dialogue.bot).await?;
            if dialogue.bot.is_over() {
                if dialogue.is_check {
                    self.report_check().await?;
                }
                return Err(end(DONE, "the match is over for this seat"));
            }
            if dialogue.claim.is_none()
                && let Some(claim) = dialogue.bot.claim()
            {
                let ply = match &claim {
                    Claim::Move { ply, .. } | Claim::Foul { ply, .. } => *ply,
                };
                let claiming = decide(self.app, self.id.clone(), self.caller.clone(), claim);
                dialogue.claim = Some((ply, Box::pin(claiming)));
                self.output.store();
            }
            match self.news(Some(&mut dialogue)).await {
                News::Stopping => return Err(end(GOING_AWAY, "the server is stopping")),
                News::TakenOver => return Err(taken_over()),
                News::Settled => dialogue.bot.settle(),
                News::Came(message) => {
                    if let Some(text) = self.wire.text(message)? {
                        self.hear(&mut dialogue.bot, &text).await?;
                    }
                }
                News::Claimed(claimed) => {
                    let ply = dialogue.claim.take().map_or(0, |(ply, _)| ply);
                    self.claimed(&mut dialogue.bot, ply, claimed).await?;
                }
                News::Happened(Ok(stamped)) if stamped.seq <= dialogue.next => {
                    self.happened(&mut dialogue, &stamped).await?;
                }
                News::Happened(gap) => {
                    // The events came too fast, or the actor has ended: the log has all of them.
                    if matches!(gap, Err(RecvError::Closed)) {
                        sleep(BREATHER).await;
                    }
                    let follow = self.follow().await?;
                    for stamped in &follow.log {
                        self.happened(&mut dialogue, stamped).await?;
                    }
                    (dialogue.live, dialogue.connection) = (follow.live, follow.connection);
                }
            }
        }
    }

    /// Waits for the first message, and continues from its transcript.
    async fn begin(&mut self) -> Result<SeatDialogue, End> {
        let text = loop {
            match self.news(None).await {
                News::Stopping => return Err(end(GOING_AWAY, "the server is stopping")),
                News::TakenOver => return Err(taken_over()),
                News::Came(message) => {
                    if let Some(text) = self.wire.text(message)? {
                        break text;
                    }
                }
                News::Happened(_) | News::Claimed(_) | News::Settled => {}
            }
        };
        let mut transcript = self.entries(&text).await?;
        if transcript.len() > MAX_TRANSCRIPT {
            return Err(end(TOO_LARGE, "the transcript is too long"));
        }
        let follow = self.follow().await?;
        let bot = referee(self.app, &follow);
        let mut bot = self.or_end(bot).await?;
        // What lies beside the dialogue is taken out of it: a resumed dialogue is compared line by line.
        self.output = OutputKeeper::new(self.app.matches, self.id.clone(), self.seat, bot.ply());
        let ply = bot.ply();
        transcript.retain(|entry| match entry {
            Entry::Remark(text) => !self.output.take(text, ply),
            _ => true,
        });
        let process = match bot.process() {
            Process::PerMatch => "per_match",
            Process::PerMove => "per_move",
        };
        self.wire.send_text(format!("# process {process}")).await?;
        let mut contradicted = false;
        let resumed =
            catch_panic(|| match bot.resume(transcript, self.app.matches.now().ms(), Instant::now()) {
                Ok(()) => Ok(()),
                Err(Some(e)) => Err(e),
                Err(None) => {
                    contradicted = true;
                    Ok(())
                }
            });
        self.or_end(resumed).await?;
        if contradicted {
            self.wire
                .send_text("# start the bot again: it knows another dialogue than this match's".into())
                .await?;
            return Err(end(START_AGAIN, "start the bot again"));
        }
        let next = u32::try_from(follow.log.len()).unwrap_or(u32::MAX);
        let is_check = split(&follow).is_ok_and(|(created, _)| created.is_check());
        let RefereeStream { live, connection, .. } = follow;
        Ok(SeatDialogue { bot, live, connection, next, claim: None, is_check })
    }

    async fn news(&mut self, dialogue: Option<&mut SeatDialogue>) -> News {
        let settles_at = dialogue.as_ref().and_then(|d| d.bot.settles_at());
        let (live, claim) = dialogue.map_or((None, None), |d| (d.live.as_mut(), d.claim.as_mut()));
        tokio::select! {
            biased;
            () = self.app.stopping.cancelled() => News::Stopping,
            () = self.held.taken_over() => News::TakenOver,
            claimed = async { match claim {
                Some((_, claiming)) => claiming.await,
                None => std::future::pending().await,
            } } => News::Claimed(claimed),
            stamped = async { match live {
                Some(live) => live.recv().await,
                None => std::future::pending().await,
            } } => News::Happened(stamped),
            message = self.wire.recv() => News::Came(message),
            () = async { match settles_at {
                Some(at) => sleep_until(at.into()).await,
                None => std::future::pending().await,
            } } => News::Settled,
        }
    }

    async fn follow(&mut self) -> Result<RefereeStream, End> {
        let follow = self.app.matches.follow(&self.id, &self.caller, self.seat).await;
        self.or_end(follow).await
    }

    /// Handles the next event; skips a known one.
    async fn happened(&mut self, dialogue: &mut SeatDialogue, stamped: &LoggedEvent) -> Result<(), End> {
        if stamped.seq != dialogue.next {
            return Ok(());
        }
        dialogue.next += 1;
        let happened = catch_panic(|| dialogue.bot.happened(stamped));
        self.or_end(happened).await
    }

    /// The lines of a transcript, without empty ones.
    async fn entries(&mut self, text: &str) -> Result<Vec<Entry>, End> {
        let lines = text.split('\n').filter(|line| !line.trim_end_matches('\r').is_empty());
        let entries: Result<Vec<_>, _> = lines.map(Entry::parse).collect();
        self.or_end(entries.map_err(|e| Error::new(Code::BadDialogue, e.0))).await
    }

    /// After a check match: sends its report, and what it means for the bot.
    async fn report_check(&mut self) -> Result<(), End> {
        let follow = self.follow().await?;
        let log: Vec<LoggedEvent> = follow.log.iter().map(|stamped| LoggedEvent::clone(stamped)).collect();
        let (Some(checked), Some(player)) = (CheckReport::of(&log), self.caller.player.clone()) else {
            return Ok(());
        };
        let (created, _) = self.or_end(split(&follow)).await?;
        let found = self.app.games.find(&created.game);
        let offer = self.or_end(found).await?;
        let title = offer.info.title;
        // What the bot has used belongs to the report. Without it the rest is sent nevertheless.
        self.output.finish().await;
        let checked = checked.clone().with_usage(self.app.matches, &self.id).await.unwrap_or(checked);
        let mut lines = vec![format!("check match {} of {title}", self.id)];
        lines.extend(checked.report());
        // The report of the match is sent also if the others cannot be read now.
        if let Ok(Some(state)) = self.app.lobby.check_of(self.app.matches, &player, offer).await {
            lines.push(state.verdict(title));
        }
        let remarks: Vec<String> =
            lines.into_iter().map(|line| Entry::Remark(format!("check: {line}")).to_string()).collect();
        self.wire.send_text(remarks.join("\n")).await
    }

    /// Handles a message of the client.
    async fn hear(&mut self, bot: &mut BotSeat, text: &str) -> Result<(), End> {
        let at = Instant::now();
        for entry in self.entries(text).await? {
            match entry {
                Entry::Printed(line) => bot.wrote(line, at),
                Entry::Remark(text) => {
                    if let Some(how) = program_ended(&text) {
                        bot.program_ended(how, at);
                    } else {
                        self.output.take(&text, bot.ply());
                    }
                }
                Entry::Read(_) | Entry::End => {
                    let detail = "only the server says what the bot reads";
                    return self.or_end(Err(Error::new(Code::BadDialogue, detail))).await;
                }
            }
            let (lines, bytes) = bot.waiting();
            if lines > MAX_WAITING || bytes > MAX_WAITING_BYTES {
                return Err(end(TOO_LARGE, "the bot writes too much before its turn"));
            }
        }
        Ok(())
    }

    /// Handles the answer to a claim. The log tells its result; only a refusal matters here.
    async fn claimed(&mut self, bot: &mut BotSeat, ply: u32, claimed: Result<(), Error>) -> Result<(), End> {
        match claimed {
            Ok(()) => Ok(()),
            Err(e) => match e.code() {
                Code::IllegalMove | Code::BadMove => {
                    bot.refused(ply, e.detail());
                    Ok(())
                }
                Code::StalePly | Code::TimeUp | Code::NotYourTurn | Code::MatchOver => Ok(()),
                _ => self.or_end(Err(e)).await,
            },
        }
    }

    async fn tell(&mut self, bot: &mut BotSeat) -> Result<(), End> {
        let (mut text, mut read) = (String::new(), 0);
        for entry in bot.take_entries() {
            read += u64::from(matches!(entry, Entry::Read(_)));
            text += if text.is_empty() { "" } else { "\n" };
            text += &entry.to_string();
        }
        if text.is_empty() {
            return Ok(());
        }
        self.app.metrics.lines.inc_by(read);
        self.wire.send_text(text).await
    }

    /// The value; or ends the session with a remark that describes the error.
    async fn or_end<T>(&mut self, result: Result<T, Error>) -> Result<T, End> {
        match result {
            Ok(value) => Ok(value),
            Err(e) => Err(self.wire.fail(&e).await),
        }
    }
}

fn taken_over() -> End {
    end(TAKEN_OVER, "another program has taken this seat over")
}

fn catch_panic<T>(work: impl FnOnce() -> Result<T, Refusal>) -> Result<T, Error> {
    catch_panic::catch_panic(work)?.map_err(bad_log)
}

/// Sends a claim to the match, repeatedly while the match fails: the bot has done its part.
async fn decide(app: &'static App, id: MatchId, caller: Caller, claim: Claim) -> Result<(), Error> {
    let mut backoff = CLAIM_BACKOFF;
    loop {
        let decided = match claim.clone() {
            Claim::Move { ply, notation, arrived } => {
                let act = SeatAction::Move { ply, mv: SubmittedMove::Notation(notation), arrived };
                app.matches.act(&id, &caller, act).await.map(drop)
            }
            Claim::Foul { ply, kind, detail, arrived } => {
                app.matches.foul(&id, &caller, ply, kind, detail, arrived).await
            }
        };
        match decided {
            Err(e) if matches!(e.code(), Code::StoreUnavailable | Code::Internal) => {
                e.log();
                sleep(backoff.after(&e)).await;
            }
            done => return done,
        }
    }
}
