//! See `engines_fuzz::json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engines_fuzz::json(engines_fuzz::game(), data));
