//! URI templates.

use std::borrow::Cow;

/// A template with `value` for each of its `{…}`; RFC 6570 section 2.2. Where
/// a port may stand, it is 1.
pub(super) fn without_expressions<'a>(template: &'a str, value: &str) -> Cow<'a, str> {
    let mut made = String::new();
    let mut rest = template;
    while let Some((before, (expression, after))) = rest
        .split_once('{')
        .and_then(|(before, tail)| Some((before, tail.split_once('}')?)))
    {
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'{' | b'\\');
        if !expression.bytes().all(plain) {
            break;
        }
        made.push_str(before);
        made.push_str(match value {
            "x" if made.ends_with(':') => "1",
            value => value,
        });
        rest = after;
    }
    if rest.len() == template.len() {
        return Cow::Borrowed(template);
    }
    made.push_str(rest);
    Cow::Owned(made)
}
