//! The files of an export: a folder for each month, with a list of what it has.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The list of the files of a month, in its folder.
pub(super) const LIST: &str = "index.json";

/// The file of a month with the ratings of its last day.
pub(super) const RATINGS: &str = "ratings.ndjson.gz";

/// What the folder of a month has.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct MonthList {
    pub(super) month: String,
    /// Whether the month was over when its files were written.
    pub(super) complete: bool,
    pub(super) files: Vec<ExportedFile>,
}

/// A file of an export.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ExportedFile {
    pub(super) name: String,
    /// Of records: the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) game: Option<String>,
    /// Matches, or ratings.
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// The lists of all months in a folder, the newest first.
pub(super) fn lists(folder: &Path) -> Result<Vec<MonthList>, String> {
    let mut lists = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path().join(LIST);
        if let Ok(text) = fs::read(&path) {
            lists.push(serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", path.display()))?);
        }
    }
    lists.sort_by(|a: &MonthList, b| b.month.cmp(&a.month));
    Ok(lists)
}
