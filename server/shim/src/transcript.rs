//! The dialogue so far as text, one marked line each. Pure: knows no game, no socket and no clock.

/// The marks of the transcript's lines.
const READ: char = '<';
const PRINTED: char = '>';
const REMARK: char = '#';
const END: &str = ".";

/// The one remark of a server that belongs to the dialogue.
const TURN: &str = "# turn ";

/// What was read from the referee and printed to it, in order. It is the whole session: from it alone any
/// server goes on with the dialogue.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Marked lines, each ended by a line break.
    text: String,
    ended: bool,
    /// Whether the bot is the one that talks to the server through us, and not the referee.
    of_bot: bool,
}

impl Transcript {
    /// One in which the server is the referee.
    pub fn of_bot() -> Self {
        Self { of_bot: true, ..Self::default() }
    }

    /// Notes a remark that belongs to the dialogue.
    pub fn remark(&mut self, text: &str) {
        self.push(REMARK, text);
    }

    /// Notes the end of the input of a bot, which may get another one.
    pub fn input_ended(&mut self) {
        self.text.push_str(END);
        self.text.push('\n');
    }

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
            self.input_ended();
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
        lines.filter(|line| !self.is_theirs(line)).collect::<Vec<_>>().join("\n")
    }

    /// Whether this line came from the server.
    fn is_theirs(&self, line: &str) -> bool {
        match self.of_bot {
            true => line.starts_with(READ) || line == END || line.starts_with(TURN),
            false => line.starts_with(PRINTED),
        }
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
    /// For people only, or for whoever runs the bot.
    Remark(&'a str),
    /// To be read by the bot.
    Read(&'a str),
    /// The bot's input ends here.
    End,
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
            READ => Some(Said::Read(rest)),
            _ if line == END => Some(Said::End),
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
    fn a_bot_tells_its_referee_what_it_printed() {
        let mut transcript = Transcript::of_bot();
        transcript.remark("turn 0 9000");
        transcript.read("30000");
        transcript.input_ended();
        transcript.printed("1 g 2");
        transcript.remark("ended exit status: 0");
        assert_eq!(transcript.news_since(0), "> 1 g 2\n# ended exit status: 0");
        assert_eq!(transcript.whole(), "# turn 0 9000\n< 30000\n.\n> 1 g 2\n# ended exit status: 0");
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
        let lines: Vec<_> = said("> 3 b 2\n# depth 9\n>\n? later\n\n>  x\n<  y\n.\n..").collect();
        let printed = [Said::Print("3 b 2"), Said::Remark("depth 9"), Said::Print(""), Said::Print(" x")];
        assert_eq!(lines[..4], printed);
        assert_eq!(lines[4..], [Said::Read(" y"), Said::End]);
    }
}
