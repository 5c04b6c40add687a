//! Reads what `node buraco.js -d` prints: `Enviando para ID: LINE` for each line that a bot reads, `Recebido de ID: LINE` for
//! each that it printed, and sentences for people between them, some of which tell the mistake of a bot.

use super::super::super::Buraco;
use crate::game::RecordedMatch;
use crate::harness_file::{BotDialogue, DialogueFault, HarnessFile, HarnessFileError, HarnessFormat};
use crate::protocol::Entry;

/// What the referee prints with `-d`.
pub(in super::super::super) const LOG: HarnessFormat<Buraco> =
    HarnessFormat { name: "the output of `node buraco.js -d`", detect, read };

const SENT: &str = "Enviando para ";
const RECEIVED: &str = "Recebido de ";
/// Begins such lines in later versions of the referee.
const DEBUG: &str = "DEBUG:";
/// What the referee prints as the line of a bot that has ended.
const ENDED: [&str; 3] = ["undefined", "EXEC_ERROR", "FINISHED"];
/// The kinds of mistakes, as the referee names them after the bot's id.
const MISTAKES: [&str; 7] = [
    "Configuração inválida.",
    "Ação inválida.",
    "Formato de mensagem inválido.",
    "Carta inválida.",
    "Sequência de cartas inválida.",
    "Jogo inválido.",
    "Arquivo inválido.",
];
/// How the referee tells that a bot was too slow, or has ended.
const LOST: [&str; 2] = ["não enviou dados no tempo", "teve problemas técnicos"];

fn detect(text: &str) -> bool {
    text.lines().take(200).any(|line| message(&plain(line)).is_some())
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Buraco>>, HarnessFileError> {
    let mut bots: Vec<BotDialogue> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = plain(line);
        let Some((sent, rest)) = message(&line) else {
            note_mistake(&mut bots, &line);
            continue;
        };
        let wrong = |what: &str| HarnessFileError::new(number + 1, 1, what);
        let (id, said) =
            rest.split_once(':').ok_or_else(|| wrong("after the id of the bot a ':' is missing"))?;
        let said = said.strip_prefix(' ').unwrap_or(said);
        let at = match bots.iter().position(|bot| bot.name == id) {
            Some(at) => at,
            None if sent => {
                bots.push(BotDialogue { name: id.to_owned(), ..BotDialogue::default() });
                bots.len() - 1
            }
            None => {
                return Err(wrong(
                    "this bot printed a line before it had read one: the beginning is missing",
                ));
            }
        };
        match sent {
            true => bots[at].entries.push(Entry::Read(said.to_owned())),
            false if ENDED.contains(&said) => note(&mut bots[at], false, "the program ended"),
            false => bots[at].entries.push(Entry::Printed(said.to_owned())),
        }
    }
    Ok(HarnessFile::Dialogues(bots))
}

/// Whether a line was sent to a bot (or came from one), and what follows those words.
fn message(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    let line = line.strip_prefix(DEBUG).map_or(line, str::trim_start);
    let sent = line.strip_prefix(SENT).map(|rest| (true, rest));
    sent.or_else(|| line.strip_prefix(RECEIVED).map(|rest| (false, rest)))
}

/// Keeps the mistake of a bot, if the line tells one.
fn note_mistake(bots: &mut [BotDialogue], line: &str) {
    for bot in bots {
        let rest = line.strip_prefix("Jogador ").unwrap_or(line).trim_start().strip_prefix(&bot.name);
        let told = rest.and_then(|rest| rest.trim_start_matches(':').strip_prefix(' '));
        let Some(text) = told.map(str::trim) else { continue };
        if LOST.iter().any(|how| text.starts_with(how)) {
            note(bot, false, text);
        } else if MISTAKES.iter().any(|kind| text.starts_with(kind)) {
            note(bot, true, text);
        }
    }
}

/// Keeps the first words on a mistake: a general remark may follow.
fn note(bot: &mut BotDialogue, printed: bool, what: &str) {
    bot.fault.get_or_insert_with(|| DialogueFault { printed, what: what.to_owned() });
}

/// The line without the codes that colour it on a terminal.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').map_or("", |(_, rest)| rest))
}
