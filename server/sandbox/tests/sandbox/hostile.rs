//! Programs that want more than they may have. Each is stopped; none harms the process that runs it.

use std::time::{Duration, Instant};

use kibitz_sandbox::{Ending, Pause};

use super::{FUEL, SANDBOX, WALL, begin, program, run, text};

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

/// Every call of the specification with the types of its parameters: `i` has 32 bits, `I` 64.
const CALLS: [(&str, &str); 46] = [
    ("args_get", "ii"),
    ("args_sizes_get", "ii"),
    ("clock_res_get", "ii"),
    ("clock_time_get", "iIi"),
    ("environ_get", "ii"),
    ("environ_sizes_get", "ii"),
    ("fd_advise", "iIIi"),
    ("fd_allocate", "iII"),
    ("fd_close", "i"),
    ("fd_datasync", "i"),
    ("fd_fdstat_get", "ii"),
    ("fd_fdstat_set_flags", "ii"),
    ("fd_fdstat_set_rights", "iII"),
    ("fd_filestat_get", "ii"),
    ("fd_filestat_set_size", "iI"),
    ("fd_filestat_set_times", "iIIi"),
    ("fd_pread", "iiiIi"),
    ("fd_prestat_dir_name", "iii"),
    ("fd_prestat_get", "ii"),
    ("fd_pwrite", "iiiIi"),
    ("fd_read", "iiii"),
    ("fd_readdir", "iiiIi"),
    ("fd_renumber", "ii"),
    ("fd_seek", "iIii"),
    ("fd_sync", "i"),
    ("fd_tell", "ii"),
    ("fd_write", "iiii"),
    ("path_create_directory", "iii"),
    ("path_filestat_get", "iiiii"),
    ("path_filestat_set_times", "iiiiIIi"),
    ("path_link", "iiiiiii"),
    ("path_open", "iiiiiIIii"),
    ("path_readlink", "iiiiii"),
    ("path_remove_directory", "iii"),
    ("path_rename", "iiiiii"),
    ("path_symlink", "iiiii"),
    ("path_unlink_file", "iii"),
    ("poll_oneoff", "iiii"),
    ("proc_exit", "i"),
    ("proc_raise", "i"),
    ("random_get", "ii"),
    ("sched_yield", ""),
    ("sock_accept", "iii"),
    ("sock_recv", "iiiiii"),
    ("sock_send", "iiiii"),
    ("sock_shutdown", "ii"),
];

/// Each call with arguments that no library passes, on each descriptor: it fails, waits or ends the program, and the next program runs.
#[test]
fn calls_with_absurd_arguments_do_no_harm() {
    for (name, parameters) in CALLS {
        let types: Vec<&str> =
            parameters.chars().map(|kind| if kind == 'I' { "i64" } else { "i32" }).collect();
        let result = if name == "proc_exit" { "" } else { "(result i32)" };
        for first in 0..6 {
            let calls = [-1_i64, 0, 1, 65_535, 131_071, i64::from(i32::MAX)].map(|value| {
                let argument = |(at, kind): (usize, &&str)| {
                    let value = if at == 0 && first < 5 { first } else { value };
                    format!("({kind}.const {value})")
                };
                let arguments: String = types.iter().enumerate().map(argument).collect();
                let drop = if result.is_empty() { "call $call" } else { "drop (call $call" };
                let end = if result.is_empty() { "" } else { ")" };
                format!("({drop} {arguments}){end}")
            });
            let text = format!(
                r#"(module
                (import "wasi_snapshot_preview1" "{name}" (func $call (param {}) {result}))
                (memory (export "memory") 2)
                (func (export "_start") {}))"#,
                types.join(" "),
                calls.concat()
            );
            let program =
                SANDBOX.compile(&wat::parse_str(&text).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"));
            let mut bot = begin(&program);
            bot.say("a line");
            bot.end_input();
            for _ in 0..10 {
                if bot.resume(FUEL, WALL).state.is_err() {
                    break;
                }
            }
            assert!(bot.resume(FUEL, WALL).state.is_err(), "{name} {first}: it ends");
        }
    }
}

/// Frames of twenty kilobytes: the stack ends after some of them, and only for this program.
#[test]
fn recursion_of_large_frames_ends_the_program() {
    let locals = 2_500;
    let keep: String =
        (0..locals).map(|n| format!("(local.set {n} (i64.load offset={} (i32.const 0)))", 8 * n)).collect();
    let sum: String =
        (0..locals).map(|n| format!("(local.set 0 (i64.add (local.get 0) (local.get {n})))")).collect();
    let (ending, ..) = run(&program(&format!(
        r#"(func $deeper (local {}) {keep} (call $deeper) {sum} (i64.store (i32.const 0) (local.get 0)))
        (func (export "_start") (call $deeper))"#,
        "i64 ".repeat(locals)
    )));
    let Ending::Trapped(words) = ending else { panic!("{ending:?}") };
    assert!(words.starts_with("the stack is full"), "{words}");
}

/// What an address of a function may not be: outside the table, empty, or of another type.
#[test]
fn jumps_into_nothing_end_the_program() {
    for index in [0, 1, 2, 99, -1] {
        let (ending, ..) = run(&program(&format!(
            r#"(type $kind (func (param i64))) (table 3 funcref) (elem (i32.const 1) $other)
            (func $other)
            (func (export "_start") (call_indirect (type $kind) (i64.const 7) (i32.const {index})))"#
        )));
        assert!(matches!(ending, Ending::Trapped(_)), "{index}: {ending:?}");
    }
}

/// A program can end itself as it likes: with any number, by a signal that is none, or in its start function.
#[test]
fn program_that_ends_itself_ends_nothing_else() {
    let (ending, ..) = run(&program(r#"(func (export "_start") (call $proc_exit (i32.const -1)))"#));
    assert_eq!(ending, Ending::Exited(u32::MAX));
    let text = r#"(module
        (import "wasi_snapshot_preview1" "proc_raise" (func $raise (param i32) (result i32)))
        (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
        (memory (export "memory") 1)
        (func (export "_start") (call $exit (call $raise (i32.const 9)))))"#;
    // 58: there is no such thing here.
    assert_eq!(run(&SANDBOX.compile(&wat::parse_str(text).unwrap()).unwrap()).0, Ending::Exited(58));
    for start in ["unreachable", "(call $proc_exit (i32.const 5))"] {
        let body = format!(r#"(func $first {start}) (start $first) (func (export "_start"))"#);
        let (ending, ..) = run(&program(&body));
        assert!(matches!(ending, Ending::Trapped(_) | Ending::Exited(5)), "{start}: {ending:?}");
    }
}
