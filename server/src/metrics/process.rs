//! The metrics of the process, with the names that all programs of Prometheus give them. The system is asked when they are read.

use std::fmt::{Debug, Error};
use std::time::SystemTime;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// Reads the metrics of this process.
#[derive(Debug)]
pub(super) struct ProcessCollector {
    /// When the process started, as far as this server knows, in seconds of Unix time.
    started: f64,
}

impl Default for ProcessCollector {
    fn default() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { started: since.as_secs_f64() }
    }
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), Error> {
        let mut put = |name: &str, help: &str, unit: Option<&Unit>, value: &dyn EncodeMetric| {
            let metric = encoder.encode_descriptor(name, help, unit, value.metric_type())?;
            value.encode(metric)
        };
        let (seconds, bytes) = (Some(&Unit::Seconds), Some(&Unit::Bytes));
        let started = ConstGauge::new(self.started);
        put("process_start_time", "Start of the process, in Unix time.", seconds, &started)?;
        let Some(now) = ProcessReading::now() else { return Ok(()) };
        let cpu = ConstCounter::new(now.cpu_seconds);
        put("process_cpu", "Processor time of the process, of the user and of the system.", seconds, &cpu)?;
        let mut gauge = |name: &str, help: &str, unit: Option<&Unit>, value: u64| {
            put(name, help, unit, &ConstGauge::new(i64::try_from(value).unwrap_or(i64::MAX)))
        };
        gauge("process_resident_memory", "Memory that the process occupies.", bytes, now.resident)?;
        gauge("process_virtual_memory", "Addresses that the process has reserved.", bytes, now.reserved)?;
        gauge("process_threads", "Threads of the process.", None, now.threads)?;
        gauge("process_open_fds", "Files and sockets that the process has open.", None, now.open_files)?;
        match now.most_files {
            Some(most) => gauge("process_max_fds", "The most that it may have open.", None, most),
            None => Ok(()),
        }
    }
}

/// What the system says of this process.
struct ProcessReading {
    cpu_seconds: f64,
    /// In bytes.
    resident: u64,
    /// In bytes.
    reserved: u64,
    threads: u64,
    open_files: u64,
    /// `None`: any number.
    most_files: Option<u64>,
}

impl ProcessReading {
    /// The reading now; `None`: the system does not say.
    #[cfg(target_os = "linux")]
    fn now() -> Option<Self> {
        use procfs::process::{LimitValue, Process};
        let process = Process::myself().ok()?;
        let stat = process.stat().ok()?;
        let most_files = match process.limits().ok()?.max_open_files.soft_limit {
            LimitValue::Value(most) => Some(most),
            LimitValue::Unlimited => None,
        };
        Some(Self {
            cpu_seconds: (stat.utime + stat.stime) as f64 / procfs::ticks_per_second() as f64,
            resident: stat.rss.saturating_mul(procfs::page_size()),
            reserved: stat.vsize,
            threads: u64::try_from(stat.num_threads).unwrap_or_default(),
            open_files: process.fd_count().ok()? as u64,
            most_files,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn now() -> Option<Self> {
        None
    }
}
