//! docs/warnings.md explains the warnings that the program has, and no others.

#[path = "support/golden.rs"]
mod golden;

use std::collections::BTreeSet;

/// The codes in the source: the first argument of each `warning("…`.
fn codes_of_the_source() -> BTreeSet<String> {
    let sources = ["src/report/quality.rs", "src/app/export.rs"].map(golden::read).concat();
    let code: String = sources.split_whitespace().collect();
    code.split("warning(\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

/// The codes on the page: its headings of the second level that are code.
fn codes_of_the_page() -> BTreeSet<String> {
    let page = golden::read("docs/warnings.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    headings.map(str::to_owned).collect()
}

#[test]
fn the_page_has_each_code_of_the_source_and_no_other() {
    let codes = codes_of_the_source();
    assert!(codes.len() >= 10, "only these were found in the source: {codes:?}");
    assert_eq!(codes_of_the_page(), codes);
}

#[test]
fn each_code_has_a_cause_and_a_remedy() {
    let page = golden::read("docs/warnings.md");
    for section in page.split("\n## `").skip(1) {
        let code = section.split('`').next().unwrap_or_default();
        assert!(section.contains("\n**Cause.** "), "{code} has no cause");
        assert!(section.contains("\n**Remedy.** "), "{code} has no remedy");
    }
}
