//! From a route to a place, by reading the document once more.

use serde::de::{self, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

use super::Step;

/// Index in bytes of the node at `steps`.
pub(super) fn index_of(text: &str, steps: &[Step]) -> Option<usize> {
    let document = serde_yaml::Deserializer::from_str(text).next()?;
    walk(document, steps)
}

/// Index in bytes of a document's root.
pub(super) fn start_of(document: serde_yaml::Deserializer<'_>) -> Option<usize> {
    walk(document, &[])
}

fn walk(document: serde_yaml::Deserializer<'_>, steps: &[Step]) -> Option<usize> {
    let found = Walk { steps }.deserialize(document);
    Some(found.err()?.location()?.index())
}

/// Goes along the steps and fails at the end of them; the reader adds the
/// place to the error.
#[derive(Clone, Copy)]
struct Walk<'a> {
    steps: &'a [Step],
}

impl Walk<'_> {
    fn here<E: de::Error>(self) -> Result<(), E> {
        Err(E::custom("here"))
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.here()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.here()
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<(), E> {
        self.here()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        self.here()
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<(), E> {
        self.here()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.here()
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        self.here()
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.here()
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.here()
    }

    fn visit_enum<A: de::EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        self.here()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((&Step::Item(index), steps)) = self.steps.split_first() else {
            return self.here();
        };
        for _ in 0..index {
            items.next_element::<IgnoredAny>()?;
        }
        items.next_element_seed(Walk { steps })?;
        self.here()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some((&(Step::Key(index) | Step::Entry(index)), steps)) = self.steps.split_first()
        else {
            return self.here();
        };
        for _ in 0..index {
            entries.next_entry::<IgnoredAny, IgnoredAny>()?;
        }
        if let Some(Step::Key(_)) = self.steps.first() {
            entries.next_key_seed(Walk { steps })?;
        } else {
            entries.next_key::<IgnoredAny>()?;
            entries.next_value_seed(Walk { steps })?;
        }
        self.here()
    }
}
