//! What a notification says, and the message that the pages' service worker shows.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::domain::time::Millis;
use crate::domain::{MatchId, TournamentId};

/// The longest title and body of a notification, in characters.
const MAX_TITLE: usize = 120;
const MAX_BODY: usize = 400;

/// What a notification says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The player is to move.
    Turn {
        /// The match.
        id: MatchId,
        /// The game's title.
        game: &'static str,
        /// The names of the others.
        others: Vec<String>,
    },
    /// The player is to move in several matches.
    Turns(usize),
    /// The time for a move ends soon.
    Reminder {
        /// The match.
        id: MatchId,
        /// The game's title.
        game: &'static str,
        /// How much of it is left, in milliseconds.
        left_ms: Millis,
    },
    /// A player challenges the player.
    Challenge {
        /// The challenge.
        id: String,
        /// The game's title.
        game: &'static str,
        /// The name of the challenger.
        by: String,
    },
    /// A tournament starts soon.
    Tournament {
        /// The tournament.
        id: TournamentId,
        /// The game's title.
        game: &'static str,
        /// Its title; empty: it has none.
        title: String,
        /// When it starts: in how many milliseconds.
        in_ms: Millis,
    },
    /// It shows that notifications work.
    Test,
}

/// A notification in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationText {
    /// Its first line.
    pub title: String,
    /// The rest.
    pub body: String,
}

/// Says a notification in the language with this tag.
pub type NotificationTexts = fn(language: &str, notice: &Notice) -> NotificationText;

/// The message to the service worker.
#[derive(Serialize)]
struct ShownNotification {
    title: String,
    body: String,
    /// The page that it opens.
    url: String,
    /// A newer notification with the same tag replaces an older one.
    tag: String,
}

impl Notice {
    /// The message for a browser, JSON.
    pub(super) fn message(&self, language: &str, texts: NotificationTexts) -> Vec<u8> {
        let NotificationText { title, body } = texts(language, self);
        let short = |text: String, most: usize| text.chars().take(most).collect();
        let shown = ShownNotification {
            title: short(title, MAX_TITLE),
            body: short(body, MAX_BODY),
            url: self.url(),
            tag: self.tag(),
        };
        serde_json::to_vec(&shown).expect("plain texts")
    }

    /// The path of the page that it opens.
    fn url(&self) -> String {
        match self {
            Self::Turn { id, .. } | Self::Reminder { id, .. } => format!("/matches/{id}"),
            // The list of matches on the home page, those in which the player is to move first.
            Self::Turns(_) => "/#mine".to_owned(),
            Self::Challenge { .. } => "/lobby".to_owned(),
            Self::Tournament { id, .. } => format!("/tournaments/{}", id.as_str()),
            Self::Test => "/account".to_owned(),
        }
    }

    fn tag(&self) -> String {
        match self {
            Self::Turn { id, .. } | Self::Reminder { id, .. } => format!("match {id}"),
            Self::Turns(_) => "turns".to_owned(),
            Self::Challenge { id, .. } => format!("challenge {id}"),
            Self::Tournament { id, .. } => format!("tournament {}", id.as_str()),
            Self::Test => "test".to_owned(),
        }
    }

    /// The topic for the push service, of the characters and the length that it allows. It cannot be read from it what it is.
    pub(super) fn topic(&self) -> String {
        URL_SAFE_NO_PAD.encode(&Sha256::digest(self.tag())[..24])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::encryption::MAX_MESSAGE;

    #[test]
    fn message_names_its_page_and_fits() {
        let id = MatchId::fresh();
        let notice = Notice::Turn { id: id.clone(), game: "Game", others: vec!["ann".to_owned()] };
        let texts: NotificationTexts =
            |language, _| NotificationText { title: language.to_owned(), body: "\u{1F600}".repeat(2_000) };
        let message = notice.message("ro", texts);
        assert!(message.len() <= MAX_MESSAGE, "{}", message.len());
        let read: serde_json::Value = serde_json::from_slice(&message).unwrap();
        assert_eq!((&read["title"], &read["url"]), (&"ro".into(), &format!("/matches/{id}").into()));
        assert_eq!(notice.topic().len(), 32);
        assert_ne!(notice.topic(), Notice::Test.topic());
    }
}
