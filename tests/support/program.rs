//! Runs the program as a user does: no terminal, no symbols but those that a test names.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// The program, in an environment that no setting of the machine reaches.
pub fn lockblame() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockblame"));
    command.env_remove("NO_COLOR").env("TERM", "xterm").env("HOME", "/nonexistent");
    command
}

/// Runs it; whatever it answers.
pub fn run(args: &[impl AsRef<OsStr>]) -> Output {
    lockblame().args(args).output().expect("the program starts")
}

/// What it prints, where that must succeed.
pub fn printed(args: &[impl AsRef<OsStr> + std::fmt::Debug]) -> String {
    let output = run(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap_or_else(|_| panic!("{args:?} prints no UTF-8"))
}

/// The JSON it prints.
pub fn json(args: &[impl AsRef<OsStr> + std::fmt::Debug]) -> Value {
    let text = printed(args);
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}"))
}

/// Arguments that may hold paths.
pub fn args<const N: usize>(words: [&OsStr; N]) -> Vec<std::ffi::OsString> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A fixture's file.
pub fn fixture(name: &str, file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name).join(file)
}
