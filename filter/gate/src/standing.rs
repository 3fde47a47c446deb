//! What the marks on a request mean to the gate.

use mcp_boundary_handover::{Edit, Mark, Role};

use crate::settings::Awaits;

/// Where a request stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Standing<'a> {
    /// Somebody has not decided yet.
    Waits,
    /// All have; the headers go on, changed like this.
    Goes(Vec<Edit<'a>>),
    /// One that the gate awaits left nothing, or nothing that can be read: it
    /// does not stand before the gate, or does not leave the headers to it.
    Missing(Role),
}

impl<'a> Standing<'a> {
    /// From what was found under each role's key. A role that is not awaited
    /// but holds the request all the same is waited for.
    pub(crate) fn of(awaits: Awaits, found: &[(Role, Option<&'a [u8]>)]) -> Self {
        let (mut edits, mut waits) = (Vec::new(), false);
        for (role, bytes) in found {
            match bytes.map(Mark::decode) {
                Some(Some(Mark::Pass(more))) => edits.extend(more),
                Some(Some(Mark::Hold)) => waits = true,
                None if !awaits.contains(*role) => {}
                Some(None) | None => return Self::Missing(*role),
            }
        }
        match waits {
            true => Self::Waits,
            false => Self::Goes(edits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing<'a>(
        awaits: &[&str],
        admit: Option<&'a str>,
        recheck: Option<&'a str>,
    ) -> Standing<'a> {
        let awaits = Awaits::read(awaits).expect("roles");
        let found = [(Role::Admit, admit), (Role::Recheck, recheck)];
        Standing::of(
            awaits,
            &found.map(|(role, text)| (role, text.map(str::as_bytes))),
        )
    }

    #[test]
    fn all_must_have_decided() {
        use Role::{Admit, Recheck};
        use Standing::{Goes, Missing, Waits};
        let (hold, pass) = (Some("hold"), Some("pass"));
        for (awaits, admit, recheck, expected) in [
            (&["admit"][..], pass, None, Goes(vec![])),
            (&["admit"], hold, None, Waits),
            (&["admit"], None, None, Missing(Admit)),
            (&["admit"], None, pass, Missing(Admit)),
            // Not awaited, and yet it holds the request.
            (&["admit"], pass, hold, Waits),
            (&["recheck"], None, pass, Goes(vec![])),
            (&["recheck"], pass, None, Missing(Recheck)),
            (&["admit", "recheck"], pass, pass, Goes(vec![])),
            (&["admit", "recheck"], pass, hold, Waits),
            (&["admit", "recheck"], hold, pass, Waits),
            (&["admit", "recheck"], hold, None, Missing(Recheck)),
            (&["admit", "recheck"], None, hold, Missing(Admit)),
            (&["admit"], Some("passed"), None, Missing(Admit)),
            (&["admit"], pass, Some(""), Missing(Recheck)),
        ] {
            let found = standing(awaits, admit, recheck);
            assert_eq!(found, expected, "{awaits:?} {admit:?} {recheck:?}");
        }
    }

    #[test]
    fn edits_are_made_in_the_order_of_the_chain() {
        let found = standing(&["recheck"], Some("pass\n+a 1\n-b"), Some("pass\n+a 2"));
        let edits = vec![Edit::Set("a", "1"), Edit::Remove("b"), Edit::Set("a", "2")];
        assert_eq!(found, Standing::Goes(edits));
    }
}
