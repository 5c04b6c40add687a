//! Challenges: propose, accept, decline, withdraw; and the match of an accepted one. The database decides between two
//! callers at the same time: a challenge leaves its stage once.

use std::net::IpAddr;

use engines::game::Seat;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::admission::{Payers, Permit};
use crate::domain::schema::{self, AnyPlayerName, GameSlug};
use crate::domain::text::alters_display;
use crate::domain::time::Millis;
use crate::domain::token::{self, KeyHash};
use crate::domain::{EnginePlayer, IdempotencyKey, MatchId, PlayerKind, PlayerRef};
use crate::error::{Code, Error};
use crate::lobby::bot_seats::seat_candidate;
use crate::lobby::seating::{Terms, challenger_seat, check_rated};
use crate::lobby::{Lobby, LobbySnapshot, change};
use crate::matches::clock::ClockSpec;
use crate::matches::event::LadderMatch;
use crate::matches::ledger::Caller;
use crate::matches::request::{NewMatch, NewSeat, Payment, SeatChoice};
use crate::matches::service::Matches;
use crate::store::data::lobby::{LobbyChange, LobbyPlayer, NewChallenge, Settlement};
use crate::store::{StoredChallenge, refused_by_store};

/// The stages of a challenge.
pub(super) const OPEN: &str = "open";
const ACCEPTED: &str = "accepted";
const DECLINED: &str = "declined";
const WITHDRAWN: &str = "withdrawn";
const FAILED: &str = "failed";

/// How long a challenge is open by default, and the range of that time, in milliseconds.
const USUAL_MS: u64 = 300_000;
const RANGE_MS: std::ops::RangeInclusive<u64> = 1_000..=7 * 24 * 3_600_000;

/// How long the server tries to create the match of an accepted challenge, in milliseconds.
pub(super) const PATIENCE_MS: Millis = 30_000;

/// The longest reason, in characters.
const MAX_REASON: usize = 200;

/// A match that a player proposes to another player.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The game's short name.
    pub game: String,
    /// The clock; `None`: none.
    pub clock: Option<ClockSpec>,
    /// Whether the match is rated.
    pub rated: bool,
    /// The challenger's seat; `None`: either.
    pub seat: Option<u8>,
    /// How long the challenge is open, in milliseconds; `None`: as usual.
    pub open_ms: Option<u64>,
}

/// A challenge as its two players see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChallengeShown {
    /// The id, by which it is accepted, declined or withdrawn.
    pub id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// Whether the caller is the `challenger` or the `opponent`.
    #[schemars(extend("enum" = ["challenger", "opponent"]))]
    pub role: &'static str,
    /// `open`, `accepted`, `declined`, `withdrawn`, `expired`, or `failed`: it was accepted, but its match could not be created.
    #[schemars(extend("enum" = ["open", "accepted", "declined", "withdrawn", "expired", "failed"]))]
    pub stage: String,
    /// The player who proposes the match.
    #[schemars(with = "AnyPlayerName")]
    pub challenger: String,
    /// The player who may accept it.
    #[schemars(with = "AnyPlayerName")]
    pub opponent: String,
    /// Whether the match is rated.
    pub rated: bool,
    /// The clock; `null`: none.
    pub clock: Option<ClockSpec>,
    /// The seat that the challenger takes, counted from 0.
    pub challenger_seat: u8,
    /// The time of its creation, in milliseconds since 1970.
    pub created_ms: Millis,
    /// The time at which it expires, in milliseconds since 1970.
    pub until_ms: Millis,
    /// The reason why it was declined or failed.
    pub reason: Option<String>,
    /// The match, once it exists.
    #[serde(rename = "match")]
    #[schemars(with = "Option<schema::MatchId>")]
    pub match_id: Option<String>,
}

impl ChallengeShown {
    /// The challenge as the player with this id sees it; `None`: it is not theirs.
    ///
    /// # Errors
    /// `internal`.
    pub(super) fn of(challenge: &StoredChallenge, viewer: &str) -> Result<Option<Self>, Error> {
        let role = match viewer {
            id if id == challenge.challenger.who.id => "challenger",
            id if id == challenge.opponent.who.id => "opponent",
            _ => return Ok(None),
        };
        let Terms { game, clock, rated, seat } = Terms::read(&challenge.terms)?;
        // Until its match exists, an accepted challenge may still fail.
        let stage = if challenge.is_pending() { OPEN } else { &challenge.stage };
        Ok(Some(Self {
            id: challenge.id.clone(),
            game,
            role,
            stage: stage.to_owned(),
            challenger: challenge.challenger.who.name.clone(),
            opponent: challenge.opponent.who.name.clone(),
            rated,
            clock,
            challenger_seat: seat,
            created_ms: challenge.created_ms,
            until_ms: challenge.until_ms,
            reason: challenge.reason.clone(),
            match_id: challenge.match_id.as_ref().map(ToString::to_string),
        }))
    }
}

impl StoredChallenge {
    /// Whether its opponent can still accept it, unless its time is up.
    pub fn is_open(&self) -> bool {
        self.stage == OPEN && self.settled_ms.is_none()
    }

    /// Whether it was accepted and its match does not exist yet.
    pub(super) fn is_pending(&self) -> bool {
        self.stage == ACCEPTED && self.settled_ms.is_none()
    }

    /// Whether its match could not be created.
    pub(super) fn has_failed(&self) -> bool {
        self.stage == FAILED
    }
}

impl Lobby {
    /// Proposes a match to a player. `network`: the address of the request.
    ///
    /// # Errors
    /// `no_such_player`, `unknown_game`, `bad_seats`, `no_bot_seat`, `bad_field`, `rated_clock`, `rated_owners`,
    /// `not_accepted` if the opponent is a bot that is offline or does not accept this, `too_many`, `store_unavailable`.
    pub async fn challenge(
        &self,
        matches: &Matches,
        challenger: LobbyPlayer,
        network: Option<IpAddr>,
        opponent: LobbyPlayer,
        proposal: Proposal,
    ) -> Result<ChallengeShown, Error> {
        let offer = matches.games().find(&proposal.game)?;
        if opponent.kind == PlayerKind::Engine {
            let detail = "an engine needs no challenge: create a match with a seat for it (POST /v1/matches)";
            return Err(Error::new(Code::NotAccepted, detail));
        }
        if challenger.who.id == opponent.who.id {
            return Err(Error::new(Code::NotAccepted, "a player cannot challenge themselves"));
        }
        matches.admission().blocks.check(&challenger.who, &opponent.who)?;
        check_rated(proposal.rated, proposal.clock.as_ref(), &challenger, &opponent)?;
        let open_ms = proposal.open_ms.unwrap_or(USUAL_MS);
        if !RANGE_MS.contains(&open_ms) {
            let detail = format!("open_ms: must be from {} to {}", RANGE_MS.start(), RANGE_MS.end());
            return Err(Error::new(Code::BadField, detail));
        }
        let (lobby, toss) = (self.now(), random()?[0] & 1 == 0);
        let candidates = (seat_candidate(&lobby, &challenger), seat_candidate(&lobby, &opponent));
        let seat = challenger_seat(offer, candidates.0, candidates.1, proposal.seat, toss)?;
        let terms = Terms { game: proposal.game, clock: proposal.clock, rated: proposal.rated, seat };
        if opponent.kind == PlayerKind::Bot {
            check_policies(&lobby, &opponent, &terms, &challenger)?;
        }
        matches.admission().charge_challenge(network, &challenger.who).await?;
        let created_ms = matches.now().ms();
        let new = NewChallenge {
            id: uuid::Uuid::now_v7().to_string(),
            challenger: challenger.who.id.clone(),
            opponent: opponent.who.id.clone(),
            terms: terms.stored(),
            created_ms,
            until_ms: created_ms.saturating_add_unsigned(open_ms),
        };
        let (id, most) = (new.id.clone(), self.options.max_challenges_per_player);
        if change(matches, LobbyChange::Challenge { challenge: new, most }).await? == 0 {
            let detail = format!(
                "{most} challenges of this player are open, which is the limit (--max-challenges-per-player): withdraw one"
            );
            return Err(Error::new(Code::TooMany, detail));
        }
        self.challenge_of(matches, &id, &challenger.who).await
    }

    /// A challenge as one of its players sees it.
    ///
    /// # Errors
    /// `no_such_challenge`, `store_unavailable`.
    pub async fn challenge_of(
        &self,
        matches: &Matches,
        id: &str,
        viewer: &PlayerRef,
    ) -> Result<ChallengeShown, Error> {
        let (challenge, _) = find(matches, id, viewer).await?;
        ChallengeShown::of(&challenge, &viewer.id)?.ok_or_else(no_such_challenge)
    }

    /// The challenges of a player that are open, the oldest first.
    ///
    /// # Errors
    /// `internal`.
    pub fn challenges_of(&self, viewer: &PlayerRef) -> Result<Vec<ChallengeShown>, Error> {
        let lobby = self.now();
        let open = lobby.challenges_of(&viewer.id).filter(|c| c.settled_ms.is_none() && c.tickets.is_none());
        open.filter_map(|c| ChallengeShown::of(c, &viewer.id).transpose()).collect()
    }

    /// Accepts a challenge: its match exists when this returns. Accepting it again has the same result. `network`: the address
    /// of the request. Both players pay for the match.
    ///
    /// # Errors
    /// `no_such_challenge`, `not_your_challenge`, `challenge_over`, `not_accepted`, the errors of creating a match,
    /// `store_unavailable`.
    pub async fn accept(
        &self,
        matches: &Matches,
        id: &str,
        by: &PlayerRef,
        network: Option<IpAddr>,
    ) -> Result<ChallengeShown, Error> {
        let (challenge, is_opponent) = find(matches, id, by).await?;
        if !is_opponent {
            return Err(not_yours("only the player who was challenged can accept"));
        }
        let mut permit = None;
        if challenge.stage == OPEN && challenge.until_ms > matches.now().ms() {
            // One of the two may have blocked the other since.
            matches.admission().blocks.check(by, &challenge.challenger.who)?;
            let payers = Payers::new(network, [&challenge.opponent.who, &challenge.challenger.who]);
            permit = Some(matches.admission().admit(payers).await?);
            let settlement = Settlement {
                id: id.to_owned(),
                from: OPEN,
                to: ACCEPTED,
                settled_ms: None,
                until_ms: Some(matches.now().ms().saturating_add(PATIENCE_MS)),
                reason: None,
                match_id: None,
            };
            change(matches, LobbyChange::Settle(settlement)).await?;
        }
        let (challenge, _) = find(matches, id, by).await?;
        match (challenge.stage.as_str(), challenge.settled_ms) {
            (ACCEPTED, None) => {
                self.complete(matches, &challenge, permit).await?;
                self.challenge_of(matches, id, by).await
            }
            (ACCEPTED, Some(_)) => ChallengeShown::of(&challenge, &by.id)?.ok_or_else(no_such_challenge),
            _ => Err(over(&challenge)),
        }
    }

    /// Declines a challenge, or withdraws the caller's own.
    ///
    /// # Errors
    /// `no_such_challenge`, `not_your_challenge`, `challenge_over`, `bad_field`, `muted`, `store_unavailable`.
    pub async fn refuse(
        &self,
        matches: &Matches,
        id: &str,
        by: &PlayerRef,
        withdraw: bool,
        reason: Option<String>,
    ) -> Result<ChallengeShown, Error> {
        if reason.is_some() {
            matches.admission().restrictions.check_mute(by, matches.now().ms())?;
        }
        if let Some(reason) = &reason
            && (reason.chars().count() > MAX_REASON || reason.chars().any(alters_display))
        {
            let detail = format!("reason: at most {MAX_REASON} characters, without line breaks");
            return Err(Error::new(Code::BadField, detail));
        }
        let (challenge, is_opponent) = find(matches, id, by).await?;
        if is_opponent == withdraw {
            return Err(not_yours(match withdraw {
                true => "only the challenger can withdraw; decline it instead",
                false => "only the player who was challenged can decline; withdraw it instead",
            }));
        }
        let to = if withdraw { WITHDRAWN } else { DECLINED };
        if challenge.stage == to {
            return ChallengeShown::of(&challenge, &by.id)?.ok_or_else(no_such_challenge);
        }
        let settled_ms = Some(matches.now().ms());
        let settlement = Settlement {
            id: id.to_owned(),
            from: OPEN,
            to,
            settled_ms,
            until_ms: None,
            reason,
            match_id: None,
        };
        let changed = change(matches, LobbyChange::Settle(settlement)).await?;
        let (challenge, _) = find(matches, id, by).await?;
        if changed == 0 && challenge.stage != to {
            return Err(over(&challenge));
        }
        ChallengeShown::of(&challenge, &by.id)?.ok_or_else(no_such_challenge)
    }

    /// Deletes the reason for which the caller has declined a challenge.
    ///
    /// # Errors
    /// `no_such_challenge`, `not_your_challenge`, `store_unavailable`.
    pub async fn forget_reason(&self, matches: &Matches, id: &str, by: &PlayerRef) -> Result<(), Error> {
        let (_, is_opponent) = find(matches, id, by).await?;
        if !is_opponent {
            return Err(not_yours("only the player who gave the reason can delete it"));
        }
        let forget = LobbyChange::ForgetReason { id: id.to_owned(), opponent: by.id.clone() };
        change(matches, forget).await.map(drop)
    }

    /// Creates the match of an accepted challenge and seats both players. Any node may do it, any number of times: there is
    /// only one match. `permit`: `None` if it was admitted by a request that is gone.
    ///
    /// # Errors
    /// The reason why there is no match. If it is permanent, the challenge has failed.
    pub(super) async fn complete(
        &self,
        matches: &Matches,
        challenge: &StoredChallenge,
        permit: Option<Permit>,
    ) -> Result<MatchId, Error> {
        let payers = || Payers::new(None, [&challenge.challenger.who, &challenge.opponent.who]);
        let permit = permit.unwrap_or_else(|| Permit::admitted_before(payers()));
        let created = create_match(matches, challenge, None, Payment::Made(permit)).await;
        let now = matches.now().ms();
        let settle = |to, reason, match_id| Settlement {
            id: challenge.id.clone(),
            from: ACCEPTED,
            to,
            settled_ms: Some(now),
            until_ms: None,
            reason,
            match_id,
        };
        let settlement = match &created {
            Ok(id) => settle(ACCEPTED, None, Some(id.clone())),
            Err(e) if e.code().class().is_of_server() || e.code() == Code::TooMany => {
                if now < challenge.until_ms {
                    return created;
                }
                settle(FAILED, Some(e.detail().to_owned()), None)
            }
            Err(e) => settle(FAILED, Some(e.detail().to_owned()), None),
        };
        change(matches, LobbyChange::Settle(settlement)).await?;
        created
    }
}

/// Whether an online bot accepts these terms from this player.
fn check_policies(
    lobby: &LobbySnapshot,
    bot: &LobbyPlayer,
    terms: &Terms,
    from: &LobbyPlayer,
) -> Result<(), Error> {
    let of_bot = lobby.policies_of(&bot.who.id);
    let verdicts: Vec<Result<(), String>> =
        of_bot.map(|(_, policy)| policy.accepts(bot, terms, from)).collect();
    if verdicts.iter().any(Result::is_ok) {
        return Ok(());
    }
    let why = verdicts.into_iter().find_map(Result::err).unwrap_or_else(|| "is offline".to_owned());
    Err(Error::new(Code::NotAccepted, format!("{} {why}", bot.who.name)))
}

/// The challenge, and whether the viewer is the opponent.
async fn find(matches: &Matches, id: &str, viewer: &PlayerRef) -> Result<(StoredChallenge, bool), Error> {
    let found = matches.store().challenge(id.to_owned()).await.map_err(|e| refused_by_store(&e))?;
    let challenge = found.ok_or_else(no_such_challenge)?;
    match &viewer.id {
        id if *id == challenge.opponent.who.id => Ok((challenge, true)),
        id if *id == challenge.challenger.who.id => Ok((challenge, false)),
        _ => Err(no_such_challenge()),
    }
}

/// The options of a challenge's match: those of people, unless a bot plays it, which was made for the contest's rules.
fn options(matches: &Matches, terms: &Terms, challenge: &StoredChallenge) -> Result<Option<Value>, Error> {
    let bot_plays =
        [&challenge.challenger, &challenge.opponent].iter().any(|who| who.kind == PlayerKind::Bot);
    let game = matches.games().find(&terms.game)?.game;
    Ok(if bot_plays { None } else { game.options_for_people(2) })
}

/// Creates the match of a challenge, or of a pairing, and seats both players. `ladder`: the kind of match of the permanent ladder
/// that it is.
pub(super) async fn create_match(
    matches: &Matches,
    challenge: &StoredChallenge,
    ladder: Option<LadderMatch>,
    payment: Payment,
) -> Result<MatchId, Error> {
    let terms = Terms::read(&challenge.terms)?;
    let opponent = match challenge.opponent.kind {
        PlayerKind::Engine => engine_seat(&challenge.opponent.who)?,
        _ => NewSeat::Reserved { player: challenge.opponent.who.clone() },
    };
    let mut seats = vec![NewSeat::Me { name: None }, opponent];
    if terms.seat != 0 {
        seats.swap(0, 1);
    }
    let options = options(matches, &terms, challenge)?;
    let order = NewMatch {
        game: terms.game,
        options,
        seats,
        clock: terms.clock,
        idle_ms: None,
        private: false,
        hints: Some(false),
        seed: None,
        rated: terms.rated,
        tournament: None,
        ladder,
        position: None,
    };
    // A client's key has no space, so none can be this one.
    let key = IdempotencyKey { key: format!("challenge {}", challenge.id), request_hash: KeyHash([0; 32]) };
    let challenger = of_server(&challenge.challenger.who);
    let id = matches.create(order, &challenger, Some(key), payment).await?.id;
    if challenge.opponent.kind == PlayerKind::Engine {
        return Ok(id);
    }
    let seat = SeatChoice::from(Some(Seat(1 - terms.seat)));
    let joined = matches.join(&id, seat, None, &of_server(&challenge.opponent.who), None).await;
    match joined.map_err(|e| (e.code(), e)) {
        Ok(_) | Err((Code::AlreadySeated | Code::MatchOver | Code::Started, _)) => Ok(id),
        Err((Code::RatedLimit, e)) => {
            // The match cannot begin, and no other player can join it.
            let _ = matches.cancel(&id, &challenger).await;
            Err(e)
        }
        Err((_, e)) => Err(e),
    }
}

/// A player for whom the server acts: limits of addresses do not apply.
fn of_server(player: &PlayerRef) -> Caller {
    Caller { player: Some(player.clone()), ..Caller::default() }
}

pub(super) fn engine_seat(engine: &PlayerRef) -> Result<NewSeat, Error> {
    let unknown = || Error::new(Code::UnknownEngine, "the engine is not offered any more");
    let engine = EnginePlayer::parse(&engine.name).ok_or_else(unknown)?;
    Ok(NewSeat::Engine { engine: Some(engine.engine), level: engine.level, think_ms: None, nodes: None })
}

/// 32 random bytes.
pub(super) fn random() -> Result<[u8; 32], Error> {
    token::random().map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}

fn no_such_challenge() -> Error {
    Error::new(Code::NoSuchChallenge, "there is no such challenge of the caller")
}

fn not_yours(detail: &str) -> Error {
    Error::new(Code::NotYourChallenge, detail)
}

fn over(challenge: &StoredChallenge) -> Error {
    let stage = if challenge.stage == OPEN { "expired" } else { &challenge.stage };
    let reason = challenge.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    Error::new(Code::ChallengeOver, format!("the challenge is over: {stage}{reason}"))
}
