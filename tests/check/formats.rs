//! What is written of checks, as its readers read it, whatever the names.

use std::collections::BTreeMap;

use lockblame::check::{Check, parse};
use lockblame::lock::family::Family;
use lockblame::render::{check as render_check, github, junit};
use quick_xml::XmlVersion;
use quick_xml::events::Event;

use crate::sides::{SPIN, check, compared, regression};

fn checks() -> Vec<Check> {
    let hostile = "a\u{1b}[31m<b>&\"'\n::error::x%0A\u{fffe}\u{202e}##[group]";
    let comparison = compared(
        &[((Family::OtherUser, hostile), "f", &[100, 110, 90]), (SPIN, "dput", &[100, 400, 250])],
        &[((Family::OtherUser, hostile), "f", &[300, 310, 290]), (SPIN, "dput", &[300, 500, 400])],
    );
    let outcomes = ["any lock > +1pt", "lock 'x:y,<&' > 1%", "spinlock > +1pt", "total > +50pt"];
    vec![Check {
        before: "v6.1 <old>".to_owned(),
        after: hostile.to_owned(),
        headline: format!("It says {hostile}."),
        outcomes: outcomes.iter().map(|condition| check(condition, &comparison)).collect(),
        warnings: Vec::new(),
    }]
}

fn written(write: impl Fn(&[Check], &mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&checks(), &mut out).expect("memory takes everything");
    String::from_utf8(out).expect("UTF-8")
}

/// XML 1.0, section 2.2.
fn is_xml_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[test]
fn junit_is_well_formed_whatever_the_names() {
    let xml = written(junit::checks);
    assert!(xml.chars().all(is_xml_char));
    let mut reader = quick_xml::Reader::from_str(&xml);
    let mut elements: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(element) | Event::Empty(element) => {
                let name = element.name().as_ref().to_owned();
                let attributes = element.attributes().map(|attribute| {
                    let attribute = attribute.expect("well-formed, no name twice");
                    let value = attribute
                        .normalized_value(XmlVersion::default())
                        .expect("known entities")
                        .into_owned();
                    (attribute.key.as_ref().to_owned(), value)
                });
                elements.push((name, attributes.collect()));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    let count = |name: &str| elements.iter().filter(|(of, _)| of == name).count();
    assert_eq!([count("testsuite"), count("testcase"), count("failure"), count("skipped")], [1, 4, 1, 1]);
    for (name, attributes) in &elements {
        if name.starts_with("testsuite") {
            let numbers = ["tests", "failures", "errors", "skipped"].map(|key| attributes[key].as_str());
            assert_eq!(numbers, ["4", "1", "0", "1"]);
        }
    }
    let names: Vec<&str> = elements
        .iter()
        .filter(|(of, _)| of == "testcase")
        .map(|(_, attributes)| attributes["name"].as_str())
        .collect();
    assert_eq!(names, ["any lock > +1pt", "lock 'x:y,<&' > 1%", "spinlock > +1pt", "total > +50pt"]);
    let failure = &elements.iter().find(|(of, _)| of == "failure").expect("one").1["message"];
    assert!(
        failure.contains("`a\\u{1b}[31m<b>&\"'\\u{a}::error::x%0A\\u{fffe}\\u{202e}##[group]` rises"),
        "{failure}"
    );
}

/// What GitHub's runner does to a line, in its own order: the properties, then the message.
fn annotations(log: &str) -> Vec<(String, String, String)> {
    let command = |line: &str| {
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let (command, properties) = head.split_once(' ')?;
        let title = properties.split(',').find_map(|property| property.strip_prefix("title="))?;
        let plain = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n");
        let title = plain(title).replace("%3A", ":").replace("%2C", ",").replace("%25", "%");
        Some((command.to_owned(), title, plain(message).replace("%25", "%")))
    };
    log.lines().filter_map(command).collect()
}

#[test]
fn github_gets_its_annotations_and_no_other() {
    let log = written(github::checks);
    let found = annotations(&log);
    let titles: Vec<(&str, &str)> =
        found.iter().map(|(command, title, _)| (command.as_str(), title.as_str())).collect();
    assert_eq!(
        titles,
        [
            ("error", "lockblame tripped: any lock > +1pt"),
            ("warning", "lockblame undecided: spinlock > +1pt")
        ]
    );
    assert!(found[0].2.contains("from 1.00 % to 3.00 % of cycles"), "{}", found[0].2);
    assert!(found[0].2.contains("::error::x%0A"), "a name's own percent signs come back: {}", found[0].2);
    // Lines that are no commands hold none of the older form either, which may stand anywhere.
    for line in log.lines().filter(|line| !line.starts_with("::")) {
        assert!(!line.contains("##["), "{line}");
    }
    assert_eq!(log.lines().count(), 5);
}

#[test]
fn a_title_with_colons_and_commas_stays_one_property() {
    let comparison = regression();
    let outcome = check("lock 'a::b,c%2C' < 5%", &comparison);
    let check = Check {
        before: "b".into(),
        after: "a".into(),
        headline: String::new(),
        outcomes: vec![outcome],
        warnings: Vec::new(),
    };
    let mut log = Vec::new();
    github::checks(&[check], &mut log).expect("memory takes everything");
    let found = annotations(&String::from_utf8(log).expect("UTF-8"));
    assert_eq!(found[0].1, "lockblame tripped: lock 'a::b,c%2C' < 5%");
}

#[test]
fn text_is_a_line_a_condition() {
    let text = written(render_check::text);
    let starts: Vec<&str> = text.lines().map(|line| line.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(starts, ["It", "tripped", "passed", "undecided", "passed"]);
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
}

#[test]
fn json_holds_the_decision_and_its_rows() {
    let object = render_check::object(&checks());
    assert_eq!(object["schema"], "lockblame/check/1");
    assert_eq!(object["tripped"], true);
    let conditions = object["comparisons"][0]["conditions"].as_array().expect("a list");
    let decisions: Vec<&str> = conditions.iter().filter_map(|one| one["decision"].as_str()).collect();
    assert_eq!(decisions, ["tripped", "passed", "undecided", "passed"]);
    let row = &conditions[0]["rows"][0];
    assert_eq!(
        (row["family"].as_str(), row["before"]["runs"].as_array().map(Vec::len)),
        (Some("user"), Some(3))
    );
    assert!((row["difference"].as_f64().expect("a number") - 0.02).abs() < 1e-9);
}

#[test]
fn the_documentation_can_be_typed() {
    let page = include_str!("../../docs/check.md");
    let (_, examples) = page.split_once("## Examples").expect("a chapter of examples");
    let (table, formats) = examples.split_once("## Formats").expect("a chapter of formats");
    let conditions: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(condition, _)| condition))
        .collect();
    assert!(conditions.len() > 5);
    for condition in conditions {
        assert!(parse(condition).is_ok(), "{condition}");
    }
    let mut out = Vec::new();
    let outcome = check("spinlock > +1pt", &regression());
    let one = Check {
        before: "b".into(),
        after: "a".into(),
        headline: String::new(),
        outcomes: vec![outcome],
        warnings: Vec::new(),
    };
    render_check::text(&[one], &mut out).expect("memory takes everything");
    let text = String::from_utf8(out).expect("UTF-8");
    assert!(formats.contains(text.trim()), "{text}");
}
