//! Words of the command line that several verbs take.

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::envoy::{Hold, Holder, Place, Role};

pub(super) fn role() -> impl TypedValueParser<Value = Role> {
    PossibleValuesParser::new(Role::ALL.map(Role::as_str)).try_map(|word| word.parse())
}

pub(super) fn place() -> impl TypedValueParser<Value = Place> {
    let words = PossibleValuesParser::new(Place::ALL.map(Place::as_str));
    words.map(|word| Place::of(&word).unwrap_or_default())
}

/// What stands in the filter chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Part {
    /// Decides on what the client sent
    #[default]
    Admit,
    /// Decides again on what will be sent
    Recheck,
    /// Holds the headers for the two, last before the router
    Gate,
}

/// Who holds the headers until the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum Holds {
    /// The instance itself: Envoy is told `allow_on_headers_stop_iteration`
    #[default]
    Headers,
    /// A gate behind it, where that cannot be set
    Gate,
    /// `envoy.filters.http.buffer` behind it, for which you vouch
    Buffer,
    /// A Lua filter behind it that asks for the body, for which you vouch
    Lua,
}

impl From<Holds> for Hold {
    fn from(holds: Holds) -> Self {
        match holds {
            Holds::Headers => Self::Headers,
            Holds::Gate => Self::Gate,
            Holds::Buffer => Self::Body(Holder::Buffer),
            Holds::Lua => Self::Body(Holder::Lua),
        }
    }
}
