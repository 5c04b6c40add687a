//! Deletion of matches and names, mutes and bans of players, invitations, reports.

use crate::domain::names::NameKey;
use crate::store::tests::*;

on_both_databases! {
    match_is_deleted_whole_even_the_newest,
    name_of_a_deleted_player_leaves_the_logs_and_nothing_else_changes,
    names_that_were_given_up_cannot_be_read,
    invitation_creates_as_many_players_as_it_is_for,
    report_is_stored_once_and_shows_what_it_is_about,
    restriction_goes_with_its_player,
}

pub(in crate::store::tests) async fn player(store: &TestStore, name: &str, n: u8) -> PlayerRef {
    store.add_player(named(name), hash(n), 1, None).await.unwrap();
    named(name)
}

async fn delete_player(store: &TestStore, name: &str) {
    let player = named(name).id;
    assert_eq!(
        store.change(StoreChange::DeletePlayer { player, at_ms: 100, held_until_ms: 200 }).await,
        Ok(1)
    );
}

async fn match_is_deleted_whole_even_the_newest(database: TestDatabase) {
    let (store, other) = (database.open(0).await, database.open(0).await);
    let older = create_match(&store).await;
    let newest = create_match(&store).await;
    let delete = |id: &MatchId| StoreChange::DeleteMatch { id: id.clone(), at_ms: 7 };
    assert_eq!(store.change(delete(&newest)).await, Ok(0), "it is not over");
    store.append(last(&newest, 1)).await.unwrap();
    store.append(last(&older, 1)).await.unwrap();
    let said = ChatLine {
        id: newest.clone(),
        seat: Some(0),
        at_ms: 5,
        said: "x".to_owned(),
        author: "a".to_owned(),
        most: 9,
        most_lately: 9,
        since_ms: 0,
    };
    assert_eq!(store.change(StoreChange::Say(said)).await, Ok(1));
    let version = store.accounts_version().await.unwrap();
    // The newest match, then the match with the last event.
    for id in [&newest, &older] {
        assert_eq!(store.change(delete(id)).await, Ok(1));
        assert_eq!(store.change(delete(id)).await, Ok(0));
        assert_eq!(store.log(id.clone(), 0).await, Ok(Vec::new()));
        assert_eq!(store.match_status(vec![id.clone()]).await, Ok(Vec::new()));
    }
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn of it");
    assert_eq!(other.deleted_matches().await.unwrap().len(), 2);
    assert_eq!(store.chat(newest, 0).await, Ok(Vec::new()));
    for scope in [Scope::Public, Scope::Private, Scope::All] {
        let filter = MatchFilter { scope, limit: 9, ..MatchFilter::default() };
        assert_eq!(store.list(filter).await, Ok(Vec::new()), "{scope:?}");
    }
    // Numbers and positions are not used again: each node still hears of the other's events.
    for _ in 0..3 {
        let id = create_match(&other).await;
        wait_for_news_of(&store, &id).await;
        store.append(last(&id, 1)).await.unwrap();
        wait_for_news_of(&other, &id).await;
        assert_eq!(other.change(delete(&id)).await, Ok(1));
    }
}

/// An event that names these players as events do.
fn naming(text: &str, players: &[&PlayerRef]) -> StoredEvent {
    let players = serde_json::to_string(players).unwrap();
    StoredEvent { at_ms: 7, body: format!(r#"{{"type":"{text}","players":{players},"number":1.10}}"#) }
}

async fn name_of_a_deleted_player_leaves_the_logs_and_nothing_else_changes(database: TestDatabase) {
    let store = database.open(0).await;
    let (ann, bob) = (player(&store, "ann", 1).await, player(&store, "bob", 2).await);
    let id = MatchId::fresh();
    let mut begin = first(&id);
    begin.events = vec![naming("created", &[&ann, &bob]), naming("joined", &[&bob])];
    begin.row.as_mut().unwrap().players = vec![(ann.clone(), None), (bob.clone(), None)];
    store.append(begin).await.unwrap();
    assert_eq!(store.pending_erasure(Millis::MAX, 9).await, Ok(None), "no player is deleted");
    delete_player(&store, "ann").await;
    assert_eq!(store.pending_erasure(99, 9).await, Ok(None), "not yet");
    let pending = store.pending_erasure(100, 9).await.unwrap().unwrap();
    assert_eq!(
        (&pending.player, pending.texts.len()),
        (&ann.id, 2),
        "the row and the first event: {pending:?}"
    );
    let erased = pending.texts.into_iter().map(|text| {
        let without = match text.clone() {
            NamingText::Row { nr, id, summary, players } => {
                NamingText::Row { nr, id, summary, players: players.replace("\"ann\"", "\"gone\"") }
            }
            NamingText::Event { nr, id, seq, body } => {
                NamingText::Event { nr, id, seq, body: body.replace("\"ann\"", "\"gone\"") }
            }
            text => text,
        };
        (text, without)
    });
    let erasure = NameErasure { player: pending.player, upto: pending.upto, texts: erased.collect() };
    assert_eq!(store.change(StoreChange::EraseName(Box::new(erasure))).await, Ok(2));
    let gone = PlayerRef { name: "gone".to_owned(), ..ann.clone() };
    let wanted = vec![naming("created", &[&gone, &bob]), naming("joined", &[&bob])];
    assert_eq!(store.log(id.clone(), 0).await, Ok(wanted.clone()));
    // The database itself keeps all other events as they are.
    let forged = |seq| NameErasure {
        player: bob.id.clone(),
        upto: None,
        texts: vec![(
            NamingText::Event { nr: 0, id: id.clone(), seq, body: String::new() },
            NamingText::Event { nr: 1, id: id.clone(), seq, body: "{}".to_owned() },
        )],
    };
    assert_eq!(store.change(StoreChange::EraseName(Box::new(forged(1)))).await, Ok(0), "bob is not deleted");
    assert_eq!(store.log(id, 0).await, Ok(wanted));
    let rest = store.pending_erasure(100, 9).await.unwrap().unwrap();
    assert_eq!((rest.upto, rest.texts.len()), (None, 0), "all matches are done");
    let done = NameErasure { player: rest.player, upto: None, texts: Vec::new() };
    assert_eq!(store.change(StoreChange::EraseName(Box::new(done))).await, Ok(0));
    assert_eq!(store.pending_erasure(100, 9).await, Ok(None));
}

async fn names_that_were_given_up_cannot_be_read(database: TestDatabase) {
    let store = database.open(0).await;
    player(&store, "marker", 1).await;
    delete_player(&store, "marker").await;
    assert!(store.is_taken(NameKey::of("Marker"), 199).await.unwrap());
    assert_eq!(store.add_player(named("MARKER"), hash(2), 199, None).await, Err(StoreError::Conflict));
    if let TestDatabase::Sqlite(_) = &database {
        let file = database.file();
        store.close().await;
        let bytes = std::fs::read(file).unwrap();
        for text in ["marker", "id of marker"] {
            let found =
                bytes.windows(text.len()).filter(|part| part.eq_ignore_ascii_case(text.as_bytes())).count();
            // The id of this test's player contains the name; ids stay.
            let ids = bytes.windows(12).filter(|part| *part == b"id of marker").count();
            assert_eq!(found, ids, "{text}");
        }
    }
}

async fn invitation_creates_as_many_players_as_it_is_for(database: TestDatabase) {
    let store = database.open(0).await;
    player(&store, "ann", 1).await;
    let invitation = |n, uses, until_ms| NewInvitation {
        key: hash(n),
        note: format!("note {n}"),
        uses,
        created_ms: n.into(),
        until_ms,
    };
    for new in [invitation(50, 2, Some(100)), invitation(51, 1, None)] {
        assert_eq!(store.change(StoreChange::Invite(new)).await, Ok(1));
    }
    let add =
        |name: &str, n, at_ms, by| store.add_invited_player(named(name), hash(n), at_ms, None, hash(by));
    assert_eq!(add("bob", 2, 10, 60).await, Ok(false), "it does not exist");
    assert_eq!(add("bob", 2, 100, 50).await, Ok(false), "it has expired");
    assert_eq!(add("Ann", 2, 10, 50).await, Err(StoreError::Conflict), "the name is taken");
    assert_eq!(add("bob", 2, 10, 50).await, Ok(true), "the refusal before used nothing");
    assert_eq!(add("cyd", 3, 10, 50).await, Ok(true));
    assert_eq!(add("dan", 4, 10, 50).await, Ok(false), "it was used twice");
    // Two requests at the same time: one of them gets the player.
    let both = tokio::join!(add("eve", 5, 10, 51), add("fay", 6, 10, 51));
    assert!(matches!(both, (Ok(true), Ok(false)) | (Ok(false), Ok(true))), "{both:?}");
    let listed = store.invitations().await.unwrap();
    let shown: Vec<_> = listed.iter().map(|i| (i.note.as_str(), i.uses, i.used, i.until_ms)).collect();
    assert_eq!(shown, [("note 50", 2, 2, Some(100)), ("note 51", 1, 1, None)]);
    assert_eq!(store.change(StoreChange::RevokeInvitation(listed[0].id.clone())).await, Ok(1));
    assert_eq!(store.change(StoreChange::RevokeInvitation(listed[0].id.clone())).await, Ok(0));
    assert_eq!(store.invitations().await.unwrap().len(), 1);
}

async fn report_is_stored_once_and_shows_what_it_is_about(database: TestDatabase) {
    let store = database.open(0).await;
    let (ann, bob) = (player(&store, "ann", 1).await, player(&store, "bob", 2).await);
    let about = StoreChange::SetAbout { player: bob.id.clone(), about: r#"{"version":"1"}"#.to_owned() };
    store.change(about).await.unwrap();
    let id = create_match(&store).await;
    let said = ChatLine {
        id: id.clone(),
        seat: Some(0),
        at_ms: 5,
        said: r#"{"text":"rude"}"#.to_owned(),
        author: bob.id.clone(),
        most: 9,
        most_lately: 9,
        since_ms: 0,
    };
    store.change(StoreChange::Say(said)).await.unwrap();
    let report = |id: &str, subject: ReportSubject, reporter: &str| {
        StoreChange::Report(NewReport {
            id: id.to_owned(),
            subject,
            reporter: reporter.to_owned(),
            reason: format!("reason {id}"),
            created_ms: 7,
            most: 2,
        })
    };
    let (player, chat) = (ReportSubject::Player(bob.id.clone()), ReportSubject::Chat(id.to_string(), 0));
    assert_eq!(store.change(report("1", player.clone(), &ann.id)).await, Ok(1));
    assert_eq!(store.change(report("2", player.clone(), &ann.id)).await, Ok(0), "the same again");
    assert_eq!(store.reported(player.clone(), ann.id.clone()).await, Ok(Some("1".to_owned())));
    assert_eq!(store.change(report("3", chat.clone(), &ann.id)).await, Ok(1));
    let third = ReportSubject::Match(id.to_string());
    assert_eq!(store.change(report("4", third.clone(), &ann.id)).await, Ok(0), "two are open");
    assert_eq!(store.change(report("5", third, "address x")).await, Ok(1));
    let all = store.reports(String::new(), 9).await.unwrap();
    let shown: Vec<_> = all
        .iter()
        .map(|r| (r.id.as_str(), r.reporter.as_deref(), r.player.as_deref(), r.text.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            ("1", Some("ann"), Some("bob"), Some(r#"{"version":"1"}"#)),
            ("3", Some("ann"), Some("bob"), Some(r#"{"text":"rude"}"#)),
            ("5", None, None, None),
        ]
    );
    assert_eq!(store.reports("3".to_owned(), 9).await.unwrap(), all[2..]);
    let delete = |id: &str, reporter: Option<&str>| StoreChange::DeleteReport {
        id: id.to_owned(),
        reporter: reporter.map(str::to_owned),
    };
    assert_eq!(store.change(delete("1", Some("address x"))).await, Ok(0), "it is not theirs");
    assert_eq!(store.change(delete("1", Some(&ann.id))).await, Ok(1));
    // A message that is gone needs no report any more.
    let unsay = MessageDeletion { id: id.clone(), n: 0, by: DeletedBy::Operator };
    store.change(StoreChange::Unsay(unsay)).await.unwrap();
    assert_eq!(store.reports(String::new(), 9).await.unwrap(), all[2..]);
    assert_eq!(store.change(report("6", player, &ann.id)).await, Ok(1));
    delete_player(&store, "bob").await;
    assert_eq!(store.reports(String::new(), 9).await.unwrap(), all[2..], "it was about the deleted player");
    store.append(last(&id, 1)).await.unwrap();
    store.change(StoreChange::DeleteMatch { id, at_ms: 7 }).await.unwrap();
    assert_eq!(store.reports(String::new(), 9).await, Ok(Vec::new()));
}

async fn restriction_goes_with_its_player(database: TestDatabase) {
    let store = database.open(0).await;
    let ann = player(&store, "ann", 1).await;
    let restrict = |kind, reason: &str, until_ms| StoreChange::Restrict {
        player: ann.id.clone(),
        kind,
        restriction: Restriction { reason: reason.to_owned(), created_ms: 5, until_ms },
    };
    let version = store.accounts_version().await.unwrap();
    assert_eq!(store.change(restrict(RestrictionKind::Mute, "spam", None)).await, Ok(1));
    assert_eq!(store.change(restrict(RestrictionKind::Mute, "more spam", Some(9))).await, Ok(1));
    assert_eq!(store.change(restrict(RestrictionKind::Ban, "", None)).await, Ok(1));
    assert!(store.accounts_version().await.unwrap() > version, "other nodes learn of it");
    let all = store.restrictions().await.unwrap();
    let shown: Vec<_> = all
        .iter()
        .map(|r| (r.name.as_str(), r.kind, r.restriction.reason.as_str(), r.restriction.until_ms))
        .collect();
    assert_eq!(
        shown,
        [("ann", RestrictionKind::Ban, "", None), ("ann", RestrictionKind::Mute, "more spam", Some(9))]
    );
    let lift = StoreChange::Unrestrict { player: ann.id.clone(), kind: RestrictionKind::Ban };
    assert_eq!(store.change(lift.clone()).await, Ok(1));
    assert_eq!(store.change(lift).await, Ok(0));
    delete_player(&store, "ann").await;
    assert_eq!(store.restrictions().await, Ok(Vec::new()));
}
