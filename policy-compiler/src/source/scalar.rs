//! What a scalar without quotes is: the core schema of YAML 1.2 (section 10.3.2
//! of the specification). Numbers may also be binary (`0b101`) and have a sign
//! before their base, while digits after a zero (`007`) are text.

use super::node::{Number, Value};

pub(super) fn resolve(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(text) {
            Some(number) => Value::Number(number),
            None => Value::Text(text.to_owned()),
        },
    }
}

fn number(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some((digits, radix)) = integer(unsigned) {
        let value = u64::from_str_radix(digits, radix);
        return Some(match value {
            Ok(0) => Number::Whole(0),
            Ok(value) if !text.starts_with('-') => Number::Whole(value),
            _ => Number::Other,
        });
    }
    is_fraction(text, unsigned).then_some(Number::Other)
}

/// The digits and their base.
fn integer(unsigned: &str) -> Option<(&str, u32)> {
    let (digits, radix) = match unsigned.get(..2) {
        Some("0x") => (unsigned.get(2..)?, 16),
        Some("0o") => (unsigned.get(2..)?, 8),
        Some("0b") => (unsigned.get(2..)?, 2),
        _ => (unsigned, 10),
    };
    let zeros_first = radix == 10 && digits.len() > 1 && digits.starts_with('0');
    let all = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    (all && !zeros_first).then_some((digits, radix))
}

fn is_fraction(text: &str, unsigned: &str) -> bool {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match unsigned {
        ".inf" | ".Inf" | ".INF" => true,
        ".nan" | ".NaN" | ".NAN" => text == unsigned,
        // Words such as `infinity` are numbers to the parser alone.
        _ => {
            unsigned.contains(|c: char| c.is_ascii_digit())
                && !digits(unsigned)
                && text.parse::<f64>().is_ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers() {
        let whole = |text: &str, number: u64| {
            let value = resolve(text);
            assert!(
                matches!(value, Value::Number(Number::Whole(it)) if it == number),
                "{text}"
            );
        };
        for (text, number) in [
            ("0", 0),
            ("-0", 0),
            ("+12", 12),
            ("0x1F", 31),
            ("+0x1f", 31),
            ("0o17", 15),
            ("0b101", 5),
            ("18446744073709551615", u64::MAX),
        ] {
            whole(text, number);
        }
        for text in [
            "-1",
            "18446744073709551616",
            "-0x1F",
            "1.0",
            "1.",
            ".5",
            "-.5",
            "1e3",
            "1E-3",
            "1e400",
            ".inf",
            "-.INF",
            "+.Inf",
            ".nan",
            "0xffffffffffffffffffffffffffffffffff",
        ] {
            let value = resolve(text);
            assert!(matches!(value, Value::Number(Number::Other)), "{text}");
        }
        for text in [
            "007",
            "-007",
            "00",
            "1_000",
            "12:30",
            "no",
            "on",
            "y",
            "0x",
            "0xg",
            "0o8",
            "0b2",
            "+",
            "-",
            ".",
            "..",
            "e3",
            "inf",
            "nan",
            "infinity",
            "-.nan",
            "+-1",
            "--1",
            "0x-1",
            "1e",
            "tRUE",
            "nULL",
            "2025-11-25",
            "v1",
            "1 2",
            "٣",
            "é",
        ] {
            assert!(
                matches!(resolve(text), Value::Text(it) if it == text),
                "{text}"
            );
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert!(matches!(resolve(text), Value::Null), "{text}");
        }
        for text in ["true", "True", "TRUE"] {
            assert!(matches!(resolve(text), Value::Bool(true)), "{text}");
        }
        for text in ["false", "False", "FALSE"] {
            assert!(matches!(resolve(text), Value::Bool(false)), "{text}");
        }
    }
}
