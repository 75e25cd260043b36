//! Every example in the pages is run, and prints what the page shows.
//!
//! An example is a line `$ lockblame …` in a block marked `console`; what follows up to the next `$` or the block's
//! end is its output. `UPDATE_GOLDEN=1` rewrites the outputs.

#[path = "support/golden.rs"]
mod golden;

use std::path::Path;

/// README.md and the pages below `docs/`.
fn pages() -> Vec<String> {
    let names = std::fs::read_dir(golden::root("docs")).expect("docs is a folder");
    let names = names.map(|e| e.expect("it can be listed").file_name().into_string().expect("UTF-8"));
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    pages.sort();
    pages
}

/// The page with the outputs of today, and the number of its examples.
fn run_examples(page: &str) -> (String, usize) {
    let mut out = String::new();
    let mut examples = 0;
    let mut in_block = false;
    for line in page.lines() {
        match line {
            "```console" => in_block = true,
            "```" if in_block => in_block = false,
            _ if in_block => {
                let Some(command) = line.strip_prefix("$ ") else { continue };
                assert!(command.starts_with("lockblame "), "an example runs lockblame: {line}");
                out.push_str(&format!("{line}\n{}", golden::stdout_of(command)));
                examples += 1;
                continue;
            }
            _ => {}
        }
        out.push_str(line);
        out.push('\n');
    }
    assert!(!in_block, "a block does not end");
    (out, examples)
}

#[test]
fn examples_print_what_the_pages_show() {
    let mut total = 0;
    for page in pages() {
        let (now, examples) = run_examples(&golden::read(&page));
        golden::check(&page, &now);
        total += examples;
    }
    assert!(total >= 10, "only {total} examples were found");
}

/// A link to a file of the project leads somewhere.
#[test]
fn links_lead_somewhere() {
    let mut links = 0;
    for page in pages() {
        let text = golden::read(&page);
        let folder = Path::new(&page).parent().expect("a page lies in a folder");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") || target.starts_with('#') {
                continue;
            }
            let file = folder.join(target.split('#').next().unwrap_or_default());
            let file = file.to_str().expect("UTF-8");
            assert!(golden::root(file).exists(), "{page} links to {target}, which is not there");
            links += 1;
        }
    }
    assert!(links >= 8, "only {links} links were found");
}

/// The first two lines of shell blocks under "Getting started" are the commands that a newcomer types.
#[test]
fn the_readme_has_two_set_up_commands() {
    let readme = golden::read("README.md");
    let section = readme.split("## Getting started").nth(1).expect("there is a section Getting started");
    let section = section.split("\n## ").next().unwrap_or_default();
    let blocks = section.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands: Vec<&str> = blocks.flat_map(str::lines).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    assert!(commands[0].contains(" report fixtures/"), "{}", commands[0]);
    assert!(commands[1].starts_with("cargo test"), "{}", commands[1]);
}
