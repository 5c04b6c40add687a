//! Names of players and guests: the characters they may have, and the keys by which two names count as the same. Pure.

use std::ops::RangeInclusive;

use caseless::Caseless;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::confusable_detection::skeleton;
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection};

use crate::domain::token;

/// Length of a player's name, in characters after NFC.
pub const PLAYER_LENGTH: RangeInclusive<usize> = 2..=32;

/// Length of a guest's name, in characters after NFC.
pub const GUEST_LENGTH: RangeInclusive<usize> = 1..=40;

/// The beginning of the name shown for a deleted account. It has a space, so no player can take it; guests may not
/// begin their names with it either.
const DELETED: &str = "deleted player ";

/// The keys by which two names are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameKey {
    /// See [`folded`].
    pub folded: String,
    /// The same for names that look alike: the skeleton of UTS 39, without regard to case.
    pub skeleton: String,
}

impl NameKey {
    /// The key as it is stored of a name that was given up: hashes, from which the name cannot be read.
    pub fn held(&self) -> Self {
        let hash = |text: &str| token::hex(&Sha256::digest(text.as_bytes()));
        Self { folded: hash(&self.folded), skeleton: hash(&self.skeleton) }
    }

    /// The key of a name. Spaces do not count.
    pub fn of(name: &str) -> Self {
        let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
        // First by the letters as they are, since "I" looks like "l" and "i" does not; then without regard to case.
        let looks: String = skeleton(&name.nfkc().collect::<String>()).collect();
        let skeleton = skeleton(&folded(&looks)).collect();
        Self { folded: folded(&name), skeleton }
    }

    /// Whether a reader could take one for the other.
    pub fn is_like(&self, other: &Self) -> bool {
        self.folded == other.folded || self.skeleton == other.skeleton
    }

    /// Whether the name looks like those shown for deleted accounts.
    pub fn is_like_deleted(&self) -> bool {
        self.skeleton.starts_with(&Self::of(DELETED).skeleton)
    }
}

/// The name without regard to case and compatible spellings (compatibility caseless matching, Unicode 3.13, D146, with
/// composed letters). For ASCII names: in lower case.
pub fn folded(name: &str) -> String {
    let once: String = name.nfd().default_case_fold().nfkd().collect();
    once.chars().default_case_fold().nfkc().collect()
}

/// Checks a player's name; returns it in NFC.
///
/// # Errors
/// The broken rule, in words that follow "name: ".
pub fn player(name: &str) -> Result<String, String> {
    let name = normal(name, &PLAYER_LENGTH)?;
    if !name.chars().next().is_some_and(char::is_alphanumeric) {
        return Err("must begin with a letter or a digit".to_owned());
    }
    check(&name, |c| "-_.".contains(c), "- _ .")?;
    Ok(name)
}

/// Checks a guest's name; returns it in NFC. The rules are a player's, but spaces inside and any ASCII punctuation are allowed.
///
/// # Errors
/// The broken rule, in words that follow "name: ".
pub fn guest(name: &str) -> Result<String, String> {
    let name = normal(name, &GUEST_LENGTH)?;
    if name.starts_with(' ') || name.ends_with(' ') {
        return Err("must not begin or end with a space".to_owned());
    }
    check(&name.replace(' ', ""), |c| c.is_ascii_punctuation(), "ASCII punctuation")?;
    Ok(name)
}

fn normal(name: &str, length: &RangeInclusive<usize>) -> Result<String, String> {
    // NFC makes a name at most three times as long; a longer one need not be looked at.
    let too_long = name.len() > 64 * length.end();
    let name: String = if too_long { String::new() } else { name.nfc().collect() };
    if too_long || !length.contains(&name.chars().count()) {
        return Err(format!("must have {} to {} characters", length.start(), length.end()));
    }
    Ok(name)
}

/// `sign`: the characters that are allowed besides letters and digits; `signs`: the same in words.
fn check(name: &str, sign: impl Fn(char) -> bool, signs: &str) -> Result<(), String> {
    let is_letter = |c: char| {
        (c.is_alphanumeric() || is_combining_mark(c)) && GeneralSecurityProfile::identifier_allowed(c)
    };
    if let Some(wrong) = name.chars().find(|c| !is_letter(*c) && !sign(*c)) {
        return Err(format!(
            "must have only letters, digits and {signs}, but has U+{:04X}",
            u32::from(wrong)
        ));
    }
    // Signs belong to no script.
    let letters: String = name.chars().filter(|c| is_letter(*c)).collect();
    if !letters.check_restriction_level(RestrictionLevel::HighlyRestrictive) {
        return Err("must not mix letters of different scripts".to_owned());
    }
    Ok(())
}

/// The name shown for a deleted player in a match. It differs between matches, and between two players of one match.
pub fn of_deleted(match_id: &str, player_id: &str) -> String {
    let hash = Sha256::new_with_prefix(match_id).chain_update(player_id).finalize();
    format!("{DELETED}{:02x}{:02x}{:02x}", hash[0], hash[1], hash[2])
}

/// Whether this is the name of a deleted account.
pub fn is_of_deleted(name: &str) -> bool {
    name.starts_with(DELETED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_names_are_letters_digits_and_three_signs() {
        for name in
            ["ab", "A-1_b.c", "0x", &"a".repeat(32), "Ștefan", "Günther_2", "Ελένη", "Иван", "さくら", "देवी"]
        {
            assert_eq!(player(name).as_deref(), Ok(name));
        }
        assert_eq!(player("S\u{326}tefan").as_deref(), Ok("Ștefan"), "composed");
        let forbidden = [
            "a\u{200b}b",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200d}b",
            "a\u{feff}b",
            "a\u{ad}b",
            "a\u{3164}b",
            "a\u{fe0f}b",
            "a b",
            "a/b",
            "a\nb",
            "a\u{a0}b",
            "ab\u{e0061}",
            "🦀🦀",
            "а1\u{61}",
        ];
        for name in forbidden.into_iter().chain(["", "a", "-a", ".a", &"a".repeat(33), &"a".repeat(10_000)]) {
            assert!(player(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn guests_names_may_have_spaces_inside() {
        for name in ["x", "Ana Maria", "guest 1", "Ștefan cel Mare", "O'Neill (2)", "<b>"] {
            assert_eq!(guest(name).as_deref(), Ok(name));
        }
        for name in ["", " ", " a", "a ", "a\u{202e}b", "a\u{200b}", "a\tb", &"a".repeat(41)] {
            assert!(guest(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_that_look_alike_have_one_key() {
        for (a, b) in [
            ("ann", "aNN"),
            ("Ștefan", "ștefan"),
            ("paypal", "paypaI"),
            ("PAYPAL", "раураӏ"),
            ("bot0", "boto"),
            ("AI", "al"),
            ("ana maria", "anamaria"),
            ("ﬁn", "fin"),
            ("straße", "STRASSE"),
        ] {
            assert!(
                NameKey::of(a).is_like(&NameKey::of(b)),
                "{a} {b} {:?} {:?}",
                NameKey::of(a),
                NameKey::of(b)
            );
        }
        for (a, b) in [("bot1", "bot2"), ("Stefan", "Ștefan"), ("ana", "anna"), ("ann-1", "ann_1")] {
            assert!(!NameKey::of(a).is_like(&NameKey::of(b)), "{a} {b}");
        }
        assert!(NameKey::of("Deleted  Player 12").is_like_deleted());
        assert!(!NameKey::of("deleted").is_like_deleted());
    }

    #[test]
    fn ascii_names_fold_to_lower_case() {
        let ascii: String = ('!'..='~').collect();
        assert_eq!(folded(&ascii), ascii.to_lowercase());
    }

    #[test]
    fn names_of_deleted_players_differ_between_matches() {
        assert_ne!(of_deleted("m", "a"), of_deleted("m", "b"));
        assert_ne!(of_deleted("m", "a"), of_deleted("n", "a"));
        assert!(is_of_deleted(&of_deleted("m", "a")) && player(&of_deleted("m", "a")).is_err());
    }
}
