//! Other people's recordings: each holds as many samples as its catalog says, and none makes the reader panic.

mod support;

use std::path::{Path, PathBuf};

use lockblame::perf::Recording;
use support::reading::{read, sources, symbolized};
use support::shared;

/// One line of the catalog.
struct Row {
    file: String,
    samples: String,
}

fn catalog(folder: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(folder.join("catalog.tsv")).expect("the corpus has a catalog");
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<&str>>());
    let head = lines.next().expect("it has a head");
    let column = |name: &str| head.iter().position(|&field| field == name).expect("it has this column");
    let (file, samples) = (column("file"), column("samples"));
    lines.map(|row| Row { file: row[file].to_owned(), samples: row[samples].to_owned() }).collect()
}

/// The folder of other people's recordings: `LOCKBLAME_CORPUS`, or the shared one.
fn corpus() -> Option<PathBuf> {
    std::env::var_os("LOCKBLAME_CORPUS").map(PathBuf::from).or_else(|| shared::folder("corpus"))
}

#[test]
fn every_recording_holds_the_samples_of_the_catalog() {
    let Some(folder) = corpus() else { return };
    let rows = catalog(&folder);
    assert!(rows.len() > 70, "the catalog has {} rows", rows.len());
    let mut wrong = Vec::new();
    for Row { file, samples } in rows {
        let path = folder.join(&file);
        match Recording::open(&path) {
            Ok(recording) => check_recording(&recording, &file, &samples, &mut wrong),
            Err(error) => {
                let line = error.to_string();
                let is_good = line.starts_with(&path.display().to_string()) && line.contains("; ");
                if samples != "0" || !is_good || line.contains('\n') {
                    wrong.push(format!("{file}: {samples} samples, but {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn check_recording(recording: &Recording, file: &str, samples: &str, wrong: &mut Vec<String>) {
    let ingested = read(recording);
    let facts = ingested.facts.clone();
    let tally = &facts.tally;
    let is_right = match samples.parse::<u64>() {
        Ok(samples) => facts.samples == samples,
        // The catalog does not know what is inside of compressed records.
        Err(_) => facts.samples > 0 && facts.damage.is_empty(),
    };
    if !is_right {
        wrong.push(format!("{file}: {samples} samples, but {} were read; {:?}", facts.samples, facts.damage));
    }
    let weighed: u64 = tally.events.iter().map(|(n, _)| n).sum();
    if weighed + tally.undecodable + tally.unknown_event != facts.samples {
        wrong.push(format!("{file}: of {} samples {weighed} count: {tally:?}", facts.samples));
    }
    let before: Vec<_> =
        (0..recording.events.len()).map(|event| ingested.profile.total(event as u16)).collect();
    let (named, _) = symbolized(ingested, &sources(None, None));
    let after: Vec<_> = (0..recording.events.len()).map(|event| named.total(event as u16)).collect();
    if before != after || before.iter().zip(&tally.events).any(|(a, b)| (a.1, a.0) != *b) {
        wrong.push(format!("{file}: {before:?} became {after:?}"));
    }
}
