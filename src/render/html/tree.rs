//! The callers of locks as nested lists that unfold, without any script.

use std::io::{self, Write};

use super::words;
use crate::graph::{Amount, Tone};
use crate::render::escape::markup;
use crate::render::figure;
use crate::report::page::Page;
use crate::report::trees::Stem;

/// A caller with so large a part of its lock is unfolded, in the heaviest lock.
const UNFOLDED: f64 = 0.25;

/// Writes the trees.
///
/// # Errors
/// Those of `out`.
pub(super) fn trees(page: &Page, out: &mut dyn Write) -> io::Result<()> {
    let sides = page.sides();
    let counted = sides.iter().flat_map(|(_, runs)| runs.iter()).all(|run| run.samples.is_some());
    let writer = Writer { two: sides.len() > 1, counted };
    writeln!(
        out,
        r#"<div class="scroll" tabindex="0" role="region" aria-label="Trees of callers"><div class="trees">"#
    )?;
    writer.heads(&page.whole(), out)?;
    for (at, lock) in page.trees.iter().enumerate() {
        let fold = if at == 0 { Fold::Path } else { Fold::All };
        writer.stem(lock, lock, fold, out)?;
    }
    writeln!(out, "</div></div>")
}

/// What is folded at first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fold {
    /// All of it.
    All,
    /// What is small.
    Path,
}

struct Writer {
    two: bool,
    counted: bool,
}

impl Writer {
    fn heads(&self, whole: &str, out: &mut dyn Write) -> io::Result<()> {
        let sides: &[&str] = if self.two { &[" before", " after"] } else { &[""] };
        write!(out, r#"<p class="line heads">"#)?;
        for side in sides {
            write!(out, "<span>% of {}{side}</span>", markup(whole))?;
        }
        for side in sides {
            write!(out, r#"<span class="part">% of lock{side}</span>"#)?;
        }
        if self.counted {
            for side in sides {
                write!(out, r#"<span class="count">samples{side}</span>"#)?;
            }
        }
        writeln!(out, r#"<span class="who">lock, and below it who called</span></p>"#)
    }

    fn stem(&self, stem: &Stem, lock: &Stem, fold: Fold, out: &mut dyn Write) -> io::Result<()> {
        let name = match stem.frame.tone {
            Tone::Lock(family) => {
                format!("<strong>{}</strong> {}", words::name(&stem.frame.function.name), family.word())
            }
            _ => words::name(&stem.frame.function.name),
        };
        if stem.callers.is_empty() {
            return self.line("p", &stem.sides, lock, &name, out);
        }
        let is_wide = |(own, lock): (&Amount, &Amount)| {
            own.share.mean > 0.0 && own.share.mean >= UNFOLDED * lock.share.mean
        };
        let is_open = fold == Fold::Path && stem.sides.iter().zip(&lock.sides).any(is_wide);
        write!(out, "<details{}>", if is_open { " open" } else { "" })?;
        self.line("summary", &stem.sides, lock, &name, out)?;
        write!(out, r#"<div class="callers">"#)?;
        for caller in &stem.callers {
            self.stem(caller, lock, fold, out)?;
        }
        if let Some(others) = &stem.others {
            self.line("p", &others.sides, lock, "<em>others</em>", out)?;
        }
        writeln!(out, "</div></details>")
    }

    fn line(
        &self,
        tag: &str,
        sides: &[Amount],
        lock: &Stem,
        name: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write!(out, r#"<{tag} class="line">"#)?;
        for side in sides {
            write!(out, r#"<span>{}</span>"#, figure::share(&side.share))?;
        }
        for (side, lock) in sides.iter().zip(&lock.sides) {
            let part = if lock.share.mean > 0.0 { side.share.mean / lock.share.mean } else { 0.0 };
            write!(out, r#"<span class="part">{}</span>"#, figure::percent(part))?;
        }
        if self.counted {
            for side in sides {
                write!(out, r#"<span class="count">{}</span>"#, figure::thousands(side.samples))?;
            }
        }
        writeln!(out, r#"<span class="who">{name}</span></{tag}>"#)
    }
}
