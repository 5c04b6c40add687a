//! The check of an uploaded module before it is compiled: any bytes are refused or weighed in time, and no valid module counts as a
//! damaged one.
#![no_main]
#![allow(dead_code, unreachable_pub)]

#[path = "../../../server/sandbox/src/compile_cost/mod.rs"]
mod compile_cost;
#[path = "../../../server/sandbox/src/data_segments.rs"]
mod data_segments;
#[path = "../../../server/sandbox/src/refusal.rs"]
mod refusal;

use compile_cost::compile_cost;
use data_segments::join_data;
use refusal::ProgramRefusal;
use wasm_smith::{Config, Module};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else { return };
    if kind % 4 == 0 {
        // Whatever it is, it ends and does not panic.
        let _ = compile_cost(rest);
        return;
    }
    let Ok(module) = Module::new(of_programs(), &mut arbitrary(rest)) else { return };
    let bytes = module.to_bytes();
    match compile_cost(&bytes) {
        Err(ProgramRefusal::Invalid(why)) => panic!("a valid module is refused: {why}"),
        Err(_) => {}
        Ok(weighed) => {
            assert!(weighed.cost <= 5_000_000, "{weighed:?}");
            if let Ok(joined) = join_data(&bytes, weighed.names_data) {
                assert_eq!(compile_cost(&joined), Ok(weighed), "a module with joined data is the same");
            }
        }
    }
    // A part of a module is damaged, and ends too.
    let _ = compile_cost(&bytes[..bytes.len() / 2]);
});

/// What programs may use of WebAssembly.
fn of_programs() -> Config {
    Config {
        exceptions_enabled: false,
        gc_enabled: false,
        memory64_enabled: false,
        relaxed_simd_enabled: false,
        threads_enabled: false,
        ..Config::default()
    }
}

fn arbitrary(data: &[u8]) -> libfuzzer_sys::arbitrary::Unstructured<'_> {
    libfuzzer_sys::arbitrary::Unstructured::new(data)
}
