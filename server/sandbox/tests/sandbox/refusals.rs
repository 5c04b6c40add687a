//! Modules that are no programs, and what their authors are told.

use std::time::{Duration, Instant};

use kibitz_sandbox::{ProgramLimits, ProgramRefusal};

use super::SANDBOX;
use super::worst_modules::{COSTLY, TOO_COSTLY, Worst, module};

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
    let words = SANDBOX.compile(&module(Worst::LoopsAndLocals(2_000, 2_000))).err().unwrap().to_string();
    assert!(words.starts_with("function 1 of the module takes too long to compile"), "{words}");
    let words = SANDBOX.compile(&module(Worst::Imports(1_001))).err().unwrap().to_string();
    assert_eq!(words, "the module has 1001 imports; a program may have 1000");
}
