//! The picture of the gallery that is made from recordings which do not come with the source.

#[path = "support/golden.rs"]
mod golden;
#[path = "support/shared.rs"]
#[allow(dead_code, unreachable_pub, reason = "each integration test compiles this module anew")]
mod shared;

use std::process::Command;

const COMMAND: &str = "lockblame diff cloud8a-2-sigs-before-cycles-r1 cloud8a-2-sigs-fixed-cycles-r1 \
                       --kallsyms kallsyms/cloud8a.gz --symfs symfs --format mail --limit 4 -q";

#[test]
fn the_signal_lock_is_as_the_page_shows_it() {
    let Some(lab) = shared::folder("lab") else { return };
    let words = COMMAND.split_whitespace().skip(1);
    let output = Command::new(env!("CARGO_BIN_EXE_lockblame"))
        .args(words)
        .current_dir(&lab)
        .env("HOME", "/nonexistent")
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("ASCII");
    let shown = format!("$ {COMMAND}\n{text}");
    let page = golden::read("docs/gallery.md");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let (head, rest) = page.split_once("```text\n").expect("the page has the block");
        let (_, tail) = rest.split_once("```").expect("the block ends");
        std::fs::write(golden::root("docs/gallery.md"), format!("{head}```text\n{shown}```{tail}"))
            .expect("the page can be written");
        return;
    }
    assert!(page.contains(&shown), "docs/gallery.md shows something else than:\n{shown}");
}
