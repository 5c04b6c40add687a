//! Every source of an option, and the order in which they count.

use super::*;
use crate::options::draft::DEFAULT_SERVER;
use std::path::PathBuf;
use std::time::Duration;

fn run(
    args: &[&str],
    env: &[(&str, &str)],
    built: Option<&str>,
    program: &str,
) -> Result<Invocation, String> {
    let env = |key: &str| env.iter().find(|(name, _)| *name == key).map(|(_, value)| OsString::from(value));
    let program = [PathBuf::from(program)];
    let environment = Environment { env: &env, built_game: built, built_server: None, program: &program };
    parse(args.iter().map(OsString::from), &environment)
}

fn options(args: &[&str], env: &[(&str, &str)], built: Option<&str>, program: &str) -> PlayOptions {
    match run(args, env, built, program) {
        Ok(Invocation::Play(options)) => options,
        other => panic!("{other:?}"),
    }
}

#[test]
fn game_comes_from_argument_variable_build_or_name() {
    let env = [("KIBITZ_GAME", "b")];
    let built = Some("c");
    let program = "/x/kibitz-d.bin";
    assert_eq!(options(&["a"], &env, built, program).game, "a");
    assert_eq!(options(&[], &env, built, program).game, "b");
    assert_eq!(options(&[], &[("KIBITZ_GAME", "")], built, program).game, "c");
    assert_eq!(options(&[], &[], Some(""), program).game, "d");
    for program in ["/x/kibitz-shim", "bot", "", "/x/kibitz-", "/kibitz-azul/bot"] {
        assert!(run(&[], &[], None, program).unwrap_err().contains("KIBITZ_GAME"), "{program}");
    }
}

#[test]
fn only_given_options_are_sent() {
    assert_eq!(options(&["azul"], &[], None, "").parameters, []);
    let args = ["azul", "--think", "250", "--option", "base=1", "--level=easy"];
    let env = [("KIBITZ_THINK_MS", "9"), ("KIBITZ_SEED", "7"), ("KIBITZ_OPTIONS", "base=0,x=a=b")];
    let expected = [("think_ms", "250"), ("seed", "7"), ("base", "1"), ("x", "a=b"), ("level", "easy")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(options(&args, &env, None, "").parameters, expected);
}

#[test]
fn server_comes_from_argument_or_variable() {
    assert_eq!(options(&["g"], &[], None, "").server.to_string(), DEFAULT_SERVER);
    let env = [("KIBITZ_SERVER", "https://b")];
    assert_eq!(options(&["g"], &env, None, "").server.to_string(), "https://b");
    assert_eq!(options(&["g", "--server", "ws://a"], &env, None, "").server.to_string(), "http://a");
}

#[test]
fn other_options_come_from_arguments_and_variables() {
    let plain = options(&["g"], &[], None, "");
    assert_eq!((plain.patience, plain.ca, plain.verbose), (Duration::from_millis(9500), None, false));
    let env = [("KIBITZ_PATIENCE_MS", "5"), ("KIBITZ_CA", "a.pem"), ("KIBITZ_VERBOSE", "1")];
    let set = options(&["g"], &env, None, "");
    assert_eq!((set.patience, set.ca, set.verbose), (Duration::from_millis(5), Some("a.pem".into()), true));
    assert_eq!(options(&["g"], &[("KIBITZ_MEMORY", "m")], None, "").memory, Some("m".into()));
    assert!(!plain.offline && options(&["g", "--offline"], &[], None, "").offline);
    assert!(options(&["g"], &[("KIBITZ_OFFLINE", "1")], None, "").offline);
    assert_eq!(run(&["--help"], &[], None, ""), Ok(Invocation::Help(help::help(None))));
    assert_eq!(run(&["-V"], &[], None, ""), Ok(Invocation::Version));
}

#[test]
fn memory_file_is_in_the_users_cache() {
    let home = ("HOME", "/home/me");
    for (env, expected) in [
        (&[][..], None),
        (&[home], Some("/home/me/.cache/kibitz-shim/g")),
        (&[home, ("XDG_CACHE_HOME", "/cache")], Some("/cache/kibitz-shim/g")),
        // A relative path is invalid and to be ignored, says the XDG Base Directory Specification.
        (&[home, ("XDG_CACHE_HOME", "cache")], Some("/home/me/.cache/kibitz-shim/g")),
        (&[("HOME", "")], None),
        (&[home, ("KIBITZ_MEMORY", "m")], Some("m")),
        (&[home, ("KIBITZ_MEMORY", "-")], None),
    ] {
        assert_eq!(options(&["../g/"], env, None, "").memory, expected.map(PathBuf::from), "{env:?}");
    }
    assert_eq!(options(&["g", "--memory", "-"], &[home], None, "").memory, None);
}

#[test]
fn build_of_the_program_itself_names_no_game() {
    for program in ["/x/kibitz-shim-embedded", "kibitz-shim_2", "kibitz-shim-embedded.bin"] {
        let sentence = run(&[], &[], None, program).unwrap_err();
        assert!(sentence.starts_with("no game chosen") && sentence.contains("azul, "), "{sentence}");
    }
}

#[test]
fn thinking_time_has_a_unit_and_the_contests_limit() {
    let think = |args: &[&str]| {
        let options = options(args, &[], None, "");
        (options.parameters.into_iter().map(|(_, value)| value).collect::<Vec<_>>().concat(), options.notes)
    };
    assert_eq!(think(&["splendor", "--think", "2s"]), ("2000".to_owned(), vec![]));
    assert_eq!(think(&["splendor", "--think", "9500"]), ("9500".to_owned(), vec![]));
    let (ms, notes) = think(&["splendor", "--think", "40000"]);
    assert!(ms == "9500" && notes.len() == 1, "{ms}: {notes:?}");
    for part in ["40000", "9500 ms", "Splendor", "10000 ms of processor time a move"] {
        assert!(notes[0].contains(part), "{notes:?}");
    }
    let (ms, notes) = think(&["azul", "--think", "1000s"]);
    assert!(ms == "29500" && notes[0].contains("30000 ms for all moves of a match"), "{ms}: {notes:?}");
    // No limit is known.
    assert_eq!(think(&["septica", "--think", "40s"]), ("40000".to_owned(), vec![]));
    assert_eq!(think(&["unknown", "--think", "40s"]), ("40000".to_owned(), vec![]));
    let env = [("KIBITZ_THINK_MS", "0.5s")];
    assert_eq!(options(&["g"], &env, None, "").parameters, [("think_ms".to_owned(), "500".to_owned())]);
}

#[test]
fn only_games_with_a_pass_have_a_longest_wait() {
    let splendor = options(&["splendor", "--think", "1s", "--patience", "2s"], &[], None, "");
    assert_eq!((splendor.pass, splendor.longest_wait), (Some("1 0"), Some(Duration::from_secs(6))));
    let slow = options(&["splendor", "--nodes", "9", "--patience", "0"], &[], None, "");
    assert_eq!(slow.longest_wait, Some(Duration::from_millis(28_500)));
    let azul = options(&["azul"], &[], None, "");
    assert_eq!((azul.pass, azul.longest_wait), (None, None));
}

#[test]
fn verbose_asks_for_remarks() {
    let parameters = |args: &[&str]| options(args, &[], None, "").parameters;
    let candidates = |n: &str| vec![("candidates".to_owned(), n.to_owned())];
    assert_eq!(parameters(&["g", "--verbose"]), candidates("0"));
    assert_eq!(parameters(&["g", "--verbose", "--option", "candidates=3"]), candidates("3"));
}

#[test]
fn wrong_use_gives_one_sentence() {
    for args in [
        &["azul", "splendor"][..],
        &["azul", "--think"],
        &["azul", "--think", "soon"],
        &["azul", "--nodes", "-1"],
        &["azul", "--option", "x"],
        &["azul", "--server", "there"],
        &["azul", "--patience", "1.5"],
        &["azul", "--nonsense"],
        &[""],
    ] {
        let sentence = run(args, &[], None, "").unwrap_err();
        assert!(!sentence.is_empty() && !sentence.contains('\n'), "{sentence}");
    }
    assert!(run(&["g"], &[("KIBITZ_NODES", "x")], None, "").unwrap_err().contains("KIBITZ_NODES"));
}
