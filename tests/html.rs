//! Pages for a browser: well formed, without anything from outside, with the numbers of JSON, whatever names hold.

#![allow(unreachable_pub, dead_code, reason = "in a test, `pub` says what the other tests may use")]

#[path = "support/lab.rs"]
mod lab;
#[path = "support/program.rs"]
mod program;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use program::{fixture, json, printed, run};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;

/// The largest page.
const LARGEST: usize = 2_000_000;

fn select(text: &str) -> Selector {
    Selector::parse(text).expect("the selector is one")
}

/// The page, of which a browser's parser complains about nothing.
fn parsed(page: &str) -> Html {
    let parsed = Html::parse_document(page);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    parsed
}

fn words(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().trim().to_owned()
}

fn html(args: &[&str]) -> String {
    let mut words = vec!["html", "--quiet"];
    words.extend(args);
    printed(&words)
}

fn path(name: &str) -> String {
    fixture(name, "perf.data").to_str().expect("UTF-8").to_owned()
}

/// The fixtures of both sides of the latencytop pair.
fn pair() -> (Vec<String>, Vec<String>) {
    let side = |name: &str| {
        let runs = ["", "-r2", "-r3", "-r4"];
        runs.iter().map(|run| path(&format!("latencytop-{name}{run}"))).collect::<Vec<_>>()
    };
    (side("before"), side("after"))
}

fn sides() -> Vec<String> {
    let (before, after) = pair();
    let mut args = vec!["--before".to_owned()];
    args.extend(before);
    args.push("--after".to_owned());
    args.extend(after);
    args
}

fn as_strs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

/// The rows of a table: of each cell its number, unrounded, or else its text.
fn rows(page: &Html, part: &str) -> Vec<Vec<String>> {
    let cells = select("th, td");
    let row = |row: ElementRef<'_>| {
        row.select(&cells)
            .map(|cell| cell.value().attr("data-value").map_or_else(|| words(cell), str::to_owned))
            .collect()
    };
    page.select(&select(&format!("{part} tr"))).map(row).collect()
}

fn number(value: &Value) -> String {
    value.as_f64().map_or_else(String::new, |number| number.to_string())
}

/// Texts are equal, and numbers up to what is lost in reading JSON.
fn same(found: &[String], wanted: &[String]) -> bool {
    let is_same = |(one, other): (&String, &String)| match (one.parse::<f64>(), other.parse::<f64>()) {
        (Ok(one), Ok(other)) => (one - other).abs() <= 1e-13 * other.abs(),
        _ => one == other,
    };
    found.len() == wanted.len() && found.iter().zip(wanted).all(is_same)
}

#[track_caller]
fn assert_same(found: &[String], wanted: &[String]) {
    assert!(same(found, wanted), "{found:?} is not {wanted:?}");
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn tables_of_one_side_have_the_numbers_of_json() {
    for name in ["latencytop-before", "mmap-before", "user-mutex", "dup-before"] {
        let page = parsed(&html(&[&path(name)]));
        let report = json(&["report", "--quiet", "--format", "json", &path(name)]);
        let locks = report["locks"].as_array().expect("locks");
        let has_busy = words(page.select(&select("#locks thead")).next().expect("heads")).contains("busy");
        let found = rows(&page, "#locks tbody");
        assert_eq!(found.len(), locks.len(), "{name}");
        for (row, lock) in found.iter().zip(locks) {
            let mut wanted = vec![number(&lock["share"])];
            if has_busy {
                wanted.push(number(&lock["busy_share"]));
            }
            wanted.push(text(&lock["lock"]));
            let names = wanted.len();
            assert_same(&row[..names], &wanted);
            let numbers = [number(&lock["interval"][0]), number(&lock["samples"]), number(&lock["weight"])];
            assert_same(&row[names + 2..], &numbers);
            let caller = lock["callers"][0]["caller"].as_str().unwrap_or("(no caller known)");
            assert!(row[names].ends_with(caller), "{name}: {row:?}");
        }
        let all = &report["contention"];
        let sum = rows(&page, "#locks tfoot").pop().expect("a sum");
        assert_same(&sum[..1], &[number(&all["share"])]);
        assert_same(&sum[sum.len() - 2..], &[number(&all["samples"]), number(&all["weight"])]);

        let mut sites: Vec<[String; 4]> = Vec::new();
        for lock in locks {
            for caller in lock["callers"].as_array().expect("callers") {
                let name = caller["caller"].as_str().unwrap_or("(no caller known)").to_owned();
                sites.push([number(&caller["share"]), name, text(&lock["lock"]), number(&caller["weight"])]);
            }
        }
        let mut found: Vec<_> = rows(&page, "#sites tbody")
            .into_iter()
            .map(|row| [row[0].clone(), row[2].clone(), row[3].clone(), row[5].clone()])
            .collect();
        let by_names = |row: &[String; 4]| (row[2].clone(), row[1].clone());
        found.sort_by_key(by_names);
        sites.sort_by_key(by_names);
        assert_eq!(found.len(), sites.len(), "{name}");
        found.iter().zip(&sites).for_each(|(row, site)| assert_same(row, site));

        let symbols = report["symbols"].as_array().expect("symbols");
        let found = rows(&page, "#symbols tbody");
        assert_eq!(found.len(), symbols.len().min(200), "{name}");
        for (row, symbol) in found.iter().zip(symbols) {
            let wanted = [number(&symbol["self_share"]), text(&symbol["symbol"]), text(&symbol["module"])];
            assert_same(&row[..3], &wanted);
            assert_same(&row[3..], &[number(&symbol["samples"]), number(&symbol["self_weight"])]);
        }
        assert_eq!(
            words(page.select(&select("h1")).next().expect("a heading")),
            text(&report["headline"]).replace('`', "")
        );
    }
}

/// The cells of a comparison's row, as the page has them: figures, name, interval, p.
fn compared(row: &Value) -> Vec<String> {
    let cost = &row["per_op"];
    let mut cells: Vec<String> = cost.get("change").map(number).into_iter().collect();
    cells.extend([number(&row["before"]["mean"]), number(&row["after"]["mean"]), number(&row["points"])]);
    if row.get("symbol").is_none() {
        cells.push(text(&row["verdict"]));
        let caller = row["caller"].as_str().map_or_else(String::new, |caller| format!(" <- {caller}"));
        cells.push(format!(
            "{}{caller}",
            row["lock"].as_str().or(row["family"].as_str()).unwrap_or("all locks")
        ));
    } else {
        cells.push(String::new());
    }
    let p = if cost.is_null() { &row["p_adjusted"] } else { &cost["p_adjusted"] };
    cells.extend([number(&row["interval"][0]), number(p)]);
    cells
}

#[test]
fn tables_of_two_sides_have_the_numbers_of_json() {
    let operations = ["--ops-before", "282,280,290,275", "--ops-after", "5770,5700,5800,5650"];
    for extra in [&[][..], &operations] {
        let mut args = sides();
        args.extend(extra.iter().map(|word| (*word).to_owned()));
        let page = parsed(&html(&as_strs(&args)));
        let mut asked = vec!["diff", "--quiet", "--format", "json"];
        asked.extend(as_strs(&args));
        let difference = json(&asked);
        for (table, key) in [("#rows tbody", "rows"), ("#families tbody", "families")] {
            let wanted: Vec<_> = difference[key].as_array().expect("rows").iter().map(compared).collect();
            assert!(!wanted.is_empty());
            let found = rows(&page, table);
            assert_eq!(found.len(), wanted.len(), "{key}");
            found.iter().zip(&wanted).for_each(|(row, wanted)| assert_same(row, wanted));
        }
        let leading = rows(&page, "#verdict tbody");
        assert_same(&leading[0], &compared(&difference["contention"]));
        let all: Vec<_> = difference["rows"].as_array().expect("rows").iter().map(compared).collect();
        let led: Vec<_> =
            leading.iter().filter(|row| !row.iter().any(|cell| cell.starts_with("all locks"))).collect();
        assert_eq!(led.len(), 8);
        led.iter().zip(&all).for_each(|(row, wanted)| assert_same(row, wanted));
        let symbols = difference["symbols"].as_array().expect("symbols");
        let found = rows(&page, "#symbols tbody");
        assert_eq!(found.len(), symbols.len().min(200));
        for (row, symbol) in found.iter().zip(symbols) {
            let (mut row, mut wanted) = (row.clone(), compared(symbol));
            let name = row.len() - 3;
            assert!(row[name].starts_with(symbol["symbol"].as_str().expect("a name")));
            row.remove(name);
            wanted.remove(name);
            assert_same(&row, &wanted);
        }
        let told: Vec<String> = page.select(&select(".warnings li")).map(words).collect();
        let warned = difference["warnings"].as_array().expect("warnings").iter();
        let wanted: Vec<_> = warned.map(|w| format!("{}: {}", text(&w["code"]), text(&w["text"]))).collect();
        assert_eq!(told, wanted);
        assert_eq!(
            words(page.select(&select("h1")).next().expect("a heading")),
            text(&difference["headline"]).replace('`', "")
        );
    }
}

#[test]
fn trees_have_the_numbers_of_callers() {
    let page = parsed(&html(&[&path("dup-before")]));
    let tree = json(&[
        "callers",
        "-q",
        "--format",
        "json",
        "--lock",
        "_raw_spin_lock",
        "--depth",
        "8",
        &path("dup-before"),
    ]);
    let lock = page.select(&select(".trees > details")).next().expect("a tree");
    let line =
        |element: ElementRef<'_>| -> Vec<String> { element.select(&select("span")).map(words).collect() };
    let percent = |share: &Value| format!("{:.2} %", 100.0 * share.as_f64().expect("a share"));
    let root = &tree["root"];
    let summary = lock.select(&select("summary")).next().expect("a summary");
    let own = line(summary);
    assert_eq!(own[..3], [percent(&root["share"]), "100.00 %".to_owned(), root["samples"].to_string()]);
    let callers = lock.child_elements().find(|child| child.value().name() == "div").expect("callers");
    let found: Vec<Vec<String>> = callers
        .child_elements()
        .map(|child| line(child.select(&select("summary")).next().unwrap_or(child)))
        .collect();
    let worth = |caller: &&Value| caller["share_of_parent"].as_f64().expect("a share") >= 0.01;
    let shown: Vec<&Value> = root["callers"].as_array().expect("callers").iter().filter(worth).collect();
    for (row, caller) in found.iter().zip(&shown) {
        let wanted =
            [percent(&caller["share"]), percent(&caller["share_of_parent"]), caller["samples"].to_string()];
        assert_eq!(row[..3], wanted);
        assert_eq!(row[3], text(&caller["caller"]));
    }
    assert!(shown.len() >= 2);
    assert_eq!(found.len(), shown.len() + 1, "what is left of them is one line");
    assert_eq!(found[shown.len()][3], "others");
    let samples = |row: &Vec<String>| row[2].parse::<u64>().expect("a number");
    assert_eq!(found.iter().map(samples).sum::<u64>(), root["samples"].as_u64().expect("a number"));
}

/// Nothing that a browser would fetch, and no way for it to.
fn asks_for_nothing(page: &str) {
    let parsed = parsed(page);
    let policy = select(r#"meta[http-equiv="Content-Security-Policy"]"#);
    let policy = parsed.select(&policy).next().and_then(|meta| meta.value().attr("content"));
    assert!(
        policy.is_some_and(
            |policy| policy.starts_with("default-src 'none';") && !policy.contains("connect-src")
        )
    );
    let namespaces =
        ["http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml", "http://github.com/jonhoo/inferno"];
    let mut rest = page.to_owned();
    for namespace in namespaces {
        rest = rest.replace(&format!("\"{namespace}\""), "");
    }
    for scheme in ["http:", "https:", "//fonts", "@import", "ws:", "wss:"] {
        assert!(!rest.contains(scheme), "{scheme}: {:?}", rest.split(scheme).nth(1).map(|r| &r[..60]));
    }
    for element in parsed.select(&select("*")) {
        for (name, value) in element.value().attrs() {
            assert!(!name.starts_with("on"), "a handler: {name}={value}");
            if matches!(name, "href" | "src" | "action" | "data" | "poster" | "srcset") {
                assert!(value.starts_with('#'), "{name}={value}");
            }
        }
    }
}

#[test]
fn pages_ask_for_nothing() {
    asks_for_nothing(&html(&[&path("mmap-before")]));
    asks_for_nothing(&html(&as_strs(&sides())));
}

/// Headings go down one step at a time, ids are unique, links and labels have what they name, tables have captions and
/// heads.
#[test]
fn pages_can_be_walked_without_eyes() {
    for page in [html(&[&path("mmap-before")]), html(&as_strs(&sides()))] {
        let page = parsed(&page);
        let mut level = 0;
        for heading in page.select(&select("h1, h2, h3, h4")) {
            let own: usize = heading.value().name()[1..].parse().expect("a level");
            assert!(own <= level + 1, "{} after h{level}", heading.html());
            level = own;
        }
        let mut ids = BTreeSet::new();
        for element in page.select(&select("[id]")) {
            let id = element.value().attr("id").expect("an id");
            assert!(ids.insert(id.to_owned()), "{id} stands twice");
        }
        for (attribute, mark) in [("href", "#"), ("aria-labelledby", ""), ("data-copy", ""), ("for", "")] {
            for element in page.select(&select(&format!("[{attribute}]"))) {
                let target = element.value().attr(attribute).expect("it is there").trim_start_matches(mark);
                assert!(ids.contains(target), "{attribute}={target} leads nowhere");
            }
        }
        for table in page.select(&select("table")) {
            assert!(table.select(&select("caption")).next().is_some(), "a table without caption");
            assert!(table.select(&select("thead th")).all(|head| head.value().attr("scope") == Some("col")));
        }
        for chart in page.select(&select("svg.chart")) {
            assert_eq!(chart.value().attr("role"), Some("img"));
            assert!(chart.value().attr("aria-label").is_some_and(|label| !label.is_empty()));
        }
        let root = page.root_element();
        assert_eq!(root.value().attr("lang"), Some("en"));
        assert!(page.select(&select("title")).next().is_some_and(|title| !words(title).is_empty()));
        // Without a script, what needs one is not there.
        assert!(page.select(&select("button:not([hidden]), input")).next().is_none());
    }
}

#[test]
fn graphs_stand_where_scripts_look_for_them() {
    let ids = |page: &str| -> Vec<String> {
        let page = parsed(page);
        let figures = select("figure.graph");
        let figures = page.select(&figures).filter(|figure| {
            figure.select(&select("figcaption")).next().is_some()
                && figure.select(&select("svg.flame > svg.frames > g.frame")).next().is_some()
        });
        figures.filter_map(|figure| figure.value().attr("id").map(str::to_owned)).collect()
    };
    assert_eq!(ids(&html(&[&path("mmap-before")])), ["graph-stacks", "graph-callers"]);
    assert_eq!(ids(&html(&as_strs(&sides()))), ["graph-before", "graph-after", "graph-difference"]);
}

/// A text with names that would end or begin something else in a page.
fn hostile(folder: &Path) -> (PathBuf, Vec<String>) {
    let names = vec![
        "</script><script>alert(1)</script>".to_owned(),
        "\"' onload='x' \"".to_owned(),
        "]]>".to_owned(),
        "<!--".to_owned(),
        "--><img/src=x>".to_owned(),
        "\u{202e}gnp.exe\u{202c}".to_owned(),
        "&lt;b&gt;&amp".to_owned(),
        "`tick`".to_owned(),
        format!("std::map<{}>::find", "std::pair<int, char>, ".repeat(190)),
        "</style></title></pre></details>".to_owned(),
    ];
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        text.push_str(&format!("main;{name};_raw_spin_lock;native_queued_spin_lock_slowpath {}\n", 10 + at));
        text.push_str(&format!("main;{name} 5\n"));
    }
    let file = folder.join("a<b>&\"c'.folded");
    std::fs::write(&file, text).expect("the folder can be written");
    (file, names)
}

#[test]
fn names_are_shown_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (file, names) = hostile(folder.path());
    let file = file.to_str().expect("UTF-8");
    for args in [vec![file], vec!["--before", file, "--after", file]] {
        let page = html(&args);
        asks_for_nothing(&page);
        let parsed = parsed(&page);
        let count = |what: &str| parsed.select(&select(what)).count();
        assert_eq!((count("script"), count("style"), count("img"), count("b")), (2, 1, 0, 0));
        let codes: BTreeSet<String> = parsed.select(&select("code")).map(words).collect();
        // Folded stacks have no way to write a `;` in a name.
        for name in names.iter().flat_map(|name| name.split(';')).filter(|name| !name.trim().is_empty()) {
            let shown = name.replace('\u{202e}', "\\u{202e}").replace('\u{202c}', "\\u{202c}");
            let shown = shown.trim();
            assert!(codes.iter().any(|code| code == shown), "{shown} is not shown as it is");
        }
        assert!(!page.contains('\u{202e}'));
        assert!(page.len() < LARGEST);
    }
}

#[test]
fn the_command_can_be_typed_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("it's a run; rm -rf.data");
    std::fs::copy(fixture("dup-before", "perf.data"), &file).expect("the fixture is there");
    let file = file.to_str().expect("UTF-8");
    let page = parsed(&html(&[file]));
    let command = words(page.select(&select("#command")).next().expect("a command"));
    // A shell's own reading of it.
    let read = std::process::Command::new("sh")
        .args(["-c", &format!("lockblame() {{ printf '%s\\n' \"$@\"; }}; {command}")])
        .output()
        .expect("there is a shell");
    assert_eq!(String::from_utf8_lossy(&read.stdout), format!("html\n--quiet\n{file}\n"));
}

#[test]
fn the_mail_is_the_one_of_report_and_diff() {
    let page = parsed(&html(&[&path("mmap-before"), "--lock", "*"]));
    let mail = words(page.select(&select("#mail-text")).next().expect("a mail"));
    let all = printed(&["report", "-q", "--format", "mail", &path("mmap-before"), "--lock", "*"]);
    assert_eq!(mail, all.trim());
    let page = parsed(&html(&as_strs(&sides())));
    let mail = words(page.select(&select("#mail-text")).next().expect("a mail"));
    let mut asked = vec!["diff".to_owned(), "-q".to_owned(), "--format=mail".to_owned()];
    asked.extend(sides());
    assert_eq!(mail, printed(&asked).trim());
}

#[test]
fn pages_are_small() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut n = 0;
    for folder in std::fs::read_dir(fixtures).expect("there are fixtures").flatten() {
        let file = folder.path().join("perf.data");
        if file.is_file() {
            let page = html(&[file.to_str().expect("UTF-8")]);
            assert!(page.len() < LARGEST, "{}: {} bytes", file.display(), page.len());
            parsed(&page);
            n += 1;
        }
    }
    assert!(n >= 10, "only {n} fixtures");
    assert!(html(&as_strs(&sides())).len() < LARGEST);
    let Some(lab) = lab::lab() else { return };
    let size = |folder: &PathBuf| lab::data_of(folder).metadata().map_or(0, |meta| meta.len());
    // A recording of whole stacks of user space is not a usual one.
    let usual = lab::recordings(&lab).into_iter().filter(|folder| size(folder) < 8_000_000);
    let largest = usual.max_by_key(size).expect("there are recordings");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let kallsyms = lab::kallsyms_of(&largest, folder.path());
    let file = lab::data_of(&largest);
    let args = [file.to_str().expect("UTF-8"), "--kallsyms", kallsyms.to_str().expect("UTF-8")];
    let page = html(&args);
    assert!(page.len() < LARGEST, "{}: {} bytes", largest.display(), page.len());
}

#[test]
fn the_same_runs_give_the_same_page() {
    let args = sides();
    assert!(html(&as_strs(&args)) == html(&as_strs(&args)));
}

#[test]
fn texts_make_pages_without_what_they_do_not_tell() {
    let mail = fixture("mail", "aim7-perf-report.txt");
    let page = parsed(&html(&[mail.to_str().expect("UTF-8")]));
    assert!(page.select(&select("svg.chart")).next().is_none());
    let time = words(page.select(&select("#time")).next().expect("a section"));
    assert!(time.contains("a printed text does not tell when samples were taken"), "{time}");
    assert!(page.select(&select("#locks tbody tr")).next().is_some());
}

#[test]
fn what_cannot_be_a_page_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("perf.data");
    std::fs::copy(fixture("dup-before", "perf.data"), &file).expect("the fixture is there");
    let file = file.to_str().expect("UTF-8");
    let other = path("dup-fixed");
    let cases: [(&[&str], &str); 6] = [
        (&["html"], "needs a recording"),
        (&["html", file, "--before", file, "--after", &other], "stands beside --before and --after"),
        (&["html", file, "-o", file], "is an input, and would be overwritten"),
        (&["html", "--before", file, "--after", &other, "-o", file], "is an input, and would be overwritten"),
        (&["html", file, "--ops-before", "1"], "are of two sides"),
        (&["html", file, "--side", "x=y"], "unexpected argument"),
    ];
    for (args, wanted) in cases {
        let output = run(args);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {told}");
        assert!(told.contains(wanted), "{args:?}: {told}");
        assert!(output.stdout.is_empty());
    }
    assert_eq!(
        std::fs::read(file).expect("it is still there"),
        std::fs::read(fixture("dup-before", "perf.data")).expect("the fixture is there")
    );
}
