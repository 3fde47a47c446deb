//! The YAML tree, each part with its place. Maps keep repeated keys, so that
//! they can be refused instead of silently losing one.

use std::ops::Range;
use std::rc::Rc;

/// A YAML node, typed by the core schema of YAML 1.2.
#[derive(Debug)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Rc<Node>>),
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}

/// A YAML number; policies only use whole ones from zero up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Whole(u64),
    Other,
}

impl Value {
    /// What to call it in an error.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "nothing",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
        }
    }
}

/// A value and where it stands. An alias is the very node that it names.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) value: Value,
    /// Of a scalar all of it, with its quotes. Of a list or map in brackets the
    /// opening one; of others the first key, or the first dash and what stands
    /// behind it. Of nothing the empty place where it could be.
    pub(super) place: Range<usize>,
    /// Whether it is a scalar without quotes.
    pub(super) plain: bool,
    /// Nodes in it and itself, aliases counted each time they are used.
    pub(super) size: usize,
    /// Levels of lists and maps, its own included.
    pub(super) height: usize,
}

impl Node {
    /// The node of a list or map in which `children` are.
    pub(super) fn holding(value: Value, place: Range<usize>, children: &Totals) -> Self {
        Self {
            value,
            place,
            plain: false,
            size: children.size.saturating_add(1),
            height: children.height.saturating_add(1),
        }
    }

    pub(super) const fn scalar(value: Value, place: Range<usize>, plain: bool) -> Self {
        Self {
            value,
            place,
            plain,
            size: 1,
            height: 0,
        }
    }
}

/// The size of some nodes together, and the height of the highest.
#[derive(Debug, Default)]
pub(super) struct Totals {
    size: usize,
    height: usize,
}

impl<'n> FromIterator<&'n Rc<Node>> for Totals {
    fn from_iter<I: IntoIterator<Item = &'n Rc<Node>>>(nodes: I) -> Self {
        nodes.into_iter().fold(Self::default(), |all, node| Self {
            size: all.size.saturating_add(node.size),
            height: all.height.max(node.height),
        })
    }
}
