//! Files that are generated: compared with what the program says now, and written anew on request.

#![allow(dead_code, reason = "each integration test compiles this module anew and uses only a part of it")]
#![allow(unreachable_pub, reason = "in a test, `pub` says what the other tests may use")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A path in the project.
pub fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file in the project.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(root(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Fails where a file is not `wanted`; writes it instead where `UPDATE_GOLDEN` is set.
pub fn check(path: &str, wanted: &str) {
    let present = std::fs::read_to_string(root(path)).unwrap_or_default();
    if present == wanted {
        return;
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        return std::fs::write(root(path), wanted).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
    let line = present.lines().zip(wanted.lines()).take_while(|(a, b)| a == b).count();
    panic!(
        "{path} is not what the program says, from line {} on:\n  there: {}\n  now:   {}\n\
         read the difference, then run the test again with UPDATE_GOLDEN=1",
        line + 1,
        present.lines().nth(line).unwrap_or("(end)"),
        wanted.lines().nth(line).unwrap_or("(end)"),
    );
}

/// The text between `<!-- NAME -->` and `<!-- /NAME -->`, replaced.
pub fn replace_block(page: &str, name: &str, block: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let from = page.find(&open).unwrap_or_else(|| panic!("no {open}")) + open.len();
    let to = from + page[from..].find(&close).unwrap_or_else(|| panic!("no {close}"));
    format!("{}{block}{}", &page[..from], &page[to..])
}

/// The built program, in the project's root, with nothing of this user's or machine's settings.
pub fn shell(line: &str, home: &Path) -> Command {
    let program = Path::new(env!("CARGO_BIN_EXE_lockblame"));
    let path = std::env::var("PATH").expect("there is a PATH");
    let folder = program.parent().expect("a program lies in a folder").display();
    let mut command = Command::new("bash");
    command.args(["-eu", "-o", "pipefail", "-c", line]).current_dir(root(".")).env_clear();
    command.env("PATH", format!("{folder}:{path}")).env("HOME", home).env("LANG", "C.UTF-8");
    command
}

/// What a command prints on stdout; it must succeed.
pub fn stdout_of(line: &str) -> String {
    let home = tempfile::tempdir().expect("a folder can be made");
    let output = shell(line, home.path()).output().expect("bash runs");
    // `head` closes the pipe early, which is no failure of the program: it ends with 0 then.
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("output is UTF-8")
}
