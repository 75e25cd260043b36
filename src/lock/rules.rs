//! Rules that users add: a TOML file with a table for each group of functions.
//!
//! ```toml
//! [[rule]]
//! family = "spinlock"        # one of lockblame's families
//! role = "entry"             # entry, inside or unlock
//! mode = "write"             # read or write; may be left out
//! side = "kernel"            # kernel or user
//! patterns = ["my_lock", "my_lock_*"]
//!
//! [through]
//! wrappers = ["my_lock_bucket"]
//! ```

use std::path::Path;

use serde::Deserialize;

use super::family::{Family, Mode, Role, Side};
use super::matcher::{LockClass, UserRule};
use crate::error::{Error, Result};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Written>,
    #[serde(default)]
    through: Wrappers,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrappers {
    #[serde(default)]
    wrappers: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    family: String,
    role: String,
    mode: Option<String>,
    side: String,
    patterns: Vec<String>,
}

/// Rules and wrappers of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserRules {
    /// Rules, in the file's order.
    pub rules: Vec<UserRule>,
    /// Functions to see through.
    pub wrappers: Vec<String>,
}

/// Reads a file of rules.
///
/// # Errors
/// Where it cannot be read, is no TOML of this shape, or names an unknown family, role, mode or side.
pub fn read(path: &Path) -> Result<UserRules> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, "read", &e))?;
    parse(&text).map_err(|error| error.within(path))
}

fn parse(text: &str) -> Result<UserRules> {
    let file: File = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start.min(text.len())].lines().count().max(1));
        Error::new(format!("line {line}"), e.message().to_owned())
            .remedy("see docs/locks.md for the form of a rule")
    })?;
    let mut rules = Vec::new();
    for written in file.rule {
        let class = LockClass {
            family: Family::parse(&written.family).ok_or_else(|| {
                let known: Vec<_> = Family::ALL.iter().map(|family| family.word()).collect();
                Error::new(format!("family '{}'", written.family), "is not known")
                    .remedy(format!("take one of: {}", known.join(", ")))
            })?,
            role: match written.role.as_str() {
                "entry" => Role::Entry,
                "inside" => Role::Inside,
                "unlock" => Role::Unlock,
                role => return Err(unknown("role", role, "entry, inside, unlock")),
            },
            mode: match written.mode.as_deref() {
                None => None,
                Some("read") => Some(Mode::Read),
                Some("write") => Some(Mode::Write),
                Some(mode) => return Err(unknown("mode", mode, "read, write")),
            },
        };
        let side = match written.side.as_str() {
            "kernel" => Side::Kernel,
            "user" => Side::User,
            side => return Err(unknown("side", side, "kernel, user")),
        };
        rules.extend(written.patterns.into_iter().map(|pattern| UserRule { pattern, side, class }));
    }
    Ok(UserRules { rules, wrappers: file.through.wrappers })
}

fn unknown(what: &str, written: &str, known: &str) -> Error {
    Error::new(format!("{what} '{written}'"), "is not known").remedy(format!("take one of: {known}"))
}
