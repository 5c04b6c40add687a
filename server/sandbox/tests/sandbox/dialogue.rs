//! Lines go in and out; the program pauses where the referee has its say.

use kibitz_sandbox::{Ending, Pause};

use super::{FUEL, WALL, begin, program, run, text};

/// Answers each line with the same line, until its input ends.
const ECHO: &str = r#"(func (export "_start") (local $n i32)
    (loop $again
      (local.set $n (call $read (i32.const 100)))
      (if (local.get $n) (then
        (call $print (i32.const 1024) (local.get $n))
        (br $again)))))"#;

#[test]
fn program_waits_for_lines_and_pauses_after_its_own() {
    let program = program(ECHO);
    let mut bot = begin(&program);
    let step = bot.resume(FUEL, WALL);
    assert_eq!((step.state.clone(), text(&step)), (Ok(Pause::Waits), vec![]));
    assert!(step.fuel > 0);
    for line in ["one", "two"] {
        bot.say(line);
        let step = bot.resume(FUEL, WALL);
        assert_eq!((step.state.clone(), text(&step)), (Ok(Pause::Wrote), vec![line.to_owned()]));
        assert_eq!(bot.resume(FUEL, WALL).state, Ok(Pause::Waits));
    }
    bot.end_input();
    assert_eq!(bot.resume(FUEL, WALL).state, Err(Ending::Exited(0)));
    // A program that is over does nothing more.
    let step = bot.resume(FUEL, WALL);
    assert_eq!((step.state, step.fuel), (Err(Ending::Exited(0)), 0));
}

#[test]
fn same_lines_use_the_same_fuel() {
    let program = program(ECHO);
    let played = || {
        let mut bot = begin(&program);
        ["first", "", "and a longer third line"].map(|line| {
            bot.say(line);
            let step = bot.resume(FUEL, WALL);
            (step.fuel, text(&step))
        })
    };
    let first = played();
    assert!(first[2].0 > 0, "{first:?}");
    for _ in 0..10 {
        assert_eq!(played(), first);
    }
}

/// A line in two parts is one line, two lines in one write are two, and the last line may lack its end.
#[test]
fn lines_are_what_is_between_line_breaks() {
    let program = program(
        r#"(data (i32.const 2048) "one\r\ntwo\nthree")
        (func (export "_start")
          (call $print (i32.const 2048) (i32.const 2))
          (call $print (i32.const 2050) (i32.const 12)))"#,
    );
    let mut bot = begin(&program);
    let step = bot.resume(FUEL, WALL);
    assert_eq!(
        (step.state.clone(), text(&step)),
        (Ok(Pause::Wrote), vec!["one".to_owned(), "two".to_owned()])
    );
    let step = bot.resume(FUEL, WALL);
    assert_eq!((step.state.clone(), text(&step)), (Err(Ending::Exited(0)), vec!["three".to_owned()]));
}

#[test]
fn exit_code_and_standard_error_are_told() {
    let ended = run(&program(
        r#"(data (i32.const 2048) "a note\n")
        (func (export "_start")
          (call $warn (i32.const 2048) (i32.const 7))
          (call $proc_exit (i32.const 3)))"#,
    ));
    assert_eq!(ended, (Ending::Exited(3), String::new(), "a note\n".to_owned()));
}

/// What the author sees of a crash: what happened, and in which of the functions.
#[test]
fn crash_names_its_functions() {
    let (ending, ..) = run(&program(
        r#"(func $choose_move (drop (i32.div_u (i32.const 1) (i32.load (i32.const 512)))))
        (func $main (export "_start") (call $choose_move))"#,
    ));
    let Ending::Trapped(words) = ending else { panic!("{ending:?}") };
    assert_eq!(words, "an integer was divided by zero, in choose_move, called by main");
}
