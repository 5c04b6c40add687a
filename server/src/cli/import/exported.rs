//! Takes the files of `kibitz admin export` into a database, month by month.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};

use crate::cli::console;
use crate::cli::month_list::{ExportedFile, LIST, MonthList, RATINGS, lists};
use crate::domain::PlayerKind;
use crate::domain::token;
use crate::matches::import::{MatchImport, MatchImportSummary, RatingLine, RecordLine};
use crate::matches::record::plain;
use crate::metrics::Metrics;
use crate::store::{self, DatabaseAddress, OpenedStore};

/// How many matches are checked and written together.
const CHUNK: usize = 64;

/// The number of matches between two lines of progress.
const STEP: u64 = 1000;

/// The longest line that is read, in bytes, without its end. Records of the longest matches are a hundred times shorter.
const LONGEST: u64 = 32 << 20;

/// Takes all months in the folder into the database. Returns whether nothing was refused.
///
/// # Errors
/// One sentence; what was imported by then stays.
pub(super) async fn import(folder: &Path, to: &DatabaseAddress, same_players: bool) -> Result<bool, String> {
    let mut months = lists(folder)?;
    months.reverse();
    if months.is_empty() {
        let folder = folder.display();
        return Err(format!("{folder}: it has no month of an export, such as 2026-11 with {LIST} in it"));
    }
    let mut files = ExportFiles { folder, wrong: 0 };
    let ratings = files.ratings(&months);
    let metrics = Metrics::default();
    let OpenedStore { store, .. } = store::open(to, 0, metrics.store()).await.map_err(|e| e.to_string())?;
    let is_bot = |line: &&RatingLine| line.kind == PlayerKind::Bot;
    let owner = |line: &RatingLine| Some((line.name.clone(), line.owner.clone()?));
    // Those of later months replace earlier ones.
    let owners: HashMap<_, _> =
        ratings.values().flatten().map(|(_, line)| line).filter(is_bot).filter_map(owner).collect();
    let import = MatchImport::new(Arc::clone(&store), owners, same_players);
    let result = files.take(import, &months, &ratings).await;
    store.close().await;
    let MatchImportSummary { added, present, players, results, ratings } = result?;
    let wrong = files.wrong;
    console::print_line(format_args!(
        "{added} matches added, {present} there already, {wrong} faults; {players} players added, {results} results counted, \
         {ratings} ratings set"
    ))?;
    Ok(wrong == 0)
}

/// The ratings of each month, with the numbers of their lines.
type RatingsByMonth = std::collections::BTreeMap<String, Vec<(u64, RatingLine)>>;

/// The files of an export, as they are read.
struct ExportFiles<'a> {
    folder: &'a Path,
    /// The faults that were reported.
    wrong: u64,
}

impl ExportFiles<'_> {
    async fn take(
        &mut self,
        mut import: MatchImport,
        months: &[MonthList],
        ratings: &RatingsByMonth,
    ) -> Result<MatchImportSummary, String> {
        for list in months {
            for file in &list.files {
                if let Some(game) = &file.game {
                    self.take_records(&mut import, list, file, game).await?;
                }
            }
        }
        console::print_error("counting results");
        import.count_results().await?;
        if let Some((month, lines)) = ratings.last_key_value() {
            for (number, why) in import.take_ratings(lines).await? {
                self.tell(&format!("{month}/{RATINGS}, line {number}: {why}"));
            }
        }
        Ok(import.summary())
    }

    /// Takes the records of a game and a month.
    async fn take_records(
        &mut self,
        import: &mut MatchImport,
        list: &MonthList,
        file: &ExportedFile,
        game: &str,
    ) -> Result<(), String> {
        let label = format!("{}/{}", list.month, file.name);
        let Some(mut lines) = self.open(list, file) else { return Ok(()) };
        let mut more = true;
        while more {
            let mut chunk = Vec::with_capacity(CHUNK);
            while more && chunk.len() < CHUNK {
                match lines.next() {
                    Some(Ok(line)) => chunk.push(line),
                    Some(Err(why)) => {
                        self.tell(&format!("{label}: {why}"));
                        more = false;
                    }
                    None => more = false,
                }
            }
            let before = lines.read - chunk.len() as u64;
            for (number, why) in import.add(game, &chunk).await? {
                self.tell(&format!("{label}, line {number}: {why}"));
            }
            if lines.read / STEP > before / STEP || (!more && file.lines > 0) {
                console::print_error(format_args!("{label}: {} of {} matches", lines.read, file.lines));
            }
        }
        Ok(())
    }

    /// The ratings of all months.
    fn ratings(&mut self, months: &[MonthList]) -> RatingsByMonth {
        let mut all = RatingsByMonth::new();
        for list in months {
            let Some(file) = list.files.iter().find(|file| file.name == RATINGS) else { continue };
            let Some(lines) = self.open(list, file) else { continue };
            let ratings = all.entry(list.month.clone()).or_default();
            for line in lines {
                let read = line.and_then(|line| {
                    let rating = serde_json::from_slice(&line.text);
                    let wrong = |e| format!("line {}: this is not a rating: {e}", line.number);
                    rating.map(|rating| (line.number, rating)).map_err(wrong)
                });
                match read {
                    Ok(rating) => ratings.push(rating),
                    Err(why) => self.tell(&format!("{}/{RATINGS}: {why}", list.month)),
                }
            }
        }
        all
    }

    /// Opens a file. Reports a file whose SHA-256 differs from that in the list, and reads it nevertheless: each line is checked.
    fn open(&mut self, list: &MonthList, file: &ExportedFile) -> Option<FileLines> {
        let label = format!("{}/{}", list.month, file.name);
        // A list from elsewhere must not name other files.
        let is_inside =
            |part: &str| !part.is_empty() && !part.starts_with('.') && !part.contains(['/', '\\']);
        if ![&list.month, &file.name].into_iter().all(|part| is_inside(part)) {
            self.tell(&format!("{label:?}: this is no name of a file of an export"));
            return None;
        }
        let path = self.folder.join(&list.month).join(&file.name);
        let opened = hash(&path).and_then(|hash| Ok((hash, File::open(&path)?)));
        match opened {
            Ok((hash, opened)) => {
                if hash != file.sha256 {
                    self.tell(&format!("{label}: it is not the file that {LIST} lists: its SHA-256 differs"));
                }
                Some(FileLines {
                    lines: BufReader::new(MultiGzDecoder::new(BufReader::new(opened))),
                    read: 0,
                })
            }
            Err(e) => {
                self.tell(&format!("{label}: {e}"));
                None
            }
        }
    }

    /// Reports a fault, and counts it.
    fn tell(&mut self, what: &str) {
        self.wrong += 1;
        console::print_error(plain(what));
    }
}

fn hash(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let (mut file, mut bytes) = (File::open(path)?, vec![0; 1 << 16]);
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(token::hex(&hasher.finalize())),
            read => hasher.update(&bytes[..read]),
        }
    }
}

/// The lines of a compressed file.
struct FileLines {
    lines: BufReader<MultiGzDecoder<BufReader<File>>>,
    /// How many were read.
    read: u64,
}

impl Iterator for FileLines {
    type Item = Result<RecordLine, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, mut text) = (self.read + 1, Vec::new());
        let read = (&mut self.lines).take(LONGEST + 1).read_until(b'\n', &mut text);
        match read {
            Err(e) => Some(Err(format!("after line {}: it cannot be unpacked: {e}", self.read))),
            Ok(0) => None,
            Ok(_) => {
                self.read = number;
                Some(match text.pop() {
                    Some(b'\n') => Ok(RecordLine { number, text }),
                    _ if text.len() as u64 >= LONGEST => Err(format!("line {number}: it is too long")),
                    _ => Err(format!("line {number}: it is cut off")),
                })
            }
        }
    }
}
