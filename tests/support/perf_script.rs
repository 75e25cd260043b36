//! What `perf script` prints of a recording, as plain values that a test compares.

use std::collections::BTreeMap;
use std::process::Command;

use super::shared;

/// By period, which tells the samples apart: the thread's name, and `file+0xoffset` of each frame from the leaf on.
pub type Chains = BTreeMap<u64, (String, Vec<String>)>;

/// The samples of a recording; `None`, and aloud, where perf is not here.
///
/// perf prints `name pid: period event:`, then `address (file)` for each frame, in a pipe's recording with a symbol
/// between.
pub fn chains(recording: &[u8]) -> Option<Chains> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("perf.data");
    std::fs::write(&path, recording).expect("it is written");
    let fields = ["script", "-f", "-F", "comm,tid,period,event,ip,dso", "-i"];
    let Ok(output) = Command::new("perf").args(fields).arg(&path).output() else {
        shared::skip("perf");
        return None;
    };
    let mut chains = Chains::new();
    let mut current = None;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if line.starts_with('\t') {
            let chain = current.and_then(|period| chains.get_mut(&period)).expect("a frame of a sample");
            let file = words.last().expect("a file").trim_matches(['(', ')']);
            chain.1.push(format!("{}+0x{}", file.rsplit('/').next().expect("a name"), words[0]));
        } else if let Some(period) = words.iter().rev().nth(1).and_then(|word| word.parse().ok()) {
            chains.insert(period, (words[0].to_owned(), Vec::new()));
            current = Some(period);
        }
    }
    Some(chains)
}
