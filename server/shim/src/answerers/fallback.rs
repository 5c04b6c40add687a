//! Answers from a server, or from the built-in engine if the server's do not come in time. It must not print.

use crate::answerers::engine::EngineAnswerer;
use crate::answerers::remote::RemoteAnswerer;
use crate::dialogue::answer::{Answerer, Failure, PipeAction, PollTarget};
use crate::dialogue::transcript::Transcript;
use std::time::{Duration, Instant};

/// How long a reachable server may take beyond the thinking time.
const ANSWER_GRACE: Duration = Duration::from_millis(250);

/// How long the engine waits for an unreachable server, so that a restart of the server goes unnoticed.
const CONNECT_GRACE: Duration = Duration::from_millis(150);

/// A server, and an engine that follows the dialogue and answers in its place.
pub(crate) struct FallbackAnswerer {
    /// `None` after the server has refused permanently.
    remote: Option<RemoteAnswerer>,
    engine: EngineAnswerer,
    /// The time since which an answer is due.
    due: Option<Instant>,
    /// Whether the note about the late server was shown.
    noted: bool,
}

impl FallbackAnswerer {
    /// Asks `remote` first.
    pub(crate) fn new(remote: RemoteAnswerer, engine: EngineAnswerer) -> Self {
        Self { remote: Some(remote), engine, due: None, noted: false }
    }

    /// The time at which the engine answers in place of the server.
    fn deadline(&self) -> Option<Instant> {
        let due = self.due?;
        let Some(remote) = &self.remote else { return Some(due) };
        Some(
            due + if remote.can_answer() {
                self.engine.thinking_time() + ANSWER_GRACE
            } else {
                CONNECT_GRACE
            },
        )
    }

    /// Gives the server a turn. `true`: it printed something that the engine must read first, or ended the dialogue.
    fn ask_server(&mut self, now: Instant, transcript: &Transcript, actions: &mut Vec<PipeAction>) -> bool {
        let Some(remote) = &mut self.remote else { return false };
        let mut from_server = Vec::new();
        remote.turn(now, transcript, &mut from_server);
        // The engine here reads the same dialogue and gives the same warnings.
        from_server.retain(|action| !matches!(action, PipeAction::Warning(_)));
        for action in &mut from_server {
            if let PipeAction::Failed(failure) = action {
                self.remote = None;
                *action = PipeAction::Note(format!("{}; going on with the engine here", failure.reason));
            }
        }
        let answered =
            from_server.iter().any(|action| matches!(action, PipeAction::Print(_) | PipeAction::Over));
        actions.append(&mut from_server);
        answered
    }

    /// The engine's answer. `due`: the time since which it is due.
    fn answer_with_engine(&mut self, now: Instant, due: Instant) -> Result<Vec<String>, Failure> {
        let lines = self.engine.answer(now.saturating_duration_since(due))?;
        if let Some(remote) = &mut self.remote {
            // Its dialogue differs from here on; a new connection sends it the true transcript.
            remote.reconnect(now);
        }
        Ok(lines)
    }
}

impl Answerer for FallbackAnswerer {
    fn turn(&mut self, now: Instant, transcript: &Transcript, actions: &mut Vec<PipeAction>) {
        if let Err(failure) = self.engine.read(now, transcript) {
            actions.push(PipeAction::Failed(failure));
            return;
        }
        actions.extend(self.engine.warnings());
        if self.ask_server(now, transcript, actions) {
            self.due = None;
            return;
        }
        if self.engine.is_over() {
            actions.push(PipeAction::Over);
            return;
        }
        self.due = self.engine.is_to_answer().then(|| self.due.unwrap_or(now));
        let (Some(due), Some(deadline)) = (self.due, self.deadline()) else { return };
        if now < deadline {
            return;
        }
        self.due = None;
        if self.remote.is_some() && !std::mem::replace(&mut self.noted, true) {
            let note = "the server does not answer in time, the engine here does";
            actions.push(PipeAction::Note(note.to_owned()));
        }
        match self.answer_with_engine(now, due) {
            Ok(lines) => {
                actions.extend(self.engine.keep());
                actions.extend(self.engine.take_remarks());
                actions.push(PipeAction::Print(lines));
            }
            Err(failure) => actions.push(PipeAction::Failed(failure)),
        }
    }

    fn poll_target(&self) -> Option<PollTarget<'_>> {
        self.remote.as_ref().and_then(Answerer::poll_target)
    }

    fn wake_at(&self) -> Option<Instant> {
        let remote = self.remote.as_ref().and_then(Answerer::wake_at);
        [remote, self.engine.wake_at(), self.deadline()].into_iter().flatten().min()
    }

    fn can_answer(&self) -> bool {
        true
    }
}
