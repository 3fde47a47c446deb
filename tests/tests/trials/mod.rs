//! One test a case, named by the case's folder and id, so that one of them can
//! be run: `cargo test --test corpus_native -- bypass-b02-first`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use mcp_boundary_tests::corpus::{Case, Corpus, Runner};
use mcp_boundary_tests::error::Error;
use mcp_boundary_tests::known::KnownWrong;
use mcp_boundary_tests::report::Outcome;
use mcp_boundary_tests::shown::{Shown, Went};

/// What was asked for. Whole runs print a dot a case, as `--quiet` does, unless
/// they are asked for more.
pub(crate) fn arguments() -> Arguments {
    let mut arguments = Arguments::from_args();
    let filtered = arguments.filter.is_some() || !arguments.skip.is_empty();
    if !filtered && !arguments.list && arguments.format.is_none() {
        arguments.quiet = true;
    }
    arguments
}

/// The tests of a runner: one for each case, for each file that is no case, and
/// for the list of known failures. `outcome` says how a case goes there, or why
/// that cannot be said of any.
///
/// # Panics
/// If the corpus or the list cannot be read.
pub(crate) fn of(
    runner: Runner,
    outcome: impl Fn(&Case) -> Result<Outcome, String> + Clone + Send + Sync + 'static,
) -> Vec<Trial> {
    let corpus = Corpus::load_own().expect("the corpus");
    let known = Arc::new(KnownWrong::load().expect("the list of known failures"));
    let mut trials = vec![up_to_date(&known, &corpus, runner)];
    trials.extend(corpus.broken.into_iter().map(broken));
    for case in corpus.cases {
        let name = case.name();
        trials.push(match case.left_out(runner) {
            Some(why) => Trial::ignorable_test(name, move || Ok(Completion::ignored_with(why))),
            None => {
                let (known, outcome) = (Arc::clone(&known), outcome.clone());
                Trial::test(name, move || {
                    // Only failures are worth the work of showing them.
                    let went = known.judge(outcome(&case)?);
                    match went.problem {
                        None => Ok(()),
                        Some(_) => Err(Failed::from(format!("{}{}", Shown(&case), Went(&went)))),
                    }
                })
            }
        });
    }
    trials
}

/// Says how many cases are not for this runner, and why, where the dots do not.
pub(crate) fn say_what_is_left_out(arguments: &Arguments, runner: Runner) {
    if !arguments.quiet {
        return;
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    let cases = Corpus::load_own().expect("the corpus").cases;
    for why in cases.iter().filter_map(|case| case.left_out(runner)) {
        *reasons.entry(why).or_default() += 1;
    }
    for (why, count) in reasons {
        println!(
            "{count} cases ignored by the {} runner: {why}",
            runner.as_str()
        );
    }
}

fn broken((name, error): (String, Error)) -> Trial {
    Trial::test(name, move || Err(Failed::from(error)))
}

/// The list names cases that run, and no others.
fn up_to_date(known: &Arc<KnownWrong>, corpus: &Corpus, runner: Runner) -> Trial {
    let here = corpus.cases.iter().filter(|case| case.runs_in(runner));
    let ids: BTreeSet<String> = here.map(|case| case.id.clone()).collect();
    let known = Arc::clone(known);
    Trial::test("known-wrong.txt lists cases that run", move || {
        let stale = known.stale(runner, |id| ids.contains(id));
        match stale.first() {
            None => Ok(()),
            Some(outcome) => Err(Failed::from(format!("{}: {}", outcome.id, Went(outcome)))),
        }
    })
}
