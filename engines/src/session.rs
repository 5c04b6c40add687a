//! A bot's side of a dialogue that can be continued from its transcript: decisions that the transcript holds are
//! replayed, the others are asked for. What the referee says never ends it: lines that contradict our rules are read
//! as well as they can be, and a remark says so. Pure: lines in, lines, remarks and questions out.

use std::collections::VecDeque;
use std::time::Duration;

use crate::game::{Game, Seat, Table, Turn, View};
use crate::protocol::{Entry, Lines, Player, ProtocolError, Referee, Step};

/// What a session waits for.
pub enum Wants<G: Game> {
    /// The next entry.
    Entry,
    /// The next entry, or [`Session::silence`] when none came for this long.
    EntryWithin(Duration),
    /// A decision: [`Session::decide`].
    Decision {
        /// What the seat to move sees.
        view: Box<G::View>,
        /// Time left for all further decisions of the match, where the dialogue tells it.
        clock: Option<Duration>,
    },
    /// Nothing: the dialogue is over.
    Nothing,
}

/// Most remarks that wait to be taken; further ones are dropped.
const MOST_REMARKS: usize = 32;
/// Longest remark, in characters.
const LONGEST_REMARK: usize = 240;

/// A dialogue in progress.
pub struct Session<G: Game> {
    player: Box<dyn Player<G>>,
    step: Step<G>,
    /// Entries that came but could not be used yet, because a decision is due first.
    queue: VecDeque<Entry>,
    /// Lines said by the player that are neither taken by the caller nor found in the transcript yet.
    said: VecDeque<String>,
    /// Lines taken by the caller since the last line read: a transcript may hold them too, since whoever speaks
    /// first is heard before the transcript of a dialogue that goes on can arrive.
    taken: VecDeque<String>,
    /// Entries used, for messages.
    used: usize,
    /// Whether a line that was read could be used.
    understood: bool,
    /// What was contradicted, not taken by the caller yet.
    remarks: Lines,
}

impl<G: Game> Session<G> {
    /// A dialogue that begins now.
    pub fn new(mut player: Box<dyn Player<G>>) -> Self {
        let mut out = Lines::new();
        let step = player.start(&mut out);
        Self {
            player,
            step,
            queue: VecDeque::new(),
            said: out.into(),
            taken: VecDeque::new(),
            used: 0,
            understood: false,
            remarks: Lines::new(),
        }
    }

    /// Adds what came. An answer that is already known must be pushed before the next call of [`Self::advance`].
    pub fn push(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.queue.extend(entries);
    }

    /// Number of entries that wait behind a decision.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Uses what was pushed, as far as it goes.
    ///
    /// # Errors
    /// When the transcript says that something was printed which is no move, or where nothing was to be said; the
    /// text tells the entry's number, counted from 1. Never for what was read.
    pub fn advance(&mut self) -> Result<Wants<G>, ProtocolError> {
        while let Some(next) = self.next_usable() {
            let entry = self.queue.remove(next).expect("the queue holds what was found in it");
            self.used += 1;
            self.hear(entry)
                .map_err(|e| ProtocolError(format!("entry {} of the dialogue: {e}", self.used)))?;
        }
        Ok(self.wants())
    }

    /// The entry to use next: the first, or where a decision is due the answer that the transcript holds. Lines may
    /// stand before it: the bot read them while its answer was under way.
    fn next_usable(&self) -> Option<usize> {
        match self.step {
            Step::Think { .. } => {
                self.queue.iter().position(|e| matches!(e, Entry::Printed(_) | Entry::Remark(_)))
            }
            _ => (!self.queue.is_empty()).then_some(0),
        }
    }

    fn hear(&mut self, entry: Entry) -> Result<(), ProtocolError> {
        let mut out = Lines::new();
        match entry {
            Entry::Remark(_) => {}
            Entry::Printed(text) => self.replay(&text, &mut out)?,
            _ if self.step == Step::Bye => {}
            Entry::Read(line) => {
                self.taken.clear();
                self.step = match self.player.line(&line, &mut out) {
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
                self.step = match self.player.eof() {
                    Ok(step) => step,
                    Err(e) => {
                        self.remark(&e.0);
                        self.player.cope(None, &mut out);
                        Step::Bye
                    }
                }
            }
        }
        self.said.extend(out);
        self.note_doubts();
        Ok(())
    }

    /// The transcript says that `text` was printed: by a decision, by silence, or without either. What was printed
    /// cannot be taken back, so it is believed.
    fn replay(&mut self, text: &str, out: &mut Lines) -> Result<(), ProtocolError> {
        if self.taken.front().is_some_and(|taken| same(taken, text)) {
            self.taken.pop_front();
            return Ok(());
        }
        if let Some(said) = self.said.pop_front() {
            self.compare(text, &said);
            return Ok(());
        }
        match &self.step {
            Step::Think { view, .. } => {
                let mv = parsed::<G>(text)?;
                if !view.is_legal(&mv) {
                    self.remark(&format!(
                        "{text:?} was printed, which is not legal in the position before it"
                    ));
                }
                self.step = self.player.played(&mv, out);
                // The first line said is the one the transcript holds; the rest is still to be printed or found.
                if !out.is_empty() {
                    out.remove(0);
                }
            }
            Step::ListenFor(_) => {
                self.step = self.player.silence(out);
                // After the silence the player asked for a decision: this is it.
                if out.is_empty() && matches!(self.step, Step::Think { .. }) {
                    return self.replay(text, out);
                }
                if !out.is_empty() {
                    let said = out.remove(0);
                    self.compare(text, &said);
                }
            }
            Step::Bye => {}
            Step::Listen => {
                return Err(ProtocolError(format!("{text:?} was printed though nothing was to be said")));
            }
        }
        Ok(())
    }

    fn compare(&mut self, printed: &str, said: &str) {
        if !same(printed, said) {
            self.remark(&format!("{printed:?} was printed where {said:?} was to be said"));
        }
    }

    /// Keeps what contradicts our rules, for people.
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

    /// What contradicted our rules since the last call, one sentence each, for people: standard error or a log.
    pub fn take_remarks(&mut self) -> Lines {
        std::mem::take(&mut self.remarks)
    }

    /// Whether at least one line that was read made sense. Where none did, this is no dialogue of the game.
    pub fn has_understood(&self) -> bool {
        self.understood
    }

    /// Nothing came for the time that [`Wants::EntryWithin`] named.
    pub fn silence(&mut self) -> Wants<G> {
        if matches!(self.step, Step::ListenFor(_)) {
            let mut out = Lines::new();
            self.step = self.player.silence(&mut out);
            self.said.extend(out);
        }
        self.wants()
    }

    /// The decision that was asked for, as notation.
    ///
    /// # Errors
    /// When none was asked for, or it is no legal move; and as [`Self::advance`] for what waited behind it.
    pub fn decide(&mut self, notation: &str) -> Result<Wants<G>, ProtocolError> {
        let Step::Think { view, .. } = &self.step else {
            return Err(ProtocolError("no decision is awaited".to_owned()));
        };
        let mv = parsed::<G>(notation)?;
        if !view.is_legal(&mv) {
            return Err(ProtocolError(format!("{notation:?} is not legal in the position before it")));
        }
        let mut out = Lines::new();
        self.step = self.player.played(&mv, &mut out);
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
    pub fn keep(&self) -> Vec<(&'static str, String)> {
        self.player.keep()
    }

    fn wants(&self) -> Wants<G> {
        match &self.step {
            Step::Listen => Wants::Entry,
            Step::ListenFor(time) => Wants::EntryWithin(*time),
            Step::Think { view, clock } => Wants::Decision { view: view.clone(), clock: *clock },
            Step::Bye => Wants::Nothing,
        }
    }
}

fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

fn parsed<G: Game>(text: &str) -> Result<G::Move, ProtocolError> {
    text.trim().parse().map_err(|e| ProtocolError(format!("{text:?} is not a move: {e}")))
}

/// A match with the official referee's side for the seats that foreign bots hold: what they read is kept for them,
/// what they write becomes moves.
pub struct Refereed<G: Game> {
    table: Table<G>,
    bots: Vec<Option<Box<dyn Referee<G>>>>,
    outbox: Vec<Lines>,
}

impl<G: Game> Refereed<G> {
    /// A match that begins with `state`, no seat of it held by a foreign bot yet.
    pub fn new(state: G::State) -> Self {
        Self::of(Table::new(state))
    }

    /// A match in progress, no seat of it held by a foreign bot.
    pub fn of(table: Table<G>) -> Self {
        let seats = usize::from(crate::game::State::<G>::seats(table.state()));
        Self { table, bots: (0..seats).map(|_| None).collect(), outbox: vec![Lines::new(); seats] }
    }

    /// The match.
    pub fn table(&self) -> &Table<G> {
        &self.table
    }

    /// Gives `seat` to a foreign bot; what it reads first goes to its outbox. Before the first move only.
    pub fn seat_bot(&mut self, seat: Seat) {
        let mut bot = G::referee(seat);
        bot.open(self.table.state(), &mut self.outbox[seat.index()]);
        self.bots[seat.index()] = Some(bot);
    }

    /// Tells the bot of `seat` that it is to decide, once per decision. `clock`: its time for the whole match.
    pub fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        if let Some(bot) = &mut self.bots[seat.index()] {
            bot.prompt(self.table.state(), clock, &mut self.outbox[seat.index()]);
        }
    }

    /// What the bot of `seat` is to read now, each line once.
    pub fn take_lines(&mut self, seat: Seat) -> Lines {
        std::mem::take(&mut self.outbox[seat.index()])
    }

    /// The bot of `seat` wrote a line: the move it means, not yet played.
    ///
    /// # Errors
    /// A foul, to be punished by [`Self::foul`] if it is that seat's turn.
    pub fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<G::Move>, ProtocolError> {
        match &mut self.bots[seat.index()] {
            Some(bot) => bot.line(self.table.state(), line),
            None => Err(ProtocolError(format!("no bot holds seat {seat}"))),
        }
    }

    /// Plays a move and tells every bot what it may know of it.
    ///
    /// # Errors
    /// [`crate::game::Illegal`], with the match untouched.
    pub fn play(&mut self, seat: Seat, mv: &G::Move) -> Result<(), crate::game::Illegal> {
        if self.nobody_listens() {
            return self.table.play(seat, mv);
        }
        let before = self.table.state().clone();
        self.table.play(seat, mv)?;
        self.tell(&before, seat, mv);
        Ok(())
    }

    /// Applies the official penalty to `seat`, who is to move; the move played instead, if the match goes on.
    ///
    /// # Errors
    /// [`crate::game::Illegal`] when it is not that seat's turn.
    pub fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<G::Move>, crate::game::Illegal> {
        let before = self.table.state().clone();
        let instead = self.table.foul(seat, reason)?;
        if let Some(mv) = &instead {
            self.tell(&before, seat, mv);
        }
        Ok(instead)
    }

    /// Whether no seat is a foreign bot's: then nobody needs to be told how it was before.
    fn nobody_listens(&self) -> bool {
        self.bots.iter().all(Option::is_none)
    }

    fn tell(&mut self, before: &G::State, by: Seat, mv: &G::Move) {
        for (bot, outbox) in self.bots.iter_mut().zip(&mut self.outbox) {
            if let Some(bot) = bot {
                bot.moved(before, by, mv, self.table.state(), outbox);
            }
        }
    }

    /// Whose decision is awaited.
    pub fn turn(&self) -> Turn {
        self.table.turn()
    }
}
