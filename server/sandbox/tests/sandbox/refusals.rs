//! Modules that are no programs, and what their authors are told.

use std::time::{Duration, Instant};

use kibitz_sandbox::{ProgramLimits, ProgramRefusal};

use super::worst_modules::{COSTLY, TOO_COSTLY, Worst, module};
use super::{SANDBOX, program, run};

/// The sentence with which a module in the text format is refused.
fn refused(text: &str) -> String {
    let module = wat::parse_str(text).unwrap();
    SANDBOX.compile(&module).err().expect("it is refused").to_string()
}

#[test]
fn refusal_says_what_to_change() {
    const START: &str = r#"(func (export "_start"))"#;
    const MEMORY: &str = r#"(memory (export "memory") 1)"#;
    for (text, said) in [
        (
            format!(r#"(module (import "env" "fetch" (func)) {START} {MEMORY})"#),
            "the module imports 'fetch' from 'env'; a program may import only functions of wasi_snapshot_preview1",
        ),
        (
            format!(r#"(module (import "wasi_snapshot_preview1" "exec" (func)) {START} {MEMORY})"#),
            "the module imports 'exec' from 'wasi_snapshot_preview1'",
        ),
        (format!("(module {MEMORY})"), "does not export '_start'"),
        (format!(r#"(module (func (export "_start") (param i32)) {MEMORY})"#), "does not export '_start'"),
        (format!("(module {START})"), "does not export 'memory'"),
        (
            format!(r#"(module {START} (memory (export "memory") 5000))"#),
            "begins with 327680000 bytes of memory; a program may have 268435456",
        ),
        (format!("(module {START} {MEMORY} (table 200000 funcref))"), "begin with 200000 elements"),
        (
            format!(
                r#"(module (import "wasi_snapshot_preview1" "proc_exit" (func (param i64))) {START} {MEMORY})"#
            ),
            "incompatible import type",
        ),
        (format!(r#"(module {START} (memory (export "memory") 1 1 shared))"#), "threads"),
        (format!(r#"(module {START} (memory (export "memory") i64 1))"#), "memory64"),
        (format!("(module {START} {MEMORY} (memory 1))"), "multiple memories"),
        (
            format!(
                "(module {START} {MEMORY} (func (result v128) (i8x16.relaxed_swizzle
                (v128.const i64x2 0 0) (v128.const i64x2 0 0))))"
            ),
            "relaxed",
        ),
    ] {
        let words = refused(&text);
        assert!(words.contains(said), "{words:?} does not say {said:?}");
        assert!(!words.contains('\n'), "{words:?}");
    }
}

#[test]
fn files_that_are_no_modules_are_refused() {
    let refusal = |bytes: &[u8]| SANDBOX.compile(bytes).err().expect("it is refused");
    for bytes in [&b""[..], b"#!/usr/bin/python3\n", b"\x7fELF\x02\x01\x01\0\0", b"\0asm"] {
        assert_eq!(refusal(bytes), ProgramRefusal::OtherFile);
    }
    assert_eq!(refusal(b"\0asm\x0d\0\x01\0"), ProgramRefusal::Component);
    assert!(matches!(refusal(b"\0asm\x01\0\0\0\x01\xff"), ProgramRefusal::Invalid(_)));
    let long = vec![0; (16 << 20) + 1];
    assert_eq!(
        SANDBOX.compile(&long).err().expect("it is refused"),
        ProgramRefusal::TooLong { bytes: (16 << 20) + 1, limit: 16 << 20 }
    );
}

/// What would take too long to compile, or too much memory, is refused before it is compiled; what compilers write is far below the
/// limits.
#[test]
fn modules_made_to_be_slow_are_refused_before_they_are_compiled() {
    for &worst in TOO_COSTLY {
        let bytes = module(worst);
        assert!(bytes.len() <= ProgramLimits::default().module_bytes, "{worst:?}");
        let began = Instant::now();
        let refusal = SANDBOX.compile(&bytes).err().unwrap_or_else(|| panic!("{worst:?} is refused"));
        assert!(
            matches!(
                refusal,
                ProgramRefusal::TooMany { .. }
                    | ProgramRefusal::CostlyModule { .. }
                    | ProgramRefusal::CostlyFunction { .. }
            ),
            "{worst:?}: {refusal}"
        );
        // Far less than what it would take to compile them.
        assert!(began.elapsed() < Duration::from_secs(20), "{worst:?}: {:?}", began.elapsed());
    }
    for &worst in COSTLY {
        let cost = SANDBOX.estimate(&module(worst)).unwrap_or_else(|e| panic!("{worst:?}: {e}"));
        assert!(cost > 10_000, "{worst:?}: {cost}");
    }
}

#[test]
fn refusal_of_a_costly_function_names_it() {
    let words = SANDBOX.compile(&module(Worst::BranchesAndLocals(5_000, 10_000))).err().unwrap().to_string();
    assert!(words.starts_with("function 1 of the module takes too long to compile"), "{words}");
    let words = SANDBOX.compile(&module(Worst::Imports(1_001))).err().unwrap().to_string();
    assert_eq!(words, "the module has 1001 imports; a program may have 1000");
}

/// Go leaves out runs of zeros: tens of thousands of short pieces of data, which are joined.
#[test]
fn many_pieces_of_data_are_joined() {
    let sum = r#"(func (export "_start") (local $at i32) (local $sum i64)
        (loop $next
          (local.set $sum (i64.add (i64.mul (local.get $sum) (i64.const 31))
            (i64.load8_u offset=4096 (local.get $at))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br_if $next (i32.lt_u (local.get $at) (i32.const 60000))))
        (call $number (local.get $sum)))"#;
    let piece =
        |n: usize| format!(r#"(data (i32.const {}) "{}")"#, 4096 + 20 * n, ["a", "bcd", "0123456789"][n % 3]);
    let few: String = (0..60).map(piece).collect();
    let many: String = (0..2_900).map(piece).collect();
    let mut expected = [0_u8; 60_000];
    for n in 0..2_900 {
        let text = ["a", "bcd", "0123456789"][n % 3].as_bytes();
        expected[20 * n..20 * n + text.len()].copy_from_slice(text);
    }
    let sum_of = |bytes: &[u8]| {
        bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add((*byte).into()))
    };
    let printed = |data: &str| run(&program(&format!("{data} {sum}"))).1;
    assert_eq!(printed(&many), sum_of(&expected).to_string());
    expected[20 * 60..].fill(0);
    assert_eq!(printed(&few), sum_of(&expected).to_string());
    // What a later piece writes over an earlier one stays so.
    let over: String = (0..100).rev().map(piece).collect();
    expected[20 * 60..20 * 100].fill(0);
    for n in 60..100 {
        let text = ["a", "bcd", "0123456789"][n % 3].as_bytes();
        expected[20 * n..20 * n + text.len()].copy_from_slice(text);
    }
    assert_eq!(printed(&over), sum_of(&expected).to_string());
    // Pieces that instructions name keep their numbers.
    let named = r#"(data $last "xyz") (func $copy
        (memory.init $last (i32.const 4096) (i32.const 0) (i32.const 3)) (data.drop $last))"#;
    let start = sum.replace("(loop $next", "(call $copy) (loop $next");
    let names: String = (1..100).map(piece).collect();
    expected[..3].copy_from_slice(b"xyz");
    assert_eq!(run(&program(&format!("{names} {named} {start}"))).1, sum_of(&expected).to_string());
    let scattered: String = (0..2_100).rev().map(piece).collect();
    let words =
        SANDBOX.compile(&super::modules::with(&format!("{scattered} {sum}"))).err().unwrap().to_string();
    assert_eq!(words, "the module has 2100 pieces of data that cannot be joined; a program may have 2000");
}
