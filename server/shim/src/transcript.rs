//! The dialogue so far as text, one marked line each. Pure: knows no game, no socket and no clock.

/// The marks of the transcript's lines.
const READ: char = '<';
const PRINTED: char = '>';
const REMARK: char = '#';
const END: &str = ".";

/// What was read from the referee and printed to it, in order. It is the whole session: from it alone any
/// server goes on with the dialogue.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Marked lines, each ended by a line break.
    text: String,
    ended: bool,
}

impl Transcript {
    /// Notes a line that the referee wrote.
    pub fn read(&mut self, line: &str) {
        self.push(READ, line);
    }

    /// Notes a line that was printed to the referee.
    pub fn printed(&mut self, line: &str) {
        self.push(PRINTED, line);
    }

    /// Notes the end of input.
    pub fn end(&mut self) {
        if !self.ended {
            self.ended = true;
            self.text.push_str(END);
            self.text.push('\n');
        }
    }

    /// Bytes of text so far; also the place up to which somebody knows it.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Everything, for a server that knows nothing of this dialogue yet.
    pub fn whole(&self) -> &str {
        self.text.trim_end_matches('\n')
    }

    /// What came after the first `from` bytes and did not come from the server itself.
    pub fn news_since(&self, from: usize) -> String {
        let lines = self.text.get(from..).unwrap_or_default().lines();
        lines.filter(|line| !line.starts_with(PRINTED)).collect::<Vec<_>>().join("\n")
    }

    /// What came after the first `from` bytes.
    #[cfg(feature = "embedded")]
    pub fn since(&self, from: usize) -> &str {
        self.text.get(from..).unwrap_or_default()
    }

    /// What was printed before anything was read: what a server says to a dialogue that only begins.
    pub fn opening(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map_while(|line| line.strip_prefix("> "))
    }

    fn push(&mut self, mark: char, line: &str) {
        self.text.push(mark);
        self.text.push(' ');
        self.text.push_str(line);
        self.text.push('\n');
    }
}

/// One line of a server's message.
#[derive(Debug, PartialEq, Eq)]
pub enum Said<'a> {
    /// To be printed to the referee.
    Print(&'a str),
    /// For people only.
    Remark(&'a str),
}

/// The lines of a server's message. Unknown marks are passed over, so that a newer server may use more.
pub fn said(message: &str) -> impl Iterator<Item = Said<'_>> {
    message.split('\n').filter_map(|line| {
        let mut rest = line.chars();
        let mark = rest.next()?;
        let rest = rest.as_str();
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match mark {
            PRINTED => Some(Said::Print(rest)),
            REMARK => Some(Said::Remark(rest)),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Transcript {
        let mut transcript = Transcript::default();
        transcript.read("30000");
        transcript.printed("1 g 2");
        transcript.read("");
        transcript.end();
        transcript.end();
        transcript
    }

    #[test]
    fn the_whole_keeps_order_and_ends_once() {
        assert_eq!(Transcript::default().whole(), "");
        assert_eq!(example().whole(), "< 30000\n> 1 g 2\n< \n.");
    }

    #[test]
    fn news_leave_out_what_the_server_said() {
        let transcript = example();
        assert_eq!(transcript.news_since(0), "< 30000\n< \n.");
        assert_eq!(transcript.news_since("< 30000\n".len()), "< \n.");
        assert_eq!(transcript.news_since(transcript.len()), "");
    }

    #[test]
    fn the_opening_ends_where_something_is_read() {
        let mut transcript = Transcript::default();
        transcript.printed("state");
        assert_eq!(transcript.opening().collect::<Vec<_>>(), ["state"]);
        transcript.read("30000");
        transcript.printed("1 g 2");
        assert_eq!(transcript.opening().collect::<Vec<_>>(), ["state"]);
        assert_eq!(example().opening().count(), 0);
    }

    #[test]
    fn a_message_is_read_line_by_line() {
        let lines: Vec<_> = said("> 3 b 2\n# depth 9\n>\n? later\n\n>  x").collect();
        let expected = [Said::Print("3 b 2"), Said::Remark("depth 9"), Said::Print(""), Said::Print(" x")];
        assert_eq!(lines, expected);
    }
}
