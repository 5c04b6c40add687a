//! Every place a choice may come from, and which one holds.

use super::*;

fn run(args: &[&str], env: &[(&str, &str)], built: Option<&str>, program: &str) -> Result<Command, String> {
    let env = |key: &str| env.iter().find(|(name, _)| *name == key).map(|(_, value)| OsString::from(value));
    let program = [PathBuf::from(program)];
    let surroundings = Surroundings { env: &env, built_game: built, built_server: None, program: &program };
    parse(args.iter().map(OsString::from), &surroundings)
}

fn options(args: &[&str], env: &[(&str, &str)], built: Option<&str>, program: &str) -> Options {
    match run(args, env, built, program) {
        Ok(Command::Play(options)) => options,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_game_is_chosen_in_order() {
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
fn only_what_was_given_is_sent() {
    assert_eq!(options(&["azul"], &[], None, "").parameters, []);
    let args = ["azul", "--think", "250", "--option", "base=1", "--level=easy"];
    let env = [("KIBITZ_THINK_MS", "9"), ("KIBITZ_SEED", "7"), ("KIBITZ_OPTIONS", "base=0,x=a=b")];
    let expected = [("think_ms", "250"), ("seed", "7"), ("base", "1"), ("x", "a=b"), ("level", "easy")];
    let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
    assert_eq!(options(&args, &env, None, "").parameters, expected);
}

#[test]
fn the_server_too() {
    assert_eq!(options(&["g"], &[], None, "").server.to_string(), DEFAULT_SERVER);
    let env = [("KIBITZ_SERVER", "https://b")];
    assert_eq!(options(&["g"], &env, None, "").server.to_string(), "https://b");
    assert_eq!(options(&["g", "--server", "ws://a"], &env, None, "").server.to_string(), "http://a");
}

#[test]
fn the_rest() {
    let plain = options(&["g"], &[], None, "");
    assert_eq!((plain.patience, plain.ca, plain.verbose), (Duration::from_millis(9500), None, false));
    let env = [("KIBITZ_PATIENCE_MS", "5"), ("KIBITZ_CA", "a.pem"), ("KIBITZ_VERBOSE", "1")];
    let set = options(&["g"], &env, None, "");
    assert_eq!((set.patience, set.ca, set.verbose), (Duration::from_millis(5), Some("a.pem".into()), true));
    assert_eq!(plain.memory, Some("kibitz-g.memory".into()));
    assert_eq!(options(&["../g/", "--memory", "-"], &[], None, "").memory, None);
    assert_eq!(options(&["../g/"], &[], None, "").memory, Some("kibitz-g.memory".into()));
    assert_eq!(options(&["g"], &[("KIBITZ_MEMORY", "m")], None, "").memory, Some("m".into()));
    assert!(!plain.offline && options(&["g", "--offline"], &[], None, "").offline);
    assert!(options(&["g"], &[("KIBITZ_OFFLINE", "1")], None, "").offline);
    assert_eq!(run(&["--help"], &[], None, ""), Ok(Command::Help(HELP)));
    assert_eq!(run(&["-V"], &[], None, ""), Ok(Command::Version));
}

#[test]
fn wrong_use_is_one_sentence() {
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
