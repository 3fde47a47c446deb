//! The policy file: its text, the YAML in it, and where each part stands.
//!
//! The YAML reader gives no places for good values, only for errors. So a part
//! is remembered as a [`Route`] from the root, and a route becomes a [`Span`]
//! by reading the same text again with a reader that walks there and fails.

mod locate;
mod refused;
mod token;
mod value;

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Label, Severity, Span};
pub(crate) use value::{Number, Value};

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
    text: &'s str,
    root: Value,
}

impl<'s> Source<'s> {
    /// Reads the YAML, or says at which places it cannot be read or must not.
    pub(crate) fn parse(text: &'s str) -> Result<Self, Vec<Diagnostic>> {
        let refused = refused::characters(text);
        if !refused.is_empty() {
            return Err(refused);
        }
        let root = value::read(token::without_mark(text)).map_err(|fault| {
            vec![Diagnostic {
                severity: Severity::Error,
                message: fault.message,
                help: Some(fault.help),
                labels: fault
                    .index
                    .map(|index| {
                        let at = token::offset(text, index);
                        label(text, String::new(), token::extent(text, at), fault.label)
                    })
                    .into_iter()
                    .collect(),
            }]
        })?;
        let refused = refused::tags(text, &root);
        if !refused.is_empty() {
            return Err(refused);
        }
        Ok(Self { text, root })
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// Where the node at `route` stands, with a name for it and a remark.
    pub(crate) fn label(&self, route: &Route, remark: &str) -> Label {
        label(
            self.text,
            self.name(route),
            self.range(route),
            remark.to_owned(),
        )
    }

    /// Whether the node at `route` is a scalar with neither quotes nor a tag.
    pub(crate) fn is_plain(&self, route: &Route) -> bool {
        let (start, token) = (self.start(route), self.range(route));
        let properties = self.text.get(start..token.start).unwrap_or_default();
        let rest = self.text.get(token.start..).unwrap_or_default();
        !properties.contains('!') && !rest.starts_with(['"', '\'', '|', '>'])
    }

    /// The node's first token as it stands in the file.
    pub(crate) fn raw(&self, route: &Route) -> &'s str {
        self.text.get(self.range(route)).unwrap_or_default()
    }

    fn range(&self, route: &Route) -> Range<usize> {
        token::extent(self.text, self.start(route))
    }

    fn start(&self, route: &Route) -> usize {
        locate::index_of(token::without_mark(self.text), &route.0)
            .map_or(0, |index| token::offset(self.text, index))
    }

    /// The route as people write it: `endpoints[0].allow.tools[1]`.
    fn name(&self, route: &Route) -> String {
        let mut name = String::new();
        let mut node = Some(&self.root);
        for step in &route.0 {
            match (*step, node) {
                (Step::Item(index), Some(Value::List(items))) => {
                    name.push_str(&format!("[{index}]"));
                    node = items.get(index);
                }
                (Step::Key(index) | Step::Entry(index), Some(Value::Map(entries))) => {
                    let entry = entries.get(index);
                    if let Some((Value::Text(key), _)) = entry {
                        if !name.is_empty() {
                            name.push('.');
                        }
                        name.push_str(key);
                    }
                    node = entry.map(|(_, value)| value);
                }
                _ => return name,
            }
        }
        name
    }
}

fn label(text: &str, route: String, range: Range<usize>, remark: String) -> Label {
    let (line, column) = token::line_and_column(text, range.start);
    Label {
        route,
        span: Span {
            line,
            column,
            bytes: range,
        },
        text: remark,
    }
}
