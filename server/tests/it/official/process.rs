//! Bots as child processes: one that lives through a match, or one for each move. Every wait has a limit.

use super::{Mistake, RefereeFaultKind};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long a process may take to exit when it should.
const GRACE: Duration = Duration::from_secs(3);
/// More than this without a break, or in one run, is a flood.
const FLOOD: usize = 1 << 20;
/// How many bytes of a bot's standard error the Azul runner reads per turn.
const METER: usize = 4096;

/// A program as a contest calls it.
#[derive(Clone, Debug)]
pub(crate) struct Bot {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Added to the environment of the tests.
    pub env: Vec<(String, String)>,
    /// The working directory.
    pub dir: PathBuf,
}

impl Bot {
    /// A bot written in the shell's language, for the tests of the referees.
    pub(crate) fn sh(script: &str) -> Bot {
        // A test run that was started in the background ignores SIGINT, and so would all its children: a shell
        // cannot trap what was ignored when it began.
        let fresh = r#"exec env --default-signal=INT sh -c "$0""#;
        let command = ["sh", "-c", fresh, script].map(str::to_owned).to_vec();
        Bot { command, env: Vec::new(), dir: std::env::temp_dir() }
    }

    /// The program's file name, as some referees announce it.
    pub(crate) fn name(&self) -> String {
        let file = self.command.first().map(|path| path.rsplit('/').next().unwrap_or(path)).unwrap_or("bot");
        file.replace(char::is_whitespace, "_")
    }

    fn start(&self, stdin: Stdio) -> Result<Child, Mistake> {
        let (program, arguments) =
            self.command.split_first().ok_or((RefereeFaultKind::Start, "an empty command".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).envs(self.env.iter().cloned()).current_dir(&self.dir);
        // Its own group, so that the processes that it leaves behind can be ended with it.
        command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command.spawn().map_err(|error| (RefereeFaultKind::Start, format!("{program}: {error}")))
    }
}

/// The units of a bot's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    Lines,
    Tokens,
}

/// The way in which standard error is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stderr {
    /// Read all the time.
    Free,
    /// Read only when [`BotChild::drain`] says so, 4096 bytes at most.
    Metered,
}

/// The way in which a process learns that the match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goodbye {
    EndOfInput,
    Interrupt,
    Terminate,
}

/// A bot that lives through a match.
pub(crate) struct BotChild {
    child: Child,
    /// To the thread that writes, so that a bot that does not read cannot stop the referee.
    input: Option<Sender<String>>,
    output: Receiver<(String, Instant)>,
    errors: Arc<Mutex<Vec<u8>>>,
    permits: Option<Sender<()>>,
    reading: Arc<AtomicBool>,
    /// It did not answer in time, so there is no use in asking it to leave.
    hung: bool,
    /// The time at which it was started.
    pub born: Instant,
    pub transcript: String,
}

impl BotChild {
    pub(crate) fn start(bot: &Bot, split: Split, stderr: Stderr) -> Result<BotChild, Mistake> {
        let born = Instant::now();
        let mut child = bot.start(Stdio::piped())?;
        let mut stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let errors = child.stderr.take().expect("stderr is piped");
        let (input, lines) = mpsc::channel::<String>();
        thread::spawn(move || {
            // A bot that has closed its input may still answer, so a failed write is no fault by itself.
            for text in lines {
                let _ = stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush());
            }
        });
        let (heard, output) = mpsc::sync_channel(1000);
        thread::spawn(move || cut(stdout, split, &heard));
        let kept = Arc::new(Mutex::new(Vec::new()));
        let reading = Arc::new(AtomicBool::new(false));
        let (permits, allowed) = mpsc::channel();
        let (keep, busy) = (Arc::clone(&kept), Arc::clone(&reading));
        let metered = stderr == Stderr::Metered;
        thread::spawn(move || collect(errors, &keep, metered.then_some((allowed, busy))));
        let permits = metered.then_some(permits);
        let transcript = String::new();
        Ok(BotChild {
            child,
            input: Some(input),
            output,
            errors: kept,
            permits,
            reading,
            hung: false,
            born,
            transcript,
        })
    }

    /// Writes one or more whole lines to the bot; gives the moment of handing them over.
    pub(crate) fn say(&mut self, lines: &str) -> Instant {
        for line in lines.lines() {
            self.transcript.push_str(&format!("< {line}\n"));
        }
        let now = Instant::now();
        if let Some(input) = &self.input {
            // The writing thread lives as long as this sender.
            let _ = input.send(lines.to_owned());
        }
        now
    }

    /// The next line or token, and how long after `since` it came.
    pub(crate) fn hear(&mut self, since: Instant, limit: Duration) -> Result<(String, Duration), Mistake> {
        let left = limit.saturating_sub(since.elapsed());
        match self.output.recv_timeout(left) {
            Ok((text, at)) => {
                self.transcript.push_str(&format!("> {text}\n"));
                let spent = at.saturating_duration_since(since);
                if text.len() >= FLOOD {
                    return Err((RefereeFaultKind::Malformed, "a flood without a break".to_owned()));
                }
                if spent > limit {
                    return Err((
                        RefereeFaultKind::TooSlow,
                        format!("answered after {spent:?} of {limit:?}"),
                    ));
                }
                Ok((text, spent))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.hung = true;
                self.remark(&format!("no answer within {limit:?}"));
                Err((RefereeFaultKind::TooSlow, format!("no answer within {limit:?}{}", self.last_words())))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = self.leaves(Duration::from_millis(500));
                // The thread that reads stderr may be a moment behind.
                thread::sleep(Duration::from_millis(20));
                let status = status.map_or("still running".to_owned(), |status| status.to_string());
                self.remark(&format!("its output ended ({status})"));
                Err((RefereeFaultKind::Died, format!("its output ended ({status}){}", self.last_words())))
            }
        }
    }

    pub(crate) fn remark(&mut self, text: &str) {
        self.transcript.push_str(&format!("# {text}\n"));
    }

    /// Lets one read of at most 4096 bytes happen on a metered standard error.
    pub(crate) fn drain(&self) {
        if let Some(permits) = &self.permits
            && !self.reading.swap(true, Ordering::SeqCst)
        {
            // The reading thread is gone when the bot has closed the stream.
            let _ = permits.send(());
        }
    }

    /// Ends the process and waits for it. Returns whether it exited, and its output after the last answer.
    pub(crate) fn dismiss(&mut self, goodbye: Goodbye) -> (bool, Vec<String>) {
        match goodbye {
            Goodbye::EndOfInput => {
                self.transcript.push_str(".\n");
                self.input = None;
            }
            Goodbye::Interrupt => signal("INT", &self.child.id().to_string()),
            Goodbye::Terminate => signal("TERM", &self.child.id().to_string()),
        }
        let mut surplus = Vec::new();
        let end = Instant::now() + if self.hung { Duration::from_millis(100) } else { GRACE };
        let left = loop {
            surplus.extend(self.output.try_iter().map(|(text, _)| text));
            if let Ok(Some(_)) = self.child.try_wait() {
                break true;
            }
            if Instant::now() > end {
                break false;
            }
            thread::sleep(Duration::from_millis(2));
        };
        // Also ends processes that the bot left running.
        end_group(&mut self.child);
        while let Ok((text, _)) = self.output.recv_timeout(Duration::from_millis(200)) {
            surplus.push(text);
            if surplus.len() > 1000 {
                break;
            }
        }
        for text in &surplus {
            self.transcript.push_str(&format!("> {text}\n"));
        }
        (left, surplus)
    }

    fn leaves(&mut self, limit: Duration) -> Option<ExitStatus> {
        leaves(&mut self.child, Instant::now() + limit)
    }

    fn last_words(&self) -> String {
        let errors = self.errors.lock().expect("no thread panics while it holds the lock");
        let tail = &errors[errors.len().saturating_sub(500)..];
        if tail.is_empty() { String::new() } else { format!("; stderr: {}", String::from_utf8_lossy(tail)) }
    }
}

impl Drop for BotChild {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            end_group(&mut self.child);
        }
    }
}

/// Splits a stream and passes the pieces on; an unfinished piece at its end counts, too.
fn cut(mut stream: ChildStdout, split: Split, to: &SyncSender<(String, Instant)>) {
    let mut buffer = [0; 4096];
    let mut piece = Vec::new();
    let pass = |piece: &mut Vec<u8>, at| {
        let text = String::from_utf8_lossy(piece).into_owned();
        piece.clear();
        to.send((text, at)).is_ok()
    };
    while let Ok(count) = stream.read(&mut buffer) {
        let now = Instant::now();
        for &byte in &buffer[..count] {
            let whole = match split {
                Split::Lines if byte == b'\n' => true,
                Split::Tokens if byte.is_ascii_whitespace() => {
                    if piece.is_empty() {
                        continue;
                    }
                    true
                }
                _ => {
                    piece.push(byte);
                    piece.len() >= FLOOD
                }
            };
            if whole && !pass(&mut piece, now) {
                return;
            }
        }
        if count == 0 {
            break;
        }
    }
    if !piece.is_empty() {
        pass(&mut piece, Instant::now());
    }
}

/// Keeps the last of a stream; with permits, one read for each.
fn collect(mut stream: ChildStderr, keep: &Mutex<Vec<u8>>, metered: Option<(Receiver<()>, Arc<AtomicBool>)>) {
    let mut buffer = [0; METER];
    loop {
        if let Some((permits, _)) = &metered
            && permits.recv().is_err()
        {
            // The stream stays open until the process is gone: the real runner does not close it either.
            break;
        }
        let Ok(count) = stream.read(&mut buffer) else { break };
        if count == 0 {
            break;
        }
        if let Some((_, reading)) = &metered {
            reading.store(false, Ordering::SeqCst);
        }
        let mut kept = keep.lock().expect("no thread panics while it holds the lock");
        kept.extend_from_slice(&buffer[..count]);
        let surplus = kept.len().saturating_sub(1 << 16);
        kept.drain(..surplus);
    }
}

fn signal(name: &str, target: &str) {
    let script = format!("kill -s {name} -- {target}");
    // The process may have ended already; ignore the error.
    let _ = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status();
}

/// Ends a process and its group.
fn end_group(child: &mut Child) {
    signal("KILL", &format!("-{}", child.id()));
    let _ = child.kill();
    let _ = child.wait();
}

fn leaves(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() > until {
            return None;
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The output of a process started for one move.
#[derive(Debug)]
pub(crate) struct MoveRun {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// None: it ran into the limit.
    pub status: Option<ExitStatus>,
    pub wall: Duration,
}

/// Runs a bot for one move; its standard input is a file.
pub(crate) fn run_once(bot: &Bot, input: &str, limit: Duration) -> Result<MoveRun, Mistake> {
    let file =
        input_file(input).map_err(|error| (RefereeFaultKind::Start, format!("the input file: {error}")))?;
    let born = Instant::now();
    let until = born + limit;
    let mut child = bot.start(Stdio::from(file))?;
    let stdout = whole(child.stdout.take().expect("stdout is piped"));
    let stderr = whole(child.stderr.take().expect("stderr is piped"));
    // Like the real one: both streams to their ends, then the exit.
    let left = || until.saturating_duration_since(Instant::now());
    let stdout = stdout.recv_timeout(left());
    let stderr = stderr.recv_timeout(left());
    let mut status = leaves(&mut child, until);
    if status.is_none() || stdout.is_err() || stderr.is_err() {
        end_group(&mut child);
        status = None;
    }
    let (stdout, stderr) = (stdout.unwrap_or_default(), stderr.unwrap_or_default());
    Ok(MoveRun { stdout, stderr, status, wall: born.elapsed() })
}

fn whole(stream: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (to, from) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.take(FLOOD as u64).read_to_end(&mut bytes);
        // The receiver may be gone; ignore the error.
        let _ = to.send(bytes);
    });
    from
}

/// A file that is open for reading and has no name any more.
fn input_file(text: &str) -> io::Result<File> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("kibitz-official-{}-{number}", std::process::id()));
    std::fs::write(&path, text)?;
    let file = File::open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(300);
    const LATE: Duration = Duration::from_secs(20);

    fn start(script: &str, split: Split) -> BotChild {
        BotChild::start(&Bot::sh(script), split, Stderr::Free).unwrap()
    }

    fn next(process: &mut BotChild, limit: Duration) -> Result<String, RefereeFaultKind> {
        process.hear(Instant::now(), limit).map(|(text, _)| text).map_err(|(kind, _)| kind)
    }

    #[test]
    fn echoes_and_leaves_at_end_of_input() {
        let mut bot = start("while read line; do echo \"got $line\"; done; echo bye", Split::Lines);
        let since = bot.say("one\ntwo\n");
        assert_eq!(bot.hear(since, LATE).unwrap().0, "got one");
        assert_eq!(next(&mut bot, LATE), Ok("got two".to_owned()));
        assert_eq!(bot.dismiss(Goodbye::EndOfInput), (true, vec!["bye".to_owned()]));
        assert_eq!(bot.transcript, "< one\n< two\n> got one\n> got two\n.\n> bye\n");
    }

    #[test]
    fn tokens_need_no_lines_and_a_half_line_counts() {
        let mut bot = start("printf '1 2\\r\\n\\n 3'", Split::Tokens);
        let heard: Vec<_> = (0..4).map(|_| next(&mut bot, LATE)).collect();
        assert_eq!(
            heard,
            [Ok("1".to_owned()), Ok("2".to_owned()), Ok("3".to_owned()), Err(RefereeFaultKind::Died)]
        );
    }

    #[test]
    fn death_of_a_bot_is_reported_with_its_last_output() {
        let mut bot = start("echo why >&2; exit 3", Split::Lines);
        let (kind, detail) = bot.hear(Instant::now(), LATE).unwrap_err();
        assert_eq!(kind, RefereeFaultKind::Died);
        assert!(detail.contains('3') && detail.contains("why"), "{detail}");
        let missing = Bot { command: vec!["/no/such/program".to_owned()], ..Bot::sh("") };
        assert!(
            BotChild::start(&missing, Split::Lines, Stderr::Free)
                .is_err_and(|(k, _)| k == RefereeFaultKind::Start)
        );
    }

    #[test]
    fn hanging_bot_is_killed_with_its_children() {
        let mut bot = start("trap '' TERM; sleep 1000", Split::Lines);
        assert_eq!(next(&mut bot, SOON), Err(RefereeFaultKind::TooSlow));
        drop(bot);
        let run = run_once(&Bot::sh("sleep 1000"), "", SOON).unwrap();
        assert!(run.status.is_none() && run.wall >= SOON && run.wall < LATE);
    }

    #[test]
    fn signals_arrive() {
        for (goodbye, name) in [(Goodbye::Interrupt, "INT"), (Goodbye::Terminate, "TERM")] {
            let script = format!("trap 'echo caught; exit' {name}; echo ready; while :; do sleep 0.05; done");
            let mut bot = start(&script, Split::Lines);
            assert_eq!(next(&mut bot, LATE), Ok("ready".to_owned()));
            assert_eq!(bot.dismiss(goodbye), (true, vec!["caught".to_owned()]));
        }
    }

    #[test]
    fn floods_do_not_fill_the_memory() {
        let mut bot = start("tr '\\0' x < /dev/zero", Split::Lines);
        assert_eq!(next(&mut bot, LATE), Err(RefereeFaultKind::Malformed));
        assert_eq!(run_once(&Bot::sh("yes"), "", LATE).unwrap().stdout.len(), FLOOD);
    }

    #[test]
    fn metered_stderr_blocks_a_bot_that_writes_too_much() {
        let script = "head -c 200000 /dev/zero >&2; echo done; sleep 1000";
        let mut bot = BotChild::start(&Bot::sh(script), Split::Lines, Stderr::Metered).unwrap();
        bot.drain();
        assert_eq!(next(&mut bot, SOON), Err(RefereeFaultKind::TooSlow));
        let mut bot = BotChild::start(&Bot::sh(script), Split::Lines, Stderr::Free).unwrap();
        assert_eq!(next(&mut bot, LATE), Ok("done".to_owned()));
    }

    #[test]
    fn single_move_runs_in_its_directory_with_its_environment() {
        let mut bot = Bot::sh("test -f /dev/stdin && cat && echo $WORD && pwd && echo note >&2; exit 1");
        bot.env.push(("WORD".to_owned(), "hello".to_owned()));
        bot.dir = PathBuf::from("/");
        let run = run_once(&bot, "input\n", LATE).unwrap();
        assert_eq!(String::from_utf8(run.stdout).unwrap(), "input\nhello\n/\n");
        assert_eq!(run.stderr, b"note\n");
        assert_eq!(run.status.unwrap().code(), Some(1));
        assert_eq!(bot.name(), "sh");
    }
}
