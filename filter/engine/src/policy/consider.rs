//! What each rule says of each operation, for those who ask why. The decision
//! itself is in `authorize`, which goes by the same functions.

use mcp_boundary_format::{Condition, Endpoint, Names, Rule};

use super::authorize::Rules;
use super::operation::Operation;
use super::principals::{self, Met, Principals};
use crate::engine::Engine;
use crate::head::fields::{Fields, Head};

/// How one rule stands to one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Considered<'a> {
    /// The rule.
    pub rule: &'a Rule,
    /// Whether it is one of `deny`.
    pub denies: bool,
    /// The names and patterns in it that are what is asked for.
    pub named: Vec<&'a str>,
    /// Its conditions, and whether they hold for the caller.
    pub when: Vec<(&'a Condition, Met)>,
    /// Whether it allows, or denies: what is named and who asks together.
    pub applies: bool,
}

impl Engine {
    /// What each rule of an endpoint says of an operation of the request with
    /// this head, the denies first, each in the order in which they are asked.
    pub fn consider<'a>(
        &self,
        endpoint: &'a Endpoint,
        head: &Head<'_>,
        operation: &Operation,
    ) -> Vec<Considered<'a>> {
        let core = self.core();
        let known = principals::read(&core.sources, &core.attributes, head.attributes);
        let who = Principals {
            sources: &core.sources,
            known: &known,
            fields: &Fields::collect(head, &core.principals),
        };
        let rules = Rules {
            endpoint,
            who: &who,
        };
        let denies = endpoint.deny.iter().map(|rule| (rule, true));
        let allows = endpoint.allow.iter().map(|rule| (rule, false));
        let consider = |(rule, denies): (&'a Rule, bool)| {
            let when = rule.when.iter();
            Considered {
                rule,
                denies,
                named: named(&rules, rule, denies, operation),
                when: when.map(|one| (one, who.met(one, denies))).collect(),
                applies: match denies {
                    true => rules.denies(rule, operation) && who.forbids(rule),
                    false => rules.allows(rule, operation) && who.permits(rule),
                },
            }
        };
        denies.chain(allows).map(consider).collect()
    }
}

/// The names and patterns of a rule that alone would do.
fn named<'a>(
    rules: &Rules<'_>,
    rule: &'a Rule,
    denies: bool,
    operation: &Operation,
) -> Vec<&'a str> {
    let alone = |put: &dyn Fn(&mut Rule)| {
        let mut one = Rule::default();
        put(&mut one);
        match denies {
            true => rules.denies(&one, operation),
            false => rules.allows(&one, operation),
        }
    };
    let of = |name: &str| Names::new([name.to_owned()]).unwrap_or_default();
    let mut found = Vec::new();
    // In the order of `lists`.
    let places: [fn(&mut Rule) -> &mut Names; 4] = [
        |one| &mut one.methods,
        |one| &mut one.tools,
        |one| &mut one.prompts,
        |one| &mut one.resources,
    ];
    for (names, place) in rule.lists().into_iter().zip(places) {
        let fits = |name: &&str| alone(&|one| *place(one) = of(name));
        found.extend(names.iter().filter(fits));
    }
    let extensions = rule.extensions.iter();
    let extensions = extensions.filter(|name| alone(&|one| one.extensions = vec![(*name).clone()]));
    found.extend(extensions.map(|name| name.as_str()));
    found
}
