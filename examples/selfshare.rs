use std::path::{Path, PathBuf};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = std::time::Instant::now();
    let r = lockblame::perf::Recording::open(Path::new(&a[1])).unwrap();
    let n = std::env::var("THREADS").map(|s| s.parse().unwrap()).unwrap_or(2);
    let i = lockblame::ingest::ingest(&r, &Default::default(), n, &|_| {});
    eprintln!("ingest {:?}", t.elapsed());
    let s = lockblame::symbol::Sources {
        kallsyms: a.get(2).filter(|s| !s.is_empty()).map(PathBuf::from),
        symfs: a.get(3).map(PathBuf::from),
        home: None,
        host: Default::default(),
    };
    let (p, res) =
        lockblame::symbol::symbolize(i.profile, Path::new(&a[1]), r.features.os_release.as_deref(), &s)
            .unwrap();
    eprintln!("{:?} {:?}", res, t.elapsed());
    eprintln!(
        "kparts {} uparts {} entries {} frames {}",
        p.kernel.len(),
        p.user.len(),
        p.entries.len(),
        p.frames.len()
    );
    for (e, ev) in r.events.iter().enumerate() {
        let (w, n) = p.total(e as u16);
        println!("EVENT {} {} {}", ev.name, n, w.0);
        let mut m = std::collections::BTreeMap::new();
        for x in p.entries.iter().filter(|x| x.key.event == e as u16) {
            let f = p.kernel.get(x.key.kernel).first().or(p.user.get(x.key.user).first());
            let name = f.map(|f| p.frames[f.index()].name.clone()).unwrap_or_default();
            *m.entry(name).or_insert(0) += x.weight.0;
        }
        for (k, v) in m {
            println!("{}\t{}", v, k);
        }
    }
    eprintln!("{:?} samples {} damage {:?}", i.facts.tally, i.facts.samples, i.facts.damage);
}
