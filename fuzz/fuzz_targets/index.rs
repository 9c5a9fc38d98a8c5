//! See `src/fuzz.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| namzu_native::fuzz::run("index", bytes));
