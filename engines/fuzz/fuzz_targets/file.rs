//! See `engines_fuzz::file`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engines_fuzz::file(engines_fuzz::game(), data));
