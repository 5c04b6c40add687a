//! See `engines_fuzz::referee`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engines_fuzz::referee(engines_fuzz::game(), data));
