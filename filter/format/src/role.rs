//! Where in the filter chain an instance decides. Contract section 12.

use std::fmt;
use std::str::FromStr;

/// Which of its two places an instance of the filter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Role {
    /// Decides on what the client sent.
    #[default]
    Admit,
    /// Decides again on what will be sent, after every filter that may rewrite.
    Recheck,
}

/// The text names no [`Role`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is neither `admit` nor `recheck`")]
pub struct UnknownRole;

impl Role {
    /// Both, in the order of the chain.
    pub const ALL: [Self; 2] = [Self::Admit, Self::Recheck];

    /// The word in configurations, logs and counters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Recheck => "recheck",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        let mut roles = Self::ALL.into_iter();
        roles.find(|role| role.as_str() == word).ok_or(UnknownRole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_one_role() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        for wrong in ["", "Admit", "gate", "recheck "] {
            assert_eq!(wrong.parse::<Role>(), Err(UnknownRole), "{wrong}");
        }
    }
}
