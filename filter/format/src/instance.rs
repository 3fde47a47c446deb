//! How an instance of the filter stands among others. Contract section 12.

/// Where a recheck stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// In the listener's chain, before the route: nothing may have changed
    /// since admit.
    #[default]
    Chain,
    /// In the cluster's chain, behind the route: what endpoints name in
    /// `upstream` may have.
    Upstream,
}

impl Place {
    /// Both, in the order of a request's way.
    pub const ALL: [Self; 2] = [Self::Chain, Self::Upstream];

    /// The word in configurations.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::Upstream => "upstream",
        }
    }

    /// What a word in a configuration means; `None` for any other.
    pub fn of(word: &str) -> Option<Self> {
        let mut places = Self::ALL.into_iter();
        places.find(|place| place.as_str() == word)
    }
}

/// Who holds the headers of a request until the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hold {
    /// The instance itself, for which the host is told
    /// `allow_on_headers_stop_iteration`.
    #[default]
    Headers,
    /// A gate behind it. The instance holds the body, and the gate makes sure
    /// of the rest.
    Gate,
    /// A filter of the host behind it, for which whoever configures the host
    /// vouches. The instance holds the body and cannot change a header.
    Body(Holder),
}

/// A filter of the host that holds headers until it has the whole body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// `envoy.filters.http.buffer`
    Buffer,
    /// `envoy.filters.http.lua` with a script that asks for the body.
    Lua,
}

impl Hold {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Headers,
        Self::Gate,
        Self::Body(Holder::Buffer),
        Self::Body(Holder::Lua),
    ];

    /// The word in configurations, of `hold`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Gate => "gate",
            Self::Body(_) => "body",
        }
    }

    /// The word of `held_by`, which `hold: body` needs and no other takes.
    pub const fn held_by(self) -> Option<&'static str> {
        match self {
            Self::Headers | Self::Gate => None,
            Self::Body(Holder::Buffer) => Some("buffer"),
            Self::Body(Holder::Lua) => Some("lua"),
        }
    }

    /// What these words mean together.
    ///
    /// # Errors
    /// What is wrong with them, and what to write.
    pub fn of(hold: Option<&str>, held_by: Option<&str>) -> Result<Self, &'static str> {
        let hold = hold.unwrap_or(Self::Headers.as_str());
        let mut all = Self::ALL.into_iter();
        let found = all.find(|one| one.as_str() == hold && one.held_by() == held_by);
        found.ok_or(match (hold, held_by) {
            ("body", None) => {
                "`hold` is `body`, and nothing says who holds the headers; write `\"held_by\": \"buffer\"` where `envoy.filters.http.buffer` stands behind this instance, `\"held_by\": \"lua\"` where a script does that asks for the body"
            }
            ("body", Some(_)) => "`held_by` is neither `buffer` nor `lua`",
            ("headers" | "gate", Some(_)) => {
                "`held_by` is only for `hold: body`; leave it out, since a gate or the instance itself holds the headers"
            }
            _ => {
                "`hold` is neither `headers`, `gate` nor `body`; write `gate` where a gate stands behind this instance, else leave it out"
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_what_is_written_with_them() {
        for hold in Hold::ALL {
            assert_eq!(Hold::of(Some(hold.as_str()), hold.held_by()), Ok(hold));
        }
        assert_eq!(Hold::of(None, None), Ok(Hold::Headers));
        for place in Place::ALL {
            assert_eq!(Place::of(place.as_str()), Some(place));
        }
        assert_eq!(Place::of("Chain"), None);
    }

    #[test]
    fn other_words_are_refused_with_help() {
        for (hold, held_by, said) in [
            (Some("body"), None, "nothing says who holds"),
            (Some("body"), Some("gate"), "neither `buffer` nor `lua`"),
            (Some("gate"), Some("lua"), "only for `hold: body`"),
            (None, Some("buffer"), "only for `hold: body`"),
            (Some("Gate"), None, "neither `headers`, `gate` nor `body`"),
            (
                Some(""),
                Some("lua"),
                "neither `headers`, `gate` nor `body`",
            ),
        ] {
            let error = Hold::of(hold, held_by).expect_err(said);
            assert!(error.contains(said), "{hold:?} {held_by:?}: {error}");
        }
    }
}
