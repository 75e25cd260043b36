//! The tables of docs/locks.md are those of the code.

#[path = "support/golden.rs"]
mod golden;

use lockblame::lock::family::{Family, HELPERS, IDLE, Mode, RULES, Role, SYSCALL_ENTRY, Side, WRAPPERS};

/// Names as a cell or a paragraph of Markdown.
fn code(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// The names of a family in a role, in the table's order.
fn names(family: Family, mode: Option<Mode>, role: Role) -> Vec<&'static str> {
    let fits = |rule: &&lockblame::lock::family::Rule| {
        rule.family == family && rule.mode == mode && rule.role == role
    };
    RULES.iter().filter(fits).flat_map(|rule| rule.patterns).copied().collect()
}

fn families() -> String {
    let mut text = String::from(
        "| family | where | entry: the lock as written | inside: its slow path | unlock |\n|---|---|---|---|---|\n",
    );
    for family in Family::ALL {
        let side = RULES.iter().find(|rule| rule.family == family).map(|rule| rule.side);
        let side = match side.expect("a family has rules") {
            Side::Kernel => "kernel",
            Side::User => "user",
        };
        for mode in [None, Some(Mode::Read), Some(Mode::Write)] {
            let cells =
                [Role::Entry, Role::Inside, Role::Unlock].map(|role| code(&names(family, mode, role)));
            if cells.iter().all(String::is_empty) {
                continue;
            }
            let label = lockblame::lock::site::family_and_mode(family, mode);
            text.push_str(&format!("| `{label}` | {side} | {} |\n", cells.join(" | ")));
        }
    }
    text
}

#[test]
fn the_tables_are_those_of_the_code() {
    let lists =
        [("helpers", HELPERS), ("wrappers", WRAPPERS), ("syscall-entry", SYSCALL_ENTRY), ("idle", IDLE)];
    let mut page = golden::replace_block(&golden::read("docs/locks.md"), "families", &families());
    for (name, list) in lists {
        page = golden::replace_block(&page, name, &format!("{}\n", code(list)));
    }
    golden::check("docs/locks.md", &page);
}

/// A name that two rules of one side list would belong to the first of them only, and the page would lie.
#[test]
fn no_name_stands_twice() {
    let mut seen = std::collections::BTreeSet::new();
    for rule in RULES {
        for pattern in rule.patterns {
            assert!(seen.insert((rule.side == Side::User, pattern)), "{pattern} stands twice");
        }
    }
}

/// The page's example of a file of rules is read, and does what the page says.
#[test]
fn the_example_of_rules_is_read() {
    let page = golden::read("docs/locks.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("rules.toml");
    std::fs::write(&file, example.expect("the page has an example")).expect("it can be written");
    let rules = lockblame::lock::rules::read(&file).expect("the example is read");
    assert!(!rules.rules.is_empty() && !rules.wrappers.is_empty());
}
