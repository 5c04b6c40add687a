//! Sends what is due. Each node looks into the database; the one that claims a notification there sends it, all others leave it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::domain::time::Millis;
use crate::domain::{MatchId, NotificationKind, PlayerRef, TournamentId, TournamentStage};
use crate::error::{Code, Error};
use crate::notifications::delivery::{PushMessage, PushOutcome};
use crate::notifications::encryption::BrowserKeys;
use crate::notifications::{Notice, Notifications, upcoming};
use crate::store::{DueNotification, PushChange, StoredPushSubscription};

/// How often to look for what is due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How often to remove what is over.
const SWEEP: Duration = Duration::from_secs(60);

/// How many notifications are read at a time.
const BATCH: u32 = 64;

/// How many browsers are sent to at a time.
const AT_ONCE: usize = 16;

/// If the node that sends a notification dies, another one tries again after this long, in milliseconds. Longer than an attempt
/// takes.
const CLAIMED_MS: Millis = 60_000;

/// How often a notification for a player on vacation is looked at again, in milliseconds: an hour, less than any reminder comes before
/// the end of a turn.
const VACATION_CHECK_MS: Millis = 3_600_000;

/// How often a notification is tried.
const MOST_TRIES: u32 = 5;

/// How often a pause between tries grows.
const GROWTH: u32 = 4;

/// Whether a notification still holds.
enum Validity {
    /// It does, and says this.
    Valid(Notice),
    /// Not yet: from the first time on, and until the second one.
    Early(Millis, Millis),
    /// Not any more.
    Expired,
}

impl Notifications {
    /// Sends notifications until the server stops.
    pub async fn run(&'static self, stopping: CancellationToken) {
        if self.key.is_none() {
            return;
        }
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let mut poll = interval(POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut known, mut swept) = (upcoming::KnownStarts::default(), None::<Instant>);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = poll.tick() => {}
            }
            // What fails is repeated at the next tick; the log says elsewhere that the database is unavailable.
            self.note_starts(&mut known).await;
            if swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
                let now = self.deps.matches.now().ms();
                if self.change(PushChange::Sweep { now }).await.is_ok() {
                    swept = Some(Instant::now());
                }
            }
            while self.send_batch(&places).await && !stopping.is_cancelled() {}
        }
    }

    /// Begins to send the first notifications that are due. Returns whether there may be more.
    async fn send_batch(&'static self, places: &Arc<Semaphore>) -> bool {
        let now = self.deps.matches.now().ms();
        let Ok(due) = self.store().due_notifications(now, BATCH).await else { return false };
        let more = due.len() >= BATCH as usize;
        for group in by_subscription(due) {
            let Ok(place) = Arc::clone(places).acquire_owned().await else { return false };
            let mut claimed = Vec::new();
            for one in group {
                let again_ms = self.deps.matches.now().ms().saturating_add(CLAIMED_MS);
                let claim = PushChange::Claim { key: one.key.clone(), due_ms: one.due_ms, again_ms };
                match self.change(claim).await {
                    // Another node sends it.
                    Ok(0) => {}
                    Ok(_) => claimed.push(one),
                    Err(_) => return false,
                }
            }
            if !claimed.is_empty() {
                tokio::spawn(self.send_claimed(claimed, place));
            }
        }
        more
    }

    /// Sends notifications to one subscription, as far as they still hold.
    async fn send_claimed(&'static self, claimed: Vec<DueNotification>, _place: OwnedSemaphorePermit) {
        let (mut turns, mut others) = (Vec::new(), Vec::new());
        for one in claimed {
            match self.validity(&one).await {
                Ok(Validity::Valid(notice)) if one.key.kind == NotificationKind::Turn => {
                    turns.push((notice, one))
                }
                Ok(Validity::Valid(notice)) => others.push((notice, vec![one])),
                Ok(Validity::Early(due_ms, until_ms)) => {
                    let until_ms = Some(until_ms);
                    self.write(PushChange::Postpone { key: one.key, due_ms, until_ms }).await;
                }
                Ok(Validity::Expired) => {
                    self.write(PushChange::Settle { key: one.key, delivered_ms: None }).await
                }
                // Any node tries again when the claim is over.
                Err(e) => tracing::debug!(error = %e, "a notification cannot be checked now"),
            }
        }
        // Turns that came together are one notification.
        if turns.len() > 1 {
            let notice = Notice::Turns(turns.len());
            others.push((notice, turns.into_iter().map(|(_, one)| one).collect()));
        } else {
            others.extend(turns.into_iter().map(|(notice, one)| (notice, vec![one])));
        }
        for (notice, rows) in others {
            self.send(&notice, rows).await;
        }
    }

    /// Sends one notification, and writes what became of it.
    async fn send(&self, notice: &Notice, rows: Vec<DueNotification>) {
        let Some(DueNotification { to, .. }) = rows.first() else { return };
        let until_ms = rows.iter().map(|row| row.until_ms).min().unwrap_or_default();
        let outcome = match self.deliver(to, notice, until_ms).await {
            Ok(outcome) => outcome,
            Err(e) => {
                e.log();
                PushOutcome::Refused
            }
        };
        let now = self.deps.matches.now().ms();
        if outcome == PushOutcome::Gone {
            // What still holds when the browser has renewed the subscription is sent then.
            let (id, endpoint) = (to.id.clone(), to.target.endpoint.clone());
            return self.write(PushChange::Lapse { id, endpoint, at_ms: now }).await;
        }
        for row in rows {
            let change = match outcome {
                PushOutcome::Later(asked) => match self.next_try(&row, asked, now) {
                    Some(due_ms) => PushChange::Postpone { key: row.key, due_ms, until_ms: None },
                    None => PushChange::Settle { key: row.key, delivered_ms: None },
                },
                PushOutcome::Taken => PushChange::Settle { key: row.key, delivered_ms: Some(now) },
                PushOutcome::Refused | PushOutcome::Gone => {
                    PushChange::Settle { key: row.key, delivered_ms: None }
                }
            };
            self.write(change).await;
        }
    }

    /// When to try again; `None`: no more. `asked`: the pause that the push service asks for.
    fn next_try(&self, row: &DueNotification, asked: Option<Duration>, now: Millis) -> Option<Millis> {
        let tries = row.tries.saturating_add(1);
        let pause = self.retry_after.saturating_mul(GROWTH.saturating_pow(row.tries));
        let pause = pause.max(asked.unwrap_or_default());
        let due_ms = now.saturating_add(Millis::try_from(pause.as_millis()).unwrap_or(Millis::MAX));
        (tries < MOST_TRIES && due_ms < row.until_ms).then_some(due_ms)
    }

    /// Encrypts a notification and gives it to the push service.
    ///
    /// # Errors
    /// `push_off`, `internal`.
    pub(super) async fn deliver(
        &self,
        to: &StoredPushSubscription,
        notice: &Notice,
        until_ms: Millis,
    ) -> Result<PushOutcome, Error> {
        let key = self.key()?;
        // Subscriptions are checked before they are stored; but the option that allows private networks may be gone.
        let (Ok(endpoint), Some(keys)) =
            (self.client.endpoint(&to.target.endpoint), BrowserKeys::read(&to.target))
        else {
            return Ok(PushOutcome::Refused);
        };
        let now = self.deps.matches.now().ms();
        let message = PushMessage {
            body: keys.encrypt(&notice.message(&to.language, self.deps.texts))?,
            authorization: key.authorization(&endpoint.origin(), now),
            ttl_s: u64::try_from(until_ms.saturating_sub(now) / 1_000).unwrap_or(0),
            topic: Some(notice.topic()),
        };
        Ok(self.client.send(&endpoint, message).await)
    }

    async fn write(&self, change: PushChange) {
        // The claim of a notification ends, and any node tries again.
        if let Err(e) = self.change(change).await {
            tracing::debug!(error = %e, "what became of a notification cannot be written now");
        }
    }

    /// Whether a notification still holds. It does not for a player with an open page, or one who is banned.
    async fn validity(&self, due: &DueNotification) -> Result<Validity, Error> {
        let (who, now) = (&due.to.who, self.deps.matches.now().ms());
        let is_banned = self.deps.matches.admission().restrictions.check_ban(who, now).is_err();
        if is_banned || !self.deps.lobby.now().connections_of(&who.id).is_empty() {
            return Ok(Validity::Expired);
        }
        let subject = &due.key.subject;
        match due.key.kind {
            NotificationKind::Turn | NotificationKind::Reminder => self.turn(due, who, now).await,
            NotificationKind::Challenge => self.challenge(subject, who, now).await,
            NotificationKind::Tournament => self.tournament(subject, who, now).await,
        }
    }

    async fn turn(&self, due: &DueNotification, who: &PlayerRef, now: Millis) -> Result<Validity, Error> {
        let read = || {
            let (id, ply) = due.key.subject.split_once(' ')?;
            Some((MatchId::parse(id)?, ply.parse::<u32>().ok()?))
        };
        let Some((id, ply)) = read() else { return Ok(Validity::Expired) };
        let turn = self.deps.matches.awaited_turn(&id, who).await?;
        let Some(turn) = turn.filter(|turn| turn.ply == ply && !turn.follows) else {
            return Ok(Validity::Expired);
        };
        if let Some(vacation_ms) = turn.vacation_until_ms {
            // It may be made shorter or longer, so this is looked at again. A notification lasts as long after its time as before.
            let due_ms = vacation_ms.min(now.saturating_add(VACATION_CHECK_MS));
            let lasts_ms = due.until_ms.saturating_sub(due.due_ms);
            return Ok(Validity::Early(due_ms, due_ms.saturating_add(lasts_ms)));
        }
        let game = turn.offer.info.title;
        if due.key.kind == NotificationKind::Turn {
            return Ok(Validity::Valid(Notice::Turn { id, game, others: turn.others }));
        }
        let Some(end_ms) = turn.end_ms else { return Ok(Validity::Expired) };
        // A downtime or a vacation has moved the end of the turn.
        let moved_ms = end_ms.saturating_sub(due.until_ms);
        if moved_ms > CLAIMED_MS {
            return Ok(Validity::Early(due.due_ms.saturating_add(moved_ms), end_ms));
        }
        Ok(Validity::Valid(Notice::Reminder { id, game, left_ms: end_ms.saturating_sub(now) }))
    }

    async fn challenge(&self, id: &str, who: &PlayerRef, now: Millis) -> Result<Validity, Error> {
        let shown = match self.deps.lobby.challenge_of(self.deps.matches, id, who).await {
            Err(e) if e.code() == Code::NoSuchChallenge => return Ok(Validity::Expired),
            shown => shown?,
        };
        if shown.stage != "open" || shown.until_ms <= now {
            return Ok(Validity::Expired);
        }
        let game = self.deps.matches.games().find(&shown.game)?.info.title;
        Ok(Validity::Valid(Notice::Challenge { id: shown.id, game, by: shown.challenger }))
    }

    async fn tournament(&self, id: &str, who: &PlayerRef, now: Millis) -> Result<Validity, Error> {
        let Some(id) = TournamentId::parse(id) else { return Ok(Validity::Expired) };
        let loaded = match self.deps.tournaments.look(self.deps.matches, &id).await {
            Err(e) if e.code() == Code::NoSuchTournament => return Ok(Validity::Expired),
            loaded => loaded?,
        };
        let state = &loaded.state;
        let starts = state.setup.starts_ms.filter(|starts| *starts > now);
        let (Some(starts), TournamentStage::Registration, Some(_)) =
            (starts, state.stage, state.entrant_of(&who.id))
        else {
            return Ok(Validity::Expired);
        };
        let game = self.deps.matches.games().find(&state.setup.game)?.info.title;
        let title = state.setup.title.clone();
        Ok(Validity::Valid(Notice::Tournament { id, game, title, in_ms: starts - now }))
    }
}

/// The same notifications, those to one subscription together, in their order.
fn by_subscription(due: Vec<DueNotification>) -> Vec<Vec<DueNotification>> {
    let mut groups: Vec<Vec<DueNotification>> = Vec::new();
    for one in due {
        match groups.iter_mut().find(|group| group[0].to.id == one.to.id) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}
