//! Pictures of recordings, as their file has them and as their object has them.

#![allow(dead_code, reason = "each integration test compiles this module anew and uses only a part of it")]
#![allow(unreachable_pub, reason = "in a test, `pub` says what the other tests may use")]

use serde_json::Value;

use crate::program::{fixture, json, printed};
use crate::svg::{self, Frame};

pub fn file(name: &str) -> String {
    fixture(name, "perf.data").display().to_string()
}

pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub fn picture(args: &str) -> Vec<Frame> {
    svg::frames(&printed(&words(&format!("flame -q {args}"))))
}

pub fn object(args: &str) -> Value {
    json(&words(&format!("flame -q --format json {args}")))
}

pub fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no array: {value}"))
}

pub fn float(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// The two sides of the lab's pair, four runs each.
pub fn pair() -> String {
    let side = |name: &str| {
        let runs = ["", "-r2", "-r3", "-r4"].map(|run| file(&format!("{name}{run}")));
        runs.join(" ")
    };
    format!("--before {} --after {}", side("latencytop-before"), side("latencytop-after"))
}
