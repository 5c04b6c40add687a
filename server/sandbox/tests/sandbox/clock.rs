//! The clock counts instructions, the random numbers come from the seed.

use std::time::Duration;

use kibitz_sandbox::{Ending, FUEL_PER_SECOND, Instance, PrivateFiles, fuel_of, time_of};

use super::{FUEL, WALL, program, run, text};

/// Prints the time of the clock with this number.
fn now(clock: u32) -> String {
    format!(
        "(drop (call $clock (i32.const {clock}) (i64.const 1) (i32.const 256))) (call $number (i64.load (i32.const 256)))"
    )
}

/// Works for 10 million turns of a loop.
const WORK: &str = r#"(func $work (local $n i32)
    (loop $again
      (local.set $n (i32.add (local.get $n) (i32.const 1)))
      (br_if $again (i32.lt_u (local.get $n) (i32.const 10000000)))))"#;

#[test]
fn clock_shows_the_fuel_that_is_used() {
    let program =
        program(&format!(r#"{WORK} (func (export "_start") {} (call $work) {} {})"#, now(1), now(1), now(0)));
    let before = 5 * FUEL_PER_SECOND;
    let mut bot = Instance::start(&program, [0; 32], PrivateFiles::new(0), before);
    let mut used = before;
    let mut read = |instance: &mut Instance| {
        let step = instance.resume(FUEL, WALL);
        let told: u64 = text(&step)[0].parse().unwrap();
        used += step.fuel;
        (told, used / (FUEL_PER_SECOND / 1_000_000_000))
    };
    // A clock that begins where the seat's last program stopped, and is at most the fuel that the whole step has used.
    let (first, used_first) = read(&mut bot);
    assert!((5_000_000_000..used_first).contains(&first), "{first} {used_first}");
    let (second, used_second) = read(&mut bot);
    assert!((used_first..used_second).contains(&second), "{second} {used_first} {used_second}");
    // Eight instructions, two nanoseconds a turn.
    assert!((20_000_000..20_010_000).contains(&(second - first)), "{}", second - first);
    let (wall, _) = read(&mut bot);
    assert_eq!(Duration::from_nanos(wall).as_secs(), 1_704_067_205);
}

#[test]
fn fuel_is_time() {
    assert_eq!(time_of(FUEL_PER_SECOND * 3 / 2), Duration::from_millis(1500));
    assert_eq!(fuel_of(Duration::from_millis(1500)), FUEL_PER_SECOND * 3 / 2);
    assert_eq!(fuel_of(Duration::MAX), u64::MAX);
}

/// Sleeps for a second, then says the time.
#[test]
fn sleep_uses_the_time_of_the_clock() {
    let sleep = r#"
        (i32.store8 (i32.const 264) (i32.const 0))
        (i32.store (i32.const 272) (i32.const 1))
        (i64.store (i32.const 280) (i64.const 1000000000))
        (drop (call $poll (i32.const 256) (i32.const 512) (i32.const 1) (i32.const 600)))"#;
    let program = program(&format!(r#"(func (export "_start") {sleep} {})"#, now(1)));
    let began = std::time::Instant::now();
    let mut bot = Instance::start(&program, [0; 32], PrivateFiles::new(0), 0);
    let step = bot.resume(2 * FUEL_PER_SECOND, WALL);
    assert!((FUEL_PER_SECOND..FUEL_PER_SECOND + 1_000_000).contains(&step.fuel), "{}", step.fuel);
    assert!(text(&step)[0].starts_with("1000"), "{step:?}");
    // It does not keep the machine waiting; a second of sleep would be a part of this.
    assert!(began.elapsed() < Duration::from_secs(60));
    let mut bot = Instance::start(&program, [0; 32], PrivateFiles::new(0), 0);
    assert_eq!(bot.resume(FUEL_PER_SECOND / 2, WALL).state, Err(Ending::OutOfFuel));
}

#[test]
fn random_numbers_come_from_the_seed() {
    let program = program(
        r#"(func (export "_start")
          (drop (call $random (i32.const 256) (i32.const 8)))
          (call $number (i64.load (i32.const 256))))"#,
    );
    let drawn =
        |seed: u8| text(&Instance::start(&program, [seed; 32], PrivateFiles::new(0), 0).resume(FUEL, WALL));
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    assert_eq!(run(&program), run(&program));
}
