//! What a row is called: names from recordings and our own words in between, which formats mark up apart.

use super::escape::visible;
use crate::compare::Subject;
use crate::lock::site::Function;

/// A part of a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Our own words, with the blanks around them.
    Word(String),
    /// A name from a recording, as it stands there.
    Name(String),
}

/// What a row is called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Label(pub(super) Vec<Piece>);

impl Label {
    /// Our own words alone.
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self(vec![Piece::Word(text.into())])
    }

    /// A name alone.
    pub(super) fn name(name: &str) -> Self {
        Self(vec![Piece::Name(name.to_owned())])
    }

    /// Further words.
    pub(super) fn then(mut self, words: &str) -> Self {
        self.0.push(Piece::Word(words.to_owned()));
        self
    }

    /// Another label behind this one.
    pub(super) fn and(mut self, other: Label) -> Self {
        self.0.extend(other.0);
        self
    }

    /// As plain text, with what a terminal would act on made visible.
    pub(super) fn text(&self) -> String {
        let text: String = self
            .0
            .iter()
            .map(|piece| match piece {
                Piece::Word(text) | Piece::Name(text) => text.as_str(),
            })
            .collect();
        visible(&text).into_owned()
    }
}

/// A caller, and the wrappers between it and the lock.
pub(super) fn caller(name: Option<&str>, through: &[String]) -> Label {
    let label = name.map_or_else(|| Label::words("(no caller known)"), Label::name);
    through.iter().enumerate().fold(label, |label, (at, wrapper)| {
        label.then(if at == 0 { " through " } else { ", " }).and(Label::name(wrapper))
    })
}

/// A function, with its object where that is not the kernel.
pub(super) fn function(function: &Function) -> Label {
    let label = Label::name(&function.name);
    if function.module.starts_with("[kernel") {
        return label;
    }
    label.then(" in ").and(Label::name(&function.module))
}

/// The row of a comparison that stands below its lock's name.
pub(super) fn short(subject: &Subject) -> Label {
    match subject {
        Subject::Site { caller: name, through, .. } => caller(name.as_deref(), through),
        Subject::Symbol(symbol) => function(symbol),
        Subject::Lock(lock) => Label::name(&lock.name),
        Subject::AllLocks | Subject::Family(_) | Subject::Several(_) => Label::words(subject.name()),
    }
}

/// The row of a comparison that stands alone.
pub(super) fn full(subject: &Subject) -> Label {
    match subject {
        Subject::Site { lock, .. } => Label::name(&lock.name).then(" <- ").and(short(subject)),
        _ => short(subject),
    }
}
