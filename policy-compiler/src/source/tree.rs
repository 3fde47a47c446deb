//! From the parser's events to one tree.

mod place;

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use super::extent;
use super::fault::{self, Stop};
use super::node::{Node, Totals, Value};
use super::places::Places;
use super::scalar;
use crate::diagnostic::Diagnostic;

/// The most nodes a policy may have, aliases counted each time they are used.
/// Stops a small file that unfolds into a huge one.
pub(super) const MAX_NODES: usize = 1_000_000;

/// How many lists and maps may stand in one another.
const MAX_DEPTH: usize = 128;

/// What no text without quotes begins with (`c-indicator` of the specification,
/// section 5.3), without `-`, `?` and `:`, which some may begin with; in brackets
/// the latter two are refused as well, as a slip: `[:"a"]` would be a name with
/// quotes in it. The parser lets both pass.
const INDICATORS: [char; 15] = [
    ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@',
];

/// Reads the one document of a file, or says at which places it cannot be read
/// or must not. A file without a document holds nothing.
pub(super) fn read(places: &Places<'_>) -> Result<Rc<Node>, Vec<Diagnostic>> {
    let begin = places.begin();
    let mut builder = Builder::new(places, places.from(begin));
    let stop = builder.run().err();
    let stop = stop.map(|stop| builder.sooner(stop));
    let mut found = fault::tags(places, &builder.tags);
    found.extend(stop.map(|stop| fault::stopped(places, stop)));
    if !found.is_empty() {
        return Err(found);
    }
    let nothing = || Rc::new(Node::scalar(Value::Null, begin..begin, true));
    Ok(builder.root.unwrap_or_else(nothing))
}

/// A list or map whose end has not come yet.
struct Open {
    map: bool,
    anchor: usize,
    /// What it begins with, unless it is a map without brackets.
    place: Option<Range<usize>>,
    in_brackets: bool,
    /// Of a map, key after value after key.
    children: Vec<Rc<Node>>,
}

struct Builder<'p> {
    places: &'p Places<'p>,
    parser: Parser<'p, StrInput<'p>>,
    open: Vec<Open>,
    /// Nodes by the parser's number of their anchor.
    anchors: BTreeMap<usize, Rc<Node>>,
    root: Option<Rc<Node>>,
    begun: bool,
    /// How many nodes more there may be.
    left: usize,
    /// Where the last thing that was read ends.
    behind: usize,
    tags: Vec<Range<usize>>,
}

impl<'p> Builder<'p> {
    /// Reads `text`, which ends where that of `places` does or before.
    fn new(places: &'p Places<'p>, text: &'p str) -> Self {
        Self {
            places,
            parser: Parser::new_from_str(text),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            root: None,
            begun: false,
            left: MAX_NODES,
            behind: places.begin(),
            tags: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        while let Some((event, start, end)) = self.next()? {
            match event {
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
                Event::DocumentStart(_) if self.begun => return Err(self.second(start..end)),
                Event::DocumentStart(_) => self.begun = true,
                Event::Alias(anchor) => self.alias(anchor, start..end)?,
                Event::Scalar(text, style, anchor, tag) => {
                    self.note_tag(tag.is_some(), start);
                    let properties = anchor > 0 || tag.is_some();
                    self.scalar(&text, style, anchor, properties, start..end)?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.note_tag(tag.is_some(), start);
                    self.begin(false, anchor, anchor > 0 || tag.is_some(), start..end)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.note_tag(tag.is_some(), start);
                    self.begin(true, anchor, anchor > 0 || tag.is_some(), start..end)?;
                }
                Event::SequenceEnd => self.end(false, start)?,
                Event::MappingEnd => self.end(true, start)?,
            }
        }
        Ok(())
    }

    /// The next event and from where to where it reaches.
    fn next(&mut self) -> Result<Option<(Event<'p>, usize, usize)>, Stop> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok((event, Span { start, end }))) => {
                let (start, end) = (start.index(), end.index());
                let (start, end) = (self.places.offset(start), self.places.offset(end));
                Ok(Some((event, start, end.max(start))))
            }
            Some(Err(error)) => {
                let at = self.places.offset(error.marker().index());
                Err(Stop::Unreadable(at))
            }
        }
    }

    /// The parser gives up at more brackets than it can count before it tells
    /// of the first. With what stands before the last, it does tell.
    fn sooner(&self, stop: Stop) -> Stop {
        let Stop::Unreadable(at) = stop else {
            return stop;
        };
        if !self.places.from(at).starts_with(['[', '{']) {
            return stop;
        }
        let before = self.places.text().get(self.places.begin()..at);
        let mut builder = Builder::new(self.places, before.unwrap_or_default());
        match builder.run() {
            Err(deep @ Stop::Deep(_)) => deep,
            _ => stop,
        }
    }

    fn note_tag(&mut self, is_tagged: bool, start: usize) {
        if is_tagged {
            let at = extent::tag(self.places.text(), start);
            let length = extent::property(self.places.from(at));
            self.tags.push(at..at.saturating_add(length));
        }
    }

    fn alias(&mut self, anchor: usize, place: Range<usize>) -> Result<(), Stop> {
        // What it names may be what it stands in.
        let Some(node) = self.anchors.get(&anchor).map(Rc::clone) else {
            return Err(Stop::Deep(place));
        };
        if self.open.len().saturating_add(node.height) > MAX_DEPTH {
            return Err(Stop::Deep(place));
        }
        self.behind = place.end;
        self.spend(node.size, place)?;
        self.put(node);
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        properties: bool,
        reach: Range<usize>,
    ) -> Result<(), Stop> {
        let place = self.scalar_place(text, style, properties, reach);
        let plain = style == ScalarStyle::Plain;
        let in_brackets = self.open.last().is_some_and(|open| open.in_brackets);
        if plain && (text.starts_with(INDICATORS) || (in_brackets && text.starts_with([':', '?'])))
        {
            return Err(Stop::Unreadable(place.start));
        }
        let value = if plain {
            scalar::resolve(text)
        } else {
            Value::Text(text.to_owned())
        };
        self.behind = place.end;
        self.spend(1, place.clone())?;
        self.keep(anchor, Node::scalar(value, place, plain));
        Ok(())
    }

    fn begin(
        &mut self,
        map: bool,
        anchor: usize,
        properties: bool,
        reach: Range<usize>,
    ) -> Result<(), Stop> {
        let text = self.places.text();
        let start = if properties {
            extent::skip_properties(text, reach.start)
        } else {
            reach.start
        };
        let bracket = if map { '{' } else { '[' };
        let in_brackets = start < reach.end && self.places.from(start).starts_with(bracket);
        let start = match map {
            _ if in_brackets => start,
            true => reach.end,
            false => self.first_dash(reach.end),
        };
        let place = start..start.saturating_add(1);
        if self.open.len() >= MAX_DEPTH {
            return Err(Stop::Deep(place));
        }
        self.spend(1, place.clone())?;
        if in_brackets {
            self.behind = place.end;
        }
        self.open.push(Open {
            map,
            anchor,
            place: (in_brackets || !map).then_some(place),
            in_brackets,
            children: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self, map: bool, at: usize) -> Result<(), Stop> {
        let Some(open) = self.open.pop().filter(|open| open.map == map) else {
            return Err(Stop::Unreadable(at));
        };
        if open.in_brackets {
            self.behind = at.saturating_add(1);
        }
        let totals: Totals = open.children.iter().collect();
        let first = open.children.first().map(|node| node.place.clone());
        let place = match (open.place, open.in_brackets) {
            (Some(bracket), true) => bracket,
            (Some(dash), false) => self.entry(dash, first),
            (None, _) => first.unwrap_or(at..at),
        };
        let value = if map {
            let (keys, values) = (open.children.iter(), open.children.iter().skip(1));
            let entries = keys.zip(values).step_by(2);
            Value::Map(entries.map(|(k, v)| (Rc::clone(k), Rc::clone(v))).collect())
        } else {
            Value::List(open.children)
        };
        self.keep(open.anchor, Node::holding(value, place, &totals));
        Ok(())
    }

    fn spend(&mut self, nodes: usize, place: Range<usize>) -> Result<(), Stop> {
        self.left = self.left.checked_sub(nodes).ok_or(Stop::Large(place))?;
        Ok(())
    }

    fn keep(&mut self, anchor: usize, node: Node) {
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        self.put(node);
    }

    fn put(&mut self, node: Rc<Node>) {
        match self.open.last_mut() {
            Some(open) => open.children.push(node),
            None => self.root = Some(node),
        }
    }

    /// The first thing in a second document, or the `---` before it.
    fn second(&mut self, mark: Range<usize>) -> Stop {
        let place = match self.next() {
            Ok(Some((Event::MappingStart(..), start, end))) if start == end => match self.next() {
                Ok(Some((_, start, end))) => start..end,
                _ => mark,
            },
            Ok(Some((_, start, end))) => start..end,
            _ => mark,
        };
        let text = self.places.text().get(place.clone()).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default().trim_end();
        Stop::Second(place.start..place.start.saturating_add(line.len()))
    }
}
