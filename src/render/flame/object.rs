//! A flame graph as an object, for scripts: the frames that are drawn, each with what it weighs on every side.

use serde_json::{Value, json};

use super::paint;
use crate::graph::{Amount, Stand, Tone};
use crate::render::json::{interval, run};
use crate::report::picture::{Change, Picture, PictureSide};

/// The object of a picture. A frame's `parent` is its place in `frames`; weights are inclusive.
pub fn object(picture: &Picture) -> Value {
    let graph = &picture.graph;
    let sides = picture.sides.iter().map(|side: &PictureSide| {
        json!({"name": side.name, "runs": side.runs.iter().map(run).collect::<Vec<_>>()})
    });
    json!({
        "schema": "lockblame/flame/1",
        "headline": picture.headline,
        "by": match graph.stand {
            Stand::Stacks => "stacks",
            Stand::Callers => "callers",
        },
        "sides": sides.collect::<Vec<_>>(),
        "cut": {"frames": graph.cut.frames, "part": graph.cut.part, "widest": graph.cut.widest},
        "frames": (0..graph.nodes.len()).map(|at| frame(picture, at)).collect::<Vec<_>>(),
    })
}

fn frame(picture: &Picture, at: usize) -> Value {
    let node = &picture.graph.nodes[at];
    let frame = node.frame.as_ref();
    let family = match frame.map(|frame| frame.tone) {
        Some(Tone::Lock(family)) => Some(family.word()),
        _ => None,
    };
    let mut value = json!({
        "name": frame.map(|frame| &frame.function.name),
        "module": frame.map(|frame| &frame.function.module),
        "is": frame.map(|frame| match frame.tone {
            Tone::Lock(_) => "lock".to_owned(),
            tone => paint::class(tone),
        }),
        "family": family,
        "parent": node.parent,
        "width": node.width,
        "sides": node.sides.iter().map(|side| amount(picture, side)).collect::<Vec<_>>(),
    });
    if let Some(changes) = &picture.changes {
        let row = &changes.rows[at];
        value["points"] = json!(row.points);
        value["interval"] = interval(row.interval);
        value["p"] = json!(row.p);
        value["p_adjusted"] = json!(row.p_adjusted);
        value["verdict"] = json!(row.verdict.word());
        value["is_noise"] = json!(changes.change(row) == Change::Noise);
    }
    value
}

fn amount(picture: &Picture, amount: &Amount) -> Value {
    json!({
        "share": amount.share.mean,
        "stddev": amount.share.stddev,
        "runs": amount.share.runs,
        "weight": picture.counted(amount.weight.0),
        "samples": picture.counted(amount.samples),
    })
}
