#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lockblame_fuzz::kallsyms::check(bytes));
