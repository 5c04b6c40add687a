//! The decisions of engines and hosted programs in a live match: asks the one to move, and plays what it has chosen.

use std::sync::Arc;

use engines::game::Viewer;

use crate::domain::request_id::carry;
use crate::engine_pool::{MatchPayer, Source};
use crate::error::Code;
use crate::matches::actor::MatchActor;
use crate::matches::actor::engine_turn::{Chosen, EngineMove, EngineSearch, EngineTurn, thinking_time};
use crate::matches::bots::bot_output;
use crate::matches::bots::hosted::{ProgramMove, ProgramTurn};
use crate::matches::ledger::{Command, MeasuredTime};
use crate::recovery::own_task::in_own_task;

impl MatchActor {
    /// Starts the search of the engine to move, and cancels any other.
    pub(super) fn ask_engine(&mut self) {
        let ply = self.ledger.ply();
        let acts_here = self.paused.is_none() && self.is_held();
        if let Some((seat, ..)) = self.ledger.program_to_move().filter(|_| acts_here) {
            if self.engine_seats.searched() != Some((seat, ply)) {
                self.ask_program(ply);
            }
            return;
        }
        let to_move = self.ledger.engine_to_move().filter(|_| acts_here);
        if self.engine_seats.searched() == to_move.map(|(seat, _)| (seat, ply)) {
            return;
        }
        let Some((seat, seated)) = to_move else {
            self.engine_seats.cancel();
            return;
        };
        let seated = seated.clone();
        let position: Arc<dyn engines::erased::Position> = self.ledger.view(Viewer::Seat(seat)).into();
        let think = thinking_time(seated.think_ms, self.ledger.clocks(), seat, position.as_ref());
        let think = think.min(self.registry.max_think);
        let failures = self.engine_seats.refused_at(ply);
        let source = self.source();
        let engines = self.engine_seats.of(seat);
        let question = EngineTurn { position, seated, engines, think, source, failures };
        let pool = self.registry.engine_pool;
        let chosen = Box::pin(carry(async move { Chosen::Engine(question.decide(pool).await) }));
        self.engine_seats.begin(EngineSearch { seat, ply, chosen });
    }

    /// Begins the turn of the hosted program to move, and cancels any other search.
    fn ask_program(&mut self, ply: u32) {
        let Some((seat, program, bot)) = self.ledger.program_to_move() else { return };
        let source = Source::Program { owner: bot.owner_id().into(), bot: bot.id.as_str().into() };
        let turn = ProgramTurn {
            registry: Arc::clone(&self.registry),
            id: self.id.clone(),
            offer: self.offer,
            seat,
            program: program.clone(),
            seated: self.engine_seats.take_program(seat),
            source,
        };
        // The turn reads the log, and this actor may be waiting for a read, too.
        let turn = in_own_task(carry(turn.decide()));
        let chosen = Box::pin(async move { Chosen::Program(Box::new(turn.await)) });
        self.engine_seats.begin(EngineSearch { seat, ply, chosen });
    }

    /// The caller whose share of engine time its engines use.
    fn source(&self) -> Source {
        let created = self.ledger.created();
        let [network, player] = [&created.made_from, &created.payer].map(|key| key.as_deref().map(Arc::from));
        if created.is_of_ladder() {
            let engines_only = self.ledger.among_engines_since().is_some();
            return Source::Ladder { game: created.game.as_str().into(), engines_only };
        }
        let payer = MatchPayer { network, player };
        match self.ledger.among_engines_since() {
            Some(_) => Source::EnginesOnly(payer),
            None => Source::Seat(payer),
        }
    }

    /// Plays what the engine or the program has chosen.
    pub(super) async fn play(&mut self, chosen: Chosen) {
        let Some((seat, ply)) = self.engine_seats.end() else { return };
        let arrived_ms = self.now();
        let command = match chosen {
            Chosen::Engine(EngineMove { notation, queue_us, think_us }) => {
                let measured = Some(MeasuredTime { think_us, fuel: None });
                Command::Move { seat, ply, notation, arrived_ms, queue_us, measured }
            }
            Chosen::Program(chosen) => {
                let ProgramMove { answer, measured, queue_us, errors, seated } = *chosen;
                self.engine_seats.keep_program(seat, seated);
                if let Some((_, _, bot)) = self.ledger.program_to_move() {
                    self.registry.programs.spent(&bot.id, measured.fuel.unwrap_or(0));
                }
                if let Some(turn) = bot_output::of_program(seat, ply, &errors) {
                    bot_output::keep_in_background(&self.registry, self.id.clone(), vec![turn]);
                }
                let measured = Some(measured);
                match answer {
                    Ok(notation) => Command::Move { seat, ply, notation, arrived_ms, queue_us, measured },
                    Err((kind, detail)) => Command::Foul { seat, ply, kind, detail, arrived_ms, measured },
                }
            }
        };
        if let Err(e) = self.carry_out(&command).await
            && !matches!(e.code(), Code::StoreUnavailable | Code::StalePly | Code::TimeUp | Code::MatchOver)
        {
            self.engine_seats.note_refused(ply);
            tracing::error!(id = self.id.as_str(), ply, error = %e, "the decision of an engine or a program was refused");
        }
    }
}
