//! Answers from a server. It must not print and must not understand the game.

use crate::answer::{Answerer, Failure, News, Watch};
use crate::dial::{Setback, judge};
use crate::link::{Link, Word};
use crate::options::Options;
use crate::transcript::{Said, Transcript, said};
use crate::upgrade::Call;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long to leave a server alone that asks for a moment without saying how long.
const MOMENT: Duration = Duration::from_millis(250);

/// Close codes (RFC 6455, section 7.4, and our own) that mean more than a broken connection.
pub const CLOSE_DONE: u16 = 1000;
const CLOSE_LATER: u16 = 1013;
const CLOSE_CONTRADICTION: u16 = 4400;

/// A server that answers.
pub struct Remote {
    link: Link,
    /// Opening lines that a server, not knowing yet that the dialogue goes on, may say once more.
    echo: VecDeque<String>,
}

impl Remote {
    /// Prepares to reach the server that the options name.
    pub fn new(options: &Options, now: Instant) -> Result<Self, Failure> {
        let path = options.server.session_path(&options.game, &options.parameters);
        let call = Call { path, headers: Vec::new(), post: None };
        let link = Link::new(&options.server, options.ca.as_deref(), call, now)?;
        Ok(Self { link, echo: VecDeque::new() })
    }

    /// Leaves the connection and resumes on a new one: what was printed did not come from this server.
    #[cfg(feature = "embedded")]
    pub fn begin_again(&mut self, now: Instant) {
        self.link.begin_again(now);
    }

    fn take(&mut self, word: Word, now: Instant, transcript: &Transcript, news: &mut Vec<News>) {
        match word {
            Word::Opened => self.echo = transcript.opening().map(str::to_owned).collect(),
            Word::Text(text) => self.hear(&text, news),
            Word::Closed(CLOSE_DONE, _) => news.push(News::Over),
            Word::Closed(code @ 4000..5000, reason) => {
                let said = if reason.is_empty() { code.to_string() } else { reason };
                let what = if code == CLOSE_CONTRADICTION { "the dialogue" } else { "the session" };
                let reason = format!("the server refuses {what}: {said}");
                news.push(News::Failed(Failure::dialogue(reason)));
            }
            Word::Closed(code, reason) => {
                news.extend(closed(&mut self.link, code, &reason, now).map(News::Note));
            }
            Word::Answered(answer) => match judge(answer, "; check the game and the options") {
                Setback::Never(failure) => news.push(News::Failed(failure)),
                Setback::Later { reason, wait, .. } => {
                    news.extend(self.link.set_back(&reason, wait, now).map(News::Note));
                }
            },
            Word::Note(text) => news.push(News::Note(text)),
            Word::Failed(failure) => news.push(News::Failed(failure)),
        }
    }

    fn hear(&mut self, text: &str, news: &mut Vec<News>) {
        let mut print = Vec::new();
        for said in said(text) {
            match said {
                Said::Remark(remark) => news.push(match remark.strip_prefix("warning ") {
                    Some(warning) => News::Warning(warning.to_owned()),
                    None => News::Remark(remark.to_owned()),
                }),
                Said::Print(line) if self.echo.front().is_some_and(|echo| echo == line) => {
                    self.echo.pop_front();
                }
                Said::Print(line) => {
                    self.echo.clear();
                    print.push(line.to_owned());
                }
                Said::Read(_) | Said::End => {}
            }
        }
        if !print.is_empty() {
            news.push(News::Print(print));
            news.extend(self.link.recover().map(News::Note));
        }
    }
}

/// The server hung up but does not refuse: it is tried again; the note for people.
pub fn closed(link: &mut Link, code: u16, reason: &str, now: Instant) -> Option<String> {
    let wait = (code == CLOSE_LATER).then_some(MOMENT);
    link.set_back(format!("closed with {code} {reason}").trim_end(), wait, now)
}

impl Answerer for Remote {
    fn turn(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) {
        let mut words = Vec::new();
        loop {
            self.link.turn(now, transcript, &mut words);
            if words.is_empty() {
                return;
            }
            for word in words.drain(..) {
                self.take(word, now, transcript, news);
            }
        }
    }

    fn watch(&self) -> Option<Watch<'_>> {
        self.link.watch()
    }

    fn wake_at(&self) -> Option<Instant> {
        self.link.wake_at()
    }

    fn in_touch(&self) -> bool {
        self.link.is_open()
    }
}
