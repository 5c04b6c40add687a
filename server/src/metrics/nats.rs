//! The metrics of the connections to NATS. The client of NATS counts; it is asked when they are read.

use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, PoisonError};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, MetricEncoder};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// The counts of a connection since the start of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct NatsReading {
    /// Whether it is connected now.
    pub connected: bool,
    /// How often it was connected.
    pub connects: u64,
    /// Messages received and sent.
    pub messages: [u64; 2],
    /// Bytes received and sent, without those of the protocol.
    pub bytes: [u64; 2],
}

type Read = Box<dyn Fn() -> NatsReading + Send + Sync>;

/// The connections of this process, each with its purpose.
#[derive(Clone, Default)]
pub(super) struct NatsCollector(Arc<Mutex<Vec<(&'static str, Read)>>>);

impl Debug for NatsCollector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NatsCollector")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PurposeLabel {
    purpose: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DirectionLabels {
    purpose: &'static str,
    direction: &'static str,
}

/// The directions of messages, as [`NatsReading`] has them.
const DIRECTIONS: [&str; 2] = ["in", "out"];

impl NatsCollector {
    /// Adds a connection.
    pub(super) fn add(&self, purpose: &'static str, read: Read) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((purpose, read));
    }

    fn read(&self) -> Vec<(&'static str, NatsReading)> {
        let connections = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().map(|(purpose, read)| (*purpose, read())).collect()
    }
}

impl Collector for NatsCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let now = self.read();
        if now.is_empty() {
            return Ok(());
        }
        let up = encoder.encode_descriptor(
            "nats_connected",
            "Whether the connection to NATS works, by its purpose: 1 or 0.",
            None,
            MetricType::Gauge,
        )?;
        by_purpose(up, &now, |now| ConstGauge::new(i64::from(now.connected)))?;
        let connects = encoder.encode_descriptor(
            "nats_connects",
            "Times in which a connection to NATS was made.",
            None,
            MetricType::Counter,
        )?;
        by_purpose(connects, &now, |now| ConstCounter::new(now.connects))?;
        let messages = encoder.encode_descriptor(
            "nats_messages",
            "Messages through NATS.",
            None,
            MetricType::Counter,
        )?;
        by_direction(messages, &now, |now| now.messages)?;
        let bytes =
            encoder.encode_descriptor("nats_bytes", "Bytes through NATS.", None, MetricType::Counter)?;
        by_direction(bytes, &now, |now| now.bytes)
    }
}

fn by_purpose<M: EncodeMetric>(
    mut family: MetricEncoder<'_>,
    now: &[(&'static str, NatsReading)],
    value: impl Fn(&NatsReading) -> M,
) -> Result<(), fmt::Error> {
    now.iter().try_for_each(|(purpose, now)| {
        let label = PurposeLabel { purpose };
        value(now).encode(family.encode_family(&label)?)
    })
}

fn by_direction(
    mut family: MetricEncoder<'_>,
    now: &[(&'static str, NatsReading)],
    values: impl Fn(&NatsReading) -> [u64; 2],
) -> Result<(), fmt::Error> {
    now.iter().try_for_each(|(purpose, now)| {
        DIRECTIONS.iter().zip(values(now)).try_for_each(|(direction, value)| {
            let labels = DirectionLabels { purpose, direction };
            ConstCounter::new(value).encode(family.encode_family(&labels)?)
        })
    })
}
