//! Notifications in words, in the language of the browser that shows them.

use crate::domain::time::Millis;
use crate::notifications::{Notice, NotificationText};
use crate::web::visit::{Language, in_language};
use crate::web::words::{say, t};

/// Says a notification in the language with this tag; in English if there is no such language.
pub(crate) fn notification_text(language: &str, notice: &Notice) -> NotificationText {
    let language = Language::of(language).unwrap_or(Language::ALL[0]);
    let (title, body) = in_language(language, || in_words(notice));
    NotificationText { title, body }
}

fn in_words(notice: &Notice) -> (String, String) {
    match notice {
        Notice::Turn { game, others, .. } => {
            let body = if others.is_empty() {
                t("notification.turn.say").to_owned()
            } else {
                say("notification.turn.against", &[("names", &others.join(", "))])
            };
            (say("notification.turn", &[("game", game)]), body)
        }
        Notice::Turns(count) => {
            let title = say("notification.turns", &[("count", &count.to_string())]);
            (title, t("notification.turn.say").to_owned())
        }
        Notice::Reminder { game, left_ms, .. } => {
            (say("notification.reminder", &[("game", game)]), left(*left_ms))
        }
        Notice::Challenge { game, by, .. } => {
            (say("notification.challenge", &[("name", by)]), (*game).to_owned())
        }
        Notice::Tournament { game, title, in_ms, .. } => {
            let minutes = whole(*in_ms, 60_000).to_string();
            let title = if title.is_empty() { game } else { title.as_str() };
            let body = say("notification.tournament.say", &[("minutes", &minutes)]);
            (say("notification.tournament", &[("title", title)]), body)
        }
        Notice::Test => (t("notification.test").to_owned(), t("notification.test.say").to_owned()),
    }
}

/// The time that is left, in hours or minutes.
fn left(ms: Millis) -> String {
    const HOUR: Millis = 3_600_000;
    if ms >= HOUR {
        return say("notification.left.hours", &[("hours", &whole(ms, HOUR).to_string())]);
    }
    say("notification.left.minutes", &[("minutes", &whole(ms, 60_000).to_string())])
}

/// How many of these fit, at least one.
fn whole(ms: Millis, unit: Millis) -> Millis {
    (ms / unit).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::MatchId;

    #[test]
    fn notification_speaks_the_language_of_its_browser() {
        let turn = |others: &[&str]| Notice::Turn {
            id: MatchId::fresh(),
            game: "Azul",
            others: others.iter().map(|name| (*name).to_owned()).collect(),
        };
        let title = |language: &str| notification_text(language, &turn(&[])).title;
        assert_eq!(title("en"), "Your turn in Azul");
        assert_eq!(title("xx"), title("en"));
        for language in ["ro", "pt", "pt-BR"] {
            assert!(title(language) != title("en") && title(language).contains("Azul"), "{language}");
        }
        let against = notification_text("en", &turn(&["ann", "ben"])).body;
        assert!(against.contains("ann, ben"), "{against}");
        let left = |left_ms| {
            let reminder = Notice::Reminder { id: MatchId::fresh(), game: "Azul", left_ms };
            notification_text("en", &reminder).body
        };
        assert!(left(7_300_000).contains("2 hours"), "{}", left(7_300_000));
        assert!(left(5_000).contains("1 minute"), "{}", left(5_000));
        let count = |count| notification_text("ro", &Notice::Turns(count)).title;
        assert!(count(2).contains('2') && count(20).contains("20 de"), "{} {}", count(2), count(20));
    }
}
