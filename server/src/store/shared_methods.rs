//! The methods of a store that are equal in both databases, written once for both: each hands its work to the writer, to
//! the readers, or to the state that both share. The caller's modules (`readers`, `accounts`, ...) know the statements.

macro_rules! shared_methods {
    () => {
        fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>> {
            Box::pin(async move { Ok(self.write(WriteCommand::Append(append)).await?.took_us) })
        }

        fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
            Box::pin(async move { self.read(readers::log(&self.readers(), &id, from)).await })
        }

        fn list(&self, filter: MatchFilter) -> BoxFuture<'_, Result<Vec<ListedMatch>, StoreError>> {
            Box::pin(async move { self.read(readers::list(&self.readers(), &filter)).await })
        }

        fn finished(&self, filter: FinishedFilter) -> BoxFuture<'_, Result<Vec<FinishedMatch>, StoreError>> {
            Box::pin(async move { self.read(readers::finished(&self.readers(), &filter)).await })
        }

        fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>> {
            Box::pin(async move { self.read(readers::rematch(&self.readers(), &of)).await })
        }

        fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<StoredRequest>, StoreError>> {
            Box::pin(async move { self.read(readers::request(&self.readers(), key)).await })
        }

        fn add_player(
            &self,
            who: PlayerRef,
            key: KeyHash,
            created_ms: Millis,
            request: Option<StoredRequest>,
        ) -> BoxFuture<'_, Result<(), StoreError>> {
            let new = NewPlayer { who, key, created_ms, request, bot: None, invitation: None };
            Box::pin(async move { self.write(WriteCommand::Player(new)).await.map(drop) })
        }

        fn add_invited_player(
            &self,
            who: PlayerRef,
            key: KeyHash,
            created_ms: Millis,
            request: Option<StoredRequest>,
            invitation: KeyHash,
        ) -> BoxFuture<'_, Result<bool, StoreError>> {
            let invitation = Some(invitation);
            let new = NewPlayer { who, key, created_ms, request, bot: None, invitation };
            Box::pin(async move { Ok(self.write(WriteCommand::Player(new)).await?.changed > 0) })
        }

        fn add_bot(&self, bot: NewBot) -> BoxFuture<'_, Result<(), StoreError>> {
            Box::pin(async move { self.write(WriteCommand::Player(bot.into())).await.map(drop) })
        }

        fn bots(&self, owner: String) -> BoxFuture<'_, Result<Vec<BotEntry>, StoreError>> {
            Box::pin(async move { self.read(boards::bots(&self.readers(), &owner)).await })
        }

        fn leaderboard(
            &self,
            filter: LeaderboardFilter,
        ) -> BoxFuture<'_, Result<Vec<RatedPlayer>, StoreError>> {
            Box::pin(async move { self.read(boards::leaderboard(&self.readers(), &filter)).await })
        }

        fn rating_history(
            &self,
            player: String,
            game: String,
            wanted: Vec<u64>,
        ) -> BoxFuture<'_, Result<Vec<RatingPoint>, StoreError>> {
            Box::pin(
                async move { self.read(boards::history(&self.readers(), &player, &game, &wanted)).await },
            )
        }

        fn opponents(
            &self,
            player: String,
            game: String,
            after: Option<(u64, String)>,
            limit: u32,
        ) -> BoxFuture<'_, Result<Vec<OpponentResults>, StoreError>> {
            Box::pin(async move {
                self.read(boards::opponents(&self.readers(), &player, &game, after.as_ref(), limit)).await
            })
        }

        fn rated_since(&self, id: MatchId, most: u32) -> BoxFuture<'_, Result<Option<u64>, StoreError>> {
            Box::pin(async move { self.read(boards::rated_since(&self.readers(), &id, most)).await })
        }

        fn check_ratings(&self) -> BoxFuture<'_, Result<RatingCheck, StoreError>> {
            Box::pin(async move { self.read_long(boards::check(&self.readers())).await })
        }

        fn tournament_log(
            &self,
            id: TournamentId,
            from: u32,
        ) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
            Box::pin(async move { self.read(tournaments::log(&self.readers(), &id, from)).await })
        }

        fn tournaments(
            &self,
            game: Option<String>,
            before: Option<TournamentId>,
            limit: u32,
        ) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>> {
            Box::pin(async move {
                let (game, before) = (game.as_deref(), before.as_ref());
                self.read(tournaments::list(&self.readers(), game, before, limit)).await
            })
        }

        fn organized(&self, player: String) -> BoxFuture<'_, Result<Vec<TournamentId>, StoreError>> {
            Box::pin(async move { self.read(tournaments::organized(&self.readers(), &player)).await })
        }

        fn running_tournaments(&self) -> BoxFuture<'_, Result<Vec<RunningTournament>, StoreError>> {
            Box::pin(async move { self.read(tournaments::running(&self.readers())).await })
        }

        fn match_status(&self, ids: Vec<MatchId>) -> BoxFuture<'_, Result<Vec<MatchStatus>, StoreError>> {
            Box::pin(async move { self.read(tournaments::match_status(&self.readers(), &ids)).await })
        }

        fn token_holder(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<TokenHolder>, StoreError>> {
            Box::pin(async move { self.read(tokens::holder(&self.readers(), key)).await })
        }

        fn tokens(&self, player: String) -> BoxFuture<'_, Result<Vec<StoredToken>, StoreError>> {
            Box::pin(async move { self.read(tokens::list(&self.readers(), &player)).await })
        }

        fn known_keys(
            &self,
            keys: Vec<KeyHash>,
        ) -> BoxFuture<'_, Result<Vec<(KeyHash, PlayerRef)>, StoreError>> {
            Box::pin(async move { self.read(tokens::known(&self.readers(), &keys)).await })
        }

        fn player(&self, name: String) -> BoxFuture<'_, Result<Option<PlayerProfile>, StoreError>> {
            Box::pin(async move { self.read(readers::player(&self.readers(), &name)).await })
        }

        fn lobby(&self, settled_after_ms: Millis) -> BoxFuture<'_, Result<LobbyRows, StoreError>> {
            Box::pin(
                async move { self.read(lobby::all(&self.readers(), &self.node, settled_after_ms)).await },
            )
        }

        fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
            Box::pin(async move { self.read(lobby::one(&self.readers(), &id)).await })
        }

        fn lobby_changed(&self) -> BoxFuture<'_, ()> {
            Box::pin(self.shared.lobby_changed.notified())
        }

        fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>> {
            Box::pin(async move { self.read(accounts::version(&self.readers())).await })
        }

        fn blocks(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, StoreError>> {
            Box::pin(async move { self.read(accounts::blocks(&self.readers())).await })
        }

        fn blocked_by(&self, player: String) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
            Box::pin(async move { self.read(accounts::blocked_by(&self.readers(), &player)).await })
        }

        fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>> {
            Box::pin(async move { self.read(accounts::former_names(&self.readers())).await })
        }

        fn chat(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredMessage>, StoreError>> {
            Box::pin(async move { self.read(chat::heard(&self.readers(), &id, from)).await })
        }

        fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>> {
            Box::pin(async move { self.read(accounts::bans(&self.readers())).await })
        }

        fn deleted_matches(&self) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
            Box::pin(async move { self.read(accounts::deleted_matches(&self.readers())).await })
        }

        fn restrictions(&self) -> BoxFuture<'_, Result<Vec<RestrictedPlayer>, StoreError>> {
            Box::pin(async move { self.read(moderation::restrictions(&self.readers())).await })
        }

        fn invitations(&self) -> BoxFuture<'_, Result<Vec<Invitation>, StoreError>> {
            Box::pin(async move { self.read(moderation::invitations(&self.readers())).await })
        }

        fn reported(
            &self,
            subject: ReportSubject,
            reporter: String,
        ) -> BoxFuture<'_, Result<Option<String>, StoreError>> {
            Box::pin(
                async move { self.read(moderation::reported(&self.readers(), &subject, &reporter)).await },
            )
        }

        fn reports(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<StoredReport>, StoreError>> {
            Box::pin(async move { self.read(moderation::reports(&self.readers(), &after, limit)).await })
        }

        fn pending_erasure(
            &self,
            before_ms: Millis,
            matches: u32,
        ) -> BoxFuture<'_, Result<Option<PendingErasure>, StoreError>> {
            Box::pin(async move { self.read(erasure::pending(&self.readers(), before_ms, matches)).await })
        }

        fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>> {
            Box::pin(async move { self.read(accounts::is_taken(&self.readers(), &name, now)).await })
        }

        fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
            Box::pin(async move { self.read(accounts::playing(&self.readers(), &player)).await })
        }

        fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>> {
            Box::pin(async move { self.read(accounts::players(&self.readers(), &after, limit)).await })
        }

        fn heartbeat(&self, now: Millis) {
            self.shared.record_heartbeat(now);
        }

        fn stop(&self, now: Millis) {
            self.shared.stop(now);
        }

        fn downtimes(&self, from: Millis) -> Vec<Span> {
            self.shared.downtimes().after(from)
        }

        fn common_downtimes(&self, from: Millis) -> Vec<Span> {
            self.shared.downtimes().common_after(from)
        }

        fn record_freeze(&self, span: Span) {
            self.shared.record_freeze(span);
        }

        fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
            self.shared.record_shown(id, seq, at_ms);
        }

        fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>> {
            Box::pin(async move {
                match self.shared.shown_at(&id) {
                    Some(unwritten) => Ok(Some(unwritten)),
                    None => self.read(readers::shown_at(&self.readers(), &id)).await,
                }
            })
        }

        fn health_changed(&self) -> BoxFuture<'_, ()> {
            Box::pin(self.shared.health_changed.notified())
        }

        fn changed_elsewhere(&self) -> BoxFuture<'_, Vec<MatchId>> {
            Box::pin(async move {
                loop {
                    let notified = self.shared.changed_elsewhere_notify.notified();
                    let changed = self.shared.take_changed_elsewhere();
                    if !changed.is_empty() {
                        return changed;
                    }
                    notified.await;
                }
            })
        }

        fn pepper(&self) -> &[u8; 32] {
            &self.pepper
        }

        fn health(&self) -> Result<(), String> {
            self.shared.health()
        }

        fn ready(&self) -> Result<(), String> {
            if self.shared.damaged() { Err(CORRUPT.to_owned()) } else { self.shared.health() }
        }

        fn node(&self) -> &str {
            &self.node
        }
    };
}
pub(super) use shared_methods;
