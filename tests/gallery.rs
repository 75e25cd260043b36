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

#[test]
fn pictures_are_as_the_script_draws_them() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let mut drawn = 0;
    let script = golden::read("docs/pictures/make.sh");
    let sides: Vec<&str> =
        script.lines().filter(|line| line.starts_with("before=(") || line.starts_with("after=(")).collect();
    for line in script.lines().filter(|line| line.starts_with("lockblame flame ")) {
        let (command, path) = line.rsplit_once(" -o ").expect("a picture has a file");
        let line = format!("{}\n{command}", sides.join("\n"));
        let output = golden::shell(&line, home.path()).output().expect("bash runs");
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        golden::check(path, &String::from_utf8(output.stdout).expect("a picture is text"));
        assert!(
            golden::read("docs/gallery.md").contains(path.trim_start_matches("docs/")),
            "{path} is not shown"
        );
        drawn += 1;
    }
    assert_eq!(drawn, 4);
}
