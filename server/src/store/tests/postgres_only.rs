//! Tests of PostgreSQL alone: its statements, databases that are refused, lost connections, leases, time.

use futures_util::future::join_all;
use kibitz_test_support::PrivatePostgres;
use sqlx::postgres::PgTypeInfo;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row, SqlSafeStr};

use crate::store::database::Dialect;
use crate::store::tests::*;

/// Whether this node holds the match.
fn holds(store: &TestStore, id: &MatchId) -> bool {
    store.holding(id) == Holding::Here
}

async fn connect(database: &TestDatabase) -> PgConnection {
    PgConnection::connect(&database.text()).await.unwrap()
}

async fn open_store(database: &TestDatabase) -> DatabaseStore {
    let DatabaseAddress::Postgres(url) = database.address() else { panic!("it is PostgreSQL") };
    let store = DatabaseStore::open_server(&url, 0, StoreMetrics::default()).await.unwrap();
    store.serve(store.now().ms()).await.unwrap();
    store
}

#[tokio::test]
async fn every_statement_can_be_prepared() {
    let database = TestDatabase::postgres().await;
    database.open(0).await.close().await;
    let mut db = connect(&database).await;
    for sql in postgres::statements().into_iter().chain(queries::statements(Dialect::Postgres)) {
        db.prepare(AssertSqlSafe(sql.to_owned()).into_sql_str())
            .await
            .unwrap_or_else(|e| panic!("{sql}: {e}"));
    }
    let types = reading_types();
    for sql in queries::reading_statements(Dialect::Postgres) {
        let sql = AssertSqlSafe(sql.to_owned()).into_sql_str();
        let text = sql.as_str().to_owned();
        db.prepare_with(
            sql,
            if text.contains("LIMIT $2") && !text.contains("wake_ms") { &types } else { &[] },
        )
        .await
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    }
}

/// Of the parameters of lists, some of which a list does not use.
fn reading_types() -> [PgTypeInfo; 7] {
    ["TEXT", "INT8", "TEXT", "TEXT", "TEXT", "BOOL", "BOOL"].map(PgTypeInfo::with_name)
}

/// With a plan that does not depend on the values, and even if the tables are empty.
#[tokio::test]
async fn reads_use_indexes_only() {
    let database = TestDatabase::postgres().await;
    database.open(0).await.close().await;
    let mut db = connect(&database).await;
    let settings =
        "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; SET enable_bitmapscan = off";
    db.execute(sqlx::raw_sql(settings)).await.unwrap();
    for (n, sql) in queries::reading_statements(Dialect::Postgres).into_iter().enumerate() {
        let is_list = sql.contains("LIMIT $2") && !sql.contains("wake_ms");
        let (types, values) = match sql {
            _ if is_list => (
                "(text, bigint, text, text, text, bool, bool, bool)",
                "'~', 9, 'go', 'over', 'ann', NULL, false, true",
            ),
            _ if sql.contains("LIMIT $3") && sql.contains("$5") => ("", "'0', '~', 9, 'ann', 'go'"),
            _ if sql.contains("LIMIT $3") => ("", "'0', '~', 9, 'go'"),
            _ if sql.contains("FROM ratings r") && sql.contains("$6") => ("", "'x', 9, 'x', 0, 9, 'bot'"),
            _ if sql.contains("FROM ratings r") => ("", "'x', 9, 'x', 0, 9"),
            _ if sql.contains("FROM versus") => ("", "'x', 'x', 9, 'x', 9"),
            _ if sql.contains("LIMIT $2") => ("", "9, 9"),
            _ if sql.contains("$2") => ("", "'x', 9"),
            _ => ("", "'x'"),
        };
        let prepare = format!("PREPARE s{n} {types} AS {sql}");
        db.execute(sqlx::raw_sql(AssertSqlSafe(prepare))).await.unwrap();
        let explain = AssertSqlSafe(format!("EXPLAIN EXECUTE s{n} ({values})"));
        let plan: Vec<String> =
            db.fetch_all(sqlx::raw_sql(explain)).await.unwrap().iter().map(|row| row.get(0)).collect();
        assert!(!plan.is_empty());
        if sql.contains("r.kind = $6") {
            assert!(plan.iter().any(|step| step.contains("ratings_board_kind")), "{sql}: {plan:?}");
        }
        if sql.contains("h.program") {
            let counts =
                plan.iter().filter(|step| step.contains("Index Only Scan using rating_history_program"));
            assert_eq!(counts.count(), 1, "{sql}: {plan:?}");
        }
        for step in plan {
            // The lists of the operator, and of a player's own matches, filter what one index returns.
            let bad = ["Seq Scan", "Sort"].iter().any(|how| step.contains(how));
            assert!(!bad, "{sql}: {step}");
        }
    }
}

#[tokio::test]
async fn database_that_is_not_ours_is_refused() {
    let refusal = async |database: &TestDatabase| database.try_open(0).await.err().unwrap().to_string();
    let foreign = TestDatabase::postgres().await;
    connect(&foreign).await.execute("CREATE TABLE recipes (text TEXT)").await.unwrap();
    let text = refusal(&foreign).await;
    assert!(text.contains("belongs to another program"), "{text}");

    let newer = TestDatabase::postgres().await;
    newer.open(0).await.close().await;
    connect(&newer).await.execute("UPDATE kibitz_schema SET version = 1000").await.unwrap();
    let text = refusal(&newer).await;
    assert!(text.contains("newer version of this program"), "{text}");

    for (url, reason) in [
        ("postgres://ann:sesame@127.0.0.1:1/kibitz", "cannot be reached"),
        ("postgres://ann:sesame@127.0.0.1:many/kibitz", "the URL is wrong"),
    ] {
        let text = refusal(&TestDatabase::at(url)).await;
        assert!(text.contains(reason) && !text.contains("sesame"), "{text}");
    }
}

#[tokio::test]
async fn events_are_only_added_and_go_with_their_match() {
    let database = TestDatabase::postgres().await;
    let store = database.open(0).await;
    let (running, over) = (create_match(&store).await, create_match(&store).await);
    store.append(last(&over, 1)).await.unwrap();
    create_match(&store).await;
    let mut db = connect(&database).await;
    for sql in [
        "UPDATE events SET body = '{}'".to_owned(),
        "DELETE FROM events".to_owned(),
        "TRUNCATE events".to_owned(),
        format!("DELETE FROM matches WHERE id = '{running}'"),
    ] {
        let refused = db.execute(sqlx::raw_sql(AssertSqlSafe(sql.clone()))).await;
        assert!(refused.is_err(), "{sql}");
    }
    let whole = StoreChange::DeleteMatches { ended_before_ms: 10, most: 9 };
    assert_eq!(store.change(whole).await, Ok(1));
    assert_eq!(store.log(over, 0).await.unwrap(), []);
    assert_eq!(store.log(running, 0).await.unwrap().len(), 1);
}

/// The database's own time, not that of the nodes' machines.
#[tokio::test]
async fn nodes_agree_on_the_databases_time() {
    let database = TestDatabase::postgres().await;
    let [one, other] = [open_store(&database).await, open_store(&database).await];
    let mut db = connect(&database).await;
    for _ in 0..20 {
        let asked = std::time::Instant::now();
        let sql = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
        let theirs: i64 = sqlx::query_scalar(sql).fetch_one(&mut db).await.unwrap();
        let slack = asked.elapsed().as_millis() as i64 + 20;
        for store in [&one, &other] {
            let apart = store.now().ms() - theirs;
            assert!((-slack..=slack + asked.elapsed().as_millis() as i64).contains(&apart), "{apart} ms");
        }
    }
}

#[tokio::test]
async fn living_node_keeps_what_it_holds() {
    let database = TestDatabase::postgres().await;
    let (ours, theirs) = (database.open(0).await, database.open(0).await);
    let id = create_match(&ours).await;
    assert!(holds(&ours, &id), "its creator holds it");
    theirs.hold(id.clone());
    // Written in order, after the requests that came with it: once a second match of the other node is stored, so is its
    // attempt to hold the first one.
    create_match(&theirs).await;
    create_match(&theirs).await;
    assert!(holds(&ours, &id) && !holds(&theirs, &id));
    ours.release(id.clone(), Some(7));
    create_match(&ours).await;
    create_match(&ours).await;
    assert_eq!(theirs.due(7, 10).await.unwrap(), std::slice::from_ref(&id));
    theirs.hold(id.clone());
    poll_until(async || holds(&theirs, &id).then_some(())).await;
    assert!(!holds(&ours, &id));
    assert_eq!(theirs.take_unheld_since(&id), None, "it was released in order");
}

/// A node whose lease has expired, as if its process had been stopped, joins again, and its writes are decided anew.
#[tokio::test]
async fn node_that_lost_its_lease_notices_and_joins_again() {
    let database = TestDatabase::postgres().await;
    let (zombie, other) = (database.open(0).await, database.open(0).await);
    let id = create_match(&zombie).await;
    let mut db = connect(&database).await;
    let sql = format!("UPDATE nodes SET expires_at = clock_timestamp() WHERE id = '{}'", zombie.node());
    db.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.unwrap();
    let due = poll_until(async || {
        other.heartbeat(other.now().ms());
        let due = other.due(other.now().ms(), 10).await.unwrap();
        (!due.is_empty() || zombie.take_unheld_since(&id).is_some()).then_some(due)
    })
    .await;
    // The zombie may have been quicker to join again than the other one to notice.
    if due.contains(&id) {
        other.hold(id.clone());
    }
    other.append(next(&id, 1)).await.unwrap();
    assert_eq!(zombie.append(next(&id, 1)).await, Err(StoreError::Conflict), "it is catch_panic");
    zombie.append(next(&id, 2)).await.unwrap();
    poll_until(async || (holds(&zombie, &id) != holds(&other, &id)).then_some(())).await;
    assert_eq!(zombie.log(id, 0).await.unwrap().len(), 3);
}

/// Cuts the writers' connections again and again while many append: each append is written once, and what is reported is
/// true.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_lose_and_double_nothing() {
    let database = TestDatabase::postgres().await;
    let store = database.open(0).await;
    let cut = async |db: &mut PgConnection| {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        db.execute(sql).await.unwrap();
    };
    // Refusals come at once: callers that never waited would keep the store's own tasks from running.
    let pause = || tokio::time::sleep(Duration::from_millis(1));
    let play = |store: Arc<TestStore>| async move {
        let id = loop {
            let id = MatchId::fresh();
            if store.append(first(&id)).await.is_ok() {
                break id;
            }
            pause().await;
        };
        let (mut written, mut unknown) = (0, 0);
        for seq in 1..=150 {
            match store.append(next(&id, seq)).await {
                Ok(_) => written += 1,
                // It may be written: the caller looks.
                Err(StoreError::Unavailable(_)) => {
                    unknown += 1;
                    loop {
                        let there = store.log(id.clone(), seq).await;
                        let written = there.is_ok_and(|there| !there.is_empty());
                        if written || store.append(next(&id, seq)).await.is_ok() {
                            break;
                        }
                        pause().await;
                    }
                }
                Err(refused) => panic!("{id} {seq}: {refused}, although no other node writes to it"),
            }
        }
        let log = loop {
            if let Ok(log) = store.log(id.clone(), 0).await {
                break log;
            }
            pause().await;
        };
        let right =
            log.iter().skip(1).zip(1..).all(|(stored, seq)| *stored == event(&format!("moved {seq}")));
        assert!(right && log.len() == 151, "{log:?}");
        (written, unknown)
    };
    let players: Vec<_> = (0..20).map(|_| tokio::spawn(play(Arc::clone(&store)))).collect();
    let mut db = connect(&database).await;
    while !players.iter().all(tokio::task::JoinHandle::is_finished) {
        cut(&mut db).await;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    let mut known = 0;
    for player in join_all(players).await {
        let (written, unknown) = player.unwrap();
        known += written;
        assert_eq!(written + unknown, 150);
    }
    assert!(known > 20 * 150 / 2, "most outcomes can be known: {known}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn database_that_is_away_is_reported_and_comes_back() {
    let mut server = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap();
    let database = TestDatabase::at(&server.create());
    let store = open_store(&database).await;
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    tokio::task::block_in_place(|| server.kill());
    let down = tokio::time::timeout(HANG, store.append(next(&id, 1))).await.expect("the answer comes soon");
    assert!(matches!(&down, Err(StoreError::Unavailable(_))), "{down:?}");
    let why = store.ready().unwrap_err();
    assert!(why.contains("cannot be reached"), "{why}");
    assert!(store.log(id.clone(), 0).await.is_err(), "reads fail at once");
    assert_eq!(store.downtimes(0).last().unwrap().1, Millis::MAX, "clocks are paused");
    tokio::task::block_in_place(|| server.begin());
    poll_until(async || store.ready().is_ok().then_some(())).await;
    let (from, to) = *store.downtimes(0).last().unwrap();
    assert!(from < to && to < Millis::MAX);
    let log = poll_until(async || store.log(id.clone(), 0).await.ok()).await;
    assert_eq!(log.len(), 1, "what was refused was not written");
    store.append(next(&id, 1)).await.unwrap();
}
