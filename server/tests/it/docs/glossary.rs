//! One meaning for each word: the glossary defines a term once, the types that it names exist, and the public types of a crate
//! have names of their own.

use std::collections::{BTreeMap, BTreeSet};

use super::{module_of, read, sources};

/// A name that public types of several modules of a crate share.
struct SharedName {
    krate: &'static str,
    name: &'static str,
    modules: &'static [&'static str],
    /// Why it misleads no reader.
    reason: &'static str,
}

/// All of them. A type that is another thing gets another name instead.
const SHARED: [SharedName; 5] = [
    SharedName {
        krate: "server",
        name: "MatchId",
        modules: &["domain::ids", "domain::schema"],
        reason: "the schema of the id has the name of the id, because the API shows it",
    },
    SharedName {
        krate: "server",
        name: "Committed",
        modules: &["store::postgres::batch", "store::sqlite::batch"],
        reason: "each database has its own; both are what a batch has committed",
    },
    SharedName {
        krate: "server",
        name: "OpenedDatabase",
        modules: &["store::postgres::open", "store::sqlite::open"],
        reason: "each database has its own; both are the parts of a store that was opened",
    },
    SharedName {
        krate: "server",
        name: "Writer",
        modules: &["store::postgres::writer", "store::sqlite::writer"],
        reason: "each database has its own; both are the one task that writes",
    },
    SharedName {
        krate: "engines",
        name: "Awaits",
        modules: &["erased", "protocol"],
        reason: "the one in `erased` is the other with the decision of any game",
    },
];

/// The crates, and a folder in each whose parts are apart from each other: every game has a `Move` and a `View`.
const CRATES: [(&str, &str, Option<&str>); 3] = [
    ("server", "server/src", None),
    ("engines", "engines/src", Some("games")),
    ("kibitz-shim", "server/shim/src", None),
];

/// The types of a crate that other modules can use, each with the modules that declare one of this name.
fn public_types(source: &str, apart: Option<&str>) -> BTreeMap<String, Vec<String>> {
    let mut types: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, text) in sources(source) {
        let is_test = path.iter().any(|part| part == "tests") || path.to_string_lossy().contains("tests.rs");
        if is_test || apart.is_some_and(|folder| path.starts_with(folder)) {
            continue;
        }
        for line in text.lines() {
            if let Some(name) = declared_type(line) {
                types.entry(name.to_owned()).or_default().push(module_of(&path));
            }
        }
    }
    types
}

/// The name of the type that a line declares for other modules.
fn declared_type(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let (kind, rest) = rest.trim_start().split_once(' ')?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    ["struct", "enum", "trait", "type", "union"].contains(&kind).then(|| &rest[..end])
}

/// The rows of the glossary: a term and its meaning.
fn terms() -> Vec<(String, String)> {
    let page = read("docs/glossary.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "));
    rows.filter(|(term, _)| *term != "term").map(|(term, text)| (term.to_owned(), text.to_owned())).collect()
}

/// Whether a text in backquotes names a type of Rust.
fn is_type_name(quoted: &str) -> bool {
    let has_lower = quoted.chars().any(|c| c.is_ascii_lowercase());
    quoted.starts_with(|c: char| c.is_ascii_uppercase())
        && has_lower
        && quoted.chars().all(|c| c.is_ascii_alphanumeric())
}

#[test]
fn glossary_defines_each_term_once() {
    let terms = terms();
    assert!(terms.len() > 100, "{} terms were found", terms.len());
    let mut seen = BTreeSet::new();
    let twice: Vec<_> = terms.iter().filter(|(term, _)| !seen.insert(term.to_lowercase())).collect();
    assert!(twice.is_empty(), "these terms have two meanings: {twice:#?}");
}

#[test]
fn types_that_the_glossary_names_exist() {
    let known: BTreeSet<String> =
        CRATES.iter().flat_map(|(_, source, _)| public_types(source, None).into_keys()).collect();
    let (mut count, mut missing) = (0, Vec::new());
    for (term, text) in terms() {
        for name in text.split('`').skip(1).step_by(2).filter(|quoted| is_type_name(quoted)) {
            count += 1;
            if !known.contains(name) {
                missing.push(format!("{term}: {name}"));
            }
        }
    }
    assert!(count >= 8, "the glossary names types in another way: {count} found");
    assert!(missing.is_empty(), "there are no such types: {missing:#?}");
}

#[test]
fn public_types_of_a_crate_have_names_of_their_own() {
    let mut wrong = Vec::new();
    for (krate, source, apart) in CRATES {
        let types = public_types(source, apart);
        assert!(types.len() > 20, "{krate}: {} types were found", types.len());
        let allowed = || SHARED.iter().filter(|shared| shared.krate == krate);
        for (name, modules) in types.iter().filter(|(_, modules)| modules.len() > 1) {
            if !allowed().any(|shared| shared.name == name && shared.modules == modules) {
                wrong.push(format!("{krate}: {name} is in {}: rename one", modules.join(" and ")));
            }
        }
        let is_shared =
            |shared: &&SharedName| types.get(shared.name).is_some_and(|modules| modules.len() > 1);
        let unused = allowed().filter(|shared| !is_shared(shared));
        wrong.extend(unused.map(|shared| format!("{krate}: {} is not shared any more", shared.name)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let without_reason = SHARED.iter().find(|shared| !shared.reason.contains(' '));
    assert!(without_reason.is_none(), "each has a reason");
}

#[test]
fn declarations_are_recognized() {
    for (line, name) in [
        ("pub struct Seat(pub u8);", Some("Seat")),
        ("    pub(crate) enum Reply<T> {", Some("Reply")),
        ("pub(in crate::web) trait Page {", Some("Page")),
        ("pub type Millis = i64;", Some("Millis")),
        ("pub fn struct_of() {", None),
        ("struct Private;", None),
        ("/// pub struct Comment", None),
    ] {
        assert_eq!(declared_type(line), name, "{line}");
    }
    assert!(is_type_name("MatchActor") && !is_type_name("KIBITZ") && !is_type_name("open"));
}
