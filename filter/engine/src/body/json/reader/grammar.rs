//! RFC 8259, once over: a recursive descent whose depth is bounded before it
//! descends.

use std::borrow::Cow;

use serde_json::Number;

use super::Reader;
use crate::body::json::fault::{Error, Fault};
use crate::body::json::guard::{self, Object};
use crate::body::json::{duplicates, text};

impl<'a> Reader<'a> {
    /// Checks a value and keeps nothing.
    pub(super) fn skim(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'{') => self.object(None, |reader, _| reader.skim()),
            Some(b'[') => self.array(Self::skim),
            Some(b'"') => self.raw_string().map(|_| ()),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.raw_number().map(|_| ()),
        }
    }

    pub(super) fn object(
        &mut self,
        guarded: Option<Object>,
        mut member: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let start = self.at;
        self.enter()?;
        let mark = self.names.len();
        self.space();
        if !self.eat(b'}') {
            loop {
                let at = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.error(Fault::Syntax));
                }
                let name = self.string()?;
                if let Some(object) = guarded {
                    self.guard(&name, object, at);
                }
                self.names.push(name.clone());
                self.space();
                self.expect(b':')?;
                self.space();
                member(self, name)?;
                self.space();
                if self.eat(b'}') {
                    break;
                }
                self.expect(b',')?;
                self.space();
            }
        }
        let names = self.names.get_mut(mark..).unwrap_or_default();
        if duplicates::any(names) {
            return Err(Error {
                fault: Fault::Duplicate,
                at: start,
            });
        }
        self.names.truncate(mark);
        self.open = self.open.saturating_sub(1);
        Ok(())
    }

    /// Notes a name that some reader takes for a protocol member. The rest is
    /// still read: the answer needs the id.
    fn guard(&mut self, name: &str, object: Object, at: usize) {
        let Err(fault) = guard::check(name, object) else {
            return;
        };
        let fault = match fault {
            guard::Fault::CaseVariant(member) => Fault::CaseVariant(member),
            guard::Fault::Control => Fault::ControlInName,
        };
        self.odd_name.get_or_insert(Error { fault, at });
        self.id_is_odd |= object == Object::Envelope && guard::may_be_id(name);
    }

    pub(super) fn array(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.enter()?;
        self.space();
        if !self.eat(b']') {
            loop {
                item(self)?;
                self.space();
                if self.eat(b']') {
                    break;
                }
                self.expect(b',')?;
                self.space();
            }
        }
        self.open = self.open.saturating_sub(1);
        Ok(())
    }

    /// Takes an opening bracket.
    fn enter(&mut self) -> Result<(), Error> {
        if self.open >= self.limits.depth {
            return Err(self.error(Fault::TooDeep));
        }
        self.open = self.open.saturating_add(1);
        self.at = self.at.saturating_add(1);
        Ok(())
    }

    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        let (raw, escaped) = self.raw_string()?;
        Ok(text::unescape(raw, escaped))
    }

    /// The text between the quotes, and whether it has escapes.
    fn raw_string(&mut self) -> Result<(&'a str, bool), Error> {
        let start = self.at.saturating_add(1);
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let (len, escaped) = text::scan(rest).map_err(|error| Error {
            at: start.saturating_add(error.at),
            ..error
        })?;
        let end = start.saturating_add(len);
        self.at = end.saturating_add(1);
        let raw = self.text.get(start..end).unwrap_or_default();
        Ok((raw, escaped))
    }

    pub(super) fn number(&mut self) -> Result<Number, Error> {
        let (token, integer) = self.raw_number()?;
        // As every common reader does: integers where they fit, else doubles.
        if integer && token != "-0" {
            if let Ok(number) = token.parse::<i64>() {
                return Ok(number.into());
            }
            if let Ok(number) = token.parse::<u64>() {
                return Ok(number.into());
            }
        }
        let double = token.parse().ok().and_then(Number::from_f64);
        double.ok_or_else(|| self.error(Fault::NumberRange))
    }

    /// The token, and whether it has neither fraction nor exponent.
    fn raw_number(&mut self) -> Result<(&'a str, bool), Error> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let (len, integer) = text::number(rest).map_err(|error| Error {
            at: start.saturating_add(error.at),
            ..error
        })?;
        let token = self
            .text
            .get(start..start.saturating_add(len))
            .unwrap_or_default();
        // Only an exponent or some 300 digits can leave the range of a double.
        if (!integer || len > 300) && !token.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(self.error(Fault::NumberRange));
        }
        self.at = start.saturating_add(len);
        Ok((token, integer))
    }

    pub(super) fn word(&mut self, word: &str) -> Result<(), Error> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at = self.at.saturating_add(word.len());
            Ok(())
        } else {
            Err(self.error(Fault::Syntax))
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at = self.at.saturating_add(usize::from(found));
        found
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.eat(byte) {
            Ok(())
        } else {
            Err(self.error(Fault::Syntax))
        }
    }

    pub(super) fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at = self.at.saturating_add(1);
        }
    }

    pub(super) fn error(&self, fault: Fault) -> Error {
        Error { fault, at: self.at }
    }
}
