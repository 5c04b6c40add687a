//! The lines of the log: as `tracing-subscriber` writes them, with the id of the request for which the code runs.

use std::fmt;

use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::domain::request_id::RequestId;
use crate::process::options::LogFormat;

/// Adds the id of the request to lines that another formatter writes. Such a line has no colours.
pub(super) struct WithRequestId<F> {
    /// Writes the rest of the line.
    pub lines: F,
    /// The format of its lines.
    pub format: LogFormat,
}

impl<S, N, F> FormatEvent<S, N> for WithRequestId<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Some(id) = RequestId::current() else { return self.lines.format_event(context, out, event) };
        let mut line = String::new();
        self.lines.format_event(context, Writer::new(&mut line), event)?;
        out.write_str(&self.extended(&line, &id))
    }
}

impl<F> WithRequestId<F> {
    /// The line with the id at its end.
    fn extended(&self, line: &str, id: &RequestId) -> String {
        let line = line.trim_end_matches('\n');
        match self.format {
            LogFormat::Plain => format!("{line} request_id={id}\n"),
            LogFormat::Json => {
                let id = serde_json::Value::from(id.as_str());
                let open = line.strip_suffix('}').unwrap_or(line);
                format!("{open},\"request_id\":{id}}}\n")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_with_the_id() {
        let id = RequestId::from("a\"b");
        let plain = WithRequestId { lines: (), format: LogFormat::Plain };
        assert_eq!(plain.extended("INFO began\n", &id), "INFO began request_id=a\"b\n");
        let json = WithRequestId { lines: (), format: LogFormat::Json };
        let line: serde_json::Value =
            serde_json::from_str(&json.extended("{\"n\":{\"m\":1}}\n", &id)).unwrap();
        assert_eq!(line, serde_json::json!({ "n": { "m": 1 }, "request_id": "a\"b" }));
    }
}
