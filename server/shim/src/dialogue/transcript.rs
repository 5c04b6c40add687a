//! The transcript of a dialogue: each line with a mark in front. Pure: it knows no game, no socket and no clock.

use std::borrow::Cow;

/// The marks of lines.
const READ: char = '<';
const PRINTED: char = '>';
const REMARK: char = '#';
const END: &str = ".";

/// The only remark of a server that is part of the transcript.
const TURN: &str = "# turn ";
/// The same after the line before it.
const LAST_TURN: &str = "\n# turn ";

/// Remarks beside the dialogue: what a bot wrote to standard error and used for a move, and that some of it is left out. A
/// server that resumes a dialogue gets those of the last turn again.
const ASIDES: [&str; 3] = ["# err ", "# used ", "# cut "];

/// The lines read from the referee and printed to it, in order. Any server can continue the dialogue from the
/// transcript alone.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    /// Lines with marks, each with a line break.
    text: String,
    ended: bool,
    /// Whether the server is the referee, and the other side a bot.
    of_bot: bool,
}

impl Transcript {
    /// A transcript in which the server is the referee.
    pub(crate) fn of_bot() -> Self {
        Self { of_bot: true, ..Self::default() }
    }

    /// Adds a remark that is part of the dialogue.
    pub(crate) fn remark(&mut self, text: &str) {
        self.push(REMARK, text);
    }

    /// Adds a remark beside the dialogue; see [`ASIDES`].
    pub(crate) fn aside(&mut self, text: &str) {
        self.remark(text);
    }

    /// Adds the end of a bot's input. A bot with one process per move has several.
    pub(crate) fn input_ended(&mut self) {
        self.text.push_str(END);
        self.text.push('\n');
    }

    /// Adds a message to the server that is no part of a dialogue: a JSON object.
    pub(crate) fn message(&mut self, json: &str) {
        self.text.push_str(json);
        self.text.push('\n');
    }

    /// Adds a line from the referee.
    pub(crate) fn read(&mut self, line: &str) {
        self.push(READ, line);
    }

    /// Adds a line that was printed to the referee.
    pub(crate) fn printed(&mut self, line: &str) {
        self.push(PRINTED, line);
    }

    /// Adds the end of the referee's input, once.
    pub(crate) fn end(&mut self) {
        if !self.ended {
            self.ended = true;
            self.input_ended();
        }
    }

    /// The length in bytes. Also a position: a server knows the transcript up to such a length.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The whole text, for a server that does not know this dialogue yet. Without what lies beside the dialogue, but that of
    /// the last turn, of which the server before may not have stored all.
    pub(crate) fn whole(&self) -> Cow<'_, str> {
        let text = self.text.trim_end_matches('\n');
        let is_aside = |line: &str| self.of_bot && ASIDES.iter().any(|aside| line.starts_with(aside));
        let last_turn = self.text.rfind(LAST_TURN).filter(|_| self.of_bot).map_or(0, |at| at + 1);
        let (before, since) = text.split_at(last_turn.min(text.len()));
        if !before.lines().any(is_aside) {
            return Cow::Borrowed(text);
        }
        let kept = before.lines().filter(|line| !is_aside(line));
        Cow::Owned(kept.chain(std::iter::once(since)).collect::<Vec<_>>().join("\n"))
    }

    /// The lines after the first `from` bytes, without those that came from the server itself.
    pub(crate) fn unsent_since(&self, from: usize) -> String {
        let lines = self.text.get(from..).unwrap_or_default().lines();
        lines.filter(|line| !self.is_from_server(line)).collect::<Vec<_>>().join("\n")
    }

    /// Whether this line came from the server.
    fn is_from_server(&self, line: &str) -> bool {
        match self.of_bot {
            true => line.starts_with(READ) || line == END || line.starts_with(TURN),
            false => line.starts_with(PRINTED),
        }
    }

    /// The text after the first `from` bytes.
    #[cfg(feature = "embedded")]
    pub(crate) fn since(&self, from: usize) -> &str {
        self.text.get(from..).unwrap_or_default()
    }

    /// The lines printed before the first line was read: a server sends them at the start of a dialogue.
    pub(crate) fn opening(&self) -> impl Iterator<Item = &str> {
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
pub(crate) enum MessageLine<'a> {
    /// A line to print to the referee.
    Print(&'a str),
    /// A remark for people or for this program.
    Remark(&'a str),
    /// A line for the bot to read.
    Read(&'a str),
    /// The end of the bot's input.
    End,
}

/// The lines of a server's message. Lines with unknown marks are skipped, so that a newer server may use more marks.
pub(crate) fn message_lines(message: &str) -> impl Iterator<Item = MessageLine<'_>> {
    message.split('\n').filter_map(|line| {
        let mut rest = line.chars();
        let mark = rest.next()?;
        let rest = rest.as_str();
        let rest = rest.strip_prefix(' ').unwrap_or(rest);
        match mark {
            PRINTED => Some(MessageLine::Print(rest)),
            REMARK => Some(MessageLine::Remark(rest)),
            READ => Some(MessageLine::Read(rest)),
            _ if line == END => Some(MessageLine::End),
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
    fn whole_text_is_in_order_and_ends_once() {
        assert_eq!(Transcript::default().whole(), "");
        assert_eq!(example().whole(), "< 30000\n> 1 g 2\n< \n.");
    }

    #[test]
    fn unsent_part_leaves_out_lines_of_the_server() {
        let transcript = example();
        assert_eq!(transcript.unsent_since(0), "< 30000\n< \n.");
        assert_eq!(transcript.unsent_since("< 30000\n".len()), "< \n.");
        assert_eq!(transcript.unsent_since(transcript.len()), "");
    }

    #[test]
    fn unsent_part_of_a_bot_has_what_it_printed() {
        let mut transcript = Transcript::of_bot();
        transcript.remark("turn 0 9000");
        transcript.read("30000");
        transcript.input_ended();
        transcript.printed("1 g 2");
        transcript.remark("ended exit status: 0");
        assert_eq!(transcript.unsent_since(0), "> 1 g 2\n# ended exit status: 0");
        assert_eq!(transcript.whole(), "# turn 0 9000\n< 30000\n.\n> 1 g 2\n# ended exit status: 0");
    }

    #[test]
    fn whole_text_has_what_lies_beside_the_last_turn_only() {
        let mut transcript = Transcript::of_bot();
        transcript.aside("err 0 0 hello");
        for ply in [0, 2] {
            transcript.remark(&format!("turn {ply}"));
            transcript.read("30000");
            transcript.aside(&format!("err {ply} 1 # turn x"));
            transcript.printed("1 g 2");
            transcript.aside(&format!("used {ply} 10 900"));
        }
        let last = "# turn 2\n< 30000\n# err 2 1 # turn x\n> 1 g 2\n# used 2 10 900";
        assert_eq!(transcript.whole(), format!("# turn 0\n< 30000\n> 1 g 2\n{last}"));
        let unsent = "# err 0 0 hello\n# err 0 1 # turn x\n> 1 g 2\n# used 0 10 900\n# err 2 1 # turn x\n> 1 g 2\n# used 2 10 900";
        assert_eq!(transcript.unsent_since(0), unsent);
    }

    #[test]
    fn opening_ends_at_the_first_line_read() {
        let mut transcript = Transcript::default();
        transcript.printed("state");
        assert_eq!(transcript.opening().collect::<Vec<_>>(), ["state"]);
        transcript.read("30000");
        transcript.printed("1 g 2");
        assert_eq!(transcript.opening().collect::<Vec<_>>(), ["state"]);
        assert_eq!(example().opening().count(), 0);
    }

    #[test]
    fn message_is_parsed_line_by_line() {
        let lines: Vec<_> = message_lines("> 3 b 2\n# depth 9\n>\n? later\n\n>  x\n<  y\n.\n..").collect();
        let printed = [
            MessageLine::Print("3 b 2"),
            MessageLine::Remark("depth 9"),
            MessageLine::Print(""),
            MessageLine::Print(" x"),
        ];
        assert_eq!(lines[..4], printed);
        assert_eq!(lines[4..], [MessageLine::Read(" y"), MessageLine::End]);
    }
}
