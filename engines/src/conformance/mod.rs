//! The rules that every game must satisfy, checked on random matches. The tests check every registered game, so a new
//! game needs no test code of its own for them.

mod numbers;

use numbers::numbers;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::dialogue::MIRROR;
use crate::game::{Data, Foul, Game, Seat, State, Table, Turn, View, Viewer};
use crate::protocol::{Awaits, Entry, Lines, PlayerAwaits, PlayerDecision, Settings};
use crate::rng::{Rng, Seed};
use crate::session::{RefereedMatch, Session};

/// More plies than any match of any game here can last.
const MAX_PLIES: u32 = 20_000;

type CheckResult = Result<(), String>;

/// Plays random matches of every variant from this seed and checks all rules.
///
/// # Errors
/// The broken rule and its place.
pub fn check<G: Game>(seed: u64) -> CheckResult {
    for (i, options) in G::variants().iter().enumerate() {
        let place = |law: &str, e: String| format!("{} variant {i}, seed {seed}, {law}: {e}", G::INFO.slug);
        rules::<G>(options, seed).map_err(|e| place("rules", e))?;
        let seats = G::deal(options, &Seed::from(seed)).map_err(|e| place("deal", e.0))?.seats();
        let seats: Vec<Seat> = (0..seats).filter(|s| G::INFO.bot_can_hold(*s, true)).map(Seat).collect();
        for seat in &seats {
            dialogue::<G>(options, seed, &[*seat], Reading::Strict).map_err(|e| place("dialogue", e))?;
            dialogue::<G>(options, seed, &[*seat], Reading::Lenient)
                .map_err(|e| place("dialogue with a lenient referee", e))?;
        }
        dialogue::<G>(options, seed, &seats, Reading::Strict)
            .map_err(|e| place("dialogue of all seats", e))?;
    }
    Ok(())
}

fn ensure(holds: bool, law: impl FnOnce() -> String) -> CheckResult {
    if holds { Ok(()) } else { Err(law()) }
}

/// Checks states, views and moves in one random match.
fn rules<G: Game>(options: &G::Options, seed: u64) -> CheckResult {
    same_after_json(options)?;
    let deal = || G::deal(options, &Seed::from(seed)).map_err(|e| e.0);
    let mut rng = Rng::stream(&Seed::from(seed), 1);
    let mut table = Table::<G>::new(deal()?);
    let mut played: Vec<(Seat, G::Move)> = Vec::new();
    let mut seen: Vec<G::Move> = Vec::new();
    let mut premoves: Vec<Vec<G::Move>> = vec![Vec::new(); usize::from(table.state().seats())];
    while let Turn::Of(seat) = table.turn() {
        let at = |e: String| format!("ply {}: {e}", played.len());
        let moves = position::<G>(table.state(), seat, &mut rng).map_err(at)?;
        chosen_before::<G>(&table, seat, &std::mem::take(&mut premoves[seat.index()])).map_err(at)?;
        for other in (0..table.state().seats()).map(Seat).filter(|other| *other != seat) {
            table.state().view(Viewer::Seat(other)).premoves(&mut premoves[other.index()]);
        }
        foreign_moves::<G>(&table, seat, &moves, &seen, &mut rng).map_err(at)?;
        let mv = moves[rng.below(moves.len())].clone();
        seen.extend(moves.into_iter().filter(|m| !played.iter().any(|(_, p)| p == m)).take(3));
        table.play(seat, &mv).map_err(|e| at(format!("{mv} is listed but refused: {e}")))?;
        table.state().audit().map_err(|e| at(format!("after {mv}: {e}")))?;
        played.push((seat, mv));
        ensure(table.ply() < MAX_PLIES, || "the match does not end".to_owned())?;
    }
    let outcome = table.outcome().ok_or("a finished match has no outcome")?;
    let mut listed = Vec::new();
    table.state().list_legal(&mut listed);
    ensure(listed.is_empty(), || format!("a finished match lists {listed:?}"))?;
    let seats = usize::from(table.state().seats());
    ensure(outcome.points.len() == seats && outcome.ranks.len() == seats, || format!("{outcome:?}"))?;
    for viewer in viewers(table.state().seats()) {
        let view = table.state().view(viewer);
        numbers::<G>(&view, &[], &mut rng)
            .and_then(|()| premoves_of::<G>(&view))
            .map_err(|e| format!("at the end: {e}"))?;
    }
    let mut again = Table::<G>::new(deal()?);
    for (seat, mv) in &played {
        again.play(*seat, mv).map_err(|e| format!("replaying {mv}: {e}"))?;
    }
    ensure(again.state() == table.state(), || "the same seed and moves gave another state".to_owned())
}

fn viewers(seats: u8) -> impl Iterator<Item = Viewer> {
    (0..seats).map(|seat| Viewer::Seat(Seat(seat))).chain([Viewer::Spectator])
}

/// Checks one position. Returns the legal moves of the seat to move.
fn position<G: Game>(state: &G::State, mover: Seat, rng: &mut Rng) -> Result<Vec<G::Move>, String> {
    state.audit()?;
    same_after_json(state)?;
    ensure(state.outcome().is_none(), || "there is an outcome before the end".to_owned())?;
    let mut legal = Vec::new();
    for viewer in viewers(state.seats()) {
        let view = state.view(viewer);
        same_after_json(&view)?;
        let bytes = serde_json::to_string_pretty(&view).map_err(|e| e.to_string())?.len();
        let most = G::INFO.max_position_bytes;
        ensure(bytes <= most, || format!("a position of {bytes} bytes is longer than the limit, {most}"))?;
        ensure(view.turn() == state.turn(), || format!("{viewer:?} sees {:?}", view.turn()))?;
        ensure(view.viewer() == viewer, || {
            format!("the view of {viewer:?} says it is {:?}'s", view.viewer())
        })?;
        let mut moves = Vec::new();
        view.legal(&mut moves);
        if viewer == Viewer::Seat(mover) {
            own_moves::<G>(&view, &moves)?;
            legal.clear();
            state.list_legal(&mut legal);
            ensure(legal == moves, || format!("the state lists {legal:?}, the view {moves:?}"))?;
        } else {
            ensure(moves.is_empty(), || format!("{viewer:?} has moves out of turn: {moves:?}"))?;
        }
        premoves_of::<G>(&view)?;
        let own = if viewer == Viewer::Seat(mover) { &legal[..] } else { &[] };
        numbers::<G>(&view, own, rng)?;
        if viewer != Viewer::Spectator {
            guess::<G>(&view, rng)?;
        }
    }
    Ok(legal)
}

/// Checks the moves that a viewer may choose in advance.
fn premoves_of<G: Game>(view: &G::View) -> CheckResult {
    let mut moves = Vec::new();
    view.premoves(&mut moves);
    let waits = matches!((view.viewer(), view.turn()), (Viewer::Seat(own), Turn::Of(seat)) if own != seat);
    ensure(waits || moves.is_empty(), || {
        format!("{:?} does not wait, and has premoves: {moves:?}", view.viewer())
    })?;
    let distinct: std::collections::HashSet<_> = moves.iter().collect();
    ensure(distinct.len() == moves.len(), || "a premove is listed twice".to_owned())?;
    moves.iter().try_for_each(same_by_text::<G>)
}

/// Checks that the moves which the seat to move could choose in advance are the same moves at its turn: the notation gives the same
/// move, and the match takes or refuses it as it does any other.
fn chosen_before<G: Game>(table: &Table<G>, seat: Seat, premoves: &[G::Move]) -> CheckResult {
    let view = table.state().view(Viewer::Seat(seat));
    premoves.iter().step_by(1 + premoves.len() / 16).try_for_each(|mv| {
        same_by_text::<G>(mv)?;
        let played = table.clone().play(seat, mv);
        ensure(played.is_ok() == view.is_legal(mv), || format!("the premove {mv} is {played:?}"))
    })
}

/// Checks that a move's text gives the same move.
fn same_by_text<G: Game>(mv: &G::Move) -> CheckResult {
    let text = mv.to_string();
    let back = text.parse::<G::Move>().map_err(|e| format!("{text:?} does not parse: {e}"))?;
    ensure(back == *mv, || format!("{mv:?} became {back:?} by its text {text:?}"))
}

fn own_moves<G: Game>(view: &G::View, moves: &[G::Move]) -> CheckResult {
    ensure(!moves.is_empty(), || "the seat to move has no move".to_owned())?;
    let distinct: std::collections::HashSet<_> = moves.iter().collect();
    ensure(distinct.len() == moves.len(), || "a legal move is listed twice".to_owned())?;
    for mv in moves {
        same_after_json(mv)?;
        same_by_text::<G>(mv)?;
    }
    // In games that do not override `is_legal`, each check builds a full list. So only some moves are checked.
    let mut sample = moves.iter().step_by(1 + moves.len() / 16);
    sample.try_for_each(|mv| ensure(view.is_legal(mv), || format!("{mv} is listed and called illegal")))
}

/// Checks that a guessed state looks the same to the viewer, keeps all invariants, and can be played to the end.
fn guess<G: Game>(view: &G::View, rng: &mut Rng) -> CheckResult {
    let guess = view.guess(rng);
    guess.audit().map_err(|e| format!("a guess is impossible: {e}"))?;
    ensure(guess.view(view.viewer()) == *view, || {
        format!("a guess looks different:\n{:?}\nfrom\n{view:?}", guess.view(view.viewer()))
    })?;
    if rng.below(16) > 0 {
        return Ok(());
    }
    let mut table = Table::<G>::new(guess);
    while let Turn::Of(seat) = table.turn() {
        let mut moves = Vec::new();
        table.state().view(Viewer::Seat(seat)).legal(&mut moves);
        let mv = rng.pick(&moves).ok_or("no move in a guessed match")?.clone();
        table.play(seat, &mv).map_err(|e| format!("in a guessed match: {e}"))?;
        table.state().audit().map_err(|e| format!("in a guessed match: {e}"))?;
        ensure(table.ply() < MAX_PLIES, || "a guessed match does not end".to_owned())?;
    }
    Ok(())
}

/// Checks that moves from elsewhere are accepted exactly when they are listed, and that a refusal changes nothing.
fn foreign_moves<G: Game>(
    table: &Table<G>,
    seat: Seat,
    legal: &[G::Move],
    seen: &[G::Move],
    rng: &mut Rng,
) -> CheckResult {
    for _ in 0..8.min(seen.len()) {
        let mv = &seen[rng.below(seen.len())];
        let mut trial = table.clone();
        let accepted = trial.play(seat, mv).is_ok();
        let listed = legal.contains(mv);
        ensure(accepted || !listed, || format!("{mv} is listed and refused"))?;
        ensure(!accepted || listed || !G::LISTS_ALL_MOVES, || format!("{mv} is not listed and accepted"))?;
        ensure(accepted || trial.state() == table.state(), || format!("refusing {mv} changed the state"))?;
        broken_rule::<G>(table.state(), seat, mv, rng)?;
    }
    for other in (0..table.state().seats()).map(Seat).filter(|s| *s != seat) {
        ensure(table.clone().play(other, &legal[0]).is_err(), || format!("{other:?} moved out of turn"))?;
    }
    Ok(())
}

/// Checks [`Game::broken_rule`] of a move of the seat to move, which may be any. Returns the rule.
///
/// # Errors
/// If a legal move breaks a rule; if the words are no clause; if the match goes on after a mistake and the words tell another
/// seat what it cannot see.
pub fn broken_rule<G: Game>(
    state: &G::State,
    mover: Seat,
    mv: &G::Move,
    rng: &mut Rng,
) -> Result<Option<String>, String> {
    let view = state.view(Viewer::Seat(mover));
    let rule = G::broken_rule(&view, mv);
    ensure(!view.is_legal(mv) || rule.is_none(), || format!("{mv} is legal and breaks a rule: {rule:?}"))?;
    let Some(words) = &rule else { return Ok(None) };
    let is_clause = !words.is_empty() && words.len() <= 200 && !words.ends_with(['.', ' ']);
    ensure(is_clause && !words.contains(char::is_control), || format!("{mv}: no clause: {words:?}"))?;
    if matches!(G::foul(state, mover, "a mistake"), Foul::End(_)) {
        return Ok(rule);
    }
    for other in (0..state.seats()).map(Seat).filter(|seat| *seat != mover) {
        let guess = state.view(Viewer::Seat(other)).guess(rng).view(Viewer::Seat(mover));
        let there = G::broken_rule(&guess, mv);
        ensure(there.is_none() || there == rule, || {
            format!("the rule that {mv} breaks tells {other:?} what it cannot see: {rule:?}, else {there:?}")
        })?;
    }
    Ok(rule)
}

/// Plays this many random matches of every variant and checks [`Game::broken_rule`] of moves that `any` makes up in each
/// position: every illegal one breaks a rule in words.
///
/// # Errors
/// The broken rule and its place.
pub fn broken_rules<G: Game>(
    matches: u64,
    mut any: impl FnMut(&G::View, &mut Rng) -> G::Move,
) -> CheckResult {
    for (options, seed) in
        G::variants().iter().flat_map(|options| (0..matches).map(move |seed| (options, seed)))
    {
        let mut rng = Rng::stream(&Seed::from(seed), 3);
        let mut table = Table::<G>::new(G::deal(options, &Seed::from(seed)).map_err(|e| e.0)?);
        while let Turn::Of(seat) = table.turn() {
            let view = table.state().view(Viewer::Seat(seat));
            for _ in 0..8 {
                let mv = any(&view, &mut rng);
                let at = |e: String| format!("seed {seed}, ply {}: {e}", table.ply());
                let rule = broken_rule::<G>(table.state(), seat, &mv, &mut rng).map_err(at)?;
                ensure(rule.is_some() != view.is_legal(&mv), || at(format!("{mv} breaks {rule:?}")))?;
            }
            let mut moves = Vec::new();
            view.legal(&mut moves);
            let mv = rng.pick(&moves).ok_or("the seat to move has no move")?;
            table.play(seat, mv).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}

fn same_after_json<T: Data>(value: &T) -> CheckResult {
    fn back<T: DeserializeOwned>(json: &Value) -> Result<T, String> {
        serde_json::from_value(json.clone()).map_err(|e| format!("{e} in {json}"))
    }
    let json = serde_json::to_value(value).map_err(|e| e.to_string())?;
    let again: T = back(&json)?;
    ensure(again == *value, || format!("JSON changed it:\n{value:?}\nto\n{again:?}"))
}

/// How the referee's lines describe the moves of others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Correctly.
    Strict,
    /// Distorted by [`Game::distort`]: every decision must still be legal.
    Lenient,
}

/// The player's side and the referee's side of the official dialogue, looped against each other.
fn dialogue<G: Game>(options: &G::Options, seed: u64, bots: &[Seat], reading: Reading) -> CheckResult {
    let state = G::deal(options, &Seed::from(seed)).map_err(|e| e.0)?;
    let mut rng = Rng::stream(&Seed::from(seed), 2);
    let mut game = RefereedMatch::<G>::new(state);
    let mut seats: Vec<DialogueBot<G>> = Vec::new();
    for seat in bots {
        game.seat_bot(*seat, &referee_of::<G>(*seat)).map_err(|e| e.0)?;
        seats.push(DialogueBot::new(*seat, reading)?);
    }
    loop {
        for bot in &mut seats {
            bot.read_all(&mut game, &mut rng)?;
        }
        let Turn::Of(seat) = game.turn() else { break };
        let ply = game.table().ply();
        let view = game.table().state().view(Viewer::Seat(seat));
        let mover = seats.iter_mut().find(|b| b.seat == seat);
        let said = match &mover {
            Some(bot) => bot.transcript.clone(),
            None => Vec::new(),
        };
        let mv = match mover {
            Some(bot) => bot.decide(&mut game, &view, &mut rng).map_err(|e| format!("ply {ply}: {e}"))?,
            None => {
                let mut moves = Vec::new();
                view.legal(&mut moves);
                moves[rng.below(moves.len())].clone()
            }
        };
        game.play(seat, &mv).map_err(|e| format!("ply {ply}: {e}\n{}", text(&said)))?;
        ensure(game.table().ply() < MAX_PLIES, || "the match does not end".to_owned())?;
    }
    seats.iter_mut().try_for_each(|bot| bot.finish())
}

/// The settings of the referee's side that the bot of a seat needs.
fn referee_of<G: Game>(seat: Seat) -> Settings {
    let mirror = !G::INFO.bot_can_hold(seat.0, false);
    Settings(mirror.then(|| (MIRROR.name.to_owned(), "yes".to_owned())).into_iter().collect())
}

fn text(transcript: &[Entry]) -> String {
    transcript.iter().map(Entry::to_string).collect::<Vec<_>>().join("\n")
}

/// A bot made of the player's side, with its transcript.
struct DialogueBot<G: Game> {
    seat: Seat,
    reading: Reading,
    settings: Settings,
    session: Session<G>,
    transcript: Vec<Entry>,
    /// A move that was printed without a decision, because the lines gave no position.
    printed: Option<G::Move>,
}

impl<G: Game> DialogueBot<G> {
    fn new(seat: Seat, reading: Reading) -> Result<Self, String> {
        Self::with(seat, reading, Settings::default())
    }

    fn with(seat: Seat, reading: Reading, settings: Settings) -> Result<Self, String> {
        let session = Self::session(&settings)?;
        Ok(Self { seat, reading, settings, session, transcript: Vec::new(), printed: None })
    }

    fn session(settings: &Settings) -> Result<Session<G>, String> {
        G::player(settings).map(Session::new).map_err(|e| e.0)
    }

    fn hear(&mut self, entry: Entry) -> Result<PlayerAwaits<G>, String> {
        self.transcript.push(entry.clone());
        self.session.push([entry]);
        let wants = self.session.advance().map_err(|e| self.explain(e.0))?;
        let remarks = self.session.take_remarks();
        ensure(remarks.is_empty() || self.reading == Reading::Lenient, || {
            self.explain(format!("{remarks:?}"))
        })?;
        Ok(wants)
    }

    /// The lines that are ready for the bot.
    fn take(&self, game: &mut RefereedMatch<G>, rng: &mut Rng) -> Lines {
        let mut lines = game.take_lines(self.seat);
        if self.reading == Reading::Lenient {
            G::distort(game.table().state(), self.seat, &mut lines, rng);
        }
        lines
    }

    fn explain(&self, e: String) -> String {
        format!("{e}\n{}", text(&self.transcript))
    }

    fn say(&mut self) -> Lines {
        let lines = self.session.take_lines();
        self.transcript.extend(lines.iter().cloned().map(Entry::Printed));
        lines
    }

    /// Reads all lines that are ready, and writes the lines that need no decision.
    fn read_all(&mut self, game: &mut RefereedMatch<G>, rng: &mut Rng) -> CheckResult {
        loop {
            let lines = self.take(game, rng);
            let idle = lines.is_empty();
            for line in lines {
                self.hear(Entry::Read(line))?;
            }
            if idle && matches!(self.session.advance().map_err(|e| e.0)?, Awaits::EntryWithin(_)) {
                self.session.silence();
            }
            let said = self.say();
            for line in &said {
                let mv = game.hear(self.seat, line).map_err(|e| self.explain(format!("{line:?}: {e}")))?;
                let safest = self.reading == Reading::Lenient && self.printed.is_none();
                ensure(mv.is_none() || safest, || format!("{line:?} came unasked and became a move"))?;
                self.printed = mv.or(self.printed.take());
            }
            if idle && said.is_empty() {
                return Ok(());
            }
        }
    }

    fn decide(
        &mut self,
        game: &mut RefereedMatch<G>,
        view: &G::View,
        rng: &mut Rng,
    ) -> Result<G::Move, String> {
        if G::INFO.process == crate::game::Process::PerMove {
            // The next process gets the settings that this one asks to keep; the shim passes them on in the same way.
            let kept =
                self.session.keep().into_iter().map(|kept| (kept.name.to_owned(), kept.value)).collect();
            *self = Self::with(self.seat, self.reading, Settings(kept))?;
        }
        if let Some(mv) = self.printed.take() {
            return Ok(mv);
        }
        game.prompt(self.seat, Some(std::time::Duration::from_secs(20)));
        let mut wants = self.session.advance().map_err(|e| e.0)?;
        for line in self.take(game, rng) {
            wants = self.hear(Entry::Read(line))?;
        }
        let mut chosen = None;
        match wants {
            Awaits::Decision(PlayerDecision { view: told, .. }) => {
                let same = self.reading == Reading::Lenient || *told == *view;
                ensure(same, || self.explain(format!("the bot sees\n{told:?}\ninstead of\n{view:?}")))?;
                same_after_json(&*told).map_err(|e| self.explain(e))?;
                let mut moves = Vec::new();
                told.legal(&mut moves);
                let mv = rng.pick(&moves).ok_or_else(|| self.explain("no move is known".to_owned()))?;
                self.session.decide(&mv.to_string()).map_err(|e| self.explain(e.0))?;
                chosen = Some(mv.clone());
            }
            _ if self.reading == Reading::Lenient && self.session.has_lines() => {}
            _ => return Err(self.explain("the bot is to move and does not know it".to_owned())),
        }
        let said = self.say();
        let mut decided = None;
        for line in &said {
            let heard = game.hear(self.seat, line).map_err(|e| self.explain(format!("{line:?}: {e}")))?;
            ensure(heard.is_none() || decided.is_none(), || format!("{said:?} became two moves"))?;
            decided = decided.or(heard);
        }
        ensure(chosen.is_none() || decided == chosen, || {
            format!("{chosen:?} became {decided:?} by {said:?}")
        })?;
        decided.ok_or_else(|| self.explain(format!("{said:?} became no move")))
    }

    /// Checks that the end of input ends the dialogue, and that the transcript alone leads to the same end.
    fn finish(&mut self) -> CheckResult {
        let end = self.hear(Entry::End)?;
        let bytes = Entry::bytes(&text(&self.transcript));
        let most = G::INFO.max_dialogue_bytes;
        ensure(bytes <= most, || format!("a dialogue of {bytes} bytes is longer than the limit, {most}"))?;
        ensure(matches!(end, Awaits::Nothing), || {
            self.explain("the dialogue does not end with its input".into())
        })?;
        let said = self.say();
        ensure(said.is_empty(), || format!("{said:?} was said after the end"))?;
        let mut again = Self::session(&self.settings)?;
        again.push(self.transcript.iter().cloned());
        let end = again.advance().map_err(|e| self.explain(format!("replayed: {}", e.0)))?;
        ensure(matches!(end, Awaits::Nothing), || self.explain("the replay does not end".to_owned()))?;
        ensure(again.take_lines().is_empty(), || self.explain("the replay has more to say".to_owned()))
    }
}
