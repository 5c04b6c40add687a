//! A docstring says something that the name does not (`CONTRIBUTING.md`).

use std::collections::BTreeSet;

use super::sources;

/// Words that add nothing to a name.
const EMPTY: [&str; 24] = [
    "a", "an", "and", "are", "by", "for", "from", "has", "in", "is", "it", "its", "of", "on", "that", "the",
    "this", "to", "was", "which", "with", "these", "those", "their",
];

#[test]
fn docstrings_say_more_than_the_names() {
    let mut seen = 0;
    let mut noise = Vec::new();
    for folder in ["engines", "python/src", "server"] {
        for (path, text) in sources(folder) {
            for Documented { line, docstring, name } in documented(&text) {
                seen += 1;
                if repeats(docstring, name) {
                    noise.push(format!("{folder}/{}:{line}: {docstring}", path.display()));
                }
            }
        }
    }
    assert!(seen > 5000, "the sources are documented in another way: {seen}");
    assert!(
        noise.is_empty(),
        "these docstrings only repeat the name; say more, or leave them out:\n{}",
        noise.join("\n")
    );
}

#[test]
fn a_repeated_name_is_noticed() {
    for (docstring, name) in
        [("Its id.", "id"), ("The matches of a player.", "PlayerMatch"), ("Connects.", "connect")]
    {
        assert!(repeats(docstring, name), "{docstring} {name}");
    }
    for (docstring, name) in
        [("The round, from 1.", "round"), ("The open seat.", "seat"), ("`null`: none.", "none")]
    {
        assert!(!repeats(docstring, name), "{docstring} {name}");
    }
    let text =
        "/// Two\n/// lines.\nfn lines() {}\n/// A seat.\n#[serde(\n  skip\n)]\npub(crate) seat: u8,\n";
    let found: Vec<_> = documented(text).map(|one| (one.line, one.docstring, one.name)).collect();
    assert_eq!(found, [(4, "A seat.", "seat")]);
}

/// An item with a docstring of one line.
struct Documented<'t> {
    /// The line of the docstring, from 1.
    line: usize,
    docstring: &'t str,
    name: &'t str,
}

fn documented(text: &str) -> impl Iterator<Item = Documented<'_>> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let of = |line: &&'_ str| line.starts_with("///");
    (0..lines.len()).filter_map(move |i| {
        let docstring = lines[i].strip_prefix("/// ")?;
        if i > 0 && of(&lines[i - 1]) || lines.get(i + 1).is_none_or(of) {
            return None;
        }
        Some(Documented { line: i + 1, docstring, name: name_below(&lines[i + 1..])? })
    })
}

/// The name of the item that begins here, below its attributes.
fn name_below<'t>(lines: &[&'t str]) -> Option<&'t str> {
    let mut in_attribute = false;
    let item = lines.iter().find(|line| {
        let of_attribute = in_attribute || line.starts_with("#[");
        in_attribute = of_attribute && !line.ends_with(']');
        !of_attribute
    })?;
    const BEFORE: [&str; 10] =
        ["pub", "const", "async", "unsafe", "static", "fn", "struct", "enum", "trait", "type"];
    item.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| {
        !word.is_empty() && !BEFORE.contains(word) && !["crate", "super", "in", "self"].contains(word)
    })
}

/// Whether each word of a docstring is in the name. A number, or a piece of code, says more.
fn repeats(docstring: &str, name: &str) -> bool {
    if docstring.contains(|c: char| c.is_ascii_digit() || c == '`') {
        return false;
    }
    let spaced: String = name
        .chars()
        .flat_map(|c| [c.is_uppercase().then_some(' '), Some(c)])
        .flatten()
        .map(|c| if c == '_' { ' ' } else { c.to_ascii_lowercase() })
        .collect();
    let of_name: BTreeSet<&str> = spaced.split_whitespace().map(singular).collect();
    let said = docstring.to_lowercase();
    said.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty() && !EMPTY.contains(word))
        .all(|word| of_name.contains(singular(word)))
}

/// A word without the endings of the plural and of a verb.
fn singular(word: &str) -> &str {
    word.strip_suffix("es").or_else(|| word.strip_suffix('s')).unwrap_or(word)
}
