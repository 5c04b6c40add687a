//! Programs that want more than they may have. Each is stopped; none harms the process that runs it.

use std::time::{Duration, Instant};

use kibitz_sandbox::{Ending, Pause};

use super::{FUEL, WALL, begin, program, run, text};

#[test]
fn endless_loops_run_out_of_fuel() {
    for body in [
        r#"(func (export "_start") (loop $again (br $again)))"#,
        // Before the program begins.
        r#"(func $forever (loop $again (br $again))) (start $forever) (func (export "_start"))"#,
        // In calls of the system.
        r#"(func (export "_start") (loop $again
          (drop (call $random (i32.const 0) (i32.const 65536))) (br $again)))"#,
        r#"(func (export "_start") (loop $again (call $warn (i32.const 0) (i32.const 65536)) (br $again)))"#,
        // A sleep that does not pass.
        r#"(func (export "_start") (i32.store (i32.const 272) (i32.const 1))
          (i64.store (i32.const 280) (i64.const -1))
          (drop (call $poll (i32.const 256) (i32.const 512) (i32.const 1) (i32.const 600))))"#,
    ] {
        let step = begin(&program(body)).resume(FUEL / 100, WALL);
        assert_eq!(step.state, Err(Ending::OutOfFuel), "{body}");
        assert_eq!(step.fuel, FUEL / 100, "all of it is used: {body}");
    }
}

/// An instruction that fills all of the memory counts as one; the machine's own clock ends it.
#[test]
fn instructions_that_take_long_are_stopped_by_the_wall_clock() {
    let program = program(
        r#"(func (export "_start")
          (drop (memory.grow (i32.const 1000)))
          (loop $again
            (memory.fill (i32.const 0) (i32.const 1) (i32.const 65000000))
            (br $again)))"#,
    );
    let began = Instant::now();
    let step = begin(&program).resume(u64::MAX, Duration::from_millis(200));
    assert_eq!(step.state, Err(Ending::TookTooLong));
    assert!(began.elapsed() >= Duration::from_millis(150), "{:?}", began.elapsed());
}

#[test]
fn memory_and_tables_grow_to_their_limits() {
    let grown = run(&program(
        r#"(table $t 1 funcref)
        (func (export "_start")
          (call $number (i64.extend_i32_u (memory.grow (i32.const 4095))))
          (call $number (i64.extend_i32_u (memory.grow (i32.const 4094))))
          (call $number (i64.extend_i32_u (memory.grow (i32.const 1))))
          (call $number (i64.extend_i32_u (table.grow $t (ref.null func) (i32.const 100000))))
          (call $number (i64.extend_i32_u (table.grow $t (ref.null func) (i32.const 99999)))))"#,
    ));
    // -1: refused. The memory has 4,096 pages at most, of which it begins with two.
    let refused = u32::MAX.to_string();
    assert_eq!(grown.1.lines().collect::<Vec<_>>(), [&refused, "2", &refused, &refused, "1"]);
    assert_eq!(grown.0, Ending::Exited(0));
}

#[test]
fn deep_recursion_ends_the_program() {
    let (ending, ..) = run(&program(
        r#"(func $deeper (param i32) (result i32)
          (i32.add (i32.const 1) (call $deeper (i32.add (local.get 0) (i32.const 1)))))
        (func (export "_start") (drop (call $deeper (i32.const 0))))"#,
    ));
    let Ending::Trapped(words) = ending else { panic!("{ending:?}") };
    assert!(words.starts_with("the stack is full: a recursion is too deep, in deeper"), "{words}");
}

#[test]
fn output_without_end_is_bounded() {
    let flood = |fd: u32, length: u32| {
        program(&format!(
            r#"(func (export "_start")
              (memory.fill (i32.const 1024) (i32.const 120) (i32.const 65000))
              (loop $again (call $to (i32.const {fd}) (i32.const 1024) (i32.const {length})) (br $again)))"#
        ))
    };
    // A line without an end.
    assert_eq!(begin(&flood(1, 65_000)).resume(FUEL, WALL).state, Err(Ending::LineTooLong));
    // Standard error: the beginning is kept, the rest is counted.
    let step = begin(&flood(2, 60_000)).resume(FUEL, WALL);
    assert_eq!((step.state, step.errors.len()), (Err(Ending::OutOfFuel), 64 << 10));
    assert!(step.errors_cut > 100_000_000, "{}", step.errors_cut);
    // Lines without end: each write of them pauses the program, so they are never many.
    let lines = program(
        r#"(func (export "_start") (memory.fill (i32.const 1024) (i32.const 10) (i32.const 65000))
          (loop $again (call $print (i32.const 1024) (i32.const 65000)) (br $again)))"#,
    );
    let mut bot = begin(&lines);
    for _ in 0..3 {
        let step = bot.resume(FUEL, WALL);
        assert_eq!((step.state, step.lines.len()), (Ok(Pause::Wrote), 65_000));
    }
}

/// Pointers into nothing are refused by a number, and lists without end too.
#[test]
fn calls_with_bad_addresses_fail() {
    let (ending, lines, _) = run(&program(
        r#"(func (export "_start")
          (call $number (i64.extend_i32_u
            (call $fd_write (i32.const 1) (i32.const -8) (i32.const 1) (i32.const 64))))
          (call $number (i64.extend_i32_u
            (call $fd_write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 64))))
          (i32.store (i32.const 0) (i32.const -16))
          (i32.store (i32.const 4) (i32.const 4096))
          (call $number (i64.extend_i32_u
            (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64))))
          (call $number (i64.extend_i32_u (call $random (i32.const 0) (i32.const -1))))
          (call $number (i64.extend_i32_u
            (call $fd_read (i32.const 9) (i32.const 0) (i32.const 1) (i32.const 64))))
          (call $number (i64.extend_i32_u
            (call $poll (i32.const 0) (i32.const 0) (i32.const 1000000) (i32.const 64)))))"#,
    ));
    assert_eq!(ending, Ending::Exited(0));
    // 21: bad address, 28: bad argument, 8: bad descriptor. The buffer of the sixth and of others was overwritten by a number.
    assert_eq!(lines.lines().collect::<Vec<_>>(), ["21", "28", "21", "21", "8", "28"]);
}

#[test]
fn network_is_refused_in_words() {
    let (ending, ..) = run(&program(
        r#"(func (export "_start") (drop (call $send
          (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))))"#,
    ));
    let Ending::Trapped(words) = ending else { panic!("{ending:?}") };
    assert!(words.starts_with("it called sock_send: a program has no network"), "{words}");
}

/// Thousands of programs at rest cost memory, and nothing else.
#[test]
fn many_programs_wait_at_the_same_time() {
    let program = program(
        r#"(func (export "_start") (local $n i32)
          (local.set $n (call $read (i32.const 100)))
          (call $print (i32.const 1024) (local.get $n)))"#,
    );
    let mut bots: Vec<_> = (0..500).map(|_| begin(&program)).collect();
    for bot in &mut bots {
        assert_eq!(bot.resume(FUEL, WALL).state, Ok(Pause::Waits));
    }
    for (n, bot) in bots.iter_mut().enumerate() {
        bot.say(&n.to_string());
        assert_eq!(text(&bot.resume(FUEL, WALL)), [n.to_string()]);
    }
}

/// Who resumes a program that is over learns again how it ended.
#[test]
fn ending_stays_the_same() {
    let mut bot = begin(&program(r#"(func (export "_start") unreachable)"#));
    let first = bot.resume(FUEL, WALL);
    let again = bot.resume(FUEL, WALL);
    assert!(matches!(first.state, Err(Ending::Trapped(_))), "{first:?}");
    assert_eq!((again.state, again.fuel), (first.state, 0));
}
