//! A bot's side of a dialogue that can be continued from its transcript: decisions in the transcript are replayed, the
//! others are asked for. No line of the referee ends it: lines that contradict our rules are read as well as possible, and
//! a remark says so. Pure: lines in; lines, remarks and decision requests out.

use std::collections::VecDeque;
use std::time::Duration;

use crate::game::{BadOptions, Game, Illegal, Seat, Table, Turn, View};
use crate::protocol::{
    Awaits, Entry, KeptSetting, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Referee,
    Settings, same_words,
};
use crate::rng::Rng;

/// Maximum number of remarks that wait to be taken; further ones are dropped.
const MOST_REMARKS: usize = 32;
/// Maximum length of a remark, in characters.
const LONGEST_REMARK: usize = 240;

/// A dialogue in progress.
pub struct Session<G: Game> {
    player: Box<dyn Player<G>>,
    awaits: PlayerAwaits<G>,
    /// Lines of the other side, and its end, that are not used yet; each with its number among all entries, from 1.
    read: VecDeque<(usize, Entry)>,
    /// Printed lines of the transcript that are not used yet, with their numbers. Apart, because an answer may follow lines that
    /// were read before it.
    printed: VecDeque<(usize, String)>,
    /// Number of entries that came.
    came: usize,
    /// Lines of the player that the caller has not taken and the transcript does not contain yet.
    said: VecDeque<String>,
    /// Lines that the caller took since the last line read. The transcript may contain them too: if the player writes
    /// first, the caller takes that line before the transcript of a continued dialogue can arrive.
    taken: VecDeque<String>,
    /// The number of the entry used last, for messages.
    used: usize,
    /// Whether a line that was read could be used.
    understood: bool,
    /// Remarks that the caller has not taken yet.
    remarks: Lines,
}

impl<G: Game> Session<G> {
    /// A dialogue that begins now.
    pub fn new(mut player: Box<dyn Player<G>>) -> Self {
        let mut out = Lines::new();
        let awaits = player.start(&mut out);
        Self {
            player,
            awaits,
            read: VecDeque::new(),
            printed: VecDeque::new(),
            came: 0,
            said: out.into(),
            taken: VecDeque::new(),
            used: 0,
            understood: false,
            remarks: Lines::new(),
        }
    }

    /// Adds entries. An answer that is already known must be pushed before the next call of [`Self::advance`].
    pub fn push(&mut self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            self.came += 1;
            match entry {
                Entry::Remark(_) => {}
                Entry::Printed(text) => self.printed.push_back((self.came, text)),
                Entry::Read(_) | Entry::End => self.read.push_back((self.came, entry)),
            }
        }
    }

    /// Number of entries that wait behind a decision.
    pub fn waiting(&self) -> usize {
        self.read.len() + self.printed.len()
    }

    /// Uses the entries that were pushed, up to the first that needs a decision.
    ///
    /// # Errors
    /// If a printed line of the transcript is no move, or was printed when nothing was due; the text gives the entry's
    /// number, counted from 1. Lines that were read cause none.
    pub fn advance(&mut self) -> Result<PlayerAwaits<G>, ProtocolError> {
        while let Some((number, entry)) = self.next_usable() {
            self.used = number;
            self.hear(entry).map_err(|e| ProtocolError(format!("entry {number} of the dialogue: {e}")))?;
        }
        Ok(self.awaits.clone())
    }

    /// Takes the entry to use next: the first, or, if a decision is due, the answer in the transcript. Lines may come before
    /// the answer: the bot read them while its answer was under way.
    fn next_usable(&mut self) -> Option<(usize, Entry)> {
        let first_read = self.read.front().map_or(usize::MAX, |(number, _)| *number);
        let answers = matches!(self.awaits, Awaits::Decision(_));
        match self.printed.pop_front_if(|(number, _)| answers || *number < first_read) {
            Some((number, text)) => Some((number, Entry::Printed(text))),
            None if answers => None,
            None => self.read.pop_front(),
        }
    }

    fn hear(&mut self, entry: Entry) -> Result<(), ProtocolError> {
        let mut out = Lines::new();
        match entry {
            Entry::Remark(_) => {}
            Entry::Printed(text) => self.replay(&text, &mut out)?,
            _ if self.awaits == Awaits::Nothing => {}
            Entry::Read(line) => {
                self.taken.clear();
                self.awaits = match self.player.line(&line, &mut out) {
                    Ok(step) => {
                        self.understood |= !line.trim().is_empty();
                        step
                    }
                    Err(e) => {
                        self.remark(&e.0);
                        self.player.cope(Some(&line), &mut out)
                    }
                };
            }
            Entry::End => {
                self.awaits = match self.player.eof() {
                    Ok(step) => step,
                    Err(e) => {
                        self.remark(&e.0);
                        self.player.cope(None, &mut out);
                        Awaits::Nothing
                    }
                }
            }
        }
        self.said.extend(out);
        self.note_doubts();
        Ok(())
    }

    /// Replays `text`, a printed line of the transcript: by a decision, after silence, or without either. It counts even
    /// if it contradicts the rules, because it was printed.
    fn replay(&mut self, text: &str, out: &mut Lines) -> Result<(), ProtocolError> {
        if self.taken.front().is_some_and(|taken| same_words(taken, text)) {
            self.taken.pop_front();
            return Ok(());
        }
        if let Some(said) = self.said.pop_front() {
            self.compare(text, &said);
            return Ok(());
        }
        match &self.awaits {
            Awaits::Decision(PlayerDecision { view, .. }) => {
                let mv = parsed::<G>(text)?;
                if !view.is_legal(&mv) {
                    self.remark(&format!("{text:?} was printed; {}", Illegal::rules::<G>(view, &mv)));
                }
                self.awaits = self.player.played(&mv, out);
                // The first line is the one in the transcript; the others are still to be printed, or follow in it.
                if !out.is_empty() {
                    out.remove(0);
                }
            }
            Awaits::EntryWithin(_) => {
                self.awaits = self.player.silence(out);
                // After the silence the player asked for a decision, and this is the answer.
                if out.is_empty() && matches!(self.awaits, Awaits::Decision(_)) {
                    return self.replay(text, out);
                }
                if !out.is_empty() {
                    let said = out.remove(0);
                    self.compare(text, &said);
                }
            }
            Awaits::Nothing => {}
            Awaits::Entry => {
                return Err(ProtocolError(format!("{text:?} was printed though nothing was to be said")));
            }
        }
        Ok(())
    }

    fn compare(&mut self, printed: &str, said: &str) {
        if !same_words(printed, said) {
            self.remark(&format!("{printed:?} was printed where {said:?} was to be said"));
        }
    }

    /// Keeps a remark on something that contradicts our rules, for people.
    fn remark(&mut self, text: &str) {
        if self.remarks.len() < MOST_REMARKS {
            let clean = |c: char| if c.is_control() { ' ' } else { c };
            let text = format!("entry {} of the dialogue: {text}; going on", self.used);
            self.remarks.push(text.chars().map(clean).take(LONGEST_REMARK).collect());
        }
    }

    fn note_doubts(&mut self) {
        for doubt in self.player.doubts() {
            self.remark(&doubt);
        }
    }

    /// The contradictions of our rules since the last call, one sentence each, for people: standard error or a log.
    pub fn take_remarks(&mut self) -> Lines {
        std::mem::take(&mut self.remarks)
    }

    /// Whether at least one line that was read made sense. If none did, this is no dialogue of the game.
    pub fn has_understood(&self) -> bool {
        self.understood
    }

    /// Goes on after no entry came for the time of [`Awaits::EntryWithin`].
    pub fn silence(&mut self) -> PlayerAwaits<G> {
        if matches!(self.awaits, Awaits::EntryWithin(_)) {
            let mut out = Lines::new();
            self.awaits = self.player.silence(&mut out);
            self.said.extend(out);
            self.note_doubts();
        }
        self.awaits.clone()
    }

    /// Takes the decision that was asked for, as notation.
    ///
    /// # Errors
    /// If none was asked for, or it is no legal move. Also the errors of [`Self::advance`] for the entries that waited.
    pub fn decide(&mut self, notation: &str) -> Result<PlayerAwaits<G>, ProtocolError> {
        let Awaits::Decision(PlayerDecision { view, .. }) = &self.awaits else {
            return Err(ProtocolError("no decision is awaited".to_owned()));
        };
        let mv = parsed::<G>(notation)?;
        if !view.is_legal(&mv) {
            return Err(ProtocolError(Illegal::rules::<G>(view, &mv).to_string()));
        }
        let mut out = Lines::new();
        self.awaits = self.player.played(&mv, &mut out);
        self.said.extend(out);
        self.note_doubts();
        self.advance()
    }

    /// Whether there are lines to print that were not taken yet.
    pub fn has_lines(&self) -> bool {
        !self.said.is_empty()
    }

    /// The lines to print now, each once.
    pub fn take_lines(&mut self) -> Lines {
        self.taken.extend(self.said.iter().cloned());
        self.said.drain(..).collect()
    }

    /// See [`Player::keep`].
    pub fn keep(&self) -> Vec<KeptSetting> {
        self.player.keep()
    }
}

fn parsed<G: Game>(text: &str) -> Result<G::Move, ProtocolError> {
    text.trim().parse().map_err(|e| ProtocolError(format!("{text:?} is not a move: {e}")))
}

/// A match with the official referee's side for the seats of foreign bots: keeps the lines that they are to read and turns
/// the lines that they write into moves.
pub struct RefereedMatch<G: Game> {
    table: Table<G>,
    bots: Vec<Option<Box<dyn Referee<G>>>>,
    outbox: Vec<Lines>,
}

impl<G: Game> RefereedMatch<G> {
    /// A match that begins with `state`; no foreign bot holds a seat yet.
    pub fn new(state: G::State) -> Self {
        Self::of(Table::new(state))
    }

    /// A match in progress; no foreign bot holds a seat.
    pub fn of(table: Table<G>) -> Self {
        let seats = usize::from(crate::game::State::<G>::seats(table.state()));
        Self { table, bots: (0..seats).map(|_| None).collect(), outbox: vec![Lines::new(); seats] }
    }

    /// The match.
    pub fn table(&self) -> &Table<G> {
        &self.table
    }

    /// Gives `seat` to a foreign bot and puts the lines that it reads first into its outbox. Before the first move only.
    /// `settings`: of the referee's side.
    ///
    /// # Errors
    /// As [`Game::referee`].
    pub fn seat_bot(&mut self, seat: Seat, settings: &Settings) -> Result<(), BadOptions> {
        let mut bot = G::referee(seat, settings)?;
        bot.open(self.table.state(), &mut self.outbox[seat.index()]);
        self.bots[seat.index()] = Some(bot);
        Ok(())
    }

    /// See [`Referee::suits`].
    pub fn suits(&self, seat: Seat, text: &str, other: &Settings) -> bool {
        let bot = self.bots[seat.index()].as_ref();
        bot.is_some_and(|bot| bot.suits(self.table.state(), text, other))
    }

    /// Asks the bot of `seat` to decide, once per decision. `clock`: its time for the whole match.
    pub fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        if let Some(bot) = &mut self.bots[seat.index()] {
            bot.prompt(self.table.state(), clock, &mut self.outbox[seat.index()]);
        }
    }

    /// The lines that the bot of `seat` is to read now, each once.
    pub fn take_lines(&mut self, seat: Seat) -> Lines {
        std::mem::take(&mut self.outbox[seat.index()])
    }

    /// Reads a line of the bot of `seat`. Returns the move it means, not yet played.
    ///
    /// # Errors
    /// A foul, for [`Self::foul`] if it is that seat's turn.
    pub fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<G::Move>, ProtocolError> {
        match &mut self.bots[seat.index()] {
            Some(bot) => bot.line(self.table.state(), line),
            None => Err(ProtocolError(format!("no bot holds seat {seat}"))),
        }
    }

    /// Plays a move and gives every bot the lines that it may read of it.
    ///
    /// # Errors
    /// [`Illegal`], with the match untouched.
    pub fn play(&mut self, seat: Seat, mv: &G::Move) -> Result<(), Illegal> {
        if self.has_no_bots() {
            return self.table.play(seat, mv);
        }
        let before = self.table.state().clone();
        self.table.play(seat, mv)?;
        self.tell(&before, seat, mv);
        Ok(())
    }

    /// Plays one of the listed legal moves of the seat to move, each equally likely. Returns it; `None`: the match is over.
    pub fn play_random(&mut self, rng: &mut Rng) -> Option<G::Move> {
        let Turn::Of(seat) = self.turn() else { return None };
        let before = (!self.has_no_bots()).then(|| self.table.state().clone());
        let mv = self.table.play_random(rng)?;
        if let Some(before) = before {
            self.tell(&before, seat, &mv);
        }
        Some(mv)
    }

    /// Applies the official penalty to `seat`, which is to move. Returns the move played instead, if the match goes on.
    ///
    /// # Errors
    /// [`Illegal`] when it is not that seat's turn.
    pub fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<G::Move>, Illegal> {
        let before = self.table.state().clone();
        let instead = self.table.foul(seat, reason)?;
        if let Some(mv) = &instead {
            self.tell(&before, seat, mv);
        }
        Ok(instead)
    }

    /// Whether no foreign bot holds a seat, so that the state before a move is not needed.
    fn has_no_bots(&self) -> bool {
        self.bots.iter().all(Option::is_none)
    }

    fn tell(&mut self, before: &G::State, by: Seat, mv: &G::Move) {
        for (bot, outbox) in self.bots.iter_mut().zip(&mut self.outbox) {
            if let Some(bot) = bot {
                bot.moved(before, by, mv, self.table.state(), outbox);
            }
        }
    }

    /// The seat whose decision is awaited.
    pub fn turn(&self) -> Turn {
        self.table.turn()
    }
}
