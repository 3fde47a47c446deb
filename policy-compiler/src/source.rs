//! The policy file: its text, the YAML in it, and where each part stands.
//!
//! The text is read once, by `saphyr-parser`, into a tree of nodes that know
//! their place. A part is remembered as a [`Route`] from the root, which also
//! names it: `endpoints[0].allow.tools[1]`.

mod extent;
mod fault;
mod node;
mod places;
mod refused;
mod scalar;
mod tree;

use std::rc::Rc;

use crate::diagnostic::{Diagnostic, Label};
pub(crate) use node::{Node, Number, Value};
use places::Places;

/// One step from a YAML node to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The n-th item of a list.
    Item(usize),
    /// The key of a map's n-th entry.
    Key(usize),
    /// The value of a map's n-th entry.
    Entry(usize),
}

/// The steps from the root to a node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Route(Vec<Step>);

impl Route {
    pub(crate) fn then(&self, step: Step) -> Self {
        let mut steps = self.0.clone();
        steps.push(step);
        Self(steps)
    }
}

/// A policy file that is one well-formed YAML document.
#[derive(Debug)]
pub(crate) struct Source<'s> {
    places: Places<'s>,
    root: Rc<Node>,
}

impl<'s> Source<'s> {
    /// Reads the YAML, or says at which places it cannot be read or must not.
    pub(crate) fn parse(text: &'s str) -> Result<Self, Vec<Diagnostic>> {
        let places = Places::new(text);
        let refused = refused::characters(&places);
        if !refused.is_empty() {
            return Err(refused);
        }
        let refused = refused::control(&places).or_else(|| refused::directive(&places));
        if let Some(refused) = refused {
            return Err(vec![refused]);
        }
        let root = tree::read(&places)?;
        Ok(Self { places, root })
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root.value
    }

    /// Where the node at `route` stands, with a name for it and a remark.
    pub(crate) fn label(&self, route: &Route, remark: &str) -> Label {
        Label {
            route: self.name(route),
            ..self.places.label(self.node(route).place.clone(), remark)
        }
    }

    /// Whether the node at `route` is a scalar without quotes.
    pub(crate) fn is_plain(&self, route: &Route) -> bool {
        self.node(route).plain
    }

    /// The scalar at `route` as it stands in the file.
    pub(crate) fn raw(&self, route: &Route) -> &'s str {
        let place = self.node(route).place.clone();
        self.places.text().get(place).unwrap_or_default()
    }

    fn node(&self, route: &Route) -> &Node {
        let root: &Node = &self.root;
        let steps = route.0.iter();
        steps.fold(root, |node, step| part(node, *step).unwrap_or(node))
    }

    /// The route as people write it: `endpoints[0].allow.tools[1]`.
    fn name(&self, route: &Route) -> String {
        let mut name = String::new();
        let mut node: &Node = &self.root;
        for step in &route.0 {
            match *step {
                Step::Item(index) => name.push_str(&format!("[{index}]")),
                Step::Key(index) | Step::Entry(index) => {
                    let key = part(node, Step::Key(index)).map(|key| &key.value);
                    if let Some(Value::Text(key)) = key {
                        if !name.is_empty() {
                            name.push('.');
                        }
                        name.push_str(key);
                    }
                }
            }
            let Some(next) = part(node, *step) else {
                return name;
            };
            node = next;
        }
        name
    }
}

/// One step further.
fn part(node: &Node, step: Step) -> Option<&Node> {
    let part = match (step, &node.value) {
        (Step::Item(index), Value::List(items)) => items.get(index),
        (Step::Key(index), Value::Map(entries)) => entries.get(index).map(|(key, _)| key),
        (Step::Entry(index), Value::Map(entries)) => entries.get(index).map(|(_, value)| value),
        _ => None,
    };
    part.map(Rc::as_ref)
}
