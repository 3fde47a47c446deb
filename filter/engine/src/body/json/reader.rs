//! The pass itself: what of a body is kept. [`grammar`] has the rules of JSON.

mod grammar;

use std::borrow::Cow;

use mcp_boundary_format::Limits;
use serde_json::{Map, Value};

use super::fault::{Error, Fault};
use super::guard::Object;
use super::skeleton::{Arguments, Forbidden, MAX_KEPT, ReadJson, StrictJson};
use crate::answer::reason::Refusal;

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    open: u8,
    limits: Limits,
    forbidden: Forbidden<'a>,
    /// Names of the objects that are open, innermost last.
    names: Vec<Cow<'a, str>>,
    kept: usize,
    arguments: Vec<Arguments>,
    /// The first name that is not plainly one of the protocol's or another.
    odd_name: Option<Error>,
    /// Such a name may be the envelope's `id`.
    id_is_odd: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, limits: Limits, forbidden: Forbidden<'a>) -> Self {
        Self {
            text,
            at: 0,
            open: 0,
            limits,
            forbidden,
            names: Vec::new(),
            kept: 0,
            arguments: Vec::new(),
            odd_name: None,
            id_is_odd: false,
        }
    }

    pub(super) fn document(mut self) -> Result<ReadJson, Refusal> {
        let (limits, len) = (self.limits, self.text.len());
        let top = self.top();
        let odd_name = self.odd_name.map(|error| error.refusal(limits, len));
        match (top, odd_name) {
            (Ok(skeleton), odd_name) => {
                let json = StrictJson::new(skeleton, self.arguments);
                Ok(ReadJson::new(json, odd_name, self.id_is_odd))
            }
            // What comes first in the body.
            (Err(_), Some(refusal)) => Err(refusal),
            (Err(error), None) => Err(error.refusal(limits, len)),
        }
    }

    fn top(&mut self) -> Result<Value, Error> {
        self.space();
        let value = if self.peek() == Some(b'[') {
            self.batch()?
        } else {
            self.message()?
        };
        self.space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.error(Fault::Trailing)),
        }
    }

    fn batch(&mut self) -> Result<Value, Error> {
        let mut kept = Vec::new();
        self.array(|reader| {
            reader.keep()?;
            kept.push(reader.message()?);
            Ok(())
        })?;
        Ok(Value::Array(kept))
    }

    /// An envelope, or whatever stands in its place: a scalar is kept as it
    /// is, an array as an empty one.
    fn message(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some(b'{') => {}
            Some(b'[') => {
                self.skim()?;
                return Ok(Value::Array(Vec::new()));
            }
            _ => return self.value(),
        }
        let mut envelope = Map::new();
        let mut arguments = Arguments::Absent;
        self.object(Some(Object::Envelope), |reader, name| {
            let value = match &*name {
                "params" if reader.peek() == Some(b'{') => reader.params(&mut arguments)?,
                "jsonrpc" | "id" | "method" | "params" | "error" => reader.value()?,
                "result" => reader.kind()?,
                _ => return reader.skim(),
            };
            envelope.insert(name.into_owned(), value);
            Ok(())
        })?;
        self.arguments.push(arguments);
        Ok(Value::Object(envelope))
    }

    fn params(&mut self, arguments: &mut Arguments) -> Result<Value, Error> {
        let mut params = Map::new();
        self.object(Some(Object::Params), |reader, name| {
            let value = match (&*name, reader.peek()) {
                ("arguments", _) => {
                    let (kind, value) = reader.arguments()?;
                    *arguments = kind;
                    value
                }
                ("_meta", Some(b'{')) => reader.kept_object(Some(Object::Meta))?,
                ("ref", Some(b'{')) => reader.kept_object(Some(Object::Reference))?,
                ("notifications", Some(b'{')) => reader.kept_object(Some(Object::Notifications))?,
                _ => reader.value()?,
            };
            reader.keep()?;
            params.insert(name.into_owned(), value);
            Ok(())
        })?;
        Ok(Value::Object(params))
    }

    /// `params.arguments`: checked, not kept. In its place stands a value of
    /// the same kind; for an object, one whose member is a string exactly if
    /// all were, which is all that a typed reader of `prompts/get` asks.
    fn arguments(&mut self) -> Result<(Arguments, Value), Error> {
        if self.peek() != Some(b'{') {
            return Ok((Arguments::Other, self.kind()?));
        }
        let mut forbidden = false;
        let mut stand_in = Map::new();
        self.object(None, |reader, name| {
            forbidden |= reader.forbidden.has(&name);
            if reader.peek() != Some(b'"') {
                stand_in.insert(String::new(), Value::from(0));
            }
            reader.skim()
        })?;
        Ok((Arguments::Object { forbidden }, Value::Object(stand_in)))
    }

    /// A value's kind without its contents.
    fn kind(&mut self) -> Result<Value, Error> {
        let kind = match self.peek() {
            Some(b'{') => Value::Object(Map::new()),
            Some(b'[') => Value::Array(Vec::new()),
            Some(b'"') => Value::String(String::new()),
            Some(b't' | b'f') => Value::Bool(false),
            Some(b'n') => Value::Null,
            _ => Value::from(0),
        };
        self.skim()?;
        Ok(kind)
    }

    /// Counts one more value of the skeleton.
    fn keep(&mut self) -> Result<(), Error> {
        self.kept = self.kept.saturating_add(1);
        if self.kept > MAX_KEPT {
            return Err(self.error(Fault::TooMany));
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some(b'{') => self.kept_object(None),
            Some(b'[') => {
                let mut items = Vec::new();
                self.array(|reader| {
                    reader.keep()?;
                    items.push(reader.value()?);
                    Ok(())
                })?;
                Ok(Value::Array(items))
            }
            Some(b'"') => Ok(Value::String(self.string()?.into_owned())),
            Some(b't') => self.word("true").map(|()| Value::Bool(true)),
            Some(b'f') => self.word("false").map(|()| Value::Bool(false)),
            Some(b'n') => self.word("null").map(|()| Value::Null),
            _ => self.number().map(Value::Number),
        }
    }

    fn kept_object(&mut self, guarded: Option<Object>) -> Result<Value, Error> {
        let mut object = Map::new();
        self.object(guarded, |reader, name| {
            reader.keep()?;
            object.insert(name.into_owned(), reader.value()?);
            Ok(())
        })?;
        Ok(Value::Object(object))
    }
}
