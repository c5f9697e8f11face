#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hooke_fuzz::parse_skeleton(bytes));
