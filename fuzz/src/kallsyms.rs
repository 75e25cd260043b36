//! Lists of kernel symbols: what is found at an address is listed there or below it.

use std::collections::BTreeMap;

use lockblame::symbol::kallsyms::Kallsyms;

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match super::within(bytes, || Kallsyms::parse(&text)) {
        Err(error) => super::assert_one_line(&error.to_string()),
        Ok(list) => {
            let listed = addresses_by_name(&text);
            let asked = listed.values().flatten().copied().chain([0, 1 << 63, u64::MAX]).take(64);
            for address in asked.flat_map(|at| [at, at.wrapping_sub(1), at.wrapping_add(1)]) {
                let Some(name) = list.kernel(address) else { continue };
                let own = listed.get(name).unwrap_or_else(|| panic!("{name:?} is not listed"));
                assert!(own.iter().any(|&at| at <= address), "{name} from {own:x?} on at {address:x}");
            }
            for reference in ["_text", "_stext"] {
                if let Some(moved) = list.displacement(Some(reference), 1 << 40) {
                    assert!(listed[reference].contains(&(1_u64 << 40).wrapping_sub(moved)));
                }
            }
        }
    }
}

/// Every name with the addresses that stand before it, read as plainly as can be.
fn addresses_by_name(text: &str) -> BTreeMap<&str, Vec<u64>> {
    let mut listed: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(address), Some(_), Some(name)) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        let name = name.split('\t').next().unwrap_or(name).trim_end();
        let name = name.strip_prefix("__pfx_").unwrap_or(name);
        if let Ok(address) = u64::from_str_radix(address, 16) {
            listed.entry(name).or_default().push(address);
        }
    }
    listed
}
