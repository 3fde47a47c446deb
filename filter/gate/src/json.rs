//! The little JSON that a gate's configuration is: one object of strings,
//! lists of strings and whole numbers. A whole reader would be a third of the
//! module.

/// The value of a member.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Text(&'a str),
    List(Vec<&'a str>),
    Number(u32),
}

const EXPECTED: &str = "the plugin configuration is not `{\"role\": \"gate\", \"awaits\": [\"admit\", \"recheck\"]}`, without escapes; `mcp-policy envoy --role gate` prints a valid one";

/// The members of the object that `bytes` are, in their order.
///
/// # Errors
/// If they are anything else, in words for the proxy's log.
pub(crate) fn members(bytes: &[u8]) -> Result<Vec<(&str, Value<'_>)>, &'static str> {
    let rest = std::str::from_utf8(bytes).ok();
    let members = rest.and_then(|rest| {
        let mut reader = Reader { rest };
        let members = reader.object()?;
        reader.is_at_end().then_some(members)
    });
    members.ok_or(EXPECTED)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn object(&mut self) -> Option<Vec<(&'a str, Value<'a>)>> {
        self.sequence('{', '}', |reader| {
            let key = reader.text()?;
            reader.take(':').then_some(())?;
            Some((key, reader.value()?))
        })
    }

    fn value(&mut self) -> Option<Value<'a>> {
        self.skip();
        match self.rest.chars().next()? {
            '"' => self.text().map(Value::Text),
            '[' => self.sequence('[', ']', Self::text).map(Value::List),
            _ => self.number().map(Value::Number),
        }
    }

    /// What stands between `open` and `close`, parted by commas.
    fn sequence<T>(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.take(open).then_some(())?;
        let mut items = Vec::new();
        if self.take(close) {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(close) {
                return Some(items);
            }
            self.take(',').then_some(())?;
        }
    }

    fn text(&mut self) -> Option<&'a str> {
        self.take('"').then_some(())?;
        let (text, rest) = self.rest.split_once('"')?;
        self.rest = rest;
        let plain = |text: &str| !text.contains(|c: char| c == '\\' || c.is_control());
        plain(text).then_some(text)
    }

    fn number(&mut self) -> Option<u32> {
        let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = self.rest.strip_suffix(after)?;
        self.rest = after;
        let number = digits.parse().ok()?;
        (digits == "0" || !digits.starts_with('0')).then_some(number)
    }

    fn take(&mut self, wanted: char) -> bool {
        self.skip();
        let after = self.rest.strip_prefix(wanted);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
    }

    fn is_at_end(&mut self) -> bool {
        self.skip();
        self.rest.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_a_control_plane_writes() {
        let members = members(b" { \"a\" : [ \"b\",\"c\" ],\n\"d\":12, \"e\":\"\",\"f\":[] }\n");
        let expected = vec![
            ("a", Value::List(vec!["b", "c"])),
            ("d", Value::Number(12)),
            ("e", Value::Text("")),
            ("f", Value::List(vec![])),
        ];
        assert_eq!(members, Ok(expected));
        assert_eq!(super::members(b"{}"), Ok(vec![]));
    }

    #[test]
    fn refuses_all_else() {
        for wrong in [
            "",
            "[]",
            "1",
            "{",
            "{}{}",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{a:1}"#,
            r#"{"a":01}"#,
            r#"{"a":-1}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e3}"#,
            r#"{"a":4294967296}"#,
            r#"{"a":true}"#,
            r#"{"a":null}"#,
            r#"{"a":{}}"#,
            r#"{"a":[1]}"#,
            r#"{"a":["b",]}"#,
            r#"{"a":["b"}"#,
            r#"{"a":"\u0062"}"#,
            r#"{"a":"b"#,
            "{\"a\":\"\n\"}",
            r#"{"a":"b\"c"}"#,
        ] {
            assert_eq!(members(wrong.as_bytes()), Err(EXPECTED), "{wrong}");
        }
        assert_eq!(members(b"{\"a\":\"\xff\"}"), Err(EXPECTED));
    }
}
