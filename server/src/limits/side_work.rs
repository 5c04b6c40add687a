//! Processor time for what requests cost besides engines: reading long texts, drawing pictures, downloads of many matches. Each
//! address has a small bucket of it, and its work is done one piece after another. The work of all addresses uses one
//! core, on threads that serve no requests. It must not know what the work is.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dashmap::DashMap;
use tokio::sync::{Mutex, Semaphore};

use crate::error::{Code, Error};

/// How much of a second comes back in a second.
const RATE: f64 = 0.1;

/// How much processor time an address has.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct SideWorkOptions {
    /// The processor time that one address may use at once, after a rest, for pictures and long texts, in milliseconds. A tenth
    /// of a second comes back each second.
    #[arg(long, env = "KIBITZ_SIDE_WORK_MS", value_name = "MS", default_value_t = 2000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub side_work_ms: u64,
}

/// After this many addresses those with a full bucket are forgotten.
const SWEEP: usize = 4096;

/// The buckets of all addresses.
pub struct SideWork {
    addresses: DashMap<IpAddr, Arc<Mutex<Bucket>>>,
    core: Semaphore,
    /// What a full bucket holds, in seconds.
    full_s: f64,
}

/// The processor time that an address has left, in seconds; below 0: it owes some.
struct Bucket {
    left_s: f64,
    at: Instant,
}

impl Bucket {
    fn refill(&mut self, full_s: f64) {
        let now = Instant::now();
        let back_s = now.duration_since(self.at).as_secs_f64() * RATE;
        self.left_s = (self.left_s + back_s).min(full_s);
        self.at = now;
    }
}

impl SideWork {
    /// Full buckets for every address.
    pub fn new(options: SideWorkOptions) -> Self {
        let full_s = Duration::from_millis(options.side_work_ms).as_secs_f64();
        Self { addresses: DashMap::new(), core: Semaphore::new(1), full_s }
    }

    /// Does this for an address, when it is the address's turn.
    ///
    /// # Errors
    /// `too_many` if the address has used up its time; `internal` if the work panics.
    pub async fn run<T: Send + 'static>(
        &self,
        network: IpAddr,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let bucket = self.bucket(network);
        let mut bucket = bucket.lock().await;
        bucket.refill(self.full_s);
        if bucket.left_s <= 0.0 {
            let detail =
                "this address uses too much processor time for pictures and long texts (--side-work-ms)";
            let wait = Duration::from_secs_f64((0.01 - bucket.left_s) / RATE);
            return Err(Error::new(Code::TooMany, detail).retry_after(wait));
        }
        let _core = self.core.acquire().await.map_err(|_| Error::stopping())?;
        let began = Instant::now();
        let done = tokio::task::spawn_blocking(work).await;
        bucket.left_s -= began.elapsed().as_secs_f64();
        done.map_err(|e| Error::new(Code::Internal, format!("work beside the engines failed: {e}")))
    }

    /// Takes time that was spent for an address elsewhere from its bucket. Returns how long it must wait until it owes nothing.
    pub async fn pay(&self, network: IpAddr, spent: Duration) -> Duration {
        let bucket = self.bucket(network);
        let mut bucket = bucket.lock().await;
        bucket.refill(self.full_s);
        bucket.left_s -= spent.as_secs_f64();
        Duration::from_secs_f64((-bucket.left_s).max(0.0) / RATE)
    }

    fn bucket(&self, network: IpAddr) -> Arc<Mutex<Bucket>> {
        self.forget_idle();
        let full = || Arc::new(Mutex::new(Bucket { left_s: self.full_s, at: Instant::now() }));
        Arc::clone(&self.addresses.entry(network).or_insert_with(full))
    }

    /// Forgets addresses that do nothing and owe nothing, when there are many.
    fn forget_idle(&self) {
        if self.addresses.len() < SWEEP {
            return;
        }
        self.addresses.retain(|_, bucket| match bucket.try_lock() {
            Ok(mut bucket) => {
                bucket.refill(self.full_s);
                bucket.left_s < self.full_s
            }
            // It works.
            Err(_) => true,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_done_elsewhere_is_paid_by_its_address_alone() {
        let side = SideWork::new(SideWorkOptions { side_work_ms: 2000 });
        let [one, other] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        assert_eq!(side.pay(one, Duration::from_millis(1500)).await, Duration::ZERO);
        let wait = side.pay(one, Duration::from_millis(1500)).await;
        assert!(
            wait > Duration::from_secs(5) && wait <= Duration::from_secs(10),
            "a second at a tenth: {wait:?}"
        );
        assert!(side.run(one, || 7).await.is_err_and(|e: Error| e.code() == Code::TooMany));
        assert_eq!(side.pay(other, Duration::from_millis(1500)).await, Duration::ZERO);
    }

    #[tokio::test]
    async fn address_that_uses_up_its_time_waits_and_others_do_not() {
        let side = SideWork::new(SideWorkOptions { side_work_ms: 2000 });
        let [hog, other] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().unwrap());
        let (began, mut done, mut refused) = (Instant::now(), 0, None);
        while refused.is_none() {
            match side.run(hog, || std::thread::sleep(Duration::from_millis(300))).await {
                Ok(()) => done += 1,
                Err(e) => refused = Some(e),
            }
        }
        let refused = refused.unwrap();
        // The last one may begin with hardly any time left.
        let most = (2.0 + RATE * began.elapsed().as_secs_f64()) / 0.3 + 1.0;
        assert!(done >= 1 && f64::from(done) <= most, "{done} times 0.3 s, {most} are possible");
        assert_eq!(refused.code(), Code::TooMany);
        assert!(refused.comes_back_after().is_some_and(|wait| !wait.is_zero()));
        assert_eq!(side.run(other, || 7).await.unwrap(), 7);
        assert!(
            side.run(other, || panic!("on purpose")).await.is_err_and(|e: Error| e.code() == Code::Internal)
        );
        assert_eq!(side.run(other, || 8).await.unwrap(), 8);
    }
}
