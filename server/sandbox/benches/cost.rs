//! What a program costs in the sandbox: `cargo bench -p kibitz-sandbox`. The comparison with the native program needs `cc`, `clang` and
//! the C library for WASI (Debian: clang, lld, wasi-libc, libclang-rt-14-dev-wasm32).

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use kibitz_sandbox::{Instance, PrivateFiles, ProgramLimits, Sandbox, time_of};

const WALL: Duration = Duration::from_secs(600);

/// Memory of this process, in KiB.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn begin(program: &kibitz_sandbox::Program) -> Instance {
    Instance::start(program, [0; 32], PrivateFiles::new(16 << 20), 0)
}

fn compiled(compiler: &str, options: &[&str], to: &Path) -> bool {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/work.c");
    let done = Command::new(compiler).args(options).arg("-o").arg(to).arg(source).status();
    done.is_ok_and(|status| status.success())
}

fn main() {
    let folder = std::env::temp_dir().join(format!("kibitz-sandbox-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (native, module) = (folder.join("work"), folder.join("work.wasm"));
    let is_there =
        compiled("cc", &["-O2"], &native) && compiled("clang", &["--target=wasm32-wasi", "-O2"], &module);
    if is_there {
        measure(&native, &module);
    } else {
        println!("cc or clang cannot compile; see the head of benches/cost.rs");
    }
    // A folder that stays is no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

fn measure(native: &Path, module: &Path) {
    let began = Instant::now();
    let sandbox = Sandbox::new(ProgramLimits::default()).expect("a sandbox");
    println!("sandbox: {:?}", began.elapsed());
    let bytes = std::fs::read(module).expect("the module");
    let began = Instant::now();
    let program = sandbox.compile(&bytes).expect("a program");
    println!("compile {} KiB: {:?}", bytes.len() / 1024, began.elapsed());

    // A program that has begun and waits for its first line; its memory is what it has touched.
    let waits = wat::parse_str(
        r#"(module (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
          (memory (export "memory") 2)
          (func (export "_start") (i32.store (i32.const 4) (i32.const 9))
            (drop (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 64)))))"#,
    );
    let waiting = sandbox.compile(&waits.expect("a module")).expect("a program");
    let starts = (0..2000).map(|_| {
        let began = Instant::now();
        begin(&waiting).resume(1_000_000, WALL);
        began.elapsed()
    });
    println!("start and end of a process: p50 {:?}", middle(starts.collect()));
    let before = resident_kib();
    let mut bots: Vec<_> = (0..1000).map(|_| begin(&waiting)).collect();
    bots.iter_mut().for_each(|bot| drop(bot.resume(1_000_000, WALL)));
    println!("memory of a waiting program: {} KiB", (resident_kib() - before) / 1000);

    let (mut ours, mut theirs, mut fuel) = (Vec::new(), Vec::new(), 0);
    for _ in 0..5 {
        let began = Instant::now();
        let step = begin(&program).resume(u64::MAX, WALL);
        ours.push(began.elapsed());
        fuel = step.fuel;
        let began = Instant::now();
        let native = Command::new(native).output().expect("the native program");
        theirs.push(began.elapsed());
        assert_eq!(step.lines[0], native.stdout.trim_ascii_end(), "the same result");
    }
    let (ours, theirs) = (middle(ours), middle(theirs));
    println!(
        "work: {ours:?} in the sandbox, {theirs:?} native: {:.2} of the native speed; fuel is {:?} of its clock",
        theirs.as_secs_f64() / ours.as_secs_f64(),
        time_of(fuel)
    );
}
