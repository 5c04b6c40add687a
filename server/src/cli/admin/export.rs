//! `kibitz admin export`: writes the public matches of a month and the ratings into files that others may download: compressed JSON
//! lines, and a page that lists them. It asks a running server as anyone could, so it finds only what is public.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{DOCTYPE, html};
use serde_json::Value;
use sha2::{Digest, Sha256};
use time::{Date, Month, OffsetDateTime};

use crate::cli::console;
use crate::cli::month_list::{ExportedFile, LIST, MonthList, RATINGS, lists};
use crate::domain::token;

/// The most players that one request for a leaderboard asks for.
const PAGE: u32 = 100;

/// Settings of `kibitz admin export`.
#[derive(Clone, Debug, Args)]
pub(super) struct ExportArgs {
    /// The folder. It gets a folder for each month, and the page index.html, which lists all months in it.
    #[arg(long, value_name = "FOLDER")]
    to: PathBuf,
    /// The month, as 2026-11; may be repeated. Default: the month before this one, if it is not complete there yet, and this
    /// one so far.
    #[arg(long, value_name = "MONTH", value_parser = month)]
    month: Vec<String>,
}

/// A month, written as 2026-11.
fn month(text: &str) -> Result<String, String> {
    let wrong = || "must be a year and a month, as 2026-11".to_owned();
    let (year, month) = text.split_once('-').filter(|_| text.len() == 7).ok_or_else(wrong)?;
    let month = month.parse::<u8>().ok().and_then(|month| Month::try_from(month).ok());
    let date = year.parse().ok().zip(month).map(|(year, month)| Date::from_calendar_date(year, month, 1));
    date.and_then(Result::ok).map(|_| text.to_owned()).ok_or_else(wrong)
}

/// Writes the files; prints a line for each month.
pub(super) fn run(server: &str, args: &ExportArgs) -> Result<(), String> {
    let source = Source::new(server);
    let now = today()?;
    let this = name_of(now);
    let months = if args.month.is_empty() { due(&args.to, now)? } else { args.month.clone() };
    let games = source.games()?;
    for month in months {
        let folder = args.to.join(&month);
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut list = MonthList { complete: month < this, month, files: Vec::new() };
        for game in &games {
            let path = format!("/v1/games/{game}/records?month={}", list.month);
            let name = format!("{game}.ndjson.gz");
            let written = write(&folder, &name, |out| copy_lines(source.stream(&path)?, out))?;
            list.files.push(ExportedFile { game: Some(game.clone()), ..written });
        }
        if list.month == this {
            list.files.push(write(&folder, RATINGS, |out| source.ratings(&games, out))?);
        } else {
            // Ratings are those of the day on which they are asked for: the last ones of a month stay.
            list.files.extend(kept(&folder, RATINGS));
        }
        let matches: u64 = list.files.iter().filter(|file| file.game.is_some()).map(|file| file.lines).sum();
        let text = serde_json::to_string_pretty(&list).map_err(|e| e.to_string())?;
        replace(&folder, LIST, text.as_bytes())?;
        console::print_line(format_args!("{}: {matches} matches", list.month))?;
    }
    replace(&args.to, "index.html", page(&lists(&args.to)?).as_bytes())
}

/// The date now, in UTC.
fn today() -> Result<Date, String> {
    let since =
        SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| format!("the clock is wrong: {e}"))?;
    let now = i64::try_from(since.as_secs()).ok().map(OffsetDateTime::from_unix_timestamp);
    now.and_then(Result::ok).map(OffsetDateTime::date).ok_or_else(|| "the clock is wrong".to_owned())
}

fn name_of(date: Date) -> String {
    format!("{:04}-{:02}", date.year(), u8::from(date.month()))
}

/// The months to write without being told.
fn due(folder: &Path, now: Date) -> Result<Vec<String>, String> {
    let last = now.replace_day(1).ok().and_then(Date::previous_day).map(name_of);
    let complete = |month: &String| {
        lists(folder).map(|lists| lists.iter().any(|list| list.month == *month && list.complete))
    };
    let mut months = Vec::new();
    if let Some(last) = last
        && !complete(&last)?
    {
        months.push(last);
    }
    months.push(name_of(now));
    Ok(months)
}

/// The server, as anyone may ask it.
struct Source {
    agent: ureq::Agent,
    server: String,
}

impl Source {
    fn new(server: &str) -> Self {
        let config = ureq::Agent::config_builder()
            .user_agent(concat!("kibitz-export/", env!("CARGO_PKG_VERSION")))
            .max_redirects(0);
        Self { agent: config.build().new_agent(), server: server.trim_end_matches('/').to_owned() }
    }

    fn stream(&self, path: &str) -> Result<impl io::Read + use<>, String> {
        let answer = self.agent.get(format!("{}{path}", self.server)).call();
        let lost = |e| format!("{}{path}: {e}; is the server running?", self.server);
        Ok(answer.map_err(lost)?.into_body().into_with_config().limit(u64::MAX).reader())
    }

    fn json(&self, path: &str) -> Result<Value, String> {
        serde_json::from_reader(BufReader::new(self.stream(path)?))
            .map_err(|e| format!("{}{path}: {e}", self.server))
    }

    fn games(&self) -> Result<Vec<String>, String> {
        let games = self.json("/v1/games")?;
        let slugs = games["games"].as_array().into_iter().flatten();
        Ok(slugs.filter_map(|game| game["slug"].as_str()).map(str::to_owned).collect())
    }

    /// Writes the leaderboards of these games, a line for each player; returns their number.
    fn ratings(&self, games: &[String], out: &mut dyn Write) -> Result<u64, String> {
        let mut lines = 0;
        for game in games {
            let mut after = String::new();
            loop {
                let board = self.json(&format!("/v1/games/{game}/leaderboard?limit={PAGE}{after}"))?;
                for player in board["players"].as_array().into_iter().flatten() {
                    let mut line = serde_json::Map::from_iter([("game".to_owned(), game.as_str().into())]);
                    line.extend(player.as_object().cloned().unwrap_or_default());
                    writeln!(out, "{}", Value::Object(line)).map_err(|e| e.to_string())?;
                    lines += 1;
                }
                let Some(next) = board["next"].as_str() else { break };
                after = format!("&after={}", super::client::encoded(next));
            }
        }
        Ok(lines)
    }
}

/// Copies whole lines; returns their number. The server repeats nothing, so a line that breaks off is an error.
fn copy_lines(from: impl io::Read, out: &mut dyn Write) -> Result<u64, String> {
    let (mut lines, mut line) = (0, Vec::new());
    let mut from = BufReader::new(from);
    loop {
        line.clear();
        let read = from.read_until(b'\n', &mut line).map_err(|e| format!("the download broke off: {e}"))?;
        if read == 0 {
            return Ok(lines);
        }
        // A stream gives signs of life in empty lines.
        if line == b"\n" {
            continue;
        }
        if line.last() != Some(&b'\n') {
            return Err("the download broke off; run the command again".to_owned());
        }
        out.write_all(&line).map_err(|e| e.to_string())?;
        lines += 1;
    }
}

/// Writes a compressed file, whole or not at all. The same lines give the same bytes.
fn write(
    folder: &Path,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> Result<u64, String>,
) -> Result<ExportedFile, String> {
    let path = folder.join(name);
    let failed = |e: io::Error| format!("{}: {e}", path.display());
    let temporary = folder.join(format!(".{name}"));
    let mut out =
        GzEncoder::new(BufWriter::new(File::create(&temporary).map_err(failed)?), Compression::best());
    let lines = fill(&mut out)?;
    let file = out.finish().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
    file.and_then(|file| file.sync_all()).map_err(failed)?;
    let bytes = fs::read(&temporary).map_err(failed)?;
    fs::rename(&temporary, &path).map_err(failed)?;
    let sha256 = token::hex(&Sha256::digest(&bytes));
    Ok(ExportedFile { name: name.to_owned(), game: None, lines, bytes: bytes.len() as u64, sha256 })
}

/// Writes a small file, whole or not at all.
fn replace(folder: &Path, name: &str, text: &[u8]) -> Result<(), String> {
    let (path, temporary) = (folder.join(name), folder.join(format!(".{name}")));
    let written = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|e| format!("{}: {e}", path.display()))
}

/// The file of this name as the list of the month has it.
fn kept(folder: &Path, name: &str) -> Option<ExportedFile> {
    let list: MonthList = serde_json::from_slice(&fs::read(folder.join(LIST)).ok()?).ok()?;
    list.files.into_iter().find(|file| file.name == name)
}

/// The page that lists the files.
fn page(months: &[MonthList]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width";
                title { "kibitz: matches and ratings by month" }
                style { "body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}td,th{text-align:left;padding:.2rem 1rem .2rem 0}.n{text-align:right}code{overflow-wrap:anywhere;font-size:.8em}" }
            }
            body {
                h1 { "Matches and ratings by month" }
                p { "Records of public matches that are over, one JSON object a line, compressed by gzip; and the ratings of the players at the end of the month. The hashes are SHA-256." }
                @for list in months {
                    h2 { (list.month) @if !list.complete { " (so far)" } }
                    table {
                        tr { th { "File" } th.n { "Lines" } th.n { "Bytes" } th { "Hash" } }
                        @for file in &list.files {
                            tr {
                                td { a href=(format!("{}/{}", list.month, file.name)) { (file.name) } }
                                td.n { (file.lines) }
                                td.n { (file.bytes) }
                                td { code { (file.sha256) } }
                            }
                        }
                    }
                }
            }
        }
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_and_named() {
        assert_eq!(month("2026-11"), Ok("2026-11".to_owned()));
        for wrong in ["2026-13", "2026-1", "26-11", "2026", "2026-00", "2026-11-01"] {
            assert!(month(wrong).is_err(), "{wrong}");
        }
        let folder = tempfile::tempdir().unwrap();
        let day = Date::from_calendar_date(2027, Month::January, 31).unwrap();
        assert_eq!(due(folder.path(), day).unwrap(), ["2026-12", "2027-01"]);
        fs::create_dir(folder.path().join("2026-12")).unwrap();
        let list = MonthList { month: "2026-12".to_owned(), complete: true, files: Vec::new() };
        replace(&folder.path().join("2026-12"), LIST, serde_json::to_string(&list).unwrap().as_bytes())
            .unwrap();
        assert_eq!(due(folder.path(), day).unwrap(), ["2027-01"]);
    }

    #[test]
    fn line_that_breaks_off_is_an_error() {
        let mut out = Vec::new();
        assert_eq!(copy_lines(&b"{}\n\n{\"n\":1}\n"[..], &mut out), Ok(2));
        assert_eq!(out, b"{}\n{\"n\":1}\n");
        assert!(copy_lines(&b"{}\n{\"n\""[..], &mut Vec::new()).is_err());
    }
}
