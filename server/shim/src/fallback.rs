//! A server's answers, and the built-in engine's where the server's do not come in time. It must not print.

use crate::answer::{Answerer, Failure, News, Watch};
use crate::engine::Engine;
use crate::remote::Remote;
use crate::transcript::Transcript;
use std::time::{Duration, Instant};

/// How long a server that is there may take beyond the thinking time.
const GRACE: Duration = Duration::from_millis(250);

/// How long a server that is not there may take to come: a start or a restart that nobody should notice.
const ABSENCE: Duration = Duration::from_millis(150);

/// A server, with an engine that follows the dialogue and steps in.
pub struct Fallback {
    /// `None` once the server has refused for good.
    remote: Option<Remote>,
    engine: Engine,
    /// Since when an answer is due.
    due: Option<Instant>,
    told: bool,
}

impl Fallback {
    /// Asks `remote` first.
    pub fn new(remote: Remote, engine: Engine) -> Self {
        Self { remote: Some(remote), engine, due: None, told: false }
    }

    /// When the engine steps in.
    fn patience_ends(&self) -> Option<Instant> {
        let due = self.due?;
        let Some(remote) = &self.remote else { return Some(due) };
        Some(due + if remote.in_touch() { self.engine.thinking_time() + GRACE } else { ABSENCE })
    }

    /// Lets the server speak. `true`: it said something that the engine has to hear first, or ended the session.
    fn ask(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        let mut told = Vec::new();
        remote.turn(now, transcript, &mut told);
        // The engine here hears the same dialogue and warns of the same.
        told.retain(|said| !matches!(said, News::Warning(_)));
        for said in &mut told {
            if let News::Failed(failure) = said {
                self.remote = None;
                *said = News::Note(format!("{}; going on with the engine here", failure.reason));
            }
        }
        let spoke = told.iter().any(|said| matches!(said, News::Print(_) | News::Over));
        news.append(&mut told);
        spoke
    }

    fn step_in(&mut self, now: Instant, due: Instant) -> Result<Vec<String>, Failure> {
        let lines = self.engine.answer(now.saturating_duration_since(due))?;
        if let Some(remote) = &mut self.remote {
            // It knows another end of the dialogue now; a new connection tells it the true one.
            remote.begin_again(now);
        }
        Ok(lines)
    }
}

impl Answerer for Fallback {
    fn turn(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) {
        if let Err(failure) = self.engine.hear(now, transcript) {
            news.push(News::Failed(failure));
            return;
        }
        news.extend(self.engine.warnings());
        if self.ask(now, transcript, news) {
            self.due = None;
            return;
        }
        if self.engine.is_over() {
            news.push(News::Over);
            return;
        }
        self.due = self.engine.owes().then(|| self.due.unwrap_or(now));
        let (Some(due), Some(end)) = (self.due, self.patience_ends()) else { return };
        if now < end {
            return;
        }
        self.due = None;
        if self.remote.is_some() && !std::mem::replace(&mut self.told, true) {
            news.push(News::Note("the server does not answer in time, the engine here does".to_owned()));
        }
        match self.step_in(now, due) {
            Ok(lines) => {
                news.extend(self.engine.keep());
                news.extend(self.engine.take_remarks());
                news.push(News::Print(lines));
            }
            Err(failure) => news.push(News::Failed(failure)),
        }
    }

    fn watch(&self) -> Option<Watch<'_>> {
        self.remote.as_ref().and_then(Answerer::watch)
    }

    fn wake_at(&self) -> Option<Instant> {
        let remote = self.remote.as_ref().and_then(Answerer::wake_at);
        [remote, self.engine.wake_at(), self.patience_ends()].into_iter().flatten().min()
    }

    fn in_touch(&self) -> bool {
        true
    }
}
