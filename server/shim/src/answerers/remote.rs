//! Answers from a server. It must not print, and must not understand the game.

use crate::dialogue::answer::{Answerer, Failure, PipeAction, PollTarget};
use crate::dialogue::transcript::{MessageLine, Transcript, message_lines};
use crate::network::connect::{ConnectError, classify};
use crate::network::http::{HttpMethod, HttpRequest};
use crate::network::link::{Link, LinkEvent};
use crate::options::PlayOptions;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The pause before another attempt after close code 1013 (try again later).
const BUSY_PAUSE: Duration = Duration::from_millis(250);

/// The beginning of a remark on the best move so far, and the longest time in it, in milliseconds: a day.
const BEST: &str = "best ";
const LONGEST_BEST_MS: u64 = 86_400_000;

/// Close codes with a meaning of their own (RFC 6455, section 7.4, and the server's).
pub(crate) const CLOSE_DONE: u16 = 1000;
/// A newer connection has taken over. Coming back would take it away again.
pub(crate) const CLOSE_TAKEN_OVER: u16 = 4410;
const CLOSE_TRY_LATER: u16 = 1013;
const CLOSE_CONTRADICTION: u16 = 4400;

/// A server as the source of answers.
pub(crate) struct RemoteAnswerer {
    link: Link,
    /// Lines printed at the start of the dialogue. A server that does not know yet that the dialogue continues may
    /// repeat them; they are not printed again.
    opening: VecDeque<String>,
    /// Bytes of the transcript at the last turn, and the time of the turn at which it had grown.
    seen: (usize, Instant),
    best: Option<BestMove>,
    /// Whether a note said that the server is late.
    noted: bool,
}

/// The best move so far for the answer that is due, as the server's last remark on it says.
struct BestMove {
    line: String,
    /// The time at which it is played if no answer has come.
    play_at: Instant,
}

impl RemoteAnswerer {
    /// Prepares to connect to the server in the options.
    pub(crate) fn new(options: &PlayOptions, now: Instant) -> Result<Self, Failure> {
        let path = options.server.session_path(&options.game, &options.parameters);
        let request = HttpRequest { path, headers: Vec::new(), method: HttpMethod::WebSocket };
        let link = Link::new(&options.server, options.ca.as_deref(), request, now)?;
        Ok(Self { link, opening: VecDeque::new(), seen: (0, now), best: None, noted: false })
    }

    /// Reconnects and sends the whole transcript, because a line was printed that did not come from this server.
    #[cfg(feature = "embedded")]
    pub(crate) fn reconnect(&mut self, now: Instant) {
        self.best = None;
        self.link.reconnect(now);
    }

    fn handle(
        &mut self,
        event: LinkEvent,
        now: Instant,
        transcript: &Transcript,
        actions: &mut Vec<PipeAction>,
    ) {
        match event {
            LinkEvent::Opened => self.opening = transcript.opening().map(str::to_owned).collect(),
            LinkEvent::Text(text) => self.read_message(&text, actions),
            LinkEvent::Closed(CLOSE_DONE, _) => actions.push(PipeAction::Over),
            LinkEvent::Closed(code @ 4000..5000, reason) => {
                let detail = if reason.is_empty() { code.to_string() } else { reason };
                let what = if code == CLOSE_CONTRADICTION { "the dialogue" } else { "the session" };
                let reason = format!("the server refuses {what}: {detail}");
                actions.push(PipeAction::Failed(Failure::dialogue(reason)));
            }
            LinkEvent::Closed(code, reason) => {
                actions.extend(retry_after_close(&mut self.link, code, &reason, now).map(PipeAction::Note));
            }
            LinkEvent::Response(response) => match classify(response, "; check the game and the options") {
                ConnectError::Permanent(failure) => actions.push(PipeAction::Failed(failure)),
                ConnectError::Temporary { reason, wait, .. } => {
                    actions.extend(self.link.retry(&reason, wait, now).map(PipeAction::Note));
                }
            },
            LinkEvent::Note(text) => actions.push(PipeAction::Note(text)),
            LinkEvent::Failed(failure) => actions.push(PipeAction::Failed(failure)),
        }
    }

    fn read_message(&mut self, text: &str, actions: &mut Vec<PipeAction>) {
        let mut print = Vec::new();
        for line in message_lines(text) {
            match line {
                MessageLine::Remark(remark) => actions.push(self.read_remark(remark)),
                MessageLine::Print(line) if self.opening.front().is_some_and(|opening| opening == line) => {
                    self.opening.pop_front();
                }
                MessageLine::Print(line) => {
                    self.opening.clear();
                    print.push(line.to_owned());
                }
                MessageLine::Read(_) | MessageLine::End => {}
            }
        }
        if !print.is_empty() {
            self.best = None;
            actions.push(PipeAction::Print(print));
            actions.extend(self.link.recover().map(PipeAction::Note));
        }
    }

    /// Handles a remark; remembers the best move so far.
    fn read_remark(&mut self, remark: &str) -> PipeAction {
        if let Some((wait, line)) = remark.strip_prefix(BEST).and_then(best_move) {
            // Counted from the line that asked for the answer: later remarks do not delay it.
            let play_at = self.best.as_ref().map_or(self.seen.1 + wait, |best| best.play_at);
            self.best = Some(BestMove { line: line.to_owned(), play_at });
        }
        match remark.strip_prefix("warning ") {
            Some(warning) => PipeAction::Warning(warning.to_owned()),
            None => PipeAction::Remark(remark.to_owned()),
        }
    }

    /// Plays the best move so far if the server's answer has not come in time.
    fn play_best(&mut self, now: Instant, actions: &mut Vec<PipeAction>) {
        let Some(best) = self.best.take_if(|best| now >= best.play_at) else { return };
        if !std::mem::replace(&mut self.noted, true) {
            let note = "the server does not answer in time, its best move so far is played";
            actions.push(PipeAction::Note(note.to_owned()));
        }
        actions.push(PipeAction::Print(vec![best.line]));
        // The server's own answer may be under way on this connection. A new one gets the true transcript.
        self.link.reconnect(now);
    }
}

/// The time and the line of a remark on the best move so far: `MS TEXT`.
fn best_move(text: &str) -> Option<(Duration, &str)> {
    let (ms, line) = text.split_once(' ')?;
    let wait = ms.parse().ok().filter(|ms| *ms <= LONGEST_BEST_MS)?;
    (!line.trim().is_empty()).then_some((Duration::from_millis(wait), line))
}

/// Schedules another attempt after the server closed the connection with a code that is no refusal. Returns the note
/// for people.
pub(crate) fn retry_after_close(link: &mut Link, code: u16, reason: &str, now: Instant) -> Option<String> {
    let wait = (code == CLOSE_TRY_LATER).then_some(BUSY_PAUSE);
    link.retry(format!("closed with {code} {reason}").trim_end(), wait, now)
}

impl Answerer for RemoteAnswerer {
    fn turn(&mut self, now: Instant, transcript: &Transcript, actions: &mut Vec<PipeAction>) {
        if self.seen.0 != transcript.len() {
            self.seen = (transcript.len(), now);
        }
        let mut events = Vec::new();
        loop {
            self.link.turn(now, transcript, &mut events);
            if events.is_empty() {
                break;
            }
            for event in events.drain(..) {
                self.handle(event, now, transcript, actions);
            }
        }
        self.play_best(now, actions);
    }

    fn poll_target(&self) -> Option<PollTarget<'_>> {
        self.link.poll_target()
    }

    fn wake_at(&self) -> Option<Instant> {
        self.link.wake_at().into_iter().chain(self.best.as_ref().map(|best| best.play_at)).min()
    }

    fn can_answer(&self) -> bool {
        self.link.is_open()
    }
}
