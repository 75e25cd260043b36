//! Events of the kinds of cores of one processor: perf opens one event for each kind, `cpu_core/cycles/` and
//! `cpu_atom/cycles/`, where a person asked for `cycles`.

use rustc_hash::FxHashMap;

use super::event::Event;

/// The name of what was asked for, where an event is that of one kind of cores; `cycles:P` of `cpu_atom/cycles/P`.
pub fn asked_name(name: &str) -> Option<String> {
    let (pmu, rest) = name.split_once('/')?;
    let (event, modifiers) = rest.rsplit_once('/')?;
    let is_core = pmu.starts_with("cpu_")
        || (pmu.starts_with("armv") && pmu.contains('_'))
        || (pmu.starts_with("apple_") && pmu.ends_with("_pmu"));
    (is_core && !event.is_empty() && !event.contains(['/', '=', ','])).then(|| match modifiers {
        "" => event.to_owned(),
        modifiers => format!("{event}:{modifiers}"),
    })
}

/// By event, the first one that counts the same on another kind of cores, or itself.
pub fn together(events: &[Event]) -> Vec<usize> {
    let mut first: FxHashMap<String, usize> = FxHashMap::default();
    let place = |(at, event): (usize, &Event)| {
        asked_name(&event.name).map_or(at, |name| *first.entry(name).or_insert(at))
    };
    events.iter().enumerate().map(place).collect()
}
