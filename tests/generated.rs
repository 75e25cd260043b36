//! Completions and man pages are those that the program prints.

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeSet;

use clap::CommandFactory as _;
use lockblame::cli::Cli;

#[test]
fn completions_are_the_programs() {
    for (shell, file) in [("bash", "lockblame.bash"), ("zsh", "_lockblame"), ("fish", "lockblame.fish")] {
        golden::check(
            &format!("completions/{file}"),
            &golden::stdout_of(&format!("lockblame completions {shell}")),
        );
    }
}

#[test]
fn man_pages_are_the_programs() {
    let command = Cli::command();
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut wanted = BTreeSet::from(["lockblame.1".to_owned()]);
    golden::check("docs/man/lockblame.1", &golden::stdout_of("lockblame man"));
    for name in subcommands.map(clap::Command::get_name) {
        let file = format!("lockblame-{name}.1");
        golden::check(&format!("docs/man/{file}"), &golden::stdout_of(&format!("lockblame man {name}")));
        wanted.insert(file);
    }
    let present: BTreeSet<String> = std::fs::read_dir(golden::root("docs/man"))
        .expect("docs/man is a folder")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("names are UTF-8"))
        .collect();
    assert_eq!(present, wanted, "docs/man holds a page of each subcommand and nothing else");
}
