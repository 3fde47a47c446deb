//! The canonical form of a pattern, for the help of an error.

use url::Url;

/// `pattern` as a WHATWG reader would write it, with its stars, if no error is
/// left in that.
pub(in crate::lower) fn form(pattern: &str) -> Option<String> {
    // Letters that no reader changes, and that nobody writes.
    let (one, two) = ("onestarhere", "twostarshere");
    let text = pattern.replace("**", two).replace('*', one);
    let mut url = Url::parse(&text).ok()?;
    // Left out: what the special schemes must not have, and what is empty.
    let special = matches!(
        url.scheme(),
        "http" | "https" | "ws" | "wss" | "ftp" | "file"
    );
    if special {
        // Errors say that there is none.
        let _ = (url.set_username(""), url.set_password(None));
        if let Some(host) = url.host_str().and_then(|host| host.strip_suffix('.')) {
            let host = host.to_owned();
            url.set_host(Some(&host)).ok()?;
        }
        let mut path = url.path().to_owned();
        while path.contains("//") {
            path = path.replace("//", "/");
        }
        url.set_path(&path);
    }
    let form = escapes(url.as_str()).replace(two, "**").replace(one, "*");
    let kept = form.matches('*').count() == pattern.matches('*').count();
    (kept && super::fault(&form).is_none()).then_some(form)
}

/// Escapes in upper-case hex, and none of unreserved characters: RFC 3986
/// section 6.2.2, which WHATWG readers do not do.
fn escapes(text: &str) -> String {
    let mut parts = text.split('%');
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or(("", part));
        match u8::from_str_radix(digits, 16) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                made.push(char::from(byte));
            }
            Ok(_) => {
                made.push('%');
                made.push_str(&digits.to_ascii_uppercase());
            }
            Err(_) => {
                made.push('%');
                made.push_str(digits);
            }
        }
        made.push_str(rest);
    }
    made
}
