//! How far an instance that decides has come with a request.

use mcp_boundary_format::Role;

/// Filter state key of the mark of the instance with this role.
pub const fn key(role: Role) -> &'static str {
    match role {
        Role::Admit => "mcp_boundary_gate_admit",
        Role::Recheck => "mcp_boundary_gate_recheck",
    }
}

/// A change to the headers of a permitted request. When it is decided they are
/// out of reach of whoever decides, so the gate makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit<'a> {
    /// Replace all lines of this name by one.
    Set(&'a str, &'a str),
    /// Remove all lines of this name.
    Remove(&'a str),
}

/// What an instance leaves under its role's key: `hold` at the headers, `pass`
/// once it permits the request. What it refuses it answers, and no gate acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark<'a> {
    /// It has not decided yet.
    Hold,
    /// It permits the request, changed like this.
    Pass(Vec<Edit<'a>>),
}

const HOLD: &str = "hold";
const PASS: &str = "pass";

impl<'a> Mark<'a> {
    /// The mark as filter state: a word, and behind `pass` a line for each
    /// edit. No name or value of a header holds a line end; one that did would
    /// make a mark that says nothing ([`Mark::decode`]).
    pub fn encode(&self) -> Vec<u8> {
        let Self::Pass(edits) = self else {
            return HOLD.into();
        };
        let mut text = PASS.to_owned();
        for edit in edits {
            text.push('\n');
            match edit {
                Edit::Set(name, value) => text.extend(["+", name, " ", value]),
                Edit::Remove(name) => text.extend(["-", name]),
            }
        }
        text.into_bytes()
    }

    /// The mark, if these bytes are exactly one.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split('\n');
        match lines.next()? {
            HOLD if lines.next().is_none() => Some(Self::Hold),
            PASS => lines.map(edit).collect::<Option<_>>().map(Self::Pass),
            _ => None,
        }
    }
}

fn edit(line: &str) -> Option<Edit<'_>> {
    let edit = match line.strip_prefix('-') {
        Some(name) => Edit::Remove(name),
        None => {
            let (name, value) = line.strip_prefix('+')?.split_once(' ')?;
            Edit::Set(name, value)
        }
    };
    let (Edit::Set(name, _) | Edit::Remove(name)) = edit;
    (!name.is_empty()).then_some(edit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_what_is_found() {
        let pass = |edits: &[Edit<'static>]| Mark::Pass(edits.to_vec());
        for mark in [
            Mark::Hold,
            pass(&[]),
            pass(&[Edit::Remove("mcp-name")]),
            pass(&[Edit::Set("a", "b c"), Edit::Remove("d"), Edit::Set("e", "")]),
        ] {
            assert_eq!(Mark::decode(&mark.encode()), Some(mark));
        }
    }

    #[test]
    fn anything_else_is_no_mark() {
        for wrong in [
            "",
            "holds",
            "hold\n",
            "pass\n",
            "pass\n+a",
            "pass\na b",
            "pass\n-",
            "pass\n+ b",
            "Pass",
            "pass ",
            "hold\n-a",
        ] {
            assert_eq!(Mark::decode(wrong.as_bytes()), None, "{wrong:?}");
        }
        assert_eq!(Mark::decode(b"pass\n-\xff"), None);
    }
}
