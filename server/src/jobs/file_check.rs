//! Looks for damage in the database file.

use std::path::Path;

use tokio::time::sleep;

use crate::jobs::JobContext;

/// A database file up to this size, in bytes, is checked before the server is ready; a larger one soon afterwards.
const SMALL: u64 = 64 << 20;

/// Checks the database file if it is small; returns whether it did.
pub async fn check_small(context: &JobContext, file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|file| file.len() <= SMALL);
    if small && context.options.check_every().is_some() {
        check_file(context).await;
        return true;
    }
    false
}

/// Works until the server stops. `checked`: the file has just been checked.
pub(super) async fn check_file_regularly(context: &JobContext, mut checked: bool) {
    let Some(every) = context.options.check_every() else { return };
    loop {
        if !std::mem::take(&mut checked) {
            check_file(context).await;
        }
        tokio::select! {
            () = context.stopping.cancelled() => return,
            () = sleep(every) => {}
        }
    }
}

/// Checks the database file. The store logs damage, and `/readyz` shows it.
async fn check_file(context: &JobContext) {
    if let Err(e) = context.matches.store().check_file().await {
        tracing::warn!(error = %e, "the database file could not be checked");
    }
}
