//! Standard input and output, the transcript between them, and the one place that waits. It must not know who
//! answers.

use crate::answer::{Answerer, Failure, News};
use crate::last_answer;
use crate::lines::{LONGEST_LINE, Splitter};
use crate::memory::Memory;
use crate::notes::Notes;
use crate::transcript::Transcript;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Bytes taken from the referee at once.
const READ: usize = 16 * 1024;

/// Longest dialogue, in bytes of transcript. A thousand matches of the longest game are a tenth of it; a referee
/// that floods must not fill the memory.
const LONGEST_DIALOGUE: usize = 8 << 20;

/// A referee on one side, an answerer on the other.
pub struct Pipe {
    transcript: Transcript,
    splitter: Splitter,
    /// When the input ended.
    ended: Option<Instant>,
    patience: Duration,
    longest_wait: Option<Duration>,
    notes: Notes,
    memory: Memory,
}

/// What a turn came to.
enum Fate {
    GoesOn,
    Over,
}

impl Pipe {
    /// A dialogue that has not begun. `patience`: how long to go on without an answerer after the end of input;
    /// `longest_wait`: how long to wait then for an answerer that is there, `None` for ever.
    pub fn new(patience: Duration, longest_wait: Option<Duration>, notes: Notes, memory: Memory) -> Self {
        Self {
            transcript: Transcript::default(),
            splitter: Splitter::default(),
            ended: None,
            patience,
            longest_wait,
            notes,
            memory,
        }
    }

    /// Lets the two talk until the session is over or the referee has gone.
    pub fn run(mut self, answerer: &mut dyn Answerer) -> Result<(), Failure> {
        let mut news = Vec::new();
        loop {
            let now = Instant::now();
            answerer.turn(now, &self.transcript, &mut news);
            let printed = news.iter().any(|news| matches!(news, News::Print(_)));
            for news in news.drain(..) {
                if let Fate::Over = self.tell(news)? {
                    return Ok(());
                }
            }
            if printed {
                // The transcript has grown, which may be all that the answerer waits for.
                continue;
            }
            let give_up = self.gives_up_at(answerer.in_touch());
            if give_up.is_some_and(|give_up| now >= give_up) {
                let why =
                    if answerer.in_touch() { "gave no answer" } else { "stayed out of reach, no answer" };
                return Err(Failure::dialogue(format!("the server {why}")));
            }
            let wake_at = answerer.wake_at().into_iter().chain(give_up).min();
            if let Fate::Over = self.wait(answerer, wake_at)? {
                return Ok(());
            }
        }
    }

    /// Until when to wait after the end of input for an answerer that is there, or is not.
    fn gives_up_at(&self, in_touch: bool) -> Option<Instant> {
        let wait = if in_touch { self.longest_wait? } else { self.patience };
        self.ended?.checked_add(wait)
    }

    /// Waits for the referee, the answerer or the clock, and reads what the referee wrote.
    fn wait(&mut self, answerer: &dyn Answerer, wake_at: Option<Instant>) -> Result<Fate, Failure> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        // No event asked for: a reader that has gone is reported all the same.
        let mut fds = vec![PollFd::new(&stdout, PollFlags::empty())];
        if let Some(watch) = answerer.watch() {
            let room = if watch.write { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::from_borrowed_fd(watch.fd, PollFlags::IN | room));
        }
        if self.ended.is_none() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        let timeout = wake_at.map(|wake_at| timespec(wake_at.saturating_duration_since(Instant::now())));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Failure::dialogue(format!("cannot wait for input: {error}"))),
        }
        let gone = PollFlags::ERR | PollFlags::HUP;
        if fds.first().is_some_and(|stdout| stdout.revents().intersects(gone)) {
            return Ok(Fate::Over);
        }
        let readable = fds.last().is_some_and(|stdin| !stdin.revents().is_empty());
        if self.ended.is_none() && readable {
            self.read()?;
        }
        Ok(Fate::GoesOn)
    }

    fn read(&mut self) -> Result<(), Failure> {
        let mut buffer = [0; READ];
        let transcript = &mut self.transcript;
        let take = |line: &str| {
            if !line.trim().is_empty() {
                last_answer::is_due();
            }
            transcript.read(line);
        };
        match rustix::io::read(io::stdin().as_fd(), &mut buffer) {
            Ok(count) if count > 0 => {
                let bytes = buffer.get(..count).unwrap_or_default();
                if self.splitter.push(bytes, take).is_err() {
                    let reason = format!("the referee wrote a line of more than {LONGEST_LINE} bytes");
                    return Err(Failure::dialogue(reason));
                }
                if transcript.len() > LONGEST_DIALOGUE {
                    return Err(Failure::dialogue(format!(
                        "the dialogue is longer than {LONGEST_DIALOGUE} bytes"
                    )));
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // An input that cannot be read has ended, as far as a dialogue goes.
            Ok(_) | Err(_) => {
                self.splitter.finish(take);
                transcript.end();
                self.ended = Some(Instant::now());
            }
        }
        Ok(())
    }

    fn tell(&mut self, news: News) -> Result<Fate, Failure> {
        match news {
            News::Print(lines) => return self.print(&lines),
            News::Remark(text) if self.memory.heed(&text) => {}
            News::Remark(text) => self.notes.remark(&text),
            News::Note(text) | News::Warning(text) => self.notes.say(&text),
            News::Over => return Ok(Fate::Over),
            News::Failed(failure) => return Err(failure),
        }
        Ok(Fate::GoesOn)
    }

    /// Prints lines at once. They count as printed only when they are.
    fn print(&mut self, lines: &[String]) -> Result<Fate, Failure> {
        last_answer::is_given();
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            // Not through the standard library's buffer, which would cut the text at its line breaks.
            match rustix::io::write(io::stdout().as_fd(), rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait_for_room()?,
                // The referee has heard enough.
                Err(Errno::PIPE | Errno::CONNRESET) => return Ok(Fate::Over),
                Err(error) => return Err(Failure::dialogue(format!("cannot write the answer: {error}"))),
            }
        }
        for line in lines {
            self.transcript.printed(line);
        }
        self.notes.answered();
        Ok(Fate::GoesOn)
    }
}

/// Waits until a standard output that does not block by itself takes more.
fn wait_for_room() -> Result<(), Failure> {
    let stdout = io::stdout();
    match poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Failure::dialogue(format!("cannot write the answer: {error}"))),
    }
}

fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
