//! See `engines_fuzz::bot`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engines_fuzz::bot(engines_fuzz::game(), data));
