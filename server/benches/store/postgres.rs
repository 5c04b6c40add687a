//! The appends on PostgreSQL: one, two and three nodes in this process, each beside as many bare loops of the same inserts,
//! in turns on the same server, which waits for the disk.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz::domain::MatchId;
use kibitz::metrics::StoreMetrics;
use kibitz::store::{DatabaseAddress, Store, open};
use kibitz_test_support::PrivatePostgres;
use sqlx::{Connection, PgConnection};

use crate::{AT_MS, BODY, EVENTS, GAME, MATCHES, ROUND, ROUNDS, common, through_the_store};

pub(crate) async fn appends() {
    let given = std::env::var("KIBITZ_BENCH_POSTGRES").ok();
    let server = given.is_none().then(|| PrivatePostgres::start_with(&[]));
    for nodes in 1..=3 {
        let url = match (&given, &server) {
            (Some(url), _) => format!("{url}_{nodes}"),
            (None, Some(server)) => server.create(),
            (None, None) => return,
        };
        measure(&url, nodes).await;
    }
}

async fn measure(url: &str, nodes: usize) {
    let Ok(address) = url.parse::<DatabaseAddress>();
    let mut stores: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..nodes {
        let opened = open(&address, 0, StoreMetrics::default()).await.expect("the database opens");
        opened.store.serve(opened.now.ms()).await.expect("it can be written");
        stores.push(opened.store);
    }
    let mut loops = Vec::new();
    for n in 0..nodes {
        loops.push(BareLoop::open(url, n).await);
    }
    let (mut rates, mut times) = ([Vec::new(), Vec::new()], Vec::new());
    let mut costs = Costs::new(url).await;
    for _ in 0..ROUNDS {
        costs.begin().await;
        let began = Instant::now();
        let playing: Vec<_> = stores
            .iter()
            .map(|store| {
                let store = Arc::clone(store);
                tokio::spawn(async move {
                    let mut times = Vec::new();
                    through_the_store(&store, &mut times).await;
                    times
                })
            })
            .collect();
        let mut round = Vec::new();
        for node in playing {
            round.extend(node.await.expect("it plays to the end"));
        }
        rates[0].push(round.len() as f64 / began.elapsed().as_secs_f64());
        times.append(&mut round);
        costs.end().await;
        let bare: Vec<_> = loops.drain(..).map(|bare| tokio::spawn(bare.round())).collect();
        let mut sum = 0.0;
        for bare in bare {
            let (bare, rate) = bare.await.expect("it loops to the end");
            loops.push(bare);
            sum += rate;
        }
        rates[1].push(sum);
    }
    let [store, bare] = rates.map(|mut rates| {
        rates.sort_unstable_by(f64::total_cmp);
        common::quantile(&rates, 0.5)
    });
    times.sort_unstable();
    let [p50, p99] = [0.5, 0.99].map(|q| common::quantile(&times, q));
    println!(
        "PostgreSQL, {nodes} nodes: store {store:.0}/s, bare loops {bare:.0}/s: ratio {:.2}; an append: p50 {p50:.1?}, \
         p99 {p99:.1?}",
        store / bare
    );
    let count = times.len() as f64;
    println!(
        "  an append: {:.1} us of the nodes' processor time, {:.1} us of the database's, {:.0} bytes of its log",
        costs.own_s * 1e6 / count,
        costs.database_s * 1e6 / count,
        costs.log / count
    );
    for store in stores {
        store.close().await;
    }
}

/// The costs of the appends so far.
struct Costs {
    db: PgConnection,
    /// Processor time of this process.
    own_s: f64,
    /// Processor time of the database's processes that serve this process.
    database_s: f64,
    /// Bytes of the write-ahead log.
    log: f64,
}

impl Costs {
    async fn new(url: &str) -> Self {
        let db = PgConnection::connect(url).await.expect("the database answers");
        Self { db, own_s: 0.0, database_s: 0.0, log: 0.0 }
    }

    async fn begin(&mut self) {
        let (own_s, database_s, log) = self.now().await;
        (self.own_s, self.database_s, self.log) =
            (self.own_s - own_s, self.database_s - database_s, self.log - log);
    }

    async fn end(&mut self) {
        let (own_s, database_s, log) = self.now().await;
        (self.own_s, self.database_s, self.log) =
            (self.own_s + own_s, self.database_s + database_s, self.log + log);
    }

    async fn now(&mut self) -> (f64, f64, f64) {
        let serving =
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let pids: Vec<i32> = sqlx::query_scalar(serving).fetch_all(&mut self.db).await.expect("it tells");
        let written = "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8";
        let log: f64 = sqlx::query_scalar(written).fetch_one(&mut self.db).await.expect("it tells");
        (common::cpu_s(), pids.iter().map(|pid| common::cpu_of(pid.cast_unsigned())).sum(), log)
    }
}

/// The same inserts into the same tables, without checks for conflicts and without waiting callers.
struct BareLoop {
    db: PgConnection,
    matches: Vec<(i64, i32)>,
    next: i64,
}

impl BareLoop {
    async fn open(url: &str, n: usize) -> Self {
        let first = 1_000_000_000 * (n as i64 + 1);
        let matches = (0..MATCHES as i64).map(|i| (first + i, 0)).collect();
        let db = PgConnection::connect(url).await.expect("the database answers");
        Self { db, matches, next: first + MATCHES as i64 }
    }

    /// Inserts per second.
    async fn round(mut self) -> (Self, f64) {
        let (began, mut count) = (Instant::now(), 0);
        while began.elapsed() < ROUND {
            count += self.batch().await.expect("it is written");
        }
        let rate = f64::from(count) / began.elapsed().max(Duration::from_millis(1)).as_secs_f64();
        (self, rate)
    }

    async fn batch(&mut self) -> Result<i32, sqlx::Error> {
        let begins: Vec<i64> = self.matches.iter().filter(|(_, seq)| *seq == 0).map(|(nr, _)| *nr).collect();
        let last = EVENTS.cast_signed() - 1;
        let ends: Vec<i64> = self.matches.iter().filter(|(_, seq)| *seq == last).map(|(nr, _)| *nr).collect();
        let (numbers, seqs): (Vec<i64>, Vec<i32>) = self.matches.iter().copied().unzip();
        let events = "INSERT INTO events (match_nr, seq, at_ms, body)
            SELECT nr, seq, at_ms, body
            FROM unnest($1::bigint[], $2::int[], $3::bigint[], $4::text[]) AS e (nr, seq, at_ms, body)";
        let events =
            sqlx::query(events).bind(numbers).bind(seqs).bind(vec![AT_MS; MATCHES]).bind(vec![BODY; MATCHES]);
        if begins.is_empty() && ends.is_empty() {
            events.execute(&mut self.db).await?;
        } else {
            let mut tx = self.db.begin().await?;
            let ids: Vec<String> = begins.iter().map(|_| MatchId::fresh().as_str().to_owned()).collect();
            let rows = "INSERT INTO matches (nr, id, game, stage, private, created_ms, summary, players)
                SELECT nr, id, $3, 'running', false, $4, '{}', '[]'
                FROM unnest($1::bigint[], $2::text[]) AS r (nr, id)";
            sqlx::query(rows).bind(begins).bind(ids).bind(GAME).bind(AT_MS).execute(&mut *tx).await?;
            let over = "UPDATE matches SET stage = 'over' WHERE nr = ANY ($1)";
            sqlx::query(over).bind(ends).execute(&mut *tx).await?;
            events.execute(&mut *tx).await?;
            tx.commit().await?;
        }
        for (nr, seq) in &mut self.matches {
            *seq += 1;
            if *seq > last {
                (*nr, *seq) = (self.next, 0);
                self.next += 1;
            }
        }
        Ok(MATCHES as i32)
    }
}
