//! The language of `--fail-if`: what it takes and means, and what it says of anything else.

use lockblame::check::{Bound, Direction, Each, Proof, Scope, Sites, parse};
use lockblame::lock::family::Family;
use proptest::prelude::*;

fn family(family: Family) -> Sites {
    Sites { family: Some(family), ..Sites::default() }
}

fn lock(name: &str) -> Sites {
    Sites { lock: Some(name.to_owned()), ..Sites::default() }
}

fn caller(name: &str) -> Sites {
    Sites { caller: Some(name.to_owned()), ..Sites::default() }
}

#[track_caller]
fn means(text: &str, scope: Scope, direction: Direction, bound: Bound, proof: Proof) {
    let read = parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    assert_eq!(
        (read.scope, read.direction, read.bound, read.proof),
        (scope, direction, bound, proof),
        "{text}"
    );
}

#[track_caller]
fn is_about(subject: &str, scope: Scope) {
    means(&format!("{subject} > +1pt"), scope, Direction::Above, Bound::Points(1.0), Proof::Required);
}

#[track_caller]
fn asks(rest: &str, direction: Direction, bound: Bound) {
    means(&format!("total {rest}"), Scope::Total, direction, bound, Proof::Required);
}

#[track_caller]
fn is_wrong(text: &str, message: &str) {
    let error = parse(text).expect_err(text);
    assert_eq!(error.to_string(), message, "{text}");
}

#[test]
fn subjects() {
    is_about("total", Scope::Total);
    is_about("spinlock", Scope::Sites(family(Family::Spinlock)));
    is_about("percpu-rwsem", Scope::Sites(family(Family::PercpuRwsem)));
    is_about("family rwsem", Scope::Sites(family(Family::Rwsem)));
    is_about("lock _raw_spin_lock*", Scope::Sites(lock("_raw_spin_lock*")));
    is_about("lock rwsem:W", Scope::Sites(lock("rwsem:W")));
    is_about("caller dput", Scope::Sites(caller("dput")));
    is_about("lock a from b", Scope::Sites(Sites { caller: Some("b".into()), ..lock("a") }));
    is_about("mutex from b", Scope::Sites(Sites { caller: Some("b".into()), ..family(Family::Mutex) }));
    is_about("any family", Scope::Each(Each::Family));
    is_about("any lock", Scope::Each(Each::Lock));
    is_about("any caller", Scope::Each(Each::Caller));
    is_about("any site", Scope::Each(Each::Site));
}

#[test]
fn names_may_be_quoted_and_may_be_words_of_the_language() {
    is_about("lock \"std::Mutex<T> > lock\"", Scope::Sites(lock("std::Mutex<T> > lock")));
    is_about("lock 'a \"b\" c'", Scope::Sites(lock("a \"b\" c")));
    is_about("caller 'from'", Scope::Sites(caller("from")));
    is_about("lock from from from", Scope::Sites(Sites { caller: Some("from".into()), ..lock("from") }));
    is_about("lock total", Scope::Sites(lock("total")));
}

#[test]
fn a_sign_marks_a_change_and_none_a_share() {
    asks("> +1pt", Direction::Above, Bound::Points(1.0));
    asks("> +0.25points", Direction::Above, Bound::Points(0.25));
    asks("< -5 pt", Direction::Below, Bound::Points(-5.0));
    asks("> +0pt", Direction::Above, Bound::Points(0.0));
    asks("> 10%", Direction::Above, Bound::Share(10.0));
    asks("< 0.5 %", Direction::Below, Bound::Share(0.5));
    asks("> +20% per-op", Direction::Above, Bound::PerOperation(20.0));
    asks("> +250 % per-op", Direction::Above, Bound::PerOperation(250.0));
    asks("< -30% per-op", Direction::Below, Bound::PerOperation(-30.0));
    means("total>+1pt", Scope::Total, Direction::Above, Bound::Points(1.0), Proof::Required);
}

#[test]
fn the_proof_is_dropped_by_three_words() {
    means(
        "total > +1pt even if unproven",
        Scope::Total,
        Direction::Above,
        Bound::Points(1.0),
        Proof::Dropped,
    );
    let any = Scope::Each(Each::Lock);
    means(
        "any lock > +9% per-op even if unproven",
        any,
        Direction::Above,
        Bound::PerOperation(9.0),
        Proof::Dropped,
    );
}

#[test]
fn the_text_is_kept_as_typed() {
    assert_eq!(parse("  total  >  10 % ").map(|read| read.text), Ok("total  >  10 %".to_owned()));
}

const FAMILIES: &str = "one of the families spinlock, rwlock, mutex, rwsem, percpu-rwsem, semaphore, rtmutex, lglock, \
                        lockref, futex, pthread, rust, go, user";

#[test]
fn errors_name_the_column_and_what_was_expected() {
    let subjects = format!("expected total, any, lock, caller, family or {FAMILIES}");
    is_wrong("", &format!("column 1: {subjects}, found the end"));
    is_wrong("spinlok > +1pt", &format!("column 1: {subjects}, found 'spinlok'"));
    is_wrong("Spinlock > +1pt", &format!("column 1: {subjects}, found 'Spinlock'"));
    is_wrong("> +1pt", &format!("column 1: {subjects}, found '>'"));
    is_wrong("family foo > +1pt", &format!("column 8: expected {FAMILIES}, found 'foo'"));
    is_wrong("any > +1pt", "column 5: expected family, lock, caller or site, found '>'");
    is_wrong("lock > +1pt", "column 6: expected the name of a lock, found '>'");
    is_wrong("lock '' > +1pt", "column 6: expected the name of a lock, found \"\"");
    is_wrong("lock a from", "column 12: expected the name of a caller, found the end");
    is_wrong("caller a from b > 1%", "column 10: expected '>' or '<', found 'from'");
    is_wrong("lock 'a > +1pt", "column 6: expected a closing ', found 'a > +1pt");
    is_wrong("total", "column 6: expected '>' or '<', found the end");
    is_wrong("total = 1%", "column 7: expected '>' or '<', found '='");
}

#[test]
fn bounds_that_could_be_read_in_two_ways_are_errors() {
    is_wrong("total > 1pt", "column 9: expected '+' before a change in points, found '1pt'");
    is_wrong("total < 1pt", "column 9: expected '-' before a change in points, found '1pt'");
    let signs = "a rise is written '> +1pt', a fall '< -1pt'";
    is_wrong("total > -1pt", &format!("column 9: expected '+': {signs}, found '-1pt'"));
    is_wrong("total < +1%", &format!("column 9: expected '-': {signs}, found '+1%'"));
    is_wrong("total > ++1pt", &format!("column 9: expected '+': {signs}, found '++1pt'"));
    is_wrong(
        "total > +1%",
        "column 12: expected 'per-op' (the change of a share is in points: '+1pt'), found the end",
    );
    is_wrong("total > 10% per-op", "column 13: expected 'even if unproven' or the end, found 'per-op'");
    is_wrong("total > 10", "column 11: expected a unit: 'pt' or '%', found the end");
    is_wrong("total > +1,5pt", "column 11: expected a unit: 'pt' or '%', found ',5pt'");
    is_wrong("total > 10 percent", "column 12: expected a unit: 'pt' or '%', found 'percent'");
    is_wrong("total >= 10%", "column 8: expected a number such as 1 or 2.5, found '='");
    is_wrong("total > +pt", "column 10: expected a number such as 1 or 2.5, found 'pt'");
    is_wrong("total > +", "column 10: expected a number such as 1 or 2.5, found '+'");
    is_wrong("total > 1.2.3%", "column 9: expected a number such as 1 or 2.5, found '1.2.3%'");
    is_wrong("total >", "column 8: expected a bound such as '> +1pt' or '> 10%', found the end");
    is_wrong("total < <", "column 9: expected a bound such as '< -1pt' or '< 10%', found '<'");
    is_wrong("total > 101%", "column 9: expected a share in percent of at most 100, found '101'");
    is_wrong("total > +101pt", "column 10: expected points of at most 100, found '101'");
    is_wrong("total < -101% per-op", "column 10: expected a change in percent of at most 100, found '101'");
}

#[test]
fn columns_count_characters() {
    is_wrong("lock žämek >> 1%", "column 13: expected a bound such as '> +1pt' or '> 10%', found '>'");
    is_wrong("total > +1pt even so", "column 19: expected 'even if unproven' or the end, found 'so'");
    is_wrong("total > +1pt even if unproven x", "column 31: expected the end, found 'x'");
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in "\\PC*") {
        if let Err(error) = parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
        }
    }

    #[test]
    fn nothing_of_its_own_words_makes_it_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "total", "any", "lock", "caller", "family", "from", "spinlock", "a*", "'b", "'", "\"c\"", ">", "<", "+",
                "-", "1", "+1pt", "10%", "%", "pt", "per-op", "even", "if", "unproven", "é", "1e9", "99999999999", ".",
            ]),
            0..9,
        ),
        gap in prop::sample::select(vec!["", " ", "\t"]),
    ) {
        let text = words.join(gap);
        if let Err(error) = parse(&text) {
            prop_assert!((1..=text.chars().count() + 1).contains(&error.column));
        }
    }

    #[test]
    fn what_it_means_can_be_written_again(
        name in "[a-z_*:.]{1,12}",
        from in prop::option::of("[a-z_*]{1,9}"),
        value in 0_u32..1000,
        kind in 0..5,
        is_dropped: bool,
    ) {
        let value = f64::from(value) / 10.0;
        let (direction, bound) = match kind {
            0 => (Direction::Above, Bound::Points(value)),
            1 => (Direction::Below, Bound::Points(-value)),
            2 => (Direction::Above, Bound::Share(value)),
            3 => (Direction::Below, Bound::PerOperation(-value)),
            _ => (Direction::Above, Bound::PerOperation(value)),
        };
        let sign = if direction == Direction::Above { '>' } else { '<' };
        let caller = from.as_ref().map_or(String::new(), |from| format!(" from '{from}'"));
        let suffix = if is_dropped { " even if unproven" } else { "" };
        let scope = Scope::Sites(Sites { lock: Some(name.clone()), caller: from, family: None });
        let proof = if is_dropped { Proof::Dropped } else { Proof::Required };
        means(&format!("lock {name}{caller} {sign} {bound}{suffix}"), scope, direction, bound, proof);
    }
}
