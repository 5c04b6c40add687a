//! The admin token, which servers and `kibitz admin` read from a file.

use std::fs;
use std::path::Path;

use crate::domain::token::{Token, TokenKind};

/// The admin token in this file.
///
/// # Errors
/// If there is none: a sentence that says so.
pub(crate) fn read_token(file: &Path) -> Result<Token, String> {
    let name = file.display();
    let text =
        fs::read_to_string(file).map_err(|e| format!("the admin token file {name} cannot be read: {e}"))?;
    match Token::parse(text.trim()) {
        Some((TokenKind::Admin, token)) => Ok(token),
        _ => Err(format!("{name} contains no admin token; make one with: kibitz admin token > {name}")),
    }
}
