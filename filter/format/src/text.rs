//! Texts of a policy that have a grammar, each parsed once: whoever holds one
//! holds a right one.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use crate::host::is_host;
use crate::path::{exact_path_fault, is_plain_path};

/// Longest name, pattern, host, path or origin in bytes.
pub const MAX_PATTERN_BYTES: usize = 1024;

/// A text that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a valid {what}")]
pub struct NotA {
    /// What it should be.
    pub what: &'static str,
    /// What it is.
    pub text: String,
}

/// Non-empty, bounded, free of control characters, and of the grammar. Once for
/// all of them: the filter is to stay small.
#[inline(never)]
pub(crate) fn is_text(text: &str, grammar: fn(&str) -> bool) -> bool {
    let bounded = (1..=MAX_PATTERN_BYTES).contains(&text.len());
    bounded && !text.chars().any(char::is_control) && grammar(text)
}

fn checked(text: String, what: &'static str, grammar: fn(&str) -> bool) -> Result<String, NotA> {
    match is_text(&text, grammar) {
        true => Ok(text),
        false => Err(NotA { what, text }),
    }
}

/// Whether a name is a pattern.
pub fn is_glob(name: &str) -> bool {
    name.contains('*')
}

/// Whether logs and metric labels can show a text unescaped, as names of
/// endpoints and ids of rules are.
pub fn is_label(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}

/// Declares a text with a grammar.
macro_rules! parsed {
    ($(#[$meta:meta])* $name:ident, $what:literal, $grammar:expr) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            /// The text, if it is one.
            ///
            /// # Errors
            /// If it is none.
            pub fn new(text: impl Into<String>) -> Result<Self, NotA> {
                checked(text.into(), $what, $grammar).map(Self)
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }

        impl PartialEq<String> for $name {
            fn eq(&self, other: &String) -> bool {
                self.0 == *other
            }
        }

        impl FromStr for $name {
            type Err = NotA;

            fn from_str(text: &str) -> Result<Self, NotA> {
                Self::new(text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

parsed! {
    /// A host without port, in the one form that is compared.
    Host, "host", is_host
}

parsed! {
    /// What logs and metric labels show unescaped: the name of an endpoint or
    /// the id of a rule.
    Label, "name", is_label
}

parsed! {
    /// A path in normal form without an escape that could be left out, and
    /// without a final slash: the form of prefixes.
    NormalPath, "path", |path| is_plain_path(path.as_bytes()) && (path == "/" || !path.ends_with('/'))
}

parsed! {
    /// A path that is compared byte for byte; it may hold any escapes.
    ExactPath, "path", |path| exact_path_fault(path.as_bytes()).is_none()
}

parsed! {
    /// A name that stands for itself: no `*`.
    Name, "name", |name| !is_glob(name)
}

parsed! {
    /// A pattern: a `*` stands for others.
    Glob, "pattern", is_glob
}

impl Default for Label {
    /// `default`
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl Default for ExactPath {
    /// `/mcp`
    fn default() -> Self {
        Self("/mcp".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is<T: FromStr<Err = NotA>>(text: &str) -> bool {
        text.parse::<T>().is_ok()
    }

    #[test]
    fn each_has_one_grammar() {
        for (text, host, label, normal, exact, name) in [
            ("a.test", true, true, false, false, true),
            ("A.test", false, true, false, false, true),
            ("/a", false, true, true, true, true),
            ("/a/", false, true, false, true, true),
            ("/a%2Fb", false, false, false, true, true),
            ("a b", false, false, false, false, true),
            ("a*", false, false, false, false, false),
            ("", false, false, false, false, false),
            ("a\nb", false, false, false, false, false),
        ] {
            let got = (
                is::<Host>(text),
                is::<Label>(text),
                is::<NormalPath>(text),
                is::<ExactPath>(text),
                is::<Name>(text),
            );
            assert_eq!(got, (host, label, normal, exact, name), "{text:?}");
        }
        assert!(is::<Glob>("a*") && !is::<Glob>("a"));
        let long = "a".repeat(MAX_PATTERN_BYTES + 1);
        assert!(!is::<Name>(&long));
        let error = Host::new("A").unwrap_err();
        assert_eq!(error.to_string(), "`A` is not a valid host");
    }
}
