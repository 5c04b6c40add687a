//! The layers of the server, read from its sources: a module uses only modules of its own layer or of lower ones.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. Modules of one layer do not use each other.
const LAYERS: [&[&str]; 16] = [
    &["domain"],
    &["error", "ratings"],
    &["metrics", "limits", "offered_files", "recovery"],
    &["nats"],
    &["bot_runner", "engine_pool", "store"],
    &["admission", "catalogue"],
    &["matches"],
    &["tournaments", "lobby", "analysis"],
    &["accounts", "notifications", "programs"],
    &["moderation"],
    &["app", "jobs"],
    &["request"],
    &["presentation"],
    &["http", "web"],
    &["process"],
    &["cli"],
];

/// The layers of the shim. A module of a folder that is in several layers is named with its folder.
const SHIM_LAYERS: [&[&str]; 14] = [
    &[
        "games",
        "dialogue::lines",
        "dialogue::memory",
        "dialogue::notes",
        "dialogue::transcript",
        "network::address",
        "network::backoff",
    ],
    &["dialogue::answer", "options"],
    &["dialogue::last_answer", "network::tls"],
    &["network::stream"],
    &["network::http"],
    &["network::connect"],
    &["network::session"],
    &["network::link"],
    &["answerers::engine", "answerers::remote", "dialogue::pipe"],
    &["answerers::fallback", "network::request"],
    &["join"],
    &["online"],
    &["faults", "upload"],
    &["invocation"],
];

#[test]
fn modules_use_only_lower_layers() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(check(&package.join("src"), &LAYERS) > 200, "the sources name modules in another way");
    assert!(check(&package.join("shim/src"), &SHIM_LAYERS) > 50, "the sources name modules in another way");
}

/// Fails where a module uses one that is not of a lower layer. Returns the number of uses.
#[track_caller]
fn check(source: &Path, layers: &[&[&str]]) -> usize {
    let layer_of: BTreeMap<&str, usize> =
        layers.iter().enumerate().flat_map(|(i, layer)| layer.iter().map(move |name| (*name, i))).collect();
    let mut files = Vec::new();
    collect(source, &mut files);
    let (mut uses, mut broken) = (0, Vec::new());
    for file in files {
        let path = file.strip_prefix(source).unwrap();
        let names: Vec<_> = path.iter().map(|part| part.to_str().unwrap().trim_end_matches(".rs")).collect();
        // The file of a divided folder itself names its modules only.
        if matches!(names[..], ["lib" | "main"]) || names[1..] == ["mod"] && is_divided(layers, names[0]) {
            continue;
        }
        let module = layer_name(layers, &names);
        let from = *layer_of
            .get(module.as_str())
            .unwrap_or_else(|| panic!("{module} is in no layer: add it to the list"));
        for used in modules_used(&fs::read_to_string(&file).unwrap()) {
            let used = layer_name(layers, &used.split("::").collect::<Vec<_>>());
            assert!(
                !used.ends_with("::"),
                "{}: write the whole path of each module in {used}",
                path.display()
            );
            let Some(to) = layer_of.get(used.as_str()).filter(|_| used != module) else { continue };
            uses += 1;
            if *to >= from {
                broken.push(format!("{} uses {used}", path.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    uses
}

/// Whether the modules of this folder are in several layers.
fn is_divided(layers: &[&[&str]], folder: &str) -> bool {
    layers
        .iter()
        .copied()
        .flatten()
        .any(|name| name.split_once("::").is_some_and(|(first, _)| first == folder))
}

/// The name in the list of layers of a module with this path.
fn layer_name(layers: &[&[&str]], path: &[&str]) -> String {
    let parts = if is_divided(layers, path[0]) { 2 } else { 1 };
    path[..parts.min(path.len())].join("::")
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // Tests may use what they like.
            if path.file_name().unwrap() != "tests" {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.file_stem().unwrap().to_str().unwrap().contains("tests")
        {
            files.push(path);
        }
    }
}

/// The modules of the crate that the code names by their path, comments and unit tests left out.
fn modules_used(source: &str) -> impl Iterator<Item = String> {
    let code = source.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
        rest.chars().take_while(|c| c.is_ascii_lowercase() || "_:".contains(*c)).collect::<String>()
    });
    names.filter(|name| !name.is_empty()).collect::<Vec<_>>().into_iter()
}
