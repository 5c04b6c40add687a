//! Modules that are no programs, and what their authors are told.

use std::time::{Duration, Instant};

use kibitz_sandbox::ProgramRefusal;

use super::SANDBOX;

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

/// What a module that wants to cost much can do: functions without end, locals without end. It is refused, or compiled in time.
#[test]
fn modules_made_to_be_slow_are_compiled_in_time() {
    let locals = format!(
        r#"(module (memory (export "memory") 1) (func (export "_start") (local {})))"#,
        "i64 ".repeat(60_000)
    );
    assert!(refused(&locals).contains("locals"), "too many locals");
    let body = "(i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))".repeat(20_000);
    let long = format!(r#"(module (memory (export "memory") 1) (func (export "_start") {body}))"#);
    let many = format!(
        r#"(module (memory (export "memory") 1) (func (export "_start")) {})"#,
        "(func (result i32) (i32.const 1))".repeat(5_000)
    );
    for text in [long, many] {
        let module = wat::parse_str(&text).unwrap();
        let began = Instant::now();
        // It may be either; what counts is that it ends.
        let _ = SANDBOX.compile(&module);
        assert!(began.elapsed() < Duration::from_secs(300), "{:?}", began.elapsed());
    }
}
