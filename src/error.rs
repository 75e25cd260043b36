//! The one error type: names the file, what is wrong with it, and what to do about it, in one line.

use std::fmt;
use std::path::Path;

/// What ended a command. Printed in one line, with exit code 2.
#[derive(Debug)]
pub struct Error {
    subject: String,
    problem: String,
    remedy: Option<String>,
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// `subject` is a file, a flag or a symbol; `problem` says what is wrong with it.
    pub fn new(subject: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), remedy: None }
    }

    /// An error about a file.
    pub fn file(path: &Path, problem: impl Into<String>) -> Self {
        Self::new(path.display().to_string(), problem)
    }

    /// An operating system's refusal, in its words.
    pub fn io(path: &Path, doing: &str, cause: &std::io::Error) -> Self {
        let words = match cause.kind() {
            std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
            std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            kind => {
                let text = cause.to_string();
                let words = text.split(" (os error").next().unwrap_or(&text);
                // Our own words name things that are not to be changed.
                if kind == std::io::ErrorKind::Other { words.to_owned() } else { words.to_lowercase() }
            }
        };
        Self::file(path, format!("cannot {doing}: {words}"))
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// Puts the file in front of an error about something inside it.
    #[must_use]
    pub fn within(mut self, path: &Path) -> Self {
        self.subject = format!("{}: {}", path.display(), self.subject);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = format!("{}: {}", self.subject, self.problem);
        if let Some(remedy) = &self.remedy {
            line.push_str("; ");
            line.push_str(remedy);
        }
        // One line, and nothing that a terminal would act on: a name may come from a recording.
        for c in line.chars() {
            if is_active(c) { write!(f, "{}", c.escape_unicode())? } else { write!(f, "{c}")? }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Whether a terminal or a reader's eye would act on a character: control characters, those without width, and those that
/// change the direction of writing.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
