//! The bot's side: reads positions, finds out from which number their header counts, and prints actions. Chooses no
//! actions.

use super::super::rules::{Move, integer};
use super::super::{Splendor, View};
use super::input::{LONGEST, PositionError, PositionInput, TokenReader};
use super::memory::{KeptAnswer, followed, replaced};
use super::recovery::RecoveryState;
use crate::game::BadOptions;
use crate::protocol::{
    Awaits, KeptSetting, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Settings,
};

/// The setting that forces the number from which players and rounds count.
const BASE: &str = "base";

/// The setting with what earlier processes asked to keep: a [`KeptAnswer`] for each match, between commas. Processes of
/// earlier versions kept a bare base.
const BASE_BEFORE: &str = "base_before";

/// Below these odds (natural logarithm) the base is ambiguous.
const AMBIGUOUS_ODDS: f64 = 1.0;

/// From these odds on (natural logarithm) the base holds for later positions.
const CERTAIN_ODDS: f64 = 3.0;

/// The bot's side.
pub(crate) struct PlayerDialogue {
    /// The base that the setting [`BASE`] forces.
    pub(super) forced: Option<i32>,
    /// The base found for an earlier position of this dialogue.
    pub(super) base: Option<i32>,
    /// The base that an earlier process found, perhaps in another match.
    pub(super) before: Option<i32>,
    /// Answers of earlier processes, in this match and in others, and the last one of this dialogue.
    answers: Vec<KeptAnswer>,
    /// The position that was read last, with the base by which it was read.
    pub(super) position: Option<(PositionInput, Option<i32>)>,
    /// The answer to keep for the next process, and the one that it replaces.
    kept: Option<(KeptAnswer, Option<KeptAnswer>)>,
    /// Numbers of an incomplete position.
    pub(super) tokens: Vec<i32>,
    /// Whether a decision is due.
    pub(super) thinking: bool,
    /// The state for continuing after an impossible position.
    pub(super) recovery: RecoveryState,
}

impl PlayerDialogue {
    pub(in super::super) fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[BASE, BASE_BEFORE])?;
        let base = |text| match text {
            "0" => Some(0),
            "1" => Some(1),
            _ => None,
        };
        let forced = base(settings.choice(BASE, &["auto", "0", "1"])?);
        let (mut before, mut answers) = (None, Vec::new());
        let kept = settings.0.get(BASE_BEFORE).map_or("auto", String::as_str);
        for text in kept.split(',').filter(|text| !["", "auto"].contains(text)) {
            match (base(text), KeptAnswer::parse(text)) {
                (Some(base), _) => before = Some(base),
                (None, Some(answer)) => answers.push(answer),
                (None, None) => {
                    return Err(BadOptions(format!(
                        "{BASE_BEFORE} cannot be '{text}': it is auto, 0, 1 or what an earlier dialogue asked to keep"
                    )));
                }
            }
        }
        Ok(Self {
            forced,
            base: None,
            before,
            answers,
            position: None,
            kept: None,
            tokens: Vec::new(),
            thinking: false,
            recovery: RecoveryState::default(),
        })
    }

    /// The base by earlier positions: the one that the own hand shows, or a bare one, which may be of another match. What
    /// looks like a first turn could as well follow a void action in another match; there the table says more.
    pub(super) fn known_base(&self, input: &PositionInput) -> Option<i32> {
        if input.looks_like_a_start() {
            return self.base;
        }
        let shown = followed(&self.answers, input).map(|(_, base)| base);
        shown.or(self.base).or(self.before)
    }

    /// The view of an input. If the header leaves its base open, earlier positions of the match decide unless the table
    /// contradicts them. Otherwise the likelier base by the cards and chips of the players decides. If they say little, the
    /// view has only actions that are legal with both bases.
    fn interpret(&mut self, input: &PositionInput) -> Result<View, String> {
        if let Some(base) = self.forced {
            return input.view(base);
        }
        if let Some(base) = input.certain_base() {
            self.base = Some(base);
            return input.view(base);
        }
        let known = self.known_base(input);
        match (input.view(0), input.view(1), known) {
            (zero, one, Some(base)) if zero.is_ok() == one.is_ok() => {
                self.base = Some(base);
                if base == 0 { zero } else { one }
            }
            (Ok(zero), Ok(one), _) => {
                let odds = input.odds_of_zero();
                if odds.abs() >= CERTAIN_ODDS {
                    self.base = Some(i32::from(odds < 0.0));
                }
                let (likelier, other) = if odds > 0.0 { (zero, one) } else { (one, zero) };
                Ok(if odds.abs() < AMBIGUOUS_ODDS { likelier.or_else(other) } else { likelier })
            }
            (Ok(zero), Err(_), _) => {
                self.base = Some(0);
                Ok(zero)
            }
            (Err(_), one, _) => {
                self.base = Some(1);
                one
            }
        }
    }
}

impl Player<Splendor> for PlayerDialogue {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Splendor> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Splendor>, ProtocolError> {
        if self.recovery.lenient {
            return Ok(self.recover(Some(line), out));
        }
        self.recovery.before.clone_from(&self.tokens);
        let before = self.tokens.len();
        for token in line.split_whitespace() {
            if self.thinking {
                return Err(ProtocolError(format!("{token:?} came before the bot had moved")));
            }
            let n = integer(token).ok_or_else(|| {
                ProtocolError(format!(
                    "{:?} is not a whole number",
                    token.chars().take(40).collect::<String>()
                ))
            })?;
            self.tokens.push(n);
            // The first invalid number below refuses the position, so `tokens` never exceeds the longest position.
            if self.tokens.len() > LONGEST {
                return Err(ProtocolError::new("this is longer than any position"));
            }
        }
        if self.tokens.len() == before {
            return Ok(Awaits::Entry);
        }
        let mut tokens = TokenReader { tokens: &self.tokens, used: 0, guessed: None };
        let input = match tokens.input() {
            Ok(input) => input,
            Err(PositionError::Incomplete) => return Ok(Awaits::Entry),
            Err(PositionError::Invalid(e)) => return Err(ProtocolError(e)),
        };
        if tokens.used < self.tokens.len() {
            let rest = self.tokens.len() - tokens.used;
            return Err(ProtocolError(format!("{rest} numbers came after the end of the position")));
        }
        self.tokens.clear();
        let view = self.interpret(&input).map_err(ProtocolError)?;
        self.position = Some((input, self.base));
        self.thinking = true;
        self.recovery.answered = false;
        Ok(Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None }))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Splendor> {
        self.recover(line, out)
    }

    fn doubts(&mut self) -> Lines {
        std::mem::take(&mut self.recovery.remarks)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Splendor> {
        self.recover(None, out)
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Splendor>, ProtocolError> {
        if self.tokens.is_empty() {
            Ok(Awaits::Nothing)
        } else {
            Err(ProtocolError::new("the input ended in the middle of a position"))
        }
    }

    /// The referee starts a process for every move, and only the first input of a match always reveals the base.
    fn keep(&self) -> Vec<KeptSetting> {
        let kept = self.kept.iter().map(|(answer, replaced)| KeptSetting {
            name: BASE_BEFORE,
            value: answer.to_string(),
            replaces: replaced.as_ref().map(KeptAnswer::to_string),
        });
        kept.collect()
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Splendor> {
        out.push(mv.to_string());
        self.thinking = false;
        let position = self.position.take().filter(|_| self.forced.is_none());
        if let Some((input, base)) = position
            && let Some(answer) = KeptAnswer::new(&input, base, mv)
        {
            let replaced = replaced(&self.answers, &input, base);
            self.answers.retain(|known| Some(known) != replaced.as_ref());
            self.answers.push(answer.clone());
            self.kept = Some((answer, replaced));
        }
        Awaits::Entry
    }
}
