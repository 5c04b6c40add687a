//! The chat of a match: ready phrases, and free text where the operator allows it. Its players have one, and its spectators have
//! another one, so that nobody advises a player. Neither is a part of the match's log or record.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::text::alters_display;
use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::error::{Code, Error};
use crate::matches::actor::message::MatchMessage;
use crate::matches::actor::requests::no_seat;
use crate::matches::event::SeatSetup;
use crate::matches::ledger::Caller;
use crate::matches::registry::MatchRegistry;
use crate::matches::service::Matches;
use crate::store::{ChatLine, DeletedBy, MessageDeletion, StoreChange, StoredMessage, refused_by_store};

/// The longest text, in characters.
pub const MAX_TEXT: usize = 200;
/// The most messages of a match's players, and of its spectators.
pub const MAX_MESSAGES: u32 = 500;
/// The most messages of an author within [`LATELY_MS`].
pub const MOST_LATELY: u32 = 6;
/// The time in which messages of an author count, in milliseconds.
pub const LATELY_MS: i64 = 20_000;

/// A phrase that every page can show in its own language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ChatPhrase")]
#[expect(missing_docs, reason = "the variants are what is said")]
pub enum Phrase {
    Hello,
    GoodLuck,
    GoodMove,
    Thanks,
    Sorry,
    OneMoment,
    WellPlayed,
    GoodGame,
    PlayAgain,
}

/// The content of a message: a phrase or a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "ChatSaid")]
pub enum SentContent {
    /// A ready phrase.
    Phrase(Phrase),
    /// A text of at most 200 characters in one line.
    Text(String),
}

/// The content of a message as its readers get it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatContent {
    /// A ready phrase.
    Phrase(Phrase),
    /// A line that the author wrote.
    Text(String),
    /// It was deleted; what it said is gone.
    Deleted(DeletedBy),
}

impl From<SentContent> for ChatContent {
    fn from(said: SentContent) -> Self {
        match said {
            SentContent::Phrase(phrase) => Self::Phrase(phrase),
            SentContent::Text(text) => Self::Text(text),
        }
    }
}

/// A message with its number and author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChatMessage {
    /// Its number in the match: 0, 1, 2, ... Players and spectators number theirs together, so there are gaps.
    pub n: u32,
    /// The seat that sent it; missing: a spectator did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<u8>,
    /// The name of the spectator who sent it; missing: a seat did, or the account is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub player: Option<String>,
    /// The time at which it was sent, in milliseconds since 1970.
    pub at_ms: Millis,
    /// The content.
    #[serde(flatten)]
    pub said: ChatContent,
}

/// The chat of a match.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Chat {
    /// The messages, the oldest first.
    pub messages: Vec<ChatMessage>,
    /// Whether this server allows free text.
    pub text: bool,
    /// Whose chat it is.
    pub room: ChatRoom,
}

/// Whose chat it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChatRoom {
    /// That of those who hold a seat.
    Players,
    /// That of all others.
    Spectators,
}

/// Who says or reads something, as far as the chat of a match is concerned.
enum Talker {
    /// The holder of this seat, and the players in the other seats.
    Player(u8, Vec<PlayerRef>),
    /// Somebody without a seat.
    Spectator,
}

impl Talker {
    /// The seat; `None`: a spectator.
    fn seat(&self) -> Option<u8> {
        match self {
            Self::Player(seat, _) => Some(*seat),
            Self::Spectator => None,
        }
    }

    fn room(&self) -> ChatRoom {
        match self {
            Self::Player(..) => ChatRoom::Players,
            Self::Spectator => ChatRoom::Spectators,
        }
    }
}

impl ChatMessage {
    /// Whose chat it belongs to.
    pub fn room(&self) -> ChatRoom {
        match self.seat {
            Some(_) => ChatRoom::Players,
            None => ChatRoom::Spectators,
        }
    }
}

impl SentContent {
    /// Checks a text and removes the space around it.
    ///
    /// # Errors
    /// `bad_field`.
    fn checked(self, text_allowed: bool) -> Result<Self, Error> {
        let Self::Text(text) = self else { return Ok(self) };
        if !text_allowed {
            return Err(Error::new(Code::BadField, "text: this server allows only phrases"));
        }
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > MAX_TEXT {
            let detail = format!("text: {length} characters; allowed are 1 to {MAX_TEXT}");
            return Err(Error::new(Code::BadField, detail));
        }
        if text.chars().any(alters_display) {
            let detail = "text: control characters, such as line breaks, are not allowed";
            return Err(Error::new(Code::BadField, detail));
        }
        Ok(Self::Text(text.to_owned()))
    }
}

/// A stored message; `None` if it was written by a newer version.
fn read(stored: StoredMessage) -> Option<ChatMessage> {
    let StoredMessage { n, seat, at_ms, said, name, .. } = stored;
    Some(ChatMessage { n, seat, player: name, at_ms, said: serde_json::from_str(&said).ok()? })
}

impl Matches {
    /// Says something: the holder of a seat to the other players of the match, any other player to its spectators.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, `muted`, `not_accepted`, `bad_field`, `too_many`, `store_unavailable`.
    pub async fn say(&self, id: &MatchId, said: SentContent, caller: &Caller) -> Result<ChatMessage, Error> {
        self.registry.say(id, said, caller).await
    }

    /// Deletes a message of the caller. Deleting it again has the same result.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `no_such_message`, `not_your_message`, `store_unavailable`.
    pub async fn unsay(&self, id: &MatchId, n: u32, caller: &Caller) -> Result<(), Error> {
        self.registry.unsay(id, n, Some(caller)).await
    }

    /// Deletes any message, for the operator.
    ///
    /// # Errors
    /// `no_such_message`, `store_unavailable`.
    pub async fn delete_message(&self, id: &MatchId, n: u32) -> Result<(), Error> {
        self.registry.unsay(id, n, None).await
    }

    /// The messages from number `from` on, and those before that were deleted: of the players for the holder of a seat, of the
    /// spectators for anybody else.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, `store_unavailable`.
    pub async fn chat(&self, id: &MatchId, from: u32, caller: &Caller) -> Result<Chat, Error> {
        self.registry.chat(id, from, caller).await
    }
}

impl MatchRegistry {
    /// Says something as the holder of a seat, or as a spectator with an account. The streams of those who may read it get it at
    /// once, as far as they are open on this node.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, `muted`, `not_accepted` if one of the players has blocked another,
    /// `bad_field`, `too_many`, `store_unavailable`.
    pub(super) async fn say(
        self: &Arc<Self>,
        id: &MatchId,
        said: SentContent,
        caller: &Caller,
    ) -> Result<ChatMessage, Error> {
        let talker = self.talker(id, caller).await?;
        if let Some(speaker) = &caller.player {
            self.admission.restrictions.check_mute(speaker, self.now.ms())?;
            if let Talker::Player(_, others) = &talker {
                others.iter().try_for_each(|other| self.admission.blocks.check(speaker, other))?;
            }
        } else if talker.seat().is_none() {
            return Err(no_seat(caller));
        }
        let said = said.checked(!self.options.no_chat_text)?;
        let at_ms = self.now.ms();
        let author = author(caller).ok_or_else(|| no_seat(caller))?;
        let line = ChatLine {
            id: id.clone(),
            seat: talker.seat(),
            at_ms,
            said: serde_json::to_string(&said).expect("plain values with text keys"),
            author: author.clone(),
            most: MAX_MESSAGES,
            most_lately: MOST_LATELY,
            since_ms: at_ms - LATELY_MS,
        };
        let known = self.store.chat(id.clone(), 0).await.map_err(|e| refused_by_store(&e))?.len();
        if self.store.change(StoreChange::Say(line)).await.map_err(|e| refused_by_store(&e))? == 0 {
            let detail = format!(
                "{MOST_LATELY} messages within {} seconds are allowed, and {MAX_MESSAGES} in a match",
                LATELY_MS / 1000
            );
            let wait = std::time::Duration::from_millis(LATELY_MS.unsigned_abs() / 4);
            return Err(Error::new(Code::TooMany, detail).retry_after(wait));
        }
        let from = u32::try_from(known).unwrap_or(u32::MAX);
        let fresh = self.store.chat(id.clone(), from).await.map_err(|e| refused_by_store(&e))?;
        let mine = fresh.into_iter().find(|m| m.author.as_ref() == Some(&author) && m.at_ms == at_ms);
        let message = mine.and_then(read).ok_or_else(|| Error::new(Code::Internal, "a message was lost"))?;
        self.tell(id, &message).await;
        Ok(message)
    }

    /// Sends a message to the open streams of those who may read it. Readers on other nodes, and those whose actor has just
    /// ended, ask for it.
    async fn tell(self: &Arc<Self>, id: &MatchId, message: &ChatMessage) {
        let tell = |reply| MatchMessage::NewChat { message: message.clone(), reply };
        if let Err(e) = self.ask(id, tell).await {
            tracing::debug!(id = id.as_str(), error = %e, "a message was stored but not sent to streams");
        }
    }

    /// Deletes a message. `caller`: must be its author; `None`: the operator.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `no_such_message`, `not_your_message`, `store_unavailable`.
    async fn unsay(self: &Arc<Self>, id: &MatchId, n: u32, caller: Option<&Caller>) -> Result<(), Error> {
        let by = match caller {
            Some(_) => DeletedBy::Author,
            None => DeletedBy::Operator,
        };
        let author = match caller {
            Some(caller) => {
                // A caller who may not see the match learns nothing about its messages.
                self.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply }).await?;
                Some(author(caller).ok_or_else(|| no_seat(caller))?)
            }
            None => None,
        };
        let stored = self.store.chat(id.clone(), n).await.map_err(|e| refused_by_store(&e))?;
        let missing = || Error::new(Code::NoSuchMessage, format!("the match has no message {n}"));
        let message = stored.into_iter().find(|message| message.n == n).ok_or_else(missing)?;
        if author.is_some() && author != message.author {
            return Err(Error::new(Code::NotYourMessage, "only the author of a message can delete it"));
        }
        let deletion = StoreChange::Unsay(MessageDeletion { id: id.clone(), n, by });
        if self.store.change(deletion).await.map_err(|e| refused_by_store(&e))? > 0 {
            let StoredMessage { seat, at_ms, name, .. } = message;
            self.tell(id, &ChatMessage { n, seat, player: name, at_ms, said: ChatContent::Deleted(by) })
                .await;
        }
        Ok(())
    }

    /// The messages from number `from` on, and those before that were deleted, of the room that the caller may read.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, `store_unavailable`.
    pub(super) async fn chat(
        self: &Arc<Self>,
        id: &MatchId,
        from: u32,
        caller: &Caller,
    ) -> Result<Chat, Error> {
        let room = self.talker(id, caller).await?.room();
        let stored = self.store.chat(id.clone(), from).await.map_err(|e| refused_by_store(&e))?;
        let messages = stored.into_iter().filter_map(read).filter(|message| message.room() == room);
        Ok(Chat { messages: messages.collect(), text: !self.options.no_chat_text, room })
    }

    /// In which room the caller talks.
    ///
    /// # Errors
    /// `no_such_match`, `store_unavailable`; `token_needed` and `not_your_seat` for somebody without a seat if the operator has
    /// switched off the spectators' chat, and for whoever holds a seat that nobody plays.
    async fn talker(self: &Arc<Self>, id: &MatchId, caller: &Caller) -> Result<Talker, Error> {
        let now = self.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply }).await?;
        let Some(seat) = now.seat else {
            let allowed = !self.options.no_spectator_chat;
            return if allowed { Ok(Talker::Spectator) } else { Err(no_seat(caller)) };
        };
        match &now.seats[seat.index()].chair {
            SeatSetup::Held { .. } => {
                let others = now.seats.iter().enumerate().filter(|(at, _)| *at != seat.index());
                let players = others.filter_map(|(_, other)| other.chair.holder()?.player.clone());
                Ok(Talker::Player(seat.0, players.collect()))
            }
            _ => Err(no_seat(caller)),
        }
    }
}

/// The caller as the author of messages: the id of the player, or the hash of a guest's token.
fn author(caller: &Caller) -> Option<String> {
    let player = caller.player.as_ref().map(|player| player.id.clone());
    player.or_else(|| caller.seat_key.map(|key| key.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> SentContent {
        SentContent::Text(text.to_owned())
    }

    #[test]
    fn text_is_checked() {
        assert_eq!(text("  well done ").checked(true).unwrap(), text("well done"));
        assert_eq!(text(&"ã".repeat(MAX_TEXT)).checked(true).unwrap(), text(&"ã".repeat(MAX_TEXT)));
        for bad in ["", "   ", "two\nlines", "a\u{202e}b", &"x".repeat(MAX_TEXT + 1)] {
            assert_eq!(text(bad).checked(true).unwrap_err().code(), Code::BadField, "{bad:?}");
        }
        assert_eq!(text("hello").checked(false).unwrap_err().code(), Code::BadField);
        assert_eq!(
            SentContent::Phrase(Phrase::Hello).checked(false).unwrap(),
            SentContent::Phrase(Phrase::Hello)
        );
    }

    #[test]
    fn messages_are_written_flat() {
        let of_seat = ChatMessage {
            n: 3,
            seat: Some(1),
            player: None,
            at_ms: 5,
            said: ChatContent::Phrase(Phrase::GoodGame),
        };
        let of_spectator = ChatMessage { seat: None, player: Some("ann".to_owned()), ..of_seat.clone() };
        let json = |message| serde_json::to_value(message).unwrap();
        assert_eq!(
            json(of_seat),
            serde_json::json!({ "n": 3, "seat": 1, "at_ms": 5, "phrase": "good_game" })
        );
        assert_eq!(
            json(of_spectator),
            serde_json::json!({ "n": 3, "player": "ann", "at_ms": 5, "phrase": "good_game" })
        );
    }

    #[test]
    fn stored_messages_are_read_back() {
        for said in [SentContent::Phrase(Phrase::Hello), text("hello")] {
            let stored = serde_json::to_string(&said).unwrap();
            assert_eq!(serde_json::from_str::<ChatContent>(&stored).unwrap(), ChatContent::from(said));
        }
        let deleted = r#"{"deleted":"operator"}"#;
        let read: ChatContent = serde_json::from_str(deleted).unwrap();
        assert_eq!(read, ChatContent::Deleted(DeletedBy::Operator));
    }
}
