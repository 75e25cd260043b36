//! The little language of `--fail-if`: `spinlock > +1pt`, `lock _raw_spin_lock from dput > 10%`.
//!
//! A sign marks a change and is asked for there, so that no condition can be read in two ways: `> 10%` is the share
//! after, `> +1pt` what the share gained, `> +20% per-op` what an operation's cost rose by.

use std::fmt;

use crate::lock::family::Family;

/// A condition, as typed and as meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// As typed.
    pub text: String,
    /// What it is about.
    pub scope: Scope,
    /// On which side of the bound it is met.
    pub direction: Direction,
    /// What is held against what.
    pub bound: Bound,
    /// Whether it must be more than noise.
    pub proof: Proof,
}

/// What a condition is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// All locks together.
    Total,
    /// The call sites that fit, summed up.
    Sites(Sites),
    /// Each of a kind on its own: one that meets the condition is enough.
    Each(Each),
}

/// Call sites that fit all that is given. `*` in a name stands for anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sites {
    /// The lock's family.
    pub family: Option<Family>,
    /// The lock's name.
    pub lock: Option<String>,
    /// The caller's name.
    pub caller: Option<String>,
}

/// A kind of subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Each {
    /// Families of locks.
    Family,
    /// Locks.
    Lock,
    /// Callers, with all locks that they take.
    Caller,
    /// Locks at call sites.
    Site,
}

/// On which side of its bound a condition is met; equal is not enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `>`
    Above,
    /// `<`
    Below,
}

/// What is held against what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The change of the share of the total, in points: positive is a rise.
    Points(f64),
    /// The share of the total after, in percent.
    Share(f64),
    /// The relative change of what an operation costs, in percent.
    PerOperation(f64),
}

/// Whether a condition must be more than noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It must.
    Required,
    /// `even if unproven`: the means decide.
    Dropped,
}

impl Each {
    const ALL: [(&'static str, Each); 4] =
        [("family", Each::Family), ("lock", Each::Lock), ("caller", Each::Caller), ("site", Each::Site)];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Each::Family => "family",
            Each::Lock => "lock",
            Each::Caller => "caller",
            Each::Site => "site",
        }
    }
}

impl fmt::Display for Bound {
    /// As the language writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Points(points) => write!(f, "{points:+}pt"),
            Bound::Share(percent) => write!(f, "{percent}%"),
            Bound::PerOperation(percent) => write!(f, "{percent:+}% per-op"),
        }
    }
}

/// What is wrong with a condition, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: expected {expected}, found {found}")]
pub struct SyntaxError {
    /// The character, counted from 1.
    pub column: usize,
    /// What may stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads a condition.
///
/// # Errors
/// Where it does not follow the language: which column, and what was expected there.
pub fn parse(text: &str) -> Result<Condition> {
    let mut tokens = Tokens { tokens: tokens(text)?, at: 0, end: text.chars().count() + 1 };
    let scope = scope(&mut tokens)?;
    let direction = match tokens.next().kind {
        Kind::Greater => Direction::Above,
        Kind::Less => Direction::Below,
        _ => return Err(tokens.wrong_before("'>' or '<'")),
    };
    let bound = bound(&mut tokens, direction)?;
    let proof = proof(&mut tokens)?;
    Ok(Condition { text: text.trim().to_owned(), scope, direction, bound, proof })
}

fn scope(tokens: &mut Tokens) -> Result<Scope> {
    let word = match tokens.next().kind {
        Kind::Word(word) => word,
        _ => return Err(tokens.wrong_before(&subjects())),
    };
    let sites = match word.as_str() {
        "total" => return Ok(Scope::Total),
        "any" => return each(tokens).map(Scope::Each),
        "caller" => {
            return Ok(Scope::Sites(Sites { caller: Some(name(tokens, "a caller")?), ..Sites::default() }));
        }
        "lock" => Sites { lock: Some(name(tokens, "a lock")?), ..Sites::default() },
        "family" => {
            let word = name(tokens, "a family of locks")?;
            let family = Family::parse(&word).ok_or_else(|| tokens.wrong_before(&families()))?;
            Sites { family: Some(family), ..Sites::default() }
        }
        word => {
            let family = Family::parse(word).ok_or_else(|| tokens.wrong_before(&subjects()))?;
            Sites { family: Some(family), ..Sites::default() }
        }
    };
    let caller = match tokens.take_word("from") {
        true => Some(name(tokens, "a caller")?),
        false => None,
    };
    Ok(Scope::Sites(Sites { caller, ..sites }))
}

fn each(tokens: &mut Tokens) -> Result<Each> {
    let word = tokens.next().kind;
    let found = Each::ALL.iter().find(|(known, _)| matches!(&word, Kind::Word(word) if word == known));
    found.map(|(_, each)| *each).ok_or_else(|| tokens.wrong_before("family, lock, caller or site"))
}

/// A word, or anything in quotes.
fn name(tokens: &mut Tokens, what: &str) -> Result<String> {
    match tokens.next().kind {
        Kind::Word(name) => Ok(name),
        Kind::Quoted(name) if !name.is_empty() => Ok(name),
        _ => Err(tokens.wrong_before(&format!("the name of {what}"))),
    }
}

fn bound(tokens: &mut Tokens, direction: Direction) -> Result<Bound> {
    let (sign, change, share) = match direction {
        Direction::Above => ('+', "> +1pt", "> 10%"),
        Direction::Below => ('-', "< -1pt", "< 10%"),
    };
    let typed = tokens.next();
    let Kind::Word(word) = typed.kind else {
        return Err(tokens.wrong_before(&format!("a bound such as '{change}' or '{share}'")));
    };
    let unsigned = word.trim_start_matches(['+', '-']);
    let signs = word.len() - unsigned.len();
    let digits = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, unit) = unsigned.split_at(digits);
    let column = typed.column + signs;
    let value = number.parse::<f64>().ok().filter(|value| value.is_finite() && *value < 1e6);
    let value = value.ok_or_else(|| SyntaxError {
        column,
        expected: "a number such as 1 or 2.5".to_owned(),
        found: if unsigned.is_empty() { tokens.found() } else { quoted(unsigned) },
    })?;
    let unit = match unit.is_empty() {
        false => Unit { text: quoted(unit), column: column + number.len(), is: unit.to_owned() },
        true => Unit::next(tokens),
    };
    let has_sign = match &word[..signs] {
        "" => false,
        typed_sign if typed_sign.chars().eq([sign]) => true,
        _ => {
            let expected = format!("'{sign}': a rise is written '> +1pt', a fall '< -1pt'");
            return Err(SyntaxError { column: typed.column, expected, found: quoted(&word) });
        }
    };
    let signed = if sign == '-' { -value } else { value };
    let within = |most: f64, what: &str| match value <= most {
        true => Ok(()),
        false => {
            Err(SyntaxError { column, expected: format!("{what} of at most {most}"), found: quoted(number) })
        }
    };
    match (unit.is.as_str(), has_sign) {
        ("pt" | "points", true) => within(100.0, "points").map(|()| Bound::Points(signed)),
        ("pt" | "points", false) => Err(SyntaxError {
            column: typed.column,
            expected: format!("'{sign}' before a change in points"),
            found: quoted(&word),
        }),
        ("%", false) => within(100.0, "a share in percent").map(|()| Bound::Share(value)),
        ("%", true) if tokens.take_word("per-op") => {
            let most = if sign == '-' { 100.0 } else { 1e6 };
            within(most, "a change in percent").map(|()| Bound::PerOperation(signed))
        }
        ("%", true) => Err(tokens.wrong_here("'per-op' (the change of a share is in points: '+1pt')")),
        _ => Err(SyntaxError {
            column: unit.column,
            expected: "a unit: 'pt' or '%'".to_owned(),
            found: unit.text,
        }),
    }
}

/// The unit behind a number, with or without a space between.
struct Unit {
    is: String,
    text: String,
    column: usize,
}

impl Unit {
    fn next(tokens: &mut Tokens) -> Self {
        let token = tokens.next();
        let is = match token.kind {
            Kind::Word(word) => word,
            _ => String::new(),
        };
        Unit { is, text: tokens.found(), column: token.column }
    }
}

fn proof(tokens: &mut Tokens) -> Result<Proof> {
    if tokens.peek().kind == Kind::End {
        return Ok(Proof::Required);
    }
    for word in ["even", "if", "unproven"] {
        if !tokens.take_word(word) {
            return Err(tokens.wrong_here("'even if unproven' or the end"));
        }
    }
    match tokens.peek().kind {
        Kind::End => Ok(Proof::Dropped),
        _ => Err(tokens.wrong_here("the end")),
    }
}

fn subjects() -> String {
    format!("total, any, lock, caller, family or {}", families())
}

fn families() -> String {
    let words: Vec<&str> = Family::ALL.iter().map(|family| family.word()).collect();
    format!("one of the families {}", words.join(", "))
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Word(String),
    Quoted(String),
    Less,
    Greater,
    End,
}

#[derive(Debug, Clone)]
struct Token {
    kind: Kind,
    column: usize,
}

/// Words end at spaces, quotes, `<` and `>`; what stands in quotes of either sort is a name as it is.
fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut chars = (1..).zip(text.chars()).peekable();
    while let Some((column, c)) = chars.next() {
        let kind = match c {
            c if c.is_whitespace() => continue,
            '<' => Kind::Less,
            '>' => Kind::Greater,
            '"' | '\'' => {
                let mut name = String::new();
                loop {
                    match chars.next() {
                        Some((_, end)) if end == c => break Kind::Quoted(name),
                        Some((_, inside)) => name.push(inside),
                        None => {
                            let expected = format!("a closing {c}");
                            return Err(SyntaxError { column, expected, found: format!("{c}{name}") });
                        }
                    }
                }
            }
            first => {
                let mut word = String::from(first);
                let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'');
                while let Some((_, c)) = chars.next_if(|(_, c)| !ends(*c)) {
                    word.push(c);
                }
                Kind::Word(word)
            }
        };
        tokens.push(Token { kind, column });
    }
    Ok(tokens)
}

/// A place among tokens; behind the last there is only the end.
struct Tokens {
    tokens: Vec<Token>,
    at: usize,
    end: usize,
}

impl Tokens {
    fn get(&self, at: usize) -> Token {
        self.tokens.get(at).cloned().unwrap_or(Token { kind: Kind::End, column: self.end })
    }

    fn peek(&self) -> Token {
        self.get(self.at)
    }

    fn next(&mut self) -> Token {
        self.at += 1;
        self.get(self.at - 1)
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek().kind, Kind::Word(there) if there == word);
        self.at += usize::from(is_there);
        is_there
    }

    /// What was taken last, for an error.
    fn found(&self) -> String {
        match self.get(self.at.saturating_sub(1)).kind {
            Kind::Word(word) => quoted(&word),
            Kind::Quoted(name) => format!("\"{name}\""),
            Kind::Less => "'<'".to_owned(),
            Kind::Greater => "'>'".to_owned(),
            Kind::End => "the end".to_owned(),
        }
    }

    /// The token taken last is wrong.
    fn wrong_before(&self, expected: &str) -> SyntaxError {
        let column = self.get(self.at.saturating_sub(1)).column;
        SyntaxError { column, expected: expected.to_owned(), found: self.found() }
    }

    /// The next token is wrong.
    fn wrong_here(&mut self, expected: &str) -> SyntaxError {
        self.at += 1;
        self.wrong_before(expected)
    }
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}
